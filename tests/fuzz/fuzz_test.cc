// The driver itself: faults of a reader are noticed, and the input is kept.
#include "tests/fuzz/fuzz.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace linchpin {
namespace {

// Of this process: others may run in the same folder.
std::string own_name() { return "self test " + std::to_string(getpid()); }

FuzzTarget target_that(const std::function<void()>& does) {
  for (const char* name : {"LINCHPIN_FUZZ_SECONDS", "LINCHPIN_FUZZ_SEED", "LINCHPIN_FUZZ_INPUT"}) unsetenv(name);
  FuzzTarget target{.name = own_name(), .seeds = {"1 2"}, .inputs = 200};
  target.read = [does](const std::string& text) {
    if (text.find("1e300") != std::string::npos) does();
    return text.size() % 2 == 1;
  };
  return target;
}

// What has been kept, which is removed; empty if there is nothing.
std::string kept_input() {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    if (entry.path().filename().string().find(std::to_string(getpid())) == std::string::npos) continue;
    std::ifstream file(entry.path());
    text = {std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(entry.path());
  }
  return text;
}

TEST(FuzzDriver, ABrokenPromiseFailsAndTheInputIsKept) {
  static const FuzzTarget target = target_that([] { promise(false, "a promise"); });
  EXPECT_NONFATAL_FAILURE(fuzz(target), "a promise");
  EXPECT_NE(kept_input().find("1e300"), std::string::npos);
}

TEST(FuzzDriver, AnAbortNamesTheInput) {
  static const FuzzTarget target = target_that([] { std::abort(); });
  EXPECT_EXIT(fuzz(target), testing::KilledBySignal(SIGABRT),
              "self test .*, seed 1, input .*: Aborted; LINCHPIN_FUZZ_IN");
  EXPECT_NE(kept_input().find("1e300"), std::string::npos);
}

TEST(FuzzDriver, TheSameSeedGivesTheSameInputs) {
  const FuzzTarget target{.name = "self test", .seeds = {"a 1 b 2\n", "c\n"}, .words = {"word"}};
  SplitMix one(5), two(5), other(6);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::string text = damaged(target, one);
    EXPECT_EQ(text, damaged(target, two));
    differs = differs || text != damaged(target, other);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace linchpin

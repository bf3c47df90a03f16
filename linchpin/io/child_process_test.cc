#include "linchpin/io/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace linchpin {
namespace {

std::string fault_of_child(const std::function<std::string()>& work, const ChildLimits& limits = {}) {
  const Result<std::string> result = run_in_child(work, limits);
  return result ? "it returned " + result.value() : result.error().message;
}

TEST(ChildProcess, ReturnsTheText) {
  const std::string long_text(10'000'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_in_child([&] { return long_text; }, {}).value(), long_text);
  EXPECT_EQ(run_in_child([] { return std::string(); }, {}).value(), "");
  EXPECT_EQ(run_in_child([] { return std::to_string(getppid()); }, {}).value(), std::to_string(getpid()));
}

TEST(ChildProcess, SaysHowItEnded) {
  EXPECT_EQ(fault_of_child([]() -> std::string {
              std::signal(SIGABRT, SIG_DFL);
              std::abort();
            }),
            "ended by signal 6 (Aborted)");
  EXPECT_EQ(fault_of_child([]() -> std::string {
              std::signal(SIGSEGV, SIG_DFL);
              std::raise(SIGSEGV);
              return "";
            }),
            "ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(fault_of_child([]() -> std::string { throw std::runtime_error("no"); }), "ended by an exception");
  EXPECT_EQ(fault_of_child([]() -> std::string { _exit(0); }), "ended before its work was done");
}

TEST(ChildProcess, LimitsProcessorTime) {
  EXPECT_EQ(fault_of_child(
                []() -> std::string {
                  volatile bool goes_on = true;
                  while (goes_on) continue;
                  return "";
                },
                {.seconds = 1}),
            "used more than 1 s of processor time");
}

TEST(ChildProcess, LimitsWallClockTime) {
  EXPECT_EQ(fault_of_child(
                [] {
                  std::this_thread::sleep_for(std::chrono::seconds(30));
                  return std::string();
                },
                {.wall_seconds = 1}),
            "did not end within 1 s");
}

TEST(ChildProcess, LimitsMemory) {
  if (!memory_of_children_is_limited()) GTEST_SKIP() << "sanitizers map more than any limit";
  EXPECT_EQ(fault_of_child(
                [] {
                  std::vector<std::string> all;
                  for (int i = 0; i < 300; ++i) all.emplace_back(1 << 20, 'x');
                  return std::to_string(all.size());
                },
                {.bytes = 200 << 20}),
            "needs more than 209715200 bytes of memory");
}

int open_files() {
  int count = 0;
  for (int file = 0; file < 1000; ++file) count += fcntl(file, F_GETFD) >= 0;
  return count;
}

// No end of a pipe is left open, and no file of the caller is closed, whether the child ends well, fails, or cannot be
// started at all.
TEST(ChildProcess, LeavesTheFilesOfTheCallerAlone) {
  const int before = open_files();
  EXPECT_EQ(run_in_child([] { return std::string("done"); }, {}).value(), "done");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(fault_of_child([]() -> std::string { throw std::runtime_error("no"); }), "ended by an exception");
  EXPECT_EQ(open_files(), before);
  // A child that may not start children of its own: fork() fails in it.
  const auto result = run_in_child(
      [&]() -> std::string {
        const rlimit none{0, 0};
        if (setrlimit(RLIMIT_NPROC, &none) != 0 || (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0))
          return "cannot be tried";
        const int own = open_files();
        const std::string fault = fault_of_child([] { return std::string(); });
        return fault + "; files " + std::to_string(open_files() - own);
      },
      {});
  ASSERT_TRUE(result) << result.error().message;
  if (result.value() == "cannot be tried") GTEST_SKIP() << "the number of processes cannot be limited";
  EXPECT_EQ(result.value(), std::string("cannot start a process: ") + std::strerror(EAGAIN) + "; files 0");
}

// What a child prints, and what libraries print in it, goes nowhere; nor does it read what is typed. So also where the
// caller has closed its own input, whose number the next open file gets.
TEST(ChildProcess, PrintsNowhere) {
  const auto where = []() -> std::string {
    struct stat nowhere, here;
    std::string all;
    for (const int standard : {0, 1, 2}) {
      const bool known = stat("/dev/null", &nowhere) == 0 && fstat(standard, &here) == 0;
      all += known && here.st_rdev == nowhere.st_rdev ? " nowhere" : " elsewhere";
    }
    return all;
  };
  EXPECT_EQ(run_in_child(where, {}).value(), " nowhere nowhere nowhere");
  const auto without_input = [&]() -> std::string {
    const int zeros = open("/dev/zero", O_RDWR);
    dup2(zeros, 1);
    dup2(zeros, 2);
    close(zeros);
    close(0);
    return where() + ";" + run_in_child(where, {}).value();
  };
  EXPECT_EQ(run_in_child(without_input, {}).value(), " elsewhere elsewhere elsewhere; nowhere nowhere nowhere");
}

}  // namespace
}  // namespace linchpin

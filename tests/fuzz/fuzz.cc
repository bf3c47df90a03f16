#include "tests/fuzz/fuzz.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>

// There where the libraries have been compiled with sanitizers.
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
// The memory limit of the sanitizer, which maps more address space than any limit of the system allows.
extern "C" const char* __asan_default_options() { return "hard_rss_limit_mb=3072:detect_stack_use_after_return=1"; }

namespace linchpin {
namespace {

constexpr int most_seconds = 10;                           // of processor time, of one input
constexpr int most_wall_seconds = 100;                     // a busy machine may give a tenth of a processor
constexpr rlim_t most_memory = rlim_t(2) << 30;            // beyond that of the program at its start
constexpr std::uint64_t between_seeds = 0x100000001b3ull;  // inputs of different seeds are different

// The input at work, for the signal handler: nothing that allocates.
struct {
  const char* data = nullptr;
  std::size_t size = 0;
  char path[256] = {};
  char what[256] = {};  // target, seed and number of the input
} now;

void say(const char* text) { [[maybe_unused]] const auto n = write(STDERR_FILENO, text, std::strlen(text)); }

void write_input() {
  const int file = open(now.path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  [[maybe_unused]] const auto n = write(file, now.data, now.size);
  close(file);
}

void keep_input(const char* why) {
  if (!now.data) return;
  write_input();
  for (const char* text : {"fuzz: ", static_cast<const char*>(now.what), ": ", why,
                           "; LINCHPIN_FUZZ_INPUT=", static_cast<const char*>(now.path), "\n"})
    say(text);
  now.data = nullptr;
}

void on_signal(int number) {
  keep_input(number == SIGPROF || number == SIGALRM ? "takes too long" : strsignal(number));
  if (number == SIGPROF || number == SIGALRM) _exit(1);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void set_limits() {
  for (const int number : {SIGPROF, SIGALRM, SIGABRT}) std::signal(number, on_signal);
  if (__asan_init) {
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback([] { keep_input("ended by a sanitizer"); });
    return;
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, on_signal);
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + most_memory;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(most, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
}

void set_clock(int seconds, int wall_seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(unsigned(wall_seconds));
}

enum class Answer { accepted, refused, fault };

// A fault fails the test.
Answer try_input(const FuzzTarget& target, const std::string& input) {
  now.data = input.data(), now.size = input.size();
  // The undefined-behaviour sanitizer ends the program without a call to us: the input must be there before.
  if (__asan_init) write_input();
  set_clock(most_seconds, most_wall_seconds);
  Answer answer = Answer::fault;
  try {
    answer = target.read(input) ? Answer::accepted : Answer::refused;
  } catch (const std::exception& fault) {
    ADD_FAILURE() << fault.what();
    keep_input(fault.what());
  }
  set_clock(0, 0);
  if (__asan_init && answer != Answer::fault) unlink(now.path);
  now.data = nullptr;
  return answer;
}

std::string text_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(std::string("LINCHPIN_FUZZ_INPUT: cannot read ") + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void fuzz(const FuzzTarget& target) {
  set_limits();
  if (const char* file = std::getenv("LINCHPIN_FUZZ_INPUT")) {
    std::snprintf(now.path, sizeof now.path, "fuzz.input");
    const Answer answer = try_input(target, text_of(file));
    std::cout << (answer == Answer::accepted ? "accepted\n" : answer == Answer::refused ? "refused\n" : "a fault\n");
    return;
  }
  std::string name = (__asan_init ? "checked_" : "") + target.name;  // both may run in the same folder
  for (char& c : name)
    if (c == ' ') c = '_';
  const auto name_input = [&](unsigned long long seed, long long number) {
    std::snprintf(now.path, sizeof now.path, "fuzz_%s_%llu_%lld.input", name.c_str(), seed, number);
    std::snprintf(now.what, sizeof now.what, "%s, seed %llu, input %lld", target.name.c_str(), seed, number);
  };
  name_input(0, 0);
  for (const std::string& good : target.seeds)
    EXPECT_EQ(try_input(target, good), Answer::accepted) << good.substr(0, 400);

  const char* seed_text = std::getenv("LINCHPIN_FUZZ_SEED");
  const char* seconds_text = std::getenv("LINCHPIN_FUZZ_SECONDS");
  const std::uint64_t seed = seed_text ? std::strtoull(seed_text, nullptr, 10) : 1;
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(seconds_text ? std::strtod(seconds_text, nullptr) : 0);
  long long accepted = 0, faults = 0, tried = 0;
  while (seconds_text ? std::chrono::steady_clock::now() < end : tried < target.inputs) {
    SplitMix random(seed * between_seeds + std::uint64_t(tried));
    const std::string input = damaged(target, random);
    name_input(seed, tried);
    const Answer answer = try_input(target, input);
    ++tried;
    accepted += answer == Answer::accepted, faults += answer == Answer::fault;
    if (faults > 0 && !seconds_text) return;  // the first one is enough
  }
  std::cout << "fuzz: " << target.name << ": " << tried << " inputs of seed " << seed << ", " << accepted
            << " accepted, " << tried - accepted - faults << " refused, " << faults << " faults\n";
  // Both happen, or nothing is tested.
  EXPECT_GE(accepted, tried / 100);
  EXPECT_GE(tried - accepted, tried / 100);
}

}  // namespace linchpin

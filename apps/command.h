// What the verbs of the command share: how they are told apart, how they fail, and where they write.
//
// Exit status: 0 done and certified, 1 ran but a certificate or a claim failed, 2 bad usage or bad input.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace linchpin {

enum ExitStatus { exit_done = 0, exit_failed = 1, exit_usage = 2 };

// The user's to mend: one line that names the value and what is allowed. main() prints it and exits with 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Each adds its verb to the command; the verb's callback sets `status`.
void add_simulate(CLI::App& command, int& status);
void add_inspect(CLI::App& command, int& status);
void add_reproduce(CLI::App& command, int& status);
void add_bench(CLI::App& command, int& status);
void add_solve(CLI::App& command, int& status);
void add_view(CLI::App& command, int& status);

// `linchpin` without arguments.
int demonstrate();

// The whole text as one number within [lowest, highest]; else a UsageError that names `option`. `open` shuts lowest
// out.
struct Range {
  double lowest, highest;
  bool open = false;
};
double number_from(std::string_view option, const std::string& text, const Range& range);
long long whole_number_from(std::string_view option, const std::string& text, long long lowest, long long highest);

// Set when the user has asked to stop (Ctrl-C, kill). Verbs look at it between pieces of work, put away what they have,
// and call end_by_signal(), which does not return: the program ends as the signal would have ended it.
void catch_signals();
bool interrupted();
[[noreturn]] void end_by_signal();

}  // namespace linchpin

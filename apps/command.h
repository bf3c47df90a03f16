// What the verbs of the command share: how they are told apart, how they fail, and where they write.
//
// Exit status: 0 done and certified, 1 ran but a certificate or a claim failed, 2 bad usage or bad input.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/options.h"

namespace linchpin {

enum ExitStatus { exit_done = 0, exit_failed = 1, exit_usage = 2 };

// The user's to mend: one line that names the value and what is allowed. main() prints it and exits with 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Each adds its verb to the command.
void add_simulate(Command& command);
void add_inspect(Command& command);
void add_solve(Command& command);
void add_view(Command& command);

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

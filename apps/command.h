// Shared by the verbs of the command: exit status, errors, numbers and signals.
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

// An error of the user: one line that names the value and what is allowed. main() prints it and exits with 2.
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

// The whole text as one number within [lowest, highest]; else a UsageError that names `option`. open: lowest itself is
// not allowed.
struct Range {
  double lowest, highest;
  bool open = false;
};
double number_from(std::string_view option, const std::string& text, const Range& range);
long long whole_number_from(std::string_view option, const std::string& text, long long lowest, long long highest);

// interrupted() is true after Ctrl-C or kill. Verbs check it between pieces of work, save what they have, and return;
// main() then calls end_by_signal(), which ends the program as the signal would have.
void catch_signals();
bool interrupted();
[[noreturn]] void end_by_signal();

}  // namespace linchpin

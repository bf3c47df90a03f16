// Shared by the programs of the command: linchpin itself, and linchpin-bench and linchpin-reproduce, which ./run builds
// when they are first used.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/options.h"

namespace linchpin {

// The verbs that are programs of their own: `linchpin bench` runs linchpin-bench.
struct OwnProgram {
  const char* verb;
  const char* summary;  // in the help text of linchpin
};
inline constexpr OwnProgram bench_program{"bench", "Time linchpin beside the engines that are installed"};
inline constexpr OwnProgram reproduce_program{"reproduce", "Repeat the papers' tables, figures and sections"};

// The body of main(): catches signals, runs, prints errors, and returns the exit status.
int run_program(const std::function<int()>& run);

// The whole main() of a program with one verb. Its messages are those of `linchpin VERB`.
int main_of_verb(const OwnProgram& program, void (*add_options)(Verb), int count, char** words);

// Replaces this process by the program of that verb, in the same folder as this one. If it is not there, throws a
// UsageError that says how to build it.
[[noreturn]] void hand_over(const OwnProgram& program, const std::vector<std::string>& arguments);

}  // namespace linchpin

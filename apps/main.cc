// The linchpin command. One file per verb; bench and reproduce are programs of their own (program.h).
#include <string>
#include <vector>

#include "apps/command.h"
#include "apps/program.h"
#include "linchpin/record/recording.h"

namespace linchpin {
namespace {

constexpr const char* description =
    "linchpin simulates articulated mechanisms: exact, linear in the number of links, certified.";
constexpr const char* footer =
    "MODEL is a built-in scene such as @pendulum:links=12 (`linchpin inspect --scenes` lists them) or a model in a "
    "file\n"
    "(.json). Units are SI: m, kg, s, rad, N, J.\n\n"
    "Exit status: 0 done and certified, 1 ran but a certificate or a claim failed, 2 bad usage or bad input.\n\n"
    "Examples:\n"
    "  linchpin                                          a first run: two hands take a wheel off its hub\n"
    "  linchpin simulate @humanoid --time 2 --csv humanoid.csv\n"
    "  linchpin view @stack                              a live run in the browser\n"
    "  linchpin inspect @quadruped\n"
    "  linchpin reproduce smooth/stiffness --report report\n"
    "  linchpin bench --quick\n"
    "  linchpin solve models/problems/*.txt\n"
    "  linchpin help simulate                            all about one verb";

// `help VERB` is `VERB --help`.
std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (arguments.size() > 1) throw UsageError("help takes one verb at most");
  arguments.emplace_back("--help");
  return arguments;
}

int run(std::vector<std::string> arguments) {
  if (arguments.empty()) return demonstrate();
  arguments = with_help_as_option(std::move(arguments));
  for (const OwnProgram& program : {bench_program, reproduce_program})
    if (arguments.front() == program.verb) hand_over(program, {arguments.begin() + 1, arguments.end()});

  Command command(description, footer);
  add_simulate(command);
  add_view(command);
  add_inspect(command);
  for (const OwnProgram& program : {reproduce_program, bench_program}) command.add_verb(program.verb, program.summary);
  add_solve(command);
  return command.run(std::move(arguments));
}

}  // namespace
}  // namespace linchpin

int main(int count, char** words) {
  linchpin::leave_hdf5_at_exit();
  return linchpin::run_program([&] { return linchpin::run({words + 1, words + count}); });
}

// The linchpin command. One file per verb.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/command.h"
#include "linchpin/base/check.h"
#include "linchpin/record/recording.h"

namespace linchpin {
namespace {

constexpr const char* footer =
    "MODEL is a built-in scene such as @pendulum:links=12; `linchpin inspect --scenes` lists them. Units are SI: m, "
    "kg, s,\n"
    "rad, N, J.\n\n"
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

std::vector<std::string> verbs_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

void refuse_unknown_verb(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> verbs = verbs_of(command);
  if (word.starts_with('-') || std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  throw UsageError(fmt::format("there is no verb '{}'; there are: {}, help", word, fmt::join(verbs, ", ")));
}

int run(std::vector<std::string> arguments) {
  CLI::App command{"linchpin simulates articulated mechanisms: exact, linear in the number of links, certified.",
                   "linchpin"};
  command.set_version_flag("--version", "linchpin " LINCHPIN_VERSION, "Which version this is");
  command.set_help_flag("-h,--help", "This text");
  command.footer(footer);
  command.require_subcommand(0, 1);
  command.get_formatter()->column_width(34);
  int status = exit_done;
  add_simulate(command, status);
  add_view(command, status);
  add_inspect(command, status);
  add_reproduce(command, status);
  add_bench(command, status);
  add_solve(command, status);
  for (CLI::App* verb : command.get_subcommands({})) verb->set_help_flag("-h,--help", "This text");

  if (arguments.empty()) return demonstrate();
  if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    if (arguments.size() > 1) throw UsageError("help takes one verb at most");
    arguments.emplace_back("--help");
  }
  refuse_unknown_verb(command, arguments.front());
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    command.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return command.exit(asked);
  } catch (const CLI::ParseError& fault) {
    const std::vector<CLI::App*> verbs = command.get_subcommands();
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
    throw UsageError(fmt::format("{} (see linchpin {}--help)", fault.what(), verb));
  }
  return status;
}

}  // namespace
}  // namespace linchpin

int main(int count, char** words) {
  using namespace linchpin;
  catch_signals();
  leave_hdf5_at_exit();
  int status = exit_failed;
  try {
    status = run(std::vector<std::string>(words + 1, words + count));
  } catch (const UsageError& error) {
    fmt::print(stderr, "linchpin: {}\n", error.what());
    status = exit_usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "linchpin: out of memory\n");
  } catch (const std::exception& error) {  // ours to mend, not the user's
    fmt::print(stderr, "linchpin: internal error, please report it: {}\n", error.what());
  }
  if (interrupted()) end_by_signal();
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    fmt::print(stderr, "linchpin: could not write to the standard output\n");
    return exit_usage;
  }
  return status;
}

#include "apps/program.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <unistd.h>

#include <fmt/format.h>

#include "apps/command.h"

namespace linchpin {

int run_program(const std::function<int()>& run) {
  catch_signals();
  int status = exit_failed;
  try {
    status = run();
  } catch (const UsageError& error) {
    fmt::print(stderr, "linchpin: {}\n", error.what());
    status = exit_usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "linchpin: out of memory\n");
  } catch (const std::exception& error) {  // a defect of linchpin, not of the input
    fmt::print(stderr, "linchpin: internal error, please report it: {}\n", error.what());
  }
  if (interrupted()) end_by_signal();
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    fmt::print(stderr, "linchpin: could not write to the standard output\n");
    return exit_usage;
  }
  return status;
}

int main_of_verb(const OwnProgram& program, void (*add_options)(Verb), int count, char** words) {
  return run_program([&] {
    Command command("", "");
    add_options(command.add_verb(program.verb, program.summary));
    std::vector<std::string> arguments{program.verb};
    arguments.insert(arguments.end(), words + 1, words + count);
    return command.run(std::move(arguments));
  });
}

void hand_over(const OwnProgram& program, const std::vector<std::string>& arguments) {
  std::error_code fault;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const std::string name = std::string("linchpin-") + program.verb, path = self.parent_path() / name;
  std::vector<char*> words{const_cast<char*>(name.c_str())};  // execv() does not write to them
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);
  if (!fault) execv(path.c_str(), words.data());
  const int reason = fault ? ENOENT : errno;
  if (reason != ENOENT) throw UsageError(fmt::format("cannot start {}: {}", path, std::strerror(reason)));
  throw UsageError(fmt::format(
      "{0} is a program of its own and has not been built: use ./run {0} in the source tree, or build the target {1}",
      program.verb, name));
}

}  // namespace linchpin

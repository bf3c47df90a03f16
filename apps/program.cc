#include "apps/program.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <unistd.h>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/terminal_text.h"

namespace linchpin {

namespace {

// Standard files that are closed become /dev/null, opened the wrong way round: no file that is opened later gets their
// numbers, and writing to them fails as before.
void occupy_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) == -1)
      if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number) return;
}

// One line on the standard error. If that cannot be written, the exit status has to do: no exception, which fmt::print
// would throw.
void complain(std::string_view text) noexcept {
  std::fputs("linchpin: ", stderr);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputs("\n", stderr);
}

}  // namespace

int run_program(const std::function<int()>& run) {
  occupy_standard_files();
  catch_signals();
  int status = exit_failed;
  bool complained = true;
  try {
    status = run();
    complained = false;
  } catch (const UsageError& error) {
    complain(printable(error.what()));
    status = exit_usage;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) || std::ferror(stderr)) {  // fmt::print throws then
      status = exit_usage;
      complained = false;
    } else  // a defect of linchpin, not of the input
      complain("internal error, please report it: " + printable(error.what()));
  }
  if (interrupted()) end_by_signal();
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    if (!complained) complain("could not write to the standard output");
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

#include "linchpin/io/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Clock = std::chrono::steady_clock;

enum ChildExit { child_done = 0, child_out_of_memory = 101, child_threw = 102 };

// ---- in the child ---------------------------------------------------------------------------------------------------

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit both{soft, hard};
  setrlimit(resource, &both);
}

// The address space that this process has mapped, in bytes.
std::size_t mapped_bytes() {
  unsigned long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return std::size_t(pages) * std::size_t(sysconf(_SC_PAGESIZE));
}

void write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(child_threw);
    bytes += written;
    count -= std::size_t(written);
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, const ChildLimits& limits, std::size_t mapped,
                           int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGXCPU, SIGPIPE}) std::signal(signal, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_RDWR); nowhere >= 0)
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (out != standard) dup2(nowhere, standard);
  // The ends of other children's pipes too, so that each of them is seen to end when it ends.
  if (out > 3) close_range(3, unsigned(out) - 1, 0);
  close_range(unsigned(out) + 1, ~0U, 0);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, rlim_t(limits.seconds), rlim_t(limits.seconds) + 1);
  if (memory_of_children_is_limited()) limit(RLIMIT_AS, mapped + limits.bytes, mapped + limits.bytes);
  std::set_new_handler([] { _exit(child_out_of_memory); });
  try {
    const std::string text = work();
    const std::uint64_t size = text.size();
    write_all(out, reinterpret_cast<const char*>(&size), sizeof size);
    write_all(out, text.data(), text.size());
  } catch (...) {
    _exit(child_threw);
  }
  _exit(child_done);  // not exit(): files and threads of the parent are not the child's to close
}

// ---- in the parent --------------------------------------------------------------------------------------------------

// Appends what the child writes until it closes its end. False if the time is over before.
bool read_until_end(int in, Clock::time_point deadline, std::string& text) {
  char piece[1 << 16];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{in, POLLIN, 0};
    const int ready = poll(&waiting, 1, int(left));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t count = read(in, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(piece, std::size_t(count));
  }
}

// Waits for the child's end. -1 if its status is lost: the program ignores SIGCHLD.
int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

std::string why_ended(int status, const ChildLimits& limits) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL)
      return message("used more than ", limits.seconds, " s of processor time");
    return message("ended by signal ", signal, " (", strsignal(signal), ")");
  }
  if (WEXITSTATUS(status) == child_out_of_memory) return message("needs more than ", limits.bytes, " bytes of memory");
  return "ended by an exception";
}

}  // namespace

bool memory_of_children_is_limited() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

Result<std::string> run_in_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{message("cannot make a pipe: ", std::strerror(errno))};
  const std::size_t mapped = mapped_bytes();
  const auto deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]);
    close(ends[1]);
    return Error{message("cannot start a process: ", std::strerror(why))};
  }
  if (child == 0) {
    close(ends[0]);
    be_child(work, limits, mapped, ends[1]);
  }
  close(ends[1]);
  std::string text;
  const bool in_time = read_until_end(ends[0], deadline, text);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  const int status = status_of(child);
  if (!in_time) return Error{message("did not end within ", limits.wall_seconds, " s")};
  std::uint64_t size = 0;
  const bool whole =
      text.size() >= sizeof size && (std::memcpy(&size, text.data(), sizeof size), text.size() - sizeof size == size);
  const bool done = status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == child_done);
  if (!done) return Error{why_ended(status, limits)};
  if (!whole) return Error{"ended before its work was done"};
  text.erase(0, sizeof size);
  return text;
}

}  // namespace linchpin

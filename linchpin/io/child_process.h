// Work in a child process, for libraries that may crash, hang or fill the memory on damaged input. Not installed.
//
// The child is a forked copy of this process. After fork(), POSIX allows only async-signal-safe functions in a child of
// a process with several threads; glibc makes malloc() safe there, but a lock of another library that another thread
// holds at that moment stays locked in the child. Then the child waits until its time is over, and the caller gets an
// error. So `work` should use as little of the state of the process as it can.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "linchpin/base/result.h"

namespace linchpin {

struct ChildLimits {
  int seconds = 10;                          // of processor time
  int wall_seconds = 40;                     // a busy machine may give a quarter of a processor
  std::size_t bytes = std::size_t(3) << 29;  // of memory, beyond that of this process; 1.5 GiB
};

// The text that `work` returns, or an Error that says how the child ended: "used more than 10 s of processor time",
// "needs more than 1610612736 bytes of memory", "ended by signal 11 (Segmentation fault)". An exception in `work` ends
// the child. Its standard output and error are closed.
Result<std::string> run_in_child(const std::function<std::string()>& work, const ChildLimits& limits);

// False under AddressSanitizer and ThreadSanitizer, which map more than any limit: there the memory is not limited.
bool memory_of_children_is_limited();

}  // namespace linchpin

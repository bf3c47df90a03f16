// Checks of a function's preconditions (sizes, indices, ranges), active in all builds. The message should state both
// the actual and the required number:
//     check(q.size() == n, "q has ", q.size(), " numbers, the model needs ", n);
// The message is only composed when the check fails.
#pragma once

#include <sstream>
#include <stdexcept>

namespace linchpin {

// Thrown by check(): an error in the calling program, not in its data.
class CheckFailed : public std::logic_error {
  using std::logic_error::logic_error;
};

template <class... Parts>
[[noreturn]] __attribute__((noinline, cold)) void fail_check(const Parts&... parts) {
  std::ostringstream message;
  message.precision(17);
  (message << ... << parts);
  throw CheckFailed(message.str());
}

template <class... Parts>
inline void check(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail_check(parts...);
}

}  // namespace linchpin

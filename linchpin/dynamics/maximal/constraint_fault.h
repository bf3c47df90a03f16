// Error messages such as "constraint 3 closes a loop". For constraint_forest.cc and
// black_box/multiplier_system_build.cc.
#pragma once

#include <sstream>

#include "linchpin/base/result.h"

namespace linchpin {

template <class... Parts>
Error constraint_fault(int constraint, const Parts&... parts) {
  std::ostringstream message;
  message << "constraint " << constraint << ' ';
  (message << ... << parts);
  return Error{message.str()};
}

}  // namespace linchpin

// "constraint 3 closes a loop": what is wrong with one of many. For constraint_forest.cc and multiplier_system.cc.
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

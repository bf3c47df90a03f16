// make_error("block ", b, " has ", n, " rows"): an Error of these parts, with 17 digits of each number as in check().
#pragma once

#include <sstream>

#include "linchpin/base/result.h"

namespace linchpin {

template <class... Parts>
Error make_error(const Parts&... parts) {
  std::ostringstream message;
  message.precision(17);
  (message << ... << parts);
  return {message.str()};
}

}  // namespace linchpin

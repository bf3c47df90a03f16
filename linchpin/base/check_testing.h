// For tests: the message of the check that a call fails.
#pragma once

#include <string>

#include "linchpin/base/check.h"

namespace linchpin {

template <class Call>
std::string failed_check(const Call& call) {
  try {
    call();
  } catch (const CheckFailed& failed) {
    return failed.what();
  }
  return "accepted";
}

}  // namespace linchpin

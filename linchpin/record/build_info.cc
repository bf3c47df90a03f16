#include "linchpin/record/build_info.h"

namespace linchpin {

std::string_view linchpin_version() { return LINCHPIN_VERSION; }

std::string_view build_description() {
#ifdef __clang__
  return "clang " __VERSION__ ", " LINCHPIN_BUILD;
#else
  return "g++ " __VERSION__ ", " LINCHPIN_BUILD;
#endif
}

}  // namespace linchpin

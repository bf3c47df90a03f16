// Version and build of linchpin, to be stored in files.
#pragma once

#include <string_view>

namespace linchpin {

std::string_view linchpin_version();  // "0.1.0"

// Other properties that the last bits of a run may depend on: compiler, build type, and the processor that the kernels
// were compiled for. A text to compare.
std::string_view build_description();

}  // namespace linchpin

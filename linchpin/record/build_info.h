// Which linchpin this is, for files that outlive it.
#pragma once

#include <string_view>

namespace linchpin {

std::string_view linchpin_version();  // "0.1.0"

// What the last bits of a run may depend on beside the version: compiler, kind of build, and the processor that the
// kernels were made for, as text to compare.
std::string_view build_description();

}  // namespace linchpin

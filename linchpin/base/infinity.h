// Infinity, under a short name.
#pragma once

#include <limits>

namespace linchpin {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace linchpin

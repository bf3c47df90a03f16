// An int as a position in memory.
//
// Counts and indices are ints in this code, and containers take them as they are: v[i], v.resize(n). Where a product may
// exceed an int, as in the offset of a row of a large matrix, its first factor is widened: M[index(row) * stride + column].
#pragma once

#include <cstddef>

namespace linchpin {

constexpr std::size_t index(int i) { return std::size_t(i); }

}  // namespace linchpin

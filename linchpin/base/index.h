// index(i): an int converted to std::size_t.
//
// Counts and indices are ints in this code and are passed to containers without a cast: v[i], v.resize(n). Where a
// product may exceed an int, as in the offset of a row of a large matrix, widen its first factor:
// M[index(row) * stride + column].
#pragma once

#include <cstddef>

namespace linchpin {

constexpr std::size_t index(int i) { return std::size_t(i); }

}  // namespace linchpin

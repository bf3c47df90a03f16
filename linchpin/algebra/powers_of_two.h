// Exponents of numbers and powers of two: units in which scaling rounds nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace linchpin {

// e of |x| = 1.f * 2^e; x finite and normal.
inline int exponent(double x) { return int((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023; }
// 2^e, with e limited to +-400 so that a product of two is neither infinite nor zero.
inline double power_of_two(int e) {
  return std::bit_cast<double>(std::uint64_t(std::clamp(e, -400, 400) + 1023) << 52);
}

}  // namespace linchpin

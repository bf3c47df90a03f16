// Units that round nothing: exponents of numbers, and powers of two. For this room's own files.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace linchpin {

// e of |x| = 1.f * 2^e; x finite and not below the normal numbers.
inline int exponent(double x) { return int((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023; }
// Not beyond 2^400 either way, so that products of two are numbers still.
inline double power_of_two(int e) {
  return std::bit_cast<double>(std::uint64_t(std::clamp(e, -400, 400) + 1023) << 52);
}

}  // namespace linchpin

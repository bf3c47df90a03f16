// splitmix64: pseudo-random numbers that are the same on every platform.
//
// The distributions of <random> differ between standard libraries, and random scenes and states would differ with them.
// Steele, Lea and Flood 2014; constants as in Vigna 2015 (public domain).
#pragma once

#include <cstdint>

namespace linchpin {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // uniform in [0, 1)

 private:
  std::uint64_t state_;
};

}  // namespace linchpin

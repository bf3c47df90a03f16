// The operations that generic code needs of a scalar type T: double, float, long double or a Pack (pack.h).
//
// Kernels call fma() below for their products, and the library is compiled with -ffp-contract=off. The compiler then
// cannot choose which product of a*b + c*d it fuses, and a lane of a pack has the same bits as a scalar computation.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

// Always inlined: the code of fma() below depends on the machine flags, and the linker would merge a function that is
// not inlined with the copies of files that are compiled with other flags.
#define LINCHPIN_INLINE inline __attribute__((always_inline))

namespace linchpin {

// Scalar<T>::Real is the type of one number, `lanes` the count of numbers in a T.
template <class T>
struct Scalar {
  using Real = T;
  static constexpr int lanes = 1;
};

// a b + c. Fused (one rounding) where the target has that instruction, else two roundings; alike for all lane counts.
// Never fused for long double. A template, so that <cmath>'s fma is the better match and no ambiguity arises where a
// program says "using namespace linchpin".
template <std::floating_point S>
LINCHPIN_INLINE S fma(S a, S b, S c) {
#ifdef __FMA__
  if constexpr (std::is_same_v<S, double>) return __builtin_fma(a, b, c);
  if constexpr (std::is_same_v<S, float>) return __builtin_fmaf(a, b, c);
#endif
  return a * b + c;
}

// c - a b
template <class A, class B, class C>
LINCHPIN_INLINE auto fnma(const A& a, const B& b, const C& c) {
  return fma(-a, b, c);
}

template <class T>
LINCHPIN_INLINE T select(bool condition, const T& yes, const T& no) {
  return condition ? yes : no;
}

}  // namespace linchpin

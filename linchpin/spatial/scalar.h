// What a scalar must offer so that one source serves double, float, long double and packs of worlds.
//
// All hot arithmetic goes through fma() below, and the library is compiled with -ffp-contract=off: the compiler may
// then not choose which product of a*b + c*d it fuses, and a lane of a pack has the same bits as a run of its own.
#pragma once

#include <cmath>
#include <limits>

// Always, since what fma() below does depends on the machine flags: a copy of a function that is not inlined would be
// merged by the linker with the copies of files that are compiled with other flags.
#define LINCHPIN_INLINE inline __attribute__((always_inline))

namespace linchpin {

// Scalar<T>::Real is the type of one number, lanes how many of them a T carries side by side.
template <class T>
struct Scalar {
  using Real = T;
  static constexpr int lanes = 1;
};

// a b + c. Fused where the target can (the same for every lane count); elsewhere two roundings, for every lane count.
#ifdef __FMA__
LINCHPIN_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LINCHPIN_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
LINCHPIN_INLINE double fma(double a, double b, double c) { return a * b + c; }
LINCHPIN_INLINE float fma(float a, float b, float c) { return a * b + c; }
#endif
LINCHPIN_INLINE long double fma(long double a, long double b, long double c) { return a * b + c; }

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

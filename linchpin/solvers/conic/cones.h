// Eight cones side by side. Contacts are stored one after the other, three numbers each; kernels load eight at a time,
// one register for the normals and one for each tangent. For this room's own kernel files.
#pragma once

#include <cmath>

#include "linchpin/solvers/conic/scaled_problem.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {

LINCHPIN_INLINE Double8 sqrt(const Double8& x) {
#ifdef __AVX512F__
  return Double8((Double8::Vector)_mm512_maskz_sqrt_pd(
      __mmask8(0xff), (__m512d)x.v));  // g++ 12 warns of undefined lanes without the mask
#else
  Double8 r;
  for (int i = 0; i < 8; ++i) r.v[i] = std::sqrt(x.v[i]);
  return r;
#endif
}
LINCHPIN_INLINE Double8 min(const Double8& a, const Double8& b) { return select(a > b, b, a); }  // a if one is NaN
LINCHPIN_INLINE Double8 max(const Double8& a, const Double8& b) { return select(b > a, b, a); }

struct Cones {
  Double8 n, x, y;

  // Loads or stores `count` cones; the lanes beyond are loaded as zero.
  static LINCHPIN_INLINE Cones load(const double* from, int count) {
    if (count == 8) return load(from);
    double all[24];
    for (int i = 0; i < 24; ++i) all[i] = i < 3 * count ? from[i] : 0;
    return load(all);
  }
  LINCHPIN_INLINE void store(double* to, int count) const {
    if (count == 8) return store(to);
    double all[24];
    store(all);
    for (int i = 0; i < 3 * count; ++i) to[i] = all[i];
  }

  static LINCHPIN_INLINE Cones load(const double* from) {
    const auto a = Double8::load(from).v, b = Double8::load(from + 8).v, c = Double8::load(from + 16).v;
    const auto n = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
    const auto x = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
    const auto y = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
    return {__builtin_shufflevector(n, c, 0, 1, 2, 3, 4, 5, 10, 13),
            __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 8, 11, 14),
            __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 9, 12, 15)};
  }
  LINCHPIN_INLINE void store(double* to) const {
    const auto a = __builtin_shufflevector(n.v, x.v, 0, 8, 0, 1, 9, 0, 2, 10);
    const auto b = __builtin_shufflevector(n.v, x.v, 0, 3, 11, 0, 4, 12, 0, 5);
    const auto c = __builtin_shufflevector(n.v, x.v, 13, 0, 6, 14, 0, 7, 15, 0);
    Double8(__builtin_shufflevector(a, y.v, 0, 1, 8, 3, 4, 9, 6, 7)).store(to);
    Double8(__builtin_shufflevector(b, y.v, 10, 1, 2, 11, 4, 5, 12, 7)).store(to + 8);
    Double8(__builtin_shufflevector(c, y.v, 0, 13, 2, 3, 14, 5, 6, 15)).store(to + 16);
  }
};

LINCHPIN_INLINE Cones operator+(const Cones& a, const Cones& b) { return {a.n + b.n, a.x + b.x, a.y + b.y}; }
LINCHPIN_INLINE Cones operator-(const Cones& a, const Cones& b) { return {a.n - b.n, a.x - b.x, a.y - b.y}; }
LINCHPIN_INLINE Cones operator*(const Double8& s, const Cones& a) { return {s * a.n, s * a.x, s * a.y}; }
LINCHPIN_INLINE Double8 dot(const Cones& a, const Cones& b) { return fma(a.n, b.n, fma(a.x, b.x, a.y * b.y)); }
LINCHPIN_INLINE Double8 tangential(const Cones& a) { return sqrt(fma(a.x, a.x, a.y * a.y)); }

// The sum of the first `count` lanes.
LINCHPIN_INLINE double sum(const Double8& x, int count) {
  if (count == 8) return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  double all = 0;
  for (int i = 0; i < count; ++i) all += x[i];
  return all;
}

}  // namespace linchpin

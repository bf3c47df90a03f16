// The support function of a hull, for inlining into kernels. Private to geometry/.
//
//     m = max over i of d.v_i                                                    (1)
//     the first i with d.v_i = m                                                 (2)
// Eight vertices at a time, in rounds of sixty-four: first the largest product, then a bit mask of the vertices that
// have it. This is less work than carrying indices along with the values.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {

namespace hull_support_detail {

// Returns b if a is NaN.
template <class Vector>
LINCHPIN_INLINE Vector larger(const Vector& a, const Vector& b) {
  return a > b ? a : b;
}
LINCHPIN_INLINE double largest_lane(const Double8& pack) {
  const auto v8 = pack.v;
  const auto v4 = larger(__builtin_shufflevector(v8, v8, 0, 1, 2, 3), __builtin_shufflevector(v8, v8, 4, 5, 6, 7));
  const auto v2 = larger(__builtin_shufflevector(v4, v4, 0, 1), __builtin_shufflevector(v4, v4, 2, 3));
  return v2[0] > v2[1] ? v2[0] : v2[1];
}
// A bit mask of the lanes that equal x.
LINCHPIN_INLINE std::uint64_t lanes_equal(const Double8& pack, double x) {
#ifdef __AVX512F__
  return _mm512_cmp_pd_mask((__m512d)pack.v, _mm512_set1_pd(x), _CMP_EQ_OQ);
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= std::uint64_t(pack[i] == x) << i;
  return bits;
#endif
}

// The first index with the largest value, 0 if all are NaN. value(i) returns the eight values from index i on; `size`
// is a multiple of 8.
template <class Value>
LINCHPIN_INLINE int first_largest(std::size_t size, const Value& value) {
  double best = -std::numeric_limits<double>::infinity();
  int found = 0;
  for (std::size_t first = 0; first < size; first += 64) {
    const std::size_t packs = (size - first < 64 ? size - first : 64) / 8;
    Double8 values[8];
    Double8 even(best), odd(best);  // two independent chains, since each maximum depends on the one before
    std::size_t i = 0;
    for (; i + 2 <= packs; i += 2) {
      values[i] = value(first + 8 * i);
      values[i + 1] = value(first + 8 * i + 8);
      even = larger(values[i].v, even.v);
      odd = larger(values[i + 1].v, odd.v);
    }
    if (i < packs) {
      values[i] = value(first + 8 * i);
      even = larger(values[i].v, even.v);
    }
    const double m = largest_lane(larger(even.v, odd.v));  // (1)
    if (!(m > best)) continue;
    best = m;
    std::uint64_t bits = 0;
    for (i = 0; i < packs; ++i) bits |= lanes_equal(values[i], m) << 8 * i;
    found = int(first) + std::countr_zero(bits);  // (2)
  }
  return found;
}

}  // namespace hull_support_detail

LINCHPIN_INLINE int support_inlined(const Hull& hull, const Vec3<double>& d) {
  return hull_support_detail::first_largest(
      hull.x.size(), [&](std::size_t i) __attribute__((always_inline)) {
        return fma(Double8::load(&hull.z[i]), d.z,
                   fma(Double8::load(&hull.y[i]), d.y, Double8::load(&hull.x[i]) * d.x));
      });
}

// (1) and (2) with n_i.x - offset_i over the faces in place of d.v_i.
LINCHPIN_INLINE int nearest_face_inlined(const Hull& hull, const Vec3<double>& x) {
  return hull_support_detail::first_largest(
      hull.offset.size(), [&](std::size_t i) __attribute__((always_inline)) {
        return fma(Double8::load(&hull.normal_z[i]), x.z,
                   fma(Double8::load(&hull.normal_y[i]), x.y,
                       fma(Double8::load(&hull.normal_x[i]), x.x, -Double8::load(&hull.offset[i]))));
      });
}

}  // namespace linchpin

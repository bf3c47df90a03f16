// Operations on eight numbers for Lemke's tableau that the compiler's vector extension lacks: by AVX-512 if the machine
// has it, else lane by lane. For lemke_*.cc only.
//
// Other kernels use Double8 (pack.h) with explicit loads and stores. Here columns are aligned and padded and are
// changed in place: at(p) is the register at p, to be read or written.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LINCHPIN_LEMKE_AVX512 1
#endif

#include <bit>
#include <limits>

#include "linchpin/spatial/pack.h"

namespace linchpin::lemke_detail {

inline constexpr int lanes = 8;
using Lanes = Double8::Vector;
typedef long long LaneMask __attribute__((vector_size(64)));

LINCHPIN_INLINE Lanes& at(double* p) { return *reinterpret_cast<Lanes*>(p); }
LINCHPIN_INLINE const Lanes& at(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
constexpr int padded(int n) { return (n + lanes - 1) / lanes * lanes; }

// sum += c a, with one rounding if the machine has fused operations
LINCHPIN_INLINE void add_product(Lanes& sum, double c, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  sum = (Lanes)_mm512_fmadd_pd(_mm512_set1_pd(c), (__m512d)a, (__m512d)sum);
#else
  sum += c * a;
#endif
}
LINCHPIN_INLINE void add_product(Lanes& sum, const Lanes& c, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  sum = (Lanes)_mm512_fmadd_pd((__m512d)c, (__m512d)a, (__m512d)sum);
#else
  sum += c * a;
#endif
}
LINCHPIN_INLINE void keep_larger(Lanes& a, const Lanes& b) { a = a > b ? a : b; }
LINCHPIN_INLINE void keep_smaller(Lanes& a, const Lanes& b) { a = a < b ? a : b; }
LINCHPIN_INLINE Lanes absolute(const Lanes& a) { return (Lanes)((LaneMask)a & std::numeric_limits<long long>::max()); }
LINCHPIN_INLINE void spread_smallest(Lanes& a) {  // copies the smallest lane into every lane
  keep_smaller(a, __builtin_shuffle(a, LaneMask{4, 5, 6, 7, 0, 1, 2, 3}));
  keep_smaller(a, __builtin_shuffle(a, LaneMask{2, 3, 0, 1, 6, 7, 4, 5}));
  keep_smaller(a, __builtin_shuffle(a, LaneMask{1, 0, 3, 2, 5, 4, 7, 6}));
}
LINCHPIN_INLINE double smallest(Lanes a) {
  spread_smallest(a);
  return a[0];
}
LINCHPIN_INLINE double largest(const Lanes& a) { return -smallest(-a); }
LINCHPIN_INLINE unsigned bits(const LaneMask& mask) {
#ifdef LINCHPIN_LEMKE_AVX512
  return _mm512_movepi64_mask((__m512i)mask);
#else
  unsigned result = 0;
  for (int i = 0; i < lanes; ++i) result |= unsigned(mask[i] & 1) << i;
  return result;
#endif
}
// The lanes of a that are at most `limit`.
LINCHPIN_INLINE unsigned at_most(const Lanes& a, const Lanes& limit) {
#ifdef LINCHPIN_LEMKE_AVX512
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)limit, _CMP_LE_OQ);
#else
  return bits(a <= limit);
#endif
}

// 1 / a up to the last bit or two; undefined where a is 0
LINCHPIN_INLINE Lanes reciprocal(const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  // From r, good to 14 bits, with e = 1 - a r: r (1 + e) (1 + e^2). A third of the time of a division.
  const __m512d x = (__m512d)a, r = _mm512_maskz_rcp14_pd(0xff, x), e = _mm512_fnmadd_pd(x, r, _mm512_set1_pd(1));
  const __m512d once = _mm512_fmadd_pd(r, e, r);
  return (Lanes)_mm512_fmadd_pd(once, _mm512_mul_pd(e, e), once);
#else
  return 1 / a;
#endif
}

// The first `count` of eight numbers, at any address; the other lanes are 0 and their memory is not touched.
LINCHPIN_INLINE Lanes first_of(const double* p, int count) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_maskz_loadu_pd(__mmask8(count >= lanes ? 0xff : (1u << count) - 1), p);
#else
  Lanes a = {};
  for (int i = 0; i < lanes && i < count; ++i) a[i] = p[i];
  return a;
#endif
}
LINCHPIN_INLINE void put_first(double* p, int count, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  _mm512_mask_storeu_pd(p, __mmask8(count >= lanes ? 0xff : (1u << count) - 1), (__m512d)a);
#else
  for (int i = 0; i < lanes && i < count; ++i) p[i] = a[i];
#endif
}
// The lanes in `set`, and 0 in the others; chosen(): lanes of `yes` in `set`, of `no` in the others.
LINCHPIN_INLINE Lanes only(const double* p, unsigned set) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_maskz_load_pd(__mmask8(set), p);
#else
  Lanes a = at(p);
  for (int i = 0; i < lanes; ++i) a[i] = set >> i & 1 ? a[i] : 0;
  return a;
#endif
}
LINCHPIN_INLINE Lanes chosen(unsigned set, const Lanes& yes, const Lanes& no) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_mask_mov_pd((__m512d)no, __mmask8(set), (__m512d)yes);
#else
  Lanes a = no;
  for (int i = 0; i < lanes; ++i) a[i] = set >> i & 1 ? yes[i] : no[i];
  return a;
#endif
}
// Writes the lanes in `set` one after the other to p, and overwrites the rest of a whole register; returns the number
// of lanes in `set`.
LINCHPIN_INLINE int compress(double* p, const Lanes& a, unsigned set) {
#ifdef LINCHPIN_LEMKE_AVX512
  _mm512_storeu_pd(p, _mm512_maskz_compress_pd(__mmask8(set), (__m512d)a));
  return std::popcount(set);
#else
  int count = 0;
  for (; set != 0; set &= set - 1) p[count++] = a[std::countr_zero(set)];
  return count;
#endif
}

}  // namespace linchpin::lemke_detail

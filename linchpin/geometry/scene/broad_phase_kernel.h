// The inner steps of the broad phase, which have other code on machines with AVX-512. For kernel files and tests only:
// their code depends on the machine flags.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "linchpin/geometry/scene/broad_phase.h"
#include "linchpin/spatial/pack.h"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define LINCHPIN_COMPRESS 1
#endif

namespace linchpin {

// Writes first + l for each set bit l to `to`, in rising order, and returns their number. May overwrite up to 8
// elements.
LINCHPIN_INLINE std::size_t write_bits(unsigned bits, std::uint32_t first, std::uint32_t* to) {
#ifdef LINCHPIN_COMPRESS
  const __m256i all = _mm256_add_epi32(_mm256_set1_epi32(int(first)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi32(__mmask8(bits), all));
#else
  for (unsigned rest = bits; rest; rest &= rest - 1) *to++ = first + unsigned(std::countr_zero(rest));
#endif
  return std::size_t(std::popcount(bits));
}

// Writes the pair of `a` and others[l] for each set bit l to `to`, and returns their number. May overwrite up to 8
// elements.
LINCHPIN_INLINE std::size_t write_pairs(unsigned bits, std::uint32_t a, const std::uint32_t* others, BoxPair* to) {
#ifdef LINCHPIN_COMPRESS
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(others)), all_a = _mm256_set1_epi32(int(a));
  const __m512i low = _mm512_maskz_cvtepu32_epi64(0xff, _mm256_min_epu32(all_a, b));
  const __m512i high = _mm512_maskz_cvtepu32_epi64(0xff, _mm256_max_epu32(all_a, b));
  const __m512i pair = _mm512_or_si512(low, _mm512_maskz_slli_epi64(0xff, high, 32));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(__mmask8(bits), pair));
#else
  for (unsigned rest = bits; rest; rest &= rest - 1) {
    const std::uint32_t b = others[std::countr_zero(rest)];
    *to++ = {std::min(a, b), std::max(a, b)};
  }
#endif
  return std::size_t(std::popcount(bits));
}

// overlaps() without a branch, which would be mispredicted half of the time.
LINCHPIN_INLINE bool do_overlap(const Aabb& a, const Aabb& b) {
#ifdef LINCHPIN_COMPRESS
  static_assert(sizeof(Aabb) == 6 * sizeof(double));
  const __m512d of_a = _mm512_maskz_loadu_pd(0x3f, &a.lower.x), of_b = _mm512_maskz_loadu_pd(0x3f, &b.lower.x);
  const __m512d turned = _mm512_maskz_permutexvar_pd(0x3f, _mm512_setr_epi64(3, 4, 5, 0, 1, 2, 6, 7), of_b);
  return (_mm512_mask_cmp_pd_mask(0x07, of_a, turned, _CMP_LE_OQ) |
          _mm512_mask_cmp_pd_mask(0x38, of_a, turned, _CMP_GE_OQ)) == 0x3f;
#else
  return bool(int(a.lower.x <= b.upper.x) & int(b.lower.x <= a.upper.x) & int(a.lower.y <= b.upper.y) &
              int(b.lower.y <= a.upper.y) & int(a.lower.z <= b.upper.z) & int(b.lower.z <= a.upper.z));
#endif
}

}  // namespace linchpin

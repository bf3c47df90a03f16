// The overlap test of one box against eight. For kernel files only: its code depends on the machine flags.
#pragma once

#include "linchpin/geometry/shapes/box_pack.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {

// A bit mask: bit l is set if box l overlaps `box`.
LINCHPIN_INLINE unsigned overlap_bits(const BoxPack& pack, const Aabb& box) {
  const double lower[] = {box.lower.x, box.lower.y, box.lower.z}, upper[] = {box.upper.x, box.upper.y, box.upper.z};
#if defined(__AVX512F__)
  __mmask8 bits = 0xff;
  for (int axis = 0; axis < 3; ++axis) {
    bits = _mm512_mask_cmp_pd_mask(bits, _mm512_load_pd(pack.lower[axis]), _mm512_set1_pd(upper[axis]), _CMP_LE_OQ);
    bits = _mm512_mask_cmp_pd_mask(bits, _mm512_load_pd(pack.upper[axis]), _mm512_set1_pd(lower[axis]), _CMP_GE_OQ);
  }
  return bits;
#elif defined(__AVX__)
  unsigned bits = 0;
  for (int half = 0; half < 8; half += 4) {
    __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    for (int axis = 0; axis < 3; ++axis) {
      const __m256d below =
          _mm256_cmp_pd(_mm256_load_pd(pack.lower[axis] + half), _mm256_set1_pd(upper[axis]), _CMP_LE_OQ);
      const __m256d above =
          _mm256_cmp_pd(_mm256_load_pd(pack.upper[axis] + half), _mm256_set1_pd(lower[axis]), _CMP_GE_OQ);
      all = _mm256_and_pd(all, _mm256_and_pd(below, above));
    }
    bits |= unsigned(_mm256_movemask_pd(all)) << half;
  }
  return bits;
#else
  unsigned bits = 0;
  for (int lane = 0; lane < BoxPack::lanes; ++lane) {
    bool all = true;
    for (int axis = 0; axis < 3; ++axis)
      all = all & (pack.lower[axis][lane] <= upper[axis]) & (pack.upper[axis][lane] >= lower[axis]);
    bits |= unsigned(all) << lane;
  }
  return bits;
#endif
}

}  // namespace linchpin

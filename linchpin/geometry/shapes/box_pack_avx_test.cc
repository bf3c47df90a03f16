// The code of overlap_bits() for machines with AVX and without AVX-512. Only that function is compiled for AVX, so all
// other headers come first.
#include "linchpin/geometry/shapes/box_pack_testing.h"
#include "linchpin/spatial/scalar.h"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx")
#ifndef __AVX__
#define __AVX__ 1  // g++ before version 13 reads the whole file before it heeds the line above
#endif
#include "linchpin/geometry/shapes/box_pack_kernel.h"

namespace linchpin {
namespace {

unsigned overlap_bits_of_avx(const BoxPack& pack, const Aabb& box) { return overlap_bits(pack, box); }
#pragma GCC pop_options

TEST(BoxPack, OverlapsAsBoxesDoWithAvx) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "this processor has no AVX";
  expect_overlap_bits(overlap_bits_of_avx);
}

}  // namespace
}  // namespace linchpin
#endif

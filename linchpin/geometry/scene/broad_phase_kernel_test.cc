// The steps of the broad phase against plain loops. This file is compiled without machine flags, so it has the code for
// machines without AVX-512; broad_phase_test.cc runs that of this machine.
#include "linchpin/geometry/scene/broad_phase_kernel.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/box_pack_testing.h"

namespace linchpin {
namespace {

TEST(BroadPhaseKernel, WritesTheSetBitsInOrder) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t l = 0; l < 8; ++l)
      if (bits >> l & 1) expected.push_back(40 + l);
    std::array<std::uint32_t, 16> to{};
    ASSERT_EQ(write_bits(bits, 40, to.data()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(to[i], expected[i]) << "bits " << bits;
  }
}

TEST(BroadPhaseKernel, WritesPairsWithTheSmallerFirst) {
  const std::uint32_t others[8] = {70, 3, 51, 49, 0, 4000000000, 8, 99}, a = 50;
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::vector<BoxPair> expected;
    for (unsigned l = 0; l < 8; ++l)
      if (bits >> l & 1) expected.push_back(others[l] < a ? BoxPair{others[l], a} : BoxPair{a, others[l]});
    std::array<BoxPair, 16> to{};
    ASSERT_EQ(write_pairs(bits, a, others, to.data()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(to[i], expected[i]) << "bits " << bits;
  }
}

TEST(BroadPhaseKernel, OverlapsAsBoxesDo) {
  LatticeBoxes boxes(1);
  int yes = 0;
  for (int round = 0; round < 32000; ++round) {
    const Aabb box = boxes.next(), other = boxes.next();
    ASSERT_EQ(do_overlap(box, other), overlaps(box, other)) << round;
    yes += overlaps(box, other);
  }
  EXPECT_GT(yes, 2000);
}

}  // namespace
}  // namespace linchpin

// The steps of the broad phase against plain loops. This file is compiled without machine flags, so it has the code for
// machines without AVX-512; broad_phase_test.cc runs that of this machine.
#include "linchpin/geometry/scene/broad_phase_kernel.h"

#include <array>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/box_pack_kernel.h"
#include "linchpin/spatial/testing.h"

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

// Boxes on a lattice, so that many just touch; some are infinite, empty or NaN.
TEST(BroadPhaseKernel, OverlapsAsBoxesDo) {
  RandomSpatial random(1);
  const double special[] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  const auto number = [&] { return std::floor(random.even(4)); };
  const auto random_box = [&] {
    Aabb box{{number(), number(), number()}, {number(), number(), number()}};
    if (random.unit() < 0.9) box = {least(box.lower, box.upper), greatest(box.lower, box.upper)};
    if (random.unit() < 0.1) box.upper.y = special[int(3 * random.unit())];
    return box;
  };
  int yes = 0;
  for (int round = 0; round < 4000; ++round) {
    const Aabb box = random_box();
    BoxPack pack;
    Aabb boxes[BoxPack::lanes];
    for (int l = 0; l < BoxPack::lanes; ++l) {
      boxes[l] = random_box();
      set_box(pack, std::size_t(l), boxes[l]);
    }
    const unsigned bits = overlap_bits(pack, box);
    for (int l = 0; l < BoxPack::lanes; ++l) {
      const bool expected = overlaps(boxes[l], box);
      EXPECT_EQ(bool(bits >> l & 1), expected);
      EXPECT_EQ(do_overlap(boxes[l], box), expected);
      yes += expected;
    }
    EXPECT_EQ(bits >> BoxPack::lanes, 0u);
  }
  EXPECT_GT(yes, 2000);
}

}  // namespace
}  // namespace linchpin

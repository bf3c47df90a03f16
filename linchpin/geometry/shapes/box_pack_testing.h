// For tests: the overlap test of one box against eight, checked against a plain loop.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/box_pack.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {

// Boxes on a lattice, so that many just touch; some are infinite, empty or NaN.
class LatticeBoxes {
 public:
  explicit LatticeBoxes(std::uint64_t seed) : random_(seed) {}
  Aabb next() {
    Aabb box{{number(), number(), number()}, {number(), number(), number()}};
    if (random_.unit() < 0.9) box = {least(box.lower, box.upper), greatest(box.lower, box.upper)};
    const double special[] = {HUGE_VAL, -HUGE_VAL, std::nan("")};
    if (random_.unit() < 0.1) box.upper.y = special[int(3 * random_.unit())];
    return box;
  }

 private:
  double number() { return std::floor(random_.even(4)); }
  RandomSpatial random_;
};

inline void expect_overlap_bits(unsigned (*bits_of)(const BoxPack&, const Aabb&)) {
  LatticeBoxes boxes(1);
  int yes = 0;
  for (int round = 0; round < 4000; ++round) {
    const Aabb box = boxes.next();
    BoxPack pack;
    unsigned expected = 0;
    for (int l = 0; l < BoxPack::lanes; ++l) {
      const Aabb other = boxes.next();
      set_box(pack, std::size_t(l), other);
      expected |= unsigned(overlaps(other, box)) << l;
      yes += overlaps(other, box);
    }
    ASSERT_EQ(bits_of(pack, box), expected) << round;
  }
  EXPECT_GT(yes, 2000);
}

}  // namespace linchpin

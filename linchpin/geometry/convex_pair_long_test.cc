#include <gtest/gtest.h>

#include "linchpin/geometry/convex_testing.h"

namespace linchpin {
namespace {

// A million poses. The judge tries directions for one in two hundred, which is most of the time; while apart and for the
// points it is exact without.
TEST(ConvexPairLong, MillionsOfPosesAreSound) {
  RandomSpatial random(101);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) {
      convex_testing::expect_sound_pairs(random, i, j, 60);
      convex_testing::expect_sound_pairs(random, i, j, 10000, -1);
      convex_testing::expect_sound_degenerate_pairs(random, i, j, 60);
      convex_testing::expect_sound_degenerate_pairs(random, i, j, 10000, -1);
    }
}

}  // namespace
}  // namespace linchpin

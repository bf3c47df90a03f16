#include <gtest/gtest.h>

#include "linchpin/geometry/convex/convex_testing.h"

namespace linchpin {
namespace {

// A million poses, in four parts. The check of testing.h tries directions for one in 170, which takes most of the time.
// While the shapes are apart, and for the points, it is exact without.
class ConvexPairLong : public testing::TestWithParam<int> {};

TEST_P(ConvexPairLong, AQuarterOfAMillionPosesAreSound) {
  RandomSpatial random(std::uint64_t(100 + GetParam()));
  int unsound = 0;
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) {
      convex_testing::expect_sound_pairs(random, i, j, 15, 200, &unsound);
      convex_testing::expect_sound_pairs(random, i, j, 2500, -1, &unsound);
      convex_testing::expect_sound_degenerate_pairs(random, i, j, 15, 200, &unsound);
      convex_testing::expect_sound_degenerate_pairs(random, i, j, 2500, -1, &unsound);
    }
  EXPECT_EQ(unsound, 0);
  std::cout << unsound << " of a quarter of a million poses are not sound\n";
}
INSTANTIATE_TEST_SUITE_P(, ConvexPairLong, testing::Range(1, 5));

}  // namespace
}  // namespace linchpin

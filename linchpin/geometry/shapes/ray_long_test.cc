#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/ray_testing.h"

namespace linchpin {
namespace {

TEST(RayLong, AMillionRaysHitTheSurfaceAndNothingIsNearer) {
  RandomSpatial random(41);
  int hits = 0;
  for (int i = 0; i < 1000000 && !testing::Test::HasFailure(); ++i)
    hits += random_cast_is_right(random, i % bounded_kinds);
  EXPECT_GT(hits, 300000);
}

}  // namespace
}  // namespace linchpin

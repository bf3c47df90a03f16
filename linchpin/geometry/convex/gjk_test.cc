#include "linchpin/geometry/convex/gjk.h"

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/convex_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using convex_testing::pair_of;

// Two points and two segments: distances by hand.
TEST(Gjk, PointsAndSegments) {
  Simplex s;
  const Mat3<double> along_x{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  ASSERT_EQ(gjk(pair_of(Sphere{1}, Sphere{1}, {Mat3<double>::identity(), {3, 4, 0}}), infinity, 0, s), Gjk::apart);
  EXPECT_DOUBLE_EQ(norm(s.v), 5);
  // Crossed at a distance of 0.3, and end to end.
  ASSERT_EQ(gjk(pair_of(Capsule{1, 1}, Capsule{1, 1}, {along_x, {0.2, 0.3, 0.1}}), infinity, 0, s), Gjk::apart);
  EXPECT_NEAR(norm(s.v), 0.3, 1e-15);
  ASSERT_EQ(gjk(pair_of(Capsule{1, 1}, Capsule{1, 1}, {along_x, {4, 0, 5}}), infinity, 0, s), Gjk::apart);
  EXPECT_NEAR(norm(s.v), 5, 1e-14);
  EXPECT_EQ(gjk(pair_of(Capsule{1, 1}, Capsule{1, 1}, {along_x, {0, 0, 0}}), infinity, 0, s), Gjk::overlap);
}

// The duality of gjk.h (1): v is in A - B, with nonnegative weights of sum 1, and no point of A - B is lower along v.
TEST(Gjk, EndsWhereBothBoundsMeet) {
  RandomSpatial random(1);
  int apart = 0;
  for (int k = 0; k < 2000; ++k) {
    const Shape a = Box{{random.magnitude(0.01, 1), random.magnitude(0.01, 1), random.magnitude(0.01, 1)}};
    const Shape b = Box{{random.magnitude(0.01, 1), random.magnitude(0.01, 1), random.magnitude(0.01, 1)}};
    const CorePair pair = pair_of(a, b, random.pose(2));
    Simplex s;
    if (gjk(pair, infinity, 0, s) != Gjk::apart) continue;
    ++apart;
    double sum = 0;
    Vec3<double> v{0, 0, 0};
    for (int i = 0; i < s.count; ++i) {
      EXPECT_GE(s.weights[i], 0);
      sum += s.weights[i];
      v += s.weights[i] * s.points[i].w;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_LE(norm(v - s.v), 1e-14 * pair.size);
    const double length = norm(s.v);
    EXPECT_LE(length - dot(s.v, least_along(pair, s.v).w) / length, 1e-13 * pair.size);
  }
  EXPECT_GT(apart, 500);
}

TEST(Gjk, SaysFarOnlyWhenItIs) {
  RandomSpatial random(2);
  for (int k = 0; k < 2000; ++k) {
    const CorePair pair = pair_of(Box{{0.1, 0.2, 0.3}}, Cylinder{0.3, 0.2}, random.pose(1.5));
    Simplex s, t;
    const Gjk exact = gjk(pair, infinity, 0, s);
    const double distance = exact == Gjk::apart ? norm(s.v) : 0, far = random.unit();
    EXPECT_EQ(gjk(pair, far, 0, t) == Gjk::far, distance > far + 1e-12) << distance << " " << far;
  }
}

}  // namespace
}  // namespace linchpin

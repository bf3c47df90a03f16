#include "linchpin/geometry/convex/epa.h"

#include <gtest/gtest.h>

#include "linchpin/geometry/convex/convex_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using convex_testing::pair_of;

Direction deepest(const CorePair& pair) {
  Simplex simplex;
  EXPECT_EQ(gjk(pair, std::numeric_limits<double>::infinity(), 0, simplex), Gjk::overlap);
  Direction best;
  epa(pair, simplex, best);
  return best;
}

// Boxes with parallel axes: the best direction is along the axis with the smallest overlap.
TEST(Epa, ParallelBoxes) {
  RandomSpatial random(1);
  for (int k = 0; k < 1000; ++k) {
    const Vec3<double> a{random.magnitude(0.01, 1), random.magnitude(0.01, 1), random.magnitude(0.01, 1)};
    const Vec3<double> b{random.magnitude(0.01, 1), random.magnitude(0.01, 1), random.magnitude(0.01, 1)};
    const Vec3<double> p{random.even(a.x + b.x), random.even(a.y + b.y), random.even(a.z + b.z)};
    const double depth = std::min({a.x + b.x - std::abs(p.x), a.y + b.y - std::abs(p.y), a.z + b.z - std::abs(p.z)});
    const Direction d = deepest(pair_of(Box{a}, Box{b}, {Mat3<double>::identity(), p}));
    EXPECT_NEAR(d.s, -depth, 1e-14);
  }
}

// Cores without volume: a point on a point, crossed and parallel segments. They touch, so s = 0.
TEST(Epa, CoresWithoutVolumeTouch) {
  const Mat3<double> turned = rotation_about({1, 0, 0}, 1);
  EXPECT_EQ(deepest(pair_of(Sphere{1}, Sphere{1}, Transform<double>::identity())).s, 0);
  const Direction crossed = deepest(pair_of(Capsule{1, 1}, Capsule{1, 1}, {turned, {0, 0, 0}}));
  EXPECT_NEAR(crossed.s, 0, 1e-15);
  EXPECT_NEAR(std::abs(crossed.n.x), 1, 1e-15);
  const Direction same = deepest(pair_of(Capsule{1, 1}, Capsule{1, 1}, {Mat3<double>::identity(), {0, 0, 0.5}}));
  EXPECT_NEAR(same.s, 0, 1e-15);
  EXPECT_NEAR(same.n.z, 0, 1e-15);
}

TEST(Epa, EllipsoidsInEachOther) {
  for (const double depth : {1e-9, 1e-4, 0.1}) {
    const Direction d = deepest(
        pair_of(Ellipsoid{{0.5, 0.8, 0.9}}, Ellipsoid{{0.6, 0.9, 1}}, {Mat3<double>::identity(), {1.1 - depth, 0, 0}}));
    EXPECT_NEAR(d.s, -depth, 1e-14);
    EXPECT_NEAR(d.n.x, -1, 1e-14);
  }
}

}  // namespace
}  // namespace linchpin

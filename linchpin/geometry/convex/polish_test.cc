#include "linchpin/geometry/convex/polish.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/geometry/convex/convex_testing.h"

namespace linchpin {
namespace {

using convex_testing::pair_of;

// A wide cylinder over a small box off its axis, and a cone on its base likewise. The support function of the cap
// returns a point of the rim, which is not over the box. The cap's own axis is tried, so that the points meet.
TEST(Polish, FindsPointsWithinACap) {
  const Box box{{0.1, 0.2, 0.1}};
  const struct {
    Shape shape;
    double bottom;
  } cases[] = {{Cylinder{1, 0.5}, -0.5}, {Cone{1, 0.7}, -0.7}};
  for (const auto& [shape, bottom] : cases)
    for (const double gap : {1e-6, 1e-3, 0.1})
      for (const double tilt : {0.0, 1e-12, 1e-3}) {
        const CorePair pair = pair_of(shape, box, {Mat3<double>::identity(), {0.3, 0.2, bottom - box.half.z - gap}});
        const Vec3<double> n{std::sin(tilt), 0, std::cos(tilt)};
        const Difference w = least_along(pair, n);
        Direction best{};
        polish(pair, n, &w, 1, best);
        EXPECT_NEAR(best.s, gap, 1e-15) << "tilt " << tilt;
        EXPECT_NEAR(best.n.z, 1, 1e-15) << "tilt " << tilt;
        EXPECT_LE(best.miss, 1e-12) << "gap " << gap << ", tilt " << tilt;
      }
}

// Two ellipsoids apart, one above a point of the other's surface at a known gap along the normal n there: that is the
// distance. On the half of the sphere about n, s rises along every arc towards n, so that Newton's method arrives from
// any start there, if steps that overshoot are shortened; with axes up to 1:20 many do.
TEST(Polish, ArrivesFromHalfOfAllDirections) {
  RandomSpatial random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto radii = [&] {
      return Vec3<double>{random.magnitude(0.05, 1), random.magnitude(0.05, 1), random.magnitude(0.05, 1)};
    };
    const Ellipsoid a{radii()}, b{radii()};
    const Vec3<double> n = random.direction();
    Transform<double> X_AB{random.rotation(), {0, 0, 0}};
    const double gap = random.magnitude(1e-3, 1);
    X_AB.p = ellipsoid_point(a.radii, -n) - gap * n - X_AB.R * ellipsoid_point(b.radii, transpose_times(X_AB.R, n));
    const CorePair pair = pair_of(a, b, X_AB);
    Vec3<double> start = random.direction();
    if (dot(start, n) < 0) start = -start;
    const Difference w = least_along(pair, start);
    Direction best{};
    polish(pair, start, &w, 1, best);
    EXPECT_NEAR(best.s, gap, 1e-14) << i;
    EXPECT_LE(best.miss, 1e-12) << i;
  }
}

}  // namespace
}  // namespace linchpin

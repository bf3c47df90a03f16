#include "linchpin/geometry/convex/core.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/geometry/convex/convex_testing.h"

namespace linchpin {
namespace {

using convex_testing::kinds;
using convex_testing::random_convex;

// The core with its ball reaches as far as the shape along every direction, of any length. All pieces are within.
TEST(Core, ReachesAsFarAsItsShape) {
  RandomSpatial random(1);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape = random_convex(random, i % kinds);
    const Core core = core_of(shape);
    const Vec3<double> d = random.direction(), longer = random.magnitude(1e-3, 1e3) * d;
    const double reach = dot(d, geometry_testing::support_point(shape, d));
    const PiecePoint far = farthest(core, longer);
    EXPECT_NEAR(dot(d, far.x) + core.ball, reach, 1e-14) << i % kinds;
    EXPECT_LE(distance(along(core, far.piece, longer).x, far.x), 1e-14) << i % kinds;
    EXPECT_LE(dot(d, core.centre) + core.ball, reach + 1e-14) << i % kinds;
    EXPECT_LE(norm(far.x), core.extent * (1 + 1e-15)) << i % kinds;
  }
  const Vec3<double> corners[] = {{1, 0, 0.5}, {-1, 2, 0}, {0, -1, -3}};
  const Core triangle = core_of_triangle(corners);
  for (int i = 0; i < 200; ++i) {
    const Vec3<double> d = random.direction();
    const PiecePoint far = farthest(triangle, d);
    EXPECT_EQ(dot(d, far.x), std::max({dot(d, corners[0]), dot(d, corners[1]), dot(d, corners[2])}));
    EXPECT_EQ(distance(far.x, corners[far.piece]), 0);
    EXPECT_EQ(distance(along(triangle, far.piece, d).x, far.x), 0);
  }
}

// The Hessian of a support function (4) is the derivative of its farthest point, here by central differences. Along d
// itself the point does not change.
TEST(Core, HessiansAreDerivativesOfTheFarthestPoint) {
  RandomSpatial random(2);
  const double step = 1e-5;
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 1400; ++i) {
    const Shape shape = random_convex(random, i % kinds);
    const Core core = core_of(shape);
    Vec3<double> d = random.direction();
    while (std::hypot(d.x, d.y) < 0.2) d = random.direction();  // rims bend sharply about their axis
    d = random.magnitude(0.5, 2) * d;
    const int piece = farthest(core, d).piece;
    const Sym3<double> hessian = along(core, piece, d).hessian;
    for (const Vec3<double>& e : axes) {
      const Vec3<double> slope =
          (0.5 / step) * (along(core, piece, d + step * e).x - along(core, piece, d - step * e).x);
      // Third derivatives are below 1 / 0.1^3 for rims and 10^3 for ellipsoids of radii within a factor of ten, times
      // step^2 / 6; cancellation is eps / step.
      EXPECT_LE(distance(hessian * e, slope), 1e-6) << i % kinds;
    }
    EXPECT_LE(norm(hessian * d), 1e-13) << i % kinds;
  }
}

}  // namespace
}  // namespace linchpin

#include "linchpin/geometry/pairs/tangents.h"

#include <gtest/gtest.h>

#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// u, v and n are a right-handed orthonormal basis, to the few roundings of each component, wherever n points: also
// almost along -z, where the reflection that maps z to n would divide by almost zero.
TEST(Tangents, AreOrthonormal) {
  RandomSpatial random(1);
  for (int i = 0; i < 3000; ++i) {
    Vec3<double> n = random.direction();
    if (i % 3) {
      const double off = random.magnitude(1e-18, 1e-2);
      n = {off * n.x, off * n.y, i % 3 == 1 ? 1.0 : -1.0};
      n = (1 / norm(n)) * n;
    }
    Vec3<double> u, v;
    tangents(n, u, v);
    ASSERT_NEAR(norm(u), 1, 1e-15) << i;
    ASSERT_NEAR(norm(v), 1, 1e-15) << i;
    ASSERT_LT(norm(cross(u, v) - n), 1e-15) << i;
  }
  Vec3<double> u, v;
  tangents(Vec3<double>{0, 0, 1}, u, v);
  EXPECT_EQ(norm(u - Vec3<double>{1, 0, 0}), 0);
  EXPECT_EQ(norm(v - Vec3<double>{0, 1, 0}), 0);
}

}  // namespace
}  // namespace linchpin

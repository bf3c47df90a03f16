#include "linchpin/geometry/convex/features.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/hull.h"

namespace linchpin {
namespace {

// A ridge that ends in a hip, like a roof: the ridge from 0 to 1 is level, between faces that slope by 22 degrees, and
// the hip below 0 slopes by 11 degrees only. What lies on the ridge touches both of its ends, so the face that stands
// for the touch must be one beside the ridge, though the hip is closer to level.
TEST(Features, AFaceHoldsAllPointsThatMeet) {
  const std::vector<Vec3<double>> points = {{0, 0, 0}, {1, 0, 0}, {-1, 0.5, -0.2}, {-1, -0.5, -0.2}, {0, 0, -2}};
  const ConvexHull shape{std::make_shared<Hull>(convex_hull(points).value())};
  ASSERT_EQ(shape.hull->vertices.size(), points.size());
  for (const bool turned : {false, true}) {
    const int ends[] = {turned, !turned};
    Outline out;
    outline_towards(core_of(shape), {0, 0, 1}, ends, 2, out);
    ASSERT_EQ(out.count, 3);
    for (const int end : ends) EXPECT_EQ(std::count(out.vertex, out.vertex + 3, end), 1) << "turned " << turned;
  }
  // A point alone belongs to the hip.
  const int corner = 0;
  Outline out;
  outline_towards(core_of(shape), {0, 0, 1}, &corner, 1, out);
  EXPECT_NEAR(out.normal.x, -0.2 / std::hypot(1, 0.2), 1e-15);
}

}  // namespace
}  // namespace linchpin

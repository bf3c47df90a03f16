#include "linchpin/geometry/shapes/shape_check.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

Shape compound(std::vector<PlacedShape> parts) {
  return Compound{std::make_shared<const std::vector<PlacedShape>>(std::move(parts))};
}
Shape triangle() {
  const std::vector<Vec3<double>> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  return ConvexHull{std::make_shared<const Hull>(convex_hull(points).value())};
}

TEST(ShapeCheck, GoodOnesHaveNoFault) {
  const Shape good[] = {Sphere{1},           Capsule{1, 0},        Box{{1, 2, 3}},
                        Cylinder{1e-3, 1e3}, Ellipsoid{{1, 2, 3}}, Cone{1, 2},
                        HalfSpace{},         triangle(),           compound({{Sphere{1}, RandomSpatial(1).pose()}})};
  for (const Shape& shape : good) EXPECT_EQ(fault_of(shape), "") << kind_name(shape);
}

TEST(ShapeCheck, NamesTheNumber) {
  const std::pair<Shape, std::string> cases[] = {
      {Sphere{0}, "sphere radius is 0 m; it must be positive and finite"},
      {Sphere{nan}, "sphere radius is nan m; it must be positive and finite"},
      {Capsule{-1, 1}, "capsule radius is -1 m; it must be positive and finite"},
      {Capsule{1, -1}, "capsule half length is -1 m; it must be finite and at least 0"},
      {Box{{1, 0, 1}}, "box half extent is 0 m; it must be positive and finite"},
      {Cylinder{1, inf}, "cylinder half length is inf m; it must be positive and finite"},
      {Ellipsoid{{1, 1, -2}}, "ellipsoid radius is -2 m; it must be positive and finite"},
      {Cone{0, 1}, "cone radius is 0 m; it must be positive and finite"},
      {Cone{1, 0}, "cone half length is 0 m; it must be positive and finite"},
      {ConvexHull{}, "convex hull without data (convex_hull() makes it)"},
      {Mesh{}, "mesh without data (make_mesh() makes it)"},
      {HeightField{}, "height field without data (make_height_grid() makes it)"},
      {Compound{}, "compound without parts"},
      {compound({}), "compound without parts"},
      {compound({{Sphere{1}}, {Sphere{-1}}}), "part 1: sphere radius is -1 m; it must be positive and finite"},
      {compound({{compound({{Sphere{1}}})}}),
       "part 0: a compound cannot be part of a compound; list its parts here instead"},
      {compound({{Sphere{1}, {Mat3<double>::identity(), {0, nan, 0}}}}), "part 0: position (0, nan, 0) is not finite"}};
  for (const auto& [shape, words] : cases) EXPECT_EQ(fault_of(shape), words);
}

TEST(ShapeCheck, Poses) {
  RandomSpatial random(2);
  EXPECT_EQ(fault_of(random.pose()), "");
  Transform<double> X = random.pose();
  X.R.x = 1.1 * X.R.x;
  EXPECT_NE(fault_of(X).find("not orthonormal: off by 0.21"), std::string::npos) << fault_of(X);
  X = Transform<double>::identity();
  X.R.z = -X.R.z;
  EXPECT_EQ(fault_of(X), "rotation is a reflection (determinant -1)");
  X.R.y.x = nan;
  EXPECT_EQ(fault_of(X), "rotation is not finite");
}

TEST(ShapeCheck, KindNamesFollowTheVariant) {
  EXPECT_STREQ(kind_name(Sphere{1}), "sphere");
  EXPECT_STREQ(kind_name(HalfSpace{}), "half-space");
  EXPECT_STREQ(kind_name(Compound{}), "compound");
}

}  // namespace
}  // namespace linchpin

#include "linchpin/geometry/shapes/bounds.h"

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {
namespace {

using geometry_testing::random_quarter_turns;
using geometry_testing::support_value;

// The largest entry of the difference, relative to the size and position of the box, as rounding errors are.
double difference(const Aabb& a, const Aabb& b) {
  const double size = largest({norm(b.upper - b.lower), norm(b.lower), norm(b.upper)});
  return larger(distance(a.lower, b.lower), distance(a.upper, b.upper)) / size;
}

TEST(Aabb, MergesOverlapsAndInflates) {
  const Aabb a{{0, 0, 0}, {1, 2, 3}}, b{{1, -1, 3}, {4, 0, 5}}, c{{1.5, 0, 0}, {2, 1, 1}};
  EXPECT_TRUE(overlaps(a, b));  // closed: one corner in common
  EXPECT_TRUE(overlaps(b, a));
  EXPECT_FALSE(overlaps(a, c));
  EXPECT_TRUE(overlaps(inflated(a, 0.25), inflated(c, 0.25)));
  EXPECT_FALSE(overlaps(inflated(a, 0.25), inflated(c, 0.2)));
  EXPECT_EQ(distance_squared(a, c), 0.25);
  EXPECT_EQ(distance_squared(a, b), 0);
  const Aabb all = merge(a, b);
  EXPECT_EQ(difference(all, {{0, -1, 0}, {4, 2, 5}}), 0);
  EXPECT_EQ(difference(merge(Aabb::none(), a), a), 0);
  EXPECT_TRUE(holds_points(Aabb::everything()) && !holds_points(Aabb::none()));
  EXPECT_TRUE(is_finite(a) && !is_finite(Aabb::everything()));
  EXPECT_FALSE(holds_points({{0, 0, 0}, {1, std::nan(""), 1}}));
  EXPECT_TRUE(contains(a, {1, 2, 0}) && !contains(a, {1, 2.1, 0}));
}

// A box holds the points of all its sides, and none beyond any of them.
TEST(Aabb, HoldsItsSides) {
  const Aabb a{{-1, 2, 5}, {1, 3, 9}};
  const Vec3<double> middle = centre(a);
  EXPECT_EQ(distance(middle, {0, 2.5, 7}), 0);
  for (double Vec3<double>::*const axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z})
    for (const auto& [side, out] : {std::pair{a.lower, -1}, std::pair{a.upper, 1}}) {
      Vec3<double> p = middle;
      p.*axis = side.*axis;
      EXPECT_TRUE(contains(a, p));
      p.*axis += 1e-12 * out;
      EXPECT_FALSE(contains(a, p));
    }
  EXPECT_FALSE(contains(a, {std::nan(""), 2.5, 7}));
  EXPECT_FALSE(contains(a, {0, std::nan(""), 7}));
  EXPECT_FALSE(contains(a, {0, 2.5, std::nan("")}));
}

// Boxes that share a point of a side touch; beyond it they do not, along each axis and either way. The distance is that
// of the nearest points.
TEST(Aabb, TouchAlongEachAxis) {
  const Aabb a{{0, 0, 0}, {1, 2, 3}};
  for (const Vec3<double>& way : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 2, 0}, Vec3<double>{0, 0, 3}})
    for (const double sign : {1.0, -1.0}) {
      const auto moved = [&](double by) { return Aabb{a.lower + by * sign * way, a.upper + by * sign * way}; };
      EXPECT_TRUE(overlaps(a, moved(1)));
      EXPECT_EQ(distance_squared(a, moved(1)), 0);
      EXPECT_FALSE(overlaps(a, moved(1.25)));
      EXPECT_EQ(distance_squared(a, moved(1.25)), dot(way, way) / 16);
      EXPECT_EQ(distance_squared(moved(1.25), a), dot(way, way) / 16);
    }
  EXPECT_EQ(distance_squared(a, {{3, 5, 9}, {4, 6, 10}}), 4 + 9 + 36);
}

TEST(Bounds, ReachAsFarAsTheShapeAndNoFarther) {
  RandomSpatial random(1);
  for (int i = 0; i < 3000; ++i) {
    const Shape shape = random_shape(random, i % bounded_kinds, 1e-3, 1e3);
    Transform<double> X = random.pose(10);
    if (i % 3 == 0) X.R = random_quarter_turns(random);
    const auto up = [&](const Vec3<double>& e) { return support_value(shape, X, e); };
    const Aabb expected{{-up({-1, 0, 0}), -up({0, -1, 0}), -up({0, 0, -1})},
                        {up({1, 0, 0}), up({0, 1, 0}), up({0, 0, 1})}};
    EXPECT_LE(difference(bounds(shape, X), expected), 1e-15) << "kind " << i % bounded_kinds;  // some roundings
  }
}

TEST(Bounds, OfACompoundHoldThoseOfItsParts) {
  RandomSpatial random(2);
  for (int i = 0; i < 100; ++i) {
    const std::vector<PlacedShape> parts = random_parts(random, 4, i, 0.1);
    const Transform<double> X = random.pose(3);
    Aabb expected = Aabb::none();
    for (const PlacedShape& part : parts) expected = merge(expected, bounds(part.shape, X * part.X_SP));
    const Shape compound = Compound{std::make_shared<const std::vector<PlacedShape>>(parts)};
    EXPECT_LE(difference(bounds(compound, X), expected), 1e-15);
  }
}

TEST(Bounds, HalfSpacesAreBoundedOnlyAlongTheirNormal) {
  Transform<double> X = Transform<double>::identity();
  X.p = {1, 2, 3};
  const Aabb up = bounds(HalfSpace{}, X);
  EXPECT_EQ(up.upper.z, 3);
  EXPECT_TRUE(up.lower.z == -infinity && up.lower.x == -infinity && up.upper.y == infinity);
  X.R = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};  // its normal is -x
  const Aabb left = bounds(HalfSpace{}, X);
  EXPECT_EQ(left.lower.x, 1);
  EXPECT_TRUE(left.upper.x == infinity && left.upper.z == infinity && left.lower.z == -infinity);
  X.R = rotation_about({1, 0, 0}, 1e-3);
  const Aabb tilted = bounds(HalfSpace{}, X);
  EXPECT_EQ(tilted.upper.z, infinity);
  EXPECT_EQ(tilted.upper.y, infinity);
}

TEST(Bounds, OfTurnedBoxesAreThoseOfTheirCorners) {
  RandomSpatial random(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3<double> a = random.vector(2), b = random.vector(2);
    const Aabb box{least(a, b), greatest(a, b)};
    const Transform<double> X = random.pose();
    Aabb expected = Aabb::none();
    for (int k = 0; k < 8; ++k)
      expected = merge(expected, X * Vec3<double>{k & 1 ? a.x : b.x, k & 2 ? a.y : b.y, k & 4 ? a.z : b.z});
    EXPECT_LE(difference(turned(box, X), expected), 1e-15);
  }
}

TEST(Bounds, OfAPoseThatIsNoneHoldNothing) {
  RandomSpatial random(4);
  for (int kind = 0; kind <= bounded_kinds + 1; ++kind) {
    const Shape inner = kind < bounded_kinds ? random_shape(random, kind, 0.1, 1) : Shape(HalfSpace{});
    const Shape shape = kind <= bounded_kinds
                            ? inner
                            : Compound{std::make_shared<const std::vector<PlacedShape>>(1, PlacedShape{inner})};
    Transform<double> X = random.pose();
    X.p.y = std::nan("");
    EXPECT_FALSE(holds_points(bounds(shape, X))) << kind;
    X = random.pose();
    X.R.z.x = std::nan("");
    // a sphere does not depend on its orientation
    if (kind != 0) {
      EXPECT_FALSE(holds_points(bounds(shape, X))) << kind;
    }
  }
}

}  // namespace
}  // namespace linchpin

#include <gtest/gtest.h>

#include "linchpin/geometry/pairs/pairs_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;  // NOLINT: for the helpers of testing.h

constexpr int half_space_poses = 3000;
const auto ground = [](RandomSpatial&) { return HalfSpace{}; };

ConvexHull random_hull(RandomSpatial& random) {
  std::vector<Vector> points;
  const int count = 4 + static_cast<int>(random.unit() * (random.unit() < 0.9 ? 30 : 200));
  const bool flat = random.unit() < 0.1, ball = random.unit() < 0.5;
  for (int i = 0; i < count; ++i) {
    Vector p = ball ? random.direction() : random.vector();
    if (flat) p.z = 0;
    points.push_back(p);
  }
  return {std::make_shared<const Hull>(convex_hull(points).value())};
}

TEST(HalfSpacePairs, SoundEverywhere) {
  expect_sound_everywhere<Sphere, HalfSpace>(sphere_half_space, 1, half_space_poses, random_sphere, ground);
  expect_sound_everywhere<Capsule, HalfSpace>(capsule_half_space, 2, half_space_poses, random_capsule, ground);
  expect_sound_everywhere<Box, HalfSpace>(box_half_space, 3, half_space_poses, random_box, ground);
  expect_sound_everywhere<Cylinder, HalfSpace>(cylinder_half_space, 4, half_space_poses, random_cylinder, ground);
  expect_sound_everywhere<Cone, HalfSpace>(cone_half_space, 5, half_space_poses, random_cone, ground);
  expect_sound_everywhere<Ellipsoid, HalfSpace>(ellipsoid_half_space, 6, half_space_poses, random_ellipsoid, ground);
  expect_sound_everywhere<ConvexHull, HalfSpace>(hull_half_space, 7, half_space_poses / 10, random_hull, ground);
}

Pose standing(double height, const Mat3<double>& R = Mat3<double>::identity()) { return {R, {0.3, -0.2, height}}; }
const Mat3<double> on_its_side{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};  // z along x

TEST(HalfSpacePairs, CountsOfPoints) {
  const Pose home = Pose::identity();
  Manifold m;
  ASSERT_TRUE(capsule_half_space({0.1, 1}, standing(0.099, on_its_side), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 2);
  ASSERT_TRUE(box_half_space({{1, 2, 3}}, standing(2.999), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 4);
  ASSERT_TRUE(cylinder_half_space({1, 0.5}, standing(0.5), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 4);
  ASSERT_TRUE(cylinder_half_space({1, 0.5}, standing(1, on_its_side), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 2);
  ASSERT_TRUE(cone_half_space({1, 0.5}, standing(0.5), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 4);
  const double slope = std::atan2(1, 1);  // of its side: radius 1, height 1
  ASSERT_TRUE(cone_half_space(
      {1, 0.5}, standing(0.5 * std::sin(slope), rotation_about({0, 1, 0}, slope + std::acos(0))), {}, home, 0.01, m));
  EXPECT_EQ(m.count, 2);
  EXPECT_FALSE(box_half_space({{1, 2, 3}}, standing(3.011), {}, home, 0.01, m));
}

// True if (x, y) is within the hull of the manifold's points, projected onto the plane: no line through it has all of
// them on one side. The lines tried are those through each of the points.
bool supports(const Manifold& m, double x, double y) {
  for (int i = 0; i < m.count; ++i) {
    const double ux = m.points[i].p.x - x, uy = m.points[i].p.y - y;
    bool left = false, right = false, behind = false;
    for (int j = 0; j < m.count; ++j) {
      const double vx = m.points[j].p.x - x, vy = m.points[j].p.y - y, side = ux * vy - uy * vx;
      left |= side >= 0, right |= side <= 0, behind |= ux * vx + uy * vy <= 0;
    }
    if (!(left && right && behind)) return false;
  }
  return m.count > 0;
}

// A shape that stands flat, or is slightly tilted with gaps within the margin, has its centre over the hull of its
// points.
TEST(HalfSpacePairs, RestingBodiesAreSupported) {
  RandomSpatial random(11);
  const Pose home = Pose::identity();
  for (int i = 0; i < 2000; ++i) {
    const Mat3<double> tilted = rotation_about(unit({random.even(), random.even(), 0}), random.magnitude(1e-17, 1e-3)) *
                                rotation_about({0, 0, 1}, random.even(3));
    Manifold m;
    const double r = 0.1 + random.unit(), h = 0.1 + random.unit(), margin = 0.01;
    ASSERT_TRUE(box_half_space({{r, 0.7, h}}, standing(h, tilted), {}, home, margin, m));
    ASSERT_TRUE(supports(m, 0.3, -0.2)) << i;
    ASSERT_TRUE(cylinder_half_space({r, h}, standing(h, tilted), {}, home, margin, m));
    ASSERT_TRUE(supports(m, 0.3, -0.2)) << i;
    ASSERT_TRUE(cone_half_space({r, h}, standing(h, tilted), {}, home, margin, m));
    ASSERT_TRUE(supports(m, 0.3, -0.2)) << i;
    const int corners = 3 + static_cast<int>(40 * random.unit());  // a prism that widens upwards
    std::vector<Vector> points;
    for (int k = 0; k < corners; ++k) {
      const double t = 2 * std::numbers::pi * k / corners;
      points.push_back({r * std::cos(t), r * std::sin(t), -h});
      points.push_back({3 * r * std::cos(t), 3 * r * std::sin(t), h});
    }
    const ConvexHull hull{std::make_shared<const Hull>(convex_hull(points).value())};
    ASSERT_TRUE(hull_half_space(hull, standing(h, tilted), {}, home, margin, m));
    ASSERT_TRUE(supports(m, 0.3, -0.2)) << i;
    // Also if the whole shape is within the margin, most of it far outside of its base.
    ASSERT_TRUE(hull_half_space(hull, standing(h, tilted), {}, home, no_margin, m));
    int low = 0;
    Manifold bottom = m;
    for (int k = 0; k < m.count; ++k)
      if (m.points[k].gap < 0.01) bottom.points[low++] = m.points[k];
    bottom.count = low;
    ASSERT_TRUE(supports(bottom, 0.3, -0.2)) << i << " " << low;
  }
}

// The upper 16 bits of a feature number what touches of A (manifold.h), for a hull its vertex; the plane has no parts.
TEST(HalfSpacePairs, FeaturesNumberTheVerticesOfAHull) {
  RandomSpatial random(12);
  for (int i = 0; i < 200; ++i) {
    std::vector<Vector> points;
    for (int k = 0; k < 20; ++k) points.push_back(random.direction());
    const ConvexHull hull{std::make_shared<const Hull>(convex_hull(points).value())};
    const Pose X_WA = random.pose(), X_WB = random.pose();
    Manifold m;
    ASSERT_TRUE(hull_half_space(hull, X_WA, {}, X_WB, no_margin, m));
    for (int k = 0; k < m.count; ++k) {
      const std::uint32_t vertex = m.points[k].feature >> 16;
      ASSERT_LT(vertex, hull.hull->vertices.size());
      EXPECT_LE(norm(on_a(m, m.points[k]) - X_WA * hull.hull->vertices[vertex]), 1e-14);
      EXPECT_EQ(m.points[k].feature & 0xffff, 0u);
    }
  }
}

TEST(HalfSpacePairs, UprightRimStaysPut) {
  Manifold first, second;
  const Pose home = Pose::identity();
  ASSERT_TRUE(cylinder_half_space({1, 0.5}, standing(0.5, rotation_about({1, 0, 0}, 1e-15)), {}, home, 0.01, first));
  ASSERT_TRUE(cylinder_half_space({1, 0.5}, standing(0.5, rotation_about({0, 1, 0}, -2e-15)), {}, home, 0.01, second));
  for (int i = 0; i < 4; ++i) EXPECT_LE(norm(first.points[i].p - second.points[i].p), 1e-14);
}

TEST(HalfSpacePairs, NotANumber) {
  expect_nothing_for_nan<Sphere, HalfSpace>(sphere_half_space, {1}, {});
  expect_nothing_for_nan<Capsule, HalfSpace>(capsule_half_space, {1, 1}, {});
  expect_nothing_for_nan<Box, HalfSpace>(box_half_space, {{1, 1, 1}}, {});
  expect_nothing_for_nan<Cylinder, HalfSpace>(cylinder_half_space, {1, 1}, {});
  expect_nothing_for_nan<Cone, HalfSpace>(cone_half_space, {1, 1}, {});
  expect_nothing_for_nan<Ellipsoid, HalfSpace>(ellipsoid_half_space, {{1, 1, 1}}, {});
}

}  // namespace
}  // namespace linchpin

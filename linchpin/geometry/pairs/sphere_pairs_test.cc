#include <gtest/gtest.h>

#include "linchpin/geometry/pairs/pairs_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;  // NOLINT: for the helpers of testing.h

constexpr int sphere_poses = 3000;

TEST(SpherePairs, SoundEverywhere) {
  expect_sound_everywhere<Sphere, Sphere>(sphere_sphere, 1, sphere_poses, random_sphere, random_sphere);
  expect_sound_everywhere<Sphere, Capsule>(sphere_capsule, 2, sphere_poses, random_sphere, random_capsule);
  expect_sound_everywhere<Sphere, Box>(sphere_box, 3, sphere_poses, random_sphere, random_box);
  expect_sound_everywhere<Sphere, Cylinder>(sphere_cylinder, 4, sphere_poses, random_sphere, random_cylinder);
  expect_sound_everywhere<Sphere, Cone>(sphere_cone, 5, sphere_poses, random_sphere, random_cone);
  expect_sound_everywhere<Sphere, Ellipsoid>(sphere_ellipsoid, 6, sphere_poses, random_sphere, random_ellipsoid);
}

TEST(SpherePairs, ClosedForms) {
  const Pose home = Pose::identity();
  Pose X = home;
  X.p = {3, 4, 0};
  const Manifold spheres = manifold_of<Sphere, Sphere>(sphere_sphere, {1}, X, {2}, home);
  EXPECT_DOUBLE_EQ(spheres.distance, 2);
  EXPECT_LE(norm(spheres.points[0].p - Vector{1.8, 2.4, 0}), 1e-15);
  X.p = {1, 2.5, 3};  // over the edge of a box, 2 and 1.5 off
  EXPECT_DOUBLE_EQ((manifold_of<Sphere, Box>(sphere_box, {0.5}, X, {{2, 0.5, 1.5}}, home).distance), 2.0);
  X.p = {1, 0, 0.25};  // inside, 0.5 from a face
  const Manifold inside = manifold_of<Sphere, Box>(sphere_box, {0.1}, X, {{2, 2, 0.75}}, home);
  EXPECT_DOUBLE_EQ(inside.distance, -0.6);
  EXPECT_EQ(inside.normal.z, 1);
  X.p = {0, 3, -5};  // beside the rim of a cylinder, 2 and 3 off
  EXPECT_DOUBLE_EQ((manifold_of<Sphere, Cylinder>(sphere_cylinder, {1}, X, {1, 2}, home).distance),
                   std::sqrt(13.0) - 1);
  X.p = {0, 0, 7};  // over the apex
  EXPECT_DOUBLE_EQ((manifold_of<Sphere, Cone>(sphere_cone, {1}, X, {1, 2}, home).distance), 4);
  X.p = {0, 0, 9};  // over the end of a needle
  EXPECT_DOUBLE_EQ((manifold_of<Sphere, Ellipsoid>(sphere_ellipsoid, {1}, X, {{1e-3, 2e-3, 1}}, home).distance), 7);
}

// A point e q + h n beyond the surface point e q of an ellipsoid is h away from it; inside likewise, up to the
// curvature's centre.
TEST(SpherePairs, EllipsoidAgainstItsNormals) {
  RandomSpatial random(7);
  for (int i = 0; i < 5000; ++i) {
    const Ellipsoid e{{random.magnitude(1e-3, 1), random.magnitude(1e-3, 1), random.magnitude(1e-3, 1)}};
    const Vector q = random.direction();
    const Vector on{e.radii.x * q.x, e.radii.y * q.y, e.radii.z * q.z};
    const Vector n = unit({q.x / e.radii.x, q.y / e.radii.y, q.z / e.radii.z});
    const double least = std::min({e.radii.x, e.radii.y, e.radii.z}),
                 most = std::max({e.radii.x, e.radii.y, e.radii.z});
    const double sharpest = least * least / most;  // the least radius of curvature anywhere
    const double h = random.unit() < 0.5 ? random.magnitude(1e-12, 10) : -random.unit() * sharpest;
    Pose X = Pose::identity();
    X.p = fma(h, n, on);
    const Manifold m = manifold_of<Sphere, Ellipsoid>(sphere_ellipsoid, {0.1}, X, e, Pose::identity());
    ASSERT_NEAR(m.distance, h - 0.1, 1e-14 + 1e-15 * std::abs(h)) << i;
    ASSERT_LE(norm(on_b(m, m.points[0]) - on), 1e-11) << i;
  }
}

// Centres in the planes of symmetry, on the axes and in the centre of an ellipsoid: no sampled direction is better.
TEST(SpherePairs, EllipsoidFromItsMiddle) {
  const Vector radii[] = {{1, 1, 1},       {1, 1, 2},       {2, 1, 1},    {1e-3, 1, 1},
                          {1e-3, 1e-3, 1}, {1, 1e-3, 1e-3}, {1, 2, 1e-3}, {0.3, 0.2, 0.1}};
  for (const Vector& r : radii) {
    for (const double x : {0.0, 1e-300, 1e-25, 1e-15, 1e-6, 0.2})
      for (const double y : {0.0, -1e-18, 1e-10, 0.5})
        for (const double z : {0.0, 1e-18, -1e-12, 1e-4, 0.9}) {
          Pose X = Pose::identity();
          X.p = {x * r.x, y * r.y, z * r.z};
          const Ellipsoid e{r};
          const Manifold m = manifold_of<Sphere, Ellipsoid>(sphere_ellipsoid, {0.01}, X, e, Pose::identity());
          ASSERT_TRUE(sound(Sphere{0.01}, X, e, Pose::identity(), no_margin, m)) << x << " " << y << " " << z;
        }
  }
}

TEST(SpherePairs, NotANumber) {
  expect_nothing_for_nan<Sphere, Sphere>(sphere_sphere, {1}, {1});
  expect_nothing_for_nan<Sphere, Capsule>(sphere_capsule, {1}, {1, 1});
  expect_nothing_for_nan<Sphere, Box>(sphere_box, {1}, {{1, 1, 1}});
  expect_nothing_for_nan<Sphere, Cylinder>(sphere_cylinder, {1}, {1, 1});
  expect_nothing_for_nan<Sphere, Cone>(sphere_cone, {1}, {1, 1});
  expect_nothing_for_nan<Sphere, Ellipsoid>(sphere_ellipsoid, {1}, {{1, 2, 3}});
}

}  // namespace
}  // namespace linchpin

// The closed forms over half a million poses each.
#include <gtest/gtest.h>

#include "linchpin/geometry/pairs/pairs_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;  // NOLINT: for the helpers of testing.h

constexpr int times = 500000;

// Only the directions of features are tried: all that two boxes need, and enough to detect a wrong feature elsewhere.
TEST(PairsLong, BoxBox) { expect_sound_everywhere<Box, Box>(box_box, 101, times, random_box, random_box, {}, 0); }

TEST(PairsLong, Needles) {
  expect_sound_everywhere<Box, Box>(box_box, 102, times, random_needle, random_needle, {}, 0);
}

TEST(PairsLong, Capsules) {
  expect_sound_everywhere<Capsule, Capsule>(capsule_capsule, 103, times, random_capsule, random_capsule, {}, 0);
  expect_sound_everywhere<Capsule, Box>(capsule_box, 104, times, random_capsule, random_box, {}, 0);
}

TEST(PairsLong, Spheres) {
  expect_sound_everywhere<Sphere, Box>(sphere_box, 105, times, random_sphere, random_box, {}, 0);
  expect_sound_everywhere<Sphere, Cone>(sphere_cone, 106, times, random_sphere, random_cone, {}, 0);
  expect_sound_everywhere<Sphere, Cylinder>(sphere_cylinder, 107, times, random_sphere, random_cylinder, {}, 0);
  expect_sound_everywhere<Sphere, Ellipsoid>(sphere_ellipsoid, 108, times, random_sphere, random_ellipsoid, {}, 0);
}

}  // namespace
}  // namespace linchpin

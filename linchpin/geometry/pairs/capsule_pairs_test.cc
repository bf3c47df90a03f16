#include <gtest/gtest.h>

#include "linchpin/geometry/pairs/pairs_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;  // NOLINT: for the helpers of testing.h

constexpr int capsule_poses = 20000;

TEST(CapsulePairs, SoundEverywhere) {
  expect_sound_everywhere<Capsule, Capsule>(capsule_capsule, 1, capsule_poses, random_capsule, random_capsule, {}, 0);
  expect_sound_everywhere<Capsule, Box>(capsule_box, 2, capsule_poses, random_capsule, random_box, {}, 0);
}

// Almost no thickness: the axes decide.
TEST(CapsulePairs, SoundWhenThin) {
  const auto thin = [](RandomSpatial& random) { return Capsule{random.magnitude(1e-9, 1e-3), random_extent(random)}; };
  expect_sound_everywhere<Capsule, Capsule>(capsule_capsule, 3, capsule_poses, thin, thin, {}, 0);
  expect_sound_everywhere<Capsule, Box>(capsule_box, 4, capsule_poses, thin, random_box, {}, 0);
}

// In penetration no sampled direction is better than those of the features.
TEST(CapsulePairs, NoOtherDirectionIsBetter) {
  expect_sound_everywhere<Capsule, Capsule>(capsule_capsule, 5, 300, random_capsule, random_capsule, {}, 100);
  expect_sound_everywhere<Capsule, Box>(capsule_box, 6, 300, random_capsule, random_box, {}, 100);
}

TEST(CapsulePairs, SideBySide) {
  RandomSpatial random(7);
  for (int i = 0; i < 1000; ++i) {
    const Pose X_WB = random.pose();
    Pose X_BA = Pose::identity();
    X_BA.R = rotation_about({0, 0, 1}, random.even(3)) * rotation_about({1, 0, 0}, i % 2 ? std::numbers::pi : 0);
    X_BA.p = {0.299 * std::cos(i), 0.299 * std::sin(i), 0.5};
    Manifold m;
    ASSERT_TRUE(capsule_capsule({0.1, 1}, X_WB * X_BA, {0.2, 2}, X_WB, 0.01, m));
    ASSERT_EQ(m.count, 2);
    for (int k = 0; k < 2; ++k) {
      ASSERT_NEAR(m.points[k].gap, -0.001, 1e-14);
      const Vector p = transpose_times(X_WB.R, m.points[k].p - X_WB.p);
      ASSERT_NEAR(std::abs(p.z - 0.5), 1, 1e-14);
    }
    // On a box, its far end beyond the face.
    X_BA = {rotation_about({1, 0, 0}, std::acos(0)), {0.1, 1.5, 1.2}};
    ASSERT_TRUE(capsule_box({0.25, 1}, X_WB * X_BA, {{0.5, 2, 1}}, X_WB, 0.01, m));
    ASSERT_EQ(m.count, 2);
    double ends[2];
    for (int k = 0; k < 2; ++k) {
      ASSERT_NEAR(m.points[k].gap, -0.05, 1e-14);
      ends[k] = transpose_times(X_WB.R, m.points[k].p - X_WB.p).y;
    }
    ASSERT_NEAR(std::max(ends[0], ends[1]), 2, 1e-12);
    ASSERT_NEAR(std::min(ends[0], ends[1]), 0.5, 1e-12);
  }
}

TEST(CapsulePairs, ClosedForms) {
  const Pose home = Pose::identity();
  Pose X{rotation_about({1, 0, 0}, std::acos(0)), {0.7, 0.2, 0}};  // along y, crossing z at 0.7
  const Manifold crossed = manifold_of<Capsule, Capsule>(capsule_capsule, {0.1, 1}, X, {0.2, 1}, home);
  EXPECT_NEAR(crossed.distance, 0.4, 1e-15);
  EXPECT_EQ(crossed.count, 1);
  X.p = {0, 0, 0};  // through each other's middle
  const Manifold through = manifold_of<Capsule, Capsule>(capsule_capsule, {0.1, 1}, X, {0.2, 1}, home);
  EXPECT_NEAR(through.distance, -0.3, 1e-15);
  EXPECT_NEAR(std::abs(through.normal.x), 1, 1e-15);
  const Manifold same = manifold_of<Capsule, Capsule>(capsule_capsule, {0.1, 1}, home, {0.2, 1}, home);
  EXPECT_NEAR(same.distance, -0.3, 1e-15);
  // Through the middle of a box, along its shortest side: the best direction is that of the next shortest.
  const Manifold skewer = manifold_of<Capsule, Box>(capsule_box, {0.1, 5}, home, {{3, 2, 1}}, home);
  EXPECT_NEAR(skewer.distance, -2.1, 1e-15);
}

TEST(CapsulePairs, Swapped) {
  RandomSpatial random(8);
  for (int i = 0; i < 3000; ++i) {
    const Capsule a = random_capsule(random), b = random_capsule(random);
    const Pose X_WA = random_pose(random, 1.5), X_WB = random_pose(random, 1.5);
    const Manifold m = manifold_of<Capsule, Capsule>(capsule_capsule, a, X_WA, b, X_WB);
    const Manifold n = manifold_of<Capsule, Capsule>(capsule_capsule, b, X_WB, a, X_WA);
    ASSERT_NEAR(m.distance, n.distance, 1e-12) << i;
  }
}

TEST(CapsulePairs, NotANumber) {
  expect_nothing_for_nan<Capsule, Capsule>(capsule_capsule, {1, 1}, {1, 1});
  expect_nothing_for_nan<Capsule, Box>(capsule_box, {1, 1}, {{1, 1, 1}});
}

// The distance of two segments in long double: the least of the distances of each end from the other segment and, if
// the common normal of the lines meets both segments, of the lines.
long double distance_of_axes(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB) {
  using Precise = Vec3<long double>;
  const auto precise = [](const Vector& v) { return Precise{v.x, v.y, v.z}; };
  const Precise p = precise(X_WA.p), q = precise(X_WB.p), u = precise(X_WA.R.z), v = precise(X_WB.R.z);
  const long double ha = a.half_length, hb = b.half_length;
  const auto from_segment = [](const Precise& x, const Precise& middle, const Precise& along, long double half) {
    const long double t = std::clamp(dot(along, x - middle) / dot(along, along), -half, half);
    const Precise d = x - middle - t * along;
    return std::sqrt(dot(d, d));
  };
  long double least = std::numeric_limits<long double>::infinity();
  for (const long double side : {-1.0L, 1.0L}) {
    least = std::min(least, from_segment(p + (side * ha) * u, q, v, hb));
    least = std::min(least, from_segment(q + (side * hb) * v, p, u, ha));
  }
  const Precise w = cross(u, v), c = q - p;
  const long double ww = dot(w, w), s = dot(cross(c, v), w) / ww, t = dot(cross(c, u), w) / ww;
  if (std::abs(s) <= ha && std::abs(t) <= hb) least = std::min(least, std::abs(dot(w, c)) / std::sqrt(ww));
  return least;
}

// Axes that are parallel up to 1e-8 to 1e-6 rad and almost meet: the place where the lines are nearest is known to
// 1e-16 / sine^2 of their length only, so that the direction between the nearest points is dominated by rounding. The
// largest error of the distance found in these poses was 4e-20 m^2 / sine; the tolerance is five times that.
TEST(CapsulePairs, AlmostParallelAxesThatAlmostMeet) {
  RandomSpatial random(9);
  for (int i = 0; i < 20000; ++i) {
    const Capsule a{random.magnitude(1e-9, 1e-3), random.magnitude(0.1, 1)};
    const Capsule b{random.magnitude(1e-9, 1e-3), random.magnitude(0.1, 1)};
    const Pose X_WB{random.rotation(), {0, 0, 0}};
    Pose X_WA{X_WB.R * rotation_about(random.direction(), random.magnitude(1e-8, 1e-6)), {0, 0, 0}};
    const double on_a = i % 2 ? a.half_length : random.even(a.half_length), on_b = random.even(b.half_length);
    X_WA.p = on_b * X_WB.R.z + random.magnitude(1e-12, 1e-7) * random.direction() - on_a * X_WA.R.z;
    const Manifold m = manifold_of<Capsule, Capsule>(capsule_capsule, a, X_WA, b, X_WB);
    const double expected = double(distance_of_axes(a, X_WA, b, X_WB) - a.radius - b.radius);
    const double tolerance = 1e-15 + 2e-19 / norm(cross(X_WA.R.z, X_WB.R.z));
    ASSERT_NEAR(m.distance, expected, tolerance) << i;
    // The other way round, so that not always the second one is at the origin.
    const Manifold swapped = manifold_of<Capsule, Capsule>(capsule_capsule, b, X_WB, a, X_WA);
    ASSERT_NEAR(swapped.distance, expected, tolerance) << i;
  }
}

// Capsules so far apart that the square of their distance overflows: no contact, rather than one without points.
TEST(CapsulePairs, FartherApartThanNumbers) {
  const Pose far{Mat3<double>::identity(), {1e200, 0, 0}};
  const Pose crossed{rotation_about({1, 0, 0}, std::acos(0)), {1e200, 0, 0}};
  for (const Pose& X : {far, crossed}) {
    Manifold m{};  // zeros, which would be finite points
    if (capsule_capsule({1, 1}, X, {1, 1}, Pose::identity(), no_margin, m)) {
      EXPECT_GE(m.count, 1);
    }
  }
}

}  // namespace
}  // namespace linchpin

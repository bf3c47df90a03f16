// For the tests of pairs.h: conditions on every pair of kinds, for random and degenerate poses.
//
// Besides the conditions of testing.h: a smaller margin only removes points; moving both shapes together keeps the
// distance; moving one of them by a small way changes the distance by no more than that, also through touch.
#pragma once

#include <limits>

#include "linchpin/geometry/pairs/pairs.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin::geometry_testing {

inline constexpr double no_margin = std::numeric_limits<double>::infinity();

// Random poses, some with axes exactly or almost along the world's, some with centres exactly or almost at the origin.
inline Pose random_pose(RandomSpatial& random, double range) {
  Pose X = random.pose(range);
  const double kind = random.unit();
  if (kind < 0.3) X.R = random_quarter_turns(random);
  if (kind < 0.15) X.R = X.R * rotation_about(random.direction(), random.magnitude(1e-16, 1e-2));
  const double place = random.unit();
  if (place < 0.05) X.p = Vector::zero();
  if (place < 0.15) X.p = random.magnitude(1e-17, 1e-3) * X.p;
  if (place > 0.8 && random.unit() < 0.5) X.p.x = 0;
  if (place > 0.8 && random.unit() < 0.5) X.p.y = 0;
  return X;
}

template <class A, class B>
using PairOf = bool (*)(const A&, const Pose&, const B&, const Pose&, double, Manifold&);

template <class A, class B>
Manifold manifold_of(PairOf<A, B> pair, const A& a, const Pose& X_WA, const B& b, const Pose& X_WB) {
  Manifold m;
  EXPECT_TRUE(pair(a, X_WA, b, X_WB, no_margin, m));
  return m;
}

template <class A, class B>
void expect_sound(PairOf<A, B> pair, const A& a, const Pose& X_WA, const B& b, const Pose& X_WB, RandomSpatial& random,
                  const Tolerances& tolerances = {}, int samples = 100) {
  const Manifold all = manifold_of(pair, a, X_WA, b, X_WB);
  ASSERT_TRUE(sound(a, X_WA, b, X_WB, no_margin, all, tolerances, samples));
  const double size = std::max({extent(a), extent(b), norm(X_WA.p - X_WB.p)}), slack = tolerances.exact * size;

  // A margin removes the points beyond it; without points there is no contact.
  const double margin = all.distance + random.even() * random.magnitude(1e-6, 1) * size;
  Manifold near;
  const bool found = pair(a, X_WA, b, X_WB, margin, near);
  if (std::abs(all.distance - margin) > slack) {
    ASSERT_EQ(found, all.distance < margin);
  }
  if (found) {
    ASSERT_TRUE(sound(a, X_WA, b, X_WB, margin, near, tolerances, -1));
    ASSERT_NEAR(near.distance, all.distance, slack);
  }

  // A small step, possibly through touch: the distance changes by no more than its length.
  const Vector way = (random.magnitude(1e-9, 1e-2) * size) * random.direction();
  Pose moved = X_WA;
  moved.p += way;
  ASSERT_NEAR(manifold_of(pair, a, moved, b, X_WB).distance, all.distance, norm(way) + slack);

  // The distance is invariant under a motion of both shapes.
  const Pose X_WF = random.pose(size);
  ASSERT_NEAR(manifold_of(pair, a, X_WF * X_WA, b, X_WF * X_WB).distance, all.distance, 10 * slack);
}

// `make_a` and `make_b` return a random shape of about size 1.
template <class A, class B, class MakeA, class MakeB>
void expect_sound_everywhere(PairOf<A, B> pair, std::uint64_t seed, int times, const MakeA& make_a, const MakeB& make_b,
                             const Tolerances& tolerances = {}, int samples = 100) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomSpatial random(seed);
  for (int i = 0; i < times; ++i) {
    SCOPED_TRACE(testing::Message() << "pose " << i);
    const A a = make_a(random);
    const B b = make_b(random);
    Pose X_WA = random_pose(random, 1.5), X_WB = random_pose(random, 1.5);
    if (random.unit() < 0.7) {  // near touch
      const double gap = random.even() * random.magnitude(1e-14, 1e-1);
      X_WA = moved_to_gap(X_WA, X_WB, gap, [&](const Pose& X) { return manifold_of(pair, a, X, b, X_WB).distance; });
    }
    // For curved shapes in penetration the check tries many directions, which takes long.
    expect_sound(pair, a, X_WA, b, X_WB, random, tolerances, i % 20 == 0 ? samples : 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// NaN in a pose gives no contact, or a finite one if the pair does not use that number (a sphere's axes).
template <class A, class B>
void expect_nothing_for_nan(PairOf<A, B> pair, const A& a, const B& b) {
  const auto expect_nothing = [&](const Pose& X_WA, const Pose& X_WB) {
    for (const double margin : {0.1, no_margin}) {
      Manifold m;
      if (!pair(a, X_WA, b, X_WB, margin, m)) continue;
      ASSERT_TRUE(m.count >= 1 && m.count <= most_points);
      EXPECT_TRUE(std::isfinite(m.distance) && std::isfinite(norm(m.normal)));
      for (int i = 0; i < m.count; ++i) EXPECT_TRUE(std::isfinite(norm(m.points[i].p) + m.points[i].gap));
    }
  };
  Pose bad = Pose::identity();
  double* numbers[] = {&bad.R.x.x, &bad.R.x.y, &bad.R.x.z, &bad.R.y.x, &bad.R.y.y, &bad.R.y.z,
                       &bad.R.z.x, &bad.R.z.y, &bad.R.z.z, &bad.p.x,   &bad.p.y,   &bad.p.z};
  for (double* number : numbers)
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const double before = *number;
      *number = value;
      expect_nothing(bad, Pose::identity());
      expect_nothing(Pose::identity(), bad);
      *number = before;
    }
}

// Extents of about 1, and some down to 1/1000 for needles and plates.
inline double random_extent(RandomSpatial& random) {
  return random.unit() < 0.8 ? 0.2 + random.unit() : random.magnitude(1e-3, 1);
}
inline Sphere random_sphere(RandomSpatial& random) { return {random_extent(random)}; }
inline Capsule random_capsule(RandomSpatial& random) {
  const double radius = random_extent(random);
  return {radius, random_extent(random)};
}
inline Box random_box(RandomSpatial& random) {
  const double x = random_extent(random), y = random_extent(random);
  return {{x, y, random.unit() < 0.2 ? x : random_extent(random)}};
}
// A needle or a plate.
inline Box random_needle(RandomSpatial& random) {
  const double thin = random.magnitude(1e-3, 1e-2);
  return Box{{thin, random.unit() < 0.5 ? thin : 1.0, 1.0}};
}
inline Cylinder random_cylinder(RandomSpatial& random) {
  const double radius = random_extent(random);
  return {radius, random_extent(random)};
}
inline Cone random_cone(RandomSpatial& random) {
  const double radius = random_extent(random);
  return {radius, random_extent(random)};
}
inline Ellipsoid random_ellipsoid(RandomSpatial& random) { return {random_box(random).half}; }

}  // namespace linchpin::geometry_testing

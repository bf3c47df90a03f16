// For tests of convex_pair(): random shapes of every kind, ordinary and degenerate, and poses near touch.
#pragma once

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "linchpin/geometry/convex/convex_pair.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin::convex_testing {

using geometry_testing::Pose;
using geometry_testing::Vector;

inline constexpr int kinds = 7;
inline const char* const kind_names[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "hull"};

// Extents within a factor of ten; hulls of 4 to 43 points.
inline Shape random_convex(RandomSpatial& random, int kind, double low = 0.1, double high = 1) {
  if (kind < 6) return random_shape(random, kind, low, high);
  const double x = random.magnitude(low, high), y = random.magnitude(low, high), z = random.magnitude(low, high);
  std::vector<Vector> points;
  for (int i = 4 + static_cast<int>(40 * random.unit()); i > 0; --i) {
    const Vector d = random.direction();
    points.push_back({x * d.x, y * d.y, z * d.z});
  }
  return ConvexHull{std::make_shared<Hull>(convex_hull(points).value())};
}

struct Scene {
  Shape a, b;
  Pose X_WA, X_WB;
};
// Refers to the hulls of a and b, which must outlive it.
inline CorePair pair_of(const Shape& a, const Shape& b, const Transform<double>& X_AB) {
  const Core p = core_of(a), q = core_of(b);
  return {p, q, X_AB, p.extent + q.extent + p.ball + q.ball + norm(X_AB.p)};
}
inline CorePair pair_of(const Scene& s) { return pair_of(s.a, s.b, inverse(s.X_WA) * s.X_WB); }

inline double signed_distance_of(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  Manifold m;
  return convex_pair(a, X_WA, b, X_WB, std::numeric_limits<double>::infinity(), m) ? m.distance : std::nan("");
}

struct Poses {
  Pose X_WA, X_WB;
};
inline Poses random_poses(RandomSpatial& random, const Shape& a, const Shape& b, double gap) {
  const Pose X_WB = random.pose(), X_WA = random.pose();
  return {
      geometry_testing::moved_to_gap(X_WA, X_WB, gap, [&](const Pose& X) { return signed_distance_of(a, X, b, X_WB); }),
      X_WB};
}
// Mostly near touch, with gaps of all magnitudes.
inline Poses random_poses(RandomSpatial& random, const Shape& a, const Shape& b) {
  const double sign = random.unit() < 0.5 ? -1 : 1, choice = random.unit();
  if (choice < 0.2) return {random.pose(), random.pose()};
  return random_poses(random, a, b, sign * (choice < 0.6 ? 0.1 * random.unit() : random.magnitude(1e-12, 1e-2)));
}

inline bool is_curved(const Shape& s) {
  return std::holds_alternative<Cylinder>(s) || std::holds_alternative<Ellipsoid>(s) || std::holds_alternative<Cone>(s);
}

// If `unsound` is given, failures are counted there and printed instead of failing the test.
inline void expect_sound(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const std::string& what,
                         int samples, int* unsound) {
  Manifold m;
  const double margin = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(convex_pair(a, X_WA, b, X_WB, margin, m)) << what;
  // In deep penetration of curved shapes many directions have almost the same depth, and the search ends within a
  // twentieth of the smallest (epa.h (2)). Where s is not concave the points may be off by as much.
  const bool deep = m.distance < -0.2 * std::min(geometry_testing::extent(a), geometry_testing::extent(b));
  const geometry_testing::Tolerances loose{0.02, 0.05}, tight;
  const bool vague = deep && (is_curved(a) || is_curved(b));
  const testing::AssertionResult sound =
      geometry_testing::sound(a, X_WA, b, X_WB, margin, m, vague ? loose : tight, samples);
  if (unsound && !sound) {
    ++*unsound;
    std::cout << "  " << what << ", distance " << m.distance << ": " << sound.message() << "\n";
    return;
  }
  EXPECT_TRUE(sound) << what << ", distance " << m.distance;
}

inline std::string pair_name(int i, int j, int round) {
  return std::string(kind_names[i]) + " and " + kind_names[j] + ", round " + std::to_string(round);
}

inline void expect_sound_pairs(RandomSpatial& random, int i, int j, int rounds, int samples = 200,
                               int* unsound = nullptr) {
  for (int round = 0; round < rounds; ++round) {
    const Shape a = random_convex(random, i), b = random_convex(random, j);
    const auto [X_WA, X_WB] = random_poses(random, a, b);
    expect_sound(a, X_WA, b, X_WB, pair_name(i, j, round), samples, unsound);
  }
}

// A degenerate shape: a needle, a plate, huge or tiny, flat, or with extents that are exactly equal.
inline Shape degenerate_convex(RandomSpatial& random, int kind) {
  const double choice = random.unit();
  if (choice < 0.25) return random_convex(random, kind, 1e-3, 1);
  if (choice < 0.5) {
    const double scale = random.magnitude(1e-3, 1e3);
    return random_convex(random, kind, 0.5 * scale, scale);
  }
  if (choice < 0.75 && kind == 6) {  // a flat hull
    std::vector<Vector> points;
    for (int i = 3 + static_cast<int>(6 * random.unit()); i > 0; --i) {
      const Vector d = random.vector();
      points.push_back({d.x, d.y, 0});
    }
    return ConvexHull{std::make_shared<Hull>(convex_hull(points).value())};
  }
  if (kind == 6)
    return ConvexHull{std::make_shared<Hull>(convex_hull(geometry_testing::corners(Box{{0.5, 0.5, 0.5}})).value())};
  return random_convex(random, kind, 0.5, 0.5);
}

// Poses with axes exactly parallel, centres that coincide or are exactly aligned, and exact touch.
inline void expect_sound_degenerate_pairs(RandomSpatial& random, int i, int j, int rounds, int samples = 200,
                                          int* unsound = nullptr) {
  for (int round = 0; round < rounds; ++round) {
    const Shape a = degenerate_convex(random, i), b = degenerate_convex(random, j);
    const Mat3<double> R = random.unit() < 0.5 ? Mat3<double>::identity() : random.rotation();
    Pose X_WB{R, {0, 0, 0}}, X_WA = X_WB;
    const double reach = geometry_testing::extent(a) + geometry_testing::extent(b), choice = random.unit();
    if (choice < 0.7) X_WA.R = R * geometry_testing::random_quarter_turns(random);
    const Vector axes[] = {R.x, R.y, R.z};
    if (choice > 0.2) X_WA.p = (reach * random.even()) * axes[static_cast<int>(3 * random.unit())];
    if (choice > 0.5) X_WA.p += (reach * random.even()) * axes[static_cast<int>(3 * random.unit())];
    const Pose start = X_WA;
    if (choice > 0.3 && choice < 0.8)
      X_WA = geometry_testing::moved_to_gap(X_WA, X_WB, choice < 0.5 ? 0.0 : 1e-3 * reach * random.even(),
                                            [&](const Pose& X) { return signed_distance_of(a, X, b, X_WB); });
    // If a motion along the line between the origins does not change the distance, the search for a gap diverges.
    if (!(norm(X_WA.p) <= 4 * reach)) X_WA = start;
    expect_sound(a, X_WA, b, X_WB, "degenerate " + pair_name(i, j, round), samples, unsound);
  }
}

}  // namespace linchpin::convex_testing

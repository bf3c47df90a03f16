#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "linchpin/geometry/pairs/pairs_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;  // NOLINT: for the helpers of testing.h

constexpr int box_poses = 30000;

// Face normals and cross products of edges are all directions needed for two boxes: no samples.
TEST(BoxBox, SoundEverywhere) {
  expect_sound_everywhere<Box, Box>(box_box, 1, box_poses, random_box, random_box, {}, 0);
}

TEST(BoxBox, SoundForNeedlesAndPlates) {
  expect_sound_everywhere<Box, Box>(box_box, 2, box_poses, random_needle, random_needle, {}, 0);
  expect_sound_everywhere<Box, Box>(box_box, 3, box_poses, random_needle, random_box, {}, 0);
}

// Corners near corners and edges, where none of the fifteen axes is the best direction.
TEST(BoxBox, SoundCornerToCorner) {
  RandomSpatial random(4);
  for (int i = 0; i < box_poses; ++i) {
    SCOPED_TRACE(i);
    const Box a = random_box(random), b = random_box(random);
    Pose X_WA{random.rotation(), Vector::zero()};
    const Pose X_WB = random.pose();
    // A corner of A at `off` from a corner of B, or from a point on an edge along one of its axes, outwards.
    const bool corner = random.unit() < 0.5;
    const double off = random.magnitude(1e-15, 1);
    double on_b[] = {b.half.x, b.half.y, b.half.z}, out[] = {random.unit(), random.unit(), random.unit()};
    if (!corner) on_b[i % 3] *= random.even(), out[i % 3] = 0;
    X_WA.p = X_WB * (Vector{on_b[0], on_b[1], on_b[2]} + off * unit({out[0], out[1], out[2]})) - X_WA.R * a.half;
    expect_sound<Box, Box>(box_box, a, X_WA, b, X_WB, random, {}, 0);
    if (HasFatalFailure()) return;
  }
}

// Two boxes of any sizes, one on the other, rotated about the vertical: the intersection of two rectangles.
Pose upon(const Box& lower, const Box& upper, double gap, double turn, double x, double y) {
  return {rotation_about({0, 0, 1}, turn), {x, y, lower.half.z + upper.half.z + gap}};
}

TEST(BoxBox, StackedBoxesMeetInFourOrEightPoints) {
  RandomSpatial random(5);
  const Box cube{{0.5, 0.5, 0.5}};
  for (int i = 0; i < 1000; ++i) {
    const Pose home = random.pose();
    const double gap = random.even(1e-3);
    for (const double turn : {0.0, 1e-17, -1e-12, 1e-9, std::numbers::pi / 2, std::numbers::pi}) {
      Manifold m;
      ASSERT_TRUE(box_box(cube, home * upon(cube, cube, gap, turn, 0, 0), cube, home, 0.01, m));
      ASSERT_EQ(m.count, 4) << turn;
      for (int k = 0; k < 4; ++k) ASSERT_NEAR(m.points[k].gap, gap, 1e-14);
    }
    Manifold m;
    ASSERT_TRUE(box_box(cube, home * upon(cube, cube, gap, std::numbers::pi / 4, 0, 0), cube, home, 0.01, m));
    ASSERT_EQ(m.count, 8);
    // A small one on a large one, and the other way round
    const Box table{{5, 5, 0.1}};
    const double turn = random.even(3);
    ASSERT_TRUE(box_box(cube, home * upon(table, cube, gap, turn, 1, 2), table, home, 0.01, m));
    ASSERT_EQ(m.count, 4);
    ASSERT_TRUE(box_box(table, home * upon(cube, table, gap, turn, 1, 2), cube, home, 0.01, m));
    ASSERT_EQ(m.count, 4);
  }
}

// The area of the points' hull is that of the intersection of the two faces: if one face is inside of the other, that
// of the smaller one. The same holds for almost parallel faces, where an edge axis may be slightly better than a face
// axis.
TEST(BoxBox, RestingBoxIsSupported) {
  RandomSpatial random(6);
  for (int i = 0; i < 5000; ++i) {
    const Box a = random_box(random), b{{2, 2, 1}};
    Pose X_BA = upon(b, a, 0, random.even(3), random.even(0.3), random.even(0.3));
    X_BA.R = rotation_about(random.direction(), random.magnitude(1e-17, 1e-4)) * X_BA.R;
    X_BA.p.z -= random.magnitude(1e-15, 1e-3);
    Manifold m;
    ASSERT_TRUE(box_box(a, X_BA, b, Pose::identity(), 1e-2, m));
    ASSERT_EQ(m.count, 4) << i;
    for (int k = 0; k < 4; ++k) {  // a corner each
      Vector p = transpose_times(X_BA.R, m.points[k].p - X_BA.p);
      ASSERT_NEAR(std::abs(p.x), a.half.x, 1e-3);
      ASSERT_NEAR(std::abs(p.y), a.half.y, 1e-3);
      for (int l = 0; l < k; ++l)
        ASSERT_GE(norm(m.points[k].p - m.points[l].p), 1.9 * std::min(a.half.x, a.half.y)) << i;
    }
  }
}

TEST(BoxBox, ClosedForms) {
  const Pose home = Pose::identity();
  const Box unit_box{{0.5, 0.5, 0.5}};
  Pose X = home;
  X.p = {4, 5, 1.5};  // corner to corner: 3, 4, 0.5
  EXPECT_NEAR((manifold_of<Box, Box>(box_box, unit_box, X, unit_box, home).distance), std::sqrt(25.25), 1e-14);
  X.p = {0.2, 0.1, 0.9};
  EXPECT_NEAR((manifold_of<Box, Box>(box_box, unit_box, X, unit_box, home).distance), -0.1, 1e-15);
  X.p = {0, 0, 0};  // one in the other
  EXPECT_NEAR((manifold_of<Box, Box>(box_box, unit_box, X, {{1, 2, 3}}, home).distance), -1.5, 1e-15);
  // Edge over edge, each tilted by 45 degrees, crossing at a right angle: half diagonals add up.
  X = {rotation_about({1, 0, 0}, std::numbers::pi / 4), {0.1, 0.2, 1.5}};
  const Pose Y{rotation_about({0, 1, 0}, std::numbers::pi / 4), {0, 0, 0}};
  const Manifold edges = manifold_of<Box, Box>(box_box, unit_box, X, unit_box, Y);
  EXPECT_NEAR(edges.distance, 1.5 - std::sqrt(2), 1e-13);
  EXPECT_NEAR(edges.normal.z, 1, 1e-15);
}

TEST(BoxBox, Swapped) {
  RandomSpatial random(7);
  for (int i = 0; i < 20000; ++i) {
    const Box a = random_box(random), b = random_box(random);
    Pose X_WA = random_pose(random, 1.5);
    const Pose X_WB = random_pose(random, 1.5);
    X_WA = moved_to_gap(X_WA, X_WB, random.even(1e-2),
                        [&](const Pose& X) { return manifold_of<Box, Box>(box_box, a, X, b, X_WB).distance; });
    Manifold m, n;
    if (!box_box(a, X_WA, b, X_WB, 0.04, m)) continue;  // still farther apart than the margin
    ASSERT_TRUE(box_box(a, X_WA, b, X_WB, 0.05, m));
    ASSERT_TRUE(box_box(b, X_WB, a, X_WA, 0.05, n));
    ASSERT_NEAR(m.distance, n.distance, 1e-11) << i;
    if (norm(m.normal + n.normal) > 1e-9) continue;  // two directions of the same depth
    // Every point has its counterpart, except for those that were merged with a neighbour and those whose gap equals
    // the margin.
    for (int k = 0; k < m.count; ++k) {
      if (m.points[k].gap > 0.0499) continue;
      double nearest = no_margin;
      for (int l = 0; l < n.count; ++l) nearest = std::min(nearest, norm(m.points[k].p - n.points[l].p));
      ASSERT_LE(nearest, 4e-4) << i;
    }
  }
}

// A box slides over another in small steps: a feature's point moves as little as the box does.
TEST(BoxBox, FeaturesPersist) {
  RandomSpatial random(8);
  for (int run = 0; run < 50; ++run) {
    const Box a = random_box(random), b = random_box(random);
    Pose X_BA = upon(b, a, -1e-4, random.even(3), random.even(0.3), random.even(0.3));
    const Vector way = 1e-4 * unit({random.even(), random.even(), 0});
    Manifold before, now;
    if (!box_box(a, X_BA, b, Pose::identity(), 1e-2, before)) continue;
    int kept = 0, all = 0;
    for (int step = 0; step < 50; ++step) {
      X_BA.p += way;
      X_BA.R = rotation_about(random.direction(), 1e-9) * X_BA.R;
      if (!box_box(a, X_BA, b, Pose::identity(), 1e-2, now) || now.normal.z < 0.9) break;
      for (int k = 0; k < now.count; ++k, ++all)
        for (int l = 0; l < before.count; ++l)
          if (now.points[k].feature == before.points[l].feature) {
            ++kept;
            ASSERT_LE(norm(now.points[k].p - before.points[l].p), 0.05);
          }
      before = now;
    }
    ASSERT_GE(kept, all - 8);
  }
}

// Corner to corner, in each of the eight directions: every corner of A, and of B, has a number of its own.
TEST(BoxBox, CornersHaveDifferentFeatures) {
  const Box a{{0.5, 0.4, 0.3}}, b{{0.2, 0.6, 0.7}};
  std::set<std::uint32_t> of_a, of_b;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) {
        Pose X = Pose::identity();
        X.p = {x * 0.8, y * 1.2, z * 1.3};  // 0.1, 0.2 and 0.3 beyond touch
        Manifold m;
        const double distance = std::sqrt(0.14);
        ASSERT_TRUE(box_box(a, X, b, Pose::identity(), distance + 1e-9, m));
        ASSERT_EQ(m.count, 1);
        EXPECT_NEAR(m.distance, distance, 1e-14);
        EXPECT_LE(norm(on_b(m, m.points[0]) - Vector{x * 0.2, y * 0.6, z * 0.7}), 1e-14);
        of_a.insert(m.points[0].feature >> 16);
        of_b.insert(m.points[0].feature & 0xffff);
      }
  EXPECT_EQ(of_a.size(), 8u);
  EXPECT_EQ(of_b.size(), 8u);
}

// The 26 corners, edges and faces of A have a number each: points of one number are never at both ends of an axis.
TEST(BoxBox, FeaturesHaveAPlace) {
  RandomSpatial random(16);
  const Box a{{0.5, 0.4, 0.3}}, b{{0.45, 0.6, 0.35}};
  std::map<std::uint32_t, std::array<std::set<int>, 3>> ends;  // by feature and axis: at which ends points were
  const double near = 1e-9;                                    // far above rounding, far below the boxes
  for (int i = 0; i < 3000; ++i) {
    const Pose X_WA{random.rotation(), random.vector(0.8)}, X_WB = Pose::identity();
    Manifold m;
    if (!box_box(a, X_WA, b, X_WB, 0.05, m) || m.distance < -0.1) continue;
    for (int k = 0; k < m.count; ++k) {
      const Vector p = transpose_times(X_WA.R, on_a(m, m.points[k]) - X_WA.p);
      const double x[] = {p.x, p.y, p.z}, h[] = {a.half.x, a.half.y, a.half.z};
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (std::abs(x[axis]) > h[axis] - near) ends[m.points[k].feature >> 16][axis].insert(x[axis] > 0 ? 1 : -1);
    }
  }
  EXPECT_EQ(ends.size(), 26u);  // corners, edges and faces
  for (const auto& [feature, by_axis] : ends)
    for (const std::set<int>& sides : by_axis) EXPECT_LE(sides.size(), 1u) << feature;
}

TEST(BoxBox, NotANumber) { expect_nothing_for_nan<Box, Box>(box_box, {{1, 1, 1}}, {{1, 1, 1}}); }

}  // namespace
}  // namespace linchpin

#include "linchpin/geometry/convex/convex_pair.h"

#include <bit>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/convex_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;
using convex_testing::kind_names;
using convex_testing::random_convex;
constexpr double pi = std::numbers::pi;
constexpr Mat3<double> upright{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

Manifold contact(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin = infinity) {
  Manifold m;
  EXPECT_TRUE(convex_pair(a, X_WA, b, X_WB, margin, m));
  return m;
}
double distance_of(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  return contact(a, X_WA, b, X_WB).distance;
}
Shape hull_of(std::vector<Vector> points) { return ConvexHull{std::make_shared<Hull>(convex_hull(points).value())}; }
Shape hull_of(const Box& box) { return hull_of(corners(box)); }

// --- random poses, checked by testing.h ---

TEST(ConvexPair, RandomPairsAreSound) {
  RandomSpatial random(1);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) convex_testing::expect_sound_pairs(random, i, j, 8);
}

TEST(ConvexPair, DegeneratePairsAreSound) {
  RandomSpatial random(2);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) convex_testing::expect_sound_degenerate_pairs(random, i, j, 12);
}

// --- closed forms ---

TEST(ConvexPair, EllipsoidsOnTheirAxes) {
  const Ellipsoid a{{0.3, 0.5, 0.7}}, b{{0.4, 0.2, 0.6}};
  for (const double gap : {0.2, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.05}) {
    const Manifold m = contact(a, {upright, {0.7 + gap, 0, 0}}, b, Pose::identity());
    EXPECT_NEAR(m.distance, gap, 1e-15);
    EXPECT_NEAR(m.normal.x, 1, 1e-14);
    EXPECT_EQ(m.count, 1);
    EXPECT_NEAR(m.points[0].p.x, 0.4 + gap / 2, 1e-14);
  }
}

TEST(ConvexPair, CylindersSideBySideAndCrossed) {
  const Cylinder a{0.3, 0.5}, b{0.2, 0.8};
  for (const double gap : {0.1, 1e-6, 0.0, -1e-6, -0.01}) {
    // Parallel, A shifted by 0.6 along the axes: they overlap over z in [0.1, 0.8].
    const Manifold m = contact(a, {upright, {0, 0.5 + gap, 0.6}}, b, Pose::identity());
    EXPECT_NEAR(m.distance, gap, 1e-15);
    EXPECT_NEAR(m.normal.y, 1, 1e-14);
    ASSERT_EQ(m.count, 2);
    EXPECT_NEAR(std::min(m.points[0].p.z, m.points[1].p.z), 0.1, 1e-14);
    EXPECT_NEAR(std::max(m.points[0].p.z, m.points[1].p.z), 0.8, 1e-14);
    const Manifold crossed = contact(a, {rotation_about({0, 1, 0}, 1.0), {0, 0.5 + gap, 0.1}}, b, Pose::identity());
    EXPECT_NEAR(crossed.distance, gap, 1e-15);
    EXPECT_NEAR(crossed.normal.y, 1, 1e-14);
    EXPECT_EQ(crossed.count, 1);
  }
}

TEST(ConvexPair, ConeOnItsTip) {
  const Mat3<double> down = rotation_about({1, 0, 0}, pi);
  for (const double gap : {0.1, 1e-9, 0.0, -1e-9, -0.01}) {
    const Manifold m = contact(Cone{0.2, 0.4}, {down, {0.1, 0.2, 0.9 + gap}}, Box{{1, 1, 0.5}}, Pose::identity());
    EXPECT_NEAR(m.distance, gap, 1e-15);
    EXPECT_NEAR(m.normal.z, 1, 1e-14);
    EXPECT_EQ(m.count, 1);
    EXPECT_NEAR(m.points[0].p.x, 0.1, 1e-14);
    EXPECT_NEAR(m.points[0].p.y, 0.2, 1e-14);
  }
}

TEST(ConvexPair, BallsRollAroundTheirCores) {
  RandomSpatial random(3);
  for (int i = 0; i < 200; ++i) {
    const double r = random.magnitude(0.1, 1), q = random.magnitude(0.1, 1);
    const Pose X_WA = random.pose(), X_WB = random.pose();
    const double centres = norm(X_WA.p - X_WB.p);
    EXPECT_NEAR(distance_of(Sphere{r}, X_WA, Sphere{q}, X_WB), centres - r - q, 1e-15 * (1 + centres));
    // A ball is a capsule without length, and an ellipsoid of equal radii.
    EXPECT_NEAR(distance_of(Ellipsoid{{r, r, r}}, X_WA, Capsule{q, 0}, X_WB), centres - r - q, 1e-14 * (1 + centres));
  }
}

TEST(ConvexPair, HullOfACubeIsABox) {
  RandomSpatial random(4);
  for (int i = 0; i < 300; ++i) {
    const Box a{{random.magnitude(0.1, 1), random.magnitude(0.1, 1), random.magnitude(0.1, 1)}};
    const Box b{{random.magnitude(0.1, 1), random.magnitude(0.1, 1), random.magnitude(0.1, 1)}};
    const Pose X_WA = random.pose(), X_WB = random.pose();
    const double boxes = distance_of(a, X_WA, b, X_WB);
    EXPECT_NEAR(distance_of(hull_of(a), X_WA, b, X_WB), boxes, 1e-14);
    EXPECT_NEAR(distance_of(hull_of(a), X_WA, hull_of(b), X_WB), boxes, 1e-14);
  }
}

// --- invariants ---

// Calls expect(random, a, b) for ten random shapes of every two kinds.
template <class Expect>
void for_pairs_of_all_kinds(std::uint64_t seed, const Expect& expect) {
  RandomSpatial random(seed);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) {
      SCOPED_TRACE(std::string(kind_names[i]) + ", " + kind_names[j]);
      for (int k = 0; k < 10; ++k) {
        const Shape a = random_convex(random, i), b = random_convex(random, j);
        expect(random, a, b);
      }
    }
}

TEST(ConvexPair, SwappingTheShapesFlipsTheNormal) {
  for_pairs_of_all_kinds(5, [](RandomSpatial& random, const Shape& a, const Shape& b) {
    const auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b);
    const Manifold m = contact(a, X_WA, b, X_WB);
    Manifold swapped = contact(b, X_WB, a, X_WA);
    swap_sides(swapped);
    EXPECT_NEAR(m.distance, swapped.distance, 1e-12);
    // In deep penetration several directions may be equally good; near touch there is one.
    const bool sphere = std::holds_alternative<Sphere>(a) || std::holds_alternative<Sphere>(b);
    if (std::abs(m.distance) < 0.01 && !sphere) {
      EXPECT_LE(norm(m.normal - swapped.normal), 1e-7) << m.distance;
    }
  });
}

TEST(ConvexPair, MovesWithItsShapes) {
  for_pairs_of_all_kinds(6, [](RandomSpatial& random, const Shape& a, const Shape& b) {
    const auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b);
    const Pose X = random.pose(10);
    const Manifold here = contact(a, X_WA, b, X_WB), there = contact(a, X * X_WA, b, X * X_WB);
    EXPECT_NEAR(here.distance, there.distance, 1e-12);
    if (std::abs(here.distance) < 0.01) {
      EXPECT_LE(norm(X.R * here.normal - there.normal), 1e-7);
    }
  });
}

// d is a distance: moving A by x changes it by |x| at most. Through touch, in steps.
TEST(ConvexPair, IsContinuousThroughTouch) {
  RandomSpatial random(7);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k < 3; ++k) {
        const Shape a = random_convex(random, i), b = random_convex(random, j);
        auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b, 0.0);
        const Vector n = contact(a, X_WA, b, X_WB).normal, start = X_WA.p;
        double last = 0, last_step = 0;
        for (int step = -40; step <= 40; ++step) {
          const double x = std::copysign(std::pow(10, std::abs(step) / 4.0 - 12), step);
          X_WA.p = start + x * n;
          const double d = distance_of(a, X_WA, b, X_WB);
          if (step > -40) {
            EXPECT_LE(std::abs(d - last), (x - last_step) * (1 + 1e-9) + 1e-13)
                << kind_names[i] << ", " << kind_names[j];
          }
          last = d;
          last_step = x;
        }
      }
}

TEST(ConvexPair, TheMarginDecides) {
  for_pairs_of_all_kinds(8, [](RandomSpatial& random, const Shape& a, const Shape& b) {
    const Pose X_WA = random.pose(2), X_WB = random.pose(2);
    const Manifold all = contact(a, X_WA, b, X_WB);
    Manifold m;
    EXPECT_FALSE(convex_pair(a, X_WA, b, X_WB, all.distance - 1e-9, m));
    ASSERT_TRUE(convex_pair(a, X_WA, b, X_WB, all.distance + 1e-9, m));
    EXPECT_EQ(m.distance, all.distance);
    for (int p = 0; p < m.count; ++p) EXPECT_LE(m.points[p].gap, all.distance + 1e-9);
    // If the distance equals the margin, rounding decides; but a manifold has at least one point.
    for (const double ulps : {-4.0, -1.0, 0.0, 1.0, 4.0}) {
      const double margin = all.distance * (1 + ulps * std::numeric_limits<double>::epsilon());
      if (!convex_pair(a, X_WA, b, X_WB, margin, m)) continue;
      EXPECT_GE(m.count, 1);
    }
  });
}

TEST(ConvexPair, SameInputSameBits) {
  RandomSpatial random(9);
  for (int k = 0; k < 200; ++k) {
    const Shape a = random_convex(random, k % 7), b = random_convex(random, k / 7 % 7);
    const Pose X_WA = random.pose(), X_WB = random.pose();
    const Manifold m = contact(a, X_WA, b, X_WB);
    contact(random_convex(random, 6), random.pose(), random_convex(random, 3), random.pose());  // an unrelated call
    const Manifold again = contact(a, X_WA, b, X_WB);
    const auto same = [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    ASSERT_EQ(m.count, again.count);
    EXPECT_TRUE(same(m.distance, again.distance) && same(m.normal.x, again.normal.x) &&
                same(m.normal.y, again.normal.y) && same(m.normal.z, again.normal.z));
    for (int i = 0; i < m.count; ++i) {
      const ContactPoint &p = m.points[i], &q = again.points[i];
      EXPECT_TRUE(same(p.gap, q.gap) && same(p.p.x, q.p.x) && same(p.p.y, q.p.y) && same(p.p.z, q.p.z));
      EXPECT_EQ(p.feature, q.feature);
    }
  }
}

TEST(ConvexPair, NotANumberTouchesNothing) {
  const double nan = std::nan("");
  RandomSpatial random(10);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int j = 0; j < convex_testing::kinds; ++j) {
      const Shape a = random_convex(random, i), b = random_convex(random, j);
      Manifold m;
      for (const double bad : {nan, infinity}) {
        EXPECT_FALSE(convex_pair(a, {upright, {0, bad, 0}}, b, Pose::identity(), infinity, m));
        EXPECT_FALSE(convex_pair(a, {{{1, 0, 0}, {0, 1, 0}, {0, 0, bad}}, {0, 0, 0}}, b, Pose::identity(), 1, m));
        EXPECT_FALSE(convex_pair(a, Pose::identity(), b, {upright, {bad, 0, 0}}, infinity, m));
      }
      const Vector bad_corners[] = {{0, 0, 0}, {1, nan, 0}, {0, 1, 0}};
      EXPECT_FALSE(core_triangle(core_of(a), Pose::identity(), bad_corners, infinity, m));
    }
}

// --- bodies at rest ---

// The centre of mass, here the origin of all shapes, is well inside the hull of the contact points, although the body
// is slightly tilted.
TEST(ConvexPair, RestingBodiesAreHeld) {
  const Mat3<double> down = rotation_about({1, 0, 0}, pi);
  std::vector<Vector> prism;
  for (int k = 0; k < 12; ++k)
    for (const double z : {-0.3, 0.3}) prism.push_back({0.4 * std::cos(k * pi / 6), 0.4 * std::sin(k * pi / 6), z});
  struct Case {
    Shape shape;
    Mat3<double> R;
    double height;
    int least;  // number of points
  };
  const Case cases[] = {{Box{{0.5, 0.4, 0.3}}, upright, 0.3, 4},
                        {Cylinder{0.4, 0.3}, upright, 0.3, 8},
                        {Cone{0.4, 0.3}, upright, 0.3, 8},
                        {hull_of(prism), upright, 0.3, 8},
                        {hull_of(Box{{0.5, 0.4, 0.3}}), down, 0.3, 4}};
  const Shape grounds[] = {Box{{2, 2, 0.5}}, hull_of(Box{{2, 2, 0.5}}), Cylinder{2, 0.5}};
  for (const Case& c : cases)
    for (const Shape& ground : grounds)
      for (const double lean : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4})
        for (const double gap : {-1e-4, 0.0, 1e-4}) {
          const Pose X_WA{rotation_about(unit({1, 2, 0}), lean) * c.R, {0.3, -0.2, 0.5 + c.height + gap}};
          const Manifold m = contact(c.shape, X_WA, ground, Pose::identity(), 0.01);
          EXPECT_TRUE(sound(c.shape, X_WA, ground, Pose::identity(), 0.01, m));
          EXPECT_GE(m.count, c.least) << c.shape.index() << " on " << ground.index() << ", lean " << lean;
          EXPECT_NEAR(m.normal.z, 1, 1e-7);
          // Seen from the centre, neighbouring points are less than half a turn apart.
          std::vector<double> angles;
          for (int i = 0; i < m.count; ++i)
            angles.push_back(std::atan2(m.points[i].p.y - X_WA.p.y, m.points[i].p.x - X_WA.p.x));
          std::sort(angles.begin(), angles.end());
          double widest = angles.front() + 2 * pi - angles.back();
          for (std::size_t i = 1; i < angles.size(); ++i) widest = std::max(widest, angles[i] - angles[i - 1]);
          EXPECT_LT(widest, 0.8 * pi) << c.shape.index() << " on " << ground.index() << ", lean " << lean;
        }
}

// Cylinders and cones that stand on one another, pressed together by any depth: the contact points are on the rim of
// the smaller cap, which is over the larger one, and so no point is near its middle.
TEST(ConvexPair, CapsOnCapsMeetAtTheRim) {
  RandomSpatial random(13);
  for (int i = 0; i < 2000; ++i) {
    const double r = random.magnitude(0.1, 1), R = (1.1 + random.unit()) * r, h = 0.5 * r, H = 0.5 * R;
    const Shape above = i % 2 ? Shape(Cylinder{r, h}) : Shape(Cone{r, h}), below = Cylinder{R, H};
    const double gap = random.even(1) * random.magnitude(1e-9, 1e-2) * r,
                 aside = i % 3 ? 0.9 * (R - r) * random.unit() : 0.0;
    const double t = i % 5 ? random.even(pi) : 0.0;
    const Pose X_WB{i % 7 ? random.rotation() : upright, {0, 0, 0}};
    const Pose X_WA = X_WB * Pose{i % 4 ? rotation_about({0, 0, 1}, random.even(3)) : upright,
                                  {aside * std::cos(t), aside * std::sin(t), H + h + gap}};
    for (const bool swap : {false, true}) {
      const Manifold m =
          swap ? contact(below, X_WB, above, X_WA, 0.02 * r) : contact(above, X_WA, below, X_WB, 0.02 * r);
      EXPECT_NEAR(m.distance, gap, 1e-14);
      EXPECT_EQ(m.count, 8) << i;
      for (int k = 0; k < m.count; ++k) {
        const Vector p = transpose_times(X_WA.R, m.points[k].p - X_WA.p);
        // a chord of an octagon is within cos(pi / 8) = 0.923 of the circle
        EXPECT_GT(std::hypot(p.x, p.y), 0.92 * r) << i;
        EXPECT_LT(std::hypot(p.x, p.y), (1 + 1e-12) * r) << i;
      }
    }
  }
}

TEST(ConvexPair, LyingBodiesHaveBothEnds) {
  const Mat3<double> lying = rotation_about({0, 1, 0}, pi / 2);
  for (const Shape& a : {Shape(Cylinder{0.2, 0.5}), Shape(Capsule{0.2, 0.5})})
    for (const Shape& ground : {Shape(Box{{2, 2, 0.5}}), hull_of(Box{{2, 2, 0.5}})})
      for (const double lean : {0.0, 1e-12, 1e-6, 1e-3}) {
        const Pose X_WA{rotation_about({0, 1, 0}, lean) * lying, {0.1, 0.3, 0.7}};
        const Manifold m = contact(a, X_WA, ground, Pose::identity(), 0.01);
        ASSERT_EQ(m.count, 2) << a.index() << ", lean " << lean;
        EXPECT_NEAR(std::abs(m.points[0].p.x - m.points[1].p.x), 1, 1e-3);
      }
}

// A cylinder or capsule that lies on a face, at touch or almost: the normal is that of the face to rounding, whichever
// of the two is A, and not that of the line and a point, which may be near it.
TEST(ConvexPair, LyingBodiesHaveTheNormalOfTheFace) {
  RandomSpatial random(12);
  for (int i = 0; i < 1200; ++i) {
    const double r = random.magnitude(1e-3, 1), h = random.magnitude(1e-3, 1);
    const double R = random.magnitude(1e-3, 1), H = random.magnitude(1e-3, 1);
    const Shape grounds[] = {Cylinder{R, H}, Cylinder{R, H}, Cylinder{R, H}, Box{{R, R, H}}, hull_of(Box{{R, R, H}})};
    const Shape& ground = grounds[i % 5];
    const Shape lying = i % 2 ? Shape(Cylinder{r, h}) : Shape(Capsule{r, h});
    const double gap = i % 3 == 0 ? 0.0 : random.even(1) * random.magnitude(1e-12, 1e-6);
    const double turn = i % 4 == 0 ? 0.0 : random.even(3), t = random.even(3),
                 aside = i % 4 == 1 ? 0.0 : 0.9 * R * random.unit();
    const Pose X{random.rotation(), {0, 0, 0}};
    const Pose X_lying = X * Pose{rotation_about({0, 0, 1}, turn) * rotation_about({0, 1, 0}, pi / 2),
                                  {aside * std::cos(t), aside * std::sin(t), H + r + gap}};
    const Manifold over = contact(lying, X_lying, ground, X), under = contact(ground, X, lying, X_lying);
    // coordinates of at most 4 m, rotated a few times
    EXPECT_LT(norm(over.normal - X.R.z), 1e-14) << i;
    EXPECT_LT(norm(under.normal + X.R.z), 1e-14) << i;
    EXPECT_NEAR(over.distance, gap, 1e-14) << i;
    EXPECT_NEAR(under.distance, gap, 1e-14) << i;
  }
}

// The features stay the same while a box slides and rotates a little on another.
TEST(ConvexPair, FeaturesStay) {
  const Shape a = hull_of(Box{{0.5, 0.4, 0.3}}), b = Box{{2, 2, 0.5}};
  RandomSpatial random(11);
  std::vector<std::uint32_t> first;
  for (int step = 0; step < 100; ++step) {
    const Mat3<double> R = rotation_about(random.direction(), 1e-6 * random.unit());
    const Manifold m = contact(a, {R, {0.01 * step, 0, 0.8 + random.even(1e-6)}}, b, Pose::identity(), 0.01);
    std::vector<std::uint32_t> features;
    for (int i = 0; i < m.count; ++i) features.push_back(m.points[i].feature);
    std::sort(features.begin(), features.end());
    if (step == 0) first = features;
    EXPECT_EQ(features, first);
  }
}

// --- triangles ---

TEST(ConvexTriangle, IsAFlatHull) {
  RandomSpatial random(12);
  for (int i = 0; i < convex_testing::kinds; ++i)
    for (int k = 0; k < 50; ++k) {
      const Shape a = random_convex(random, i);
      const Vector corners[] = {random.vector(), random.vector(), random.vector()};
      const Shape triangle = hull_of({corners[0], corners[1], corners[2]});
      const Pose X_WA = random.pose();
      Manifold m;
      ASSERT_TRUE(core_triangle(core_of(a), X_WA, corners, infinity, m));
      EXPECT_TRUE(sound(a, X_WA, triangle, Pose::identity(), infinity, m)) << kind_names[i];
      EXPECT_NEAR(m.distance, distance_of(a, X_WA, triangle, Pose::identity()), 1e-11) << kind_names[i];
    }
}

// A box on a steep triangle's upper corner, whichever of the three it is: one point, numbered by that corner.
TEST(ConvexTriangle, BoxOnACorner) {
  const Vector tip{0.1, 0.2, 0}, left{-0.5, 0.1, -1}, right{0.4, -0.3, -1.2};
  for (int k = 0; k < 3; ++k) {
    Vector corners[3];
    corners[k] = tip, corners[(k + 1) % 3] = left, corners[(k + 2) % 3] = right;
    for (const double gap : {-1e-3, 0.0, 1e-3}) {
      Manifold m;
      ASSERT_TRUE(core_triangle(core_of(Box{{2, 2, 0.5}}), {upright, {0, 0, 0.5 + gap}}, corners, infinity, m));
      EXPECT_NEAR(m.distance, gap, 1e-14);
      ASSERT_EQ(m.count, 1) << "corner " << k;
      EXPECT_LE(norm(on_b(m, m.points[0]) - tip), 1e-14) << "corner " << k;
      EXPECT_EQ(m.points[0].feature & 0xffff, std::uint32_t(k));
    }
  }
}

TEST(ConvexTriangle, BoxOnGround) {
  const Vector ground[] = {{1000, 1000, 5}, {1010, 1000, 5}, {1000, 1010, 5}};
  Manifold m;
  ASSERT_TRUE(core_triangle(core_of(Box{{0.1, 0.1, 0.1}}), {upright, {1002, 1003, 5.1 - 1e-3}}, ground, 0.01, m));
  EXPECT_EQ(m.count, 4);
  EXPECT_NEAR(m.distance, -1e-3, 1e-12);
  EXPECT_NEAR(m.normal.z, 1, 1e-15);
}

}  // namespace
}  // namespace linchpin

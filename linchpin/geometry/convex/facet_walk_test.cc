#include "linchpin/geometry/convex/facet_walk.h"

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/convex_testing.h"
#include "linchpin/geometry/convex/separation.h"

namespace linchpin {
namespace {

using namespace geometry_testing;
using convex_testing::pair_of;
using convex_testing::Scene;
Scene random_hulls(RandomSpatial& random, double gap) {
  const Shape a = convex_testing::random_convex(random, 6), b = convex_testing::random_convex(random, 6);
  const auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b, gap);
  return {a, b, X_WA, X_WB};
}

// In penetration the result is the largest s of all face normals and cross products of edges, which is exact. Apart,
// its points meet along n.
TEST(FacetWalk, ArrivesAtTheBest) {
  RandomSpatial random(1);
  for (const double gap : {-0.1, -0.01, -1e-3, -1e-9, 1e-9, 1e-3, 0.01, 0.1}) {
    int arrived = 0;
    for (int k = 0; k < 40; ++k) {
      const Scene scene = random_hulls(random, gap);
      const CorePair pair = pair_of(scene);
      Direction best;
      if (facet_walk(pair, infinity, best) != Walk::arrived) continue;
      ++arrived;
      EXPECT_LE(best.miss, 1e-12 * pair.size);
      const Vector n = scene.X_WA.R * best.n;
      EXPECT_NEAR(best.s, separation(scene.a, scene.X_WA, scene.b, scene.X_WB, n), 1e-14);
      if (gap < 0) {
        EXPECT_NEAR(best.s, largest_separation(scene.a, scene.X_WA, scene.b, scene.X_WB, 0), 1e-13) << gap;
      }
    }
    if (std::abs(gap) <= 1e-3) {
      EXPECT_GT(arrived, 30) << gap;
    }
  }
}

// Each kind of facet, in poses where it is obvious.
TEST(FacetWalk, CubesByHand) {
  const Shape cube = ConvexHull{std::make_shared<Hull>(convex_hull(corners(Box{{0.5, 0.5, 0.5}})).value())};
  const double pi = std::numbers::pi, half_diagonal = std::sqrt(0.5);
  for (const double gap : {-1e-3, 1e-3}) {
    Direction best;
    // An edge across an edge, both perpendicular to z.
    const Mat3<double> on_edge_x = rotation_about({1, 0, 0}, pi / 4), on_edge_y = rotation_about({0, 1, 0}, pi / 4);
    ASSERT_EQ(
        facet_walk(pair_of({cube, cube, {on_edge_x, {0.1, 0.2, 2 * half_diagonal + gap}}, {on_edge_y, {0, 0, 0}}}),
                   infinity, best),
        Walk::arrived);
    EXPECT_NEAR(best.s, gap, 1e-14);
    EXPECT_EQ(best.count, 2);
    // A corner on a face, and the other way round.
    const Mat3<double> on_corner = rotation_about(unit({1, -1, 0}), std::acos(1 / std::sqrt(3)));
    const Pose above{on_corner, {0.1, 0.2, 0.5 + std::sqrt(0.75) + gap}};
    ASSERT_EQ(facet_walk(pair_of({cube, cube, above, Pose::identity()}), infinity, best), Walk::arrived);
    EXPECT_NEAR(best.s, gap, 1e-14);
    ASSERT_EQ(facet_walk(pair_of({cube, cube, Pose::identity(), above}), infinity, best), Walk::arrived);
    EXPECT_NEAR(best.s, gap, 1e-14);
  }
}

// A corner over a corner: no facet contains the origin's foot. A small cube in the middle of a large one: (2) fails.
TEST(FacetWalk, SaysSoWhenLost) {
  const auto cube_of = [](double half) {
    return ConvexHull{std::make_shared<Hull>(convex_hull(corners(Box{{half, half, half}})).value())};
  };
  const Mat3<double> upright = Mat3<double>::identity();
  Direction best;
  EXPECT_EQ(
      facet_walk(pair_of({cube_of(0.5), cube_of(0.5), {upright, {1.2, 1.3, 1.4}}, Pose::identity()}), infinity, best),
      Walk::lost);
  EXPECT_EQ(
      facet_walk(pair_of({cube_of(1), cube_of(0.1), {upright, {0.9, 0.01, 0.02}}, Pose::identity()}), infinity, best),
      Walk::arrived);
  EXPECT_EQ(
      facet_walk(pair_of({cube_of(1), cube_of(0.1), {upright, {1.05, 1.04, 1.03}}, Pose::identity()}), infinity, best),
      Walk::lost);
}

TEST(FacetWalk, SaysFarOnlyWhenItIs) {
  RandomSpatial random(3);
  int far = 0;
  for (int k = 0; k < 500; ++k) {
    const double gap = 0.1 * random.unit(), limit = 0.1 * random.unit();
    const Scene scene = random_hulls(random, gap);
    const CorePair pair = pair_of(scene);
    Direction best;
    if (facet_walk(pair, limit, best) != Walk::far) continue;
    ++far;
    Direction exact;
    EXPECT_TRUE(separate(pair, infinity, exact));
    EXPECT_GT(exact.s, limit);
  }
  EXPECT_GT(far, 100);
}

}  // namespace
}  // namespace linchpin

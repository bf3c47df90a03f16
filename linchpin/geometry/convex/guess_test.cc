#include "linchpin/geometry/convex/guess.h"

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/convex_testing.h"

namespace linchpin {
namespace {

using namespace geometry_testing;
using convex_testing::kind_names;
using convex_testing::pair_of;
using convex_testing::Scene;
constexpr int cylinder = 3;

// Proved results hold by the support functions of testing.h: no direction is better by more than the twentieth of (2)
// within the ring. The fraction of proved results is checked too.
TEST(Guess, ProvesTheBest) {
  RandomSpatial random(1);
  for (const double gap : {-1e-2, -1e-3, -1e-6, 1e-6, 1e-3, 1e-2}) {
    int proved = 0, all = 0;
    for (int i = 1; i < convex_testing::kinds; ++i)
      for (int j = cylinder; j < 6; ++j)
        for (int k = 0; k < 3; ++k) {
          const Shape a = convex_testing::random_convex(random, i), b = convex_testing::random_convex(random, j);
          const auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b, gap);
          const Scene scene{a, b, X_WA, X_WB};
          const CorePair pair = pair_of(scene);
          Direction best;
          ++all;
          if (guess(pair, infinity, best) != Guess::proved) continue;
          ++proved;
          const double balls = pair.a.ball + pair.b.ball;
          const Vector n = X_WA.R * best.n;
          EXPECT_NEAR(best.s - balls, separation(a, X_WA, b, X_WB, n), 1e-13) << kind_names[i] << kind_names[j];
          EXPECT_LE(norm(fma(-best.s, best.n, best.a - best.b)), 2e-13 * pair.size);
          const double largest = largest_separation(a, X_WA, b, X_WB);
          EXPECT_LE(largest + balls, (best.s > 0 ? 1 : 0.95) * best.s + 1e-9)
              << kind_names[i] << " and " << kind_names[j] << ", gap " << gap;
        }
    EXPECT_GT(proved, 0.7 * all) << gap;
  }
}

// Every kind of guess, in poses where the features that meet are obvious.
TEST(Guess, CylindersByHand) {
  const double pi = std::numbers::pi;
  const Cylinder can{0.15, 0.2};
  const Mat3<double> upright = Mat3<double>::identity(), along_x = rotation_about({0, 1, 0}, pi / 2),
                     along_y = rotation_about({1, 0, 0}, pi / 2);
  for (const double gap : {-1e-3, 1e-3}) {
    const auto found = [&](const Shape& b, const Pose& X_WA, const Pose& X_WB) {
      Direction best;
      EXPECT_EQ(guess(pair_of({can, b, X_WA, X_WB}), infinity, best), Guess::proved);
      return best.s;
    };
    EXPECT_NEAR(found(Box{{0.4, 0.4, 0.2}}, {upright, {0.07, 0.04, 0.4 + gap}}, Pose::identity()), gap, 1e-14);
    EXPECT_NEAR(found(Box{{0.05, 0.05, 0.2}}, {upright, {0.07, 0.04, 0.4 + gap}}, Pose::identity()), gap, 1e-14);
    EXPECT_NEAR(found(Box{{0.4, 0.4, 0.2}}, {along_x, {0.07, 0.04, 0.35 + gap}}, Pose::identity()), gap, 1e-14);
    EXPECT_NEAR(found(can, {along_x, {0.07, 0.04, 0.3 + gap}}, {along_y, {0, 0, 0}}), gap, 1e-14);
    EXPECT_NEAR(found(Capsule{0.1, 0.3}, {along_x, {0.07, 0.04, 0.25 + gap}}, {along_y, {0, 0, 0}}), gap + 0.1, 1e-14);
  }
}

// Caps inclined to each other by a tiny angle meet where their rims cross, (3) of guess.cc, or where one rim is lowest.
TEST(Guess, CansThatLeanOnCans) {
  const Cylinder can{0.15, 0.2}, wide{0.2, 0.1};
  int proved = 0;
  constexpr int directions = 60;
  for (int k = 0; k < directions; ++k) {
    const double t = 2 * std::numbers::pi * k / directions;
    const Pose X_WA{rotation_about({std::cos(t), std::sin(t), 0}, 1e-5), {0.12, 0.05, 0.3 + 1e-3}};
    const Scene scene{can, wide, X_WA, Pose::identity()};
    Direction best;
    if (guess(pair_of(scene), infinity, best) != Guess::proved) continue;
    ++proved;
    EXPECT_GE(best.s, largest_separation(scene.a, scene.X_WA, scene.b, scene.X_WB) - 1e-12);
  }
  EXPECT_GT(proved, 0.7 * directions);  // the search finds the rest, in more time
}

// A small ellipsoid in the middle of a large one: all directions have about the same depth, so none is proved.
TEST(Guess, LeavesDeepOnesOpen) {
  Direction best;
  EXPECT_EQ(guess(pair_of({Ellipsoid{{1, 1, 1.01}},
                           Ellipsoid{{0.1, 0.1, 0.1}},
                           Pose::identity(),
                           {Mat3<double>::identity(), {0.01, 0.02, 0}}}),
                  infinity, best),
            Guess::open);
}

TEST(Guess, SaysFarOnlyWhenItIs) {
  RandomSpatial random(3);
  int far = 0;
  for (int k = 0; k < 300; ++k) {
    const double gap = 0.1 * random.unit(), limit = 0.1 * random.unit();
    const Shape a = convex_testing::random_convex(random, 1 + k % 6),
                b = convex_testing::random_convex(random, 3 + k % 3);
    const auto [X_WA, X_WB] = convex_testing::random_poses(random, a, b, gap);
    const CorePair pair = pair_of({a, b, X_WA, X_WB});
    Direction best;
    if (guess(pair, limit + pair.a.ball + pair.b.ball, best) != Guess::far) continue;
    ++far;
    EXPECT_GT(gap, limit - 1e-3 * (1e-6 + gap));
  }
  EXPECT_GT(far, 50);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/geometry/scene/collision_scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/base/splitmix.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {
namespace {

using geometry_testing::Pose;

Pose at(double x, double y, double z) { return {Mat3<double>::identity(), {x, y, z}}; }

SceneShape on_frame(int frame, const Shape& shape) { return {.shape = shape, .frame = frame}; }

// Spheres of radius 0.5 along x, one on each frame, the first on the world.
SceneSpec row_of_balls(int count) {
  SceneSpec spec;
  spec.frames = count;
  for (int i = 0; i < count; ++i) spec.shapes.push_back(on_frame(i, Sphere{0.5}));
  return spec;
}
std::vector<Pose> row_of_poses(int count, double spacing) {
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) poses.push_back(at(spacing * i, 0, 0));
  return poses;
}

// The pairs found, as text: "0-1 1-2".
std::string pairs_of(const SceneSpec& spec, const std::vector<Pose>& poses, std::vector<double> reach = {}) {
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  find_contacts(scene, poses, reach, ws, contacts);
  std::string out;
  for (const ShapePair& p : contacts.pairs) {
    EXPECT_GE(p.count, 1);
    out += (out.empty() ? "" : " ") + std::to_string(p.a) + "-" + std::to_string(p.b);
  }
  return out;
}

TEST(CollisionScene, FindsThoseThatTouch) {
  EXPECT_EQ(pairs_of(row_of_balls(4), row_of_poses(4, 0.9)), "0-1 1-2 2-3");
  EXPECT_EQ(pairs_of(row_of_balls(4), row_of_poses(4, 1.1)), "");
}

TEST(CollisionScene, MarginsAndReachAddUp) {
  SceneSpec spec = row_of_balls(3);
  spec.shapes[1].margin = 0.06;
  EXPECT_EQ(pairs_of(spec, row_of_poses(3, 1.1)), "");  // a gap of 0.1
  spec.shapes[2].margin = 0.05;
  EXPECT_EQ(pairs_of(spec, row_of_poses(3, 1.1)), "1-2");
  EXPECT_EQ(pairs_of(spec, row_of_poses(3, 1.1), {0, 0.05, 0}), "0-1 1-2");
}

TEST(CollisionScene, NothingTouchesOnOneFrame) {
  SceneSpec spec = row_of_balls(2);
  spec.shapes.push_back(on_frame(1, Box{{1, 1, 1}}));
  spec.shapes.push_back(on_frame(0, HalfSpace{}));
  EXPECT_EQ(pairs_of(spec, row_of_poses(2, 5)), "1-3 2-3");  // not 0-3, not 1-2
}

TEST(CollisionScene, GroupsAgreeOneWayAtLeast) {
  SceneSpec spec = row_of_balls(2);
  const std::vector<Pose> poses = row_of_poses(2, 0.9);
  for (std::uint32_t bits = 0; bits < 16; ++bits) {
    spec.shapes[0].groups = bits & 1, spec.shapes[0].touches = bits >> 1 & 1;
    spec.shapes[1].groups = bits >> 2 & 1, spec.shapes[1].touches = bits >> 3 & 1;
    const bool expected =
        (spec.shapes[0].groups && spec.shapes[1].touches) || (spec.shapes[1].groups && spec.shapes[0].touches);
    EXPECT_EQ(pairs_of(spec, poses), expected ? "0-1" : "") << bits;
  }
}

TEST(CollisionScene, FramesKeptApart) {
  SceneSpec spec = row_of_balls(4);
  spec.apart = {{2, 1}, {1, 2}};
  EXPECT_EQ(pairs_of(spec, row_of_poses(4, 0.9)), "0-1 2-3");
}

TEST(CollisionScene, NamedPairsAreLookedAtAllTheSame) {
  SceneSpec spec = row_of_balls(4);
  spec.apart = {{1, 2}};
  spec.shapes[3].groups = spec.shapes[3].touches = 0;
  spec.pairs = {{2, 1, {}, {}}, {2, 3, 0.2, {}}};
  EXPECT_EQ(pairs_of(spec, row_of_poses(4, 0.9)), "0-1 1-2 2-3");
  EXPECT_EQ(pairs_of(spec, row_of_poses(4, 1.1)), "2-3");  // by its own margin
  spec.pairs = {{0, 1, 0.0, {}}};
  spec.shapes[0].margin = 1;
  EXPECT_EQ(pairs_of(spec, row_of_poses(4, 1.1)), "");  // it replaces the shapes' margins
}

// Those that are far are not looked at, nor are two on one frame, be they named or not.
TEST(CollisionScene, OnlyNamedPairsThatAreNearAreLookedAt) {
  SceneSpec spec = row_of_balls(5);
  spec.shapes.push_back(on_frame(1, Sphere{0.5}));  // shape 5, where shape 1 is
  spec.pairs = {{0, 4, 0.1, {}}, {1, 3, 0.5, {}}, {1, 5, 1.0, {}}, {2, 3, 0.3, {}}};
  EXPECT_EQ(pairs_of(spec, row_of_poses(5, 0.9)), "0-1 0-5 1-2 2-3 2-5 3-4");
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  find_near_pairs(scene, row_of_poses(5, 1.2), {}, ws);
  ASSERT_EQ(ws.near.size(), 1u);  // a gap of 0.2
  EXPECT_EQ(ws.near[0], (BoxPair{2, 3}));
}

// ------------------------------------------------------------------------------------------------ motion of frames

TEST(ClosingSpeed, ByHand) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto both_ways = [](const MovingSphere& a, const MovingSphere& b) {
    EXPECT_EQ(closing_speed(a, b), closing_speed(b, a));
    return closing_speed(a, b);
  };
  const MovingSphere still{{7, 0, 0}, {0, 0, 0}, {0, 0, 0}, 10}, wall{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, inf};
  EXPECT_EQ(both_ways({{0, 0, 0}, {3, 0, 0}, {0, 0, 0}, 1}, {{9, 9, 9}, {0, 4, 0}, {0, 0, 0}, 2}), 5);
  EXPECT_EQ(both_ways({{0, 0, 0}, {0, 0, 0}, {0, 0, 2}, 0.5}, still), 1);  // its rim
  EXPECT_EQ(both_ways({{0, 0, 0}, {0, 2, 0}, {0, 0, 4}, 0.5}, wall), 4);
  EXPECT_EQ(both_ways({{0, 0, 0}, {0, 2, 0}, {0, 0, 0}, inf}, wall), 2);
  EXPECT_EQ(both_ways({{0, 0, 0}, {0, 2, 0}, {0, 0, 1}, inf}, wall), inf);
  // two parts of one body that turns about the origin
  EXPECT_EQ(both_ways({{1, 0, 0}, {0, 3, 0}, {0, 0, 3}, 5}, {{0, -2, 0}, {6, 0, 0}, {0, 0, 3}, 5}), 0);
}

// No point of one frame is faster, as seen from the other, than the bound by that frame's own radius.
TEST(ClosingSpeed, BoundsTheSpeedOfPoints) {
  RandomSpatial random(21);
  for (int i = 0; i < 300; ++i) {
    const auto sphere = [&] {
      return MovingSphere{random.vector(2), random.vector(3), random.vector(4), random.magnitude(0.01, 2)};
    };
    const MovingSphere a = sphere(), b = sphere();
    const auto fastest = [&](const MovingSphere& p, const MovingSphere& q) {
      double most = 0;
      for (int k = 0; k < 200; ++k) {
        const Vec3<double> x = p.centre + p.radius * random.direction();
        most = std::max(most, norm(p.v + cross(p.w, x - p.centre) - q.v - cross(q.w, x - q.centre)));
      }
      return most;
    };
    const double of_a = fastest(a, b), of_b = fastest(b, a), bound = closing_speed(a, b);
    EXPECT_GE(bound, std::min(of_a, of_b) * (1 - 1e-14)) << i;
    // tight up to the angle between the two velocities that add up: sqrt(2), and the samples
    EXPECT_LE(bound, 1.7 * std::min(of_a, of_b)) << i;
  }
}

TEST(ClosingSpeed, DistanceInAStep) {
  const std::vector<MovingSphere> frames{{{0, 0, 0}, {3, 0, 0}, {0, 0, 0}, 1},
                                         {{9, 0, 0}, {0, 4, 0}, {0, 0, 0}, 1},
                                         {{5, 0, 0}, {0, 0, 0}, {0, 0, 2}, 0.5},
                                         {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1}};
  const SceneMotion motion{frames, 0.1, 0.01};
  EXPECT_NEAR(motion.closing_distance(0, 1), 0.1 * 1.1 * 5 + 0.01, 1e-15);  // (4)
  EXPECT_NEAR(motion.closing_distance(2, 3), 0.1 * (1.1 + 0.1 * 2) * 1 + 0.01, 1e-15);
  EXPECT_NEAR(motion.closing_distance(3, 2), motion.closing_distance(2, 3), 1e-15);
}

// Two balls of radius 0.5 with a gap, each of which may reach 1 m.
struct TwoBalls {
  SceneSpec spec = row_of_balls(3);
  std::vector<Pose> poses;
  std::vector<double> reach{0, 1, 1};
  std::vector<MovingSphere> slow, fast;  // 0 and 5 m/s
  CollisionScene scene{spec};
  SceneWorkspace ws{scene};
  explicit TwoBalls(double gap) : poses{at(-50, 0, 0), at(0, 0, 0), at(1 + gap, 0, 0)} {
    for (const Pose& X : poses) slow.push_back({X.p, {0, 0, 0}, {0, 0, 0}, 0.5});
    fast = slow;
    fast[1].v = {5, 0, 0};
    find_near_pairs(scene, poses, reach, ws);
    EXPECT_EQ(ws.near, (std::vector<BoxPair>{{1, 2}}));
  }
  SceneMotion at_rest(double extra = 0.01) const { return {slow, 0.1, extra}; }
  SceneMotion closing(double extra = 0.01) const { return {fast, 0.1, extra}; }  // by 0.55 m and `extra`
  std::size_t found(const SceneMotion& motion) {
    SceneContacts contacts;
    find_near_contacts(scene, reach, motion, ws, contacts);
    return contacts.pairs.size();
  }
  bool may_miss(const SceneMotion& motion, const SceneMotion& after) {
    return may_miss_contacts(scene, reach, motion, after, ws);
  }
};

TEST(SceneMotion, LimitsHowFarContactsAreSearched) {
  TwoBalls near(0.005), beside(0.5), far(0.6);
  EXPECT_EQ(near.found(near.at_rest()), 1u);
  EXPECT_EQ(beside.found(beside.at_rest()), 0u);
  EXPECT_EQ(beside.found(beside.closing()), 1u);
  EXPECT_EQ(far.found(far.closing()), 0u);
  EXPECT_EQ(far.found(far.closing(0.1)), 1u);
  EXPECT_EQ(far.found(far.at_rest(1)), 1u);  // the reaches are within twice the extra, and count in full
  far.reach = {0, 0.25, 0.25};               // a body that is faster than its reach is searched as far as that goes
  far.fast[1].v = {50, 0, 0};
  EXPECT_EQ(far.found(far.closing()), 0u);
}

TEST(SceneMotion, WhatMayHaveBeenMissed) {
  TwoBalls touching(-0.001), beside(0.5), far(0.6);
  EXPECT_TRUE(beside.may_miss(beside.at_rest(), beside.closing()));
  EXPECT_FALSE(beside.may_miss(beside.at_rest(), beside.at_rest()));
  EXPECT_FALSE(beside.may_miss(beside.closing(), beside.closing()));  // it was searched as far
  EXPECT_FALSE(beside.may_miss(beside.closing(), beside.at_rest()));
  EXPECT_FALSE(far.may_miss(far.at_rest(), far.closing()));  // it does not come so far
  EXPECT_FALSE(touching.may_miss(touching.at_rest(), touching.at_rest()));
  EXPECT_FALSE(touching.may_miss(touching.closing(), touching.at_rest()));
  // searched as far as the reaches go
  EXPECT_FALSE(beside.may_miss(beside.at_rest(1), beside.closing(1)));
  beside.fast[1].v = {50, 0, 0};
  EXPECT_FALSE(beside.may_miss(beside.closing(), beside.closing()));
  EXPECT_TRUE(beside.may_miss(beside.at_rest(), beside.closing()));
}

// By definition: any wanted pair.
bool any_wanted(const SceneSpec& spec) {
  const CollisionScene scene(spec);
  const int count = int(spec.shapes.size());
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b)
      if (scene.wanted(a, b)) return true;
  return false;
}

TEST(CollisionScene, WhetherAnythingMayTouch) {
  int yes = 0;
  const int cases = 4000;
  for (int seed = 0; seed < cases; ++seed) {
    SplitMix random(std::uint64_t(seed) + 1);
    const auto below = [&](int n) { return int(random.next() % std::uint64_t(n)); };
    SceneSpec spec;
    spec.frames = 1 + below(5);
    const int shapes = below(7);
    for (int i = 0; i < shapes; ++i) {
      spec.shapes.push_back(on_frame(below(spec.frames), Sphere{0.5}));
      spec.shapes[i].groups = std::rotr(std::uint32_t(below(4)), 1);  // the first group and the last
      spec.shapes[i].touches = std::rotr(std::uint32_t(below(4)), 1);
    }
    for (int i = below(12); i > 0; --i) spec.apart.push_back({below(spec.frames), below(spec.frames)});
    if (shapes > 1 && below(8) == 0) spec.pairs.push_back({0, 1, {}, {}});
    const bool expected = any_wanted(spec);
    EXPECT_EQ(any_may_touch(spec), expected) << "seed " << seed;
    yes += expected;
  }
  EXPECT_TRUE(yes > cases / 4 && yes < 3 * cases / 4) << yes << " of " << cases;
}

// A look at every pair would be 1.2e11 looks, longer than a test may take.
TEST(CollisionScene, ThatNothingMayTouchIsSeenWithoutALookAtEveryPair) {
  const int count = 500'000;
  SceneSpec spec = row_of_balls(count);
  for (SceneShape& s : spec.shapes) s.touches = 0;
  EXPECT_FALSE(any_may_touch(spec));
  // Only frames 7 and 8 could, and these are kept apart, as all neighbours are.
  for (int f = 1; f < count; ++f) spec.apart.push_back({f - 1, f});
  spec.shapes[7].groups = 2;
  spec.shapes[8].touches = 2;
  EXPECT_FALSE(any_may_touch(spec));
  spec.shapes[9].touches = 2;
  EXPECT_TRUE(any_may_touch(spec));
}

TEST(CollisionScene, MaterialsOfPairs) {
  SceneSpec spec = row_of_balls(3);
  PairMaterial ice;
  ice.friction = {0.01, 0.01};
  spec.pairs = {{1, 0, {}, ice}};
  const CollisionScene scene(spec);
  EXPECT_EQ(scene.material(0, 1).friction.mu_static, 0.01);
  const PairMaterial usual = combine(spec.shapes[1].material, spec.shapes[2].material, spec.rules);
  EXPECT_EQ(scene.material(1, 2).friction.mu_static, usual.friction.mu_static);
}

// Each of three shapes has a material of its own, and each pair the geometric mean of its two (material.h).
TEST(CollisionScene, MaterialsAreThoseOfTheTwoShapes) {
  SceneSpec spec = row_of_balls(3);
  const double mu[] = {0.04, 0.25, 0.81}, bounce[] = {0.1, 0.6, 0.3};
  for (int i = 0; i < 3; ++i) {
    spec.shapes[i].material.friction = {mu[i], mu[i] / 4};
    spec.shapes[i].material.restitution = bounce[i];
  }
  const CollisionScene scene(spec);
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b) {
      const PairMaterial pair = scene.material(a, b);
      EXPECT_NEAR(pair.friction.mu_static, std::sqrt(mu[a] * mu[b]), 1e-15);
      EXPECT_NEAR(pair.friction.mu_kinetic, std::sqrt(mu[a] * mu[b]) / 4, 1e-15);
      EXPECT_EQ(pair.restitution, std::max(bounce[a], bounce[b]));
    }
}

TEST(CollisionScene, RefusesWhatDoesNotFit) {
  SceneSpec spec = row_of_balls(2);
  spec.shapes[1].frame = 2;
  EXPECT_THROW(CollisionScene{spec}, CheckFailed);
  spec = row_of_balls(2);
  spec.pairs = {{0, 2, {}, {}}};
  EXPECT_THROW(CollisionScene{spec}, CheckFailed);
  spec.pairs = {{0, 1, {}, {}}, {1, 0, {}, {}}};
  EXPECT_THROW(CollisionScene{spec}, CheckFailed);
  spec.pairs = {};
  spec.apart = {{0, -1}};
  EXPECT_THROW(CollisionScene{spec}, CheckFailed);
  const CollisionScene scene(row_of_balls(2));
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  EXPECT_THROW(find_contacts(scene, row_of_poses(3, 1), {}, ws, contacts), CheckFailed);
  const std::vector<double> reach{0, std::nan("")};  // unchecked, it would silently find nothing
  EXPECT_THROW(find_contacts(scene, row_of_poses(2, 1), reach, ws, contacts), CheckFailed);
}

// Shapes of every convex kind in a heap.
SceneSpec heap(int count, RandomSpatial& random) {
  SceneSpec spec;
  spec.frames = count + 1;
  spec.shapes.push_back(on_frame(0, HalfSpace{}));
  const std::vector<Shape> kinds = one_of_each_kind(random);
  for (int i = 1; i <= count; ++i) {
    SceneShape s = on_frame(i, kinds[i % 7]);
    s.X_FS = random.pose(0.1);
    s.margin = 0.05;
    spec.shapes.push_back(s);
  }
  return spec;
}

bool same_bits(const Manifold& m, const Manifold& n) {
  const auto same = [](const Vec3<double>& a, const Vec3<double>& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  if (!same(m.normal, n.normal) || m.count != n.count || m.distance != n.distance) return false;
  for (int k = 0; k < m.count; ++k)
    if (!same(m.points[k].p, n.points[k].p) || m.points[k].gap != n.points[k].gap ||
        m.points[k].feature != n.points[k].feature)
      return false;
  return true;
}

// Pairs left out by the broad phase have no contact: testing every pair by itself gives the same bits.
TEST(CollisionScene, AgreesWithEveryPairByItself) {
  RandomSpatial random(7);
  const CollisionScene scene(heap(60, random));
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  for (int round = 0; round < 20; ++round) {
    std::vector<Pose> poses{Pose::identity()};
    for (int i = 1; i < scene.frames(); ++i) poses.push_back(random.pose(1.5));
    std::vector<double> reach;
    for (int i = 0; i < scene.frames(); ++i) reach.push_back(0.05 * random.unit());
    find_contacts(scene, poses, reach, ws, contacts);
    std::size_t next = 0;
    ManifoldList alone;
    const auto shapes = scene.shapes();
    for (std::size_t a = 0; a < shapes.size(); ++a)
      for (std::size_t b = a + 1; b < shapes.size(); ++b) {
        alone.clear();
        const double margin = shapes[a].margin + shapes[b].margin + reach[a] + reach[b];
        const int count = collide(shapes[a].shape, poses[a] * shapes[a].X_FS, shapes[b].shape,
                                  poses[b] * shapes[b].X_FS, margin, alone);
        if (count == 0) continue;
        ASSERT_LT(next, contacts.pairs.size());
        const ShapePair& pair = contacts.pairs[next++];
        ASSERT_EQ(pair.a, int(a));
        ASSERT_EQ(pair.b, int(b));
        ASSERT_EQ(pair.count, count);
        EXPECT_TRUE(same_bits(contacts.manifolds[pair.first], alone[0]));
      }
    EXPECT_EQ(next, contacts.pairs.size());
    EXPECT_GT(next, 50u);
  }
}

TEST(CollisionScene, PosesThatAreNoneTouchNothing) {
  std::vector<Pose> poses = row_of_poses(4, 0.9);
  poses[2].p.y = std::nan("");
  EXPECT_EQ(pairs_of(row_of_balls(4), poses), "0-1");
}

}  // namespace
}  // namespace linchpin

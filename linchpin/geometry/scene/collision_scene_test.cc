#include "linchpin/geometry/scene/collision_scene.h"

#include <algorithm>
#include <cmath>
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
      spec.shapes[i].groups = std::uint32_t(below(4)) << 30;
      spec.shapes[i].touches = std::uint32_t(below(4)) << 30;
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

#include "linchpin/geometry/scene/scene_rays.h"

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/shapes_testing.h"

namespace linchpin {
namespace {

// The nearest hit of all shapes, each tested by itself.
TEST(SceneRays, MeetWhatIsNearest) {
  RandomSpatial random(1);
  SceneSpec spec;
  spec.frames = 80;
  const Shape kinds[] = {Sphere{0.2}, Box{{0.1, 0.2, 0.3}}, Capsule{0.1, 0.2}, Cylinder{0.2, 0.1}, Cone{0.2, 0.2}};
  for (int i = 1; i < spec.frames; ++i) {
    spec.shapes.push_back({.shape = kinds[i % 5], .frame = i});
    spec.shapes.back().groups = i % 3 == 0 ? 2 : 1;
  }
  spec.shapes.push_back({.shape = HalfSpace{}});
  spec.shapes.back().X_FS.p.z = -3;
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  const std::vector<Transform<double>> poses = random_frames(random, spec.frames, 2);
  find_contacts(scene, poses, {}, ws, contacts);
  const SceneRays rays(scene, ws);
  int hits = 0;
  for (int round = 0; round < 2000; ++round) {
    const Ray ray{random.vector(4), random.vector(2), 3};
    const std::uint32_t groups = round % 2 ? 1 : ~0u;
    std::optional<SceneHit> expected;
    for (int i = 0; i < int(scene.shapes().size()); ++i) {
      if ((scene.shapes()[i].groups & groups) == 0) continue;
      const std::optional<RayHit> hit = cast(ray, scene.shapes()[i].shape, ws.X_WS[i]);
      if (hit && (!expected || hit->t < expected->hit.t)) expected = {i, *hit};
    }
    const std::optional<SceneHit> found = rays.cast(ray, groups);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) continue;
    ++hits;
    EXPECT_EQ(found->shape, expected->shape);
    EXPECT_EQ(found->hit.t, expected->hit.t);
  }
  EXPECT_GT(hits, 500);
}

// Shapes in one place are hit at the same time; the first of them is reported, of those that are asked for.
TEST(SceneRays, OfEqualsTheFirst) {
  SceneSpec spec;
  spec.frames = 41;
  for (int i = 1; i < spec.frames; ++i) {
    spec.shapes.push_back({.shape = Box{{0.5, 0.5, 0.5}}, .frame = i});
    spec.shapes.back().groups = i <= 20 ? 1 : 2;
  }
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  std::vector<Transform<double>> poses(41, Transform<double>::identity());
  for (int i = 1; i < spec.frames; ++i) poses[i].p.x = i % 4 < 2 ? 2 : 0;  // in two places, the first at 2
  find_contacts(scene, poses, {}, ws, contacts);
  const SceneRays rays(scene, ws);
  const auto first = [&](double from, double to, std::uint32_t groups) {
    const std::optional<SceneHit> hit = rays.cast({{from, 0.1, 0.2}, {to - from, 0, 0}}, groups);
    EXPECT_TRUE(hit);
    return hit ? hit->shape : -1;
  };
  EXPECT_EQ(first(5, 1, 3), 0);    // shape i - 1 is on frame i
  EXPECT_EQ(first(-5, -1, 3), 1);  // frame 2
  EXPECT_EQ(first(5, 1, 2), 20);   // frame 21
  EXPECT_EQ(first(-5, -1, 2), 21);
}

}  // namespace
}  // namespace linchpin

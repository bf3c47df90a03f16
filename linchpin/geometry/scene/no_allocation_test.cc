// Functions that are called in every step do not allocate once they have seen their largest input. Allocations are
// counted by a replacement of operator new in this test program.
#include <gtest/gtest.h>

#include "linchpin/base/allocation_testing.h"
#include "linchpin/geometry/scene/broad_phase.h"
#include "linchpin/geometry/scene/collision_scene.h"
#include "linchpin/geometry/scene/islands.h"
#include "linchpin/geometry/shapes/bvh.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/shapes_testing.h"

namespace linchpin {
namespace {

std::vector<Aabb> some_boxes(int n, double spread) {
  RandomSpatial random(7);
  std::vector<Aabb> boxes;
  for (int i = 0; i < n; ++i) {
    const Vec3<double> c = random.vector(spread);
    const double h = random.magnitude(0.1, 1);
    boxes.push_back(Aabb::about(c, {h, h, h}));
  }
  return boxes;
}

TEST(NoAllocation, BroadPhaseAndIslands) {
  for (const int n : {1, 10, 300, 5000}) {
    std::vector<Aabb> boxes = some_boxes(n, std::cbrt(double(n)));
    const std::vector<double> margins(boxes.size(), 0.1);
    const std::vector<std::uint8_t> fixed(boxes.size(), 0);
    std::vector<BodyPair> pairs;
    Islands islands;
    BroadPhase broad_phase;
    const auto step = [&] {
      const std::span<const BoxPair> found = broad_phase.find_pairs(boxes, margins);
      pairs.clear();
      for (const BoxPair& p : found) pairs.push_back({int(p.a), int(p.b)});
      find_islands(fixed, pairs, islands);
    };
    step();
    const std::size_t count = pairs.size();
    // moved apart a little: other numbers, no more pairs than before
    for (Aabb& b : boxes) b = Aabb::about(1.05 * centre(b), 0.5 * (b.upper - b.lower));
    const long before = allocations;
    step();
    EXPECT_EQ(allocations - before, 0) << n;
    EXPECT_LE(pairs.size(), count);
  }
}

// The skin of the boxes is relative to their size, wherever they are: with one as large as their distance from the
// origin, all boxes would be near each other, which takes memory.
TEST(NoAllocation, TheSkinIsThatOfTheBoxes) {
  for (const double scale : {1e-3, 1.0, 1e3})
    for (const Vec3<double>& away : {Vec3<double>{1e6, 0, 0}, Vec3<double>{0, 1e6, 0}, Vec3<double>{0, 0, 1e6}})
      for (const double sign : {1.0, -1.0}) {
        std::vector<Aabb> boxes = some_boxes(500, 8);
        for (Aabb& b : boxes) b = {scale * (b.lower + sign * away), scale * (b.upper + sign * away)};
        BroadPhase broad_phase;
        std::size_t found = broad_phase.find_pairs(boxes).size();
        const long before = allocations;
        for (int step = 0; step < 5; ++step) {
          for (Aabb& b : boxes) b = inflated(b, 1e-4 * scale);
          found = std::max(found, broad_phase.find_pairs(boxes).size());
        }
        EXPECT_EQ(allocations - before, 0) << "scale " << scale;
        EXPECT_GT(found, 100u);
      }
}

TEST(NoAllocation, QueriesOfAHierarchy) {
  const std::vector<Aabb> boxes = some_boxes(1000, 5);
  const Bvh bvh(boxes);
  long found = 0;
  const long before = allocations;
  bvh.for_overlapping({{0, 0, 0}, {2, 2, 2}}, [&](std::uint32_t) { ++found; });
  bvh.along({{-9, 0, 0}, {1, 0.1, 0}}, [&](std::uint32_t, double limit) { return ++found, limit; });
  bvh.nearest({{9, 9, 9}, {9, 9, 9}}, 20, [&](std::uint32_t, double bound) { return ++found, bound; });
  const long after = allocations;
  EXPECT_EQ(after - before, 0);
  EXPECT_GT(found, 3);
}

TEST(NoAllocation, RayCasts) {
  RandomSpatial random(8);
  for (int kind = 0; kind < bounded_kinds; ++kind) {
    const Shape shape = random_shape(random, kind, 0.5, 1);
    const Transform<double> X = random.pose();
    const long before = allocations;
    const auto hit = cast({X.p + Vec3<double>{5, 0, 0}, {-1, 0, 0}}, shape, X);
    EXPECT_EQ(allocations - before, 0);
    EXPECT_TRUE(hit.has_value());
  }
}

// A heap of every kind of shape on ground of triangles.
TEST(NoAllocation, ContactsOfAScene) {
  RandomSpatial random(9);
  std::vector<Shape> kinds = one_of_each_kind(random);
  const std::vector<PlacedShape> parts{{Sphere{0.3}}, {Box{{0.1, 0.1, 0.6}}}};
  kinds.push_back(Compound{std::make_shared<const std::vector<PlacedShape>>(parts)});
  const std::vector<double> level(121, -1.5);
  const Shape ground =
      HeightField{std::make_shared<const HeightGrid>(make_height_grid(11, 11, 0.5, 0.5, level, -3).value())};
  SceneSpec spec;
  spec.frames = 81;
  spec.shapes.push_back({.shape = HalfSpace{}});
  spec.shapes.push_back({.shape = ground});
  for (int i = 1; i < spec.frames; ++i) spec.shapes.push_back({.shape = kinds[i % 8], .frame = i});
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  const std::vector<Transform<double>> poses = random_frames(random, spec.frames, 1.5);
  find_contacts(scene, poses, {}, ws, contacts);
  const std::size_t found = contacts.manifolds.size();
  const long before = allocations;
  find_contacts(scene, poses, {}, ws, contacts);
  const long after = allocations;
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(contacts.manifolds.size(), found);
  EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace linchpin

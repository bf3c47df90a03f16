#include "linchpin/geometry/shapes/bvh.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

std::vector<Aabb> random_boxes(RandomSpatial& random, int n, bool flat = false) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < n; ++i) {
    const Vec3<double> c = random.vector(5), h = random.vector(0.5);
    boxes.push_back(Aabb::about(c, {std::abs(h.x), std::abs(h.y), flat ? 0 : std::abs(h.z)}));
  }
  return boxes;
}

// The intersection with six half-spaces (ray.cc), independent of the slab test of box_pack.cc.
std::optional<RayHit> cast_at_box(const Ray& ray, const Aabb& box) {
  Transform<double> X = Transform<double>::identity();
  X.p = centre(box);
  return cast(ray, Box{0.5 * box.upper - 0.5 * box.lower}, X);
}

TEST(Bvh, FindsWhatOverlaps) {
  RandomSpatial random(21);
  for (const int n : {0, 1, 5, 8, 9, 63, 64, 65, 511, 513, 1000}) {
    const std::vector<Aabb> boxes = random_boxes(random, n);
    const Bvh bvh(boxes);
    EXPECT_EQ(bvh.size(), boxes.size());
    for (int k = 0; k < 30; ++k) {
      const Vec3<double> c = random.vector(5);
      const double h = random.magnitude(1e-3, 5);
      const Aabb query = k == 0 ? Aabb::everything() : Aabb::about(c, {h, h, h});
      std::vector<std::uint32_t> found, expected;
      bvh.for_overlapping(query, [&](std::uint32_t i) { found.push_back(i); });
      for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (overlaps(query, boxes[i])) expected.push_back(i);
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << n;
    }
  }
}

TEST(Bvh, RaysMeetTheNearestBoxFirst) {
  RandomSpatial random(22);
  const std::vector<Aabb> boxes = random_boxes(random, 900);
  const Bvh bvh(boxes);
  long visits = 0;
  for (int k = 0; k < 500; ++k) {
    Ray ray{random.vector(8), random.vector(), k % 2 ? infinity : 10.0};
    if (k % 5 == 0) ray.direction = {k % 2 ? -2.0 : 3.0, 0, 0};
    if (k % 7 == 0) ray.direction.z = 0;
    double expected = infinity;
    for (const Aabb& box : boxes)
      if (const auto hit = cast_at_box(ray, box)) expected = std::min(expected, hit->t);
    double found = infinity;
    bvh.along(ray, [&](std::uint32_t i, double limit) {
      ++visits;
      const auto hit = cast_at_box(ray, boxes[i]);
      if (hit && hit->t < found) found = hit->t;
      return std::min(limit, found);
    });
    ASSERT_EQ(found, expected);
  }
  EXPECT_LT(visits, 500 * 20);  // of 900 boxes each
}

TEST(Bvh, RaysMissNoFlatBox) {
  RandomSpatial random(23);
  const std::vector<Aabb> boxes = random_boxes(random, 300, true);
  const Bvh bvh(boxes);
  for (int k = 0; k < 300; ++k) {
    // towards an inner point of a box, from above or along its own plane
    const std::size_t target = std::size_t(300 * random.unit());
    const Aabb& box = boxes[target];
    const Vec3<double> half = 0.5 * (box.upper - box.lower), e = random.vector(0.9);
    const Vec3<double> aim = centre(box) + Vec3<double>{e.x * half.x, e.y * half.y, 0};
    const Vec3<double> origin = k % 2 ? random.vector(8) : Vec3<double>{9, aim.y, aim.z};
    bool met = false;
    bvh.along({origin, aim - origin, infinity}, [&](std::uint32_t i, double limit) {
      met = met || i == target;
      return limit;
    });
    ASSERT_TRUE(met) << k;
  }
}

TEST(Bvh, RaysStopWhenTold) {
  RandomSpatial random(24);
  const std::vector<Aabb> boxes = random_boxes(random, 500);
  const Bvh bvh(boxes);
  const Ray ray{{-9, 0, 0}, centre(boxes[0]) - Vec3<double>{-9, 0, 0}, infinity};
  int all = 0, stopped = 0;
  bvh.along(ray, [&](std::uint32_t, double limit) { return ++all, limit; });
  bvh.along(ray, [&](std::uint32_t, double) { return ++stopped, -1.0; });
  EXPECT_GT(all, 1);
  EXPECT_EQ(stopped, 1);
}

TEST(Bvh, FindsTheNearest) {
  RandomSpatial random(25);
  for (const int n : {1, 8, 100, 1000}) {
    const std::vector<Aabb> boxes = random_boxes(random, n);
    const Bvh bvh(boxes);
    long visits = 0;
    for (int k = 0; k < 200; ++k) {
      const Vec3<double> c = random.vector(9);
      const double h = k % 2 ? 0 : 0.3;
      const Aabb query = Aabb::about(c, {h, h, h});
      double expected = infinity;
      for (const Aabb& box : boxes) expected = std::min(expected, std::sqrt(distance_squared(query, box)));
      const double found = bvh.nearest(query, k % 3 ? infinity : 4.0, [&](std::uint32_t i, double bound) {
        ++visits;
        return std::min(bound, std::sqrt(distance_squared(query, boxes[i])));
      });
      // the square of a square root has one more rounding
      ASSERT_EQ(found, k % 3 ? expected : std::min(expected, 4.0));
    }
    if (n == 1000) {
      EXPECT_LT(visits, 200 * 30);
    }
  }
}

TEST(Bvh, StandsEqualBoxesAndSuchThatHoldNothing) {
  std::vector<Aabb> boxes(20000, Aabb{{1, 1, 1}, {2, 2, 2}});
  boxes[7].lower.x = std::nan("");
  boxes[9] = Aabb::none();
  boxes[11] = Aabb::everything();
  const Bvh bvh(boxes);
  EXPECT_EQ(bvh.size(), boxes.size() - 2);
  int found = 0;
  bvh.for_overlapping({{0, 0, 0}, {1, 1, 1}}, [&](std::uint32_t) { ++found; });
  EXPECT_EQ(found, int(boxes.size()) - 2);
  found = 0;
  bvh.for_overlapping({{0, 0, 0}, {0.5, 1, 1}}, [&](std::uint32_t i) { found += i == 11 ? 1 : 1000; });
  EXPECT_EQ(found, 1);
  const double nan = std::nan("");
  bvh.for_overlapping({{nan, 0, 0}, {1, nan, 1}}, [&](std::uint32_t) { FAIL(); });
}

}  // namespace
}  // namespace linchpin

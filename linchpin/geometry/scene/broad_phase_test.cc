#include "linchpin/geometry/scene/broad_phase.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/base/infinity.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

std::vector<BoxPair> list(std::span<const BoxPair> pairs) { return {pairs.begin(), pairs.end()}; }

// Brute force: every box against every other.
std::vector<BoxPair> all_pairs(const std::vector<Aabb>& boxes) {
  std::vector<BoxPair> pairs;
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
      if (holds_points(boxes[a]) && holds_points(boxes[b]) && overlaps(boxes[a], boxes[b])) pairs.push_back({a, b});
  return pairs;
}

enum class Kind { even, flat, on_a_line, few_huge, all_sizes, clusters, one_far, coincident, on_a_lattice };
constexpr Kind scene_kinds[] = {Kind::even,     Kind::flat,    Kind::on_a_line,  Kind::few_huge,    Kind::all_sizes,
                                Kind::clusters, Kind::one_far, Kind::coincident, Kind::on_a_lattice};

// About eight neighbours for each box on average.
std::vector<Aabb> scene(Kind kind, int n, RandomSpatial& random) {
  std::vector<Aabb> boxes;
  const double range = std::cbrt(double(n)) / 2;
  for (int i = 0; i < n; ++i) {
    Vec3<double> c = random.vector(range);
    double h = 0.4 + 0.2 * random.unit();
    if (kind == Kind::flat) c = {2 * c.x, 2 * c.y, 0.01 * c.z};
    if (kind == Kind::on_a_line) c = {0, range * c.x, 0};
    if (kind == Kind::few_huge && i % 100 == 0) h *= 1000;
    if (kind == Kind::all_sizes) h = random.magnitude(1e-3, 3);
    if (kind == Kind::clusters) c += i % 3 == 0 ? Vec3<double>{1e9, 0, 0} : Vec3<double>{0, i % 3 * -1e5, 3};
    if (kind == Kind::one_far && i == n / 2) c.y = 1e12;
    if (kind == Kind::coincident) c = {1, 2, 3};
    // faces touch exactly: halves and whole numbers are exact
    if (kind == Kind::on_a_lattice) c = {std::floor(c.x), std::floor(c.y), std::floor(c.z)}, h = 0.5;
    boxes.push_back(Aabb::about(c, {h, h, h}));
  }
  return boxes;
}

TEST(BroadPhase, FindsAllPairsInRisingOrder) {
  RandomSpatial random(11);
  BroadPhase broad_phase;
  for (const Kind kind : scene_kinds)
    for (const int n : {0, 1, 2, 7, 8, 9, 64, 65, 129, 200, 513, 700}) {
      const std::vector<Aabb> boxes = scene(kind, n, random);
      EXPECT_EQ(list(broad_phase.find_pairs(boxes)), all_pairs(boxes)) << "kind " << int(kind) << ", " << n;
    }
}

// Enough boxes for the finer grid of keys. Compared with a sweep along x.
TEST(BroadPhase, FindsAllPairsAmongThousands) {
  RandomSpatial random(12);
  BroadPhase broad_phase;
  for (const Kind kind : scene_kinds) {
    if (kind == Kind::coincident) continue;
    const std::vector<Aabb> boxes = scene(kind, 6000, random);
    std::vector<std::uint32_t> order(boxes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return boxes[i].lower.x < boxes[j].lower.x; });
    std::vector<BoxPair> expected;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].lower.x <= boxes[order[i]].upper.x; ++j)
        if (overlaps(boxes[order[i]], boxes[order[j]]))
          expected.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
    std::sort(expected.begin(), expected.end(),
              [](const BoxPair& p, const BoxPair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
    EXPECT_EQ(list(broad_phase.find_pairs(boxes)), expected) << "kind " << int(kind);
  }
}

TEST(BroadPhase, MarginsAddUp) {
  const std::vector<Aabb> boxes{{{0, 0, 0}, {1, 1, 1}}, {{1.5, 0, 0}, {2, 1, 1}}, {{0, 1.25, 0}, {1, 2, 1}}};
  BroadPhase broad_phase;
  EXPECT_TRUE(broad_phase.find_pairs(boxes).empty());
  const std::vector<double> margins{0.25, 0.25, 0};
  EXPECT_EQ(list(broad_phase.find_pairs(boxes, margins)), (std::vector<BoxPair>{{0, 1}, {0, 2}}));
  const std::vector<double> wrong{1};
  EXPECT_THROW(broad_phase.find_pairs(boxes, wrong), CheckFailed);
}

TEST(BroadPhase, NaNIsNearNothingAndInfinityWhatItShould) {
  RandomSpatial random(13);
  std::vector<Aabb> boxes = scene(Kind::even, 300, random);
  const double nan = std::nan("");
  for (std::size_t i = 0; i < 300; i += 17) (i % 2 ? boxes[i].lower.y : boxes[i].upper.z) = nan;
  boxes[5] = {{nan, nan, nan}, {nan, nan, nan}};
  boxes[100] = Aabb::everything();
  boxes[200] = {{-infinity, -infinity, -infinity}, {infinity, infinity, 0}};   // a floor
  boxes[201] = {{0.5, -infinity, -infinity}, {infinity, infinity, infinity}};  // a wall
  boxes[202] = {{1e308, -1e308, 1e308}, {1.7e308, 1e308, 1.7e308}};
  boxes[203] = Aabb::none();
  BroadPhase broad_phase;
  EXPECT_EQ(list(broad_phase.find_pairs(boxes)), all_pairs(boxes));
  const std::vector<double> margins(boxes.size(), nan);
  EXPECT_TRUE(broad_phase.find_pairs(boxes, margins).empty());
}

TEST(BroadPhase, WhatWasAskedBeforeDoesNotMatter) {
  RandomSpatial random(15);
  BroadPhase used;
  for (int i = 0; i < 30; ++i) {
    const std::vector<Aabb> boxes =
        scene(scene_kinds[std::size_t(i) % std::size(scene_kinds)], int(600 * random.unit()), random);
    BroadPhase fresh;
    EXPECT_EQ(list(used.find_pairs(boxes)), list(fresh.find_pairs(boxes)));
  }
}

// Boxes that drift, vibrate, jump, disappear and come back: data kept between calls do not affect the pairs.
TEST(BroadPhase, MovingBoxesAreFoundAsIfSeenForTheFirstTime) {
  RandomSpatial random(16);
  for (const Kind kind : scene_kinds)
    for (const double speed : {1e-4, 0.01, 0.2}) {
      std::vector<Aabb> boxes = scene(kind, 300, random);
      std::vector<Vec3<double>> velocity;
      for (std::size_t i = 0; i < boxes.size(); ++i) velocity.push_back(random.vector(speed));
      BroadPhase used;
      for (int step = 0; step < 60; ++step) {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          boxes[i].lower = boxes[i].lower + velocity[i];
          boxes[i].upper = boxes[i].upper + velocity[i];
        }
        std::vector<Aabb> now = boxes;
        if (step % 7 == 3) now[step].lower.x = std::nan("");
        if (step % 11 == 5) now[step] = Aabb::about({0, 0, 0}, {infinity, 1, 1});
        if (step % 13 == 6) now[step] = Aabb::none();
        if (step == 30) now.resize(250);
        const std::vector<double> margins(now.size(), 0.01 * double(step % 3));
        std::vector<Aabb> inflated_boxes;
        for (std::size_t i = 0; i < now.size(); ++i) inflated_boxes.push_back(inflated(now[i], margins[i]));
        ASSERT_EQ(list(used.find_pairs(now, margins)), all_pairs(inflated_boxes))
            << "kind " << int(kind) << ", speed " << speed << ", step " << step;
      }
    }
}

// Boxes that stay where they are, asked for with fewer and with more of them: only those that are asked for are found.
TEST(BroadPhase, TheNumberOfBoxesMayChange) {
  RandomSpatial random(18);
  const std::vector<Aabb> boxes = scene(Kind::even, 300, random);
  const std::span<const Aabb> all = boxes;
  BroadPhase used;
  for (const int count : {300, 300, 300, 150, 150, 150, 300, 10, 299, 300, 0, 0, 300, 1}) {
    const std::span<const Aabb> some = all.first(std::size_t(count));
    EXPECT_EQ(list(used.find_pairs(some)), all_pairs({some.begin(), some.end()})) << count;
  }
}

TEST(SpatialOrder, HasEachBoxOnceAndNeighboursTogether) {
  RandomSpatial random(16);
  SpatialOrder spatial_order;
  for (const Kind kind : scene_kinds)
    for (const int n : {3, 200, 5000}) {
      const std::vector<Aabb> boxes = scene(kind, n, random);
      const std::span<const std::uint32_t> order = spatial_order.sort(boxes);
      std::vector<std::uint32_t> sorted(order.begin(), order.end());
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted.size(), boxes.size());
      for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
    }
  // In clusters 1e9 m apart, most neighbours along the order are some box widths apart.
  const std::vector<Aabb> boxes = scene(Kind::clusters, 6000, random);
  const std::span<const std::uint32_t> order = spatial_order.sort(boxes);
  int close = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    close += norm(centre(boxes[order[i]]) - centre(boxes[order[i - 1]])) < 4;
  EXPECT_GT(close, 5500);
}

// The tree: each lane bounds the pack below it.
TEST(BoxTree, LanesHoldWhatIsBelow) {
  RandomSpatial random(17);
  for (const int n : {1, 8, 9, 64, 65, 600}) {
    const std::vector<Aabb> boxes = scene(Kind::even, n, random);
    std::vector<std::uint32_t> order;
    for (int i = n; i-- > 0;) order.push_back(std::uint32_t(i));
    BoxTree tree;
    tree.build(boxes, order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Aabb& box = boxes[order[i]];
      std::size_t at = i;
      for (int k = 0; k < tree.levels(); ++k, at /= 8) {
        const Aabb lane = box_of(tree.level(k)[at / 8], at % 8);
        EXPECT_TRUE(contains(lane, box.lower) && contains(lane, box.upper));
      }
      EXPECT_EQ(at, 0u);
      EXPECT_TRUE(contains(tree.bounds_of(i / 8), box.lower) && contains(tree.bounds(), box.upper));
    }
  }
}

}  // namespace
}  // namespace linchpin

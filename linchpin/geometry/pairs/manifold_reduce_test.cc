#include "linchpin/geometry/pairs/manifold_reduce.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

double area_of_hull(std::vector<Vector> points, const Vector& n) {
  // By gift wrapping.
  std::sort(points.begin(), points.end(), [](const Vector& p, const Vector& q) {
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
  });
  const Vector first = points.front();
  Vector at = first, total = Vector::zero();
  for (std::size_t k = 0; k < points.size(); ++k) {
    Vector next = distance(at, points[0]) > 0 ? points[0] : points[1];
    for (const Vector& p : points) {
      const double side = dot(n, cross(next - at, p - at));
      if (side < 0 || (side == 0 && norm(p - at) > norm(next - at))) next = p;
    }
    total += cross(at - first, next - first);
    at = next;
    if (distance(at, first) == 0) break;
  }
  return dot(n, total) / 2;
}

std::vector<ContactPoint> random_points(RandomSpatial& random, int count, const Mat3<double>& R, double above) {
  std::vector<ContactPoint> points;
  for (int i = 0; i < count; ++i) {
    const double x = random.even(), y = random.even(), gap = above * random.unit();
    points.push_back({R * Vector{x, y, 0}, gap, static_cast<std::uint32_t>(i)});
  }
  return points;
}

TEST(Reduce, KeepsTheDeepestAndMostOfTheArea) {
  RandomSpatial random(3);
  for (int i = 0; i < 2000; ++i) {
    const int count = 1 + static_cast<int>(most_candidates * random.unit());
    const Mat3<double> R = random.rotation();
    const std::vector<ContactPoint> points = random_points(random, count, R, 1e-6);
    Manifold m;
    m.normal = R.z;
    reduce(points, m);
    ASSERT_EQ(m.count <= most_points && m.count >= 1, true);
    const auto deepest = std::min_element(points.begin(), points.end(),
                                          [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
    ASSERT_EQ(m.distance, deepest->gap);
    int found = 0;
    for (int k = 0; k < m.count; ++k) {
      found += m.points[k].feature == deepest->feature;
      for (int l = 0; l < k; ++l) ASSERT_NE(m.points[k].feature, m.points[l].feature);
    }
    ASSERT_EQ(found, 1);
    if (count < 3) continue;
    std::vector<Vector> all, kept;
    for (const ContactPoint& p : points) all.push_back(p.p);
    for (int k = 0; k < m.count; ++k) kept.push_back(m.points[k].p);
    // A regular octagon has 0.9 of its circle's area; a heptagon has 0.87, since one point is used for the deepest.
    ASSERT_GE(area_of_hull(kept, R.z), 0.8 * area_of_hull(all, R.z)) << i;
  }
}

TEST(Reduce, EndsOfALine) {
  std::vector<ContactPoint> points;
  for (int i = 0; i < 20; ++i)
    points.push_back({{0.1 * i, 0.2 * i, 0}, i == 7 ? -1e-3 : 0.0, static_cast<unsigned>(i)});
  Manifold m;
  m.normal = {0, 0, 1};
  reduce(points, m);
  ASSERT_EQ(m.count, 3);
  EXPECT_EQ(m.points[0].feature, 7u);
  EXPECT_EQ(m.points[1].feature + m.points[2].feature, 19u);
}

// Points within 1e-9 of the width from a line are on it but for rounding. One that is farther away is kept.
TEST(Reduce, AlmostOnALine) {
  for (const double width : {1e-3, 1.0, 1e3})
    for (const auto& [beside, count] : {std::pair{0.8e-9, 2}, std::pair{1.2e-9, 3}}) {
      std::vector<ContactPoint> points;
      for (int i = 0; i <= 10; ++i)
        points.push_back(
            {{0.1 * width * i, i == 4 ? beside * width : 0, 0}, i == 0 ? -1e-12 * width : 0.0, unsigned(i)});
      Manifold m;
      m.normal = {0, 0, 1};
      reduce(points, m);
      EXPECT_EQ(m.count, count) << beside;
    }
}

TEST(Reduce, AllInOnePlace) {
  const std::vector<ContactPoint> points(20, {{1, 2, 3}, 0.5, 9});
  Manifold m;
  m.normal = {0, 1, 0};
  reduce(points, m);
  EXPECT_EQ(m.count, 1);
}

}  // namespace
}  // namespace linchpin

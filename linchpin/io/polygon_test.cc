#include "linchpin/io/polygon.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "linchpin/base/splitmix.h"

namespace linchpin {
namespace {

using Points = std::vector<Vec3<double>>;
using Triangles3 = std::vector<std::array<int, 3>>;

// A point of the plane of the polygon, which is tilted so that no coordinate vanishes.
Vec3<double> tilted(double x, double y) { return {x + 0.1 * y, y - 0.2 * x, 0.5 * x + 0.3 * y + 1}; }

Vec3<double> area_of(const Points& p, const Triangles3& triangles) {
  Vec3<double> sum = Vec3<double>::zero();
  for (const auto& t : triangles) sum = sum + 0.5 * cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]);
  return sum;
}
double sum_of_areas(const Points& p, const Triangles3& triangles) {
  double sum = 0;
  for (const auto& t : triangles) sum += 0.5 * norm(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]));
  return sum;
}

std::vector<int> in_order(std::size_t n) {
  std::vector<int> corners(n);
  std::iota(corners.begin(), corners.end(), 0);
  return corners;
}

// The pieces cover the polygon once: they are n - 2, and the sum of their areas is the area of the polygon, which a fan
// of signed areas also gives.
void expect_cut(const Points& points) {
  const std::vector<int> corners = in_order(points.size());
  Triangles3 fan, cut;
  for (int k = 1; k + 1 < int(points.size()); ++k) fan.push_back({0, k, k + 1});
  ASSERT_TRUE(cut_polygon(points, corners, cut)) << points.size() << " corners";
  EXPECT_EQ(cut.size(), points.size() - 2);
  const Vec3<double> whole = area_of(points, fan);
  EXPECT_LT(norm(area_of(points, cut) - whole), 1e-12 * norm(whole));
  EXPECT_NEAR(sum_of_areas(points, cut), norm(whole), 1e-12 * norm(whole));
}

TEST(Polygon, QuadrilateralsAreCutFromTheConcaveCorner) {
  for (int turned = 0; turned < 4; ++turned) {
    Points arrow{tilted(0, 0), tilted(4, 0), tilted(1, 1), tilted(0, 4)};  // corner 2 is concave
    std::rotate(arrow.begin(), arrow.begin() + turned, arrow.end());
    expect_cut(arrow);
  }
  Triangles3 square;
  ASSERT_TRUE(cut_polygon(Points{tilted(0, 0), tilted(1, 0), tilted(1, 1), tilted(0, 1)}, in_order(4), square));
  EXPECT_EQ(square, (Triangles3{{0, 1, 2}, {0, 2, 3}}));
}

// A spiral, from each of its corners: the fan from a corner has triangles of both signs, and all corners but one may
// enclose the other way round.
TEST(Polygon, AnyCornerMayBeTheFirst) {
  Points spiral{tilted(0, 0), tilted(9, 0), tilted(9, 9), tilted(0, 9), tilted(0, 3), tilted(6, 3),
                tilted(6, 6), tilted(3, 6), tilted(3, 5), tilted(5, 5), tilted(5, 4), tilted(1, 4),
                tilted(1, 8), tilted(8, 8), tilted(8, 1), tilted(0, 1)};
  for (std::size_t turned = 0; turned < spiral.size(); ++turned) {
    expect_cut(spiral);
    std::rotate(spiral.begin(), spiral.begin() + 1, spiral.end());
  }
  // Without corner 0, which is far away, the others enclose 3.5 m^2 the other way round.
  expect_cut({tilted(50, 0), tilted(0, 1), tilted(2, 0.5), tilted(3, 0), tilted(2, -0.5), tilted(0, -1)});
}

TEST(Polygon, EarsOfStarsCombsAndFlatCorners) {
  SplitMix random(7);
  for (int n = 5; n <= 200; n += 13)
    for (const double sign : {1.0, -1.0}) {
      Points star;
      for (int i = 0; i < n; ++i) {
        const double angle = sign * 2 * std::numbers::pi * i / n, radius = 0.2 + random.unit();
        star.push_back(tilted(radius * std::cos(angle), radius * std::sin(angle)));
      }
      expect_cut(star);
    }
  Points comb;  // teeth upwards, from right to left, above a straight back
  comb.push_back(tilted(0, 0));
  comb.push_back(tilted(100, 0));
  for (int i = 100; i > 0; --i) comb.push_back(tilted(i, 5)), comb.push_back(tilted(i - 0.5, 1));
  comb.push_back(tilted(0, 5));
  expect_cut(comb);
  // a corner within a straight edge
  expect_cut({tilted(0, 0), tilted(1, 0), tilted(2, 0), tilted(2, 2), tilted(0, 2)});
}

TEST(Polygon, CrossingOrWithoutArea) {
  Triangles3 cut;
  // Two loops of opposite orientation: after the ears of the larger one, the smaller one is left, which turns right.
  const Points eight{tilted(0, 0), tilted(4, 0), tilted(4, 4), tilted(0, -1), tilted(-1, -1), tilted(-1, 0.5)};
  EXPECT_FALSE(cut_polygon(eight, in_order(6), cut));
  EXPECT_TRUE(cut.empty());
  Points line;
  for (int i = 0; i < 6; ++i) line.push_back({double(i), 0, 0});
  EXPECT_TRUE(cut_polygon(line, in_order(6), cut));
  EXPECT_EQ(cut.size(), 4u);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/geometry/shapes/height_grid.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

TEST(HeightGrid, LiesAboutTheOriginWithTheDiagonalFromLowToHigh) {
  const std::vector<double> heights = {1, 2, 3, 4, 5, 6};
  const HeightGrid grid = make_height_grid(3, 2, 0.5, 2, heights, 0).value();
  EXPECT_EQ(grid.point(0, 0).x, -0.5);
  EXPECT_EQ(grid.point(1, 1).x, 0);
  EXPECT_EQ(grid.point(1, 1).y, 1);
  EXPECT_EQ(grid.point(1, 1).z, 5);
  EXPECT_EQ(grid.triangle_count(), 4);
  EXPECT_EQ(grid.box.lower.z, 0);
  EXPECT_EQ(grid.box.upper.z, 6);
  EXPECT_EQ(grid.box.lower.y, -1);
  const auto [a, b, c] = grid.corners(2);  // the first of the second cell
  EXPECT_EQ(distance(a, grid.point(1, 0)), 0);
  EXPECT_EQ(distance(b, grid.point(2, 0)), 0);
  EXPECT_EQ(distance(c, grid.point(2, 1)), 0);
  double area = 0;
  for (int t = 0; t < grid.triangle_count(); ++t) {
    const auto [p, q, r] = grid.corners(t);
    EXPECT_GT(cross(q - p, r - p).z, 0);
    area += cross(q - p, r - p).z / 2;
  }
  EXPECT_DOUBLE_EQ(area, 1 * 2);
}

// Each block of each level against all heights in it.
TEST(HeightGrid, LevelsHoldTheRangeOfTheirCells) {
  RandomSpatial random(1);
  for (const auto& [columns, rows] : {std::pair{2, 2}, {9, 9}, {14, 7}, {2, 30}}) {
    std::vector<double> heights;
    for (int i = 0; i < columns * rows; ++i) heights.push_back(random.even());
    const HeightGrid grid = make_height_grid(columns, rows, 1, 1, heights, -2).value();
    EXPECT_EQ(grid.levels.back().ranges.size(), 1u);
    for (std::size_t l = 0; l < grid.levels.size(); ++l) {
      const HeightGrid::Level& level = grid.levels[l];
      for (int j = 0; j < level.rows; ++j)
        for (int i = 0; i < level.columns; ++i) {
          double low = 2, high = -2;
          for (int r = j << l; r <= std::min((j + 1) << l, rows - 1); ++r)
            for (int c = i << l; c <= std::min((i + 1) << l, columns - 1); ++c) {
              low = std::min(low, grid.height(c, r));
              high = std::max(high, grid.height(c, r));
            }
          EXPECT_EQ(level.ranges[j * level.columns + i].low, low);
          EXPECT_EQ(level.ranges[j * level.columns + i].high, high);
        }
    }
  }
}

TEST(HeightGrid, RefusesByName) {
  const auto says = [](const Result<HeightGrid>& grid, const std::string& part) {
    ASSERT_FALSE(grid.ok()) << part;
    EXPECT_NE(grid.error().message.find(part), std::string::npos) << grid.error().message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> four = {1, 2, 3, 4}, bad = {1, 2, nan, 4};
  says(make_height_grid(1, 4, 1, 1, four, 0), "1 columns and 4 rows");
  says(make_height_grid(2, 3, 1, 1, four, 0), "4 heights; 2 columns and 3 rows need 6");
  says(make_height_grid(2, 2, 0, 1, four, 0), "spacing is 0 m");
  says(make_height_grid(2, 2, 1, nan, four, 0), "spacing is nan m");
  says(make_height_grid(2, 2, 1, 1, bad, 0), "column 0, row 1 is nan");
  says(make_height_grid(2, 2, 1, 1, four, 2), "column 0, row 0 is 1 m; it must be above the floor, 2 m");
  says(make_height_grid(2, 2, 1, 1, four, nan), "floor is nan");
}

// Neighbours run along their common edge in opposite directions; an edge without a neighbour is on the border.
TEST(HeightGrid, NeighboursShareAnEdge) {
  RandomSpatial random(4);
  for (const auto& [columns, rows] : {std::pair{2, 2}, std::pair{2, 5}, std::pair{6, 2}, std::pair{4, 5}}) {
    std::vector<double> heights;
    for (int i = 0; i < columns * rows; ++i) heights.push_back(random.unit());
    const HeightGrid grid = make_height_grid(columns, rows, 0.5, 0.25, heights, -1).value();
    int borders = 0;
    for (int t = 0; t < grid.triangle_count(); ++t)
      for (int k = 0; k < 3; ++k) {
        const auto corners = grid.corners(t);
        const Vec3<double>&from = corners[k], &to = corners[(k + 1) % 3];
        const int u = grid.neighbour(t, k);
        ASSERT_TRUE(u >= -1 && u < grid.triangle_count() && u != t);
        const auto outermost = [](double a, double b, double most) { return a == b && std::abs(a) == most; };
        const bool on_border =
            outermost(from.x, to.x, grid.x_of(columns - 1)) || outermost(from.y, to.y, grid.y_of(rows - 1));
        ASSERT_EQ(u == -1, on_border) << t << ", " << k;
        borders += on_border;
        if (on_border) continue;
        const auto others = grid.corners(u);
        int common = 0;
        for (int l = 0; l < 3; ++l) common += distance(others[l], to) == 0 && distance(others[(l + 1) % 3], from) == 0;
        EXPECT_EQ(common, 1) << t << ", " << k;
      }
    EXPECT_EQ(borders, 2 * (columns - 1) + 2 * (rows - 1));
  }
}

}  // namespace
}  // namespace linchpin

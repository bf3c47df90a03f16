#include "linchpin/geometry/shapes/height_grid.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

std::string fault_of(const HeightGrid& grid) {
  if (grid.columns < 2 || grid.rows < 2)
    return message("the grid has ", grid.columns, " columns and ", grid.rows, " rows; it needs two of each at least");
  const std::size_t count = index(grid.columns) * grid.rows;
  if (grid.heights.size() != count)
    return message("the grid has ", grid.heights.size(), " heights; ", grid.columns, " columns and ", grid.rows,
                   " rows need ", count);
  for (const double spacing : {grid.spacing_x, grid.spacing_y})
    if (!(spacing > 0 && std::isfinite(spacing)))
      return message("spacing is ", spacing, " m; it must be positive and finite");
  if (!std::isfinite(grid.floor)) return message("floor is ", grid.floor, " m; it must be finite");
  for (int j = 0; j < grid.rows; ++j)
    for (int i = 0; i < grid.columns; ++i) {
      const double h = grid.height(i, j);
      if (!std::isfinite(h)) return message("height at column ", i, ", row ", j, " is ", h, " m; it must be finite");
      if (!(h > grid.floor))
        return message("height at column ", i, ", row ", j, " is ", h, " m; it must be above the floor, ", grid.floor,
                       " m");
    }
  return {};
}

HeightGrid::Level level_of_cells(const HeightGrid& grid) {
  HeightGrid::Level level{grid.cell_columns(), grid.cell_rows(), {}};
  for (int j = 0; j < level.rows; ++j)
    for (int i = 0; i < level.columns; ++i) {
      const auto [low, high] =
          std::minmax({grid.height(i, j), grid.height(i + 1, j), grid.height(i, j + 1), grid.height(i + 1, j + 1)});
      level.ranges.push_back({low, high});
    }
  return level;
}

HeightGrid::Level level_above(const HeightGrid::Level& fine) {
  HeightGrid::Level level{(fine.columns + 1) / 2, (fine.rows + 1) / 2, {}};
  for (int j = 0; j < level.rows; ++j)
    for (int i = 0; i < level.columns; ++i) {
      const auto range = [&](int column, int row) {
        const int c = std::min(column, fine.columns - 1), r = std::min(row, fine.rows - 1);
        return fine.ranges[index(r) * fine.columns + c];
      };
      const HeightGrid::Range a = range(2 * i, 2 * j), b = range(2 * i + 1, 2 * j), c = range(2 * i, 2 * j + 1),
                              d = range(2 * i + 1, 2 * j + 1);
      level.ranges.push_back({std::min({a.low, b.low, c.low, d.low}), std::max({a.high, b.high, c.high, d.high})});
    }
  return level;
}

}  // namespace

Result<HeightGrid> make_height_grid(int columns, int rows, double spacing_x, double spacing_y,
                                    std::span<const double> heights, double floor) {
  HeightGrid grid{columns, rows, spacing_x, spacing_y, {heights.begin(), heights.end()}, floor, Aabb::none(), {}};
  if (std::string fault = fault_of(grid); !fault.empty()) return Error{std::move(fault)};
  grid.levels.push_back(level_of_cells(grid));
  while (grid.levels.back().ranges.size() > 1) grid.levels.push_back(level_above(grid.levels.back()));
  const double x = grid.x_of(columns - 1), y = grid.y_of(rows - 1);
  grid.box = {{-x, -y, floor}, {x, y, grid.levels.back().ranges[0].high}};
  return grid;
}

}  // namespace linchpin

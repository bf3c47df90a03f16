// Terrain given by a grid of heights, solid down to a floor.
//
// The grid is centred on the origin of its frame: column i and row j are at
//     x = (i - (columns - 1)/2) spacing_x,  y = (j - (rows - 1)/2) spacing_y     (1)
// Cell (i, j) lies between the columns i, i+1 and the rows j, j+1. Its diagonal from (i, j) to (i+1, j+1) divides it
// into two triangles: (i, j), (i+1, j), (i+1, j+1) and (i, j), (i+1, j+1), (i, j+1), both counterclockwise seen from
// above. Cells are numbered row by row; the triangles of a cell are 2 cell and 2 cell + 1.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linchpin/base/index.h"
#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/spatial/vec.h"

namespace linchpin {

struct HeightGrid {
  int columns, rows;            // of heights; there is one cell fewer in each direction
  double spacing_x, spacing_y;  // m
  std::vector<double> heights;  // m, row by row: heights[row * columns + column]
  double floor;                 // m, below all heights
  Aabb box;                     // includes the floor
  // A pyramid of height ranges: level 0 holds those of single cells, each further level those of blocks of two by two
  // of the level below. The last level is one block.
  struct Range {
    double low, high;
  };
  struct Level {
    int columns, rows;
    std::vector<Range> ranges;  // row by row
  };
  std::vector<Level> levels;

  int cell_columns() const { return columns - 1; }
  int cell_rows() const { return rows - 1; }
  int triangle_count() const { return 2 * (columns - 1) * (rows - 1); }
  double x_of(int column) const { return (column - 0.5 * (columns - 1)) * spacing_x; }  // (1)
  double y_of(int row) const { return (row - 0.5 * (rows - 1)) * spacing_y; }
  double height(int column, int row) const { return heights[index(row) * columns + column]; }
  Vec3<double> point(int column, int row) const { return {x_of(column), y_of(row), height(column, row)}; }
  // The neighbouring triangle at edge k, from corner k to corner k + 1 (mod 3), or -1 at the border.
  int neighbour(int triangle, int k) const {
    const int cell = triangle / 2, i = cell % cell_columns(), j = cell / cell_columns();
    if (triangle % 2 == 0) {
      if (k == 0) return j > 0 ? triangle - 2 * cell_columns() + 1 : -1;
      if (k == 1) return i + 1 < cell_columns() ? triangle + 3 : -1;
      return triangle + 1;
    }
    if (k == 0) return triangle - 1;
    if (k == 1) return j + 1 < cell_rows() ? triangle + 2 * cell_columns() - 1 : -1;
    return i > 0 ? triangle - 3 : -1;
  }
  std::array<Vec3<double>, 3> corners(int triangle) const {
    const int cell = triangle / 2, i = cell % (columns - 1), j = cell / (columns - 1);
    if (triangle % 2 == 0) return {point(i, j), point(i + 1, j), point(i + 1, j + 1)};
    return {point(i, j), point(i + 1, j + 1), point(i, j + 1)};
  }
};

// Returns an error for fewer than two columns or rows, a number of heights other than columns times rows, heights that
// are not finite, spacings that are not positive, and a floor that is not below all heights.
Result<HeightGrid> make_height_grid(int columns, int rows, double spacing_x, double spacing_y,
                                    std::span<const double> heights, double floor);

}  // namespace linchpin

// Convex pieces of a height field: see convex_pieces.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "linchpin/geometry/pieces/convex_pieces.h"
#include "linchpin/geometry/pieces/split_pieces.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Point = Vec3<double>;

// Cells [column, column + columns) x [row, row + rows). `half` is -1, or 0 or 1 for one triangle of a single cell.
struct Block {
  int column, row, columns, rows, half;
};
struct GridPiece {
  Block block;
  Hull hull;
  double concavity;
};

std::vector<int> triangles_of(const HeightGrid& grid, const Block& b) {
  std::vector<int> triangles;
  for (int j = b.row; j < b.row + b.rows; ++j)
    for (int i = b.column; i < b.column + b.columns; ++i)
      for (int half = 0; half < 2; ++half)
        if (b.half == -1 || b.half == half) triangles.push_back(2 * (j * grid.cell_columns() + i) + half);
  return triangles;
}

// The height of the hull's upper side over p, a point below it.
double rise_over(const Hull& hull, const Point& p) {
  double rise = std::numeric_limits<double>::infinity();
  for (const Hull::Face& f : hull.faces)
    if (f.normal.z > 0.0) rise = std::min(rise, (f.offset - dot(f.normal, p)) / f.normal.z);
  return std::max(0.0, rise);
}

Result<GridPiece> piece_of(const HeightGrid& grid, const Block& block) {
  std::vector<Point> points;
  const std::vector<int> triangles = triangles_of(grid, block);
  for (const int t : triangles)
    for (const Point& p : grid.corners(t)) {
      points.push_back(p);
      points.push_back({p.x, p.y, grid.floor});
    }
  auto hull = convex_hull(points);
  if (!hull.ok()) return hull.error();
  GridPiece piece{block, std::move(hull).value(), 0};
  for (const int t : triangles) {
    const auto [a, b, c] = grid.corners(t);
    for (const Point& p : {a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (1.0 / 3) * (a + b + c)})
      piece.concavity = std::max(piece.concavity, rise_over(piece.hull, p));
  }
  return piece;
}

// The cuts of a block to be tried: along lines of the grid, up to 15 per direction, the middle one first; for a cell
// its diagonal.
std::vector<std::pair<Block, Block>> cuts_of(const Block& b) {
  std::vector<std::pair<Block, Block>> cuts;
  if (b.half != -1) return cuts;
  if (b.columns == 1 && b.rows == 1) {
    cuts.push_back({{b.column, b.row, 1, 1, 0}, {b.column, b.row, 1, 1, 1}});
    return cuts;
  }
  constexpr int steps = 16;
  for (const int part : {8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15}) {
    const int i = b.columns * part / steps, j = b.rows * part / steps;
    if (i > 0) cuts.push_back({{b.column, b.row, i, b.rows, -1}, {b.column + i, b.row, b.columns - i, b.rows, -1}});
    if (j > 0) cuts.push_back({{b.column, b.row, b.columns, j, -1}, {b.column, b.row + j, b.columns, b.rows - j, -1}});
  }
  return cuts;
}

// The cut with the least concavity of both parts together; of equal ones the first, which is more even.
std::optional<std::pair<GridPiece, GridPiece>> split(const HeightGrid& grid, const GridPiece& piece) {
  std::optional<std::pair<GridPiece, GridPiece>> best;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [one, other] : cuts_of(piece.block)) {
    auto a = piece_of(grid, one), b = piece_of(grid, other);
    if (!a.ok() || !b.ok()) continue;
    const double left = a.value().concavity + b.value().concavity;
    if (left < 0.999 * least) {
      least = left;
      best.emplace(std::move(a).value(), std::move(b).value());
    }
  }
  return best;
}

}  // namespace

Result<ConvexPieces> convex_pieces(const HeightGrid& grid, const ConvexPiecesOptions& options) {
  const double size = norm(grid.box.upper - grid.box.lower);
  const Result<double> tolerance = tolerance_of(options, size);
  if (!tolerance) return tolerance.error();
  auto first = piece_of(grid, {0, 0, grid.cell_columns(), grid.cell_rows(), -1});
  if (!first.ok()) return first.error();
  std::vector<GridPiece> pieces;
  pieces.push_back(std::move(first).value());
  split_worst_first(pieces, tolerance.value(), options.most_pieces, [&](const GridPiece& p) { return split(grid, p); });
  return gathered(std::move(pieces));
}

}  // namespace linchpin

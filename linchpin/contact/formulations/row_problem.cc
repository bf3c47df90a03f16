#include "linchpin/contact/formulations/row_problem.h"

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

void append(const Rows& rows, bool free, RowOrder& order) {
  for (const Block& block : rows.blocks) {
    if ((block.kind == BlockKind::free) != free) continue;
    order.blocks.push_back({block.kind, int(order.rows.size()), block.size, block.mu});
    for (int k = 0; k < block.size; ++k) order.rows.push_back(block.start + k);
  }
}

}  // namespace

void find_order(const Rows& rows, FreeRows free, RowOrder& order) {
  order.rows.clear();
  order.blocks.clear();
  if (free == FreeRows::in_place) {
    order.blocks = rows.blocks;
    for (int r = 0; r < rows.size(); ++r) order.rows.push_back(r);
    return;
  }
  if (free == FreeRows::first) append(rows, true, order);
  append(rows, false, order);
}

void begin_problem(const Rows& rows, const RowOrder& order, int leading, Problem& problem) {
  const std::size_t size = std::size_t(leading) + order.rows.size();
  problem.q.resize(size);
  problem.blocks.clear();
  bool boxes = false;
  if (leading > 0) problem.blocks.push_back({BlockKind::free, 0, leading, 0});
  for (const Block& block : order.blocks) {
    problem.blocks.push_back({block.kind, leading + block.start, block.size, block.mu});
    boxes = boxes || block.kind == BlockKind::box;
  }
  problem.lower.assign(boxes ? size : 0, 0.0);
  problem.upper.assign(boxes ? size : 0, 0.0);
  if (!boxes) return;
  for (std::size_t k = 0; k < order.rows.size(); ++k) {
    problem.lower[std::size_t(leading) + k] = rows.lower[order.rows[k]];
    problem.upper[std::size_t(leading) + k] = rows.upper[order.rows[k]];
  }
}

double row_velocity(const Rows& rows, int row, std::span<const Motion<double>> link) {
  double sum = 0;
  for (int s = rows.first_side[row]; s < rows.first_side[row + 1]; ++s) {
    const RowSide& side = rows.sides[s];
    sum += dot(side.force, link[side.link]);
  }
  return sum;
}

void add_row_impulse(const Rows& rows, int row, double impulse, std::span<Force<double>> on_link) {
  for (int s = rows.first_side[row]; s < rows.first_side[row + 1]; ++s) {
    const RowSide& side = rows.sides[s];
    on_link[side.link] += Force<double>{impulse * side.force.n, impulse * side.force.f};
  }
}

}  // namespace linchpin

#include "linchpin/contact/formulations/cell_matrix.h"

#include <algorithm>
#include <utility>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// Number of rows from which a block-sparse matrix is made. Below, sparse factors gain nothing. Above, the pattern lets
// island_solver.h separate the islands; islands of up to 36 rows are dense there (largest_dense).
constexpr int smallest = 37;
// Share of stored numbers beyond which a dense matrix is made.
constexpr double largest_density = 0.55;

}  // namespace

void CellMatrix::find_cells(const Rows& rows) {
  pattern_.row_start.clear();
  cell_of_row_.clear();
  for (const Block& block : rows.blocks) {
    const bool whole = block.kind == BlockKind::cone;
    for (int k = 0; k < block.size; ++k) {
      if (k == 0 || !whole) pattern_.row_start.push_back(block.start + k);
      cell_of_row_.push_back(int(pattern_.row_start.size()) - 1);
    }
  }
  pattern_.row_start.push_back(rows.size());
  pattern_.column_start = pattern_.row_start;
}

bool CellMatrix::place(const Rows& rows, std::span<const int> group_of_link, int groups, Matrix& M) {
  if (rows.size() < smallest) return false;
  if (!is_as_last(rows, group_of_link, groups) && !find_pattern(rows, group_of_link, groups)) return false;
  BlockSparse& blocks = M.make_sparse(rows.size());
  blocks = pattern_;
  blocks.values.assign(numbers_, 0.0);
  values_ = blocks.values;
  return true;
}

bool CellMatrix::find_pattern(const Rows& rows, std::span<const int> group_of_link, int groups) {
  last_.blocks.clear();  // is_as_last() is false if this function fails
  last_.first_side = rows.first_side;
  last_.groups = groups;
  last_.group.clear();
  for (const RowSide& side : rows.sides) last_.group.push_back(group_of_link[side.link]);
  find_cells(rows);
  list_cells_of_groups();
  if (!find_coupled_cells()) return false;
  last_.blocks = rows.blocks;
  return true;
}

// Cells are visited in order, so a cell that is listed already is the last one in the list of its group.
void CellMatrix::list_cells_of_groups() {
  const int cells = pattern_.row_blocks();
  met_by_.assign(std::max(cells, last_.groups), -1);
  first_in_.assign(index(last_.groups) + 1, 0);
  const auto once = [&](int cell, int group) { return std::exchange(met_by_[group], cell) != cell; };
  for (int c = 0; c < cells; ++c)
    for (const int group : groups_of(c)) first_in_[group + 1] += once(c, group);
  for (int g = 0; g < last_.groups; ++g) first_in_[g + 1] += first_in_[g];
  in_.resize(first_in_.back());
  filled_.assign(first_in_.begin(), first_in_.end() - 1);
  met_by_.assign(met_by_.size(), -1);
  for (int c = 0; c < cells; ++c)
    for (const int group : groups_of(c))
      if (once(c, group)) in_[filled_[group]++] = c;
}

// False if the blocks of coupled cells are most of the matrix.
bool CellMatrix::find_coupled_cells() {
  pattern_.first.assign(1, 0);
  pattern_.column.clear();
  pattern_.value_start.clear();
  own_.clear();
  met_by_.assign(met_by_.size(), -1);
  numbers_ = 0;
  const double most = largest_density * double(pattern_.rows()) * double(pattern_.rows());
  for (int c = 0; c < pattern_.row_blocks(); ++c) {
    const std::size_t begin = pattern_.column.size();
    const auto meet = [&](int other) {
      if (std::exchange(met_by_[other], c) != c) pattern_.column.push_back(other);
    };
    meet(c);
    for (const int group : groups_of(c))
      for (int k = first_in_[group]; k < first_in_[group + 1]; ++k) meet(in_[k]);
    std::sort(pattern_.column.begin() + std::ptrdiff_t(begin), pattern_.column.end());
    for (std::size_t e = begin; e < pattern_.column.size(); ++e) {
      if (pattern_.column[e] == c) own_.push_back(numbers_);
      pattern_.value_start.push_back(numbers_);
      numbers_ += index(width(c) * width(pattern_.column[e]));
    }
    pattern_.first.push_back(int(pattern_.column.size()));
    if (double(numbers_) > most) return false;
  }
  return true;
}

// True if the blocks have the same kinds and sizes as in the last call, and their sides the same groups.
bool CellMatrix::is_as_last(const Rows& rows, std::span<const int> group_of_link, int groups) const {
  return groups == last_.groups && rows.first_side == last_.first_side &&
         std::ranges::equal(rows.blocks, last_.blocks,
                            [](const Block& a, const Block& b) { return a.kind == b.kind && a.size == b.size; }) &&
         std::ranges::equal(rows.sides, last_.group, {}, [&](const RowSide& side) { return group_of_link[side.link]; });
}

double* CellMatrix::block(int cell, int other) {
  const auto begin = pattern_.column.begin() + pattern_.first[cell],
             end = pattern_.column.begin() + pattern_.first[cell + 1];
  const auto at = std::lower_bound(begin, end, other);
  return values_.data() + pattern_.value_start[at - pattern_.column.begin()];
}

double& CellMatrix::diagonal(int row) {
  const int c = cell_of(row), k = row - start(c);
  return values_[own_[c] + index(k * width(c) + k)];
}

void CellMatrix::clear_row(int row) {
  const int c = cell_of(row), k = row - start(c), w = width(c);
  for (int e = pattern_.first[c]; e < pattern_.first[c + 1]; ++e) {
    const int other = pattern_.column[e], wide = width(other);
    double *own = values_.data() + pattern_.value_start[e], *mirrored = block(other, c);
    for (int j = 0; j < wide; ++j) own[k * wide + j] = mirrored[j * w + k] = 0;
  }
}

}  // namespace linchpin

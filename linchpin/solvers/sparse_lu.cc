#include "linchpin/solvers/sparse_lu.h"

#include <algorithm>

#include "linchpin/solvers/dense_lu.h"
#include "linchpin/solvers/ordering.h"

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }

std::vector<std::vector<int>> neighbours_of(const BlockSparse& S) {
  std::vector<std::vector<int>> near(index(S.row_blocks()));
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[index(i)]; e < S.first[index(i) + 1]; ++e)
      if (const int j = S.column[index(e)]; j != i) {
        near[index(i)].push_back(j);
        near[index(j)].push_back(i);
      }
  for (std::vector<int>& x : near) {
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
  }
  return near;
}

// What eliminating the cells in `order` leaves coupled: below[k] are the positions after k that column k of the factor
// reaches, ascending; the first of them is k's parent.
std::vector<std::vector<int>> symbolic(const std::vector<std::vector<int>>& near, const std::vector<int>& order) {
  const std::size_t n = order.size();
  std::vector<int> position(n);
  for (std::size_t k = 0; k < n; ++k) position[index(order[k])] = int(k);
  std::vector<std::vector<int>> below(n), children(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<int>& column = below[k];
    for (const int j : near[index(order[k])])
      if (position[index(j)] > int(k)) column.push_back(position[index(j)]);
    for (const int child : children[k])
      for (const int i : below[index(child)])
        if (i > int(k)) column.push_back(i);
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (!column.empty()) children[index(column.front())].push_back(int(k));
  }
  return below;
}

// The same order with every subtree of the elimination tree in one piece.
std::vector<int> postordered(const std::vector<int>& order, const std::vector<std::vector<int>>& below) {
  const std::size_t n = order.size();
  std::vector<std::vector<int>> children(n);
  std::vector<int> todo, result;
  for (std::size_t k = 0; k < n; ++k)
    if (!below[k].empty()) children[index(below[k].front())].push_back(int(k));
  for (std::size_t k = n; k-- > 0;)
    if (below[k].empty()) todo.push_back(int(k));
  std::vector<int> stack;
  while (!todo.empty()) {  // roots; within each, parents are listed before children and the list is turned round
    const int root = todo.back();
    todo.pop_back();
    const std::size_t from = result.size();
    stack.push_back(root);
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      result.push_back(order[index(k)]);
      for (const int child : children[index(k)]) stack.push_back(child);
    }
    std::reverse(result.begin() + std::ptrdiff_t(from), result.end());
  }
  return result;
}

// Eliminated together at the price of a few zeros: a column joins the one before it, its child in the tree, where that
// adds no cell to the pattern of those before it, or few cells to few columns.
constexpr int zeros_allowed = 2, columns_that_may_gain = 4;

}  // namespace

int SparseLu::column_of(const Front& f, int row) const {
  return row < f.pivots ? row : padded(f.pivots) + row - f.pivots;
}

void SparseLu::analyse(const BlockSparse& S) {
  if (!fronts_.empty() && S.row_start == row_start_ && S.first == first_ && S.column == column_) return;
  row_start_ = S.row_start;
  first_ = S.first;
  column_ = S.column;
  const std::vector<std::vector<int>> near = neighbours_of(S);
  std::vector<int> order = fill_reducing_order(near);
  order = postordered(order, symbolic(near, order));
  const std::vector<std::vector<int>> below = symbolic(near, order);
  const std::size_t n = order.size();
  const auto cell_size = [&](int cell) { return S.row_start[index(cell) + 1] - S.row_start[index(cell)]; };

  // Fronts, and each cell's place in the front that eliminates it.
  fronts_.clear();
  rows_.clear();
  std::vector<int> front_of(n), first_of_front;  // by position
  for (std::size_t k = 0; k < n; ++k) {
    bool joins = false;
    if (k > 0 && !below[k - 1].empty() && below[k - 1].front() == int(k)) {
      const int gained = int(below[k].size()) + 1 - int(below[k - 1].size());
      joins = gained == 0 || (gained <= zeros_allowed && int(k) - first_of_front.back() < columns_that_may_gain);
    }
    if (!joins) {
      fronts_.push_back({});
      first_of_front.push_back(int(k));
    }
    front_of[k] = int(fronts_.size()) - 1;
  }
  first_of_front.push_back(int(n));
  std::vector<std::vector<int>> row_of_cell(fronts_.size());  // per front: the first row of each of its cells, by list
  std::vector<std::vector<int>> cells_of(fronts_.size());     // positions
  std::size_t size = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    const int last = first_of_front[f + 1] - 1;
    for (int k = first_of_front[f]; k <= last; ++k) cells_of[f].push_back(k);
    cells_of[f].insert(cells_of[f].end(), below[index(last)].begin(), below[index(last)].end());
    front.row = rows_.size();
    for (const int k : cells_of[f]) {
      row_of_cell[f].push_back(front.rows);
      const int cell = order[index(k)];
      for (int r = 0; r < cell_size(cell); ++r) rows_.push_back(S.row_start[index(cell)] + r);
      front.rows += cell_size(cell);
      if (k <= last) front.pivots = front.rows;
    }
    front.stride = padded(front.pivots) + padded(front.rows - front.pivots);
    front.data = size;
    size += index(front.rows) * index(front.stride);
    if (!below[index(last)].empty()) front.parent = front_of[index(below[index(last)].front())];
  }
  data_.assign(size, 0.0);
  pivot_.assign(rows_.size(), 0);

  // Where things go: a cell's row within a front.
  const auto row_in = [&](int f, int position) {
    const std::vector<int>& list = cells_of[index(f)];
    const int pivots = first_of_front[index(f) + 1] - first_of_front[index(f)];
    if (position < first_of_front[index(f) + 1])
      return row_of_cell[index(f)][index(position - first_of_front[index(f)])];
    const auto at = std::lower_bound(list.begin() + pivots, list.end(), position);
    return row_of_cell[index(f)][std::size_t(at - list.begin())];
  };
  to_parent_.clear();
  to_parent_column_.clear();
  std::size_t largest = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.to_parent = to_parent_.size();
    largest = std::max(largest, index(front.rows));
    const std::size_t pivots = index(first_of_front[f + 1] - first_of_front[f]);
    for (std::size_t c = pivots; c < cells_of[f].size(); ++c) {
      const int row = row_in(front.parent, cells_of[f][c]), cell = order[index(cells_of[f][c])];
      for (int r = 0; r < cell_size(cell); ++r) {
        to_parent_.push_back(row + r);
        to_parent_column_.push_back(column_of(fronts_[index(front.parent)], row + r));
      }
    }
  }
  local_.assign(2 * index(padded(int(largest))), 0.0);
  std::vector<int> position(n);
  for (std::size_t k = 0; k < n; ++k) position[index(order[k])] = int(k);
  const auto place = [&](int i, int j, std::size_t& at, int& stride) {
    const int f = front_of[index(std::min(position[index(i)], position[index(j)]))];
    const Front& front = fronts_[index(f)];
    at = front.data + index(row_in(f, position[index(i)])) * index(front.stride) +
         index(column_of(front, row_in(f, position[index(j)])));
    stride = front.stride;
  };
  entry_at_.resize(S.column.size());
  entry_stride_.resize(S.column.size());
  diagonal_at_.resize(n);
  diagonal_stride_.resize(n);
  for (int i = 0; i < int(n); ++i) {
    place(i, i, diagonal_at_[index(i)], diagonal_stride_[index(i)]);
    for (int e = S.first[index(i)]; e < S.first[index(i) + 1]; ++e)
      place(i, S.column[index(e)], entry_at_[index(e)], entry_stride_[index(e)]);
  }
}

void SparseLu::clear() { std::fill(data_.begin(), data_.end(), 0.0); }

bool SparseLu::factor() {
  for (const Front& f : fronts_) {
    double* A = &data_[f.data];
    if (!factor_leading(A, f.rows, f.pivots, f.stride, &pivot_[f.row])) return false;
    if (f.parent < 0) continue;
    const Front& parent = fronts_[index(f.parent)];
    double* P = &data_[parent.data];
    const int *to = &to_parent_[f.to_parent], *to_column = &to_parent_column_[f.to_parent];
    const int left = f.rows - f.pivots;
    for (int r = 0; r < left; ++r) {
      const double* from = A + index(f.pivots + r) * index(f.stride) + index(padded(f.pivots));
      double* row = P + index(to[r]) * index(parent.stride);
      for (int c = 0; c < left; ++c) row[to_column[c]] += from[c];
    }
  }
  return true;
}

void SparseLu::solve(double* b) {
  double* y = local_.data();
  for (const Front& f : fronts_) {  // L
    const double* A = &data_[f.data];
    const int *row = &rows_[f.row], *pivot = &pivot_[f.row];
    for (int k = 0; k < f.pivots; ++k) y[k] = b[row[k]];
    for (int k = 0; k < f.pivots; ++k) std::swap(y[k], y[pivot[k]]);
    for (int i = 1; i < f.pivots; ++i)
      for (int k = 0; k < i; ++k) y[i] -= A[index(i) * index(f.stride) + index(k)] * y[k];
    for (int i = f.pivots; i < f.rows; ++i) {
      double s = 0;
      for (int k = 0; k < f.pivots; ++k) s += A[index(i) * index(f.stride) + index(k)] * y[k];
      b[row[i]] -= s;
    }
    for (int k = 0; k < f.pivots; ++k) b[row[k]] = y[k];
  }
  for (std::size_t i = fronts_.size(); i-- > 0;) {  // U
    const Front& f = fronts_[i];
    const double* A = &data_[f.data];
    const int* row = &rows_[f.row];
    const int left = f.rows - f.pivots;
    for (int c = 0; c < left; ++c) y[c] = b[row[f.pivots + c]];
    for (int k = f.pivots - 1; k >= 0; --k) {
      const double* u = A + index(k) * index(f.stride);
      double s = b[row[k]];
      for (int c = 0; c < left; ++c) s -= u[padded(f.pivots) + c] * y[c];
      for (int c = k + 1; c < f.pivots; ++c) s -= u[c] * b[row[c]];
      b[row[k]] = s / u[k];
    }
  }
}

}  // namespace linchpin

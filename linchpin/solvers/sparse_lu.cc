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

// y += x
inline void add(const double* x, double* y, int n) {
  for (; n >= 8; n -= 8, x += 8, y += 8) (Double8::load(y) + Double8::load(x)).store(y);
  if (n > 0) (Double8::load_first(y, n) + Double8::load_first(x, n)).store_first(y, n);
}

inline double sum(const Double8& x) {
  typedef double Four __attribute__((vector_size(32)));
  typedef double Two __attribute__((vector_size(16)));
  const Four four = __builtin_shufflevector(x.v, x.v, 0, 1, 2, 3) + __builtin_shufflevector(x.v, x.v, 4, 5, 6, 7);
  const Two two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}
// n a multiple of 8
inline double dot(const double* x, const double* y, int n) {
  Double8 s(0.0);
  for (int i = 0; i < n; i += 8) s = fma(Double8::load(x + i), Double8::load(y + i), s);
  return sum(s);
}

// y becomes L^-1 y, then U^-1 y, of a front's first `n` rows; up to `narrow` of them by columns, since none of those is
// long enough for a register.
constexpr int narrow = 16;
void solve_lower(const double* A, std::size_t stride, int n, double* y) {
  for (int k0 = 0; k0 < n; k0 += narrow) {
    const int end = std::min(n, k0 + narrow);
    for (int i = k0; k0 > 0 && i < end; ++i) y[i] -= dot(A + index(i) * stride, y, k0);
    for (int k = k0; k < end; ++k)
      for (int i = k + 1; i < end; ++i) y[i] -= A[index(i) * stride + index(k)] * y[k];
  }
}
void solve_upper(const double* A, std::size_t stride, int n, double* y) {
  double inverse[narrow];
  for (int k0 = (n - 1) / narrow * narrow; k0 >= 0; k0 -= narrow) {
    const int end = std::min(n, k0 + narrow);
    for (int i = k0; i < end; ++i) {
      const double* row = A + index(i) * stride;
      inverse[i - k0] = 1 / row[i];
      if (end < n) y[i] -= dot(row + end, y + end, padded(n) - end);
    }
    for (int k = end - 1; k >= k0; --k) {
      y[k] *= inverse[k - k0];
      for (int i = k0; i < k; ++i) y[i] -= A[index(i) * stride + index(k)] * y[k];
    }
  }
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
  std::vector<std::vector<int>> children(fronts_.size());
  std::vector<int> parent(fronts_.size(), -1);
  std::size_t size = 0, largest = 0, largest_bottom = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    const int last = first_of_front[f + 1] - 1;
    for (int k = first_of_front[f]; k <= last; ++k) cells_of[f].push_back(k);
    cells_of[f].insert(cells_of[f].end(), below[index(last)].begin(), below[index(last)].end());
    front.row = rows_.size();
    for (const int k : cells_of[f]) {
      row_of_cell[f].push_back(front.pivots + front.left);
      const int cell = order[index(k)];
      for (int r = 0; r < cell_size(cell); ++r) rows_.push_back(S.row_start[index(cell)] + r);
      (k <= last ? front.pivots : front.left) += cell_size(cell);
    }
    front.stride = padded(front.pivots) + padded(front.left);
    front.top = size;
    front.L21 = size + index(front.pivots) * index(front.stride);
    size = front.L21 + index(front.pivots) * index(padded(front.left));
    largest = std::max(largest, index(padded(front.pivots) + padded(front.left)));
    largest_bottom = std::max(largest_bottom, index(front.left) * index(front.stride));
    if (below[index(last)].empty()) continue;
    parent[f] = front_of[index(below[index(last)].front())];
    children[index(parent[f])].push_back(int(f));
  }
  factors_ = AlignedArray<double>(size);
  bottom_.assign(largest_bottom, 0.0);
  pivot_.assign(rows_.size(), 0);
  local_.assign(2 * largest, 0.0);

  // What children leave over lies where the first of them began; in this order nothing else is in the way.
  children_.clear();
  std::size_t top_of_stack = 0, stack = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.child = children_.size();
    front.children = children[f].size();
    children_.insert(children_.end(), children[f].begin(), children[f].end());
    front.left_over = children[f].empty() ? top_of_stack : fronts_[index(children[f].front())].left_over;
    top_of_stack = front.left_over + index(front.left) * index(padded(front.left));
    stack = std::max(stack, top_of_stack);
  }
  stack_.assign(stack, 0.0);

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
  runs_.clear();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.to_parent = to_parent_.size();
    front.run = runs_.size();
    int column = 0;
    for (std::size_t c = index(first_of_front[f + 1] - first_of_front[f]); c < cells_of[f].size(); ++c) {
      const int row = row_in(parent[f], cells_of[f][c]), count = cell_size(order[index(cells_of[f][c])]);
      for (int r = 0; r < count; ++r) to_parent_.push_back(row + r);
      const int to = column_of(fronts_[index(parent[f])], row);
      if (runs_.size() > front.run && runs_.back().to + runs_.back().length == to)
        runs_.back().length += count;
      else
        runs_.push_back({column, to, count});
      column += count;
    }
    front.runs = runs_.size() - front.run;
  }

  // The matrix's own entries, front by front.
  std::vector<int> position(n);
  for (std::size_t k = 0; k < n; ++k) position[index(order[k])] = int(k);
  struct Own {
    int front, i, j, entry;  // entry -1: a diagonal block that S does not have
    std::size_t at;
  };
  std::vector<Own> own;
  std::size_t values = 0;
  const auto add_own = [&](int i, int j, int entry) {
    own.push_back({front_of[index(std::min(position[index(i)], position[index(j)]))], i, j, entry, values});
    values += index(cell_size(i)) * index(cell_size(j));
  };
  for (int i = 0; i < int(n); ++i)
    for (int e = S.first[index(i)]; e < S.first[index(i) + 1]; ++e) add_own(i, S.column[index(e)], e);
  for (int i = 0; i < int(n); ++i) {
    const auto from = S.column.begin() + S.first[index(i)], to = S.column.begin() + S.first[index(i) + 1];
    if (!std::binary_search(from, to, i)) add_own(i, i, -1);
  }
  std::stable_sort(own.begin(), own.end(), [](const Own& a, const Own& b) { return a.front < b.front; });
  sources_.clear();
  entry_.resize(S.column.size());
  diagonal_.resize(n);
  std::size_t next = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].source = sources_.size();
    for (; next < own.size() && own[next].front == int(f); ++next) {
      const Own& o = own[next];
      if (o.entry >= 0) entry_[index(o.entry)] = sources_.size();
      if (o.i == o.j) diagonal_[index(o.i)] = sources_.size();
      sources_.push_back({o.at, cell_size(o.i), cell_size(o.j), row_in(int(f), position[index(o.i)]),
                          column_of(fronts_[f], row_in(int(f), position[index(o.j)]))});
    }
    fronts_[f].sources = sources_.size() - fronts_[f].source;
  }
  values_.assign(values, 0.0);
}

void SparseLu::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

// The front's numbers: those of pivots' rows where factors will be, the others in bottom_.
void SparseLu::assemble(const Front& f) {
  double *top = &factors_[f.top], *bottom = bottom_.data();
  const auto row = [&](int r) {
    return r < f.pivots ? top + index(r) * index(f.stride) : bottom + index(r - f.pivots) * index(f.stride);
  };
  std::fill_n(top, index(f.pivots) * index(f.stride), 0.0);
  std::fill_n(bottom, index(f.left) * index(f.stride), 0.0);
  for (std::size_t s = f.source; s < f.source + f.sources; ++s) {
    const Source& from = sources_[s];
    const double* values = &values_[from.at];
    double* to = row(from.row) + from.column;  // a cell's rows are all pivots', or none
    if (from.rows == 3 && from.columns == 3) {
      for (std::size_t r = 0; r < 3; ++r)
        Double8::load_first(values + 3 * r, 3).store_first(to + r * index(f.stride), 3);
      continue;
    }
    for (int r = 0; r < from.rows; ++r, to += f.stride, values += from.columns)
      for (int c = 0; c < from.columns; ++c) to[c] = values[c];
  }
  for (std::size_t c = f.child; c < f.child + f.children; ++c) {
    const Front& child = fronts_[index(children_[c])];
    const double* from = &stack_[child.left_over];
    for (int r = 0; r < child.left; ++r, from += padded(child.left)) {
      double* to = row(to_parent_[child.to_parent + index(r)]);
      for (std::size_t k = child.run; k < child.run + child.runs; ++k)
        add(from + runs_[k].from, to + runs_[k].to, runs_[k].length);
    }
  }
}

bool SparseLu::factor() {
  for (const Front& f : fronts_) {
    assemble(f);
    double *top = &factors_[f.top], *L21 = &factors_[f.L21];
    const std::size_t stride = index(f.stride), left = index(padded(f.left));
    if (!factor_rows(top, f.pivots, f.stride, &pivot_[f.row])) return false;
    if (f.left == 0) continue;
    const double* bottom = bottom_.data();
    for (int r = 0; r < f.left; ++r)
      for (int k = 0; k < f.pivots; ++k) L21[index(k) * left + index(r)] = bottom[index(r) * stride + index(k)];
    divide_by_upper({top, stride}, f.pivots, int(left), {L21, left});
    const std::size_t gap = index(padded(f.pivots));
    subtract_product({L21, left}, {top + gap, stride}, f.left, int(left), f.pivots, {bottom + gap, stride},
                     {&stack_[f.left_over], left});
  }
  return true;
}

void SparseLu::solve(double* b) {
  double* y = local_.data();
  for (const Front& f : fronts_) {  // L
    const double* L21 = &factors_[f.L21];
    const int *row = &rows_[f.row], *pivot = &pivot_[f.row];
    for (int k = 0; k < f.pivots; ++k) y[k] = b[row[k]];
    for (int k = 0; k < f.pivots; ++k) std::swap(y[k], y[pivot[k]]);
    solve_lower(&factors_[f.top], index(f.stride), f.pivots, y);
    for (int k = 0; k < f.pivots; ++k) b[row[k]] = y[k];
    const int left = padded(f.left);
    double* times_y = y + padded(f.pivots);
    for (int c = 0; c < left; c += 8) {
      Double8 s(0.0);
      const double* l = L21 + c;
      for (int k = 0; k < f.pivots; ++k, l += left) s = fma(Double8(y[k]), Double8::load(l), s);
      s.store(times_y + c);
    }
    for (int c = 0; c < f.left; ++c) b[row[f.pivots + c]] -= times_y[c];
  }
  for (std::size_t i = fronts_.size(); i-- > 0;) {  // U
    const Front& f = fronts_[i];
    const int *row = &rows_[f.row], gap = padded(f.pivots), left = padded(f.left);
    for (int c = 0; c < f.left; ++c) y[gap + c] = b[row[f.pivots + c]];
    for (int c = f.left; c < left; ++c) y[gap + c] = 0;
    const double* top = &factors_[f.top];
    for (int k = 0; k < f.pivots; ++k) y[k] = b[row[k]] - dot(top + index(k) * index(f.stride) + gap, y + gap, left);
    for (int k = f.pivots; k < gap; ++k) y[k] = 0;
    solve_upper(top, index(f.stride), f.pivots, y);
    for (int k = 0; k < f.pivots; ++k) b[row[k]] = y[k];
  }
}

}  // namespace linchpin

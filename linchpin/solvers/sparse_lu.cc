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

// A small block into, or onto, rows that lie `stride` apart.
LINCHPIN_INLINE void copy(const double* block, int rows, int columns, double* to, int stride) {
  if (rows == 3 && columns == 3) {
    for (int r = 0; r < 3; ++r) Double8::load_first(block + 3 * r, 3).store_first(to + r * stride, 3);
    return;
  }
  for (int r = 0; r < rows; ++r, to += stride, block += columns)
    for (int c = 0; c < columns; ++c) to[c] = block[c];
}
LINCHPIN_INLINE void add_square(const double* square, int rows, double* to, int stride) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) to[r * stride + c] += square[rows * r + c];
}

typedef long long Lanes8 __attribute__((vector_size(64)));
constexpr Lanes8 lanes8{0, 1, 2, 3, 4, 5, 6, 7};

template <int lane>
LINCHPIN_INLINE Double8 spread(const Double8& x) {
  return __builtin_shufflevector(x.v, x.v, lane, lane, lane, lane, lane, lane, lane, lane);
}
LINCHPIN_INLINE Double8 gather(const double* x, const int* i) {
  typedef Double8::Vector Vector;
  return Vector{x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}

// y becomes L^-1 y, L the unit lower triangle, or U^-1 y, U the unit upper one, of an 8x8 block of which column k starts
// at C + k stride.
template <int k>
LINCHPIN_INLINE void divide_by_lower8(const double* C, std::size_t stride, Double8& y) {
  const Double8 below(lanes8 > k ? Double8::load(C + k * stride).v : Double8(0.0).v);
  y = fma(-spread<k>(y), below, y);
  if constexpr (k + 1 < 7) divide_by_lower8<k + 1>(C, stride, y);
}
template <int k>
LINCHPIN_INLINE void divide_by_upper8(const double* C, std::size_t stride, Double8& y) {
  const Double8 above(lanes8 < k ? Double8::load(C + k * stride).v : Double8(0.0).v);
  y = fma(-spread<k>(y), above, y);
  if constexpr (k > 1) divide_by_upper8<k - 1>(C, stride, y);
}
// The same where there are only n columns.
void divide_by_lower(const double* C, std::size_t stride, int n, Double8& y) {
  for (int k = 0; k < n; ++k, C += stride)
    y = fma(Double8(-y[k]), Double8(lanes8 > k ? Double8::load(C).v : Double8(0.0).v), y);
}
void divide_by_upper(const double* C, std::size_t stride, int n, Double8& y) {
  for (int k = n - 1; k > 0; --k)
    y = fma(Double8(-y[k]), Double8(lanes8 < k ? Double8::load(C + index(k) * stride).v : Double8(0.0).v), y);
}

// y[from, to) less x times the first n of columns, from and to multiples of 8.
inline void subtract_columns(const double* C, std::size_t stride, const double* x, int n, int from, int to, double* y) {
  for (int r = from; r < to; r += 8) {
    Double8 a = Double8::load(y + r), b(0.0);
    const double* c = C + r;
    int k = 0;
    for (; k + 2 <= n; k += 2, c += 2 * stride) {
      a = fma(Double8(-x[k]), Double8::load(c), a);
      b = fma(Double8(-x[k + 1]), Double8::load(c + stride), b);
    }
    if (k < n) a = fma(Double8(-x[k]), Double8::load(c), a);
    (a + b).store(y + r);
  }
}

// y less the first rows of A times x: `rows` of A, eight at least of y, columns a multiple of 8.
inline Double8 less_rows(const double* A, std::size_t stride, int rows, const double* x, int columns,
                         const Double8& y) {
  Double8 s[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) s[i] = Double8(0.0);
  if (rows >= 8) {
    for (int j = 0; j < columns; j += 8)
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) s[i] = fma(Double8::load(A + index(i) * stride + j), Double8::load(x + j), s[i]);
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      for (int j = 0; i < rows && j < columns; j += 8)
        s[i] = fma(Double8::load(A + index(i) * stride + j), Double8::load(x + j), s[i]);
  }
  return y - sums(s);
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
  std::size_t size = 0, all_pivots = 0, largest = 0, largest_bottom = 0;
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
    front.columns = size + index(front.pivots) * index(front.stride);
    size = front.columns + index(front.pivots) * index(front.stride);
    front.pivot = all_pivots;
    all_pivots += index(padded(front.pivots));
    largest = std::max(largest, index(padded(front.pivots) + padded(front.left)));
    largest_bottom = std::max(largest_bottom, index(front.left) * index(front.stride));
    if (below[index(last)].empty()) continue;
    parent[f] = front_of[index(below[index(last)].front())];
    children[index(parent[f])].push_back(int(f));
  }
  factors_ = AlignedArray<double>(size);
  bottom_.assign(largest_bottom, 0.0);
  pivot_.assign(rows_.size(), 0);
  exchanged_.assign(all_pivots, rows_.front());
  inverse_.assign(all_pivots, 0.0);
  y_.assign(all_pivots, 0.0);
  local_.assign(largest, 0.0);

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
      sources_.push_back({o.at, cell_size(o.i), cell_size(o.j), o.i == o.j ? o.i : -1, o.entry >= 0,
                          row_in(int(f), position[index(o.i)]),
                          column_of(fronts_[f], row_in(int(f), position[index(o.j)]))});
    }
    fronts_[f].sources = sources_.size() - fronts_[f].source;
  }
  values_.assign(values, 0.0);
}

void SparseLu::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

// The front's numbers: those of pivots' rows where factors will be, the others in bottom_.
void SparseLu::assemble(const Front& f, const double* blocks, const double* squares) {
  double *top = &factors_[f.top], *bottom = bottom_.data();
  const auto row = [&](int r) {
    return r < f.pivots ? top + index(r) * index(f.stride) : bottom + index(r - f.pivots) * index(f.stride);
  };
  std::fill_n(top, index(f.pivots) * index(f.stride), 0.0);
  std::fill_n(bottom, index(f.left) * index(f.stride), 0.0);
  for (std::size_t s = f.source; s < f.source + f.sources; ++s) {
    const Source& from = sources_[s];
    double* to = row(from.row) + from.column;  // a cell's rows are all pivots', or none
    if (from.stored || !squares) copy(blocks + from.at, from.rows, from.columns, to, f.stride);
    if (squares && from.diagonal >= 0) add_square(squares + 9 * from.diagonal, from.rows, to, f.stride);
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

// Columns of A11's factors, which stand at `top`; rows of U divided by their pivots.
void SparseLu::store_columns(const Front& f) {
  const double* top = &factors_[f.top];
  const std::size_t stride = index(f.stride);
  double *columns = &factors_[f.columns], *inverse = &inverse_[f.pivot];
  for (int k = 0; k < f.pivots; ++k) inverse[k] = 1 / top[index(k) * stride + index(k)];
  transpose(ConstRows{top, stride}, f.pivots, f.pivots, TileRows{columns, stride});
  for (int k = 0; k < f.pivots; ++k, columns += stride)
    for (int c = 0; c <= k; c += 8) {
      const Double8 x = Double8::load(columns + c);
      Double8(lanes8 < k - c ? (x * Double8::load(inverse + c)).v : x.v).store(columns + c);
    }
  int* exchanged = &exchanged_[f.pivot];
  for (int k = 0; k < f.pivots; ++k) exchanged[k] = rows_[f.row + index(k)];
  for (int k = 0; k < f.pivots; ++k) std::swap(exchanged[k], exchanged[pivot_[f.row + index(k)]]);
}

bool SparseLu::factor(const double* blocks, const double* squares) {
  for (const Front& f : fronts_) {
    assemble(f, blocks, squares);
    double *top = &factors_[f.top], *columns = &factors_[f.columns];
    const std::size_t stride = index(f.stride), gap = index(padded(f.pivots)), left = index(padded(f.left));
    if (!factor_rows(top, f.pivots, f.stride, &pivot_[f.row])) return false;
    store_columns(f);
    if (f.left == 0) continue;
    const double* bottom = bottom_.data();
    const TileRows L21{columns + gap, stride};
    transpose(ConstRows{bottom, stride}, f.left, f.pivots, L21);
    divide_by_upper({top, stride}, f.pivots, int(left), L21);
    subtract_product(L21, {top + gap, stride}, f.left, int(left), f.pivots, {bottom + gap, stride},
                     {&stack_[f.left_over], left});
  }
  return true;
}

// y = L^-1 b of a front's pivots, and b of the rows they are coupled to less what that takes away.
void SparseLu::solve_lower(const Front& f, double* b) {
  const double* columns = &factors_[f.columns];
  const std::size_t stride = index(f.stride);
  const int gap = padded(f.pivots), end = gap + padded(f.left);
  double *y = &y_[f.pivot], *local = local_.data();
  for (int k = 0; k < gap; k += 8) gather(b, &exchanged_[f.pivot + index(k)]).store(local + k);
  for (int k = gap; k < end; k += 8) Double8(0.0).store(local + k);
  for (int k = 0; k < f.pivots; k += 8, columns += 8 * stride) {
    const int n = std::min(8, f.pivots - k);
    Double8 x = Double8::load(local + k);
    if (n == 8)
      divide_by_lower8<0>(columns + k, stride, x);
    else
      divide_by_lower(columns + k, stride, n, x);
    x.store(y + k);
    subtract_columns(columns, stride, y + k, n, k + 8, end, local);
  }
  const int* row = &rows_[f.row + index(f.pivots)];
  for (int c = 0; c < f.left; ++c) b[row[c]] += local[gap + c];
}

// b of a front's pivots becomes the solution there.
void SparseLu::solve_upper(const Front& f, double* b) {
  const double *top = &factors_[f.top], *columns = &factors_[f.columns], *inverse = &inverse_[f.pivot];
  const std::size_t stride = index(f.stride);
  const int gap = padded(f.pivots), left = padded(f.left);
  const int* row = &rows_[f.row];
  double *y = &y_[f.pivot], *x2 = local_.data() + gap;
  for (int c = 0; c < f.left; ++c) x2[c] = b[row[f.pivots + c]];
  for (int c = f.left; c < left; ++c) x2[c] = 0;
  for (int k = 0; k < f.pivots; k += 8) {
    const Double8 x = less_rows(top + index(k) * stride + gap, stride, f.pivots - k, x2, left, Double8::load(y + k));
    (x * Double8::load(inverse + k)).store(y + k);
  }
  for (int k = gap - 8; k >= 0; k -= 8) {
    const int n = std::min(8, f.pivots - k);
    const double* C = columns + index(k) * stride;
    Double8 x = Double8::load(y + k);
    if (n == 8)
      divide_by_upper8<7>(C + k, stride, x);
    else
      divide_by_upper(C + k, stride, n, x);
    x.store(y + k);
    subtract_columns(C, stride, y + k, n, 0, k, y);
  }
  for (int k = 0; k < f.pivots; ++k) b[row[k]] = y[k];
}

void SparseLu::solve(double* b) {
  for (const Front& f : fronts_) solve_lower(f, b);
  for (std::size_t i = fronts_.size(); i-- > 0;) solve_upper(fronts_[i], b);
}

}  // namespace linchpin

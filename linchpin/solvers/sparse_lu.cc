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

// Lane i is the next number of x for each i in `lanes`, else 0. May read eight numbers of x.
LINCHPIN_INLINE Double8 expand(unsigned char lanes, const double* x) {
#ifdef __AVX512F__
  return Double8((Double8::Vector)_mm512_maskz_expand_pd(__mmask8(lanes), (__m512d)Double8::load(x).v));
#else
  Double8 y(0.0);
  for (int i = 0; i < 8; ++i)
    if (lanes >> i & 1) y.v[i] = *x++;
  return y;
#endif
}

// A small block onto rows that lie `stride` apart.
LINCHPIN_INLINE void add_block(const double* block, int rows, int columns, double* to, int stride) {
  if (rows == 3 && columns == 3) {
    for (int r = 0; r < 3; ++r, to += stride)
      (Double8::load_first(to, 3) + Double8::load_first(block + 3 * r, 3)).store_first(to, 3);
    return;
  }
  for (int r = 0; r < rows; ++r, to += stride, block += columns)
    for (int c = 0; c < columns; ++c) to[c] += block[c];
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

// Cells that are eliminated together, as a front, and those that they are coupled to.
struct Group {
  std::vector<int> pivots, left;
  int pivot_rows = 0, left_rows = 0;
  std::vector<int> children;
  bool absorbed = false;
};

// What a front costs, in multiplications and additions of the kernels: its elimination, to fill it, and to add what it
// leaves over to its parent, number by number. Measured on piles of 100 to 2000 contacts.
double work(double pivots, double left) {
  constexpr double to_begin = 4000, to_fill = 5, to_add = 20;
  constexpr double slower = 5;  // pivots among themselves
  const double all = pivots + left;
  return to_begin + pivots * (slower * 2 / 3 * pivots * pivots + 2 * pivots * left + 2 * left * left) +
         to_fill * all * all + to_add * left * left;
}

// A group is joined to its parent, at the price of some zeros among the factors, where that is less work. Children come
// before parents.
std::vector<Group> groups_of(std::vector<Elimination> order, const std::vector<int>& rows) {
  const auto rows_in = [&](const std::vector<int>& cells) {
    int sum = 0;
    for (const int c : cells) sum += rows[index(c)];
    return sum;
  };
  std::vector<Group> groups;
  for (Elimination& e : order) {
    const int pivots = rows_in(e.nodes), left = rows_in(e.left);
    groups.push_back({std::move(e.nodes), std::move(e.left), pivots, left, std::move(e.children)});
  }
  for (Group& parent : groups) {
    std::vector<int> kept;
    for (std::size_t c = 0; c < parent.children.size(); ++c) {
      Group& child = groups[index(parent.children[c])];
      if (work(child.pivot_rows + parent.pivot_rows, parent.left_rows) >=
          work(child.pivot_rows, child.left_rows) + work(parent.pivot_rows, parent.left_rows)) {
        kept.push_back(parent.children[c]);
        continue;
      }
      parent.pivots.insert(parent.pivots.begin(), child.pivots.begin(), child.pivots.end());
      parent.pivot_rows += child.pivot_rows;
      parent.children.insert(parent.children.end(), child.children.begin(), child.children.end());
      child.absorbed = true;
    }
    std::sort(kept.begin(), kept.end());
    parent.children = std::move(kept);
  }
  return groups;
}

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
  const std::size_t n = near.size();
  std::vector<int> rows(n);
  for (std::size_t c = 0; c < n; ++c) rows[c] = S.row_start[c + 1] - S.row_start[c];
  const auto cell_size = [&](int cell) { return rows[index(cell)]; };
  const std::vector<Group> groups = groups_of(order_of_elimination(near, rows), rows);

  // The order of cells, by position, and the positions of cells.
  std::vector<int> order, position(n), front_of_group(groups.size()), first_of_front, parent;
  std::vector<std::vector<int>> children;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].absorbed) continue;
    front_of_group[g] = int(children.size());
    children.push_back({});
    first_of_front.push_back(int(order.size()));
    parent.push_back(-1);
    for (const int child : groups[g].children) {
      children.back().push_back(front_of_group[index(child)]);
      parent[index(children.back().back())] = int(children.size()) - 1;
    }
    for (const int cell : groups[g].pivots) {
      position[index(cell)] = int(order.size());
      order.push_back(cell);
    }
  }
  first_of_front.push_back(int(n));

  // Fronts, and each cell's place in the front that eliminates it.
  fronts_.assign(children.size(), {});
  rows_.clear();
  std::vector<int> front_of(n);                               // by position
  std::vector<std::vector<int>> row_of_cell(fronts_.size());  // per front: the first row of each of its cells, by list
  std::vector<std::vector<int>> cells_of(fronts_.size());     // positions
  std::size_t size = 0, all_pivots = 0, largest = 0, largest_bottom = 0, f = 0;
  for (const Group& group : groups) {
    if (group.absorbed) continue;
    Front& front = fronts_[f];
    for (int k = first_of_front[f]; k < first_of_front[f + 1]; ++k) {
      cells_of[f].push_back(k);
      front_of[index(k)] = int(f);
    }
    for (const int cell : group.left) cells_of[f].push_back(position[index(cell)]);
    std::sort(cells_of[f].begin(), cells_of[f].end());
    front.row = rows_.size();
    for (const int k : cells_of[f]) {
      row_of_cell[f].push_back(front.pivots + front.left);
      const int cell = order[index(k)];
      for (int r = 0; r < cell_size(cell); ++r) rows_.push_back(S.row_start[index(cell)] + r);
      (k < first_of_front[f + 1] ? front.pivots : front.left) += cell_size(cell);
    }
    front.stride = padded(front.pivots) + padded(front.left);
    front.top = size;
    front.columns = size + index(front.pivots) * index(front.stride);
    size = front.columns + index(front.pivots) * index(front.stride);
    front.pivot = all_pivots;
    all_pivots += index(padded(front.pivots));
    largest = std::max(largest, index(padded(front.pivots) + padded(front.left)));
    largest_bottom = std::max(largest_bottom, index(front.left) * index(padded(front.pivots)));
    ++f;
  }
  factors_ = AlignedArray<double>(size);
  bottom_ = AlignedArray<double>(largest_bottom);
  pivot_.assign(rows_.size(), 0);
  exchanged_.assign(all_pivots, rows_.front());
  inverse_.assign(all_pivots, 0.0);
  y_.assign(all_pivots, 0.0);
  local_.assign(largest, 0.0);
  zeros_ = AlignedArray<double>(largest + 8);  // expand() may read beyond

  // What a front leaves over follows what its elder siblings did, on the stack of its generation; nothing else is there,
  // as children before parents means a subtree in one piece.
  for (f = fronts_.size(); f-- > 0;)
    if (parent[f] >= 0) fronts_[f].stack = 1 - fronts_[index(parent[f])].stack;
  children_.clear();
  std::size_t top_of_stack[2] = {0, 0}, room[2] = {0, 0};
  for (f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.child = children_.size();
    front.children = children[f].size();
    for (const int child : children[f]) children_.push_back({.front = child});
    if (!children[f].empty()) top_of_stack[1 - front.stack] = fronts_[index(children[f].front())].left_over;
    std::size_t& top = top_of_stack[front.stack];
    front.left_over = top;
    top += index(front.left) * index(padded(front.left));
    room[front.stack] = std::max(room[front.stack], top);
  }
  std::size_t most_children = 0;
  for (const Front& front : fronts_) most_children = std::max(most_children, front.children);
  tile_children_.resize(most_children);
  for (int i = 0; i < 2; ++i) stacks_[i] = AlignedArray<double>(room[i] + 8);  // expand() may read beyond

  // Where things go: a cell's row within a front.
  const auto row_in = [&](int front, int place) {
    const std::vector<int>& list = cells_of[index(front)];
    return row_of_cell[index(front)][std::size_t(std::lower_bound(list.begin(), list.end(), place) - list.begin())];
  };
  row_of_child_.clear();
  row_of_parent_.clear();
  spreads_.clear();
  for (f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    for (std::size_t c = front.child; c < front.child + front.children; ++c) {
      const std::size_t child = index(children_[c].front);
      children_[c].row = row_of_child_.size();
      children_[c].target = row_of_parent_.size();
      children_[c].spread = spreads_.size();
      row_of_child_.resize(row_of_child_.size() + index(front.pivots + front.left), -1);
      spreads_.resize(spreads_.size() + index(front.stride / 8));
      int next = 0;  // row of what the child leaves over
      for (std::size_t k = index(first_of_front[child + 1] - first_of_front[child]); k < cells_of[child].size(); ++k) {
        const int row = row_in(int(f), cells_of[child][k]), count = cell_size(order[index(cells_of[child][k])]);
        for (int r = row; r < row + count; ++r, ++next) {
          row_of_child_[children_[c].row + index(r)] = next;
          row_of_parent_.push_back(r);
          children_[c].to_pivots += r < front.pivots;
          const int column = column_of(front, r);
          Spread& spread = spreads_[children_[c].spread + index(column / 8)];
          if (spread.lanes == 0) spread.from = next;
          spread.lanes = static_cast<unsigned char>(spread.lanes | 1 << column % 8);
        }
      }
    }
  }

  // The matrix's own entries, front by front.
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
  for (f = 0; f < fronts_.size(); ++f) {
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

// Adds what a child left over to [A11 A12] and A21. Eight columns at a time: then where they come from is the same for
// all rows, and the loop over rows is long.
void SparseLu::add_child(const Front& f, const Child& child) {
  const Front& g = fronts_[index(child.front)];
  const std::size_t stride = index(f.stride), gap = index(padded(f.pivots)), from_stride = index(padded(g.left));
  const int* row = &row_of_parent_[child.target];
  const double* from = &stacks_[g.stack][g.left_over];
  double *top = &factors_[f.top], *bottom = bottom_.data() - index(f.pivots) * gap;
  const auto add_rows = [&](int begin, int end, double* to, std::size_t to_stride, std::size_t columns) {
    for (std::size_t k = 0; k < columns / 8; ++k) {
      const Spread spread = spreads_[child.spread + k];
      if (spread.lanes == 0) continue;
      const double* source = from + index(begin) * from_stride + index(spread.from);
      for (int r = begin; r < end; ++r, source += from_stride) {
        double* at = to + index(row[r]) * to_stride + 8 * k;
        (Double8::load(at) + expand(spread.lanes, source)).store(at);
      }
    }
  };
  add_rows(0, child.to_pivots, top, stride, stride);
  add_rows(child.to_pivots, g.left, bottom, gap, gap);
}

// [A11 A12] where factors will be, A21 in bottom_: what children left over, then the matrix's own numbers.
void SparseLu::assemble(const Front& f, const double* blocks, const double* squares) {
  const int gap = padded(f.pivots);
  std::fill_n(&factors_[f.top], index(f.pivots) * index(f.stride), 0.0);
  std::fill_n(bottom_.data(), index(f.left) * index(gap), 0.0);
  for (std::size_t c = f.child; c < f.child + f.children; ++c) add_child(f, children_[c]);
  const auto row = [&](int r) {
    return r < f.pivots ? &factors_[f.top] + index(r) * index(f.stride)
                        : bottom_.data() + index(r - f.pivots) * index(gap);
  };
  for (std::size_t s = f.source; s < f.source + f.sources; ++s) {
    const Source& from = sources_[s];
    double* to = row(from.row) + from.column;
    const int stride = from.row < f.pivots ? f.stride : gap;  // a cell's rows are all pivots', or none
    if (!squares || from.diagonal < 0) {
      add_block(blocks + from.at, from.rows, from.columns, to, stride);
      continue;
    }
    double sum[9];  // first of the two, so that they are as one block would be
    for (int k = 0; k < from.rows * from.rows; ++k)
      sum[k] = (from.stored ? blocks[from.at + index(k)] : 0) + squares[9 * from.diagonal + k];
    add_block(sum, from.rows, from.rows, to, stride);
  }
}

// (1), for rows [r, r + rows) and columns [c, c + 8 registers) of what is left over. The first of tile_children_ are
// those with numbers in these rows.
template <int rows, int registers>
LINCHPIN_INLINE void SparseLu::leave_tile(const Front& f, int r, int c, int children) {
  const std::size_t stride = index(f.stride), gap = index(padded(f.pivots)), left = index(padded(f.left));
  Double8 x[rows][registers];
  product_tile<rows, registers>({&factors_[f.columns] + gap, stride}, r, {&factors_[f.top] + gap, stride}, c, f.pivots,
                                x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j] = -x[i][j];
  for (int k = 0; k < children; ++k) {
    const ChildOfTile& child = tile_children_[index(k)];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      const auto [from, lanes] = child.spread[c / 8 + j];
      if (lanes == 0) continue;
      if (lanes == 255) {
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) x[i][j] = x[i][j] + Double8::load(child.rows[i] + from);
      } else {
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) x[i][j] = x[i][j] + expand(lanes, child.rows[i] + from);
      }
    }
  }
  double* to = &stacks_[f.stack][f.left_over] + index(r) * left + index(c);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j].store(to + index(i) * left + 8 * j);
}
template <int rows>
void SparseLu::leave_rows(const Front& f, int r) {
  int children = 0;
  for (std::size_t k = f.child; k < f.child + f.children; ++k) {
    const Child& child = children_[k];
    const Front& g = fronts_[index(child.front)];
    ChildOfTile& here = tile_children_[index(children)];
    bool any = false;
    for (int i = 0; i < rows; ++i) {
      const int its_row = row_of_child_[child.row + index(f.pivots + r + i)];
      any = any || its_row >= 0;
      here.rows[i] =
          its_row < 0 ? zeros_.data() : &stacks_[g.stack][g.left_over + index(its_row) * index(padded(g.left))];
    }
    here.spread = &spreads_[child.spread] + padded(f.pivots) / 8;
    children += any;
  }
  const int columns = padded(f.left);
  int c = 0;
  for (; c + 24 <= columns; c += 24) leave_tile<rows, 3>(f, r, c, children);
  if (c + 16 <= columns) leave_tile<rows, 2>(f, r, c, children), c += 16;
  if (c < columns) leave_tile<rows, 1>(f, r, c, children);
}
void SparseLu::leave_over(const Front& f) {
  int r = 0;
  for (; r + 8 <= f.left; r += 8) leave_rows<8>(f, r);
  if (r + 4 <= f.left) leave_rows<4>(f, r), r += 4;
  if (r + 2 <= f.left) leave_rows<2>(f, r), r += 2;
  if (r < f.left) leave_rows<1>(f, r);
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
    const std::size_t stride = index(f.stride), gap = index(padded(f.pivots));
    if (!factor_rows(top, f.pivots, f.stride, &pivot_[f.row])) return false;
    store_columns(f);
    if (f.left == 0) continue;
    const TileRows L21{columns + gap, stride};
    transpose(ConstRows{bottom_.data(), gap}, f.left, f.pivots, L21);
    divide_by_upper({top, stride}, f.pivots, padded(f.left), L21);
    leave_over(f);
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

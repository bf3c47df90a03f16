#include "linchpin/algebra/sparse_lu.h"

#include <algorithm>
#include <type_traits>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// For each lane in the bit mask `lanes` the next number of x, else 0. May read a whole register of x.
LINCHPIN_INLINE Double8 expand(unsigned lanes, const double* x) {
#ifdef __AVX512F__
  return Double8((Double8::Vector)_mm512_maskz_expand_pd(__mmask8(lanes), (__m512d)Double8::load(x).v));
#else
  Double8 y(0.0);
  for (int i = 0; i < 8; ++i)
    if (lanes >> i & 1) y.v[i] = *x++;
  return y;
#endif
}
LINCHPIN_INLINE Wide<float> expand(unsigned lanes, const float* x) {
#ifdef __AVX512F__
  return Wide<float>((Wide<float>::Vector)_mm512_maskz_expand_ps(__mmask16(lanes), (__m512)Wide<float>::load(x).v));
#else
  Wide<float> y(0.0f);
  for (int i = 0; i < 16; ++i)
    if (lanes >> i & 1) y.v[i] = *x++;
  return y;
#endif
}

// Adds a small block to rows `stride` apart. Three numbers are added as two and one: a masked register would have to
// wait for the store of a neighbouring block.
template <class S>
LINCHPIN_INLINE void add_block(const double* block, int rows, int columns, S* to, int stride) {
  if (rows == 3 && columns == 3) {
    typedef S Pair __attribute__((vector_size(2 * sizeof(S))));
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r, to += stride, block += 3) {
      Pair x;
      __builtin_memcpy(&x, to, sizeof(x));
      x += Pair{S(block[0]), S(block[1])};
      __builtin_memcpy(to, &x, sizeof(x));
      to[2] += S(block[2]);
    }
    return;
  }
  for (int r = 0; r < rows; ++r, to += stride, block += columns)
    for (int c = 0; c < columns; ++c) to[c] += S(block[c]);
}

// Loads and stores eight numbers as double.
LINCHPIN_INLINE Double8 load8(const double* x) { return Double8::load(x); }
LINCHPIN_INLINE void store8(const Double8& x, double* to) { x.store(to); }
typedef float Float8 __attribute__((vector_size(32)));
LINCHPIN_INLINE Double8 load8(const float* x) {
  Float8 y;
  __builtin_memcpy(&y, x, sizeof(y));
  return Double8(__builtin_convertvector(y, Double8::Vector));
}
LINCHPIN_INLINE void store8(const Double8& x, float* to) {
  const Float8 y = __builtin_convertvector(x.v, Float8);
  __builtin_memcpy(to, &y, sizeof(y));
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

// y becomes L^-1 y, L the unit lower triangle of an 8x8 block whose column k starts at C + k stride; or U^-1 y, U its
// unit upper triangle.
template <int k, class S>
LINCHPIN_INLINE void divide_by_lower8(const S* C, std::size_t stride, Double8& y) {
  const Double8 below(lanes8 > k ? load8(C + k * stride).v : Double8(0.0).v);
  y = fma(-spread<k>(y), below, y);
  if constexpr (k + 1 < 7) divide_by_lower8<k + 1>(C, stride, y);
}
template <int k, class S>
LINCHPIN_INLINE void divide_by_upper8(const S* C, std::size_t stride, Double8& y) {
  const Double8 above(lanes8 < k ? load8(C + k * stride).v : Double8(0.0).v);
  y = fma(-spread<k>(y), above, y);
  if constexpr (k > 1) divide_by_upper8<k - 1>(C, stride, y);
}
// The same for a block of n columns.
template <class S>
void divide_by_lower(const S* C, std::size_t stride, int n, Double8& y) {
  for (int k = 0; k < n; ++k, C += stride)
    y = fma(Double8(-y[k]), Double8(lanes8 > k ? load8(C).v : Double8(0.0).v), y);
}
template <class S>
void divide_by_upper_part(const S* C, std::size_t stride, int n, Double8& y) {
  for (int k = n - 1; k > 0; --k)
    y = fma(Double8(-y[k]), Double8(lanes8 < k ? load8(C + index(k) * stride).v : Double8(0.0).v), y);
}

// Sums of the two halves of a register of float, as double.
LINCHPIN_INLINE Double8 halved(const Double8& x) { return x; }
LINCHPIN_INLINE Double8 halved(const Wide<float>& x) {
  const Float8 low = __builtin_shufflevector(x.v, x.v, 0, 1, 2, 3, 4, 5, 6, 7),
               high = __builtin_shufflevector(x.v, x.v, 8, 9, 10, 11, 12, 13, 14, 15);
  return Double8(__builtin_convertvector(low + high, Double8::Vector));
}
LINCHPIN_INLINE void add_to(const Double8& x, double* y) { (Double8::load(y) + x).store(y); }
LINCHPIN_INLINE void add_to(const Wide<float>& x, double* y) {
  const Float8 low = __builtin_shufflevector(x.v, x.v, 0, 1, 2, 3, 4, 5, 6, 7),
               high = __builtin_shufflevector(x.v, x.v, 8, 9, 10, 11, 12, 13, 14, 15);
  add_to(Double8(__builtin_convertvector(low, Double8::Vector)), y);
  add_to(Double8(__builtin_convertvector(high, Double8::Vector)), y + 8);
}

// Subtracts x[k] times column k of C from y[from, to), for the first n <= 8 columns; from and to are multiples of 8.
template <class S>
inline void subtract_columns(const S* C, std::size_t stride, const double* x, int n, int from, int to, double* y) {
  const auto subtract8 = [&](int r) {
    Double8 a(0.0);
    for (int k = 0; k < n; ++k) a = fma(Double8(-x[k]), load8(C + index(k) * stride + r), a);
    add_to(a, y + r);
  };
  int r = from;
  for (; r < to && r % lanes_of<S> != 0; r += 8) subtract8(r);
  if (n == 8) {
    Wide<S> minus[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) minus[k] = Wide<S>(S(-x[k]));
    for (; r + lanes_of<S> <= to; r += lanes_of<S>) {
      Wide<S> a(S(0)), b(S(0));
#pragma GCC unroll 8
      for (int k = 0; k < 8; k += 2) {
        a = fma(minus[k], Wide<S>::load(C + index(k) * stride + r), a);
        b = fma(minus[k + 1], Wide<S>::load(C + index(k + 1) * stride + r), b);
      }
      add_to(a + b, y + r);
    }
  }
  for (; r < to; r += 8) subtract8(r);
}

// y - A x for up to eight rows of A; `columns` is a number of whole registers.
template <class S>
inline Double8 less_rows(const S* A, std::size_t stride, int rows, const S* x, int columns, const Double8& y) {
  Wide<S> s[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) s[i] = Wide<S>(S(0));
  const auto add = [&](int i, int j) {
    s[i] = fma(Wide<S>::load(A + index(i) * stride + j), Wide<S>::load(x + j), s[i]);
  };
  if (rows >= 8) {
    for (int j = 0; j < columns; j += lanes_of<S>)
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) add(i, j);
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      for (int j = 0; i < rows && j < columns; j += lanes_of<S>) add(i, j);
  }
  Double8 t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) t[i] = halved(s[i]);
  return y - sums(t);
}

}  // namespace

void SparseLu::clear_row(int cell, int first, int end) {
  const auto clear = [&](const Source& s) { std::fill_n(&values_[s.at], s.rows * s.columns, 0.0); };
  for (int e = first; e < end; ++e) clear(sources_[entry_[e]]);
  clear(sources_[diagonal_[cell]]);
}

// The spread of the k-th register of columns; stored spreads are for eight columns each.
template <class S>
LINCHPIN_INLINE SparseLu::Spread SparseLu::spread_of(const Spread* spreads, int k) {
  if constexpr (lanes_of<S> == 8) {
    return spreads[k];
  } else {  // numbers of the second half follow those of the first
    const Spread &a = spreads[2 * k], &b = spreads[2 * k + 1];
    return {a.lanes ? a.from : b.from, a.lanes | b.lanes << 8};
  }
}

// Adds a child's Schur complement to [A11 A12] and A21. One register of columns at a time: its source columns are then
// the same for all rows, and the inner loop, over rows, is long.
template <class S>
void SparseLu::add_child(const Front& f, const Child& child) {
  Numbers<S>& x = numbers_of<S>();
  const Front& g = fronts_[child.front];
  const std::size_t from_stride = g.width;
  const int* row = &row_of_parent_[child.target];
  const S* from = &x.stacks[g.stack][g.left_over];
  const auto add_rows = [&](int begin, int end, S* to, int to_stride) {  // to_stride: also the number of columns
    for (int k = 0; k < to_stride / lanes_of<S>; ++k) {
      const Spread spread = spread_of<S>(&spreads_[child.spread], k);
      if (spread.lanes == 0) continue;
      const S* source = from + index(begin) * from_stride + spread.from;
      for (int r = begin; r < end; ++r, source += from_stride) {
        S* at = to + index(row[r]) * to_stride + lanes_of<S> * k;
        (Wide<S>::load(at) + expand(spread.lanes, source)).store(at);
      }
    }
  };
  add_rows(0, child.to_pivots, &x.factors[f.top], f.stride);
  add_rows(child.to_pivots, g.left, x.bottom.data() - index(f.pivots) * f.gap, f.gap);
}

// Fills [A11 A12] in the place of the factors and A21 in `bottom`: Schur complements of the children, then the matrix.
template <class S>
void SparseLu::assemble(const Front& f, const double* blocks, const double* squares) {
  Numbers<S>& x = numbers_of<S>();
  std::fill_n(&x.factors[f.top], index(f.pivots) * f.stride, S(0));
  std::fill_n(x.bottom.data(), index(f.left) * f.gap, S(0));
  for (std::size_t c = f.child; c < f.child + f.children; ++c) add_child<S>(f, children_[c]);
  const auto row = [&](int r) {
    return r < f.pivots ? &x.factors[f.top] + index(r) * f.stride : x.bottom.data() + index(r - f.pivots) * f.gap;
  };
  for (std::size_t s = f.source; s < f.source + f.sources; ++s) {
    const Source& from = sources_[s];
    S* to = row(from.row) + from.column;
    const int stride = from.row < f.pivots ? f.stride : f.gap;  // a cell's rows are all pivots or none is
    if (!squares || from.diagonal < 0) {
      add_block(blocks + from.at, from.rows, from.columns, to, stride);
      continue;
    }
    double sum[9];  // summed first, so that rounding is that of one block
    for (int k = 0; k < from.rows * from.rows; ++k)
      sum[k] = (from.stored ? blocks[from.at + k] : 0) + squares[9 * from.diagonal + k];
    add_block(sum, from.rows, from.rows, to, stride);
  }
}

// The Schur complement (1) in the rows [r, r + rows) and columns [c, c + registers' width). The first `children` of
// tile_children are those with numbers in these rows.
template <class S, int rows, int registers>
LINCHPIN_INLINE void SparseLu::leave_tile(const Front& f, int r, int c, int children) {
  Numbers<S>& numbers = numbers_of<S>();
  constexpr int width = lanes_of<S>;
  constexpr unsigned all = (1u << width) - 1;
  const std::size_t stride = f.stride, gap = f.gap;
  Wide<S> x[rows][registers];
  product_tile<S, rows, registers>({&numbers.factors[f.columns] + gap, stride}, r,
                                   {&numbers.factors[f.top] + gap, stride}, c, f.pivots, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j] = -x[i][j];
  for (int k = 0; k < children; ++k) {
    const ChildOfTile<S>& child = numbers.tile_children[k];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      const auto [from, lanes] = spread_of<S>(child.spread, c / width + j);
      if (lanes == 0) continue;
      if (lanes == all) {
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) x[i][j] = x[i][j] + Wide<S>::load(child.rows[i] + from);
      } else {
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) x[i][j] = x[i][j] + expand(lanes, child.rows[i] + from);
      }
    }
  }
  S* to = &numbers.stacks[f.stack][f.left_over] + index(r) * f.width + c;
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j].store(to + index(i) * f.width + width * j);
}
template <class S, int rows>
void SparseLu::leave_rows(const Front& f, int r) {
  Numbers<S>& x = numbers_of<S>();
  int children = 0;
  for (std::size_t k = f.child; k < f.child + f.children; ++k) {
    const Child& child = children_[k];
    const Front& g = fronts_[child.front];
    ChildOfTile<S>& here = x.tile_children[children];
    const int* its_row = &row_of_child_[child.row + index(f.pivots + r)];
    const S *its_first = &x.stacks[g.stack][g.left_over], *none = x.zeros.data();
    const std::ptrdiff_t its_width = g.width;
    int any = -1;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      any = std::max(any, its_row[i]);
      here.rows[i] = its_row[i] < 0 ? none : its_first + its_row[i] * its_width;
    }
    here.spread = &spreads_[child.spread] + f.gap / 8;
    children += any >= 0;
  }
  for_tiles_of<S>(f.width, [&](int c, auto registers) { leave_tile<S, rows, registers.value>(f, r, c, children); });
}

// Copies the columns of A11's factors from `top`, rows of U divided by their pivots.
template <class S>
void SparseLu::store_columns(const Front& f) {
  Numbers<S>& x = numbers_of<S>();
  const S* top = &x.factors[f.top];
  const std::size_t stride = f.stride;
  S* columns = &x.factors[f.columns];
  double* inverse = &x.inverse[f.pivot];
  for (int k = 0; k < f.pivots; ++k) inverse[k] = 1 / double(top[index(k) * stride + k]);
  transpose(ConstRowsOf<S>{top, stride}, f.pivots, f.pivots, TileRowsOf<S>{columns, stride});
  for (int k = 0; k < f.pivots; ++k, columns += stride)
    for (int c = 0; c <= k; c += 8) {
      const Double8 u = load8(columns + c);
      store8(Double8(lanes8 < k - c ? (u * Double8::load(inverse + c)).v : u.v), columns + c);
    }
  int* exchanged = &x.exchanged[f.pivot];
  for (int k = 0; k < f.pivots; ++k) exchanged[k] = rows_[f.row + k];
  for (int k = 0; k < f.pivots; ++k) std::swap(exchanged[k], exchanged[pivot_[f.row + k]]);
}

template <class S>
bool SparseLu::factor(const double* blocks, const double* squares) {
  Numbers<S>& x = numbers_of<S>();
  for (const Front& f : fronts_) {
    assemble<S>(f, blocks, squares);
    S *top = &x.factors[f.top], *columns = &x.factors[f.columns];
    const std::size_t stride = f.stride, gap = f.gap;
    if (!factor_rows(top, f.pivots, f.stride, &pivot_[f.row])) return false;
    store_columns<S>(f);
    if (f.left == 0) continue;
    const TileRowsOf<S> L21{columns + gap, stride};
    transpose(ConstRowsOf<S>{x.bottom.data(), gap}, f.left, f.pivots, L21);
    divide_by_upper(ConstRowsOf<S>{top, stride}, f.pivots, f.width, L21);
    for_rows_of(f.left, [&](int r, auto rows) { leave_rows<S, rows.value>(f, r); });
  }
  return true;
}
template bool SparseLu::factor<double>(const double*, const double*);
template bool SparseLu::factor<float>(const double*, const double*);

// Reordering cells permutes rows and columns alike, which keeps the sign; row exchanges within fronts change it.
bool SparseLu::determinant_is_positive() const {
  bool positive = true;
  for (const Front& f : fronts_)
    for (int k = 0; k < f.pivots; ++k) {
      const bool exchanged = pivot_[f.row + k] != k, negative = double_.inverse[f.pivot + k] < 0;
      positive = positive != (exchanged != negative);
    }
  return positive;
}

// Forward substitution: y = L^-1 b for a front's pivots, and the update of b in the rows coupled to them.
template <class S>
void SparseLu::solve_lower(const Front& f, double* b) {
  Numbers<S>& numbers = numbers_of<S>();
  const S* columns = &numbers.factors[f.columns];
  const std::size_t stride = f.stride;
  double *y = &y_[f.pivot], *local = local_.data();
  for (int k = 0; k < f.gap; k += 8) gather(b, &numbers.exchanged[f.pivot + k]).store(local + k);
  for (int k = f.gap; k < f.stride; k += 8) Double8(0.0).store(local + k);
  for (int k = 0; k < f.pivots; k += 8, columns += 8 * stride) {
    const int n = std::min(8, f.pivots - k);
    Double8 x = Double8::load(local + k);
    if (n == 8)
      divide_by_lower8<0>(columns + k, stride, x);
    else
      divide_by_lower(columns + k, stride, n, x);
    x.store(y + k);
    subtract_columns(columns, stride, y + k, n, k + 8, f.stride, local);
  }
  const int* row = &rows_[f.row + f.pivots];
  for (int c = 0; c < f.left; ++c) b[row[c]] += local[f.gap + c];
}

// Backward substitution: b becomes the solution in the rows of a front's pivots.
template <class S>
void SparseLu::solve_upper(const Front& f, double* b) {
  Numbers<S>& numbers = numbers_of<S>();
  const S *top = &numbers.factors[f.top], *columns = &numbers.factors[f.columns];
  const double* inverse = &numbers.inverse[f.pivot];
  const std::size_t stride = f.stride;
  const int* row = &rows_[f.row];
  double* y = &y_[f.pivot];
  S* x2 = numbers.known.data();
  for (int c = 0; c < f.left; ++c) x2[c] = S(b[row[f.pivots + c]]);
  for (int c = f.left; c < f.width; ++c) x2[c] = 0;
  for (int k = 0; k < f.pivots; k += 8) {
    const Double8 x =
        less_rows(top + index(k) * stride + f.gap, stride, f.pivots - k, x2, f.width, Double8::load(y + k));
    (x * Double8::load(inverse + k)).store(y + k);
  }
  for (int k = padded(f.pivots) - 8; k >= 0; k -= 8) {
    const int n = std::min(8, f.pivots - k);
    const S* C = columns + index(k) * stride;
    Double8 x = Double8::load(y + k);
    if (n == 8)
      divide_by_upper8<7>(C + k, stride, x);
    else
      divide_by_upper_part(C + k, stride, n, x);
    x.store(y + k);
    subtract_columns(C, stride, y + k, n, 0, k, y);
  }
  for (int k = 0; k < f.pivots; ++k) b[row[k]] = y[k];
}

template <class S>
void SparseLu::solve(double* b) {
  for (const Front& f : fronts_) solve_lower<S>(f, b);
  for (std::size_t i = fronts_.size(); i-- > 0;) solve_upper<S>(fronts_[i], b);
}
template void SparseLu::solve<double>(double*);
template void SparseLu::solve<float>(double*);

}  // namespace linchpin

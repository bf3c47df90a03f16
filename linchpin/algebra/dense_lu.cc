#include "linchpin/algebra/dense_lu.h"

#include <algorithm>

namespace linchpin {
namespace {

// 0, 1, 2 ... for masks of a register's lanes.
typedef long long Lanes8 __attribute__((vector_size(64)));
typedef int Lanes16 __attribute__((vector_size(64)));
template <class S>
LINCHPIN_INLINE auto lanes() {
  if constexpr (lanes_of<S> == 8)
    return Lanes8{0, 1, 2, 3, 4, 5, 6, 7};
  else
    return Lanes16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

// Pivots in a panel; matrices of fewer than largest_panel rows are one panel. Panels of 8 to 32 pivots take the same
// time (docs/newton.md).
constexpr int panel = 16, largest_panel = 24;

// C -= A B for the rows [r0, r1) and columns [c0, c1) of M (whole registers), A the columns and B the rows [k0, k1).
// Eight rows of A at a time are copied side by side.
template <class S>
void subtract_panel(S* M, int stride, int r0, int r1, int k0, int k1, int c0, int c1) {
  const std::size_t s = std::size_t(stride);
  S A[8 * largest_panel];
  for (int r = r0; r < r1; r += 8) {
    const int rows = std::min(8, r1 - r);
    for (int k = k0; k < k1; ++k)
      for (int i = 0; i < rows; ++i) A[8 * (k - k0) + i] = M[std::size_t(r + i) * s + std::size_t(k)];
    const TileRowsOf<S> C{M + std::size_t(r) * s + std::size_t(c0), s};
    subtract_product<S>({A, 8}, {M + std::size_t(k0) * s + std::size_t(c0), s}, rows, c1 - c0, k1 - k0, C, C);
  }
}

// Swaps two rows by whole registers: the rows are loaded next, and a load that spans several smaller stores would
// stall.
template <class S>
inline void exchange(S* x, S* y, int n) {
  for (int j = 0; j < n; j += lanes_of<S>) {
    const Wide<S> kept = Wide<S>::load(x + j);
    Wide<S>::load(y + j).store(x + j);
    kept.store(y + j);
  }
}

// The index of the number with the largest magnitude (the first of equals) among n, `stride` apart. Four maxima in
// parallel break the chain of dependent comparisons; mostly it is the very first number.
template <class S>
inline int largest_below(const S* x, std::size_t stride, int n) {
  S most[4] = {std::abs(*x), 0, 0, 0};
  const auto larger = [](S a, S b) { return a > b ? a : b; };  // b if a is NaN
  int i = 1;
  const S* at = x + stride;
  for (; i + 4 <= n; i += 4, at += 4 * stride)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) most[k] = larger(std::abs(at[std::size_t(k) * stride]), most[k]);
  for (; i < n; ++i, at += stride) most[1] = larger(std::abs(*at), most[1]);
  const S all = larger(larger(most[1], larger(most[2], most[3])), most[0]);
  if (!(all > std::abs(*x))) return 0;
  for (i = 1; std::abs(x[std::size_t(i) * stride]) != all;) ++i;
  return i;
}

// Eliminates the columns [from, to); whole rows are exchanged.
template <class S>
bool factor_panel(S* A, int rows, int stride_, int* pivot, int from, int to) {
  constexpr int width = lanes_of<S>;
  const std::size_t stride = std::size_t(stride_);
  for (int k = from; k < to; ++k) {
    const int best = largest_below(A + std::size_t(k) * stride + std::size_t(k), stride, rows - k) + k;
    const S most = std::abs(A[std::size_t(best) * stride + std::size_t(k)]);
    if (!(most > 0) || !std::isfinite(most)) return false;
    pivot[k] = best;
    S* top = A + std::size_t(k) * stride;
    if (best != k) exchange(top, A + std::size_t(best) * stride, stride_);
    const S inverse = 1 / top[k];
    // The first register may hold columns of L: they are zeros in the row that is subtracted.
    const int begin = (k + 1) / width * width, end = std::min(padded_to_registers<S>(to), stride_);
    if (begin > k) {  // a new register begins after the pivot
      for (int i = k + 1; i < rows; ++i) {
        S* row = A + std::size_t(i) * stride;
        const S l = row[k] * inverse;
        row[k] = l;
        subtract_multiple(row + begin, l, top + begin, end - begin);
      }
      continue;
    }
    const Wide<S> head(lanes<S>() > k - begin ? Wide<S>::load(top + begin).v : Wide<S>(S(0)).v);
    // l is written into its lane of the register: stored by itself, it would stall the next load of that register.
    const auto lane_of_pivot = lanes<S>() == k - begin;
    for (int i = k + 1; i < rows; ++i) {
      S* row = A + std::size_t(i) * stride;
      const S l = row[k] * inverse;
      const Wide<S> x = fma(Wide<S>(-l), head, Wide<S>::load(row + begin));
      Wide<S>(lane_of_pivot ? Wide<S>(l).v : x.v).store(row + begin);
      subtract_multiple(row + begin + width, l, top + begin + width, end - begin - width);
    }
  }
  return true;
}

// X becomes L^-1 (X - L_before' B) in the rows [0, rows) and columns [c, c + registers' width): L is lower triangular
// with a unit diagonal, its rows `L_stride` apart.
template <class S, int rows, int registers>
inline void divide_tile_by_lower(ConstRowsOf<S> L_before, const S* L, std::size_t L_stride, ConstRowsOf<S> B, int c,
                                 int depth, TileRowsOf<S> X) {
  Wide<S> x[rows][registers];
  product_tile<S, rows, registers>(L_before, 0, B, c, depth, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      S* at = X.row(i) + c + lanes_of<S> * j;
      x[i][j] = Wide<S>::load(at) - x[i][j];
      x[i][j].store(at);
    }
#pragma GCC unroll 8
    for (int m = i + 1; m < rows; ++m)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j)
        x[m][j] = fma(Wide<S>(L[std::size_t(m) * L_stride + std::size_t(i)]), x[i][j], x[m][j]);
  }
}
template <class S, int rows>
inline void divide_rows_by_lower(S* A, std::size_t stride, int from, int k, int right) {
  S before[rows * largest_panel];  // L of these rows and the panel's earlier columns, side by side
  for (int m = from; m < k; ++m)
    for (int i = 0; i < rows; ++i) before[rows * (m - from) + i] = A[std::size_t(k + i) * stride + std::size_t(m)];
  const S* L = A + std::size_t(k) * stride + std::size_t(k);
  const ConstRowsOf<S> L_before{before, rows}, B{A + std::size_t(from) * stride + std::size_t(right), stride};
  const TileRowsOf<S> X{A + std::size_t(k) * stride + std::size_t(right), stride};
  for_tiles_of<S>(int(stride) - right, [&](int c, auto registers) {
    divide_tile_by_lower<S, rows, registers.value>(L_before, L, stride, B, c, k - from, X);
  });
}
// The rows of U to the right of the panel [from, to).
template <class S>
void divide_by_lower(S* A, int stride, int from, int to, int right) {
  if (right >= stride) return;
  for_rows_of(to - from, [&](int k, auto rows) {
    divide_rows_by_lower<S, rows.value>(A, std::size_t(stride), from, from + k, right);
  });
}

// The rows [k, k + rows) of U'^-1 X; earlier rows are done.
template <class S, int rows, int registers>
inline void divide_tile(ConstRowsOf<S> U, int k, int c, TileRowsOf<S> X) {
  Wide<S> x[rows][registers];
  product_tile<S, rows, registers>(U, k, X, c, k, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    const S inverse = 1 / U.row(k + i)[k + i];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      S* at = X.row(k + i) + c + lanes_of<S> * j;
      x[i][j] = (Wide<S>::load(at) - x[i][j]) * Wide<S>(inverse);
      x[i][j].store(at);
    }
#pragma GCC unroll 8
    for (int m = i + 1; m < rows; ++m)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j) x[m][j] = fma(Wide<S>(U.row(k + i)[k + m]), x[i][j], x[m][j]);
  }
}

}  // namespace

template <class S>
void divide_by_upper(ConstRowsOf<S> U, int n, int columns, TileRowsOf<S> X) {
  for_rows_of(n, [&](int k, auto rows) {
    for_tiles_of<S>(columns, [&](int c, auto registers) { divide_tile<S, rows.value, registers.value>(U, k, c, X); });
  });
}
template void divide_by_upper(ConstRowsOf<double>, int, int, TileRowsOf<double>);
template void divide_by_upper(ConstRowsOf<float>, int, int, TileRowsOf<float>);

template <class S>
bool factor_rows(S* A, int rows, int stride, int* pivot) {
  const int width = rows < largest_panel ? rows : panel;
  for (int from = 0; from < rows; from += width) {
    const int to = std::min(rows, from + width), right = padded_to_registers<S>(to);
    if (!factor_panel(A, rows, stride, pivot, from, to)) return false;
    divide_by_lower(A, stride, from, to, right);
    subtract_panel(A, stride, to, rows, from, to, right, stride);
  }
  return true;
}
template bool factor_rows(double*, int, int, int*);
template bool factor_rows(float*, int, int, int*);

void DenseLu::solve(double* b) const {
  const double* A = A_.data();
  const std::size_t stride = std::size_t(stride_);
  for (int k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[k]]);
  for (int i = 0; i < n_; ++i) {
    const double* row = A + std::size_t(i) * stride;
    double s0 = b[i], s1 = 0, s2 = 0, s3 = 0;
    int j = 0;
    for (; j + 4 <= i; j += 4)
      s0 -= row[j] * b[j], s1 -= row[j + 1] * b[j + 1], s2 -= row[j + 2] * b[j + 2], s3 -= row[j + 3] * b[j + 3];
    for (; j < i; ++j) s0 -= row[j] * b[j];
    b[i] = (s0 + s1) + (s2 + s3);
  }
  for (int i = n_ - 1; i >= 0; --i) {
    const double* row = A + std::size_t(i) * stride;
    double s0 = b[i], s1 = 0;
    int j = i + 1;
    for (; j + 2 <= n_; j += 2) s0 -= row[j] * b[j], s1 -= row[j + 1] * b[j + 1];
    for (; j < n_; ++j) s0 -= row[j] * b[j];
    b[i] = (s0 + s1) / row[i];
  }
}

}  // namespace linchpin

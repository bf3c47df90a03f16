#include "linchpin/solvers/dense_lu.h"

#include <algorithm>

namespace linchpin {
namespace {

typedef long long Lanes8 __attribute__((vector_size(64)));
constexpr Lanes8 lanes8{0, 1, 2, 3, 4, 5, 6, 7};

constexpr int panel = 16, largest_panel = 24;

// Rows [r0, r1) and columns [c0, c1), a multiple of 8 of them: C -= A B, where A is the columns and B the rows [k0,
// k1). A is taken eight rows at a time, side by side.
void subtract_panel(double* M, int stride, int r0, int r1, int k0, int k1, int c0, int c1) {
  const std::size_t s = std::size_t(stride);
  double A[8 * largest_panel];
  for (int r = r0; r < r1; r += 8) {
    const int rows = std::min(8, r1 - r);
    for (int k = k0; k < k1; ++k)
      for (int i = 0; i < rows; ++i) A[8 * (k - k0) + i] = M[std::size_t(r + i) * s + std::size_t(k)];
    const TileRows C{M + std::size_t(r) * s + std::size_t(c0), s};
    subtract_product({A, 8}, {M + std::size_t(k0) * s + std::size_t(c0), s}, rows, c1 - c0, k1 - k0, C, C);
  }
}

// By registers, as the rows are loaded next: a load that spans several stores has to wait for them.
inline void exchange(double* x, double* y, int n) {
  for (int j = 0; j < n; j += 8) {
    const Double8 kept = Double8::load(x + j);
    Double8::load(y + j).store(x + j);
    kept.store(y + j);
  }
}

// Columns [from, to); whole rows are exchanged.
bool factor_panel(double* A, int rows, int stride_, int* pivot, int from, int to) {
  const std::size_t stride = std::size_t(stride_);
  for (int k = from; k < to; ++k) {
    int best = k;
    double most = std::abs(A[std::size_t(k) * stride + std::size_t(k)]);
    const double* below = A + std::size_t(k) * stride + std::size_t(k);
    for (int i = k + 1; i < rows; ++i) {
      const double a = std::abs(*(below += stride));
      best = a > most ? i : best;
      most = a > most ? a : most;
    }
    if (!(most > 0) || !std::isfinite(most)) return false;
    pivot[k] = best;
    double* top = A + std::size_t(k) * stride;
    if (best != k) exchange(top, A + std::size_t(best) * stride, stride_);
    const double inverse = 1 / top[k];
    // The first register may hold columns of L: as zeros in the row that is subtracted they do no harm.
    const int begin = (k + 1) / 8 * 8, end = std::min(padded(to), stride_);
    if (begin > k) {  // a new register begins behind the pivot
      for (int i = k + 1; i < rows; ++i) {
        double* row = A + std::size_t(i) * stride;
        const double l = row[k] * inverse;
        row[k] = l;
        subtract_multiple(row + begin, l, top + begin, end - begin);
      }
      continue;
    }
    const Double8 head(lanes8 > k - begin ? Double8::load(top + begin).v : Double8(0.0).v);
    // l goes into its lane of the register: stored by itself, the next load of the register would have to wait for it
    const Lanes8 lane_of_pivot = lanes8 == k - begin;
    for (int i = k + 1; i < rows; ++i) {
      double* row = A + std::size_t(i) * stride;
      const double l = row[k] * inverse;
      const Double8 x = fma(Double8(-l), head, Double8::load(row + begin));
      Double8(lane_of_pivot ? Double8(l).v : x.v).store(row + begin);
      subtract_multiple(row + begin + 8, l, top + begin + 8, end - begin - 8);
    }
  }
  return true;
}

// Columns [c, c + 8 registers) of rows [0, rows) of X, less L' B for those before, become L^-1 of that: L lower with a
// unit diagonal, its rows `L_stride` apart.
template <int rows, int registers>
inline void divide_tile_by_lower(ConstRows L_before, const double* L, std::size_t L_stride, ConstRows B, int c,
                                 int depth, TileRows X) {
  Double8 x[rows][registers];
  product_tile<rows, registers>(L_before, 0, B, c, depth, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      double* at = X.row(i) + c + 8 * j;
      x[i][j] = Double8::load(at) - x[i][j];
      x[i][j].store(at);
    }
#pragma GCC unroll 8
    for (int m = i + 1; m < rows; ++m)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j)
        x[m][j] = fma(Double8(L[std::size_t(m) * L_stride + std::size_t(i)]), x[i][j], x[m][j]);
  }
}
template <int rows>
inline void divide_rows_by_lower(double* A, std::size_t stride, int from, int k, int right) {
  double before[rows * largest_panel];  // L of these rows and the panel's earlier columns, side by side
  for (int m = from; m < k; ++m)
    for (int i = 0; i < rows; ++i) before[rows * (m - from) + i] = A[std::size_t(k + i) * stride + std::size_t(m)];
  const double* L = A + std::size_t(k) * stride + std::size_t(k);
  const ConstRows L_before{before, rows}, B{A + std::size_t(from) * stride + std::size_t(right), stride};
  const TileRows X{A + std::size_t(k) * stride + std::size_t(right), stride};
  const int columns = int(stride) - right, depth = k - from;
  int c = 0;
  for (; c + 24 <= columns; c += 24) divide_tile_by_lower<rows, 3>(L_before, L, stride, B, c, depth, X);
  if (c + 16 <= columns) divide_tile_by_lower<rows, 2>(L_before, L, stride, B, c, depth, X), c += 16;
  if (c < columns) divide_tile_by_lower<rows, 1>(L_before, L, stride, B, c, depth, X);
}
// Rows of U right of the panel [from, to).
void divide_by_lower(double* A, int stride_, int from, int to, int right) {
  const std::size_t stride = std::size_t(stride_);
  if (right >= stride_) return;
  int k = from;
  for (; k + 8 <= to; k += 8) divide_rows_by_lower<8>(A, stride, from, k, right);
  if (k + 4 <= to) divide_rows_by_lower<4>(A, stride, from, k, right), k += 4;
  if (k + 2 <= to) divide_rows_by_lower<2>(A, stride, from, k, right), k += 2;
  if (k < to) divide_rows_by_lower<1>(A, stride, from, k, right);
}

// Rows [k, k + rows) of U'^-1 X, those before being done.
template <int rows, int registers>
inline void divide_tile(ConstRows U, int k, int c, TileRows X) {
  Double8 x[rows][registers];
  product_tile<rows, registers>(U, k, X, c, k, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    const double inverse = 1 / U.row(k + i)[k + i];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      double* at = X.row(k + i) + c + 8 * j;
      x[i][j] = (Double8::load(at) - x[i][j]) * Double8(inverse);
      x[i][j].store(at);
    }
#pragma GCC unroll 8
    for (int m = i + 1; m < rows; ++m)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j) x[m][j] = fma(Double8(U.row(k + i)[k + m]), x[i][j], x[m][j]);
  }
}
template <int rows>
inline void divide_rows(ConstRows U, int k, int columns, TileRows X) {
  int c = 0;
  for (; c + 24 <= columns; c += 24) divide_tile<rows, 3>(U, k, c, X);
  if (c + 16 <= columns) divide_tile<rows, 2>(U, k, c, X), c += 16;
  if (c < columns) divide_tile<rows, 1>(U, k, c, X);
}

}  // namespace

void divide_by_upper(ConstRows U, int n, int columns, TileRows X) {
  int k = 0;
  for (; k + 8 <= n; k += 8) divide_rows<8>(U, k, columns, X);
  if (k + 4 <= n) divide_rows<4>(U, k, columns, X), k += 4;
  if (k + 2 <= n) divide_rows<2>(U, k, columns, X), k += 2;
  if (k < n) divide_rows<1>(U, k, columns, X);
}

bool factor_rows(double* A, int rows, int stride, int* pivot) {
  const int width = rows < largest_panel ? rows : panel;
  for (int from = 0; from < rows; from += width) {
    const int to = std::min(rows, from + width), right = padded(to);
    if (!factor_panel(A, rows, stride, pivot, from, to)) return false;
    divide_by_lower(A, stride, from, to, right);
    subtract_panel(A, stride, to, rows, from, to, right, stride);
  }
  return true;
}

void DenseLu::solve(double* b) const {
  const double* A = A_.data();
  const std::size_t stride = std::size_t(stride_);
  for (int k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[std::size_t(k)]]);
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

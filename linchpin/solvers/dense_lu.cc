#include "linchpin/solvers/dense_lu.h"

#include <algorithm>

namespace linchpin {
namespace {

typedef long long Lanes8 __attribute__((vector_size(64)));
constexpr Lanes8 lanes8{0, 1, 2, 3, 4, 5, 6, 7};

constexpr int panel = 16, largest_panel = 24;

// rows x (8 * registers) of C, C -= A B, in registers; `minus_a` holds -A, k after k.
template <int rows, int registers>
inline void update_tile(double* M, std::size_t stride, int r, int c, int k0, int depth, const double* minus_a) {
  Double8 x[rows][registers];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < registers; ++j)
      x[i][j] = Double8::load(M + std::size_t(r + i) * stride + std::size_t(c + 8 * j));
  const double* b = M + std::size_t(k0) * stride + std::size_t(c);
  for (int k = 0; k < depth; ++k, b += stride, minus_a += rows) {
    Double8 B[registers];
    for (int j = 0; j < registers; ++j) B[j] = Double8::load(b + 8 * j);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < registers; ++j) x[i][j] = fma(Double8(minus_a[i]), B[j], x[i][j]);
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < registers; ++j) x[i][j].store(M + std::size_t(r + i) * stride + std::size_t(c + 8 * j));
}

template <int rows>
inline void update_rows(double* M, std::size_t stride, int r, int k0, int depth, int c0, int c1) {
  double minus_a[rows * largest_panel];
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < rows; ++i) minus_a[k * rows + i] = -M[std::size_t(r + i) * stride + std::size_t(k0 + k)];
  int c = c0;
  for (; c + 24 <= c1; c += 24) update_tile<rows, 3>(M, stride, r, c, k0, depth, minus_a);
  if (c + 16 <= c1) update_tile<rows, 2>(M, stride, r, c, k0, depth, minus_a), c += 16;
  if (c < c1) update_tile<rows, 1>(M, stride, r, c, k0, depth, minus_a);
}

// Rows [r0, r1) and columns [c0, c1), a multiple of 8 of them: C -= A B, where A is the columns and B the rows [k0,
// k1).
void subtract_product(double* M, int stride, int r0, int r1, int k0, int k1, int c0, int c1) {
  const std::size_t s = std::size_t(stride);
  int r = r0;
  for (; r + 8 <= r1; r += 8) update_rows<8>(M, s, r, k0, k1 - k0, c0, c1);
  if (r + 4 <= r1) update_rows<4>(M, s, r, k0, k1 - k0, c0, c1), r += 4;
  if (r + 2 <= r1) update_rows<2>(M, s, r, k0, k1 - k0, c0, c1), r += 2;
  if (r < r1) update_rows<1>(M, s, r, k0, k1 - k0, c0, c1);
}

// Columns [from, to); whole rows are exchanged, among those before `pivots`.
bool factor_panel(double* A, int rows, int pivots, int stride_, int* pivot, int from, int to) {
  const std::size_t stride = std::size_t(stride_);
  for (int k = from; k < to; ++k) {
    int best = k;
    double most = std::abs(A[std::size_t(k) * stride + std::size_t(k)]);
    for (int i = k + 1; i < pivots; ++i) {
      const double a = std::abs(A[std::size_t(i) * stride + std::size_t(k)]);
      if (a > most) most = a, best = i;
    }
    if (!(most > 0) || !std::isfinite(most)) return false;
    pivot[k] = best;
    double* top = A + std::size_t(k) * stride;
    if (best != k) std::swap_ranges(top, top + stride, A + std::size_t(best) * stride);
    const double inverse = 1 / top[k];
    // The first register may hold columns of L: as zeros in the row that is subtracted they do no harm.
    const int begin = (k + 1) / 8 * 8, end = std::min(padded(to), stride_);
    double first[8];
    for (int j = 0; j < 8; ++j) first[j] = begin + j > k && begin + j < stride_ ? top[begin + j] : 0;
    const Double8 head = Double8::load(first);
    if (begin > k) {  // a new register begins behind the pivot
      for (int i = k + 1; i < rows; ++i) {
        double* row = A + std::size_t(i) * stride;
        const double l = row[k] * inverse;
        row[k] = l;
        subtract_multiple(row + begin, l, top + begin, end - begin);
      }
      continue;
    }
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

}  // namespace

bool factor_leading(double* A, int rows, int pivots, int stride, int* pivot) {
  const int width = pivots < largest_panel ? pivots : panel;
  for (int from = 0; from < pivots; from += width) {
    const int to = std::min(pivots, from + width), right = padded(to);
    if (!factor_panel(A, rows, pivots, stride, pivot, from, to)) return false;
    for (int k = from + 1; k < to; ++k) {  // rows of U right of the panel
      double* row = A + std::size_t(k) * std::size_t(stride);
      for (int m = from; m < k; ++m)
        subtract_multiple(row + right, row[m], A + std::size_t(m) * std::size_t(stride) + right, stride - right);
    }
    subtract_product(A, stride, to, rows, from, to, right, stride);
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

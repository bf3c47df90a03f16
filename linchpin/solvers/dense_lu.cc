#include "linchpin/solvers/dense_lu.h"

#include <algorithm>

namespace linchpin {
namespace {

constexpr int panel = 16;

// C -= A B for rows [r0, r1) of C and columns [c0, c1) (c0, c1 multiples of 8): A's columns and B's rows are [k0, k1) of the same
// matrix. Four rows by sixteen columns stay in registers.
void subtract_product(double* M, int stride, int r0, int r1, int k0, int k1, int c0, int c1) {
  int r = r0;
  for (; r + 4 <= r1; r += 4) {
    double* row[4];
    for (int i = 0; i < 4; ++i) row[i] = M + std::size_t(r + i) * std::size_t(stride);
    int c = c0;
    for (; c + 16 <= c1; c += 16) {
      Double8 x[4][2];
      for (int i = 0; i < 4; ++i) x[i][0] = Double8::load(row[i] + c), x[i][1] = Double8::load(row[i] + c + 8);
      for (int k = k0; k < k1; ++k) {
        const double* b = M + std::size_t(k) * std::size_t(stride) + c;
        const Double8 b0 = Double8::load(b), b1 = Double8::load(b + 8);
        for (int i = 0; i < 4; ++i) {
          x[i][0] = fma(Double8(-row[i][k]), b0, x[i][0]);
          x[i][1] = fma(Double8(-row[i][k]), b1, x[i][1]);
        }
      }
      for (int i = 0; i < 4; ++i) x[i][0].store(row[i] + c), x[i][1].store(row[i] + c + 8);
    }
    for (; c < c1; c += 8) {
      Double8 x[4];
      for (int i = 0; i < 4; ++i) x[i] = Double8::load(row[i] + c);
      for (int k = k0; k < k1; ++k) {
        const Double8 b = Double8::load(M + std::size_t(k) * std::size_t(stride) + c);
        for (int i = 0; i < 4; ++i) x[i] = fma(Double8(-row[i][k]), b, x[i]);
      }
      for (int i = 0; i < 4; ++i) x[i].store(row[i] + c);
    }
  }
  for (; r < r1; ++r) {
    double* row = M + std::size_t(r) * std::size_t(stride);
    for (int k = k0; k < k1; ++k) subtract_multiple(row + c0, row[k], M + std::size_t(k) * std::size_t(stride) + c0, c1 - c0);
  }
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
    for (int j = 0; j < 8; ++j) first[j] = begin + j > k ? top[begin + j] : 0;
    const Double8 head = Double8::load(first);
    for (int i = k + 1; i < rows; ++i) {
      double* row = A + std::size_t(i) * stride;
      const double l = row[k] * inverse;
      if (l == 0) continue;
      row[k] = l;
      if (begin >= end) continue;
      fma(Double8(-l), head, Double8::load(row + begin)).store(row + begin);
      subtract_multiple(row + begin + 8, l, top + begin + 8, end - begin - 8);
    }
  }
  return true;
}

}  // namespace

bool factor_leading(double* A, int rows, int pivots, int stride, int* pivot) {
  const int width = pivots < 64 ? pivots : panel;
  for (int from = 0; from < pivots; from += width) {
    const int to = std::min(pivots, from + width), right = padded(to);
    if (!factor_panel(A, rows, pivots, stride, pivot, from, to)) return false;
    for (int k = from + 1; k < to; ++k) {  // rows of U right of the panel
      double* row = A + std::size_t(k) * std::size_t(stride);
      for (int m = from; m < k; ++m) subtract_multiple(row + right, row[m], A + std::size_t(m) * std::size_t(stride) + right, stride - right);
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
    for (; j + 4 <= i; j += 4) s0 -= row[j] * b[j], s1 -= row[j + 1] * b[j + 1], s2 -= row[j + 2] * b[j + 2], s3 -= row[j + 3] * b[j + 3];
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

// LU factors with partial pivoting of a dense matrix of any size, stored row by row. For kernel files only.
//
// Columns are eliminated in panels; the rest of the matrix, below and to the right of a panel, is updated once per
// panel by tiles (tile.h).
#pragma once

#include <cmath>
#include <vector>

#include "linchpin/algebra/tile.h"

namespace linchpin {

// n rounded up to whole registers: of eight double, or of S.
inline int padded(int n) { return (n + 7) / 8 * 8; }
template <class S>
int padded_to_registers(int n) {
  return (n + lanes_of<S> - 1) / lanes_of<S> * lanes_of<S>;
}

// y[0..n) -= a x[0..n), n whole registers.
template <class S>
inline void subtract_multiple(S* y, S a, const S* x, int n) {
  const Wide<S> minus(-a);
  for (int j = 0; j < n; j += lanes_of<S>) fma(minus, Wide<S>::load(x + j), Wide<S>::load(y + j)).store(y + j);
}

// Factors P A = L U, A of `rows` rows. Further columns of A, from the next whole register on, become further columns of
// U; the padding before them is zero. False if a pivot is zero or not finite. For double and float.
template <class S>
bool factor_rows(S* A, int rows, int stride, int* pivot);

// X becomes U'^-1 X, U the upper triangle of a matrix of n rows; `columns` is a number of whole registers.
template <class S>
void divide_by_upper(ConstRowsOf<S> U, int n, int columns, TileRowsOf<S> X);

class DenseLu {
 public:
  // The matrix to be factored, for the caller to fill: n rows, stride() numbers apart. The padding beyond column n must
  // be finite.
  double* matrix(int n) {
    n_ = n;
    stride_ = padded(n);
    if (A_.size() < std::size_t(n) * std::size_t(stride_)) A_.resize(std::size_t(n) * std::size_t(stride_));
    if (pivot_.size() < std::size_t(n)) pivot_.resize(n);
    return A_.data();
  }
  int stride() const { return stride_; }
  int size() const { return n_; }

  // False if the matrix is singular or not finite.
  bool factor() { return factor_rows(A_.data(), n_, stride_, pivot_.data()); }
  // b becomes the solution; it has room for stride() numbers.
  void solve(double* b) const;
  // The sign of the factored matrix's determinant.
  bool determinant_is_positive() const {
    bool positive = true;
    for (std::size_t k = 0; k < std::size_t(n_); ++k) {
      const bool exchanged = pivot_[k] != int(k), negative = A_[k * std::size_t(stride_) + k] < 0;
      positive = positive != (exchanged != negative);
    }
    return positive;
  }

 private:
  int n_ = 0, stride_ = 0;
  std::vector<double> A_;
  std::vector<int> pivot_;
};

}  // namespace linchpin

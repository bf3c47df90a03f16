// LU factors with partial pivoting of a dense matrix of any size, row by row. For this room's own kernel files.
//
// In panels of columns; what is right of a panel and below it is updated once per panel, by tiles (tile.h).
#pragma once

#include <cmath>
#include <vector>

#include "linchpin/algebra/tile.h"

namespace linchpin {

inline int padded(int n) { return (n + 7) / 8 * 8; }
// n rounded up to whole registers.
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

// Factors a matrix of `rows` rows: P A = L U, with the columns beyond `rows`, from the next register on, carried along as
// more columns of U (zeros in between). False where a pivot is zero or not finite. For double and float.
template <class S>
bool factor_rows(S* A, int rows, int stride, int* pivot);

// X becomes U'^-1 X, U the upper triangle of a matrix of n rows; columns whole registers.
template <class S>
void divide_by_upper(ConstRowsOf<S> U, int n, int columns, TileRowsOf<S> X);

class DenseLu {
 public:
  // The matrix to be factored: `n` rows, stride() numbers apart, to be filled by the caller; what lies beyond column n
  // is the padding of a row and must be finite.
  double* matrix(int n) {
    n_ = n;
    stride_ = padded(n);
    if (A_.size() < std::size_t(n) * std::size_t(stride_)) A_.resize(std::size_t(n) * std::size_t(stride_));
    if (pivot_.size() < std::size_t(n)) pivot_.resize(n);
    return A_.data();
  }
  int stride() const { return stride_; }
  int size() const { return n_; }

  bool factor() { return factor_rows(A_.data(), n_, stride_, pivot_.data()); }
  // b becomes the solution. b has room for stride() numbers.
  void solve(double* b) const;
  // Of the matrix that was factored.
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

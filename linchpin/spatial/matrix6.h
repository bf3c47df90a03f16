// 6 x 6 matrices over the scalars of pack.h, and their products. For kernel files: all functions are inline.
//
// A Matrix6<double> keeps each row in one register of eight, the last two lanes zero, so that a product handles all
// columns at once. Of other scalars, packs of worlds among them, each entry is a number of its own. Entries of a
// product are summed over k = 0..5 in this order, whatever the scalar and the number of rows computed at once.
#pragma once

#include <type_traits>

#include "linchpin/spatial/pack.h"

namespace linchpin {

template <class T>
struct Matrix6 {
  T at[6][6];
};
template <>
struct Matrix6<double> {
  Double8 row[6];
};

// Whether a matrix keeps its columns side by side in registers.
template <class T>
constexpr bool side_by_side = std::is_same_v<T, double>;
// The columns computed at once: all of them, or one.
template <class T>
using Carried = std::conditional_t<side_by_side<T>, Double8, T>;

LINCHPIN_INLINE double entry(const Matrix6<double>& M, int i, int j) { return M.row[i].numbers()[j]; }
template <class T>
LINCHPIN_INLINE const T& entry(const Matrix6<T>& M, int i, int j) {
  return M.at[i][j];
}
LINCHPIN_INLINE void set_entry(Matrix6<double>& M, int i, int j, double x) { M.row[i].numbers()[j] = x; }
template <class T>
LINCHPIN_INLINE void set_entry(Matrix6<T>& M, int i, int j, const T& x) {
  M.at[i][j] = x;
}

template <class T, class Real>
LINCHPIN_INLINE void set_to(const Real (&numbers)[6][8], Matrix6<T>& M) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i)
    if constexpr (side_by_side<T>)
      M.row[i] = Double8::load(numbers[i]);
    else
      for (int j = 0; j < 6; ++j) M.at[i][j] = T(numbers[i][j]);
}
template <class T>
LINCHPIN_INLINE void set_zero(Matrix6<T>& M) {
  constexpr typename Scalar<T>::Real zeros[6][8] = {};
  set_to(zeros, M);
}

// Copies the upper half onto the lower one.
template <class T>
LINCHPIN_INLINE void mirror(Matrix6<T>& M) {
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i)
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) set_entry(M, i, j, T(entry(M, j, i)));
}

// out = sum + A B, or sum + A' B if transposed; sum may be null. The first `rows` rows and `columns` columns are
// computed, each 3 or 6 (all columns where they lie side by side), rows_at_once of them while B stays in registers. If
// `symmetric`, entries below the diagonal may be left out, for mirror() to fill in.
template <bool transposed, bool symmetric, int rows_at_once, class T>
LINCHPIN_INLINE void multiply(const Matrix6<T>& A, const Matrix6<T>& B, const Matrix6<T>* sum, int rows, int columns,
                              Matrix6<T>& out) {
  if constexpr (side_by_side<T>) {
    Double8 b[6];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) b[k] = B.row[k];
    for (int first = 0; first < rows; first += rows_at_once) {
      Double8 x[rows_at_once];
#pragma GCC unroll 6
      for (int i = 0; i < rows_at_once; ++i) {
        x[i] = sum ? sum->row[first + i] : Double8(0.0);
#pragma GCC unroll 6
        for (int k = 0; k < 6; ++k)
          x[i] = fma(Double8(transposed ? entry(A, k, first + i) : entry(A, first + i, k)), b[k], x[i]);
      }
#pragma GCC unroll 6
      for (int i = 0; i < rows_at_once; ++i) out.row[first + i] = x[i];
    }
  } else {
    for (int half = 0; half < columns; half += 3) {  // three columns of B at a time stay in registers
      T b[6][3];
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k)
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) b[k][j] = B.at[k][half + j];
      for (int i = 0; i < (symmetric ? half + 3 : rows); ++i) {
        T x[3];
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) x[j] = sum ? sum->at[i][half + j] : T(0);
#pragma GCC unroll 6
        for (int k = 0; k < 6; ++k) {
          const T a = transposed ? A.at[k][i] : A.at[i][k];
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j) x[j] = fma(a, b[k][j], x[j]);
        }
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) out.at[i][half + j] = x[j];
      }
    }
  }
}

}  // namespace linchpin

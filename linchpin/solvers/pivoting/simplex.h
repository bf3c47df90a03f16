// Phase one of the simplex method, for the small programmes of enumeration. For this room's own files.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace linchpin {

// A linear programme in standard form, A y = b with y >= 0 and b >= 0: rows of A and b, with a column for each row's
// artificial variable, which is basic at first.
struct Programme {
  double* numbers;
  int* basis;
  int rows, columns;  // columns: without the artificial ones and b
  int width() const { return columns + rows + 1; }
  double& at(int i, int j) const { return numbers[std::size_t(i) * std::size_t(width()) + std::size_t(j)]; }
};

// Minimises the sum of the artificial variables; least index first, so that it terminates [Bland 1977], in exact
// arithmetic: with rounding, after far more pivots than such small programmes take.
inline void simplex_phase_one(const Programme& lp) {
  for (int pivots = 0; pivots < 10000; ++pivots) {
    int entering = -1;
    for (int j = 0; j < lp.columns && entering < 0; ++j) {
      double gain = 0;  // decrease of the sum per unit of y_j
      for (int i = 0; i < lp.rows; ++i)
        if (lp.basis[i] >= lp.columns) gain += lp.at(i, j);
      if (gain > 1e-10) entering = j;
    }
    if (entering < 0) return;
    int leaving = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < lp.rows; ++i) {
      const double a = lp.at(i, entering);
      if (a <= 1e-10) continue;
      const double ratio = std::max(lp.at(i, lp.width() - 1), 0.0) / a;
      const bool tied = leaving >= 0 && std::abs(ratio - least) <= 1e-13 * (1 + least);
      if (tied ? lp.basis[i] < lp.basis[leaving] : ratio < least) least = ratio, leaving = i;
    }
    if (leaving < 0) return;
    const double pivot = lp.at(leaving, entering);
    for (int j = 0; j < lp.width(); ++j) lp.at(leaving, j) /= pivot;
    for (int i = 0; i < lp.rows; ++i) {
      const double m = lp.at(i, entering);
      if (i == leaving || m == 0) continue;
      for (int j = 0; j < lp.width(); ++j) lp.at(i, j) -= m * lp.at(leaving, j);
    }
    lp.basis[leaving] = entering;
  }
}

}  // namespace linchpin

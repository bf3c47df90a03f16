// A x = b for symmetric semidefinite A, whatever its rank: what holds a mechanism may hold it twice.
//
// Rows are measured in units of their own, so that A has a unit diagonal, and eliminated largest pivot first:
//     P' D A D P = L L',  L of `rank` columns, where the next pivot is at most `tolerance`                    (1)
// With all rows that is Cholesky's method. With fewer, of all x with the least residual the one of least length (in the
// same units) is, by the full-rank factorisation A = L L',
//     x = L (L'L)^-1 (L'L)^-1 L' b                                                                            (2)
// which needs one more Cholesky factor, of L'L, and is exact where b is in A's range.
#pragma once

#include <span>
#include <vector>

namespace linchpin {

class SemidefiniteSolver {
 public:
  explicit SemidefiniteSolver(int rows);

  // A part of a row's own diagonal. Below it a row counts as given by those before.
  double tolerance = 1e-10;

  // Whether a diagonal that came of terms of this size says anything.
  static bool counts(double diagonal, double size) { return diagonal > least_share * size; }

  // A is rows x rows, row by row; its upper half is read. Where a row's diagonal is a difference of larger terms,
  // `size` is what they were: pivots of too small a share of it do not count either. Returns the rank, or -1 for
  // numbers that are not finite.
  int factor(std::span<const double> A, std::span<const double> size = {});
  // x <- the solution for b = x, after factor().
  void solve(std::span<double> x);

  int rank() const { return rank_; }

 private:
  // Rounding is some 1e-14 of the terms, but more than that is needed. Near a position in which a row says nothing, at
  // a distance d, its diagonal is d^2 of its size, and what is off the row by rounding sets it moving as 1 / d^2: down
  // to 1e-14 a linkage folded on its way through (@four_bar). With 1e-10 it stays, and with 1e-8 the row would be
  // missed, when velocities are projected, by more than they may be off.
  static constexpr double least_share = 1e-10;

  std::size_t n_;
  int rank_ = 0;
  std::vector<int> order_;        // row of A that comes k-th
  std::vector<double> per_unit_;  // D
  std::vector<double> L_, G_;     // (1) by rows; Cholesky factor of L'L by rows
  std::vector<double> y_, z_, noise_;
};

}  // namespace linchpin

// Solves A x = b for symmetric positive semidefinite A of any rank: constraints of a mechanism may be redundant.
//
// Rows are scaled to a unit diagonal (D) and eliminated by Cholesky's method with the largest pivot first (P):
//     P' D A D P = L L',  L of `rank` columns, where the next pivot is at most `tolerance`                    (1)
// With full rank this is an ordinary Cholesky factorisation. Otherwise the solution is the x of least length (in the
// scaled units) among those with the least residual, by the full-rank factorisation A = L L',
//     x = L (L'L)^-1 (L'L)^-1 L' b                                                                            (2)
// It needs a second Cholesky factor, of L'L, and is exact where b is in A's range.
#pragma once

#include <span>
#include <vector>

#include "linchpin/algebra/rank.h"

namespace linchpin {

class SemidefiniteSolver {
 public:
  explicit SemidefiniteSolver(int rows);

  // Relative to a row's own diagonal: a pivot of at most this share is zero, and the row depends on the earlier ones.
  // The rule for ranks (rank.h) unless the caller knows better.
  double tolerance = rank_tolerance<double>;

  // Whether a diagonal that is a difference of terms of this size counts: the rule for ranks.
  static bool counts(double diagonal, double size) { return pivot_counts(diagonal, size); }

  // A is rows x rows, row by row; only the upper triangle is read. Where a row's diagonal is a difference of larger
  // terms, `size` is their size: pivots below rank_tolerance of it do not count either. Returns the rank, or -1 if a
  // number is not finite.
  int factor(std::span<const double> A, std::span<const double> size = {});
  // x holds b and becomes the solution, after factor().
  void solve(std::span<double> x);

  int rank() const { return rank_; }

 private:
  std::size_t n_;
  int rank_ = 0;
  std::vector<int> order_;        // P: the row of A that is eliminated k-th
  std::vector<double> per_unit_;  // D; 0 for rows whose diagonal does not count
  std::vector<double> L_, G_;     // L of (1) by rows; Cholesky factor of L'L by rows
  std::vector<double> y_, z_;
  std::vector<double> noise_;  // by row: pivots up to here are zero
};

}  // namespace linchpin

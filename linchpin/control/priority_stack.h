// Solves A f = d by priority levels; A is symmetric and positive semidefinite, the compliance W of all rows. Not
// installed.
//
// The block factors A = L D L' by levels give the hierarchy. The compliance of level l under forces that hold the
// levels before it still is
//     S_l = A_ll - sum over levels j before l of A^(j)_lj S_j^+ A^(j)_jl                                           (1)
// where A^(j) is A after j eliminations. Forward, each level compensates the effect of those before it,
//     y_l = S_l^+ (d_l - sum over j < l of A^(j)_lj y_j)                                                           (2)
// and backward, those before it compensate its effect on them, so that it does not disturb them,
//     f_l = y_l - S_l^+ sum over m > l of A^(l)_lm f_m                                                             (3)
// S_l = J_l|prec M^-1 J_l|prec' of a task projected into the null space of those before it, and its inverse is the
// operational-space inertia there; the projected Jacobian is never formed. Rows that are redundant within a level, or
// already determined by levels before it, make S_l singular; the pseudo-inverse then meets the level as far as
// possible. All rows are scaled so that their compliance is about 1: metres and radians then weigh alike, and ranks are
// decided in these units, since the remainder of a row after elimination may be rounding error only.
#pragma once

#include <span>
#include <vector>

namespace linchpin {

class PriorityStack {
 public:
  explicit PriorityStack(std::span<const int> rows_per_level);

  // Directions of a level with a smaller compliance, in scaled units, count as singular.
  double tolerance = 1e-9;

  int rows() const { return rows_; }
  int levels() const { return int(first_.size()) - 1; }
  int first(int level) const { return first_[level]; }  // first row; first(levels()) is the end
  // Entry of A, to be filled.
  double& at(int i, int j) { return A_[std::size_t(i) * std::size_t(rows_) + std::size_t(j)]; }

  // Scales rows by A's diagonal, or by a given typical compliance of each row, since near zero A's diagonal is rounding
  // error. False if a number is not finite; ranks are then -1.
  bool factor();
  bool factor(std::span<const double> diagonal);
  int rank(int level) const { return rank_[level]; }

  // (2), (3). After factor().
  void solve(std::span<const double> d, std::span<double> f);
  // a = A f.
  void multiply(std::span<const double> f, std::span<double> a) const;

 private:
  bool eliminate();
  int invert_block(int first, int n);  // S_l^+ into P_, and its rank
  bool invert_by_cholesky(int first, int n);
  int invert_by_eigenvectors(int first, int n);
  double& B(int i, int j) { return B_[std::size_t(i) * std::size_t(rows_) + std::size_t(j)]; }
  double& P(int i, int j) { return P_[std::size_t(i) * std::size_t(rows_) + std::size_t(j)]; }

  int rows_ = 0;
  std::vector<int> first_, rank_;
  std::vector<double> A_, B_, P_;     // A; A scaled, then A^(l) in the columns of level l; S_l^+ on the diagonal
  std::vector<double> unit_, y_, z_;  // unit_: 1 / sqrt of the diagonal, 0 for rows without compliance
  std::vector<double> block_, vectors_, row_;  // of one level
};

}  // namespace linchpin

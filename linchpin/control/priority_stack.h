// Rows that are asked for in order of rank: A f = d, A symmetric and positive semidefinite, row by row in levels. For
// this room's own files.
//
// With A split by levels, its block factors A = L D L' are the hierarchy: what level l still gives way by, when forces
// of the levels before it hold those still, is
//     S_l = A_ll - sum over levels j before l of A^(j)_lj S_j^+ A^(j)_jl                                           (1)
// where A^(j) is A after j eliminations. Forward, each level makes up for what those before it have done to it,
//     y_l = S_l^+ (d_l - sum over j < l of A^(j)_lj y_j)                                                           (2)
// and backward, those before it make up for what it does to them: this is what keeps it out of their way,
//     f_l = y_l - S_l^+ sum over m > l of A^(l)_lm f_m                                                             (3)
// S_l = J_l|prec M^-1 J_l|prec' of a task projected into the null space of those before it, and its inverse the inertia
// there; we never form the projected Jacobian. Rows that are redundant within a level, or spoken for by levels before
// it, make S_l singular. Its pseudo-inverse then leaves a level with what it can have. All in units in which rows give
// way by about 1, so that metres and radians weigh alike, and the rank is judged in these: what others have left of a
// row may be rounding alone.
#pragma once

#include <span>
#include <vector>

namespace linchpin {

class PriorityStack {
 public:
  explicit PriorityStack(std::span<const int> rows_per_level);

  // Directions of a level that give way by less than this, rows counting as 1, are left alone.
  double tolerance = 1e-9;

  int rows() const { return rows_; }
  int levels() const { return int(first_.size()) - 1; }
  int first(int level) const { return first_[level]; }  // row; levels() stands for the end
  double& at(int i, int j) { return A_[std::size_t(i) * std::size_t(rows_) + std::size_t(j)]; }  // of A, to be filled

  // Units from A's own diagonal, or from one given in its place, what rows of this kind give way by. (Near zero A's own
  // is rounding.) False where a number is not finite; ranks are then -1.
  bool factor();
  bool factor(std::span<const double> diagonal);
  int rank(int level) const { return rank_[level]; }

  // (2), (3). After factor().
  void solve(std::span<const double> d, std::span<double> f);
  // A f.
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
  std::vector<double> A_, B_, P_;     // A; A in its units, then A^(l) in the columns of level l; S_l^+ on the diagonal
  std::vector<double> unit_, y_, z_;  // unit_: 1 / sqrt of the diagonal, 0 for rows that do not give way
  std::vector<double> block_, vectors_, row_;  // of one level
};

// Eigenvalues and eigenvectors of a symmetric matrix of n rows by Jacobi's rotations, in a fixed order. A ends
// diagonal; column k of V (row by row) belongs to A's k-th diagonal entry.
void jacobi_eigenvectors(int n, std::span<double> A, std::span<double> V);

}  // namespace linchpin

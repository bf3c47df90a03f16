// Solves A x = b for a square matrix of any rank, which need not be symmetric. Internal to sim/.
//
// By Householder's reflections with column pivoting, and a second set of reflections where the rank r is less than n:
//     Q' A P = [R; 0],  R of r rows,     R' = V [T; 0]                                                          (1)
//     x = P V [T'^-1 (Q' b)_r; 0]                                                                              (2)
// x has the least residual, and among those the least length. A column counts while its rest is more than `tolerance`
// of the first one's. [Golub and Van Loan 2013, 5.5.2]
#pragma once

#include <span>
#include <vector>

namespace linchpin {

class LeastNormSolver {
 public:
  // Relative to the largest column. Rows that depend on others leave rests of some 1e-15; contacts 0.1 mm apart on a
  // body of 1 m leave 1e-8.
  static constexpr double tolerance = 1e-11;

  // A: n x n, row by row. Returns the rank, or -1 if a number is not finite.
  int factor(std::span<const double> A, int n);
  int rank() const { return rank_; }
  // x holds b and becomes (2), after factor().
  void solve(std::span<double> x);
  // Number k < n - rank() of an orthonormal basis of A's null space.
  void null_vector(int k, std::span<double> x);

 private:
  double& a(int i, int j) { return A_[std::size_t(j) * std::size_t(n_) + std::size_t(i)]; }  // by columns

  int n_ = 0, rank_ = 0;
  std::vector<double> A_, beta_;    // R above, reflectors below; their factors
  std::vector<double> T_, beta_T_;  // the same for R', n x rank, by columns
  std::vector<int> column_;         // P
  std::vector<double> size_, y_;
};

}  // namespace linchpin

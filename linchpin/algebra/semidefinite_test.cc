#include "linchpin/algebra/semidefinite.h"

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// B B' with B of `rank` columns, rows of very different units.
MatrixXd of_rank(int rows, int rank, std::uint64_t seed) {
  std::vector<double> x = random_numbers(rows * rank, seed);
  for (int i = 0; i < rows * rank; ++i) x[i] *= std::pow(10, i / rank % 5 - 2);
  const MatrixXd B = matrix_of(x, rows, rank);
  return B * B.transpose();
}

TEST(SemidefiniteSolver, FindsRankAndTheLeastSolutionInItsUnits) {
  for (int rows = 1; rows <= 20; ++rows)
    for (int rank = 0; rank <= rows; ++rank) {
      const MatrixXd A =
          rank == 0 ? MatrixXd(MatrixXd::Zero(rows, rows)) : of_rank(rows, rank, std::uint64_t(100 * rows + rank));
      SemidefiniteSolver solver(rows);
      ASSERT_EQ(solver.factor({A.data(), std::size_t(A.size())}), rank) << rows;
      const VectorXd b = A * vector_of(random_numbers(rows, 7));
      std::vector<double> x(b.data(), b.data() + rows);
      solver.solve(x);
      const VectorXd found = vector_of(x), A_found = A * found;
      for (int i = 0; i < rows; ++i)
        EXPECT_NEAR(A_found[i], b[i], 1e-7 * std::sqrt(A(i, i)) * (1 + b.norm())) << rows << " " << rank;
      // Least: with D = diag(A)^1/2, D x lies in the range of D^-1 A D^-1, so it is orthogonal to what that does not
      // see.
      VectorXd D = A.diagonal().cwiseSqrt();
      for (int i = 0; i < rows; ++i)
        if (D[i] == 0) D[i] = 1;
      const VectorXd D_inverse = D.cwiseInverse(), Dx = D.cwiseProduct(found);
      const SymmetricEigenvalues eigen = symmetric_eigenvalues(scaled(D_inverse, A, D_inverse));
      for (int k = 0; k < rows - rank; ++k)
        EXPECT_NEAR(eigen.V.col(k).dot(Dx), 0, 1e-6 * (1 + Dx.norm())) << rows << " " << rank;
    }
}

TEST(SemidefiniteSolver, DiagonalsWithinTheirRoundingDoNotCount) {
  const double A[] = {1, 0, 0, 1e-17};
  const double size[] = {1, 1};
  SemidefiniteSolver solver(2);
  EXPECT_EQ(solver.factor(A), 2);
  EXPECT_EQ(solver.factor(A, size), 1);
  double x[] = {3, 5};
  solver.solve(x);
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(x[1], 0);
}

TEST(SemidefiniteSolver, NaNHasNoRankAndNoSolution) {
  const double A[] = {1, std::numeric_limits<double>::quiet_NaN(), 0, 1};
  SemidefiniteSolver solver(2);
  EXPECT_EQ(solver.factor(A), -1);
  double x[] = {1, 1};
  solver.solve(x);
  EXPECT_TRUE(std::isnan(x[0]) && std::isnan(x[1]));
  EXPECT_THROW(solver.factor(std::span<const double>(A, 3)), CheckFailed);
}

}  // namespace
}  // namespace linchpin

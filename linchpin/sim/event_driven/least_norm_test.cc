#include "linchpin/sim/event_driven/least_norm.h"

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

std::vector<double> times(const std::vector<double>& A, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> b(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += A[i * n + j] * x[j];
  return b;
}

// A = B C with B of `rank` columns. By the definition of (2): A x = b for b in the range of A, and x has no part in the
// null space, whose basis null_vector() gives. 1e-11: rounding times the condition of random factors, some 1e3.
TEST(LeastNorm, SolvesMatricesOfAnyRank) {
  for (const int n : {1, 2, 5, 12})
    for (int rank = 0; rank <= n; ++rank) {
      const std::size_t size = std::size_t(n), r = std::size_t(rank);
      const std::vector<double> B = random_numbers(n * rank, 7 + n), C = random_numbers(n * rank, 100 + rank);
      std::vector<double> A(size * size, 0.0);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          for (std::size_t k = 0; k < r; ++k) A[i * size + j] += B[i * r + k] * C[k * size + j];
      LeastNormSolver solver;
      ASSERT_EQ(solver.factor(A, n), rank);
      const std::vector<double> b = times(A, random_numbers(n, 3));
      std::vector<double> x = b;
      solver.solve(x);
      EXPECT_LT(largest_difference(times(A, x), b), 1e-11) << n << " " << rank;
      for (int k = 0; k < n - rank; ++k) {
        std::vector<double> y(size);
        solver.null_vector(k, y);
        double along = 0, length = 0;
        for (std::size_t i = 0; i < size; ++i) along += x[i] * y[i], length += y[i] * y[i];
        EXPECT_LT(largest(times(A, y)), 1e-11);
        EXPECT_NEAR(along, 0, 1e-11);
        EXPECT_NEAR(length, 1, 1e-14 * n);
      }
    }
}

TEST(LeastNorm, RefusesNaN) {
  LeastNormSolver solver;
  EXPECT_EQ(solver.factor(std::vector<double>{1, 0, std::nan(""), 1}, 2), -1);
}

}  // namespace
}  // namespace linchpin

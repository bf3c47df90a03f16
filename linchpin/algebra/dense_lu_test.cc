#include "linchpin/algebra/dense_lu.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Square random_square(int n, Dice& dice) {
  Square A = zero_square(n);
  for (double& a : A) a = dice.near_zero(1);
  return A;
}

// `padding` goes beyond column n: it must not matter.
bool factor(const Square& A, int n, DenseLu& lu, double padding = 0) {
  double* at = lu.matrix(n);
  EXPECT_EQ(lu.size(), n);
  EXPECT_GE(lu.stride(), n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < lu.stride(); ++j) at[i * lu.stride() + j] = j < n ? A[i * n + j] : padding;
  return lu.factor();
}
std::vector<double> solve(const DenseLu& lu, std::vector<double> b) {
  const std::size_t n = b.size();
  b.resize(lu.stride(), 3.0);
  lu.solve(b.data());
  b.resize(n);
  return b;
}

// Partial pivoting: n eps times the growth of the pivots, which for random matrices is below n^(2/3), but errors of
// random signs add up to far less than n of them. A bound of n eps is met with room to spare.
double tolerance(int n) { return (n + 4) * epsilon; }

TEST(DenseLu, SolvesEverySize) {
  DenseLu lu;  // one for all: what is left from the last size does not matter
  for (int n = 1; n <= 130; ++n) {
    Dice dice{std::uint64_t(n)};
    const Square A = random_square(n, dice);
    const std::vector<double> b = random_q(n, dice);
    ASSERT_TRUE(factor(A, n, lu)) << n << " rows";
    EXPECT_LE(backward_error(A, solve(lu, b), b), tolerance(n)) << n << " rows";
  }
  for (const int n : {97, 64, 63, 24, 23, 16, 8, 1}) {
    Dice dice(std::uint64_t(n) + 1000);
    const Square A = random_square(n, dice);
    const std::vector<double> b = random_q(n, dice);
    ASSERT_TRUE(factor(A, n, lu)) << n << " rows";
    EXPECT_LE(backward_error(A, solve(lu, b), b), tolerance(n)) << n << " rows";
  }
}

TEST(DenseLu, SolvesRowsOfAnySize) {
  for (const int n : {3, 20, 40, 100}) {
    Dice dice{std::uint64_t(n)};
    Square A = random_square(n, dice);
    std::vector<double> b = random_q(n, dice);
    for (int i = 0; i < n; ++i) {  // the same equations in other units: a power of 2, so that nothing is rounded
      const double unit = std::ldexp(1.0, dice.below(120) - 60);
      for (int j = 0; j < n; ++j) entry(A, n, i, j) *= unit;
      b[i] *= unit;
    }
    DenseLu lu;
    ASSERT_TRUE(factor(A, n, lu)) << n << " rows";
    EXPECT_LE(backward_error(A, solve(lu, b), b), tolerance(n)) << n << " rows";
  }
}

// A permutation has no pivot where it is looked for first, and is exact.
TEST(DenseLu, ExchangesRows) {
  for (int n = 1; n <= 80; ++n) {
    Dice dice{std::uint64_t(n)};
    const std::vector<int> order = random_order(n, dice);
    Square A = zero_square(n);
    for (int i = 0; i < n; ++i) entry(A, n, i, order[i]) = i % 2 ? 2 : -4;
    const std::vector<double> b = random_q(n, dice);
    DenseLu lu;
    ASSERT_TRUE(factor(A, n, lu)) << n << " rows";
    const std::vector<double> x = solve(lu, b);
    for (int i = 0; i < n; ++i) EXPECT_EQ(x[order[i]], b[i] / (i % 2 ? 2 : -4)) << n << " rows";
  }
}

// Of a triangle by its diagonal; two rows exchanged, or one times -1, change the sign of any.
TEST(DenseLu, KnowsTheSignOfTheDeterminant) {
  DenseLu lu;
  for (int n = 2; n <= 60; ++n) {
    Dice dice{std::uint64_t(n)};
    Square A = random_square(n, dice);
    Square triangle = A;
    bool positive = true;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) triangle[i * n + j] = 0;
      positive = positive == (A[i * n + i] > 0);
    }
    ASSERT_TRUE(factor(triangle, n, lu));
    EXPECT_EQ(lu.determinant_is_positive(), positive) << n << " rows";
    ASSERT_TRUE(factor(A, n, lu));
    const bool before = lu.determinant_is_positive();
    for (int j = 0; j < n; ++j) A[j] = -A[j];
    ASSERT_TRUE(factor(A, n, lu));
    EXPECT_NE(lu.determinant_is_positive(), before) << n << " rows";
    const int other = 1 + dice.below(n - 1);
    for (int j = 0; j < n; ++j) std::swap(A[j], A[other * n + j]);
    ASSERT_TRUE(factor(A, n, lu));
    EXPECT_EQ(lu.determinant_is_positive(), before) << n << " rows";
  }
}

TEST(DenseLu, PaddingDoesNotMatterNorDoesTheWorkspace) {
  for (const int n : {1, 5, 8, 13, 23, 24, 30, 65, 100}) {
    Dice dice{std::uint64_t(n)};
    const Square A = random_square(n, dice);
    const std::vector<double> b = random_q(n, dice);
    DenseLu a, c;
    ASSERT_TRUE(factor(A, n, a));
    ASSERT_FALSE(factor(Square(140 * 140, std::nan("")), 140, c));  // full of NaN
    ASSERT_TRUE(factor(A, n, c, -17.5));
    EXPECT_EQ(solve(a, b), solve(c, b)) << n << " rows";
    EXPECT_EQ(solve(a, b), solve(a, b)) << n << " rows";
  }
}

TEST(DenseLu, SaysWhatIsSingular) {
  DenseLu lu;
  EXPECT_FALSE(factor({0}, 1, lu));
  EXPECT_FALSE(factor({1, 2, 2, 4}, 2, lu));
  for (const int n : {2, 7, 16, 24, 50, 100})
    for (const int at : {0, n / 2, n - 1}) {
      Dice dice{std::uint64_t(n)};
      Square A = random_square(n, dice), B = A;
      for (int i = 0; i < n; ++i) entry(A, n, i, at) = 0;  // a column of zeros stays one, exactly
      EXPECT_FALSE(factor(A, n, lu)) << n << " rows, column " << at;
      for (int j = 0; j < n; ++j) entry(B, n, at, j) = 0;  // and so does a row
      EXPECT_FALSE(factor(B, n, lu)) << n << " rows, row " << at;
    }
}

TEST(DenseLu, SaysWhatIsNotFinite) {
  DenseLu lu;
  for (const int n : {1, 2, 5, 9, 17, 24, 40, 70})
    for (int t = 0; t < 20; ++t)
      for (const double bad : {std::nan(""), infinity, -infinity}) {
        Dice dice(std::uint64_t(100 * n + t));
        Square A = random_square(n, dice);
        const int row = dice.below(n), column = dice.below(n);
        entry(A, n, row, column) = bad;
        EXPECT_FALSE(factor(A, n, lu)) << n << " rows, " << bad << " at " << row << ", " << column;
      }
}

// [A_11 A_12] factored, L_21' = U_11'^-1 A_21', and what is left is A_22 - L_21 U_12 = A_22 - A_21 A_11^-1 A_12: what
// SparseLu does with a front.
TEST(DenseLu, LeavesTheSchurComplement) {
  for (const int pivots : {1, 3, 7, 8, 15, 16, 17, 23, 24, 31, 48})
    for (const int more : {1, 3, 6, 8, 21, 30}) {
      Dice dice(std::uint64_t(100 * pivots + more));
      const int rows = pivots + more, gap = padded(pivots), stride = gap + padded(more);
      const std::string what = std::to_string(pivots) + " pivots and " + std::to_string(more);
      Square A = random_square(rows, dice);
      for (int i = 0; i < pivots; ++i) entry(A, rows, i, (i + 1) % pivots) += pivots;  // large, off the diagonal
      std::vector<double> top(pivots * stride, 0.0), left(pivots * padded(more), 0.0), rest(more * padded(more), 0.0);
      for (int r = 0; r < pivots; ++r) {
        for (int c = 0; c < pivots; ++c) top[r * stride + c] = entry(A, rows, r, c);
        for (int c = 0; c < more; ++c) top[r * stride + gap + c] = entry(A, rows, r, pivots + c);
        for (int c = 0; c < more; ++c) left[r * padded(more) + c] = entry(A, rows, pivots + c, r);
      }
      for (int r = 0; r < more; ++r)
        for (int c = 0; c < more; ++c) rest[r * padded(more) + c] = entry(A, rows, pivots + r, pivots + c);
      std::vector<int> pivot(pivots, -1);
      ASSERT_TRUE(factor_rows(top.data(), pivots, stride, pivot.data())) << what;
      for (int k = 0; k < pivots; ++k) {
        EXPECT_GE(pivot[k], k) << what;
        EXPECT_LT(pivot[k], pivots) << what;
      }
      const std::size_t wide = std::size_t(padded(more));
      divide_by_upper<double>({top.data(), std::size_t(stride)}, pivots, padded(more), {left.data(), wide});
      subtract_product<double>({left.data(), wide}, {top.data() + gap, std::size_t(stride)}, more, padded(more), pivots,
                               {rest.data(), wide}, {rest.data(), wide});
      // A_11 X = A_12 with the whole solver, column by column
      Square A11 = zero_square(pivots);
      for (int r = 0; r < pivots; ++r)
        for (int c = 0; c < pivots; ++c) entry(A11, pivots, r, c) = entry(A, rows, r, c);
      DenseLu lu;
      ASSERT_TRUE(factor(A11, pivots, lu)) << what;
      for (int c = 0; c < more; ++c) {
        std::vector<double> b;
        for (int r = 0; r < pivots; ++r) b.push_back(entry(A, rows, r, pivots + c));
        const std::vector<double> x = solve(lu, b);
        for (int r = 0; r < more; ++r) {
          double expected = entry(A, rows, pivots + r, pivots + c);
          for (int k = 0; k < pivots; ++k) expected -= entry(A, rows, pivots + r, k) * x[k];
          // A_11 is dominated by one entry a row (condition of the order of 10); sums of up to 48 terms of order 1
          EXPECT_NEAR(rest[std::size_t(r) * wide + std::size_t(c)], expected, 1e-12) << what;
        }
      }
    }
}

TEST(DenseLu, SubtractsMultiples) {
  std::vector<double> y(24), x(24);
  for (std::size_t i = 0; i < 24; ++i) y[i] = double(i), x[i] = double(i * i);
  subtract_multiple(y.data(), 0.5, x.data(), 16);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(y[i], i < 16 ? double(i) - 0.5 * double(i * i) : double(i));
  EXPECT_EQ(padded(0), 0);
  EXPECT_EQ(padded(1), 8);
  EXPECT_EQ(padded(8), 8);
  EXPECT_EQ(padded(9), 16);
}

}  // namespace
}  // namespace linchpin

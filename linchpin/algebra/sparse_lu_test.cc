#include "linchpin/algebra/sparse_lu.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Which cells are coupled, and how many rows each has.
struct Pattern {
  std::vector<int> start{0};
  std::vector<std::vector<char>> has;  // has[i][j]
  int cells() const { return int(start.size()) - 1; }
  int rows() const { return start.back(); }
};
Pattern unconnected(int cells, Dice& dice) {
  Pattern p;
  for (int i = 0; i < cells; ++i) p.start.push_back(p.start.back() + (dice.chance(0.5) ? 3 : 1));
  p.has.assign(cells, std::vector<char>(cells, 0));
  return p;
}
void couple(Pattern& p, int i, int j, Dice& dice) {  // at times one way only
  const bool both = dice.chance(0.7);
  p.has[i][j] = 1;
  if (both) p.has[j][i] = 1;
}
// Chains, arrows, grids, random ones, all coupled, none; parts that have nothing to do with each other. Some diagonals
// are left out.
Pattern random_pattern(int cells, Dice& dice) {
  Pattern p = unconnected(cells, dice);
  const int family = dice.below(6);
  for (int i = 0; i < cells; ++i) {
    if (family == 0 && i > 0) couple(p, i, i - 1, dice);
    if (family == 1 && i > 0) couple(p, i, 0, dice);
    if (family == 2 && i >= 5) couple(p, i, i - 5, dice);
    if (family == 2 && i % 5) couple(p, i, i - 1, dice);
    if (family == 3)
      for (int t = 0; t < 2; ++t) couple(p, i, dice.below(cells), dice);
    if (family == 4 && cells < 20)
      for (int j = 0; j < i; ++j) couple(p, i, j, dice);
    if (family == 5 && i % 7) couple(p, i, i - 1 - dice.below(i % 7), dice);  // trees of seven
  }
  const bool leave_out = dice.chance(0.5);
  for (int i = 0; i < cells; ++i) p.has[i][i] = leave_out ? dice.chance(0.7) : 1;
  return p;
}

// Numbers in the blocks of the pattern, without symmetry, and on the diagonal of every cell. Each row has one number in
// its own cell that nearly dominates it, so that pivots within a cell are enough; it need not be on the diagonal.
Square random_numbers(const Pattern& p, Dice& dice) {
  const int n = p.rows();
  Square A = zero_square(n);
  for (int i = 0; i < p.cells(); ++i)
    for (int j = 0; j < p.cells(); ++j) {
      if (!p.has[i][j] && i != j) continue;
      for (int r = p.start[i]; r < p.start[i + 1]; ++r)
        for (int c = p.start[j]; c < p.start[j + 1]; ++c) entry(A, n, r, c) = dice.near_zero(1);
    }
  for (int i = 0; i < p.cells(); ++i) {
    const int r0 = p.start[i], size = p.start[i + 1] - r0, turn = dice.below(size);
    for (int r = 0; r < size; ++r) {
      double sum = 0.3;
      for (int c = 0; c < n; ++c)
        if (c != r0 + (r + turn) % size) sum += 0.9 * std::abs(entry(A, n, r0 + r, c));
      entry(A, n, r0 + r, r0 + (r + turn) % size) = dice.chance(0.5) ? sum : -sum;
    }
  }
  return A;
}

BlockSparse blocks_of(const Pattern& p) {
  std::vector<Triplet> triplets;
  for (int i = 0; i < p.cells(); ++i)
    for (int j = 0; j < p.cells(); ++j)
      if (p.has[i][j]) triplets.push_back({p.start[i], p.start[j], 0});
  return block_sparse(p.start, p.start, triplets);
}

void clear(const BlockSparse& S, SparseLu& lu) {
  for (int i = 0; i < S.row_blocks(); ++i) lu.clear_row(i, S.first[i], S.first[i + 1]);
}

// Numbers go in by block(), the diagonals that S lacks by diagonal().
void fill(const BlockSparse& S, Square A, SparseLu& lu) {
  const int n = S.rows();
  clear(S, lu);
  const auto put = [&](SparseLu::Place place, int i, int j) {
    const int r0 = S.row_start[i], c0 = S.row_start[j];
    for (int r = r0; r < S.row_start[i + 1]; ++r)
      for (int c = c0; c < S.row_start[j + 1]; ++c) place.at[(r - r0) * place.stride + c - c0] = entry(A, n, r, c);
  };
  for (int i = 0; i < S.row_blocks(); ++i) {
    bool diagonal = false;
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      put(lu.block(e), i, S.column[e]);
      diagonal = diagonal || S.column[e] == i;
    }
    if (!diagonal) put(lu.diagonal(i), i, i);
  }
}

std::vector<double> solve_dense(const Square& A, std::vector<double> b, bool& positive) {
  const int n = int(b.size());
  DenseLu lu;
  double* at = lu.matrix(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < lu.stride(); ++j) at[i * lu.stride() + j] = j < n ? A[i * n + j] : 0;
  EXPECT_TRUE(lu.factor());
  positive = lu.determinant_is_positive();
  b.resize(lu.stride());
  lu.solve(b.data());
  b.resize(n);
  return b;
}

// Of nearly dominant matrices pivots hardly grow: n eps, as for dense factors.
double tolerance(int n) { return (n + 4) * epsilon; }

void expect_solves(const Square& A, int n, SparseLu& lu, Dice& dice, const std::string& what) {
  const std::vector<double> b = random_q(n, dice);
  std::vector<double> x = b;
  ASSERT_TRUE(lu.factor()) << what;
  lu.solve(x.data());
  EXPECT_LE(backward_error(A, x, b), tolerance(n)) << what;
  bool positive;
  const std::vector<double> dense = solve_dense(A, b, positive);
  EXPECT_EQ(lu.determinant_is_positive(), positive) << what;
  const double size = largest(dense);
  // both have a backward error of n eps at most; 1000: a bound of the condition of these matrices, seldom above 100
  for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], dense[i], 1000 * tolerance(n) * size) << what << " row " << i;
}

TEST(SparseLu, SolvesRandomPatterns) {
  SparseLu lu;  // one for all: a new pattern is a new analysis
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const Pattern p = random_pattern(1 + dice.below(40), dice);
    const BlockSparse S = blocks_of(p);
    const std::string what = "seed " + std::to_string(seed) + " cells " + std::to_string(p.cells());
    lu.analyse(S);
    for (int again = 0; again < 2; ++again) {  // new numbers, the same analysis
      const Square A = random_numbers(p, dice);
      lu.analyse(S);
      fill(S, A, lu);
      expect_solves(A, p.rows(), lu, dice, what + (again ? " again" : ""));
    }
  }
}

// S as it stands plus squares on the diagonal, as against the sum filled in number by number: the same bits.
TEST(SparseLu, FactorsBlocksPlusSquares) {
  SparseLu lu, sum;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Pattern p = random_pattern(1 + dice.below(40), dice);
    BlockSparse S = blocks_of(p);
    const int n = p.rows();
    Square A = zero_square(n);
    const Square numbers = random_numbers(p, dice);
    std::vector<double> squares(9 * std::size_t(p.cells()), std::nan(""));
    for (int i = 0; i < p.cells(); ++i) {
      const int r0 = p.start[i], size = p.start[i + 1] - r0;
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c)
          entry(A, n, r0 + r, r0 + c) = squares[9 * i + size * r + c] = numbers[(r0 + r) * n + r0 + c];
      for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
        const int j = S.column[e], c0 = p.start[j], columns = p.start[j + 1] - c0;
        for (int r = 0; r < size; ++r)
          for (int c = 0; c < columns; ++c) {
            const double x = i == j ? 0.01 * dice.near_zero(1) : numbers[(r0 + r) * n + c0 + c];
            S.values[S.value_start[e] + std::size_t(r * columns + c)] = x;
            entry(A, n, r0 + r, c0 + c) += x;
          }
      }
    }
    lu.analyse(S);
    sum.analyse(S);
    fill(S, A, sum);
    std::vector<double> x = random_q(n, dice), y = x;
    ASSERT_TRUE(lu.factor<double>(S.values.data(), squares.data()));
    ASSERT_TRUE(sum.factor());
    lu.solve(x.data());
    sum.solve(y.data());
    EXPECT_EQ(x, y) << "seed " << seed;
  }
}

// Float factors have seven digits; double ones beside them, in registers padded for both, all of theirs.
TEST(SparseLu, FactorsInFloat) {
  SparseLu lu;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const Pattern p = random_pattern(1 + dice.below(60), dice);
    BlockSparse S = blocks_of(p);
    const int n = p.rows();
    const Square A = random_numbers(p, dice);
    std::vector<double> squares(9 * std::size_t(p.cells()), 0.0);
    for (int i = 0; i < p.cells(); ++i) {
      const int r0 = p.start[i], size = p.start[i + 1] - r0;
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) squares[9 * i + size * r + c] = A[(r0 + r) * n + r0 + c];
      for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
        const int j = S.column[e], c0 = p.start[j], columns = p.start[j + 1] - c0;
        for (int k = 0; k < size * columns; ++k)
          S.values[S.value_start[e] + std::size_t(k)] = i == j ? 0 : A[(r0 + k / columns) * n + c0 + k % columns];
      }
    }
    lu.analyse(S, true);
    lu.make_room_for_float();
    ASSERT_TRUE(lu.factor<float>(S.values.data(), squares.data())) << "seed " << seed;
    ASSERT_TRUE(lu.factor<double>(S.values.data(), squares.data())) << "seed " << seed;
    const std::vector<double> b = random_q(n, dice);
    std::vector<double> x = b, y = b;
    lu.solve<float>(x.data());
    lu.solve(y.data());
    EXPECT_LE(backward_error(A, x, b), (n + 4) * std::numeric_limits<float>::epsilon()) << "seed " << seed;
    EXPECT_LE(backward_error(A, y, b), tolerance(n)) << "seed " << seed;
    if (n > 3) {
      EXPECT_NE(x, y) << "seed " << seed;
    }
    squares[0] = std::nan("");
    EXPECT_FALSE(lu.factor<float>(S.values.data(), squares.data())) << "seed " << seed;
  }
}

TEST(SparseLu, AnalysisOfTheSamePatternKeepsNumbers) {
  Dice dice(1);
  const Pattern p = random_pattern(30, dice);
  const BlockSparse S = blocks_of(p);
  const Square A = random_numbers(p, dice);
  SparseLu lu;
  lu.analyse(S);
  fill(S, A, lu);
  lu.analyse(S);
  expect_solves(A, p.rows(), lu, dice, "analysed twice");
}

TEST(SparseLu, OnlyCellsOfOtherSizesIsAnotherPattern) {
  SparseLu lu;
  for (const std::vector<int>& start :
       {std::vector<int>{0, 1, 4, 5}, std::vector<int>{0, 3, 4, 7}, std::vector<int>{0, 1, 2, 3}}) {
    Dice dice(7);
    Pattern p;
    p.start = start;
    p.has = {{1, 1, 0}, {1, 1, 1}, {0, 1, 1}};
    const BlockSparse S = blocks_of(p);
    const Square A = random_numbers(p, dice);
    lu.analyse(S);
    fill(S, A, lu);
    expect_solves(A, p.rows(), lu, dice, "rows " + std::to_string(p.rows()));
  }
}

TEST(SparseLu, FactorsAgainGiveTheSameBits) {
  Dice dice(11);
  const Pattern p = random_pattern(35, dice);
  const BlockSparse S = blocks_of(p);
  const Square A = random_numbers(p, dice), other = random_numbers(p, dice);
  SparseLu used, fresh;
  used.analyse(S);
  fill(S, Square(A.size(), std::nan("")), used);
  EXPECT_FALSE(used.factor());
  fill(S, other, used);
  EXPECT_TRUE(used.factor());
  fill(S, A, used);
  fresh.analyse(S);
  fill(S, A, fresh);
  ASSERT_TRUE(used.factor());
  ASSERT_TRUE(fresh.factor());
  std::vector<double> x = random_q(p.rows(), dice), y = x, z = x;
  used.solve(x.data());
  fresh.solve(y.data());
  fresh.solve(z.data());
  EXPECT_EQ(x, y);
  EXPECT_EQ(y, z);
}

// No diagonal at all, neither in the pattern nor in numbers: pivots are found across the cells of a front.
TEST(SparseLu, PairsWithoutDiagonal) {
  const BlockSparse S =
      block_sparse({0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, std::vector<Triplet>{{0, 1, 2}, {1, 0, 4}, {2, 3, 8}, {3, 2, 16}});
  SparseLu lu;
  lu.analyse(S);
  clear(S, lu);
  const double numbers[] = {2, 4, 8, 16};
  for (int e = 0; e < 4; ++e) *lu.block(e).at = numbers[e];
  ASSERT_TRUE(lu.factor());
  std::vector<double> b{2, 4, 8, 16};
  lu.solve(b.data());
  EXPECT_EQ(b, (std::vector<double>{1, 1, 1, 1}));
}

TEST(SparseLu, BlockAndDiagonalAreTheSamePlace) {
  Dice dice(3);
  Pattern p = random_pattern(25, dice);
  for (std::size_t i = 0; i < 25; ++i) p.has[i][i] = 1;
  const BlockSparse S = blocks_of(p);
  SparseLu lu;
  lu.analyse(S);
  for (int i = 0; i < p.cells(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e)
      if (S.column[e] == i) {
        EXPECT_EQ(lu.block(e).at, lu.diagonal(i).at);
        EXPECT_EQ(lu.block(e).stride, lu.diagonal(i).stride);
      }
}

// Whatever the order of elimination is, a column or row of zeros stays one.
TEST(SparseLu, SaysWhatIsSingular) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    const Pattern p = random_pattern(1 + dice.below(30), dice);
    const BlockSparse S = blocks_of(p);
    const int n = p.rows(), at = dice.below(n);
    SparseLu lu;
    lu.analyse(S);
    Square A = random_numbers(p, dice), B = A;
    for (int i = 0; i < n; ++i) entry(A, n, i, at) = entry(B, n, at, i) = 0;
    fill(S, A, lu);
    EXPECT_FALSE(lu.factor()) << "seed " << seed << " column " << at;
    fill(S, B, lu);
    EXPECT_FALSE(lu.factor()) << "seed " << seed << " row " << at;
    clear(S, lu);
    EXPECT_FALSE(lu.factor()) << "seed " << seed << " zeros";
  }
}

TEST(SparseLu, SaysWhatIsNotFinite) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      Dice dice(seed);
      const Pattern p = random_pattern(1 + dice.below(30), dice);
      const BlockSparse S = blocks_of(p);
      const int n = p.rows();
      SparseLu lu;
      lu.analyse(S);
      Square A = random_numbers(p, dice);
      int row = 0, column = 0;
      do {
        row = dice.below(n);
        column = dice.below(n);
      } while (entry(A, n, row, column) == 0);  // somewhere in the pattern
      entry(A, n, row, column) = bad;
      fill(S, A, lu);
      EXPECT_FALSE(lu.factor()) << "seed " << seed << " " << bad << " at " << row << ", " << column;
    }
}

// Factors of a chain grow with its length, not with its square.
TEST(SparseLu, StaysSparse) {
  std::size_t numbers[2];
  for (int k = 0; k < 2; ++k) {
    Dice dice(1);
    const int cells = 200 << k;
    Pattern p = unconnected(cells, dice);
    for (int i = 0; i < cells; ++i) {
      p.has[i][i] = 1;
      if (i > 0) p.has[i][i - 1] = p.has[i - 1][i] = 1;
    }
    SparseLu lu;
    lu.analyse(blocks_of(p));
    numbers[k] = lu.numbers();
  }
  EXPECT_LE(double(numbers[1]), 2.5 * double(numbers[0]));
}

// To begin a front costs more than to eliminate a few rows, so that a short chain is one front with all its zeros: n
// rows and n columns, padded to eights. A long one is not. Pairs that have nothing to do with each other stay apart: a
// pair has at most 6 rows, padded to 8.
TEST(SparseLu, AShortChainIsEliminatedAtOnce) {
  for (const int cells : {2, 4, 6, 8, 40}) {
    Dice dice(1);
    Pattern chain = unconnected(cells, dice), pairs = chain;
    for (int i = 0; i < cells; ++i) {
      chain.has[i][i] = pairs.has[i][i] = 1;
      if (i > 0) chain.has[i][i - 1] = chain.has[i - 1][i] = 1;
      if (i % 2) pairs.has[i][i - 1] = pairs.has[i - 1][i] = 1;
    }
    const std::size_t n = std::size_t(chain.rows()), whole = 2 * n * ((n + 7) / 8 * 8);
    SparseLu lu;
    lu.analyse(blocks_of(chain));
    if (cells <= 8) {
      EXPECT_EQ(lu.numbers(), whole) << cells;
    } else {
      EXPECT_LT(lu.numbers(), whole / 2);
    }
    lu.analyse(blocks_of(pairs));
    EXPECT_LE(lu.numbers(), 2 * 8 * n) << cells;
  }
}

}  // namespace
}  // namespace linchpin

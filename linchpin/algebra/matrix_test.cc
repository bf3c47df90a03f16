#include "linchpin/algebra/matrix.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

// Products with A^-1: eps times the condition of A (below 40 for A = G G' + 1 of up to 6 rows, |G_ij| <= 1) times the
// terms of a sum (below 40), relative to the largest number at hand.
constexpr double product_rounding = 1e-12;
// Plain sums of up to 40 terms.
constexpr double sum_rounding = 40 * std::numeric_limits<double>::epsilon();

template <class F>
testing::AssertionResult fails_with(F&& f, const std::string& text) {
  try {
    f();
  } catch (const CheckFailed& failure) {
    if (std::string(failure.what()).find(text) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the check says \"" << failure.what() << "\", not \"" << text << "\"";
  }
  return testing::AssertionFailure() << "no check fails where it should say \"" << text << "\"";
}

std::vector<int> random_starts(int blocks, int largest, Dice& dice) {
  std::vector<int> start{0};
  for (int i = 0; i < blocks; ++i) start.push_back(start.back() + 1 + dice.below(largest));
  return start;
}

// A matrix and the same numbers row by row, columns() to a row.
struct Written {
  BlockSparse blocks;
  std::vector<double> all;
};
Written random_blocks(std::vector<int> row_start, std::vector<int> column_start, double density, Dice& dice) {
  const int rows = row_start.back(), columns = column_start.back();
  std::vector<double> all(std::size_t(rows) * std::size_t(columns));
  std::vector<Triplet> triplets;
  for (std::size_t i = 0; i + 1 < row_start.size(); ++i)
    for (std::size_t j = 0; j + 1 < column_start.size(); ++j) {
      if (!dice.chance(density)) continue;
      for (int r = row_start[i]; r < row_start[i + 1]; ++r)
        for (int c = column_start[j]; c < column_start[j + 1]; ++c) {
          const double x = dice.near_zero(1);
          all[std::size_t(r) * std::size_t(columns) + std::size_t(c)] = x;
          triplets.push_back({r, c, x});
        }
    }
  return {block_sparse(std::move(row_start), std::move(column_start), triplets), std::move(all)};
}

// A X = B by Gauss-Jordan with pivoting, X in place of B; sizes n x n and n x m.
void solve_naively(std::vector<long double> A, std::size_t n, std::vector<long double>& B, std::size_t m) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[best * n + k])) best = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[best * n + j]);
    for (std::size_t j = 0; j < m; ++j) std::swap(B[k * m + j], B[best * m + j]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const long double l = A[i * n + k] / A[k * n + k];
      for (std::size_t j = 0; j < n; ++j) A[i * n + j] -= l * A[k * n + j];
      for (std::size_t j = 0; j < m; ++j) B[i * m + j] -= l * B[k * m + j];
    }
    for (std::size_t j = 0; j < m; ++j) B[k * m + j] /= A[k * n + k];
    for (std::size_t j = n; j-- > 0;) A[k * n + j] /= A[k * n + k];
  }
}

// H A^-1 H' as a matrix, and written out.
struct Product {
  Factored factored;
  std::vector<double> all;
};
std::vector<double> random_A(const std::vector<int>& column_start, Dice& dice) {
  std::vector<double> A;
  for (std::size_t j = 0; j + 1 < column_start.size(); ++j) {
    const int n = column_start[j + 1] - column_start[j];
    Square block = random_psd(n, n, dice);
    for (int i = 0; i < n; ++i) entry(block, n, i, i) += 1;
    A.insert(A.end(), block.begin(), block.end());
  }
  return A;
}
Product random_product(const std::vector<int>& row_start, int column_blocks, double density, Dice& dice) {
  const std::vector<int> column_start = random_starts(column_blocks, 6, dice);
  Written H = random_blocks(row_start, column_start, density, dice);
  std::vector<double> A = random_A(column_start, dice);
  const std::size_t rows = std::size_t(row_start.back()), columns = std::size_t(column_start.back());
  std::vector<long double> whole_A(columns * columns), X(columns * rows);
  std::size_t at = 0;
  for (std::size_t j = 0; j + 1 < column_start.size(); ++j)
    for (int r = column_start[j]; r < column_start[j + 1]; ++r)
      for (int c = column_start[j]; c < column_start[j + 1]; ++c)
        whole_A[std::size_t(r) * columns + std::size_t(c)] = A[at++];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) X[c * rows + r] = H.all[r * columns + c];
  solve_naively(whole_A, columns, X, rows);
  Product product{{std::move(H.blocks), std::move(A)}, std::vector<double>(rows * rows)};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < rows; ++c) {
      long double sum = 0;
      for (std::size_t k = 0; k < columns; ++k) sum += H.all[r * columns + k] * X[k * rows + c];
      product.all[r * rows + c] = double(sum);
    }
  return product;
}

std::vector<double> written_out(const BlockSparse& S) {
  std::vector<double> all(std::size_t(S.rows()) * std::size_t(S.columns()));
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      std::size_t at = S.value_start[e];
      const std::size_t j = std::size_t(S.column[e]);
      for (int r = S.row_start[i]; r < S.row_start[i + 1]; ++r)
        for (int c = S.column_start[j]; c < S.column_start[j + 1]; ++c)
          all[std::size_t(r) * std::size_t(S.columns()) + std::size_t(c)] = S.values[at++];
    }
  return all;
}

std::vector<double> times(const Matrix& M, const std::vector<double>& z) {
  std::vector<double> w(z.size(), std::nan("")), work(M.work_size(), std::nan(""));
  M.multiply(z, w, work);
  return w;
}
std::vector<double> times(const std::vector<double>& all, const std::vector<double>& z) {
  std::vector<double> w;
  for (std::size_t i = 0; i < z.size(); ++i) {
    long double sum = 0;
    for (std::size_t j = 0; j < z.size(); ++j) sum += (long double)(all[i * z.size() + j]) * z[j];
    w.push_back(double(sum));
  }
  return w;
}
void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_LE(largest_difference(a, b), tolerance * larger(largest(a), largest(b))) << what;
}
std::string seed_is(std::uint64_t seed) { return "seed " + std::to_string(seed); }

TEST(Matrix, DenseProductIsTheSumOfProducts) {
  for (int n = 0; n <= 40; ++n) {
    Dice dice(std::uint64_t(n) + 1);
    const std::vector<double> all = random_q(n * n, dice), z = random_q(n, dice);
    const Matrix M = Matrix::dense(n, all);
    EXPECT_EQ(M.kind(), Matrix::Kind::dense);
    EXPECT_EQ(M.size(), n);
    EXPECT_EQ(M.work_size(), 0u);
    expect_near(times(M, z), times(all, z), sum_rounding, std::to_string(n) + " rows");
  }
}

TEST(Matrix, SparseProductIsTheSumOfProducts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const std::vector<int> start = random_starts(1 + dice.below(9), 4, dice);
    const Written S = random_blocks(start, start, dice.between(0, 1), dice);
    const Matrix M = Matrix::sparse(S.blocks);
    EXPECT_EQ(M.kind(), Matrix::Kind::block_sparse);
    EXPECT_EQ(M.size(), start.back());
    const std::vector<double> z = random_q(M.size(), dice);
    expect_near(times(M, z), times(S.all, z), sum_rounding, seed_is(seed));
  }
}

// The same object again and again, of whatever kind it was.
TEST(Matrix, BecomesAnother) {
  Matrix M;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Dice dice(seed);
    const std::vector<int> start = random_starts(1 + dice.below(9), 4, dice);
    const Written S = random_blocks(start, start, dice.between(0, 1), dice);
    const std::vector<double> z = random_q(start.back(), dice);
    if (dice.below(2) == 0) {
      M.assign(Matrix::sparse(S.blocks).blocks());
      EXPECT_EQ(M.kind(), Matrix::Kind::block_sparse);
    } else {
      M.make_dense(start.back());
      EXPECT_EQ(M.kind(), Matrix::Kind::dense);
      ASSERT_EQ(M.dense().size(), S.all.size());
      M.dense() = S.all;
    }
    EXPECT_EQ(M.size(), start.back());
    expect_near(times(M, z), times(S.all, z), sum_rounding, seed_is(seed));
    if (seed % 5 == 0) M = Matrix::factored({.H = {}, .A = {}});
  }
  BlockSparse out_of_order;
  out_of_order.row_start = out_of_order.column_start = {0, 1, 2};
  out_of_order.first = {0, 1, 2};
  out_of_order.column = {0, 1};
  out_of_order.value_start = {1, 0};
  out_of_order.values = {1, 2};
  EXPECT_THROW(M.assign(out_of_order), CheckFailed);
  EXPECT_THROW(M.make_dense(-1), CheckFailed);
}

// Blocks may lie anywhere, last first or two of them in the same place; the matrix has them in order.
TEST(Matrix, BlocksMayLieInAnyOrder) {
  BlockSparse S;
  S.row_start = S.column_start = {0, 1, 3};
  S.first = {0, 2, 4};
  S.column = {0, 1, 0, 1};
  S.value_start = {6, 4, 4, 0};  // the second and the third share theirs
  S.values = {1, 2, 3, 4, 5, 6, 7};
  const Matrix M = Matrix::sparse(S);
  double all[9];
  M.to_dense(all, 3);
  EXPECT_EQ(std::vector<double>(all, all + 9), (std::vector<double>{7, 5, 6, 5, 1, 2, 6, 3, 4}));
  EXPECT_EQ(M.formed({0, 1, 3}).value_start, (std::vector<std::size_t>{0, 1, 3, 5}));
}

TEST(Matrix, AllKindsOfTheSameMatrixAgree) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const std::vector<int> start = random_starts(1 + dice.below(7), 4, dice);
    const Product product = random_product(start, 1 + dice.below(5), dice.between(0.1, 1), dice);
    const Matrix factored = Matrix::factored(product.factored), dense = Matrix::dense(start.back(), product.all),
                 sparse = Matrix::sparse(factored.formed(start));
    EXPECT_EQ(factored.kind(), Matrix::Kind::factored);
    EXPECT_EQ(factored.size(), start.back());
    EXPECT_EQ(factored.A(), product.factored.A);
    const std::vector<double> z = random_q(start.back(), dice), truth = times(product.all, z);
    expect_near(times(dense, z), truth, product_rounding, seed_is(seed) + " dense");
    expect_near(times(sparse, z), truth, product_rounding, seed_is(seed) + " sparse");
    expect_near(times(factored, z), truth, product_rounding, seed_is(seed) + " factored");
    EXPECT_EQ(times(factored, z), times(factored, z));
  }
}

// Every range of a matrix of all kinds, whole blocks and cut ones, into rows that are longer than the copy: what lies
// between stays as it is.
TEST(Matrix, CopiesAnyRange) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Dice dice(seed);
    const std::vector<int> start{0, 1, 4, 6, 9};
    const int n = start.back();
    const Product product = random_product(start, 3, 0.5, dice);
    const Written S = random_blocks(start, start, 0.5, dice);
    const struct {
      Matrix M;
      std::vector<double> all;
      double tolerance;
    } kinds[] = {{Matrix::dense(n, product.all), product.all, 0},
                 {Matrix::sparse(S.blocks), S.all, 0},
                 {Matrix::factored(product.factored), product.all, product_rounding}};
    for (const auto& [M, all, tolerance] : kinds)
      for (int row = 0; row < n; ++row)
        for (int rows = 1; row + rows <= n; ++rows)
          for (int column = 0; column < n; ++column)
            for (int columns = 1; column + columns <= n; ++columns) {
              const int stride = columns + 2;
              double out[9 * 11];
              std::fill(std::begin(out), std::end(out), 77.0);
              M.copy(row, rows, column, columns, out, stride);
              double error = 0;
              bool kept = true;
              for (int r = 0; r < rows; ++r)
                for (int c = 0; c < stride; ++c) {
                  const double x = out[r * stride + c];
                  if (c >= columns) {
                    kept = kept && x == 77;
                    continue;
                  }
                  const double d = std::abs(x - all[(row + r) * n + column + c]);
                  error = larger(error, d);
                }
              for (int r = rows * stride; r < 9 * 11; ++r) kept = kept && out[r] == 77;
              // numbers are at most of the order of 10, so that an absolute tolerance will do
              ASSERT_LE(error, 10 * tolerance) << "seed " << seed << " kind " << int(M.kind()) << " rows " << row << "+"
                                               << rows << " columns " << column << "+" << columns;
              ASSERT_TRUE(kept) << "seed " << seed << " kind " << int(M.kind()) << " rows " << row << "+" << rows
                                << " columns " << column << "+" << columns;
            }
  }
}

TEST(Matrix, DiagonalBlocksAndToDense) {
  Dice dice(5);
  const std::vector<int> start{0, 3, 4, 7};
  const Product product = random_product(start, 2, 0.9, dice);
  const Matrix M = Matrix::factored(product.factored);
  for (std::size_t b = 0; b + 1 < start.size(); ++b) {
    const int size = start[b + 1] - start[b];
    std::vector<double> block(size * size), truth;
    M.diagonal(start[b], size, block.data());
    for (int r = start[b]; r < start[b + 1]; ++r)
      for (int c = start[b]; c < start[b + 1]; ++c) truth.push_back(product.all[r * 7 + c]);
    expect_near(block, truth, product_rounding, "block " + std::to_string(b));
  }
  std::vector<double> all(49);
  M.to_dense(all.data(), 7);
  expect_near(all, product.all, product_rounding, "all");
}

// A block on the diagonal that is not stored is zero, whatever was in its place before.
TEST(Matrix, ADiagonalBlockThatIsNotStoredIsZero) {
  const std::vector<int> start{0, 2, 3, 6};
  const std::vector<Triplet> triplets{{0, 1, 5.0}, {0, 2, 7.0}, {2, 5, 8.0}, {4, 3, 9.0}};  // (1, 1) is missing
  const Matrix M = Matrix::sparse(block_sparse(start, start, triplets));
  std::vector<double> first(4, std::nan("")), second(1, std::nan("")), third(9, std::nan(""));
  M.diagonal(0, 2, first.data());
  M.diagonal(2, 1, second.data());
  M.diagonal(3, 3, third.data());
  EXPECT_EQ(first, (std::vector<double>{0, 5, 0, 0}));
  EXPECT_EQ(second, std::vector<double>{0});
  EXPECT_EQ(third, (std::vector<double>{0, 0, 0, 9, 0, 0, 0, 0, 0}));
  const Matrix empty = Matrix::sparse(block_sparse(start, start, std::vector<Triplet>{{0, 2, 1.0}}));
  empty.diagonal(3, 3, third.data());
  EXPECT_EQ(third, std::vector<double>(9, 0.0));
}

// Over the blocks that it has, coarser ones, finer ones and ones that fit not at all.
TEST(Matrix, FormsOverAnyBlocks) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Dice dice(seed);
    const std::vector<int> start = random_starts(2 + dice.below(5), 4, dice);
    const int n = start.back();
    const Product product = random_product(start, 1 + dice.below(4), 0.4, dice);
    const Written S = random_blocks(start, start, 0.4, dice);
    std::vector<int> single(std::size_t(n) + 1), some{0};
    std::iota(single.begin(), single.end(), 0);
    while (some.back() < n) some.push_back(std::min(n, some.back() + 1 + dice.below(5)));
    for (const std::vector<int>& over : {start, single, some, std::vector<int>{0, n}}) {
      const BlockSparse a = Matrix::sparse(S.blocks).formed(over), b = Matrix::dense(n, S.all).formed(over),
                        c = Matrix::factored(product.factored).formed(over);
      for (const BlockSparse* formed : {&a, &b, &c}) {
        EXPECT_EQ(formed->row_start, over);
        EXPECT_EQ(formed->column_start, over);
        EXPECT_NO_THROW(Matrix::sparse(*formed)) << seed_is(seed);
      }
      EXPECT_EQ(written_out(a), S.all) << seed_is(seed);
      EXPECT_EQ(written_out(b), S.all) << seed_is(seed);
      expect_near(written_out(c), product.all, product_rounding, seed_is(seed));
    }
  }
}

TEST(Matrix, FormStoresOnlyWhatIsCoupled) {
  // Rows 0 and 1 share a column, row 2 has its own.
  const std::vector<Triplet> H{{0, 0, 1}, {1, 0, 2}, {2, 1, 3}};
  const BlockSparse S = Matrix::factored({block_sparse({0, 1, 2, 3}, {0, 1, 2}, H), {4, 9}}).formed({0, 1, 2, 3});
  EXPECT_EQ(S.first, (std::vector<int>{0, 2, 4, 5}));
  EXPECT_EQ(S.column, (std::vector<int>{0, 1, 0, 1, 2}));
  EXPECT_EQ(S.values, (std::vector<double>{0.25, 0.5, 0.5, 1, 1}));
}

// New numbers in the same pattern go where the old ones were; another pattern makes it anew, and back again.
TEST(Matrix, FormsAgain) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const std::vector<int> start{0, 3, 4, 7, 8};
    const Product first = random_product(start, 3, 0.5, dice), other = random_product(start, 3, 0.5, dice);
    FormedFrom from;
    BlockSparse S;
    Matrix::factored(first.factored).form(start, from, S);
    expect_near(written_out(S), first.all, product_rounding, seed_is(seed) + " first");
    const double* const numbers = S.values.data();

    Factored changed = first.factored;  // M is 4 times as large
    for (double& h : changed.H.values) h *= 2;
    const Matrix again = Matrix::factored(changed);
    std::fill(S.values.begin(), S.values.end(), std::nan(""));
    again.form(start, from, S);
    EXPECT_EQ(S.values, again.formed(start).values) << seed_is(seed);
    EXPECT_EQ(S.values.data(), numbers) << seed_is(seed) << ": allocated";
    std::vector<double> four = first.all;
    for (double& x : four) x *= 4;
    expect_near(written_out(S), four, product_rounding, seed_is(seed) + " again");

    Matrix::factored(other.factored).form(start, from, S);
    expect_near(written_out(S), other.all, product_rounding, seed_is(seed) + " other pattern");
    Matrix::factored(other.factored).form({0, 4, 8}, from, S);
    expect_near(written_out(S), other.all, product_rounding, seed_is(seed) + " other blocks");
    Matrix::factored(first.factored).form(start, from, S);
    expect_near(written_out(S), first.all, product_rounding, seed_is(seed) + " back");
  }
}

// As many entries in each row, but elsewhere.
TEST(Matrix, FormsAgainWithOtherColumns) {
  const std::vector<int> start{0, 1, 2}, columns{0, 1, 2};
  const Matrix apart =
      Matrix::factored({block_sparse(start, columns, std::vector<Triplet>{{0, 0, 1}, {1, 1, 1}}), {1, 1}});
  const Matrix shared =
      Matrix::factored({block_sparse(start, columns, std::vector<Triplet>{{0, 0, 1}, {1, 0, 1}}), {1, 1}});
  FormedFrom from;
  BlockSparse S;
  for (int again = 0; again < 2; ++again) {
    apart.form(start, from, S);
    EXPECT_EQ(written_out(S), (std::vector<double>{1, 0, 0, 1}));
    EXPECT_EQ(S.column.size(), 2u);
    shared.form(start, from, S);
    EXPECT_EQ(written_out(S), (std::vector<double>{1, 1, 1, 1}));
  }
}

// A sparse or a dense matrix formed in between leaves its own pattern in S.
TEST(Matrix, FormsAgainAfterAnotherKind) {
  const std::vector<int> start{0, 1, 2};
  const Matrix product =
      Matrix::factored({block_sparse(start, {0, 1}, std::vector<Triplet>{{0, 0, 1}, {1, 0, 1}}), {1}});
  const Matrix sparse = Matrix::sparse(block_sparse(start, start, std::vector<Triplet>{{0, 0, 5}, {1, 1, 6}}));
  const Matrix dense = Matrix::dense(2, {5, 0, 0, 6});
  for (const Matrix* between : {&dense, &sparse}) {
    FormedFrom from;
    BlockSparse S;
    product.form(start, from, S);
    EXPECT_EQ(written_out(S), (std::vector<double>{1, 1, 1, 1}));
    between->form(start, from, S);
    EXPECT_EQ(written_out(S), (std::vector<double>{5, 0, 0, 6}));
    product.form(start, from, S);
    EXPECT_EQ(written_out(S), (std::vector<double>{1, 1, 1, 1})) << "after kind " << int(between->kind());
  }
}

TEST(Matrix, TripletsAddUp) {
  const BlockSparse S = block_sparse(
      {0, 2, 3}, {0, 1, 3}, std::vector<Triplet>{{2, 2, 1}, {0, 0, 1}, {2, 2, 2}, {1, 0, 5}, {0, 0, -3}, {2, 1, 0}});
  EXPECT_EQ(S.first, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(S.column, (std::vector<int>{0, 1}));
  EXPECT_EQ(S.value_start, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(S.values, (std::vector<double>{-2, 5, 0, 3}));
  EXPECT_EQ(S.rows(), 3);
  EXPECT_EQ(S.columns(), 3);
  EXPECT_EQ(S.row_blocks(), 2);
  EXPECT_EQ(S.column_blocks(), 2);
}

TEST(Matrix, OrderOfTripletsDoesNotMatter) {
  Dice dice(3);
  std::vector<Triplet> triplets;
  for (int k = 0; k < 60; ++k) triplets.push_back({dice.below(9), dice.below(7), double(dice.below(100))});
  const std::vector<int> rows{0, 2, 3, 9}, columns{0, 3, 4, 7};
  const BlockSparse a = block_sparse(rows, columns, triplets);
  std::reverse(triplets.begin(), triplets.end());
  const BlockSparse b = block_sparse(rows, columns, triplets);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.values, b.values);  // whole numbers: sums are exact
}

TEST(Matrix, NoRows) {
  const Matrix none, dense = Matrix::dense(0, {}), sparse = Matrix::sparse({}), factored = Matrix::factored({});
  for (const Matrix* M : {&none, &dense, &sparse, &factored}) {
    EXPECT_EQ(M->size(), 0);
    EXPECT_TRUE(M->finite());
    EXPECT_NO_THROW(M->multiply({}, {}, {}));
    EXPECT_NO_THROW(M->to_dense(nullptr, 0));
    EXPECT_EQ(M->formed({0}).rows(), 0);
  }
}

TEST(Matrix, KnowsWhatIsNotFinite) {
  const BlockSparse one = block_sparse({0, 1}, {0, 1}, std::vector<Triplet>{{0, 0, 1}});
  EXPECT_TRUE(Matrix::dense(1, {1}).finite());
  EXPECT_TRUE(Matrix::sparse(one).finite());
  EXPECT_TRUE(Matrix::factored({one, {2}}).finite());
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    EXPECT_FALSE(Matrix::dense(1, {bad}).finite());
    BlockSparse S = one;
    S.values[0] = bad;
    EXPECT_FALSE(Matrix::sparse(S).finite());
    EXPECT_FALSE(Matrix::factored({S, {2}}).finite());
  }
  EXPECT_FALSE(Matrix::factored({one, {infinity}}).finite());
  BlockSparse large = one;
  large.values[0] = 1e200;
  EXPECT_FALSE(Matrix::factored({large, {1e-200}}).finite());  // H A^-1 overflows
}

TEST(Matrix, ChecksSizes) {
  EXPECT_TRUE(fails_with([] { Matrix::dense(2, {1, 2, 3}); }, "a dense matrix of 2 rows has 3 numbers"));
  EXPECT_TRUE(fails_with([] { Matrix::dense(-1, {1}); }, "a dense matrix of -1 rows has 1 numbers"));
  const BlockSparse H = block_sparse({0, 1}, {0, 2}, std::vector<Triplet>{{0, 0, 1}});
  EXPECT_TRUE(fails_with([&] { Matrix::sparse(H); }, "the same blocks for rows and columns"));
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {1, 0, 1}}); }, "A has 3 numbers, the columns of H need 4"));
  const Matrix M = Matrix::factored({H, {1, 0, 0, 1}});
  std::vector<double> one(1), two(2);
  EXPECT_TRUE(fails_with([&] { M.multiply(two, one, two); }, "a matrix of 1 rows times 2 numbers into 1"));
  EXPECT_TRUE(fails_with([&] { M.multiply(one, two, two); }, "a matrix of 1 rows times 1 numbers into 2"));
  EXPECT_TRUE(fails_with([&] { M.multiply(one, one, one); }, "work has 1 numbers, needs 2"));
  EXPECT_TRUE(fails_with([&] { M.formed({0, 2}); }, "blocks end at 2, the matrix has 1 rows"));
  EXPECT_TRUE(fails_with([&] { M.formed({}); }, "blocks end at 0, the matrix has 1 rows"));
  EXPECT_TRUE(fails_with([] { Matrix::dense(2, {1, 2, 3, 4}).formed({0, 1, 1, 2}); }, "must ascend"));
  EXPECT_TRUE(fails_with([] { Matrix::dense(2, {1, 2, 3, 4}).formed({1, 2}); }, "must begin with 0"));
}

TEST(Matrix, ChecksThatAIsPositiveDefinite) {
  const BlockSparse H = block_sparse({0, 1}, {0, 2}, std::vector<Triplet>{{0, 0, 1}});
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {1, 0, 0, 0}}); }, "not positive definite: pivot 1 is 0"));
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {1, 2, 2, 1}}); }, "not positive definite: pivot 1 is -3"));
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {-1, 0, 0, 1}}); }, "not positive definite: pivot 0 is -1"));
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {std::nan(""), 0, 0, 1}}); }, "not positive definite: pivot 0"));
}

TEST(Matrix, ChecksTriplets) {
  const auto make = [](std::vector<int> rows, std::vector<int> columns, Triplet t) {
    return [=] { block_sparse(rows, columns, std::vector<Triplet>{t}); };
  };
  EXPECT_TRUE(fails_with(make({0, 2}, {0, 3}, {2, 0, 1}), "entry (2, 0) of a matrix of 2 x 3"));
  EXPECT_TRUE(fails_with(make({0, 2}, {0, 3}, {0, 3, 1}), "entry (0, 3) of a matrix of 2 x 3"));
  EXPECT_TRUE(fails_with(make({0, 2}, {0, 3}, {-1, 0, 1}), "entry (-1, 0) of a matrix of 2 x 3"));
  EXPECT_TRUE(fails_with(make({0, 2}, {0, 3}, {0, -1, 1}), "entry (0, -1) of a matrix of 2 x 3"));
  EXPECT_TRUE(fails_with(make({1, 2}, {0, 3}, {0, 0, 1}), "row_start must begin with 0"));
  EXPECT_TRUE(fails_with(make({}, {0, 3}, {0, 0, 1}), "row_start must begin with 0"));
  EXPECT_TRUE(fails_with(make({0, 2}, {0, 3, 3}, {0, 0, 1}), "column_start must ascend: 3 is followed by 3"));
  EXPECT_TRUE(fails_with(make({0, 2, 1}, {0, 3}, {0, 0, 1}), "row_start must ascend: 2 is followed by 1"));
}

TEST(Matrix, ChecksPatterns) {
  // 3 x 3 of blocks 1 and 2: all four blocks.
  const BlockSparse good = [] {
    std::vector<Triplet> all;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) all.push_back({r, c, 1});
    return block_sparse({0, 1, 3}, {0, 1, 3}, all);
  }();
  ASSERT_NO_THROW(Matrix::sparse(good));
  const auto with = [&](auto&& change) {
    BlockSparse S = good;
    change(S);
    return [S] { Matrix::sparse(S); };
  };
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { std::swap(S.column[2], S.column[3]); }),
                         "columns of row block 1 do not ascend"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.column[1] = 0; }), "columns of row block 0 do not ascend"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.column[1] = 2; }), "column block 2 of 2"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.column[0] = -1; }), "column block -1 of 2"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.first.push_back(4); }), "first has 4 numbers for 2 row blocks"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.first.back() = 3; }),
                         "first ends with 3, there are 4 columns and 4 value starts"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.value_start.pop_back(); }),
                         "first ends with 4, there are 4 columns and 3 value starts"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.values.pop_back(); }), "values end at 8, block 3 needs 9"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.value_start[3] = 6; }), "values end at 9, block 3 needs 10"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.row_start = {0, 1, 1}; }), "row_start must ascend"));
  EXPECT_TRUE(fails_with(with([](BlockSparse& S) { S.column_start = {1, 2, 3}; }), "column_start must begin with 0"));
  BlockSparse H = good;  // the same checks for H
  std::swap(H.column[2], H.column[3]);
  EXPECT_TRUE(fails_with([&] { Matrix::factored({H, {1, 1, 0, 0, 1}}); }, "columns of row block 1 do not ascend"));
}

// `first` of a row block beyond the last entry: it would be read past the end. Numbers that look right lie there, so
// that only a check can tell.
TEST(Matrix, ChecksThatFirstAscends) {
  BlockSparse S = block_sparse({0, 1, 2, 3}, {0, 1, 2, 3}, std::vector<Triplet>{{0, 0, 1}, {0, 1, 2}, {0, 2, 3}});
  S.first = {0, 3, 2, 2};
  S.column.pop_back();
  S.value_start.pop_back();
  EXPECT_THROW(Matrix::sparse(std::move(S)), CheckFailed);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/control/priority_stack.h"

#include "linchpin/base/check.h"
#include "linchpin/control/testing.h"

namespace linchpin {
namespace {

DenseMatrix random_matrix(int rows, int columns, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(rows * columns, seed);
  return Eigen::Map<const DenseMatrix>(x.data(), rows, columns);
}

struct Answer {
  std::vector<double> f;
  std::vector<int> ranks;
};
Answer solved(const DenseMatrix& A, const std::vector<int>& levels, const std::vector<double>& d) {
  PriorityStack stack(levels);
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) stack.at(i, j) = A(i, j);
  EXPECT_TRUE(stack.factor());
  Answer out{std::vector<double>(d.size()), {}};
  stack.solve(d, out.f);
  for (int l = 0; l < stack.levels(); ++l) out.ranks.push_back(stack.rank(l));
  return out;
}

TEST(PriorityStack, SolvesWhereThereIsNoConflictWhateverTheLevels) {
  const DenseMatrix J = random_matrix(9, 14, 1), A = J * J.transpose();
  const std::vector<double> d = random_numbers(9, 2);
  for (const std::vector<int>& levels : {std::vector<int>{9}, {3, 6}, {1, 0, 5, 3}}) {
    const Answer answer = solved(A, levels, d);
    EXPECT_EQ(answer.ranks, levels);
    EXPECT_LT((A * vector_of(answer.f) - vector_of(d)).norm(), 1e-10);
  }
}

// Against the hierarchy written with projectors: y_l moves x by N_(l-1) (J_l N_(l-1))^+ (d_l - J_l x).
TEST(PriorityStack, IsTheHierarchyOfProjectors) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const int n = 7;
    const std::vector<int> levels{3, 4, 5};
    DenseMatrix J = random_matrix(12, n, seed);
    if (seed % 2) J.row(4) = 2 * J.row(0);             // determined by the level before
    if (seed % 3) J.row(2) = J.row(0) - 3 * J.row(1);  // redundant within a level
    J.rowwise().normalize();                           // rows scaled as in the stack
    const std::vector<double> d = random_numbers(12, seed + 50);

    Vector x = Vector::Zero(n);
    DenseMatrix N = DenseMatrix::Identity(n, n);
    std::vector<int> ranks;
    int first = 0;
    for (const int rows : levels) {
      const DenseMatrix Jl = J.middleRows(first, rows), JN = Jl * N;
      const SingularValues svd = singular_values(JN);
      DenseMatrix inverse = DenseMatrix::Zero(n, rows);
      int rank = 0;
      for (; rank < svd.values.size() && svd.values[rank] > 3e-5; ++rank)
        inverse += DenseMatrix(svd.V.col(rank)) * DenseMatrix(svd.U.col(rank).transpose() / svd.values[rank]);
      x += inverse * Vector(vector_of(d).segment(first, rows) - Jl * x);
      N -= inverse * JN;
      ranks.push_back(rank);
      first += rows;
    }
    const DenseMatrix Jt = J.transpose();
    const Answer answer = solved(J * Jt, levels, d);
    EXPECT_EQ(answer.ranks, ranks) << seed;
    EXPECT_LT((Jt * vector_of(answer.f) - x).norm(), 1e-7 * (1 + x.norm())) << seed;
  }
}

TEST(PriorityStack, RowsThatDoNotGiveWayAndNumbersThatAreNone) {
  const Answer answer = solved(matrix_of(std::vector{0.0, 0.0, 0.0, 4.0}, 2, 2), {1, 1}, {5, 2});
  EXPECT_EQ(answer.f, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(answer.ranks, (std::vector<int>{0, 1}));
  PriorityStack stack(std::vector<int>{2});
  stack.at(0, 1) = std::nan("");
  EXPECT_FALSE(stack.factor());
  EXPECT_EQ(stack.rank(0), -1);
  std::vector<double> three(3);
  EXPECT_THROW(stack.solve(three, three), CheckFailed);
  EXPECT_THROW(stack.factor(three), CheckFailed);
  EXPECT_THROW(PriorityStack(std::vector<int>{-1}), CheckFailed);
}

// Before factor() no row counts.
TEST(PriorityStack, NoRanksBeforeItIsFactored) {
  PriorityStack stack(std::vector<int>{2, 0, 3});
  EXPECT_EQ(stack.rows(), 5);
  EXPECT_EQ(stack.levels(), 3);
  for (int l = 0; l < 3; ++l) EXPECT_EQ(stack.rank(l), 0);
  EXPECT_EQ((std::vector<int>{stack.first(0), stack.first(1), stack.first(2), stack.first(3)}),
            (std::vector<int>{0, 2, 2, 5}));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(stack.at(i, j), 0);
}

// With a typical compliance of 1, directions count from the tolerance on. One row, and two rows whose sum and
// difference have the compliances 1 and e (the eigenvalues of the matrix).
TEST(PriorityStack, TheToleranceDividesRegularFromSingular) {
  for (const double e : {0.9e-9, 1.1e-9, 0.9e-4, 1.1e-4}) {
    const auto factored = [&](std::vector<double> A, int rows, double tolerance) {
      PriorityStack stack(std::vector<int>{rows});
      if (tolerance != 1e-9) stack.tolerance = tolerance;  // which it has already
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j) stack.at(i, j) = A[std::size_t(i * rows + j)];
      EXPECT_TRUE(stack.factor(std::vector<double>(std::size_t(rows), 1.0)));
      return stack.rank(0);
    };
    for (const double tolerance : {1e-9, 1e-4}) {
      const int small = e > tolerance;
      EXPECT_EQ(factored({e}, 1, tolerance), small) << e;
      EXPECT_EQ(factored({(1 + e) / 2, (1 - e) / 2, (1 - e) / 2, (1 + e) / 2}, 2, tolerance), 1 + small) << e;
    }
  }
}

// a = A f, by hand.
TEST(PriorityStack, Multiplies) {
  PriorityStack stack(std::vector<int>{1, 1});
  stack.at(0, 0) = 2;
  stack.at(0, 1) = stack.at(1, 0) = 3;
  stack.at(1, 1) = 5;
  std::vector<double> a(2);
  stack.multiply(std::vector<double>{10, 100}, a);
  EXPECT_EQ(a, (std::vector<double>{320, 530}));
  std::vector<double> three(3);
  EXPECT_THROW(stack.multiply(a, three), CheckFailed);
  EXPECT_THROW(stack.multiply(three, a), CheckFailed);
}

}  // namespace
}  // namespace linchpin

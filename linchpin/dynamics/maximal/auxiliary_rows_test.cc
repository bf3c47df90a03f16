// Auxiliary rows against dense matrices. black_box/auxiliary_rows_test.cc has them in whole mechanisms.
#include "linchpin/dynamics/maximal/auxiliary_rows.h"

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/algebra/rank.h"
#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Numbers {
 public:
  double operator()() { return even_(engine_); }
  std::vector<double> list(std::size_t count) {
    std::vector<double> out(count);
    for (double& x : out) x = (*this)();
    return out;
  }

 private:
  std::mt19937 engine_{5};
  std::uniform_real_distribution<double> even_{-1, 1};
};

// Two trees of bodies of several sizes, the first one held at the world by body 3, dense and as a forest.
struct TwoTrees {
  std::vector<int> sizes{6, 3, 7, 6, 6, 2, 6, 3, 6};
  std::vector<ForestConstraint> constraints{{3, -1, 2}, {3, 1, 3}, {0, 1, 2}, {2, 0, 5},
                                            {4, 3, 5},  {5, 6, 1}, {6, 7, 2}, {8, 7, 3}};
  ConstraintForest forest = ConstraintForest::make(sizes, constraints).value();
  ForestFactors factors{forest};
  MatrixXd M, J;
  Numbers random;

  TwoTrees() {
    M.setZero(forest.total_size(), forest.total_size());
    J.setZero(forest.total_rows(), forest.total_size());
    for (int b = 0; b < forest.bodies(); ++b) {
      const Eigen::Index n = forest.size(b);
      const MatrixXd A = matrix_of(random.list(std::size_t(n * n)), n, n);
      const MatrixXd own = A * MatrixXd(A.transpose()) + MatrixXd::Identity(n, n);
      M.block(forest.first(b), forest.first(b), n, n) = own;
      factors.set_mass(b, std::vector<double>(own.data(), own.data() + own.size()));  // symmetric
    }
    for (int c = 0; c < forest.constraints(); ++c) {
      const ForestConstraint& it = constraints[std::size_t(c)];
      const auto part = [&](int body) {
        if (body < 0) return std::vector<double>{};
        std::vector<double> numbers = random.list(std::size_t(it.rows * forest.size(body)));
        for (int i = 0; i < it.rows; ++i) numbers[std::size_t(i * forest.size(body) + i % forest.size(body))] += 2;
        J.block(forest.first_row(c), forest.first(body), it.rows, forest.size(body)) =
            matrix_of(numbers, it.rows, forest.size(body));
        return numbers;
      };
      const std::vector<double> a = part(it.a), b = part(it.b);
      factors.set_constraint(c, a, b);
    }
  }
  // Mhat^-1 of these bodies under these constraints: the y of [M -J'; J 0] (y, l) = (F, 0).
  MatrixXd response(const MatrixXd& rows) const {
    const MatrixXd M_inverse_Jt = solve_positive(M, MatrixXd(rows.transpose()));
    const MatrixXd W = rows * M_inverse_Jt;
    return inverse(M) - M_inverse_Jt * solve_positive(W, MatrixXd(M_inverse_Jt.transpose()));
  }
};

struct Added {
  MatrixXd Ja, K, E;
};
// A row on `bodies`, with numbers at random; own: its force has a direction of its own.
void add_row(TwoTrees& trees, const std::vector<int>& bodies, bool own, double softness, AuxiliaryRows& rows,
             Added& dense) {
  const Eigen::Index i = rows.size();
  rows.begin_row(softness);
  dense.E(i, i) = softness;
  for (const int b : bodies) {
    const std::size_t n = std::size_t(trees.forest.size(b));
    const std::vector<double> j = trees.random.list(n), k = own ? trees.random.list(n) : std::vector<double>{};
    rows.add(b, j, k);
    dense.Ja.row(i).segment(trees.forest.first(b), Eigen::Index(n)) = vector_of(j).transpose();
    dense.K.col(i).segment(trees.forest.first(b), Eigen::Index(n)) = vector_of(own ? k : j);
  }
}
Added no_rows(const TwoTrees& trees, Eigen::Index count) {
  const Eigen::Index n = trees.forest.total_size();
  return {MatrixXd::Zero(count, n), MatrixXd::Zero(n, count), MatrixXd::Zero(count, count)};
}

// The diagonal of the matrix for body b if only the constraints of its children and their children hold.
double size_of(const TwoTrees& trees, int b, const VectorXd& j) {
  const std::span<const ConstraintForest::Node> nodes = trees.forest.nodes();
  std::vector<bool> below(nodes.size(), false);
  std::vector<Eigen::Index> kept;
  below[std::size_t(trees.forest.node_of_body(b))] = true;
  for (int i = trees.forest.node_of_body(b) - 1; i >= 0; --i) {  // parents come after their children
    const ConstraintForest::Node& node = nodes[std::size_t(i)];
    if (node.parent < 0 || !below[std::size_t(node.parent)]) continue;
    below[std::size_t(i)] = true;
    for (int r = 0; r < node.rows; ++r) kept.push_back(node.l + r);
  }
  MatrixXd rows(Eigen::Index(kept.size()), trees.J.cols());
  for (Eigen::Index r = 0; r < rows.rows(); ++r) rows.row(r) = trees.J.row(kept[std::size_t(r)]);
  const MatrixXd all = kept.empty() ? inverse(trees.M) : trees.response(rows);
  const Eigen::Index first = trees.forest.first(b), n = trees.forest.size(b);
  return j.dot(VectorXd(MatrixXd(all.block(first, first, n, n)) * j));
}

// More than eight rows, on one body and on many, also twice on one body; first with forces along the rows, then not.
TEST(AuxiliaryRows, MatrixIsThatOfTheDenseSystem) {
  for (const bool own : {false, true}) {
    TwoTrees trees;
    ASSERT_TRUE(trees.factors.factor());
    const std::vector<std::vector<int>> bodies{{0}, {2}, {3}, {1, 4}, {2, 4}, {5}, {8, 6}, {0, 5}, {7}, {4}, {2, 8, 3}};
    AuxiliaryRows rows(trees.forest);
    Added dense = no_rows(trees, Eigen::Index(bodies.size()));
    for (std::size_t i = 0; i < bodies.size(); ++i)
      add_row(trees, bodies[i], own && i % 3 == 1, i % 4 == 2 ? 0.3 : 0, rows, dense);
    EXPECT_EQ(rows.symmetric(), !own);
    ASSERT_EQ(rows.size(), int(bodies.size()));
    const MatrixXd expected = dense.Ja * trees.response(trees.J) * dense.K + dense.E;
    for (int again = 0; again < 2; ++again) {  // and the same once more
      const std::span<const double> found = rows.form(trees.factors);
      ASSERT_EQ(found.size(), bodies.size() * bodies.size());
      const double rounding = 1e-11 * largest(expected);  // a condition of some 1000
      EXPECT_LE(largest(MatrixXd(matrix_of(found, expected.rows(), expected.cols()) - expected)), rounding);
    }
    ASSERT_EQ(rows.sizes().size(), bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      double size = 0;
      for (const int b : bodies[i])
        size += size_of(trees, b,
                        dense.Ja.row(Eigen::Index(i)).segment(trees.forest.first(b), trees.forest.size(b)).transpose());
      EXPECT_NEAR(rows.sizes()[i], size, 1e-11 * size) << "row " << i;
    }

    const std::vector<double> y = trees.random.list(std::size_t(dense.Ja.cols())),
                              mu = trees.random.list(bodies.size()), before = trees.random.list(y.size());
    std::vector<double> a(bodies.size()), F = before;
    rows.times(y, a);
    EXPECT_LE(max_abs(vector_of(a) - dense.Ja * vector_of(y)), 1e-13);
    rows.add_force(mu, F);
    EXPECT_LE(max_abs(vector_of(F) - vector_of(before) - dense.K * vector_of(mu)), 1e-13);
  }
}

// Only nodes from the bodies of the rows to their roots are visited, whichever they are.
TEST(AuxiliaryRows, VisitTheNodesInwardOfTheirBodies) {
  TwoTrees trees;
  ASSERT_TRUE(trees.factors.factor());
  AuxiliaryRows rows(trees.forest);
  for (int one = 0; one < trees.forest.bodies(); ++one)
    for (int other = 0; other < trees.forest.bodies(); ++other) {
      rows.clear();
      EXPECT_EQ(rows.size(), 0);
      EXPECT_TRUE(rows.symmetric());
      Added dense = no_rows(trees, 2);
      add_row(trees, {one}, one == other, 0, rows, dense);
      add_row(trees, {other}, one == other, 0, rows, dense);
      const std::span<const double> found = rows.form(trees.factors);
      const MatrixXd expected = dense.Ja * trees.response(trees.J) * dense.K;
      EXPECT_LE(largest(MatrixXd(matrix_of(found, 2, 2) - expected)), 1e-11 * largest(expected)) << one << " " << other;
      std::set<int> inward;
      for (const int b : {one, other})
        for (int i = trees.forest.node_of_body(b); i >= 0; i = trees.forest.nodes()[std::size_t(i)].parent)
          inward.insert(i);
      EXPECT_EQ(std::vector<int>(rows.on_way().begin(), rows.on_way().end()),
                std::vector<int>(inward.begin(), inward.end()));
    }
}

TEST(AuxiliaryRows, WrongSizesAreRefusedWithBothNumbers) {
  TwoTrees trees;
  AuxiliaryRows rows(trees.forest);
  rows.begin_row();
  const std::vector<double> six(6), three(3);
  EXPECT_EQ(failed_check([&] { rows.add(9, six); }), "an auxiliary row on body 9 of 9");
  EXPECT_EQ(failed_check([&] { rows.add(-1, six); }), "an auxiliary row on body -1 of 9");
  EXPECT_EQ(failed_check([&] { rows.add(1, six); }),
            "an auxiliary row of 6 numbers and a force of 0 on body 1 of dimension 3");
  EXPECT_EQ(failed_check([&] { rows.add(1, three, six); }),
            "an auxiliary row of 3 numbers and a force of 6 on body 1 of dimension 3");
  EXPECT_EQ(failed_check([&] { rows.add(1, three, three); }), "accepted");
}

std::vector<double> row_by_row(const MatrixXd& A) {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j) out.push_back(A(i, j));
  return out;
}

// One solver for matrices of any sizes in turn, with and without symmetry: A mu + b = 0.
TEST(EqualitySolver, SolvesRegularMatricesOfAnySize) {
  Numbers random;
  EqualitySolver solver;
  EXPECT_TRUE(solver.takes(RowLaw::Kind::equality));
  EXPECT_FALSE(solver.takes(RowLaw::Kind::nonnegative));
  for (const Eigen::Index k : {3, 1, 8, 3, 5, 2, 8})
    for (const bool symmetric : {true, false}) {
      const MatrixXd L = matrix_of(random.list(std::size_t(k * k)), k, k);
      const MatrixXd A = symmetric ? MatrixXd(L * MatrixXd(L.transpose()) + MatrixXd::Identity(k, k)) : L;
      const std::vector<double> b = random.list(std::size_t(k));
      std::vector<double> sizes, mu(std::size_t(k), NAN);
      for (Eigen::Index i = 0; i < k; ++i) sizes.push_back(symmetric ? A(i, i) : 1.0);
      ASSERT_TRUE(solver.prepare(row_by_row(A), sizes, symmetric, {}));
      EXPECT_EQ(solver.rank(), k);
      for (int again = 0; again < 2; ++again) {
        ASSERT_TRUE(solver.solve(b, mu));
        const double condition = largest(inverse(A)) * largest(A);
        EXPECT_LE(max_abs(A * vector_of(mu) + vector_of(b)), 1e-14 * (1 + condition) * (1 + largest(mu)))
            << k << (symmetric ? " symmetric" : "");
      }
    }
}

// Pivots from all over the matrix, in integers: rows 1 and 2 exchanged, and the last row redundant.
TEST(EqualitySolver, RowsBeyondTheRankGetNoForceOrShareIt) {
  EqualitySolver solver;
  std::vector<double> mu(3, NAN);
  // mu1 has the largest coefficient, 8, in row 0; row 2 is the sum of rows 0 and 1.
  ASSERT_TRUE(solver.prepare(std::vector<double>{1, 8, 0, 4, 0, 0, 5, 8, 0}, std::vector<double>{8, 8, 8}, false, {}));
  EXPECT_EQ(solver.rank(), 2);
  ASSERT_TRUE(solver.solve(std::vector<double>{-17, -4, -21}, mu));
  EXPECT_EQ(mu, (std::vector<double>{1, 2, 0}));
  // Two rows that are the same: with symmetry both carry half.
  std::vector<double> half(2, NAN);
  ASSERT_TRUE(solver.prepare(std::vector<double>{2, 2, 2, 2}, std::vector<double>{2, 2}, true, {}));
  EXPECT_EQ(solver.rank(), 1);
  ASSERT_TRUE(solver.solve(std::vector<double>{-4, -4}, half));
  EXPECT_NEAR(half[0], 1, 1e-15);
  EXPECT_NEAR(half[1], 1, 1e-15);
  // Without it the first one carries all.
  ASSERT_TRUE(solver.prepare(std::vector<double>{2, 2, 2, 2}, std::vector<double>{2, 2}, false, {}));
  EXPECT_EQ(solver.rank(), 1);
  ASSERT_TRUE(solver.solve(std::vector<double>{-4, -4}, half));
  EXPECT_EQ(half, (std::vector<double>{2, 0}));
}

// Pivots count in the unit of their row and column. At the tolerance itself a pivot is rounding, above it is not.
TEST(EqualitySolver, PivotsCountInTheUnitsOfTheirRows) {
  EqualitySolver solver;
  const double limit = rank_tolerance<double>;
  const auto rank = [&](double pivot, double size) {
    EXPECT_TRUE(solver.prepare(std::vector<double>{1, 0, 0, pivot}, std::vector<double>{1, size}, false, {}));
    return solver.rank();
  };
  EXPECT_EQ(rank(limit, 1), 1);
  EXPECT_EQ(rank(2 * limit, 1), 2);
  EXPECT_EQ(rank(-2 * limit, 1), 2);
  EXPECT_EQ(rank(1e-30, 1e-30), 2);
  EXPECT_EQ(rank(1e-30, 1), 1);
  EXPECT_EQ(rank(1, 0), 1);  // a row that nothing moves
}

TEST(EqualitySolver, NaNIsNoSolution) {
  EqualitySolver solver;
  const std::vector<double> one(2, 1.0);
  std::vector<double> mu(2);
  for (const bool symmetric : {true, false}) {
    EXPECT_FALSE(solver.prepare(std::vector<double>{1, 0, 0, NAN}, one, symmetric, {}));
    ASSERT_TRUE(solver.prepare(std::vector<double>{1, 0, 0, 1}, one, symmetric, {}));
    EXPECT_FALSE(solver.solve(std::vector<double>{0, NAN}, mu));
    EXPECT_TRUE(solver.solve(std::vector<double>{0, 1}, mu));
  }
}

}  // namespace
}  // namespace linchpin

// The linear-time solve against a dense one, for every shape of forest and body.
#include "linchpin/dynamics/maximal/constraint_forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/maximal/forest_kernels.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Numbers for a forest, and the same as dense matrices.
struct Case {
  std::vector<int> sizes;
  std::vector<ForestConstraint> constraints;
  ConstraintForest forest;
  ForestFactors factors;
  MatrixXd M, J, E;
  VectorXd F, r;
  std::mt19937 random;

  Case(const std::vector<int>& body_sizes, const std::vector<ForestConstraint>& given, unsigned seed)
      : sizes(body_sizes),
        constraints(given),
        forest(ConstraintForest::make(sizes, constraints).value()),
        factors(forest),
        random(seed) {
    const int n = forest.total_size(), m = forest.total_rows();
    M = MatrixXd::Zero(n, n);
    J = MatrixXd::Zero(m, n);
    E = MatrixXd::Zero(m, m);
    for (int b = 0; b < forest.bodies(); ++b) {
      const int size = forest.size(b);
      const MatrixXd A = noise(size, size);
      M.block(forest.first(b), forest.first(b), size, size) = A * A.transpose() + MatrixXd::Identity(size, size);
    }
    for (int c = 0; c < forest.constraints(); ++c) {
      const ForestConstraint& it = constraints[c];
      const int rows = it.rows, at = forest.first_row(c);
      J.block(at, forest.first(it.a), rows, forest.size(it.a)) = block(rows, forest.size(it.a));
      if (it.held != 0) {
        J.block(at, forest.first(it.a), rows, forest.size(it.a)).setZero();
        for (int i = 0, k = 0; k < forest.size(it.a); ++k)
          if (it.held >> k & 1) J(at + i++, forest.first(it.a) + k) = 1;
      }
      if (it.b >= 0) J.block(at, forest.first(it.b), rows, forest.size(it.b)) = block(rows, forest.size(it.b));
      for (int i = 0; i < rows; ++i) E(at + i, at + i) = random() % 3 == 0 ? 0.1 : 0;
    }
    F = noise(n, 1);
    r = noise(m, 1);
    set();
  }

  MatrixXd noise(int rows, int columns) {
    std::uniform_real_distribution<> even(-1, 1);
    MatrixXd out(rows, columns);
    for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = even(random);
    return out;
  }
  // Nearly orthogonal rows, so that the problem is well conditioned: the tolerance below is rounding.
  MatrixXd block(int rows, int columns) {
    return MatrixXd::Identity(std::max(rows, columns), columns).topRows(rows) + 0.3 * noise(rows, columns);
  }
  static std::vector<double> numbers(const Eigen::MatrixXd& A) {
    std::vector<double> out;
    for (int i = 0; i < A.rows(); ++i)
      for (int k = 0; k < A.cols(); ++k) out.push_back(A(i, k));
    return out;
  }
  void set() {
    for (int b = 0; b < forest.bodies(); ++b) set_mass(b);
    for (int c = 0; c < forest.constraints(); ++c) set_constraint(c);
  }
  void set_backwards() {
    for (int c = forest.constraints(); c-- > 0;) set_constraint(c);
    for (int b = forest.bodies(); b-- > 0;) set_mass(b);
  }
  void set_mass(int b) {
    factors.set_mass(b, numbers(M.block(forest.first(b), forest.first(b), forest.size(b), forest.size(b))));
  }
  void set_constraint(int c) {
    const ForestConstraint& it = constraints[c];
    const int at = forest.first_row(c);
    const auto part = [&](int body) {
      return body < 0 ? std::vector<double>{} : numbers(J.block(at, forest.first(body), it.rows, forest.size(body)));
    };
    std::vector<double> softness;
    for (int i = 0; i < it.rows; ++i) softness.push_back(E(at + i, at + i));
    factors.set_constraint(c, part(it.a), part(it.b), softness);
  }
  // The residual of (1).
  double error(std::span<const double> y, std::span<const double> l, double scale = 1) const {
    const VectorXd Y = vector_of(y), L = vector_of(l);
    const double first = max_abs(M * Y - scale * F - J.transpose() * L), second = max_abs(J * Y + E * L - scale * r);
    return larger(first, second) / (1 + max_abs(Y));
  }
  void expect_solved(const std::string& name) {
    std::vector<double> y(F.size()), l(r.size());
    const std::vector<double> f = numbers(F), rhs = numbers(r);
    constexpr double rounding = 1e-12;  // some hundred roundings of numbers below a hundred
    ASSERT_TRUE(factors.factor_and_solve(f, rhs, y, l)) << name;
    EXPECT_LE(error(y, l), rounding) << name << ", in one go";
    std::vector<double> y_once(y.size(), NAN), l_once(l.size(), NAN);
    ASSERT_TRUE(factors.factor_and_solve(f, rhs, y_once, l_once, false)) << name;
    EXPECT_TRUE(y_once == y && l_once == l) << name << ": factors not kept change bits";
    ASSERT_TRUE(factors.factor()) << name;
    factors.solve(f, rhs, y, l);
    EXPECT_LE(error(y, l), rounding) << name << ", solve";

    std::vector<double> y8(8 * y.size()), r8(8 * l.size()), l8(8 * l.size());
    for (std::size_t k = 0; k < 8; ++k) {
      for (std::size_t i = 0; i < y.size(); ++i) y8[8 * i + k] = double(k + 1) * f[i];
      for (std::size_t i = 0; i < l.size(); ++i) r8[8 * i + k] = double(k + 1) * rhs[i];
    }
    factors.solve8(y8, r8, l8);
    for (const std::size_t k : {std::size_t(0), std::size_t(7)}) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = y8[8 * i + k];
      for (std::size_t i = 0; i < l.size(); ++i) l[i] = l8[8 * i + k];
      EXPECT_LE(error(y, l, double(k + 1)), rounding) << name << ", column " << k;
    }
  }
};

enum class Tree { chain, star, random };

Case random_case(Tree tree, int bodies, const std::vector<int>& sizes, bool on_world, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  std::vector<int> chosen;
  for (int b = 0; b < bodies; ++b) chosen.push_back(sizes[below(int(sizes.size()))]);
  std::vector<ForestConstraint> constraints;
  for (int b = 1; b < bodies; ++b) {
    const int parent = tree == Tree::chain ? b - 1 : tree == Tree::star ? 0 : below(b);
    const int rows = 1 + below(std::min(chosen[b], chosen[parent]));
    if (below(2) == 0)
      constraints.push_back({b, parent, rows});
    else
      constraints.push_back({parent, b, rows});
  }
  if (on_world) constraints.push_back({0, -1, 1 + below(chosen[0])});
  std::ranges::shuffle(constraints, random);
  return Case(chosen, constraints, seed);
}

// Rigid bodies in space and in the plane, with scaling, particles; 12 is wider than a register.
TEST(ConstraintForest, SolvesWhatADenseSolverWould) {
  unsigned seed = 1;
  for (const std::vector<int>& sizes : std::vector<std::vector<int>>{{6}, {3}, {6, 3}, {7, 6, 2}, {1}, {12, 9, 6, 3}})
    for (const Tree tree : {Tree::chain, Tree::star, Tree::random})
      for (const bool on_world : {false, true})
        for (const int bodies : {1, 2, 15})
          random_case(tree, bodies, sizes, on_world, seed++)
              .expect_solved("sizes from " + std::to_string(sizes[0]) + ", tree " + std::to_string(int(tree)) + ", " +
                             std::to_string(bodies) + " bodies");
}

// Rows that hold components of their body have special kernels; all others use the general ones.
TEST(ConstraintForest, HeldNumbersAreRowsOfTheIdentity) {
  unsigned seed = 1;
  std::vector<unsigned> sets(std::begin(held_sets), std::end(held_sets));
  sets.push_back(0b010101);
  for (const unsigned held : sets)
    for (const bool on_world : {false, true}) {
      const int rows = std::popcount(held);
      std::vector<ForestConstraint> constraints;
      if (on_world) constraints.push_back({0, -1, rows, held});
      for (int b = 1; b < 12; ++b) constraints.push_back({b, (b - 1) / 2, rows, held});
      Case(std::vector<int>(12, 6), constraints, seed++).expect_solved("held " + std::to_string(held));
    }
  // The body with the held rows becomes the parent.
  Case({6, 6}, {{0, 1, 5, 0b111011}, {0, -1, 6, 0}}, seed).expect_solved("the parent's numbers");
}

// A tree hangs on the world by any of its bodies.
TEST(ConstraintForest, AnyBodyMayBeOnTheWorld) {
  for (int held = 0; held < 5; ++held) {
    Case it({6, 6, 3, 6, 6}, {{0, 1, 5}, {2, 1, 3}, {3, 1, 4}, {3, 4, 5}, {held, -1, 2}}, 9);
    EXPECT_EQ(it.forest.trees(), 1);
    const ConstraintForest::Node& root = it.forest.nodes()[std::size_t(it.forest.node_of_body(held))];
    EXPECT_EQ(root.parent, -1);
    EXPECT_EQ(root.constraint, 4);
    it.expect_solved("on the world by body " + std::to_string(held));
  }
}

// Blocks are apart from each other: set in another order they give the same bits.
TEST(ConstraintForest, BlocksMayBeSetInAnyOrder) {
  Case it = random_case(Tree::random, 15, {7, 6, 3}, true, 4),
       other = random_case(Tree::random, 15, {7, 6, 3}, true, 4);
  std::ranges::fill(std::span(other.factors.block(0), other.forest.numbers()), 0.0);
  other.set_backwards();
  const std::vector<double> f = Case::numbers(it.F), rhs = Case::numbers(it.r);
  std::vector<double> y(f.size()), l(rhs.size()), y_other(f.size()), l_other(rhs.size());
  ASSERT_TRUE(it.factors.factor_and_solve(f, rhs, y, l));
  ASSERT_TRUE(other.factors.factor_and_solve(f, rhs, y_other, l_other));
  EXPECT_EQ(y_other, y);
  EXPECT_EQ(l_other, l);
}

TEST(ConstraintForest, NothingFillsIn) {
  for (const Tree tree : {Tree::chain, Tree::star, Tree::random}) {
    Case it = random_case(tree, 40, {6}, true, 3);
    // Nodes in the order of elimination, bodies before the constraint they hang on: block (i, j) of the factor of
    // H = [M -J'; -J -E] is the Schur complement's, which a dense elimination shows to be zero where H is.
    const int n = it.forest.total_size(), m = it.forest.total_rows();
    MatrixXd H(n + m, n + m);
    H.topLeftCorner(n, n) = it.M;
    H.topRightCorner(n, m) = -it.J.transpose();
    H.bottomLeftCorner(m, n) = -it.J;
    H.bottomRightCorner(m, m) = -it.E;
    std::vector<int> first, size;
    for (const ConstraintForest::Node& node : it.forest.nodes()) {
      first.push_back(node.y);
      size.push_back(node.size);
      if (node.constraint < 0) continue;
      first.push_back(n + node.l);
      size.push_back(node.rows);
    }
    int before = 0, after = 0;
    const std::size_t blocks = first.size();
    const auto block = [&](std::size_t i, std::size_t j) {
      return MatrixXd(H.block(first[i], first[j], size[i], size[j]));
    };
    const auto is_zero = [&](std::size_t i, std::size_t j) { return largest(block(i, j)) == 0; };
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = i + 1; j < blocks; ++j) before += !is_zero(i, j);
    for (std::size_t k = 0; k < blocks; ++k) {
      const MatrixXd pivot_inverse = inverse(block(k, k));
      for (std::size_t i = k + 1; i < blocks; ++i) {
        if (is_zero(i, k)) continue;
        const MatrixXd factor = block(i, k) * pivot_inverse;
        for (std::size_t j = k + 1; j < blocks; ++j)
          if (!is_zero(k, j)) H.block(first[i], first[j], size[i], size[j]) -= factor * block(k, j);
      }
    }
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = i + 1; j < blocks; ++j) after += !is_zero(i, j);
    EXPECT_EQ(after, before);
    EXPECT_EQ(it.forest.off_diagonal_blocks(), before);
  }
}

// Forces on some bodies: only nodes from there inward are visited, with the same result.
TEST(ConstraintForest, ColumnsOnTheWayAreThoseOfAll) {
  Case it = random_case(Tree::random, 30, {6}, true, 7);
  ASSERT_TRUE(it.factors.factor());
  std::vector<char> on_way(it.forest.bodies(), 0);
  std::vector<double> y(8 * std::size_t(it.forest.total_size()), 0.0), l(8 * std::size_t(it.forest.total_rows()), 0.0);
  for (const int body : {11, 23}) {
    for (int i = 0; i < 6; ++i) y[8 * (it.forest.first(body) + i) + i] = 1;
    for (int node = it.forest.node_of_body(body); node >= 0; node = it.forest.nodes()[node].parent) on_way[node] = 1;
  }
  std::vector<double> all = y, all_l = l;
  std::vector<int> nodes;
  for (std::size_t i = 0; i < on_way.size(); ++i)
    if (on_way[i]) nodes.push_back(int(i));
  ASSERT_LT(nodes.size(), on_way.size());
  it.factors.solve8(all, {}, all_l);
  it.factors.solve8(y, {}, l, nodes);
  for (const int node : nodes) {
    const ConstraintForest::Node& at = it.forest.nodes()[node];
    for (int i = 8 * at.y; i < 8 * (at.y + at.size); ++i) EXPECT_EQ(y[i], all[i]);
  }
}

// Equal masses need no refinement, so the test perturbs a solution: one step restores the result of solve8().
TEST(ConstraintForest, RefinesEightColumnsOfATree) {
  Case it = random_case(Tree::random, 30, {6}, true, 7);
  ASSERT_TRUE(it.factors.factor());
  std::vector<int> tree(it.forest.bodies());
  std::iota(tree.begin(), tree.end(), 0);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> F(8 * std::size_t(it.forest.total_size())), l(8 * std::size_t(it.forest.total_rows()));
  for (double& x : F) x = any(random);
  std::vector<double> y = F;
  it.factors.solve8(y, {}, l, tree);
  std::vector<double> spoiled = y, spoiled_l = l;
  for (double& x : spoiled) x *= 1.01;
  for (double& x : spoiled_l) x *= 0.9;
  it.factors.refine8(F, spoiled, spoiled_l, tree);
  const double tolerance = 1e-12;  // of numbers around 1, condition some 100
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(spoiled[i], y[i], tolerance);
  for (std::size_t i = 0; i < l.size(); ++i) EXPECT_NEAR(spoiled_l[i], l[i], tolerance);
}

TEST(ConstraintForest, SaysWhatIsNoForest) {
  const std::vector<int> sizes{6, 6, 3};
  const auto message = [&](std::vector<ForestConstraint> constraints) {
    const Result<ConstraintForest> forest = ConstraintForest::make(sizes, constraints);
    return forest.ok() ? std::string() : forest.error().message;
  };
  EXPECT_EQ(message({{0, 1, 5}, {1, 2, 3}}), "");
  EXPECT_NE(message({{0, 1, 5}, {1, 2, 3}, {2, 0, 1}}).find("closes a loop"), std::string::npos);
  EXPECT_NE(message({{0, 1, 5}, {1, 0, 1}}).find("constraint 1 between bodies"), std::string::npos);
  EXPECT_NE(message({{0, -1, 5}, {1, 0, 5}, {1, -1, 1}}).find("alone"), std::string::npos);
  EXPECT_NE(message({{0, -1, 5}, {0, -1, 1}}).find("constraint 1 is on body 0 alone"), std::string::npos);
  EXPECT_NE(message({{0, 3, 5}}).find("there are 3"), std::string::npos);
  EXPECT_NE(message({{1, 1, 5}}).find("twice"), std::string::npos);
  EXPECT_NE(message({{0, 1, 0}}).find("0 rows"), std::string::npos);
  EXPECT_NE(message({{0, 2, 5}}).find("5 rows for body 2 of dimension 3"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2, 0b111}}).find("holds"), std::string::npos);
  EXPECT_NE(message({{2, 1, 2, 0b11000}}).find("holds"), std::string::npos);
}

TEST(ConstraintForest, BlocksOfWrongSizesAreRefused) {
  const ConstraintForest forest =
      ConstraintForest::make(std::vector<int>{6, 3, 6}, std::vector<ForestConstraint>{{1, 0, 2}, {2, 0, 3, 0b111000}})
          .value();
  ForestFactors factors(forest);
  const std::vector<double> six(6), nine(9), twelve(12), eighteen(18), one(1), none;
  EXPECT_EQ(failed_check([&] { factors.set_mass(1, nine); }), "accepted");
  EXPECT_EQ(failed_check([&] { factors.set_mass(0, nine); }), "a mass matrix of 9 numbers for body 0 of dimension 6");
  EXPECT_EQ(failed_check([&] { factors.set_constraint(0, six, twelve); }), "accepted");
  const std::string message = " numbers for constraint 0 of 2 rows on bodies of dimension 3 and 6";
  EXPECT_EQ(failed_check([&] { factors.set_constraint(0, twelve, twelve); }), "blocks of 12 and 12" + message);
  EXPECT_EQ(failed_check([&] { factors.set_constraint(0, six, six); }), "blocks of 6 and 6" + message);
  EXPECT_EQ(failed_check([&] { factors.set_constraint(0, six, twelve, one); }), "softness of 1 rows for 2");
  // The rows of the identity need not be given.
  EXPECT_EQ(failed_check([&] { factors.set_constraint(1, none, eighteen); }), "accepted");
  EXPECT_NE(failed_check([&] { factors.set_constraint(1, none, twelve); }), "accepted");
}

TEST(ConstraintForest, SaysWhereItFails) {
  for (const int size : {6, 5}) {  // fixed and any size
    std::vector<double> M(size * size, 0.0), J(2 * size, 0.0);
    for (int k = 0; k < size; ++k) M[k * size + k] = 1;
    J[0] = J[size] = 1;  // the same row twice
    const ConstraintForest forest =
        ConstraintForest::make(std::vector<int>{size, size, size}, std::vector<ForestConstraint>{{0, 1, 1}, {2, 1, 2}})
            .value();
    ForestFactors factors(forest);
    for (int b = 0; b < 3; ++b) factors.set_mass(b, M);
    factors.set_constraint(0, std::span(J).first(size), std::span(J).first(size));
    factors.set_constraint(1, J, J);
    EXPECT_FALSE(factors.factor());
    EXPECT_EQ(factors.failed(), 2);
    J[size] = 0, J[size + 1] = 1;
    factors.set_constraint(1, J, J);
    EXPECT_TRUE(factors.factor());
    M[0] = std::numeric_limits<double>::quiet_NaN();
    factors.set_mass(0, M);
    EXPECT_FALSE(factors.factor());
    M[0] = 0;
    factors.set_mass(0, M);  // what hangs on it has mass
    EXPECT_TRUE(factors.factor());
    factors.set_mass(2, M);  // nothing does
    EXPECT_FALSE(factors.factor());
    EXPECT_EQ(factors.failed(), 2);
  }
}

// A star of a hundred thousand bodies, whose J M^-1 J' is dense [004 figure 1b], as well as a chain: built without
// recursion, solved in linear memory.
TEST(ConstraintForest, AHundredThousandBodies) {
  for (const bool star : {false, true}) {
    constexpr int n = 100000;
    std::vector<ForestConstraint> constraints{{0, -1, 5}};
    for (int b = 1; b < n; ++b) constraints.push_back({b, star ? 0 : b - 1, 5});
    const ConstraintForest forest = ConstraintForest::make(std::vector<int>(n, 6), constraints).value();
    EXPECT_EQ(forest.trees(), 1);
    ForestFactors factors(forest);
    std::vector<double> M(36, 0.0), J(30, 0.0), minus_J(30, 0.0);
    for (std::size_t k = 0; k < 6; ++k) M[7 * k] = 1;
    for (std::size_t i = 0; i < 5; ++i) {
      J[7 * i] = 1;
      minus_J[7 * i] = -1;
    }
    for (int b = 0; b < n; ++b) factors.set_mass(b, M);
    factors.set_constraint(0, J, {});
    for (int c = 1; c < n; ++c) factors.set_constraint(c, J, minus_J);
    // Welded except for the last component: 5 components are at rest, and the last one of each body is free.
    std::vector<double> F(6 * n, 1.0), y(6 * n), l(5 * n);
    ASSERT_TRUE(factors.factor_and_solve(F, {}, y, l));
    for (const std::size_t b : {std::size_t(0), std::size_t(n / 2), std::size_t(n - 1)}) {
      for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(y[6 * b + k], 0, 1e-9) << b;  // eps times n
      EXPECT_NEAR(y[6 * b + 5], 1, 1e-14) << b;
    }
    EXPECT_NEAR(l[0], -n, 1e-6);  // all weights hang on the first constraint
  }
}

}  // namespace
}  // namespace linchpin

// Islands, parts of a problem that M does not couple, are solved separately.
#include "linchpin/contact/island_solver.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace linchpin {
namespace {

// Contacts on the floor, each with its own body, except that contacts i and partner[i] share one: block-sparse.
Problem contacts_of(const std::vector<int>& partner) {
  const int n = int(partner.size());
  Problem p;
  std::vector<Triplet> entries;
  std::vector<int> starts{0};
  for (int i = 0; i < n; ++i) {
    p.blocks.push_back({BlockKind::cone, 3 * i, 3, 0.5});
    starts.push_back(3 * (i + 1));
    for (int k = 0; k < 3; ++k) {
      entries.push_back({3 * i + k, 3 * i + k, 2.0 + 0.1 * i});
      if (partner[i] != i) entries.push_back({3 * i + k, 3 * partner[i] + k, 1});
      p.q.push_back(k == 0 ? -1 - 0.3 * i : 0.2 * k);
    }
  }
  p.M = Matrix::sparse(block_sparse(starts, starts, entries));
  return p;
}

TEST(IslandSolver, PartsTogetherSolveTheWhole) {
  // 0-19, 1-18, ... are pairs: ten islands that are not neighbours in the list.
  std::vector<int> partner;
  for (int i = 0; i < 20; ++i) partner.push_back(19 - i);
  const Problem p = contacts_of(partner);
  IslandSolver islands;
  std::vector<double> z(p.q.size(), 0.0);
  const SolveReport report = islands.solve(p, SolverId::automatic, {}, z);
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_EQ(islands.islands(), 10);
  ResidualWorkspace ws;
  EXPECT_TRUE(residual(p, z, ws).within(1e-10));
  Solver whole;
  std::vector<double> other(p.q.size(), 0.0);
  ASSERT_EQ(whole.solve(p, SolverId::automatic, {}, other).status, Status::solved);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], other[i], 1e-9) << i;  // M is definite: one solution
}

// Two islands of more than 36 rows, which are kept sparse, beside small ones, which are dense, in one solver: chains of
// contacts, each coupled to the next. Solved twice, since an island must not see what the one before it left.
TEST(IslandSolver, SparseAndDenseIslands) {
  Problem p;
  std::vector<Triplet> entries;
  std::vector<int> starts{0};
  const std::vector<int> contacts{20, 3, 30, 1, 14};
  int i = 0;
  for (const int count : contacts)
    for (int k = 0; k < count; ++k, ++i) {
      p.blocks.push_back({BlockKind::cone, 3 * i, 3, 0.5});
      starts.push_back(3 * (i + 1));
      for (int r = 0; r < 3; ++r) {
        entries.push_back({3 * i + r, 3 * i + r, 3.0});
        if (k > 0) entries.push_back({3 * i + r, 3 * (i - 1) + r, 1});
        if (k + 1 < count) entries.push_back({3 * i + r, 3 * (i + 1) + r, 1});
        p.q.push_back(r == 0 ? -1 - 0.1 * (i % 7) : 0.3 * r - 0.1 * (i % 3));
      }
    }
  p.M = Matrix::sparse(block_sparse(starts, starts, entries));
  Solver whole;
  std::vector<double> expected(p.q.size(), 0.0);
  ASSERT_EQ(whole.solve(p, SolverId::automatic, {}, expected).status, Status::solved);
  IslandSolver islands;
  for (int time = 0; time < 2; ++time) {
    std::vector<double> z(p.q.size(), 0.0);
    EXPECT_EQ(islands.solve(p, SolverId::automatic, {}, z).status, Status::solved) << time;
    EXPECT_EQ(islands.islands(), int(contacts.size()));
    for (std::size_t k = 0; k < z.size(); ++k) EXPECT_NEAR(z[k], expected[k], 1e-9) << k;  // M is definite
  }
}

// Each island takes its own bounds along: boxes of one row each, z = -q / 2 within [l, u].
TEST(IslandSolver, BoundsStayWithTheirRows) {
  Problem p;
  std::vector<Triplet> entries;
  std::vector<int> starts{0};
  for (int i = 0; i < 6; ++i) {
    p.blocks.push_back({BlockKind::box, i, 1, 0});
    p.q.push_back(i % 3 == 0 ? -2 : i % 3 == 1 ? 2 : 0.02);
    p.lower.push_back(-0.1 * (i + 1));
    p.upper.push_back(0.2 * (i + 1));
    entries.push_back({i, i, 2});
    starts.push_back(i + 1);
  }
  p.M = Matrix::sparse(block_sparse(starts, starts, entries));
  IslandSolver islands;
  std::vector<double> z(p.q.size(), 0.0);
  EXPECT_EQ(islands.solve(p, SolverId::automatic, {}, z).status, Status::solved);
  EXPECT_EQ(islands.islands(), 6);
  for (std::size_t i = 0; i < z.size(); ++i)
    EXPECT_NEAR(z[i], std::clamp(-p.q[i] / 2, p.lower[i], p.upper[i]), 1e-12) << i;
}

// The solution of an island is bit-equal whatever other islands there are.
TEST(IslandSolver, CompanyChangesNothing) {
  std::vector<int> alone(2), crowd(30);
  alone = {1, 0};
  for (int i = 0; i < 30; ++i) crowd[i] = i % 2 == 0 ? i + 1 : i - 1;
  IslandSolver islands;
  const Problem two = contacts_of(alone), many = contacts_of(crowd);
  std::vector<double> z(two.q.size(), 0.0), all(many.q.size(), 0.0);
  islands.solve(many, SolverId::automatic, {}, all);
  islands.solve(two, SolverId::automatic, {}, z);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(z[i], all[i]) << i;
}

// A single contact: separating, sticking, sliding, and with a tangent row that no motion changes (a planar linkage).
// The residual is within tolerance, and the general solver finds the same. NaN is refused.
TEST(IslandSolver, OneContactAlone) {
  struct Case {
    double M[9], q[3], mu;
  };
  const Case cases[] = {{{2, 0.3, 0.1, 0.3, 3, -0.2, 0.1, -0.2, 4}, {0.1, 1, 1}, 0.5},
                        {{2, 0.3, 0.1, 0.3, 3, -0.2, 0.1, -0.2, 4}, {-1, 0.1, 0.2}, 0.5},
                        {{2, 0.3, 0.1, 0.3, 3, -0.2, 0.1, -0.2, 4}, {-1, 5, -4}, 0.5},
                        {{2, 1.5, 0, 1.5, 3, 0, 0, 0, 0}, {-1, 2, 0}, 0.3},
                        {{2, 0, 0, 0, 3, 0, 0, 0, 3}, {-1, 2, 0}, 0}};
  IslandSolver islands;
  Solver general;
  ResidualWorkspace ws;
  for (const Case& c : cases) {
    Problem p;
    p.blocks = {{BlockKind::cone, 0, 3, c.mu}};
    p.q.assign(c.q, c.q + 3);
    p.M.make_dense(3);
    std::copy_n(c.M, 9, p.M.dense().begin());
    std::vector<double> z(3, 7.0), other(3, 0.0);
    const SolveReport report = islands.solve(p, SolverId::automatic, {.warm_start = true}, z);
    EXPECT_EQ(report.status, Status::solved);
    EXPECT_EQ(report.iterations, 1);
    EXPECT_TRUE(residual(p, z, ws).within(1e-12));
    ASSERT_EQ(general.solve(p, SolverId::automatic, {}, other).status, Status::solved);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(z[i], other[i], 1e-12);
    p.q[1] = NAN;
    EXPECT_EQ(islands.solve(p, SolverId::automatic, {}, z).status, Status::bad_input);
  }
}

// The report of all islands: the worst status, the sum of iterations, the most solvers tried, in either order.
TEST(IslandSolver, ReportsAreAddedUp) {
  SolveReport easy, hard;
  easy.status = Status::solved;
  easy.iterations = 2;
  easy.tries = 1;
  easy.residual.relative = 1e-12;
  hard.status = Status::not_solved;
  hard.iterations = 5;
  hard.tries = 3;
  hard.residual.relative = 1e-5;
  for (const bool first : {false, true}) {
    SolveReport all = first ? hard : easy;
    add_to(all, first ? easy : hard);
    EXPECT_EQ(all.status, Status::not_solved) << first;
    EXPECT_EQ(all.iterations, 7) << first;
    EXPECT_EQ(all.tries, 3) << first;
    EXPECT_EQ(all.residual.relative, 1e-5) << first;
  }
}

// The status decides, in the order solved, not solved, unsolvable, anything else, whatever the residuals. Among equal
// ones the residual does, of which NaN is the worst.
TEST(IslandSolver, TheWorstIsReported) {
  const auto report = [](Status status, double relative, double plain = 0) {
    SolveReport r;
    r.status = status;
    r.residual.relative = relative;
    r.residual.plain_relative = plain;
    return r;
  };
  const Status order[] = {Status::solved, Status::not_solved, Status::unsolvable, Status::bad_input};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (const bool better_has_more : {false, true}) {
        SolveReport all = report(order[i], (i < j) == better_has_more ? 1e-3 : 1e-6);
        const SolveReport one = report(order[j], (i < j) == better_has_more ? 1e-6 : 1e-3);
        const double expected = i > j ? all.residual.relative : i < j ? one.residual.relative : 1e-3;
        add_to(all, one);
        EXPECT_EQ(all.status, order[std::max(i, j)]) << i << " " << j;
        EXPECT_EQ(all.residual.relative, expected) << i << " " << j;
      }
  for (const bool first : {false, true}) {
    SolveReport plain = report(Status::solved, 1e-12, 1e-4), relative = report(Status::solved, 1e-5, 1e-12);
    SolveReport all = first ? plain : relative;
    add_to(all, first ? relative : plain);
    EXPECT_EQ(all.residual.plain_relative, 1e-4) << "the larger of the two counts";
    for (const SolveReport& none : {report(Status::solved, NAN), report(Status::solved, 0, NAN)}) {
      SolveReport sum = first ? none : plain;
      add_to(sum, first ? plain : none);
      EXPECT_TRUE(std::isnan(sum.residual.relative) || std::isnan(sum.residual.plain_relative));
    }
  }
}

// A solver that cannot handle an island is reported for the whole problem.
TEST(IslandSolver, RefusalsAreReported) {
  std::vector<int> partner(20);
  for (int i = 0; i < 20; ++i) partner[i] = i;
  Problem p = contacts_of(partner);
  IslandSolver islands;
  std::vector<double> z(p.q.size(), 0.0);
  const SolveReport report = islands.solve(p, SolverId::lemke, {}, z);
  EXPECT_EQ(report.status, Status::bad_input) << "lemke takes no cones";
}

}  // namespace
}  // namespace linchpin

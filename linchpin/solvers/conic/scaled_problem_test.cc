#include "linchpin/solvers/conic/scaled_problem.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

// W = S^-1 M S^-1 with S the units of residual.h; q and bounds in the same units.
void expect_scaled(const Problem& problem, const ScaledProblem& p, Dice& dice) {
  const std::size_t n = problem.q.size();
  ResidualWorkspace units;
  row_scales(problem, units);
  std::vector<double> x(std::size_t(p.stride)), w(std::size_t(p.stride), std::nan("")), z(n), Mz(n),
      work(problem.M.work_size());
  for (std::size_t i = 0; i < n; ++i) x[i] = dice.near_zero(1);
  p.multiply(x.data(), w.data());
  p.unscale(x.data(), z);
  problem.M.multiply(z, Mz, work);
  double q2 = 0, plain_q2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = units.scale[i];
    EXPECT_NEAR(z[i], x[i] / s, 1e-15 * std::abs(z[i])) << i;
    EXPECT_NEAR(w[i], Mz[i] / s, 1e-13) << i;  // of sums of numbers below 1
    EXPECT_NEAR(p.q[i], problem.q[i] / s, 1e-15 * std::abs(p.q[i])) << i;
    q2 += p.q[i] * p.q[i];
    plain_q2 += problem.q[i] * problem.q[i];
  }
  for (std::size_t i = n; i < w.size(); ++i) EXPECT_EQ(w[i], 0) << i;
  EXPECT_NEAR(p.q_norm, std::sqrt(q2), 1e-14 * p.q_norm);
  EXPECT_NEAR(p.plain_q_norm, std::sqrt(plain_q2), 1e-14 * p.plain_q_norm);
  std::vector<double> back(std::size_t(p.stride), std::nan(""));
  p.scale(z, back.data());
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-15) << i;
  for (const Cell& c : p.cells)
    if (c.kind == BlockKind::box) {
      const std::size_t i = std::size_t(c.start);  // z has the unit 1 / s
      for (const auto& [scaled, plain] : {std::pair{p.lower[i], problem.lower[i]}, {p.upper[i], problem.upper[i]}})
        if (std::isinf(plain))
          EXPECT_EQ(scaled, plain) << i;
        else
          EXPECT_NEAR(scaled, plain * units.scale[i], 1e-15 * std::abs(scaled)) << i;
    }
}

// Cells cover the rows in order: three of a cone together, all others alone. Groups are of cones with friction.
void expect_grouped(const ScaledProblem& p) {
  int row = 0;
  for (const Cell& c : p.cells) {
    EXPECT_EQ(c.start, row);
    EXPECT_EQ(c.size, c.kind == BlockKind::cone ? 3 : 1);
    row += c.size;
  }
  EXPECT_EQ(row, p.n);
  std::vector<int> seen(p.cells.size());
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const ConeGroup& group = p.cones[g];
    ASSERT_TRUE(group.count >= 1 && group.count <= 8);
    for (int k = 0; k < 8; ++k) {
      const double mu = p.mu[8 * g + std::size_t(k)];
      if (k >= group.count) {
        EXPECT_EQ(mu, 1) << "padding";
        continue;
      }
      const Cell& c = p.cells[std::size_t(group.cell + k)];
      EXPECT_TRUE(c.kind == BlockKind::cone && c.mu > 0);
      EXPECT_EQ(c.start, group.start + 3 * k);
      EXPECT_EQ(c.mu, mu);
      ++seen[std::size_t(group.cell + k)];
    }
  }
  for (const int c : p.others) {
    EXPECT_TRUE(p.cells[std::size_t(c)].kind != BlockKind::cone || p.cells[std::size_t(c)].mu == 0);
    ++seen[std::size_t(c)];
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(ScaledProblem, IsTheProblemInUnitsOfItsRows) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const Problem problem = random_mix(0, dice);
    ScaledProblem p;
    p.assign(problem);
    expect_scaled(problem, p, dice);
    expect_grouped(p);
  }
}

// Many cells with few couplings, some of them cones and some of these without friction. Cells of one kind, and of two.
TEST(ScaledProblem, IsTheSameForSparseMatrices) {
  for (const bool rows_too : {false, true})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(seed);
      Dice dice(seed);
      Problem problem;
      std::vector<int> start{0};
      for (int i = 0; i < 40; ++i) {
        const int first = start.back();
        if (rows_too && dice.chance(0.5))
          problem.blocks.push_back({i % 2 ? BlockKind::nonnegative : BlockKind::free, first, 1, 0});
        else
          problem.blocks.push_back({BlockKind::cone, first, 3, dice.chance(0.2) ? 0 : dice.between(0.1, 1)});
        start.push_back(first + problem.blocks.back().size);
      }
      const int n = start.back();
      std::vector<Triplet> entries;  // each row is coupled to those of its block and of the next one
      for (std::size_t b = 0; b + 1 < start.size(); ++b)
        for (int i = start[b]; i < start[b + 1]; ++i)
          for (int j = start[b]; j < start[std::min(b + 2, start.size() - 1)]; ++j) {
            const double x = i == j ? dice.between(1, 50) : dice.near_zero(1);
            entries.push_back({i, j, x});
            if (j >= start[b + 1]) entries.push_back({j, i, x});
          }
      problem.M = Matrix::sparse(block_sparse(start, start, entries));
      problem.q = random_q(n, dice);
      ScaledProblem p;
      p.assign(problem);
      EXPECT_TRUE(p.sparse);
      expect_scaled(problem, p, dice);
      expect_grouped(p);
    }
}

}  // namespace
}  // namespace linchpin

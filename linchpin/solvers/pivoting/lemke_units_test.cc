#include "linchpin/solvers/pivoting/lemke_units.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/pivoting_testing.h"

namespace linchpin::lemke_detail {
namespace {

bool is_power_of_two(double x) { return x > 0 && std::ldexp(1.0, std::ilogb(x)) == x; }

using RunInUnits = Run;
RunInUnits in_units(const Problem& problem, LemkeWorkspace& ws) {
  RunInUnits run{problem, ws};
  run.n = problem.size();
  make_room(run);
  sort_rows(run, false, {});
  EXPECT_TRUE(load_matrix(run) && load_vectors(run));
  return run;
}

// M, q and the heights of boxes in units that are powers of two, exactly; the largest q is from 1 to 2. Where pairs
// have a reference that is not 0, q is that of z at the references.
void expect_exact_units(const RunInUnits& run) {
  const LemkeWorkspace& ws = run.ws;
  const Problem& p = run.problem;
  double most = 0;
  for (int i = 0; i < run.rows; ++i) {
    const int row = ws.order[i];
    const bool turned = !run.in_order && ws.sign[i] < 0;
    EXPECT_TRUE(is_power_of_two(turned ? -ws.row_scale[i] : ws.row_scale[i])) << i;
    EXPECT_TRUE(is_power_of_two(turned ? -ws.scale[i] : ws.scale[i])) << i;
    double q = p.q[row];
    for (int j = 0; j < run.rows; ++j)
      EXPECT_EQ(run.row(i)[j], ws.row_scale[i] * p.M.dense()[row * run.n + ws.order[j]] * ws.scale[j]);
    for (int j = 0; j < run.n && !run.in_order; ++j) q += p.M.dense()[row * run.n + j] * ws.reference[j];
    EXPECT_NEAR(ws.q[i] * run.unit, q * ws.row_scale[i], 1e-14 * run.unit) << i;
    most = larger(most, std::abs(ws.q[i]));
    if (run.bounded && i < run.pairs && std::isfinite(ws.height[i])) {
      EXPECT_NEAR(ws.height[i] * run.unit * std::abs(ws.scale[i]), p.upper[row] - p.lower[row], 1e-15) << i;
    }
  }
  EXPECT_TRUE(is_power_of_two(run.unit));
  EXPECT_GE(most, 1);
  EXPECT_LT(most, 2);
}

TEST(LemkeUnits, AreExact) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(20), {.box = seed % 2 == 0, .cone = false}, dice);
    const int n = layout.size;
    Square M = random_definite(n, dice);
    std::vector<double> unit = random_q(n, dice), q = random_q(n, dice);
    for (double& x : unit) x = std::pow(10, dice.near_zero(3));
    for (int i = 0; i < n; ++i) {
      q[std::size_t(i)] *= 100 * unit[std::size_t(i)];
      for (int j = 0; j < n; ++j) entry(M, n, i, j) *= unit[std::size_t(i)] * unit[std::size_t(j)];
    }
    const Problem problem = problem_of(layout, Matrix::dense(n, std::move(M)), std::move(q));
    LemkeWorkspace ws;
    const RunInUnits run = in_units(problem, ws);
    expect_exact_units(run);
    for (int i = 0; i < run.rows; ++i) EXPECT_TRUE(std::abs(run.row(i)[i]) >= 0.5 && std::abs(run.row(i)[i]) < 4) << i;
  }
}

// The diagonal is no measure of these rows: then the largest number of each row and column is from 1 to 4, with units
// of w of its own. More is not possible by powers of two whose halves are rounded down.
TEST(LemkeUnits, FollowRowsAndColumnsWhereTheDiagonalSaysNothing) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const int n = 2 + dice.below(18);
    Square M = zero_square(n);
    std::vector<double> of_row = random_q(n, dice), of_column = of_row;
    for (double& x : of_row) x = std::pow(10, dice.near_zero(4));
    for (double& x : of_column) x = std::pow(10, dice.near_zero(4));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        entry(M, n, i, j) = (i == j ? 1e-9 : dice.near_zero(1)) * of_row[std::size_t(i)] * of_column[std::size_t(j)];
    Problem problem = lcp(std::move(M), random_q(n, dice));
    if (seed % 2 == 0) problem.blocks = {{BlockKind::nonnegative, 0, n - 1, 0}, {BlockKind::free, n - 1, 1, 0}};
    LemkeWorkspace ws;
    const RunInUnits run = in_units(problem, ws);
    expect_exact_units(run);
    for (int i = 0; i < n; ++i) {
      double in_row = 0, in_column = 0;
      for (int j = 0; j < n; ++j) {
        in_row = larger(in_row, std::abs(run.row(i)[j]));
        in_column = larger(in_column, std::abs(run.row(j)[i]));
      }
      for (const double most : {in_row, in_column}) EXPECT_TRUE(most >= 1 && most < 4) << i << ": " << most;
    }
  }
}

}  // namespace
}  // namespace linchpin::lemke_detail

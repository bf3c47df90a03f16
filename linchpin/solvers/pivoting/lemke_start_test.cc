#include "linchpin/solvers/pivoting/lemke_start.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/solvers/pivoting/lemke_units.h"
#include "linchpin/solvers/pivoting_testing.h"

namespace linchpin::lemke_detail {
namespace {

using LemkeRun = Run;  // a test has a Run() of its own

// A run as lemke() begins it, in its units, with an empty set.
Run begin(const Problem& problem, LemkeWorkspace& ws) {
  Run run{problem, ws};
  run.n = problem.size();
  make_room(run);
  sort_rows(run, false, {});
  EXPECT_TRUE(load_matrix(run) && load_vectors(run));
  for (int i = 0; i < run.rows + 8; ++i) ws.basic[i] = i >= run.pairs && i < run.rows;
  for (int p = 0; p < run.pairs; ++p) ws.flipped[p] = 0;
  return run;
}

// (3) says the same as w = M z + q, for any values of the nonbasic variables: the largest difference in any row. In
// the units of the run; z0 is 0, and a pair that is flipped measures z down from its upper bound and w negated. Free
// rows have w = 0 and are not part of (3) any more: their z come from those of the pairs.
double difference_from_problem(const LemkeRun& run, Dice& dice) {
  const LemkeWorkspace& ws = run.ws;
  std::vector<double> of(std::size_t(run.z0()));  // values by variable of a pair
  for (int j = 0; j < run.spare(); ++j) of[ws.column_variable[j]] = dice.between(0, 1);
  for (int i = 0; i < run.pairs; ++i) {
    double x = run.column(run.b())[i];
    for (int j = 0; j < run.spare(); ++j) x += run.column(j)[i] * of[ws.column_variable[j]];
    of[ws.row_variable[i]] = x;
  }
  std::vector<double> z(std::size_t(run.rows)), w(std::size_t(run.rows));
  for (int p = 0; p < run.pairs; ++p) {
    z[p] = ws.flipped[p] ? ws.height[p] - of[2 * p] : of[2 * p];
    w[p] = ws.flipped[p] ? -of[2 * p + 1] : of[2 * p + 1];
  }
  const auto defect = [&](int i) {
    double sum = ws.q[i] - w[i];
    for (int j = 0; j < run.rows; ++j) sum += run.row(i)[j] * z[j];
    return sum;
  };
  if (run.frees > 0) {
    DenseLu lu;
    double* M = lu.matrix(run.frees);
    std::vector<double> z_free(std::size_t(lu.stride()));
    for (int k = 0; k < run.frees; ++k) {
      for (int l = 0; l < run.frees; ++l) M[k * lu.stride() + l] = run.row(run.pairs + k)[run.pairs + l];
      z_free[k] = -defect(run.pairs + k);
    }
    EXPECT_TRUE(lu.factor());
    lu.solve(z_free.data());
    std::copy_n(z_free.begin(), run.frees, z.begin() + run.pairs);
  }
  double worst = 0;
  for (int i = 0; i < run.rows; ++i) worst = larger(worst, std::abs(defect(i)));
  return worst;
}

// 1e-9: rounding, multiplied by some pivots of a few hundredths.
TEST(LemkeStart, TheTableauIsTheProblem) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const ProblemLayout layout = random_layout(2 + dice.below(22), {.free = seed % 3 == 0, .cone = false}, dice);
    const int n = layout.size;
    Square M = random_definite(n, dice);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.5;
    const Problem problem = problem_of(layout, Matrix::dense(n, std::move(M)), random_q(n, dice));
    LemkeWorkspace ws;
    LemkeRun run = begin(problem, ws);
    ASSERT_TRUE(make_tableau(run, false));
    EXPECT_LE(difference_from_problem(run, dice), 1e-9);
    for (int p = 0; p < run.pairs; ++p) {
      EXPECT_GE(ws.place[2 * p], 0) << "z of pair " << p << " is basic in the empty set";
      ws.basic[p] = dice.chance(0.5);
      ws.flipped[p] = run.bounded && ws.height[p] < infinity && dice.chance(0.3);
    }
    ASSERT_TRUE(make_tableau(run, true));
    EXPECT_LE(difference_from_problem(run, dice), 1e-9);
    for (int p = 0; p < run.pairs; ++p) {
      const int place = ws.place[2 * p];
      if (!run.bounded || ws.height[p] == infinity) {
        EXPECT_EQ(place < 0, ws.basic[p] != 0) << "pair " << p;
      } else if (place < 0) {  // within its box
        EXPECT_GE(run.column(run.b())[~place], -1e-9) << "pair " << p;
        EXPECT_LE(run.column(run.b())[~place], ws.height[p] + 1e-9) << "pair " << p;
      }
    }
  }
}

// Three boxes from 0 to 1 alone, all in the set: z = 5, -5 and 0.5. The first two go to the bound that they broke.
TEST(LemkeStart, WhatLeavesItsBoxGoesToTheBoundThatItBroke) {
  const Problem problem{
      Matrix::dense(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-5, 5, -0.5}, {{BlockKind::box, 0, 3, 0}}, {0, 0, 0}, {1, 1, 1}};
  LemkeWorkspace ws;
  LemkeRun run = begin(problem, ws);
  for (int p = 0; p < 3; ++p) ws.basic[p] = 1;
  ASSERT_TRUE(make_tableau(run, true));
  const bool basic[] = {false, false, true}, flipped[] = {true, false, false};
  for (int p = 0; p < 3; ++p) {
    EXPECT_EQ(ws.place[2 * p] < 0, basic[p]) << p;
    EXPECT_EQ(ws.basic[p] != 0, basic[p]) << p;
    EXPECT_EQ(ws.flipped[p] != 0, flipped[p]) << p;
  }
  const double* b = run.column(run.b());
  for (int p = 0; p < 3; ++p) EXPECT_GE(b[~ws.place[2 * p + (basic[p] ? 0 : 1)]], 0) << p;  // z or w, lawful
  Dice dice(1);
  EXPECT_LE(difference_from_problem(run, dice), 1e-15);
}

// Pairs 0 and 1 have no diagonal, and couplings of `size` both ways; larger ones to pairs outside of the set, 2 and 3,
// make the units 1. They enter together, unless the couplings could be rounding.
TEST(LemkeStart, PairsThatAreNearlyDependentStayOut) {
  for (const double size : {0.3, 1e-6, 1e-11, 1e-17}) {
    const Problem problem = lcp({0, size, 1, 0, -size, 0, 0, 1, -1, 0, 1, 0, 0, -1, 0, 1}, {-1, -1, -1, -1});
    LemkeWorkspace ws;
    LemkeRun run = begin(problem, ws);
    ws.basic[0] = ws.basic[1] = 1;
    ASSERT_TRUE(make_tableau(run, true));
    for (int p = 0; p < 4; ++p) {
      const bool basic = p < 2 && size > 1e-9;
      EXPECT_EQ(ws.place[2 * p] < 0, basic) << size << " " << p;
      EXPECT_EQ(ws.basic[p] != 0, basic) << size << " " << p;
    }
  }
}

}  // namespace
}  // namespace linchpin::lemke_detail

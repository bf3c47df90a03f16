#include "linchpin/solvers/dantzig.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/enumeration.h"
#include "linchpin/solvers/lemke.h"
#include "linchpin/solvers/testing.h"

namespace linchpin {
namespace {

// Answers are exact up to rounding of M z; z is up to some hundred times q in the singular problems below.
constexpr double tolerance = 1e-11;

constexpr BlockMix no_cones{.cone = false};

struct Answer {
  Outcome outcome;
  std::vector<double> z;
  Residual residual;
  bool solved() const { return outcome.stop == Stop::finished && residual.within(tolerance); }
};

Answer solve(const Problem& problem, DantzigWorkspace& ws, const std::vector<double>& guess = {}) {
  Answer answer;
  answer.z = guess.empty() ? std::vector<double>(problem.q.size(), std::nan("")) : guess;
  answer.outcome = dantzig(problem, {.warm_start = !guess.empty()}, ws, answer.z);
  ResidualWorkspace judge;
  answer.residual = residual(problem, answer.z, judge);
  return answer;
}
Answer solve(const Problem& problem, const std::vector<double>& guess = {}) {
  DantzigWorkspace ws;
  return solve(problem, ws, guess);
}

std::string show(const Answer& a) {
  return "stop " + std::string(name(a.outcome.stop)) + " after " + std::to_string(a.outcome.iterations) +
         " events, residual " + std::to_string(std::log10(a.residual.relative)) + " and " +
         std::to_string(std::log10(a.residual.plain_relative)) + " (powers of ten)";
}

Problem lcp(Square M, std::vector<double> q) {
  const int n = int(q.size());
  return linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q));
}

Square random_definite(int n, Dice& dice) {
  Square M = random_psd(n, n, dice);
  for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.01;
  if (dice.chance(0.5)) add_skew(M, n, 1, dice);
  return M;
}

TEST(Dantzig, SolvesTwoRowsByHand) {
  // w1 = 2 z1 + z2 - 5, w2 = z1 + 2 z2 - 6: both active, z = (4/3, 7/3).
  const Answer a = solve(lcp({2, 1, 1, 2}, {-5, -6}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_NEAR(a.z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.z[1], 7.0 / 3, 1e-15);
}

TEST(Dantzig, KeepsZAtZeroWhereQIsNotNegative) {
  const Answer a = solve(lcp({2, 1, 1, 2}, {0, 3}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_EQ(a.z, (std::vector<double>{0, 0}));
  EXPECT_EQ(a.outcome.iterations, 0);
}

TEST(Dantzig, TakesAProblemWithoutRows) { EXPECT_EQ(solve(Problem{}).outcome.stop, Stop::finished); }

TEST(Dantzig, RefusesCones) {
  const Problem problem = contact_problem(separate_boxes_scene(1, 1), Matrix::Kind::dense);
  DantzigWorkspace ws;
  std::vector<double> z(problem.q.size());
  EXPECT_THROW(dantzig(problem, {}, ws, z), CheckFailed);
}

TEST(Dantzig, FindsTheOneSolutionOfDefiniteMatrices) {
  EnumerationWorkspace all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(9);
    Square M = random_definite(n, dice);
    const Problem problem = lcp(std::move(M), seed % 3 == 0 ? tied_q(n, dice) : random_q(n, dice));
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    std::vector<double> z(problem.q.size());
    ASSERT_EQ(enumeration(problem, {}, all, z).stop, Stop::finished) << "seed " << seed;
    for (int i = 0; i < n; ++i)  // a condition number of some hundred
      EXPECT_NEAR(a.z[i], z[i], 1e-10 * (1 + std::abs(z[i]))) << "seed " << seed << " row " << i;
  }
}

// Semidefinite matrices of any rank: solves what has a solution, and calls nothing solved that has none.
TEST(Dantzig, SolvesSemidefinite) {
  LemkeWorkspace lemke_ws;
  int solved = 0, rays = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(12);
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    const Problem problem = lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    const Answer a = solve(problem);
    std::vector<double> z(problem.q.size());
    const Stop truth = lemke(problem, {}, lemke_ws, z).stop;
    if (truth == Stop::finished) {
      EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
      ++solved;
    } else {
      EXPECT_EQ(a.outcome.stop, Stop::ray) << "seed " << seed << " n " << n << " " << show(a);
      EXPECT_FALSE(a.residual.within(1e-8)) << "seed " << seed;
      ++rays;
    }
  }
  EXPECT_GE(solved, 100);
  EXPECT_GE(rays, 100);
}

// Free, nonnegative and box rows in any mix, semidefinite and singular, with a solution planted and many ties.
TEST(Dantzig, SolvesMixesOfBlocks) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(25), no_cones, dice);
    const int n = layout.size;
    Square M = seed % 3 == 0   ? random_integer_psd(n, dice)
               : seed % 3 == 1 ? random_psd(n, 1 + dice.below(n), dice)
                               : random_psd(n, n, dice);
    if (seed % 2 == 0 && seed % 3 == 2) add_skew(M, n, 1, dice);
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice).problem;
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

// Contacts whose friction is bounded by a given force in each tangent direction, as engines with boxed friction have
// them: redundant normals and all.
Problem boxed_friction(const Problem& conic, Dice& dice) {
  Problem problem = conic;
  problem.blocks.clear();
  problem.lower.assign(problem.q.size(), 0);
  problem.upper.assign(problem.q.size(), 0);
  for (const Block& block : conic.blocks) {
    problem.blocks.push_back({BlockKind::nonnegative, block.start, 1, 0});
    problem.blocks.push_back({BlockKind::box, block.start + 1, 2, 0});
    const double bound = block.mu * dice.between(0, 0.1);
    for (int i = 1; i < 3; ++i) {
      problem.lower[std::size_t(block.start + i)] = -bound;
      problem.upper[std::size_t(block.start + i)] = bound;
    }
  }
  return problem;
}

TEST(Dantzig, SolvesContactsWithBoxedFriction) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const Problem problem = boxed_friction(contact_problem(random_scene(dice), Matrix::Kind::dense), dice);
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << problem.size() << " " << show(a);
  }
}

// From the solution's own set nothing happens, but where the set is not to be seen in z, as some z inside are 0 or at a
// bound to the last digit.
TEST(Dantzig, WarmStartFromTheSolutionTakesHardlyAnEvent) {
  int cold_events = 0, warm_events = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Problem problem = boxed_friction(contact_problem(random_scene(dice), Matrix::Kind::dense), dice);
    const Answer cold = solve(problem), warm = solve(problem, cold.z);
    ASSERT_TRUE(cold.solved()) << "seed " << seed << " " << show(cold);
    EXPECT_TRUE(warm.solved()) << "seed " << seed << " " << show(warm);
    cold_events += cold.outcome.iterations;
    warm_events += warm.outcome.iterations;
  }
  EXPECT_LE(50 * warm_events, cold_events);
}

TEST(Dantzig, AnyWarmStartGivesASolution) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(20), no_cones, dice);
    const int n = layout.size;
    Square M = random_psd(n, 1 + dice.below(n), dice);
    const Planted planted = plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice);
    std::vector<double> guess = planted.z;
    for (double& x : guess)
      if (dice.chance(0.3)) x = dice.near_zero(1);
    const Answer a = solve(planted.problem, guess);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

TEST(Dantzig, OrderAndUnitsDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(15), no_cones, dice);
    const int n = layout.size;
    const Problem problem = plant(layout, Matrix::dense(n, random_definite(n, dice)), 0.2, dice).problem;
    const int blocks = int(problem.blocks.size());
    const Answer a = solve(permuted(problem, random_order(blocks, dice)));
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    std::vector<double> units(static_cast<std::size_t>(blocks));
    for (double& unit : units) unit = std::pow(10, dice.near_zero(3));
    // The plain figure depends on units: only the scaled one, which does not, can be asked for.
    const Answer b = solve(rescaled(problem, units));
    EXPECT_EQ(b.outcome.stop, Stop::finished) << "seed " << seed;
    EXPECT_LE(b.residual.relative, tolerance) << "seed " << seed << " " << show(b);
  }
}

TEST(Dantzig, AnswerDoesNotDependOnTheWorkspace) {
  DantzigWorkspace used;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(30), no_cones, dice);
    const int n = layout.size;
    const Problem problem = plant(layout, Matrix::dense(n, random_definite(n, dice)), 0.2, dice).problem;
    const Answer a = solve(problem, used), b = solve(problem);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    for (AlignedArray<double>* numbers : {&used.columns, &used.inverse, &used.scale, &used.q, &used.lower, &used.upper,
                                          &used.z, &used.w, &used.dz, &used.dw, &used.u, &used.v, &used.gathered})
      for (double& x : *numbers) x = std::nan("");
  }
}

TEST(Dantzig, MatrixKindsGiveTheSame) {
  const Problem dense = lcp({2, 1, 1, 2}, {-5, -6});
  EXPECT_EQ(solve(dense).z, solve(with_matrix(dense, Matrix::Kind::block_sparse)).z);
}

TEST(Dantzig, RedundantEqualities) {
  const Square M{2, 2, 1, 2, 2, 1, 1, 1, 3};
  Problem problem{
      Matrix::dense(3, M), {-2, -2, -4}, {{BlockKind::free, 0, 2, 0}, {BlockKind::nonnegative, 2, 1, 0}}, {}, {}};
  EXPECT_TRUE(solve(problem).solved()) << show(solve(problem));
  problem.q[1] = -3;  // now they contradict each other
  EXPECT_EQ(solve(problem).outcome.stop, Stop::ray);
}

}  // namespace
}  // namespace linchpin

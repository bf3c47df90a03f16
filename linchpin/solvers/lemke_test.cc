#include "linchpin/solvers/lemke.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/certificate.h"
#include "linchpin/solvers/enumeration.h"
#include "linchpin/solvers/polyhedral.h"
#include "linchpin/solvers/testing.h"

namespace linchpin {
namespace {

// Lemke's answers are exact up to rounding of M z. Of contacts with a mass ratio of 1000 some z are 1e4 times q in the
// judge's units, and rounding is then 1e4 epsilon times a few; all others stay far below.
constexpr double tolerance = 1e-11;

constexpr BlockMix no_cones{.cone = false};

struct Answer {
  Outcome outcome;
  std::vector<double> z, ray;
  Residual residual;
  bool solved() const { return outcome.stop == Stop::finished && residual.within(tolerance); }
};

Answer solve(const Problem& problem, LemkeWorkspace& ws, const std::vector<double>& guess = {}) {
  Answer answer;
  answer.z = guess.empty() ? std::vector<double>(problem.q.size(), std::nan("")) : guess;
  answer.outcome = lemke(problem, {.warm_start = !guess.empty()}, ws, answer.z);
  answer.ray = ws.ray;
  ResidualWorkspace judge;
  answer.residual = residual(problem, answer.z, judge);
  return answer;
}
Answer solve(const Problem& problem, const std::vector<double>& guess = {}) {
  LemkeWorkspace ws;
  return solve(problem, ws, guess);
}

std::string show(const Answer& a) {
  return "stop " + std::string(name(a.outcome.stop)) + " after " + std::to_string(a.outcome.iterations) +
         " pivots, residual " + std::to_string(std::log10(a.residual.relative)) + " and " +
         std::to_string(std::log10(a.residual.plain_relative)) + " (powers of ten)";
}

Problem random_lcp(Square M, std::vector<double> q) {
  const int n = int(q.size());
  return linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q));
}

TEST(Lemke, SolvesTwoRowsByHand) {
  // w1 = 2 z1 + z2 - 5, w2 = z1 + 2 z2 - 6: both active, z = (4/3, 7/3).
  const Answer a = solve(random_lcp({2, 1, 1, 2}, {-5, -6}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_NEAR(a.z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.z[1], 7.0 / 3, 1e-15);
}

TEST(Lemke, KeepsZAtZeroWhereQIsNotNegative) {
  const Answer a = solve(random_lcp({2, 1, 1, 2}, {0, 3}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_EQ(a.z, (std::vector<double>{0, 0}));
  EXPECT_EQ(a.outcome.iterations, 0);
}

TEST(Lemke, TakesAProblemWithoutRows) { EXPECT_EQ(solve(Problem{}).outcome.stop, Stop::finished); }

TEST(Lemke, RefusesCones) {
  const Problem problem = contact_problem(separate_boxes_scene(1, 1), Matrix::Kind::dense);
  LemkeWorkspace ws;
  std::vector<double> z(problem.q.size());
  EXPECT_THROW(lemke(problem, {}, ws, z), CheckFailed);
}

TEST(Lemke, FindsTheOneSolutionOfPMatrices) {
  EnumerationWorkspace all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(9);
    Square M = random_p(n, dice);
    const Problem problem = random_lcp(std::move(M), seed % 3 == 0 ? tied_q(n, dice) : random_q(n, dice));
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    std::vector<double> z(problem.q.size());
    ASSERT_EQ(enumeration(problem, {}, all, z).stop, Stop::finished) << "seed " << seed;
    for (int i = 0; i < n; ++i)  // 1e-8: rows of very different size make some of these badly conditioned
      EXPECT_NEAR(a.z[i], z[i], 1e-8 * (1 + std::abs(z[i]))) << "seed " << seed << " row " << i;
  }
}

// Semidefinite matrices of any rank, with q of any kind: Lemke solves what has a solution and proves the rest to have
// none.
TEST(Lemke, SolvesOrDisprovesSemidefinite) {
  EnumerationWorkspace all;
  int solved = 0, disproved = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(8);
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    if (seed % 5 == 0) add_skew(M, n, 1, dice);
    const Problem problem = random_lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    const Answer a = solve(problem);
    std::vector<double> z(problem.q.size());
    const Stop truth = enumeration(problem, {}, all, z).stop;
    if (a.solved()) {
      ++solved;
    } else {
      EXPECT_EQ(a.outcome.stop, Stop::ray) << "seed " << seed << " " << show(a);
      EXPECT_EQ(truth, Stop::exhausted) << "seed " << seed << ": there is a solution";
      ASSERT_EQ(a.ray.size(), problem.q.size());
      EXPECT_TRUE(certifies_unsolvable(problem, a.ray)) << "seed " << seed;
      ++disproved;
    }
  }
  EXPECT_GE(solved, 150);
  EXPECT_GE(disproved, 100);
}

// The same with equalities among the rows.
TEST(Lemke, SolvesOrDisprovesWithEqualities) {
  EnumerationWorkspace all;
  int solved = 0, disproved = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(8), {.box = false, .cone = false}, dice);
    const int n = layout.size;
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    const Problem problem = problem_of(layout, Matrix::dense(n, std::move(M)), tied_q(n, dice));
    const Answer a = solve(problem);
    std::vector<double> z(problem.q.size());
    const Stop truth = enumeration(problem, {}, all, z).stop;
    if (a.solved()) {
      ++solved;
    } else {
      EXPECT_EQ(a.outcome.stop, Stop::ray) << "seed " << seed << " " << show(a);
      EXPECT_EQ(truth, Stop::exhausted) << "seed " << seed << ": there is a solution";
      ASSERT_EQ(a.ray.size(), problem.q.size());
      EXPECT_TRUE(certifies_unsolvable(problem, a.ray)) << "seed " << seed;
      ++disproved;
    }
  }
  EXPECT_GE(solved, 100);
  EXPECT_GE(disproved, 100);
}

// Quadratic programmes with equalities, as control has them: M = [Q -A'; A 0] with multipliers free, so that the free
// rows have no pivots among themselves.
TEST(Lemke, SolvesSaddlePoints) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const int unknowns = 2 + dice.below(12), equalities = 1 + dice.below(unknowns - 1), n = unknowns + equalities;
    Square Q = random_psd(unknowns, 1 + dice.below(unknowns), dice), M = zero_square(n);
    for (int i = 0; i < unknowns; ++i) {
      for (int j = 0; j < unknowns; ++j) entry(M, n, i, j) = entry(Q, unknowns, i, j);
      for (int j = unknowns; j < n; ++j) entry(M, n, i, j) = -(entry(M, n, j, i) = dice.near_zero(1));
    }
    BlockLayout layout;
    layout.blocks = {{BlockKind::nonnegative, 0, unknowns, 0}, {BlockKind::free, unknowns, equalities, 0}};
    layout.size = n;
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.2, dice).problem;
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

// Without a rule for ties, Lemke goes around in circles here for ever [Kostreva 1979]; and so with boxes too wide to
// matter.
TEST(Lemke, DoesNotCycle) {
  Problem problem = random_lcp({1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1});
  const Answer a = solve(problem);
  EXPECT_TRUE(a.solved()) << show(a);
  EXPECT_LE(a.outcome.iterations, 8);
  problem.blocks[0].kind = BlockKind::box;
  problem.lower.assign(3, 0);
  problem.upper.assign(3, 100);
  const Answer b = solve(problem);
  EXPECT_TRUE(b.solved()) << show(b);
  EXPECT_EQ(b.outcome.iterations, a.outcome.iterations);
}

// The last digits come from the problem's own numbers. M is a hundred times more skew than definite here, which
// multiplies errors in every pivot.
TEST(Lemke, RefinesTheLastDigits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    const int n = 40;
    Square M = zero_square(n);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = 0.02;
    add_skew(M, n, 1, dice);
    BlockLayout layout;
    layout.blocks = {{BlockKind::nonnegative, 0, n, 0}};
    layout.size = n;
    const Answer a = solve(plant(layout, Matrix::dense(n, std::move(M)), 0, dice).problem);
    EXPECT_TRUE(a.residual.within(1e-14)) << "seed " << seed << " " << show(a);
  }
}

TEST(Lemke, SolvesStrictlyCopositive) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(30);
    Square M = random_copositive(n, true, dice);
    const Problem problem = random_lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

// Free, nonnegative and box rows in any mix, semidefinite and singular, with a solution planted and many ties.
TEST(Lemke, SolvesMixesOfBlocks) {
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

// A box of given width is the nonnegative problem with a row more for each: w + v >= 0 against z, u - z >= 0 against v.
TEST(Lemke, BoxesAreSplitRows) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(12);
    Square M = random_p(n, dice), split = zero_square(2 * n);
    const std::vector<double> q = random_q(n, dice);
    Problem box{Matrix::dense(n, M), q, {{BlockKind::box, 0, n, 0}}, std::vector<double>(std::size_t(n), 0.0), {}};
    std::vector<double> q2(std::size_t(2 * n));
    for (int i = 0; i < n; ++i) {
      box.upper.push_back(dice.between(0.05, 0.5));
      q2[std::size_t(i)] = q[std::size_t(i)];
      q2[std::size_t(n + i)] = box.upper.back();
      entry(split, 2 * n, i, n + i) = 1;
      entry(split, 2 * n, n + i, i) = -1;
      for (int j = 0; j < n; ++j) entry(split, 2 * n, i, j) = entry(M, n, i, j);
    }
    const Answer a = solve(box), b = solve(random_lcp(std::move(split), std::move(q2)));
    ASSERT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    ASSERT_TRUE(b.solved()) << "seed " << seed << " " << show(b);
    for (std::size_t i = 0; i < std::size_t(n); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-9) << "seed " << seed;
  }
}

TEST(Lemke, SolvesContacts) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const Problem conic = contact_problem(random_scene(dice), Matrix::Kind::dense);
    const Problem problem = polyhedral(conic, 4 + 2 * dice.below(3)).problem;
    const Answer a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << problem.size() << " " << show(a);
  }
}

TEST(Lemke, WarmStartFromTheSolutionTakesNoPivot) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Problem problem = polyhedral(contact_problem(random_scene(dice), Matrix::Kind::dense), 4).problem;
    const Answer cold = solve(problem), warm = solve(problem, cold.z);
    ASSERT_TRUE(cold.solved()) << "seed " << seed << " " << show(cold);
    EXPECT_TRUE(warm.solved()) << "seed " << seed << " " << show(warm);
    EXPECT_EQ(warm.outcome.iterations, 0) << "seed " << seed;
  }
}

// Of the next step of the scene, of a solution of another problem, and of numbers that mean nothing.
TEST(Lemke, AnyWarmStartGivesASolution) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const ContactScene scene = random_scene(dice);
    const Problem conic = contact_problem(scene, Matrix::Kind::dense);
    const Polyhedral now = polyhedral(conic, 4);
    const Answer cold = solve(now.problem);
    std::vector<double> impulses(conic.q.size()), nonsense(cold.z.size());
    to_conic(conic, now, cold.z, impulses);
    const Problem next = polyhedral(contact_problem(after_step(scene, impulses), Matrix::Kind::dense), 4).problem;
    for (double& x : nonsense) x = dice.chance(0.5) ? dice.near_zero(1) : 0;
    for (const std::vector<double>& guess : {cold.z, nonsense}) {
      const Answer a = solve(next, guess);
      EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << next.size() << " " << show(a);
    }
  }
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
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

TEST(Lemke, OrderAndUnitsDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(15), no_cones, dice);
    const int n = layout.size;
    Square M = random_psd(n, n, dice);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.01;
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.2, dice).problem;
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

TEST(Lemke, AnswerDoesNotDependOnTheWorkspace) {
  LemkeWorkspace used;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(30), no_cones, dice);
    const int n = layout.size;
    Square M = random_psd(n, n, dice);
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.2, dice).problem;
    const Answer a = solve(problem, used), b = solve(problem);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    for (AlignedArray<double>* numbers :
         {&used.matrix, &used.tableau, &used.factor, &used.basic, &used.sign, &used.scale, &used.row_scale,
          &used.reference, &used.q, &used.height, &used.row_height, &used.x, &used.w, &used.ratio, &used.solved,
          &used.best, &used.saved})
      for (double& x : *numbers) x = std::nan("");
  }
}

TEST(Lemke, MatrixKindsGiveTheSame) {
  Dice dice(1);
  const Problem dense = polyhedral(contact_problem(stack_of_boxes_scene(2, 1), Matrix::Kind::dense), 4).problem;
  const Answer a = solve(dense), b = solve(with_matrix(dense, Matrix::Kind::block_sparse));
  EXPECT_TRUE(a.solved());
  EXPECT_EQ(a.z, b.z);
}

TEST(Lemke, RedundantEqualities) {
  // The same equality twice, and a bounded row that it couples to.
  const Square M{2, 2, 1, 2, 2, 1, 1, 1, 3};
  Problem problem{
      Matrix::dense(3, M), {-2, -2, -4}, {{BlockKind::free, 0, 2, 0}, {BlockKind::nonnegative, 2, 1, 0}}, {}, {}};
  EXPECT_TRUE(solve(problem).solved()) << show(solve(problem));
  problem.q[1] = -3;  // now they contradict each other
  const Answer a = solve(problem);
  EXPECT_EQ(a.outcome.stop, Stop::ray);
  ASSERT_EQ(a.ray.size(), 3u);
  EXPECT_TRUE(certifies_unsolvable(problem, a.ray));
}

TEST(Lemke, EqualityThatOnlyAPairCanMeet) {
  // z2 = 3 from the free row, z1 from the other: M_ff = 0 has no pivot of its own.
  const Problem problem{Matrix::dense(2, {0, 1, -1, 0}),
                        {-3, 1},
                        {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}},
                        {},
                        {}};
  const Answer a = solve(problem);
  EXPECT_TRUE(a.solved()) << show(a);
  EXPECT_NEAR(a.z[0], 1, 1e-15);
  EXPECT_NEAR(a.z[1], 3, 1e-15);
}

TEST(Certificate, IsNotEasilyConvinced) {
  // w = -1 whatever z is.
  const Problem none = random_lcp({0}, {-1});
  EXPECT_TRUE(certifies_unsolvable(none, std::vector<double>{1}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{-1}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{0}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{std::nan("")}));
  EXPECT_THROW(certifies_unsolvable(none, std::vector<double>{1, 1}), CheckFailed);
  // A tiny number is a number: z = 1e30 solves this.
  EXPECT_FALSE(certifies_unsolvable(random_lcp({1e-30}, {-1}), std::vector<double>{1}));
  // Just not negative enough to be more than rounding.
  const Problem barely = random_lcp({1, -1, -1, 1}, {-1, 1 - 1e-15});
  EXPECT_FALSE(certifies_unsolvable(barely, std::vector<double>{1, 1}));
  const Problem clearly = random_lcp({1, -1, -1, 1}, {-1, 1 - 1e-9});
  EXPECT_TRUE(certifies_unsolvable(clearly, std::vector<double>{1, 1}));
}

TEST(Certificate, KnowsBoxesAndCones) {
  // w1 = z2 - 3 >= 0 with z2 in [0, 2]: impossible; in [0, 4] it is not.
  Problem problem{Matrix::dense(2, {0, 1, -1, 0}),
                  {-3, 0},
                  {{BlockKind::nonnegative, 0, 1, 0}, {BlockKind::box, 1, 1, 0}},
                  {0, 0},
                  {0, 2}};
  EXPECT_TRUE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 1}));
  problem.upper[1] = 4;
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  problem.upper[1] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  // A cone whose normal is pushed apart by its own tangents and nothing else, with friction too weak and strong enough.
  Problem cone{Matrix::dense(3, {-1, 2, 0, 0, 1, 0, 0, 0, 1}), {-1, 0, 0}, {{BlockKind::cone, 0, 3, 0.4}}, {}, {}};
  EXPECT_TRUE(certifies_unsolvable(cone, std::vector<double>{1, 0, 0}));
  cone.blocks[0].mu = 0.6;
  EXPECT_FALSE(certifies_unsolvable(cone, std::vector<double>{1, 0, 0}));
}

// No y may be found to prove that a problem with a planted solution has none.
TEST(Certificate, NeverContradictsASolution) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(8), {}, dice);
    const int n = layout.size;
    Square M = random_integer_psd(n, dice);
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.5, dice).problem;
    for (int t = 0; t < 50; ++t) {
      std::vector<double> y(static_cast<std::size_t>(n));
      for (double& x : y) x = dice.below(3) - (dice.chance(0.5) ? 1 : 0);
      EXPECT_FALSE(certifies_unsolvable(problem, y)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace linchpin

#include "linchpin/solvers/pivoting/dantzig.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting_testing.h"

namespace linchpin {
namespace {

const ByDantzig by_dantzig;

// 1e-10: a condition number of some hundred.
TEST(Dantzig, FindsTheOneSolutionOfDefiniteMatrices) { expect_the_one_solution(by_dantzig, random_definite, 1e-10); }

// Semidefinite matrices of any rank: solves what has a solution, and calls nothing solved that has none.
TEST(Dantzig, SolvesSemidefinite) {
  LemkeWorkspace lemke_ws;
  int solved = 0, rays = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(12);
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    const Problem problem = lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    const Pivoted a = by_dantzig(problem);
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
      problem.lower[block.start + i] = -bound;
      problem.upper[block.start + i] = bound;
    }
  }
  return problem;
}

TEST(Dantzig, SolvesContactsWithBoxedFriction) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const Problem problem = boxed_friction(contact_problem(random_scene(dice), Matrix::Kind::dense), dice);
    const Pivoted a = by_dantzig(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << problem.size() << " " << show(a);
  }
}

// A warm start from the solution takes no event, unless its active set is not visible in z because a z inside is
// exactly 0 or at a bound.
TEST(Dantzig, WarmStartFromTheSolutionTakesHardlyAnEvent) {
  int cold_events = 0, warm_events = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Problem problem = boxed_friction(contact_problem(random_scene(dice), Matrix::Kind::dense), dice);
    const Pivoted cold = by_dantzig(problem), warm = by_dantzig(problem, cold.z);
    ASSERT_TRUE(cold.solved()) << "seed " << seed << " " << show(cold);
    EXPECT_TRUE(warm.solved()) << "seed " << seed << " " << show(warm);
    cold_events += cold.outcome.iterations;
    warm_events += warm.outcome.iterations;
  }
  EXPECT_LE(50 * warm_events, cold_events);
}

// Boxes with both bounds, one or none, of any sign: M is definite, so there is one solution, which lemke finds too.
// 1e-9: condition numbers of some thousand. From nothing and from a guess beyond some of the bounds.
TEST(Dantzig, AgreesWithLemkeOnAllKindsOfBoxes) {
  const ByLemke by_lemke;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(20);
    Square M = random_psd(n, n, dice);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.1;
    Problem p{Matrix::dense(n, std::move(M)), random_q(n, dice), {{BlockKind::box, 0, n, 0}}, {}, {}};
    std::vector<double> guess;
    for (int i = 0; i < n; ++i) {
      const double l = dice.near_zero(1), width = dice.chance(0.2) ? 0 : dice.between(0, 1);
      p.lower.push_back(dice.chance(0.4) ? -INFINITY : l);
      p.upper.push_back(dice.chance(0.4) ? INFINITY : l + width);
      guess.push_back(dice.near_zero(1.5));
    }
    const Pivoted exact = by_lemke(p), cold = by_dantzig(p), warm = by_dantzig(p, guess);
    EXPECT_TRUE(exact.solved() && cold.solved() && warm.solved())
        << "seed " << seed << " " << show(exact) << " " << show(cold) << " " << show(warm);
    for (std::size_t i = 0; i < exact.z.size(); ++i) {
      EXPECT_NEAR(cold.z[i], exact.z[i], 1e-9) << "seed " << seed << " row " << i;
      EXPECT_NEAR(warm.z[i], exact.z[i], 1e-9) << "seed " << seed << " row " << i;
    }
    const Pivoted again = by_dantzig(p, exact.z);
    EXPECT_TRUE(again.solved()) << "seed " << seed << " " << show(again);
    EXPECT_EQ(again.outcome.iterations, 0) << "seed " << seed;
  }
}

// Rows alone, 2 z + q against a box: those that end at a bound start there, by the sign of q or since there is no other
// bound, and take no event; the others take one each.
TEST(Dantzig, StartsAtTheBoundThatQSuggests) {
  struct Row {
    double q, lower, upper, z;
  };
  const Row at_bound[] = {{-5, -1, 1, 1},         {5, -1, 1, -1},        {-5, -INFINITY, 1, 1},
                          {1, -INFINITY, -1, -1}, {5, -1, INFINITY, -1}, {-1, 1, INFINITY, 1}};
  const Row inside[] = {{-1, -1, 1, 0.5}, {1, -INFINITY, 1, -0.5}, {-5, -1, INFINITY, 2.5}, {4, -INFINITY, -1, -2}};
  Problem all;
  const auto add = [](Problem& p, const Row& row) {
    p.q.push_back(row.q);
    p.lower.push_back(row.lower);
    p.upper.push_back(row.upper);
    const int n = int(p.q.size());
    Square M = zero_square(n);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = 2;
    p.M = Matrix::dense(n, std::move(M));
    p.blocks = {{BlockKind::box, 0, n, 0}};
  };
  const auto expect = [](const Problem& p, int events) {
    const Pivoted a = by_dantzig(p);
    EXPECT_TRUE(a.solved()) << show(a);
    EXPECT_EQ(a.outcome.iterations, events);
    return a.z;
  };
  std::vector<double> z;
  for (const Row& row : at_bound) {
    add(all, row);
    z.push_back(row.z);
    EXPECT_EQ(expect(all, 0), z);
  }
  int events = 0;
  for (const Row& row : inside) {
    add(all, row);
    z.push_back(row.z);
    EXPECT_EQ(expect(all, ++events), z);
  }
}

// The last digits come from the problem's own numbers. M has the condition number 1e7 or 1e9, so that updates of the
// inverse lose as many digits; half of its rank is the small part. 1e-14: rounding of sums of 40 numbers.
TEST(Dantzig, RefinesTheLastDigits) {
  for (const double smallest : {1e-6, 2e-8})
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Dice dice(seed);
      const int n = 40;
      Square M = random_psd(n, n / 2, dice);
      for (int i = 0; i < n; ++i) entry(M, n, i, i) += smallest;
      ProblemLayout layout;
      layout.blocks = {{BlockKind::nonnegative, 0, n, 0}};
      layout.size = n;
      const Pivoted a = by_dantzig(plant(layout, Matrix::dense(n, std::move(M)), 0, dice).problem);
      EXPECT_TRUE(a.residual.within(1e-14)) << "seed " << seed << " " << show(a);
    }
}

TEST(Dantzig, MatrixKindsGiveTheSame) {
  const Problem dense = lcp({2, 1, 1, 2}, {-5, -6});
  EXPECT_EQ(by_dantzig(dense).z, by_dantzig(with_matrix(dense, Matrix::Kind::block_sparse)).z);
}

// w = -z - 1 falls as z grows, and nothing stops it: there is no event, and a cold start is not tried again. A warm
// start that fails is followed by a cold one.
TEST(Dantzig, TriesTheColdStartOnce) {
  const Problem none = lcp({-1}, {-1});
  const Pivoted cold = by_dantzig(none), warm = by_dantzig(none, {3.0});
  EXPECT_EQ(cold.outcome.stop, Stop::stalled);
  EXPECT_LE(cold.outcome.iterations, 1);
  EXPECT_EQ(warm.outcome.stop, Stop::stalled);
  EXPECT_LE(warm.outcome.iterations, 2);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/solvers/pivoting/lemke.h"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting_testing.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {
namespace {

const ByLemke by_lemke;

// 1e-8: rows of very different size make some of these badly conditioned.
TEST(Lemke, FindsTheOneSolutionOfPMatrices) { expect_the_one_solution(by_lemke, random_p, 1e-8); }

// Each problem is solved, or proved to have no solution where enumeration finds none. Rounded numbers (`exact` false)
// make M only nearly singular, so there may be a solution far away: at least none nearby.
struct Verdicts {
  int solved = 0, disproved = 0, disproved_exactly = 0;
  EnumerationWorkspace all;

  void expect_one(const Problem& problem, bool exact, std::uint64_t seed) {
    Pivoted a = by_lemke(problem);
    if (a.solved()) {
      ++solved;
      return;
    }
    std::vector<double> z(problem.q.size());
    EXPECT_EQ(a.outcome.stop, Stop::ray) << "seed " << seed << " " << show(a);
    EXPECT_EQ(enumeration(problem, {}, all, z).stop, Stop::exhausted) << "seed " << seed << ": there is a solution";
    ASSERT_EQ(a.ray.size(), problem.q.size());
    EXPECT_GE(radius_without_solution(problem, a.ray), 1e10) << "seed " << seed;
    if (exact && round_to_integers(a.ray)) {
      EXPECT_TRUE(certifies_unsolvable(problem, a.ray)) << "seed " << seed;
      ++disproved_exactly;
    }
    ++disproved;
  }
};

// Semidefinite matrices of any rank, with q of any kind: Lemke solves what has a solution and proves the rest to have
// none.
TEST(Lemke, SolvesOrDisprovesSemidefinite) {
  Verdicts verdicts;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(8);
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    if (seed % 5 == 0) add_skew(M, n, 1, dice);
    const Problem problem = lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    verdicts.expect_one(problem, seed % 2 == 0 && seed % 5 != 0, seed);
  }
  EXPECT_GE(verdicts.solved, 150);
  EXPECT_GE(verdicts.disproved, 100);
  EXPECT_GE(verdicts.disproved_exactly, 50);
}

// The same with equalities among the rows.
TEST(Lemke, SolvesOrDisprovesWithEqualities) {
  Verdicts verdicts;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(8), {.box = false, .cone = false}, dice);
    const int n = layout.size;
    Square M = seed % 2 ? random_psd(n, 1 + dice.below(n), dice) : random_integer_psd(n, dice);
    const Problem problem = problem_of(layout, Matrix::dense(n, std::move(M)), tied_q(n, dice));
    verdicts.expect_one(problem, seed % 2 == 0, seed);
  }
  EXPECT_GE(verdicts.solved, 100);
  EXPECT_GE(verdicts.disproved, 100);
  EXPECT_GE(verdicts.disproved_exactly, 50);
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
    ProblemLayout layout;
    layout.blocks = {{BlockKind::nonnegative, 0, unknowns, 0}, {BlockKind::free, unknowns, equalities, 0}};
    layout.size = n;
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.2, dice).problem;
    const Pivoted a = by_lemke(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

// Without a rule for ties Lemke's method cycles here [Kostreva 1979]; also with boxes too wide to matter.
TEST(Lemke, DoesNotCycle) {
  Problem problem = lcp({1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1});
  const Pivoted a = by_lemke(problem);
  EXPECT_TRUE(a.solved()) << show(a);
  EXPECT_LE(a.outcome.iterations, 8);
  problem.blocks[0].kind = BlockKind::box;
  problem.lower.assign(3, 0);
  problem.upper.assign(3, 100);
  const Pivoted b = by_lemke(problem);
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
    ProblemLayout layout;
    layout.blocks = {{BlockKind::nonnegative, 0, n, 0}};
    layout.size = n;
    Problem p = plant(layout, Matrix::dense(n, std::move(M)), 0, dice).problem;
    const Pivoted a = by_lemke(p);
    EXPECT_TRUE(a.residual.within(1e-14)) << "seed " << seed << " " << show(a);
    for (std::size_t i = 0; i < p.q.size(); ++i) {  // and with all z above 0
      p.q[i] = 0;
      for (std::size_t j = 0; j < p.q.size(); ++j) p.q[i] -= p.M.dense()[i * p.q.size() + j] * (1 + 0.01 * double(j));
    }
    const Pivoted b = by_lemke(p);
    EXPECT_TRUE(b.residual.within(1e-14)) << "seed " << seed << " " << show(b);
  }
}

TEST(Lemke, SolvesStrictlyCopositive) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(30);
    Square M = random_copositive(n, true, dice);
    const Problem problem = lcp(std::move(M), dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice));
    const Pivoted a = by_lemke(problem);
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
    Problem box{Matrix::dense(n, M), q, {{BlockKind::box, 0, n, 0}}, std::vector<double>(n, 0.0), {}};
    std::vector<double> q2(2 * n);
    for (int i = 0; i < n; ++i) {
      box.upper.push_back(dice.between(0.05, 0.5));
      q2[i] = q[i];
      q2[n + i] = box.upper.back();
      entry(split, 2 * n, i, n + i) = 1;
      entry(split, 2 * n, n + i, i) = -1;
      for (int j = 0; j < n; ++j) entry(split, 2 * n, i, j) = entry(M, n, i, j);
    }
    const Pivoted a = by_lemke(box), b = by_lemke(lcp(std::move(split), std::move(q2)));
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
    const Pivoted a = by_lemke(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << problem.size() << " " << show(a);
  }
}

TEST(Lemke, WarmStartFromTheSolutionTakesNoPivot) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Problem problem = polyhedral(contact_problem(random_scene(dice), Matrix::Kind::dense), 4).problem;
    expect_no_step_from_the_solution(by_lemke, problem, seed);
  }
}

// Rows alone, all guessed on the wrong side: they change sides without a pivot. [0, 1] is a box for two of them.
TEST(Lemke, AGuessOnTheWrongSideIsCorrectedWithoutAPivot) {
  EXPECT_EQ(by_lemke(lcp({1}, {-1}), {0.0}).outcome.iterations, 0);
  for (const auto& [q, guess, z] : {std::tuple{-1.0, 0.0, 1.0}, {1.0, 1.0, 0.0}, {-5.0, 0.5, 5.0}, {-5.0, 0.0, 5.0}}) {
    Problem p = lcp({1, 0, 0, 1}, {q, q});
    const Pivoted a = by_lemke(p, {guess, guess});
    EXPECT_EQ(a.outcome.iterations, 0) << q;
    EXPECT_EQ(a.z, std::vector<double>(2, z)) << q;
    p.blocks[0].kind = BlockKind::box;
    p.lower = {0, 0};
    p.upper = {1, 1};
    const Pivoted b = by_lemke(p, {guess, guess});
    EXPECT_EQ(b.outcome.iterations, 0) << q;
    EXPECT_EQ(b.z, std::vector<double>(2, std::min(z, 1.0))) << q;
  }
}

// In boxes of finite width there is a solution whatever M is [Hartman, Stampacchia 1966].
TEST(Lemke, SolvesAnyMatrixInBoundedBoxes) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(10);
    Square M = zero_square(n);
    for (double& x : M) x = seed % 2 ? dice.below(5) - 2 : dice.near_zero(1);
    Problem p{Matrix::dense(n, std::move(M)), random_q(n, dice), {{BlockKind::box, 0, n, 0}}, {}, {}};
    std::vector<double> guess;
    for (int i = 0; i < n; ++i) {
      p.lower.push_back(dice.near_zero(1));
      p.upper.push_back(p.lower.back() + dice.between(0.1, 2));
      guess.push_back(dice.near_zero(1));
    }
    const Pivoted cold = by_lemke(p), warm = by_lemke(p, guess);
    EXPECT_TRUE(cold.solved()) << "seed " << seed << " n " << n << " " << show(cold);
    EXPECT_TRUE(warm.solved()) << "seed " << seed << " n " << n << " " << show(warm);
  }
}

// The same with boxes: the guess tells which z are at a bound. It is exact, since what z at a bound is is given.
TEST(Lemke, WarmStartFromTheSolutionOfBoxesTakesNoPivot) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(20 + dice.below(20), {.cone = false}, dice);
    Square M = random_definite(layout.size, dice);
    expect_no_step_from_the_solution(
        by_lemke, problem_of(layout, Matrix::dense(layout.size, std::move(M)), random_q(layout.size, dice)), seed);
  }
}

// Guesses: the solution of the last step, the solution of another problem, and meaningless numbers.
TEST(Lemke, AnyWarmStartGivesASolution) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const ContactScene scene = random_scene(dice);
    const Problem conic = contact_problem(scene, Matrix::Kind::dense);
    const Polyhedral now = polyhedral(conic, 4);
    const Pivoted cold = by_lemke(now.problem);
    std::vector<double> impulses(conic.q.size()), nonsense(cold.z.size());
    to_conic(conic, now, cold.z, impulses);
    const Problem next = polyhedral(contact_problem(after_step(scene, impulses), Matrix::Kind::dense), 4).problem;
    for (double& x : nonsense) x = dice.chance(0.5) ? dice.near_zero(1) : 0;
    for (const std::vector<double>& guess : {cold.z, nonsense}) {
      const Pivoted a = by_lemke(next, guess);
      EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << next.size() << " " << show(a);
    }
  }
}

TEST(Lemke, MatrixKindsGiveTheSame) {
  Dice dice(1);
  const Problem dense = polyhedral(contact_problem(stack_of_boxes_scene(2, 1), Matrix::Kind::dense), 4).problem;
  const Pivoted a = by_lemke(dense), b = by_lemke(with_matrix(dense, Matrix::Kind::block_sparse));
  EXPECT_TRUE(a.solved());
  EXPECT_EQ(a.z, b.z);
}

TEST(Lemke, EqualityThatOnlyAPairCanMeet) {
  // z2 = 3 from the free row, z1 from the other: M_ff = 0 has no pivot of its own.
  const Problem problem{Matrix::dense(2, {0, 1, -1, 0}),
                        {-3, 1},
                        {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}},
                        {},
                        {}};
  const Pivoted a = by_lemke(problem);
  EXPECT_TRUE(a.solved()) << show(a);
  EXPECT_NEAR(a.z[0], 1, 1e-15);
  EXPECT_NEAR(a.z[1], 3, 1e-15);
}

// ---- ties ----

// The path with ties is that of the problem perturbed by (e, e^2, e^3, ...), which has none: the same number of pivots
// to the same set of basic z. With the rule turned round it is another path, or one that returns to where it was.
struct Paths {
  int ties = 0, shorter = 0;

  void compare(const Problem& problem, const Problem& perturbed, std::uint64_t seed) {
    const Pivoted a = by_lemke(problem), b = by_lemke(perturbed);
    EXPECT_EQ(a.outcome.stop, b.outcome.stop) << "seed " << seed;
    if (a.solved() && b.solved() && a.outcome.iterations < b.outcome.iterations) {
      ++shorter;  // z0 is among the candidates and ends the path
      return;
    }
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << "seed " << seed;
    if (!a.solved() || !b.solved()) return;
    const bool boxes = !problem.upper.empty();
    const auto at_bound = [&](const Problem& p, const Pivoted& found, std::size_t i) {
      return found.z[i] == 0 ? -1 : boxes && found.z[i] == p.upper[i] ? 1 : 0;
    };
    for (std::size_t i = 0; i < a.z.size(); ++i) {
      EXPECT_NEAR(a.z[i], b.z[i], 0.1) << "seed " << seed << " row " << i;
      if (!boxes) {
        EXPECT_EQ(at_bound(problem, a, i), at_bound(perturbed, b, i)) << "seed " << seed << " row " << i;
      }
      ties += b.z[i] > 0 && b.z[i] < 0.01;  // basic at 0: only the rule decides
    }
  }
};

TEST(Lemke, TakesTheLexicographicPath) {
  constexpr double e = 1e-3;
  Paths paths;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    Dice dice(seed);
    const int n = 2 + dice.below(2);
    Square M = zero_square(n);  // small integers
    for (double& x : M) x = dice.below(4) - (dice.chance(0.3) ? 1 : 0);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = 1 + dice.below(2);
    const Problem problem = lcp(M, tied_q(n, dice));
    Problem perturbed = problem;
    for (int i = 0; i < n; ++i) perturbed.q[std::size_t(i)] += std::pow(e, i + 1);
    paths.compare(problem, perturbed, seed);
  }
  EXPECT_GE(paths.ties, 60);
  EXPECT_GE(paths.shorter, 1);
  EXPECT_LE(paths.shorter, 10);
}

// The upper bounds of boxes are perturbed after all q, where they make no difference any more.
TEST(Lemke, TakesTheLexicographicPathThroughBoxes) {
  constexpr double e = 1e-2;
  Paths paths;
  for (std::uint64_t seed = 1; seed <= 7000; ++seed) {
    Dice dice(seed);
    const int n = 4;
    Square M = zero_square(n);
    for (double& x : M) x = dice.below(4) - (dice.chance(0.3) ? 1 : 0);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = 1;  // so that the units are those of the problem
    Problem problem{Matrix::dense(n, M), tied_q(n, dice), {{BlockKind::box, 0, n, 0}}, {}, {}};
    for (int i = 0; i < n; ++i) {
      problem.lower.push_back(0);
      problem.upper.push_back(dice.chance(0.2) ? HUGE_VAL : 1 + dice.below(2));
    }
    Problem perturbed = problem;
    for (int i = 0; i < n; ++i) {
      perturbed.q[std::size_t(i)] += std::pow(e, i + 1);
      perturbed.upper[std::size_t(i)] += std::pow(e, n + i + 1);
    }
    paths.compare(problem, perturbed, seed);
  }
  EXPECT_GE(paths.shorter, 1);
  EXPECT_LE(paths.shorter, 6);
}

// ---- the ends of the range ----

// Numbers of any exponent, denormal ones included: an answer or a status, and z is finite.
TEST(Lemke, TakesNumbersOfAnySize) {
  LemkeWorkspace ws;
  int solved = 0, out_of_range = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(12), {.box = dice.chance(0.5), .cone = false}, dice);
    const int n = layout.size, far = 1 + dice.below(1070);
    const auto number = [&] {
      return std::ldexp(dice.near_zero(1), std::clamp(dice.below(2 * far) - far, -1074, 1020));
    };
    Square M = seed % 3 == 0 ? random_psd(n, 1 + dice.below(n), dice) : zero_square(n);
    if (seed % 3 != 0)
      for (double& x : M)
        if (dice.chance(0.7)) x = number();
    Problem p = problem_of(layout, Matrix::dense(n, std::move(M)), std::vector<double>(std::size_t(n)));
    for (double& x : p.q) x = number();
    std::vector<double> z(p.q.size());
    for (double& x : z) x = number();
    const Outcome outcome = lemke(p, {.warm_start = seed % 4 == 0}, ws, z);
    out_of_range += outcome.stop == Stop::out_of_range;
    ResidualWorkspace judge;
    solved += residual(p, z, judge).within(1e-10);
  }
  EXPECT_GE(solved, 300);
  EXPECT_GE(out_of_range, 50);
}

// The problems that ended in a segmentation fault.
TEST(Lemke, NamesNumbersThatItCannotScale) {
  for (const double diagonal : {1e-10, 1e-200, 5e-324}) {
    const Pivoted a = by_lemke(lcp({diagonal}, {-1e308}));  // z would be beyond 1e308
    EXPECT_EQ(a.outcome.stop, Stop::out_of_range) << diagonal;
    EXPECT_EQ(a.z[0], 0) << diagonal;
  }
  const Pivoted small = by_lemke(lcp({1, 0, 0, 1}, {-5e-324, -5e-324}));
  EXPECT_EQ(small.outcome.stop, Stop::out_of_range);
  EXPECT_TRUE(by_lemke(lcp({1}, {-1e308})).solved());
  EXPECT_TRUE(by_lemke(lcp({1e-300}, {-1})).solved());
  EXPECT_TRUE(by_lemke(lcp({1e300}, {-1})).solved());
}

// A diagonal M: z = clamp(-q / m, l, u) row by row. All bounds differ, and all kinds of box are among them.
TEST(Lemke, BoxesWithAnyBounds) {
  const double inf = INFINITY;
  const std::vector<double> m{2, 0.5, 4, 1, 3, 8, 1, 2, 5, 0.25}, q{-9, 3, -4, 7, 1, -2, -5, 6, 2, 1};
  const std::vector<double> lower{1, -0.5, -inf, 0.3, 0.7, -inf, -inf, -4, -0.2, 0.6},
      upper{2, inf, 0.9, inf, 0.7, 0.1, inf, -3.5, 0.4, inf};
  const int n = int(q.size());
  Square M = zero_square(n);
  for (int i = 0; i < n; ++i) entry(M, n, i, i) = m[std::size_t(i)];
  for (const bool free_first : {false, true}) {
    Problem p{Matrix::dense(n, M), q, {{BlockKind::box, 0, n, 0}}, lower, upper};
    if (free_first) {
      p.blocks = {{BlockKind::free, 0, 1, 0}, {BlockKind::box, 1, n - 1, 0}};
    }
    const Pivoted a = by_lemke(p);
    ASSERT_TRUE(a.solved()) << show(a);
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_NEAR(a.z[i], free_first && i == 0 ? 4.5 : std::clamp(-q[i] / m[i], lower[i], upper[i]), 1e-14) << i;
  }
}

// Units of z are powers of two with s^2 M_ii between 1/2 and 4; where the diagonal is zero, with 1 / s within a factor
// of two of the largest number that couples the row to another, in units of that. Rows with and without free ones.
TEST(Lemke, UnitsFollowTheDiagonal) {
  const double a = 1e8, b = 3e-5, c = 0.7;  // the diagonal; rows 3 and 4 have none
  const int n = 5;
  Square M = zero_square(n);
  entry(M, n, 0, 0) = a, entry(M, n, 1, 1) = b, entry(M, n, 2, 2) = c;
  entry(M, n, 3, 0) = -1e6, entry(M, n, 0, 3) = 1e6;    // 1e6 * s_0 = 100
  entry(M, n, 4, 1) = -2e-7, entry(M, n, 1, 4) = 2e-7;  // 2e-7 * s_1 = 4e-5
  for (const bool free_last : {false, true}) {
    Problem p = lcp(M, {-1e4, -5e-3, -1, 1e2, 1e-5});
    if (free_last)
      p.blocks = {{BlockKind::nonnegative, 0, 2, 0}, {BlockKind::free, 2, 1, 0}, {BlockKind::nonnegative, 3, 2, 0}};
    LemkeWorkspace ws;
    std::vector<double> z(5);
    ASSERT_EQ(lemke(p, {}, ws, z).stop, Stop::finished);
    ResidualWorkspace judge;
    EXPECT_TRUE(residual(p, z, judge).within(1e-12));
    std::vector<double> s(5);
    for (int k = 0; k < n; ++k) s[std::size_t(ws.order[std::size_t(k)])] = ws.scale[std::size_t(k)];
    for (const double x : s) EXPECT_EQ(std::ldexp(1.0, std::ilogb(x)), x) << "not a power of two";
    for (int i = 0; i < 3; ++i) {
      const double square = s[std::size_t(i)] * s[std::size_t(i)] * entry(M, n, i, i);
      EXPECT_TRUE(square >= 0.5 && square < 4) << i << ": " << square;
    }
    const double third = s[3] * 1e6 * s[0], fourth = s[4] * 2e-7 * s[1];
    EXPECT_TRUE(third >= 0.5 && third <= 2) << third;
    EXPECT_TRUE(fourth >= 0.5 && fourth <= 2) << fourth;
  }
}

// A workspace full of NaN gives the same bits, at every number of rows beside the width of a register.
TEST(Lemke, AnswerDoesNotDependOnTheWorkspace) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const int n = 1 + int(seed % 19);
    Problem p = lcp(seed % 2 == 0 ? random_p(n, dice) : random_psd(n, 1 + dice.below(n), dice), random_q(n, dice));
    if (seed % 3 == 0 && n > 1) p.blocks = {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, n - 1, 0}};
    LemkeWorkspace used;
    const Pivoted fresh = by_lemke(p);
    by_lemke(lcp(random_p(24, dice), random_q(24, dice)), used);
    for (auto* x : {&used.matrix, &used.tableau, &used.factor, &used.basic, &used.saved, &used.sign, &used.scale,
                    &used.row_scale, &used.reference, &used.q, &used.height, &used.row_height, &used.x, &used.w,
                    &used.ratio, &used.solved, &used.best})
      std::fill(x->begin(), x->end(), std::nan(""));
    const Pivoted again = by_lemke(p, used);
    EXPECT_EQ(again.outcome.stop, fresh.outcome.stop) << "seed " << seed;
    EXPECT_EQ(again.outcome.iterations, fresh.outcome.iterations) << "seed " << seed;
    EXPECT_EQ(again.z, fresh.z) << "seed " << seed;
  }
}

}  // namespace
}  // namespace linchpin

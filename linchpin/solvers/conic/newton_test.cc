#include "linchpin/solvers/conic/newton.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<NewtonWorkspace, newton> by_newton;

// z = w = 0 is a degenerate solution: a projection handles it, while interior points only reach the root of the
// tolerance.
TEST(Newton, RowOnTheEdge) {
  const Answer a =
      by_newton({Matrix::dense(2, {1, 0.5, 0.5, 1}), {0, 0}, {{BlockKind::box, 0, 2, 0}}, {0, 0}, {2, 2}}, {1, 1});
  ASSERT_TRUE(a.solved()) << show(a);
  EXPECT_NEAR(a.z[0], 0, tolerance);
  EXPECT_NEAR(a.z[1], 0, tolerance);
}

TEST(Newton, SolvesMixesOfBlocks) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const Answer a = by_newton(random_mix(seed % 2 ? 0.3 : 0, dice));
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
  }
}

// All are redundant, except a single box; every other one is degenerate. Piles of up to 40 contacts: on larger shaken
// ones newton alone may fail, and rounding decides on which (docs/newton.md).
TEST(Newton, SolvesContacts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Problem& p : varied_contacts(seed, 4)) {
      const Answer a = by_newton(p);
      EXPECT_TRUE(a.solved()) << "seed " << seed << " rows " << p.size() << " " << show(a);
    }
}

// Not mu = 5: there it cycles, at 15 of 77 slopes of a single contact (measured); `automatic` then uses interior_point
// (solver_test.cc).
TEST(Newton, FrictionOfNothingAndOfThree) { expect_solves_with_friction(by_newton, {0.0, 3.0}, is_solved); }

// Separate boxes of different masses to twice the tolerance: the plain figure of heavy and light ones together has a
// rounding error of a few times 1e6 epsilon, and newton's own figure differs from residual() by that. In a stack a
// light box carries a million times its weight, and its velocity has that rounding error: 1e-8 with some margin. Newton
// alone does not solve all of these, and must report which.
TEST(Newton, MassesOfAMillionToOne) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Answer a = by_newton(separate_boxes(3, seed, {.mass_ratio = 1e6}));
    EXPECT_TRUE(a.residual.within(2 * tolerance)) << "seed " << seed << " " << show(a);
    const Problem stack = stack_of_boxes(3, seed, {.mass_ratio = 1e6});
    NewtonWorkspace ws;
    ResidualWorkspace judge;
    std::vector<double> z(stack.q.size());
    const Outcome outcome = newton(stack, {.tolerance = 1e-8}, ws, z);
    EXPECT_TRUE(finite(z)) << "seed " << seed;
    EXPECT_EQ(outcome.stop == Stop::finished, residual(stack, z, judge).within(1e-8)) << "seed " << seed;
    solved += outcome.stop == Stop::finished;
  }
  EXPECT_GE(solved, 34);
}

TEST(Newton, MatrixKindsGiveTheSame) { expect_same_with_dense_and_sparse_factors(by_newton); }

TEST(Newton, WarmStartFromTheSolutionTakesNoStep) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    expect_no_step_from_the_solution(by_newton, contact_problem(random_scene(dice)), seed);
  }
}

TEST(Newton, AnyWarmStartGivesASolution) { expect_solves_random_scenes_from_any_guess(by_newton, 40, is_solved); }

// From the last step's solution, with impulses that change by a ten-thousandth: mostly two full steps (46 for 20
// problems); the outer iteration alone would take 90.
TEST(Newton, NearGuessTakesTwoSteps) {
  int steps = 0, problems = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Problem p = with_matrix(pile_of_spheres(40, seed, {.mu = 0.2, .speed = 1}), Matrix::Kind::block_sparse);
    const Answer last = by_newton(p);
    ASSERT_TRUE(last.solved()) << "seed " << seed << " " << show(last);
    Dice dice(seed);  // q changes within the range of M, as redundant contacts require
    std::vector<double> pushed(p.q.size()), change(p.q.size()), work(p.M.work_size());
    for (std::size_t i = 0; i < pushed.size(); ++i) pushed[i] = 1e-4 * dice.near_zero(1) * last.z[i];
    p.M.multiply(pushed, change, work);
    for (std::size_t i = 0; i < change.size(); ++i) p.q[i] += change[i];
    const Answer a = by_newton(p, last.z);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    steps += a.outcome.iterations;
    ++problems;
  }
  EXPECT_LE(steps, 3 * problems);
}

// (4) of natural_map.h has the zeros of (1), and its derivative agrees with central differences; du and dr are
// independent. Steps of 1e-6 leave errors of 1e-12 by curvature and 1e-10 by rounding.
TEST(Newton, AlartCurnierMap) {
  ScaledProblem p;
  const Cell c{BlockKind::cone, 0, 3, 0.4};
  double F[3];
  const double sliding[2][3] = {{1, 0.24, -0.32}, {0, -3, 4}}, sticking[2][3] = {{1, 0.2, 0.1}, {0, 0, 0}},
               apart[2][3] = {{0, 0, 0}, {1, 5, -6}};
  for (const auto& [r, u] : {std::pair{sliding[0], sliding[1]}, {sticking[0], sticking[1]}, {apart[0], apart[1]}}) {
    alart_curnier_map(c, p, r, u, F);
    EXPECT_NEAR(std::hypot(F[0], F[1], F[2]), 0, 1e-15);
    natural_map(c, p, 1, r, u, F);
    EXPECT_NEAR(std::hypot(F[0], F[1], F[2]), 0, 1e-15);
  }
  Dice dice(1);
  for (int i = 0, met = 0; met < 50; ++i) {
    double x[6], L[9], R[9];  // r, u
    for (double& y : x) y = dice.near_zero(1);
    if (alart_curnier_map(c, p, x, x + 3, F) != Piece::surface) continue;
    ++met;
    alart_curnier_derivative(c.mu, x, x + 3, L, R);
    for (int k = 0; k < 6; ++k) {
      double low[3], high[3];
      const double at = x[k], h = 1e-6;
      x[k] = at + h;
      const Piece after = alart_curnier_map(c, p, x, x + 3, high);
      x[k] = at - h;
      const Piece before = alart_curnier_map(c, p, x, x + 3, low);
      x[k] = at;
      if (before != Piece::surface || after != Piece::surface) continue;
      const double* by =
          k < 3 ? &R[0] : &L[0];  // (k < 3 ? R : L)[..] reads a stale index under g++ 12's -fsanitize=undefined
      for (int j = 0; j < 3; ++j) EXPECT_NEAR((high[j] - low[j]) / (2 * h), by[3 * j + k % 3], 1e-6) << "at " << i;
    }
  }
}

TEST(Newton, OrderAndUnitsDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const Problem p = contact_problem(random_scene(dice));
    expect_same_in_any_order_and_units(by_newton, p, is_solved, dice);
  }
}

TEST(Newton, HonoursTheIterationLimit) { expect_iteration_limit_is_honoured(by_newton, stack_of_boxes(6, 1)); }

TEST(Newton, SignsOfRowsDoNotMatter) { expect_the_same_turned_round(by_newton, 1e-9); }

TEST(Newton, AnswerDoesNotDependOnTheWorkspace) {
  expect_no_trace_of_the_workspace<NewtonWorkspace>(by_newton, [](NewtonWorkspace& used) {
    fill_with_nan(used.r, used.u, used.F, used.dr, used.du, used.trial, used.trial_u, used.trial_F, used.centre,
                  used.best, used.p.s, used.p.q, used.p.W);
  });
}

}  // namespace
}  // namespace linchpin

// Shared by the tests of the iterative solvers: a solver called as a function of the problem, its answer with the
// residual, and the properties that several solvers are tested for.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// The default of SolverOptions.
inline constexpr double tolerance = 1e-10;

struct Answer {
  Outcome outcome;
  std::vector<double> z, w;
  Residual residual;
  bool solved() const { return outcome.stop == Stop::finished && residual.within(tolerance); }
};

// Without a guess z is NaN on entry, so that a solver that reads it fails.
template <class Workspace, Outcome (*method)(const Problem&, const SolverOptions&, Workspace&, std::span<double>)>
struct Solving {
  Answer operator()(const Problem& problem, Workspace& ws, const std::vector<double>& guess = {}, int limit = 0) const {
    Answer answer;
    answer.z = guess.empty() ? std::vector<double>(problem.q.size(), std::nan("")) : guess;
    answer.outcome = method(problem, {.max_iterations = limit, .warm_start = !guess.empty()}, ws, answer.z);
    ResidualWorkspace judge;
    answer.residual = residual(problem, answer.z, judge);
    answer.w = judge.w;
    return answer;
  }
  Answer operator()(const Problem& problem, const std::vector<double>& guess = {}, int limit = 0) const {
    Workspace ws;
    return (*this)(problem, ws, guess, limit);
  }
};

inline std::string show(const Answer& a) {
  return "stop " + std::string(to_string(a.outcome.stop)) + " after " + std::to_string(a.outcome.iterations) +
         " iterations, residual " + std::to_string(std::log10(a.residual.relative)) + " and " +
         std::to_string(std::log10(a.residual.plain_relative)) + " (powers of ten)";
}

inline bool finite(const std::vector<double>& z) {
  return std::all_of(z.begin(), z.end(), [](double x) { return std::isfinite(x); });
}

// J J' of two contacts and five free rows, two of which are sums of the others: redundant loops, so W is singular.
inline Problem contacts_with_redundant_free_rows(std::uint64_t seed) {
  constexpr int free = 5, n = free + 6, coordinates = 12;
  Dice dice(seed);
  double J[n][coordinates], v[coordinates];
  for (auto& row : J)
    for (double& x : row) x = dice.near_zero(1);
  for (double& x : v) x = dice.near_zero(1);
  for (int k = 0; k < coordinates; ++k) {
    J[3][k] = J[0][k] + J[1][k];
    J[4][k] = J[0][k] - 2 * J[2][k];
  }
  std::vector<double> W(n * n), q(n);
  for (int i = 0; i < n; ++i) {
    q[i] = std::inner_product(J[i], J[i] + coordinates, v, 0.0);
    for (int j = 0; j < n; ++j) W[n * i + j] = std::inner_product(J[i], J[i] + coordinates, J[j], 0.0);
  }
  return {Matrix::dense(n, std::move(W)),
          std::move(q),
          {{BlockKind::free, 0, free}, {BlockKind::cone, free, 3, 0.5}, {BlockKind::cone, free + 3, 3, 0.5}},
          {},
          {}};
}

// p takes more than three iterations. With a limit below that the solver uses all of them and reports the limit.
template <class Solve>
void expect_iteration_limit_is_honoured(const Solve& solve, const Problem& p) {
  const int needed = solve(p).outcome.iterations;
  ASSERT_GT(needed, 3);
  for (const int limit : {1, 2, needed - 1}) {
    const Answer a = solve(p, {}, limit);
    EXPECT_EQ(a.outcome.stop, Stop::iteration_limit) << limit;
    EXPECT_EQ(a.outcome.iterations, limit);
    EXPECT_TRUE(finite(a.z));
  }
  EXPECT_EQ(solve(p, {}, needed).outcome.stop, Stop::finished);
}

// Blocks of all kinds, up to 30 rows, coupled by a positive definite matrix, with a planted solution. Blocks are
// degenerate with this probability.
inline Problem random_mix(double degenerate, Dice& dice) {
  const ProblemLayout layout = random_layout(1 + dice.below(30), {}, dice);
  const int n = layout.size;
  Square M = random_psd(n, n, dice);
  for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.1;
  return plant(layout, Matrix::dense(n, std::move(M)), degenerate, dice).problem;
}

// Friction, degeneracy and speed that vary with the seed.
inline SceneOptions varied_options(std::uint64_t seed) {
  return {.mu = 0.1 + 0.1 * double(seed % 8), .degenerate = seed % 2 == 0, .speed = seed % 3 == 0 ? 1 : 0.1};
}

// Boxes, a stack, a wall and a pile of up to ten times `piles` spheres, their sizes and options varied with the seed.
inline std::vector<Problem> varied_contacts(std::uint64_t seed, int piles) {
  const SceneOptions options = varied_options(seed);
  const int k = int(seed);
  return {separate_boxes(k % 5 + 1, seed, options), stack_of_boxes(k % 8 + 1, seed, options),
          wall_of_bricks(k % 3 + 1, 3, seed, options), pile_of_spheres(10 * (k % piles + 1), seed, options)};
}

// The criterion of the properties below: `good(answer)`.
inline constexpr auto is_solved = [](const Answer& a) { return a.solved(); };
inline constexpr auto is_within_1e_8 = [](const Answer& a) { return a.residual.within(1e-8); };

template <class Solve, class Good>
void expect_solves_with_friction(const Solve& solve, std::initializer_list<double> coefficients, const Good& good) {
  for (const double mu : coefficients)
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (const Problem& p : {separate_boxes(2, seed, {.mu = mu}), stack_of_boxes(3, seed, {.mu = mu})}) {
        const Answer a = solve(p);
        EXPECT_TRUE(good(a)) << "mu " << mu << " seed " << seed << " rows " << p.size() << " " << show(a);
      }
}

// Neither impulses nor, by Coulomb's law, velocities are unique. So a solution with one kind of matrix has to be a
// solution with the others; within twice the tolerance, since their numbers differ by the rounding of H A^-1 H'.
template <class Solve, class Good>
void expect_same_with_all_matrix_kinds(const Solve& solve, const Problem& p, const Good& good, double within) {
  ResidualWorkspace judge;
  for (const Matrix::Kind kind : {Matrix::Kind::dense, Matrix::Kind::block_sparse, Matrix::Kind::factored}) {
    const Answer a = solve(with_matrix(p, kind));
    ASSERT_TRUE(good(a)) << "rows " << p.size() << " " << show(a);
    for (const Matrix::Kind other : {Matrix::Kind::dense, Matrix::Kind::block_sparse, Matrix::Kind::factored})
      EXPECT_TRUE(residual(with_matrix(p, other), a.z, judge).within(2 * within)) << "rows " << p.size();
  }
}

// On both sides of the change from dense to sparse factors (48 rows).
template <class Solve>
void expect_same_with_dense_and_sparse_factors(const Solve& solve) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const Problem& p :
         {separate_boxes(2, seed), stack_of_boxes(3, seed), separate_boxes(8, seed), pile_of_spheres(60, seed)})
      expect_same_with_all_matrix_kinds(solve, p, is_solved, tolerance);
}

template <class Solve>
void expect_no_step_from_the_solution(const Solve& solve, const Problem& p, std::uint64_t seed) {
  const auto cold = solve(p), warm = solve(p, cold.z);
  ASSERT_TRUE(cold.solved()) << "seed " << seed << " " << show(cold);
  EXPECT_TRUE(warm.solved()) << "seed " << seed << " " << show(warm);
  EXPECT_EQ(warm.outcome.iterations, 0) << "seed " << seed;
}

// The next step of a scene, from the solution of the last step and from a meaningless guess.
template <class Solve, class Good>
void expect_solves_from_any_guess(const Solve& solve, const ContactScene& scene, const Good& good, Dice& dice) {
  const Answer last = solve(contact_problem(scene));
  const Problem p = contact_problem(after_step(scene, last.z));
  std::vector<double> nonsense(last.z.size());
  for (double& x : nonsense) x = dice.chance(0.5) ? dice.near_zero(1) : 0;
  for (const std::vector<double>& guess : {last.z, nonsense}) {
    const Answer a = solve(p, guess);
    EXPECT_TRUE(good(a)) << "rows " << p.size() << " " << show(a);
  }
}
template <class Solve, class Good>
void expect_solves_random_scenes_from_any_guess(const Solve& solve, std::uint64_t last_seed, const Good& good) {
  for (std::uint64_t seed = 1; seed <= last_seed; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const ContactScene scene = random_scene(dice);
    expect_solves_from_any_guess(solve, scene, good, dice);
  }
}

// The problem with its blocks in another order, and in other units. Returns how many of the two answers are solved.
template <class Solve, class Good>
int expect_same_in_any_order_and_units(const Solve& solve, const Problem& p, const Good& good, Dice& dice) {
  const int blocks = int(p.blocks.size());
  const Answer a = solve(permuted(p, random_order(blocks, dice)));
  EXPECT_TRUE(good(a)) << show(a);
  std::vector<double> units(static_cast<std::size_t>(blocks));
  for (double& unit : units) unit = std::pow(10, dice.near_zero(1));
  const Answer b = solve(rescaled(p, units));
  EXPECT_TRUE(good(b)) << show(b);
  return a.solved() + b.solved();
}

// Free rows, boxes and tangents may be measured the other way round: z_i and w_i change their sign, and the bounds of a
// box change places. Some of the rows, at random; `sign` is -1 for those.
inline Problem turned_round(const Problem& p, std::vector<double>& sign, Dice& dice) {
  const std::size_t n = p.q.size();
  sign.assign(n, 1);
  for (const Block& b : p.blocks)
    for (int i = b.start; i < b.start + b.size; ++i) {
      const bool may_turn =
          b.kind == BlockKind::free || b.kind == BlockKind::box || (b.kind == BlockKind::cone && i > b.start);
      if (may_turn && dice.chance(0.5)) sign[std::size_t(i)] = -1;
    }
  Problem turned = with_matrix(p, Matrix::Kind::dense);
  for (std::size_t i = 0; i < n; ++i) {
    turned.q[i] *= sign[i];
    for (std::size_t j = 0; j < n; ++j) turned.M.dense()[i * n + j] *= sign[i] * sign[j];
    if (sign[i] > 0 || p.upper.empty()) continue;
    turned.lower[i] = -p.upper[i];
    turned.upper[i] = -p.lower[i];
  }
  return turned;
}
// An iterative solver does the same with it, step by step: as many iterations, and the answer turned round. Rounding
// has no preference for a sign either, but sums may be in another order: `within` is of the largest z. From nothing and
// from a guess.
template <class Solve>
void expect_the_same_turned_round(const Solve& solve, const Problem& p, double within, Dice& dice) {
  std::vector<double> sign, guess(p.q.size()), turned_guess;
  const Problem turned = turned_round(p, sign, dice);
  for (double& x : guess) x = dice.near_zero(1);
  turned_guess = guess;
  for (std::size_t i = 0; i < guess.size(); ++i) turned_guess[i] *= sign[i];
  for (const bool guessed : {false, true}) {
    const Answer a = guessed ? solve(p, guess) : solve(p), b = guessed ? solve(turned, turned_guess) : solve(turned);
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << (guessed ? "from a guess" : "from nothing");
    double most = 0;
    for (const double x : a.z) most = larger(most, std::abs(x));
    for (std::size_t i = 0; i < sign.size(); ++i)
      EXPECT_NEAR(b.z[i], sign[i] * a.z[i], within * most) << "row " << i << (guessed ? " from a guess" : "");
  }
}
template <class Solve>
void expect_the_same_turned_round(const Solve& solve, double within) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    expect_the_same_turned_round(solve, random_mix(0, dice), within, dice);
  }
}

// Solves problems one after the other in one workspace, which spoil(used) fills with NaN in between. make(dice, seed)
// is a scene of contacts or a problem.
template <class Workspace, class Solve, class Spoil, class Make>
void expect_no_trace_of_the_workspace(const Solve& solve, const Spoil& spoil, std::uint64_t seeds, const Make& make) {
  Workspace used;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Dice dice(seed);
    Problem p;
    if constexpr (std::is_same_v<decltype(make(dice, seed)), Problem>)
      p = make(dice, seed);
    else
      p = contact_problem(make(dice, seed), seed % 2 ? Matrix::Kind::dense : Matrix::Kind::factored);
    const Answer a = solve(p, used), b = solve(p);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << "seed " << seed;
    spoil(used);
  }
}
// Scenes, some of their contacts without friction, and mixes of all blocks.
template <class Workspace, class Solve, class Spoil>
void expect_no_trace_of_the_workspace(const Solve& solve, const Spoil& spoil) {
  expect_no_trace_of_the_workspace<Workspace>(solve, spoil, 60, [](Dice& dice, std::uint64_t seed) {
    if (seed % 4 == 3) return random_mix(0, dice);
    ContactScene scene = random_scene(dice);
    for (SceneContact& c : scene.contacts)
      if (seed % 4 == 1 && dice.chance(0.5)) c.mu = 0;
    return contact_problem(scene, seed % 2 ? Matrix::Kind::dense : Matrix::Kind::factored);
  });
}
inline constexpr auto fill_with_nan = [](auto&... numbers) {
  (std::fill(numbers.begin(), numbers.end(), std::nan("")), ...);
};

}  // namespace linchpin

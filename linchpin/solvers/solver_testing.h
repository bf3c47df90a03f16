// What the tests of the iterative solvers share: a solver called as a function of the problem, and its answer judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// What solve() asks for by default.
inline constexpr double tolerance = 1e-10;

struct Answer {
  Outcome outcome;
  std::vector<double> z, w;
  Residual residual;
  bool solved() const { return outcome.stop == Stop::finished && residual.within(tolerance); }
};

// Without a guess z begins as NaN: whoever reads it is found out.
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

// J J' of two contacts on what five free rows hold, of which two are sums of the others: loops as they come, W singular.
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

// A problem that takes more than three iterations: fewer than it needs are all used, and told.
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

// Random scenes, one after the other in one workspace, which spoil(used) fills with numbers that are none in between.
template <class Workspace, class Solve, class Spoil>
void expect_no_trace_of_the_workspace(const Solve& solve, const Spoil& spoil) {
  Workspace used;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const Problem p = contact_problem(random_scene(dice), seed % 2 ? Matrix::Kind::dense : Matrix::Kind::factored);
    const Answer a = solve(p, used), b = solve(p);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << "seed " << seed;
    spoil(used);
  }
}
inline constexpr auto fill_with_nan = [](auto&... numbers) {
  (std::fill(numbers.begin(), numbers.end(), std::nan("")), ...);
};

}  // namespace linchpin

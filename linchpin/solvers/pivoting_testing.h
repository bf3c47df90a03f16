// Shared by the tests of the pivoting methods: answers that are exact up to rounding, and the certificates found.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "linchpin/solvers/pivoting/dantzig.h"
#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting/lemke.h"
#include "linchpin/solvers/solver_testing.h"

namespace linchpin {

// Answers are exact up to rounding of M z. With a mass ratio of 1000 some z are 1e4 times q in the units of residual.h,
// and the rounding error is then a few times 1e4 epsilon; in singular problems z is some hundred times q.
inline constexpr double pivoting_tolerance = 1e-11;

inline constexpr BlockMix no_cones{.cone = false};

struct Pivoted : Answer {
  std::vector<double> ray;  // of lemke
  bool solved() const { return outcome.stop == Stop::finished && residual.within(pivoting_tolerance); }
};

template <class Workspace_, Outcome (*method)(const Problem&, const SolverOptions&, Workspace_&, std::span<double>)>
struct Pivoting {
  using Workspace = Workspace_;
  Pivoted operator()(const Problem& problem, Workspace& ws, const std::vector<double>& guess = {}) const {
    Pivoted answer{Solving<Workspace, method>()(problem, ws, guess), {}};
    if constexpr (requires { ws.ray; }) answer.ray = ws.ray;
    return answer;
  }
  Pivoted operator()(const Problem& problem, const std::vector<double>& guess = {}) const {
    Workspace ws;
    return (*this)(problem, ws, guess);
  }
};
using ByLemke = Pivoting<LemkeWorkspace, lemke>;
using ByDantzig = Pivoting<DantzigWorkspace, dantzig>;

inline Problem lcp(Square M, std::vector<double> q) {
  const int n = int(q.size());
  return linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q));
}

// Positive definite, symmetric or not.
inline Square random_definite(int n, Dice& dice) {
  Square M = random_psd(n, n, dice);
  for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.01;
  if (dice.chance(0.5)) add_skew(M, n, 1, dice);
  return M;
}

// LCPs with a matrix random_matrix(n, dice) for which there is one solution: it is the one that enumeration finds.
template <class Solve, class RandomMatrix>
void expect_the_one_solution(const Solve& solve, const RandomMatrix& random_matrix, double accuracy) {
  EnumerationWorkspace all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(9);
    Square M = random_matrix(n, dice);
    const Problem problem = lcp(std::move(M), seed % 3 == 0 ? tied_q(n, dice) : random_q(n, dice));
    const Pivoted a = solve(problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    std::vector<double> z(problem.q.size());
    ASSERT_EQ(enumeration(problem, {}, all, z).stop, Stop::finished) << "seed " << seed;
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(a.z[i], z[i], accuracy * (1 + std::abs(z[i]))) << "seed " << seed << " row " << i;
  }
}

}  // namespace linchpin

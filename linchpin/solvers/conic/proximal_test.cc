#include "linchpin/solvers/conic/proximal.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<ProximalWorkspace, proximal> solve;

TEST(Proximal, AnswerDoesNotDependOnTheWorkspace) {
  ProximalWorkspace used;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const Problem p = contact_problem(separate_boxes_scene(1 + dice.below(6), seed),
                                      seed % 2 ? Matrix::Kind::dense : Matrix::Kind::factored);
    const Answer a = solve(p, used), b = solve(p);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << "seed " << seed;
    for (std::vector<double>* numbers : {&used.r, &used.u, &used.best, &used.rho, &used.p.s, &used.p.q, &used.p.W})
      std::fill(numbers->begin(), numbers->end(), std::nan(""));
  }
}

}  // namespace
}  // namespace linchpin

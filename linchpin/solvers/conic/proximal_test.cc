#include "linchpin/solvers/conic/proximal.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<ProximalWorkspace, proximal> by_proximal;

// The steps are the same, 1 over the largest diagonal number of a block, whether M is dense or sparse. Rounding may
// change the sweep in which the tolerance is reached.
TEST(Proximal, MatrixKindsGiveTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem p = separate_boxes(6, seed);
    const Answer a = by_proximal(with_matrix(p, Matrix::Kind::dense)),
                 b = by_proximal(with_matrix(p, Matrix::Kind::block_sparse));
    EXPECT_TRUE(a.solved() && b.solved()) << "seed " << seed << " " << show(a) << " " << show(b);
    EXPECT_NEAR(a.outcome.iterations, b.outcome.iterations, 2 + 0.02 * a.outcome.iterations) << "seed " << seed;
  }
}

TEST(Proximal, SignsOfRowsDoNotMatter) { expect_the_same_turned_round(by_proximal, 1e-9); }

TEST(Proximal, AnswerDoesNotDependOnTheWorkspace) {
  expect_no_trace_of_the_workspace<ProximalWorkspace>(
      by_proximal,
      [](ProximalWorkspace& used) { fill_with_nan(used.r, used.u, used.best, used.rho, used.p.s, used.p.q, used.p.W); },
      20, [](Dice& dice, std::uint64_t seed) { return separate_boxes_scene(1 + dice.below(6), seed); });
}

}  // namespace
}  // namespace linchpin

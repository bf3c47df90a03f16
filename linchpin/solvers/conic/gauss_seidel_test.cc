#include "linchpin/solvers/conic/gauss_seidel.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<GaussSeidelWorkspace, gauss_seidel> by_gauss_seidel;

// w = -1 cannot be changed without a diagonal: the solver stops at once.
TEST(GaussSeidel, StopsAtOnceWhereARowHasNoDiagonal) {
  for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::cone}) {
    const Answer a = by_gauss_seidel({Matrix::dense(3, zero_square(3)), {-1, -1, -1}, {{kind, 0, 3, 0.5}}, {}, {}});
    EXPECT_EQ(a.outcome.stop, Stop::stalled) << to_string(kind) << " " << show(a);
    EXPECT_EQ(a.outcome.iterations, 0) << to_string(kind);
  }
}

TEST(GaussSeidel, SignsOfRowsDoNotMatter) { expect_the_same_turned_round(by_gauss_seidel, 1e-9); }

TEST(GaussSeidel, AnswerDoesNotDependOnTheWorkspace) {
  expect_no_trace_of_the_workspace<GaussSeidelWorkspace>(
      by_gauss_seidel,
      [](GaussSeidelWorkspace& used) {
        fill_with_nan(used.r, used.u, used.best, used.diagonal, used.p.s, used.p.q, used.p.W);
      },
      20, [](Dice& dice, std::uint64_t seed) { return separate_boxes_scene(1 + dice.below(6), seed); });
}

}  // namespace
}  // namespace linchpin

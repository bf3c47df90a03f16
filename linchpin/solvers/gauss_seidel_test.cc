#include "linchpin/solvers/gauss_seidel.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<GaussSeidelWorkspace, gauss_seidel> solve;

// Nothing can be done about w = -1 without a diagonal: it must say so at once, with numbers.
TEST(GaussSeidel, FailsWithFiniteNumbers) {
  for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::cone})
    for (const bool all : {true, false}) {
      const Square M = all ? zero_square(6) : Square{2, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                                     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      const Problem p{Matrix::dense(6, M), {-1, -1, -1, -1, -1, -1}, {{kind, 0, 3, 0.5}, {kind, 3, 3, 0.5}}, {}, {}};
      const Answer a = solve(p);
      EXPECT_EQ(a.outcome.stop, Stop::stalled) << name(kind) << " " << show(a);
      EXPECT_TRUE(finite(a.z)) << name(kind);
      EXPECT_FALSE(a.residual.within(tolerance)) << name(kind);
    }
}

TEST(GaussSeidel, AnswerDoesNotDependOnTheWorkspace) {
  GaussSeidelWorkspace used;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const Problem p = contact_problem(separate_boxes_scene(1 + dice.below(6), seed),
                                      seed % 2 ? Matrix::Kind::dense : Matrix::Kind::factored);
    const Answer a = solve(p, used), b = solve(p);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    EXPECT_EQ(a.outcome.iterations, b.outcome.iterations) << "seed " << seed;
    for (std::vector<double>* numbers : {&used.r, &used.u, &used.best, &used.diagonal, &used.p.s, &used.p.q, &used.p.W})
      std::fill(numbers->begin(), numbers->end(), std::nan(""));
  }
}

}  // namespace
}  // namespace linchpin

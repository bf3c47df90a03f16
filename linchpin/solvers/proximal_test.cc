#include "linchpin/solvers/proximal.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<ProximalWorkspace, proximal> solve;

// Nothing can be done about w = -1: it must say so, with numbers.
TEST(Proximal, FailsWithFiniteNumbers) {
  for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::cone})
    for (const bool all : {true, false}) {
      const Square M = all ? zero_square(6) : Square{2, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                                     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      const Problem p{Matrix::dense(6, M), {-1, -1, -1, -1, -1, -1}, {{kind, 0, 3, 0.5}, {kind, 3, 3, 0.5}}, {}, {}};
      const Answer a = solve(p);
      EXPECT_NE(a.outcome.stop, Stop::finished) << name(kind) << " " << show(a);
      EXPECT_TRUE(finite(a.z)) << name(kind);
      EXPECT_FALSE(a.residual.within(tolerance)) << name(kind);
    }
}

// Rows of zeros that ask for nothing are no obstacle.
TEST(Proximal, RowsOfZerosThatHold) {
  const Problem p{
      Matrix::dense(3, {2, 0, 1, 0, 0, 0, 1, 0, 2}), {-1, 1, -1}, {{BlockKind::nonnegative, 0, 3, 0}}, {}, {}};
  const Answer a = solve(p);
  EXPECT_TRUE(a.solved()) << show(a);
}

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

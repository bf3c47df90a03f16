#include "linchpin/solvers/conic/proximal.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

const Solving<ProximalWorkspace, proximal> by_proximal;

TEST(Proximal, SignsOfRowsDoNotMatter) { expect_the_same_turned_round(by_proximal, 1e-9); }

TEST(Proximal, AnswerDoesNotDependOnTheWorkspace) {
  expect_no_trace_of_the_workspace<ProximalWorkspace>(
      by_proximal,
      [](ProximalWorkspace& used) { fill_with_nan(used.r, used.u, used.best, used.rho, used.p.s, used.p.q, used.p.W); },
      20, [](Dice& dice, std::uint64_t seed) { return separate_boxes_scene(1 + dice.below(6), seed); });
}

}  // namespace
}  // namespace linchpin

#include "linchpin/solvers/conic/closed_form.h"

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/solvers/problem/residual.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

// One contact: symmetric positive definite, of any anisotropy.
Problem random_contact(Dice& dice) {
  Square M = random_psd(3, 3, dice);
  for (int i = 0; i < 3; ++i) entry(M, 3, i, i) += 0.05;
  return {Matrix::dense(3, std::move(M)),
          {dice.between(-2, 0.3), dice.near_zero(2), dice.near_zero(2)},
          {{BlockKind::cone, 0, 3, dice.chance(0.1) ? 0 : dice.between(0.05, 1.2)}},
          {},
          {}};
}

TEST(ClosedForm, SolvesOneContactAtOnce) {
  GaussSeidelWorkspace ws;
  ResidualWorkspace judge;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const Problem p = random_contact(dice);
    std::vector<double> z(3);
    const Outcome outcome = closed_form(p, {}, ws, z);
    EXPECT_EQ(outcome.stop, Stop::finished) << seed;
    EXPECT_LE(outcome.iterations, 1) << seed;
    EXPECT_TRUE(residual(p, z, judge).within(1e-10)) << seed;
  }
}

TEST(ClosedForm, TakesNothingElse) {
  GaussSeidelWorkspace ws;
  std::vector<double> z(3);
  const Problem rows = linear_complementarity(Matrix::dense(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-1, -1, -1});
  EXPECT_THROW(closed_form(rows, {}, ws, z), CheckFailed);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/solvers/problem/unsolvable.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/solvers/pivoting_testing.h"

namespace linchpin {
namespace {

TEST(Certificate, IsNotEasilyConvinced) {
  // w = -1 whatever z is.
  const Problem none = lcp({0}, {-1});
  EXPECT_TRUE(certifies_unsolvable(none, std::vector<double>{1}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{-1}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{0}));
  EXPECT_FALSE(certifies_unsolvable(none, std::vector<double>{std::nan("")}));
  EXPECT_THROW(certifies_unsolvable(none, std::vector<double>{1, 1}), CheckFailed);
  // A tiny number is a number: z = 1e30 solves this.
  EXPECT_FALSE(certifies_unsolvable(lcp({1e-30}, {-1}), std::vector<double>{1}));
  // Just not negative enough to be more than rounding.
  const Problem barely = lcp({1, -1, -1, 1}, {-1, 1 - 1e-15});
  EXPECT_FALSE(certifies_unsolvable(barely, std::vector<double>{1, 1}));
  const Problem clearly = lcp({1, -1, -1, 1}, {-1, 1 - 1e-9});
  EXPECT_TRUE(certifies_unsolvable(clearly, std::vector<double>{1, 1}));
}

TEST(Certificate, KnowsBoxesAndCones) {
  // w1 = z2 - 3 >= 0 with z2 in [0, 2]: impossible; in [0, 4] it is not.
  Problem problem{Matrix::dense(2, {0, 1, -1, 0}),
                  {-3, 0},
                  {{BlockKind::nonnegative, 0, 1, 0}, {BlockKind::box, 1, 1, 0}},
                  {0, 0},
                  {0, 2}};
  EXPECT_TRUE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 1}));
  problem.upper[1] = 4;
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  problem.upper[1] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(certifies_unsolvable(problem, std::vector<double>{1, 0}));
  // A cone whose normal is pushed apart by its own tangents and nothing else, with friction too weak and strong enough.
  Problem cone{Matrix::dense(3, {-1, 2, 0, 0, 1, 0, 0, 0, 1}), {-1, 0, 0}, {{BlockKind::cone, 0, 3, 0.4}}, {}, {}};
  EXPECT_TRUE(certifies_unsolvable(cone, std::vector<double>{1, 0, 0}));
  cone.blocks[0].mu = 0.6;
  EXPECT_FALSE(certifies_unsolvable(cone, std::vector<double>{1, 0, 0}));
}

// No y may be found to prove that a problem with a planted solution has none.
TEST(Certificate, NeverContradictsASolution) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(8), {}, dice);
    const int n = layout.size;
    Square M = random_integer_psd(n, dice);
    const Problem problem = plant(layout, Matrix::dense(n, std::move(M)), 0.5, dice).problem;
    for (int t = 0; t < 50; ++t) {
      std::vector<double> y(static_cast<std::size_t>(n));
      for (double& x : y) x = dice.below(3) - (dice.chance(0.5) ? 1 : 0);
      EXPECT_FALSE(certifies_unsolvable(problem, y)) << "seed " << seed;
    }
  }
}

// M is singular but for its last bit, so that there is a solution beyond 1e15; the same M without that bit has none.
TEST(Certificate, IsNotFooledByRounding) {
  const double e = 0x1p-52;
  const std::vector<double> y{1, 1};
  EXPECT_TRUE(certifies_unsolvable(lcp({1, -1, -1, 1}, {-1, 0}), y));
  EXPECT_TRUE(certifies_unsolvable(lcp({1, -1, -1, 1 - e}, {-1, 0}), y));
  EXPECT_FALSE(certifies_unsolvable(lcp({1, -1, -1, 1 + e}, {-1, 0}), y));
  const double radius = radius_without_solution(lcp({1, -1, -1, 1 + e}, {-1, 0}), y);
  EXPECT_GT(radius, 0.99 / e);
  EXPECT_LT(radius, 1 / e);
  EXPECT_EQ(radius_without_solution(lcp({1, -1, -1, 1}, {-1, 0}), y), HUGE_VAL);
  EXPECT_EQ(radius_without_solution(lcp({1, -1, -1, 1}, {1, 0}), y), 0);
  // The same on free rows, where the sign of the last bit does not matter, and on a box without an upper bound.
  for (const double last : {1 + e, 1 - e, 1.0}) {
    const Problem equations{Matrix::dense(2, {1, 1, 1, last}), {-1, -2}, {{BlockKind::free, 0, 2, 0}}, {}, {}};
    EXPECT_EQ(certifies_unsolvable(equations, std::vector<double>{-1, 1}), last == 1);
    const Problem box{Matrix::dense(2, {1, -1, -1, last}), {-1, 0}, {{BlockKind::nonnegative, 0, 2, 0}}, {}, {}};
    EXPECT_EQ(certifies_unsolvable(box, y), last <= 1);
  }
  // A cone: M'y = (-1, 0, mu^-1) is on its boundary.
  const auto cone = [](double tangent) {
    return Problem{
        Matrix::dense(3, {-1, 0, tangent, 0, 1, 0, 0, 0, 1}), {-1, 0, 0}, {{BlockKind::cone, 0, 3, 0.5}}, {}, {}};
  };
  EXPECT_TRUE(certifies_unsolvable(cone(1.999), std::vector<double>{1, 0, 0}));
  EXPECT_FALSE(certifies_unsolvable(cone(2.001), std::vector<double>{1, 0, 0}));
}

TEST(Certificate, IntegersAreFound) {
  std::vector<double> y{0.2, 0.3, 0, 0.1 + 1e-16};
  EXPECT_TRUE(round_to_integers(y));
  EXPECT_EQ(y, (std::vector<double>{2, 3, 0, 1}));
  y = {1.0 / 7, -3.0 / 11, 1};
  EXPECT_TRUE(round_to_integers(y));
  EXPECT_EQ(y, (std::vector<double>{11, -21, 77}));
  for (const std::vector<double>& none :
       {std::vector<double>{0, 0}, {1, std::sqrt(2.0)}, {1, std::nan("")}, {HUGE_VAL, 1}, {}}) {
    y = none;
    EXPECT_FALSE(round_to_integers(y)) << none.size();
  }
}

}  // namespace
}  // namespace linchpin

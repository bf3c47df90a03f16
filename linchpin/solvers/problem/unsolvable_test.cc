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

}  // namespace
}  // namespace linchpin

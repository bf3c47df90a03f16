#include "linchpin/solvers/pivoting/enumeration_proof.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting_testing.h"

namespace linchpin {
namespace {

bool proved(const Problem& problem) {
  EnumerationProofWorkspace ws;
  return enumeration_proves_unsolvable(problem, ws);
}

TEST(EnumerationProof, KnowsSmallProblems) {
  EXPECT_TRUE(proved(lcp({0}, {-1})));
  EXPECT_TRUE(proved(lcp({-1}, {-1})));
  EXPECT_FALSE(proved(lcp({1}, {-1})));
  EXPECT_FALSE(proved(lcp({-1}, {1}))) << "two solutions";
  EXPECT_FALSE(proved(lcp({0}, {0}))) << "every z >= 0";
  // Feasible (z = (1, 1) gives w = (0, 1)), so no combination of rows contradicts itself, but no choice is a solution.
  EXPECT_TRUE(proved(lcp({0, 1, 0, 1}, {-1, 0})));
  // A tiny number is a number: z = 1e30 and z = 1e200 solve these.
  EXPECT_FALSE(proved(lcp({1e-30}, {-1})));
  EXPECT_FALSE(proved(lcp({1e-200}, {-1})));
  EXPECT_TRUE(proved(lcp({-1e-30}, {-1})));
}

// Free rows: the same equation with two right-hand sides, and with one.
TEST(EnumerationProof, KnowsFreeRows) {
  const auto equations = [](double second) {
    return Problem{Matrix::dense(2, {1, 1, 1, 1}), {-1, second}, {{BlockKind::free, 0, 2, 0}}, {}, {}};
  };
  EXPECT_TRUE(proved(equations(-2)));
  EXPECT_FALSE(proved(equations(-1)));
}

TEST(EnumerationProof, TakesNoBoxesAndNoManyRows) {
  const Problem box{Matrix::dense(1, {0}), {-1}, {{BlockKind::box, 0, 1, 0}}, {0}, {INFINITY}};
  EXPECT_FALSE(proved(box));
  Square M = zero_square(largest_enumeration + 1);
  EXPECT_FALSE(proved(lcp(std::move(M), std::vector<double>(largest_enumeration + 1, -1.0))));
}

// -z = 1, and as many equations more as fit into 32 rows.
TEST(EnumerationProof, TakesUpTo32Rows) {
  for (const int n : {2, 32, 33}) {
    Square M = zero_square(n);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = i == 0 ? -1 : 1;
    const Problem problem{Matrix::dense(n, std::move(M)),
                          std::vector<double>(std::size_t(n), -1.0),
                          {{BlockKind::nonnegative, 0, 1, 0}, {BlockKind::free, 1, n - 1, 0}},
                          {},
                          {}};
    EXPECT_EQ(proved(problem), n <= 32) << n;
  }
}

// Nearly singular: the only solution is far away. The old answer was that there is none.
TEST(EnumerationProof, IsNotFooledByNearlySingularMatrices) {
  const double e = std::nextafter(1.0, 2.0) - 1;
  // w1 = z1 - z2 - 1, w2 = (1 + e) z2 - z1 has the solution z2 = 1 / e, z1 = 1 + 1 / e, near 4.5e15.
  EXPECT_FALSE(proved(lcp({1, -1, -1, 1 + e}, {-1, 0})));
  EXPECT_TRUE(proved(lcp({1, -1, -1, 1}, {-1, 0})));
  EXPECT_TRUE(proved(lcp({1, -1, -1, 1 - e / 2}, {-1, 0})));
}

// Whatever has a solution must not be refuted; of the problems that enumeration gives up, nearly all are.
TEST(EnumerationProof, AgreesWithEnumeration) {
  EnumerationWorkspace all;
  EnumerationProofWorkspace ws;
  int without = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(5);
    Square M = zero_square(n);
    const bool integers = seed % 2 == 0;
    for (double& x : M) x = integers ? dice.below(5) - 2 : dice.near_zero(2);
    Problem p = lcp(std::move(M), integers ? tied_q(n, dice) : random_q(n, dice));
    if (dice.chance(0.3)) {
      p.blocks = {{BlockKind::free, 0, 1, 0}};
      if (n > 1) p.blocks.push_back({BlockKind::nonnegative, 1, n - 1, 0});
    }
    std::vector<double> z(p.q.size());
    const bool solvable = enumeration(p, {}, all, z).stop == Stop::finished;
    const bool none = enumeration_proves_unsolvable(p, ws);
    EXPECT_FALSE(solvable && none) << "seed " << seed;
    without += !solvable;
    refuted += !solvable && none;
  }
  EXPECT_GE(without, 400);
  EXPECT_EQ(refuted, without);
}

TEST(EnumerationProof, NeverContradictsAPlantedSolution) {
  EnumerationProofWorkspace ws;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(6), {.box = false, .cone = false}, dice);
    Square M = zero_square(layout.size);
    for (double& x : M) x = dice.below(5) - 2;
    // Integers: q = w - M z is exact.
    Planted planted = plant(layout, Matrix::dense(layout.size, std::move(M)), 0.5, dice);
    std::vector<double>& q = planted.problem.q;
    for (double& x : planted.z) x = std::round(4 * x);
    for (double& x : planted.w) x = std::round(4 * x);
    std::vector<double> Mz(q.size()), work(planted.problem.M.work_size());
    planted.problem.M.multiply(planted.z, Mz, work);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = planted.w[i] - Mz[i];
    EXPECT_FALSE(enumeration_proves_unsolvable(planted.problem, ws)) << "seed " << seed;
  }
}

// Units change neither a problem nor a proof: row by row, z_i / s_i and w_i s_i for z_i and w_i. Integers, so that a
// proof needs exact numbers; powers of two, so that the problem in other units is the same exactly.
TEST(EnumerationProof, HoldsInAnyUnits) {
  EnumerationWorkspace all;
  EnumerationProofWorkspace ws;
  int without = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(5), other = dice.below(n);
    Square M = zero_square(n);
    for (double& x : M) x = dice.below(13) - 6;
    Problem p = lcp(M, tied_q(n, dice));
    std::vector<double> z(p.q.size());
    const bool solvable = enumeration(p, {}, all, z).stop == Stop::finished;
    const double s = std::ldexp(1.0, 1 + dice.below(20)) / 1024;
    for (int i = 0; i < n; ++i) {
      entry(M, n, i, other) *= s;
      entry(M, n, other, i) *= s;
    }
    std::vector<double> q = p.q;
    q[std::size_t(other)] *= s;
    const bool none = enumeration_proves_unsolvable(lcp(M, q), ws);
    EXPECT_EQ(none, !solvable) << "seed " << seed << ", row " << other << " of " << n << " by " << s;
    without += !solvable;
  }
  EXPECT_GE(without, 200);
}

}  // namespace
}  // namespace linchpin

// Properties of both pivoting methods; their own tests cover the differences.
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/solvers/pivoting_testing.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {
namespace {

template <class Method>
class PivotingMethods : public testing::Test {};
using BothMethods = testing::Types<ByLemke, ByDantzig>;
TYPED_TEST_SUITE(PivotingMethods, BothMethods);

TYPED_TEST(PivotingMethods, SolveTwoRowsByHand) {
  // w1 = 2 z1 + z2 - 5, w2 = z1 + 2 z2 - 6: both active, z = (4/3, 7/3).
  const Pivoted a = TypeParam()(lcp({2, 1, 1, 2}, {-5, -6}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_NEAR(a.z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.z[1], 7.0 / 3, 1e-15);
}

TYPED_TEST(PivotingMethods, KeepZAtZeroWhereQIsNotNegative) {
  const Pivoted a = TypeParam()(lcp({2, 1, 1, 2}, {0, 3}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_EQ(a.z, (std::vector<double>{0, 0}));
  EXPECT_EQ(a.outcome.iterations, 0);
}

TYPED_TEST(PivotingMethods, TakeAProblemWithoutRows) { EXPECT_EQ(TypeParam()(Problem{}).outcome.stop, Stop::finished); }

TYPED_TEST(PivotingMethods, RefuseCones) {
  EXPECT_THROW(TypeParam()(contact_problem(separate_boxes_scene(1, 1), Matrix::Kind::dense)), CheckFailed);
}

// Free, nonnegative and box rows in any mix, semidefinite and singular, with a solution planted and many ties.
TYPED_TEST(PivotingMethods, SolveMixesOfBlocks) {
  const TypeParam solve;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(25), no_cones, dice);
    const int n = layout.size;
    Square M = seed % 3 == 0   ? random_integer_psd(n, dice)
               : seed % 3 == 1 ? random_psd(n, 1 + dice.below(n), dice)
                               : random_psd(n, n, dice);
    if (seed % 2 == 0 && seed % 3 == 2) add_skew(M, n, 1, dice);
    const Pivoted a = solve(plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice).problem);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << n << " " << show(a);
  }
}

TYPED_TEST(PivotingMethods, SolveFromAnyWarmStart) {
  const TypeParam solve;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const auto of_any_rank = [](int n, Dice& d) { return random_psd(n, 1 + d.below(n), d); };
    const Planted planted = plant_random(1 + dice.below(20), no_cones, of_any_rank, 0.3, dice);
    std::vector<double> guess = planted.z;
    for (double& x : guess)
      if (dice.chance(0.3)) x = dice.near_zero(1);
    const Pivoted a = solve(planted.problem, guess);
    EXPECT_TRUE(a.solved()) << "seed " << seed << " n " << planted.problem.size() << " " << show(a);
  }
}

TYPED_TEST(PivotingMethods, DoNotMindOrderAndUnits) {
  const TypeParam solve;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Problem problem = plant_random(1 + dice.below(15), no_cones, random_definite, 0.2, dice).problem;
    const int blocks = int(problem.blocks.size());
    const Pivoted a = solve(permuted(problem, random_order(blocks, dice)));
    EXPECT_TRUE(a.solved()) << "seed " << seed << " " << show(a);
    std::vector<double> units(static_cast<std::size_t>(blocks));
    for (double& unit : units) unit = std::pow(10, dice.near_zero(3));
    // The plain figure depends on units; only the scaled one, which does not, is checked.
    const Pivoted b = solve(rescaled(problem, units));
    EXPECT_EQ(b.outcome.stop, Stop::finished) << "seed " << seed;
    EXPECT_LE(b.residual.relative, pivoting_tolerance) << "seed " << seed << " " << show(b);
  }
}

void fill_with_nan(std::initializer_list<AlignedArray<double>*> arrays) {
  for (AlignedArray<double>* numbers : arrays)
    for (double& x : *numbers) x = std::nan("");
}
void fill_with_nan(LemkeWorkspace& ws) {
  fill_with_nan({&ws.matrix, &ws.tableau, &ws.factor, &ws.basic, &ws.sign, &ws.scale, &ws.row_scale, &ws.reference,
                 &ws.q, &ws.height, &ws.row_height, &ws.x, &ws.w, &ws.ratio, &ws.solved, &ws.best, &ws.saved});
}
void fill_with_nan(DantzigWorkspace& ws) {
  fill_with_nan({&ws.columns, &ws.inverse, &ws.scale, &ws.q, &ws.lower, &ws.upper, &ws.z, &ws.w, &ws.dz, &ws.dw, &ws.u,
                 &ws.v, &ws.gathered});
}

TYPED_TEST(PivotingMethods, DoNotReadWhatAWorkspaceHeld) {
  const TypeParam solve;
  typename TypeParam::Workspace used;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const Problem problem = plant_random(1 + dice.below(30), no_cones, random_definite, 0.2, dice).problem;
    const Pivoted a = solve(problem, used), b = solve(problem);
    EXPECT_EQ(a.z, b.z) << "seed " << seed;
    fill_with_nan(used);
  }
}

TYPED_TEST(PivotingMethods, TellRedundantEqualitiesFromContradictions) {
  const TypeParam solve;
  // The same equality twice, and a bounded row that it couples to.
  const Square M{2, 2, 1, 2, 2, 1, 1, 1, 3};
  Problem problem{
      Matrix::dense(3, M), {-2, -2, -4}, {{BlockKind::free, 0, 2, 0}, {BlockKind::nonnegative, 2, 1, 0}}, {}, {}};
  EXPECT_TRUE(solve(problem).solved()) << show(solve(problem));
  problem.q[1] = -3;  // now they contradict each other
  const Pivoted a = solve(problem);
  EXPECT_EQ(a.outcome.stop, Stop::ray);
  if constexpr (std::is_same_v<TypeParam, ByLemke>) {
    ASSERT_EQ(a.ray.size(), 3u);
    EXPECT_TRUE(certifies_unsolvable(problem, a.ray));
  }
}

}  // namespace
}  // namespace linchpin

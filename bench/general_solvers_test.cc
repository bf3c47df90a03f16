// What multipliers are timed against solves the same equations.
#include "bench/general_solvers.h"

#include <gtest/gtest.h>

#include "bench/forest_timing.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {
namespace {

TEST(GeneralSolvers, SolveWhatTheForestSolves) {
  constexpr double rounding = 1e-12;  // of terms, after some hundred roundings
  for (const ForestShape shape : {ForestShape::chain, ForestShape::star, ForestShape::random})
    for (const int bodies : {1, 2, 30}) {
      BlockSystem system = hinged_bodies(shape, bodies);
      const ConstraintForest forest = forest_of(system);
      set_order(forest, system);
      ForestFactors factors(forest);
      load(system, factors);
      std::vector<double> y(system.F.size()), l(system.r.size());
      ASSERT_TRUE(factors.factor_and_solve(system.F, system.r, y, l));
      EXPECT_LE(system.residual(y, l), rounding);
      l[0] += 1;
      EXPECT_GE(system.residual(y, l), 1e-6);  // the judge sees it
      for (const General kind : all_general) {
        if (!is_here(kind)) continue;
        const std::string what = to_string(kind) + " on " + to_string(shape) + " of " + std::to_string(bodies);
        const std::unique_ptr<GeneralSolver> solver = make_general(kind, system);
        const bool factored = solver->factor();
        if (kind == General::ldlt_amd && !factored) continue;  // the zero block has no pivots
        ASSERT_TRUE(factored) << what;
        solver->solve(system.F, system.r, y, l);
        EXPECT_TRUE(solver->converged()) << what;
        EXPECT_LE(system.residual(y, l), kind == General::cg_of_A ? 1e-8 : rounding) << what;
        if (kind == General::ldlt_in_our_order) {
          EXPECT_EQ(solver->nonzeros(), system.numbers_below_diagonal()) << what;
        }
      }
    }
}

// 004 figure 1: a star's A has no zeros.
TEST(GeneralSolvers, CountNumbersOfA) {
  EXPECT_EQ(nonzeros_of_A(hinged_bodies(ForestShape::chain, 20)), 25 * (20 + 2 * 19));
  EXPECT_EQ(nonzeros_of_A(hinged_bodies(ForestShape::star, 20)), 100 * 100);
}

}  // namespace
}  // namespace linchpin

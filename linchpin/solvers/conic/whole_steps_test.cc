#include "linchpin/solvers/conic/whole_steps.h"

#include <gtest/gtest.h>

#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

// Scaled unknowns near a problem's solution, and room to go on from there.
struct Neighbourhood {
  explicit Neighbourhood(const Problem& problem) : z(problem.q.size()) {
    Solver solver;
    EXPECT_EQ(solver.solve(problem, SolverId::automatic, {.tolerance = 1e-13}, z).status, Status::solved);
    p.assign(problem);
    system.prepare(p);
    for (std::vector<double>* x : {&r, &u, &F, &dr, &best}) x->assign(p.stride, 0.0);
    p.scale(z, r.data());
  }
  WholeStepsResult go(double enough, int limit) {
    first = measure(p, r.data(), u.data());
    return whole_steps(p, first, enough, limit, {r, u, F, dr, best, system});
  }
  Residual judged(const Problem& problem) {
    p.unscale(r.data(), z);
    ResidualWorkspace judge;
    return residual(problem, z, judge);
  }
  std::vector<double> z, r, u, F, dr, best;
  double first = 0;
  ScaledProblem p;
  CellSystem system;
};

// Sliding contacts make the map curved, the others leave it linear: a guess off by a thousandth becomes 1e-6, then
// 1e-12.
TEST(WholeSteps, ArriveFromNearby) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Problem& problem : {separate_boxes(3, seed), stack_of_boxes(2, seed, {.mu = 0.8})}) {
      Neighbourhood at(problem);
      for (std::size_t i = 0; i < problem.q.size(); ++i) at.r[i] *= 1 + (i % 2 == 0 ? 1e-3 : -1e-3);
      const WholeStepsResult result = at.go(tolerance, 8);
      EXPECT_LE(result.steps, 4) << "seed " << seed;
      EXPECT_TRUE(at.judged(problem).within(tolerance)) << "seed " << seed;
    }
}

TEST(WholeSteps, KeepTheBestPointAndTheLimit) {
  const Problem problem = pile_of_spheres(60, 3, {.speed = 1});
  for (const double off : {0.5, 10.0, -3.0}) {
    Neighbourhood at(problem);
    for (double& x : at.r) x *= off;
    const WholeStepsResult result = at.go(tolerance, 2);
    EXPECT_LE(result.steps, 2);
    EXPECT_LE(result.figure, at.first);
    EXPECT_EQ(measure(at.p, at.r.data(), at.u.data()), result.figure);
  }
}

}  // namespace
}  // namespace linchpin

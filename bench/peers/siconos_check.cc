// Does Siconos solve our problems? Ours are handed over in another storage and order; whatever it says it has solved,
// our judge must find solved, in both storages, and twice alike.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/peers/siconos.h"
#include "linchpin/solvers/problem/generate.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {
namespace {

struct Solved {
  SiconosOutcome outcome;
  double residual = 0;
  std::vector<double> z;
};
Solved solve(const Problem& problem, SiconosSolver& solver, double tolerance) {
  Solved solved{{}, 0, std::vector<double>(problem.size())};
  {
    const SiconosSilence silence;
    solved.outcome = solver.solve(tolerance, 10000, solved.z);
  }
  ResidualWorkspace ws;
  solved.residual = residual(problem, solved.z, ws).plain_relative;
  return solved;
}

class Siconos : public testing::Test {
  void SetUp() override {
    if (!siconos_installed()) GTEST_SKIP() << "Siconos is not installed";
  }
};

// A box that falls on its four corners, and a small pile that is shaken.
TEST_F(Siconos, solves_contact) {
  for (const Problem& problem : {separate_boxes(1, 1), pile_of_spheres(8, 1)})
    for (const std::string& name : siconos_solvers(problem))
      for (const SiconosStorage storage : {SiconosStorage::dense, SiconosStorage::sparse_blocks}) {
        SiconosSolver solver(problem, name, storage);
        const Solved first = solve(problem, solver, 1e-10), again = solve(problem, solver, 1e-10);
        EXPECT_TRUE(first.outcome.finished) << name;
        // Its measure divides by the largest of |q|, |z|, |w|, which is not far from |q| here.
        EXPECT_LE(first.residual, 1e-8) << name;
        EXPECT_EQ(first.z, again.z) << name;
        EXPECT_EQ(first.outcome.iterations, again.outcome.iterations) << name;
      }
}

TEST_F(Siconos, says_when_it_ran_out_of_iterations) {
  const Problem problem = stack_of_boxes(4, 1);
  SiconosSolver solver(problem, "NSGS", SiconosStorage::sparse_blocks);
  std::vector<double> z(problem.size());
  const SiconosSilence silence;
  const SiconosOutcome outcome = solver.solve(1e-12, 5, z);
  EXPECT_FALSE(outcome.finished);
  EXPECT_TRUE(outcome.limit);
}

// w = M z + q with M = ((2, 1), (1, 2)), q = (-1, 1): z = (1/2, 0), w = (0, 3/2).
TEST_F(Siconos, solves_linear_complementarity) {
  const Problem problem = linear_complementarity(Matrix::dense(2, {2, 1, 1, 2}), {-1, 1});
  for (const std::string& name : siconos_solvers(problem)) {
    SiconosSolver solver(problem, name, SiconosStorage::dense);
    const Solved solved = solve(problem, solver, 1e-12);
    EXPECT_TRUE(solved.outcome.finished) << name;
    EXPECT_NEAR(solved.z[0], 0.5, 1e-12) << name;
    EXPECT_NEAR(solved.z[1], 0, 1e-12) << name;
  }
}

// Rows 0 and 2 are pairs, row 1 is an equality: 2 z0 + z1 = 1 + w0, z0 - 3 z1 = -2, z2 = -1 + w2 give
// z = (1/7, 5/7, 0) and w2 = 1.
TEST_F(Siconos, solves_mixed_problems_in_our_order) {
  Problem problem;
  problem.M = Matrix::dense(3, {2, 1, 0, 1, -3, 0, 0, 0, 1});
  problem.q = {-1, 2, 1};
  problem.blocks = {{BlockKind::nonnegative, 0, 1, 0}, {BlockKind::free, 1, 1, 0}, {BlockKind::nonnegative, 2, 1, 0}};
  ASSERT_FALSE(siconos_solvers(problem).empty());
  for (const std::string& name : siconos_solvers(problem)) {
    SiconosSolver solver(problem, name, SiconosStorage::dense);
    const Solved solved = solve(problem, solver, 1e-12);
    EXPECT_TRUE(solved.outcome.finished) << name;
    EXPECT_NEAR(solved.z[0], 1.0 / 7, 1e-12) << name;
    EXPECT_NEAR(solved.z[1], 5.0 / 7, 1e-12) << name;
    EXPECT_NEAR(solved.z[2], 0, 1e-12) << name;
  }
}

TEST_F(Siconos, has_no_solvers_for_boxes_and_mixtures) {
  Problem problem = separate_boxes(1, 1);
  problem.blocks[0].kind = BlockKind::nonnegative;
  EXPECT_TRUE(siconos_solvers(problem).empty());
  problem.blocks.assign(1, {BlockKind::box, 0, 12, 0});
  EXPECT_TRUE(siconos_solvers(problem).empty());
}

}  // namespace
}  // namespace linchpin

// A small campaign; campaign_long_test.cc runs a million problems.
#include "linchpin/solvers/campaign.h"

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {
namespace {

TEST(Campaign, FindsNoWrongAnswer) {
  Campaign campaign;
  campaign.run(1, 8000);
  const CampaignResult& r = campaign.result;
  EXPECT_EQ(r.wrong, 0);
  for (const std::string& answer : r.wrong_answers) ADD_FAILURE() << answer;
  EXPECT_EQ(r.not_finite, 0);
  for (const std::string& answer : r.not_finite_answers) ADD_FAILURE() << answer << ", z is not finite";
  for (const std::string& missed : r.missed) std::printf("missed: %s\n", missed.c_str());
  std::printf("%s", r.text().c_str());
  for (std::size_t i = 0; i < family_names.size(); ++i) EXPECT_GE(r.family[i].problems, 300) << family_names[i];

  // Solved: all contacts and all planted problems; degenerate integers are solved or proved to have no solution.
  EXPECT_EQ(r.of(Family::conic).solved, r.of(Family::conic).problems);
  EXPECT_EQ(r.of(Family::polyhedral).solved, r.of(Family::polyhedral).problems);
  EXPECT_EQ(r.of(Family::planted).solved, r.of(Family::planted).problems);
  EXPECT_EQ(r.of(Family::degenerate).solved + r.of(Family::degenerate).unsolvable, r.of(Family::degenerate).problems);
  // Lemke's ray is a proof if M is semidefinite (unsolvable.h).
  EXPECT_EQ(r.of(Family::infeasible_semidefinite).unsolvable, r.of(Family::infeasible_semidefinite).problems);
  // A fifth of the tiny ones have matrices of no class, for which only enumeration is guaranteed to succeed.
  EXPECT_LE(r.of(Family::tiny).missed, r.of(Family::tiny).problems / 100);
}

// The campaign's judge against residual(): away from solutions, at planted ones and between, for every kind of block,
// matrix and unit. They share only the definition. They differ by the rounding of double: n products of M z, relative
// to |q|, which is not much smaller. Plus 1e-17: residual() adds a bound on the error of extended precision
// (residual.h), so it may give 4e-19 where e is 0.
TEST(Campaign, ItsJudgeAgreesWithResidual) {
  Judge judge;
  ResidualWorkspace ws;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const Problem p = campaign_problem(dice).problem;
    std::vector<double> z(p.q.size());
    const double size = std::pow(10, dice.near_zero(2));
    for (double& x : z) x = dice.chance(0.3) ? 0 : dice.near_zero(size);
    const Residual r = residual(p, z, ws);
    const double figure = larger(r.relative, r.plain_relative);
    EXPECT_NEAR(double(judge.figure(p, z)), figure, 1e-12 * figure + 1e-17) << "seed " << seed;
  }
}

TEST(Campaign, ItsJudgeAcceptsWhatIsPlanted) {
  Judge judge;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Planted planted = plant_random(1 + dice.below(15), {}, random_full_psd, 0.3, dice);
    EXPECT_LE(double(judge.figure(planted.problem, planted.z)), 1e-13) << "seed " << seed;  // q is rounded
    std::vector<double> z = planted.z;
    for (double& x : z) x += 1e-6;
    EXPECT_GE(double(judge.figure(planted.problem, z)), 1e-9) << "seed " << seed;
  }
}

TEST(Campaign, ItsJudgeRefusesWhatIsNotFinite) {
  Judge judge;
  for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::box, BlockKind::cone}) {
    Problem p{Matrix::dense(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-1, 0, 0}, {{kind, 0, 3, 0.5}}, {}, {}};
    if (kind == BlockKind::box) {
      p.lower = {0, 0, 0};
      p.upper = {1, 1, 1};
    }
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
      for (std::size_t at = 0; at < 3; ++at) {
        std::vector<double> z(3);
        z[at] = bad;
        EXPECT_FALSE(judge.figure(p, z) <= 1) << to_string(kind) << " " << bad << " in row " << at;
      }
  }
}

// An integer problem without a solution: y = (2 2 1) has y'M = 0 and y'q = -2. Yet at this z of 1e14 M z + q is 0 in
// double, as q is below the last bits of M z. (Seed 1035900 of the campaign; found by interior_point.)
TEST(Campaign, LargeNumbersDoNotHideQ) {
  const Problem p = linear_complementarity(Matrix::dense(3, {13, -1, -24, -1, 5, -8, -24, -8, 64}), {-1, 2, -4});
  EXPECT_TRUE(certifies_unsolvable(p, std::vector<double>{2, 2, 1}));
  std::vector<double> z{371481156960229.5, 371481156960229.12, 185740578480114.75};
  ResidualWorkspace ws;
  Judge judge;
  EXPECT_GE(double(judge.figure(p, z)), 0.1);
  EXPECT_FALSE(residual(p, z, ws).within(1e-10));
  Solver solver;
  for (const SolverInfo& s : solvers()) EXPECT_NE(solver.solve(p, s.id, {}, z).status, Status::solved) << s.name;
}

// w = -1 for every z, but z - (z - w) is 0 in double if z is beyond 1e16.
TEST(Campaign, LargeImpulsesDoNotHideVelocities) {
  Problem box{Matrix::dense(1, {0}), {-1}, {{BlockKind::box, 0, 1, 0}}, {0}, {HUGE_VAL}};
  const Problem cone{Matrix::dense(3, zero_square(3)), {-1, -1, -1}, {{BlockKind::cone, 0, 3, 0.5}}, {}, {}};
  ResidualWorkspace ws;
  Judge judge;
  EXPECT_GE(double(judge.figure(box, {1e17})), 0.1);
  EXPECT_GE(double(judge.figure(cone, {1e17, 0, 0})), 0.1);
  EXPECT_FALSE(residual(box, std::vector<double>{1e17}, ws).within(1e-10));
  EXPECT_FALSE(residual(cone, std::vector<double>{1e17, 0, 0}, ws).within(1e-10));
  Solver solver;
  std::vector<double> z(3);
  for (const SolverInfo& s : solvers()) {
    if (find_refusal(s, cone)) continue;
    EXPECT_NE(solver.solve(cone, s.id, {}, z).status, Status::solved) << s.name;
  }
}

}  // namespace
}  // namespace linchpin

#include "linchpin/contact/friction.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {
namespace {

// A sliding block of 2 kg with a preload beside its weight; or lifted off, with the preload only. Closed form: friction
// mu (n + preload) against the motion, at most what stops it.
TEST(PreloadedFriction, BlockUnderAPress) {
  const double mass = 2, mu = 0.4;
  Solver solver;
  for (const double normal_speed : {-0.3, 0.2})
    for (const double preload : {0.0, 0.5, 1.0})
      for (const double speed : {0.1, 0.25, 3.0}) {
        const double x = 0.6, y = -0.8, n = std::max(-mass * normal_speed, 0.0);
        const Problem conic{Matrix::dense(3, {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass}),
                            {normal_speed, speed * x, speed * y},
                            {{BlockKind::cone, 0, 3, mu}},
                            {},
                            {}};
        const std::vector<double> preloads{preload, 7, 7};  // only the normal row is read
        PreloadedFriction friction;
        Problem out;
        friction.pose(conic, preloads, out);
        ASSERT_FALSE(find_fault(out)) << find_fault(out)->message;
        EXPECT_EQ(out.size(), preload > 0 ? 6 : 3);
        std::vector<double> z(out.q.size()), r(3);
        ASSERT_EQ(solver.solve(out, SolverId::automatic, {.tolerance = 1e-13}, z).status, Status::solved);
        friction.to_conic(z, r);
        const double expected = std::min(mass * speed, mu * (n + preload));
        EXPECT_NEAR(r[0], n, 1e-12);
        EXPECT_NEAR(r[1], -expected * x, 1e-12);
        EXPECT_NEAR(r[2], -expected * y, 1e-12);
      }
}

// 32 directions, one of them against each contact's motion, give the velocities of the cones.
TEST(PreloadedFriction, AgreesWithDirections) {
  Solver solver;
  for (int seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice{std::uint64_t(seed)};
    const int contacts = 1 + dice.below(2), n = 3 * contacts;
    ProblemLayout layout;
    std::vector<double> preload(static_cast<std::size_t>(n));
    for (int c = 0; c < contacts; ++c) {
      layout.blocks.push_back({BlockKind::cone, 3 * c, 3, dice.between(0, 0.3)});
      preload[3 * c] = dice.chance(0.3) ? 0 : dice.between(0, 1);
    }
    layout.size = n;
    Square M = random_psd(n, n, dice);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 1;
    const Problem conic = problem_of(layout, Matrix::dense(n, std::move(M)), random_q(n, dice));
    PreloadedFriction friction;
    Problem out;
    friction.pose(conic, preload, out);
    std::vector<double> z(out.q.size()), r(conic.q.size()), w(conic.q.size());
    ASSERT_EQ(solver.solve(out, SolverId::automatic, {.tolerance = 1e-12}, z).status, Status::solved);
    friction.to_conic(z, r);
    conic.M.multiply(r, w, {});
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += conic.q[i];
    std::vector<double> turn;
    for (int c = 0; c < contacts; ++c) turn.push_back(std::atan2(-w[3 * c + 2], -w[3 * c + 1]));
    PolyhedralFriction polyhedral;
    Problem posed;
    polyhedral.pose(conic, 32, turn, posed);
    for (int c = 0; c < contacts; ++c) posed.q[polyhedral.bound_row(c)] = conic.blocks[c].mu * preload[3 * c];
    std::vector<double> y(posed.q.size()), s(conic.q.size());
    ASSERT_EQ(solver.solve(posed, SolverId::automatic, {}, y).status, Status::solved);
    polyhedral.to_conic(y, s);
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], s[i], 1e-8);
  }
}

TEST(PreloadedFriction, KeepsOtherRowsAndAnyMatrix) {
  Problem conic = one_of_each();
  std::vector<double> preload(8);
  preload[5] = 2;
  PreloadedFriction friction;
  Problem a, b;
  friction.pose(conic, preload, a);
  EXPECT_FALSE(find_fault(a));
  EXPECT_EQ(a.size(), 11);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(a.lower[i], conic.lower[i]);
    EXPECT_EQ(a.upper[i], conic.upper[i]);
    EXPECT_EQ(a.q[i], conic.q[i]);
  }
  EXPECT_EQ(a.q[8], -2) << "K = 1 here";
  const Problem factored = stack_of_boxes(2, 1);
  preload.assign(factored.q.size(), 0.1);
  friction.pose(factored, preload, a);
  friction.pose(with_matrix(factored, Matrix::Kind::dense), preload, b);
  EXPECT_EQ(a.M.dense(), b.M.dense());
  EXPECT_EQ(a.q, b.q);
  EXPECT_TRUE(a.lower.empty());
  EXPECT_FALSE(find_fault(a));
  EXPECT_THROW(friction.pose(conic, preload, a), CheckFailed);
}

// Before a problem is posed there are no rows.
TEST(PreloadedFriction, HasNoRowsAtFirst) {
  PreloadedFriction friction;
  EXPECT_EQ(friction.size(), 0);
  Problem out;
  EXPECT_NO_THROW(friction.set_q({}, out));
  EXPECT_NO_THROW(friction.to_conic({}, {}));
  EXPECT_THROW(friction.set_q(std::vector<double>(1), out), CheckFailed);
}

// Each size that does not fit is refused, also where the other one does.
TEST(PreloadedFriction, ChecksSizes) {
  Problem conic, out;
  conic.M = Matrix::dense(3, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  conic.q = {-1, 0, 0};
  conic.blocks = {{BlockKind::cone, 0, 3, 0.5}};
  PreloadedFriction friction;
  friction.pose(conic, std::vector<double>{1, 0, 0}, out);
  ASSERT_EQ(friction.size(), 6);
  const std::vector<double> whole(6, 0.0);
  std::vector<double> z(3), few(2);
  EXPECT_NO_THROW(friction.to_conic(whole, z));
  EXPECT_THROW(friction.to_conic(whole, few), CheckFailed);
  EXPECT_THROW(friction.to_conic(z, z), CheckFailed);
  EXPECT_NO_THROW(friction.set_q(z, out));
  EXPECT_THROW(friction.set_q(few, out), CheckFailed);
  out.q.resize(5);
  EXPECT_THROW(friction.set_q(z, out), CheckFailed);
}

TEST(ConeViolation, OfEachKind) {
  const std::vector<Block> blocks{
      {BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 2, 0}, {BlockKind::cone, 3, 3, 0.5}};
  const auto of = [&](std::vector<double> z) { return cone_violation(blocks, z); };
  EXPECT_EQ(of({-9, 1, 0, 10, 3, 4}), 0);
  EXPECT_EQ(of({-9, 1, -2, 10, 3, 4}), 2);
  EXPECT_EQ(of({-9, 1, 1, 6, 3, 4}), 2);
  EXPECT_EQ(of({-9, 1, 1, -3, 0, 0}), 3);
  // Inside, on the surface in every direction, and just outside.
  for (const double x : {-3.0, 3.0})
    for (const double y : {-4.0, 4.0}) {
      EXPECT_EQ(of({9, 0, 0, 11, x, y}), 0);
      EXPECT_EQ(of({9, 0, 0, 10, x, y}), 0);
      EXPECT_NEAR(of({9, 0, 0, 9.9, x, y}), 0.05, 1e-15);
    }
  EXPECT_EQ(of({0, 0, 0, 0, 0, 0}), 0);
  EXPECT_EQ(of({0, -1, -5, 2, 2, 0}), 5) << "the worst of several";
  // NaN is no impulse within its cone, wherever it stands; free rows have no cone.
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<double> z{0, 1, 1, 10, 3, 4};
    z[i] = std::nan("");
    EXPECT_EQ(std::isnan(of(z)), i > 0) << i;
  }
  EXPECT_EQ(cone_count(blocks), 1);
}

}  // namespace
}  // namespace linchpin

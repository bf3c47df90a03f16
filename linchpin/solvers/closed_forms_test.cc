// Problems with a known solution, or known to have none, for every iterative solver.
#include <gtest/gtest.h>

#include "linchpin/solvers/conic/arc_path.h"
#include "linchpin/solvers/conic/gauss_seidel.h"
#include "linchpin/solvers/conic/interior_point.h"
#include "linchpin/solvers/conic/newton.h"
#include "linchpin/solvers/conic/proximal.h"
#include "linchpin/solvers/solver_testing.h"

namespace linchpin {
namespace {

template <class Method>
class ClosedForms : public testing::Test {};
using IterativeMethods =
    testing::Types<Solving<NewtonWorkspace, newton>, Solving<InteriorPointWorkspace, interior_point>,
                   Solving<ArcPathWorkspace, arc_path>, Solving<GaussSeidelWorkspace, gauss_seidel>,
                   Solving<ProximalWorkspace, proximal>>;
TYPED_TEST_SUITE(ClosedForms, IterativeMethods);

// Without friction a cone is a half-line: separating contacts have no impulse, and no impulse is negative. Tangential
// impulses are exactly zero.
TYPED_TEST(ClosedForms, NoFrictionAndNoPulling) {
  const TypeParam solve;
  for (const double speed : {1.0, -1.0})
    for (const int contacts : {1, 2}) {
      Problem p;
      Square M = zero_square(3 * contacts);
      for (int c = 0; c < contacts; ++c) {
        for (int k = 0; k < 3; ++k) entry(M, 3 * contacts, 3 * c + k, 3 * c + k) = 1;
        p.q.insert(p.q.end(), {speed, 0, 0});
        p.blocks.push_back({BlockKind::cone, 3 * c, 3, 0});
      }
      p.M = Matrix::dense(3 * contacts, std::move(M));
      const Answer a = solve(p);
      ASSERT_TRUE(a.solved()) << show(a);
      for (int c = 0; c < contacts; ++c) EXPECT_NEAR(a.z[3 * c], std::max(-speed, 0.0), 10 * tolerance);
      ResidualWorkspace ws;
      for (double& z : p.q) z = 0;  // now z = -1 is wrong, although w is 0 there
      p.q[0] = 1;
      std::vector<double> pulls(p.q.size());
      pulls[0] = -1;
      EXPECT_NEAR(residual(p, pulls, ws).absolute, 1, 1e-15);
    }
}

// A mass of 2 kg on a slope, for a step of 0.01 s: Coulomb's law by hand. Downhill is anywhere in the tangent plane.
TYPED_TEST(ClosedForms, BlockOnASlope) {
  const TypeParam solve;
  const double m = 2, g_dt = 0.0981;
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0})
    for (const double slope : {0.05, 0.3, 0.6, 1.2, 1.5})
      for (const double heading : {0.0, 0.7, 2.5, -1.8}) {
        const double down = g_dt * std::sin(slope), press = g_dt * std::cos(slope), x = std::cos(heading),
                     y = std::sin(heading);
        const Problem p{Matrix::dense(3, {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}),
                        {-press, down * x, down * y},
                        {{BlockKind::cone, 0, 3, mu}},
                        {},
                        {}};
        const Answer a = solve(p);
        ASSERT_TRUE(a.solved()) << "mu " << mu << " slope " << slope << " " << show(a);
        const bool sticks = std::tan(slope) <= mu;
        const double friction = sticks ? down : mu * press, speed = down - friction;
        const double close =
            10 * tolerance * m * g_dt;  // the residual is relative to |q| = g dt; impulses are m times that
        EXPECT_NEAR(a.z[0], m * press, close);
        EXPECT_NEAR(a.z[1], -m * friction * x, close);
        EXPECT_NEAR(a.z[2], -m * friction * y, close);
        EXPECT_NEAR(a.w[0], 0, close);
        EXPECT_NEAR(a.w[1], speed * x, close);
        EXPECT_NEAR(a.w[2], speed * y, close);
      }
}

// A box that slides on its four corners: only the sums of impulses are determined, not their distribution.
TYPED_TEST(ClosedForms, BoxThatSlidesSlowsDown) {
  const TypeParam solve;
  const double mu = 0.3, speed = 1;
  ContactScene scene = separate_boxes_scene(1, 1, {.mu = mu, .degenerate = true});
  scene.bodies[0].velocity = {0, 0, 0, speed, 0, 0};
  const Answer a = solve(contact_problem(scene));
  ASSERT_TRUE(a.solved()) << show(a);
  const double g_dt = scene.gravity * scene.dt, weight = scene.bodies[0].mass * g_dt;
  double press = 0;
  for (std::size_t i = 0; i < 4; ++i) press += a.z[3 * i];
  EXPECT_NEAR(press, weight, 10 * tolerance * scene.bodies[0].mass * 2);  // |q| is about 2: four corners at speed 1
  const ContactScene after = after_step(scene, a.z);
  EXPECT_NEAR(after.bodies[0].velocity[3], speed - mu * g_dt, 100 * tolerance);
  for (const std::size_t k : {0, 1, 2, 4, 5}) EXPECT_NEAR(after.bodies[0].velocity[k], 0, 100 * tolerance);
}

// Without friction, at rest: each interface carries the weight above it.
TYPED_TEST(ClosedForms, StackWithoutFriction) {
  const TypeParam solve;
  const int boxes = 6;
  const ContactScene stack = stack_of_boxes_scene(boxes, 1, {.mu = 0, .degenerate = true});
  const Answer a = solve(contact_problem(stack));
  ASSERT_TRUE(a.solved()) << show(a);
  double above = 0;
  for (int box = boxes - 1; box >= 0; --box) {
    above += stack.bodies[box].mass * stack.gravity * stack.dt;
    double sum = 0;
    for (int corner = 0; corner < 4; ++corner) sum += a.z[12 * box + 3 * corner];
    EXPECT_NEAR(sum, above, 100 * tolerance * above);  // velocities are right to the tolerance; six masses add up
  }
}

// 2 z1 + z2 = 5, z1 + 3 z2 = 5: z = (2, 1), and free rows may have any sign.
TYPED_TEST(ClosedForms, FreeRowsAreEquations) {
  const TypeParam solve;
  for (const double sign : {1.0, -1.0}) {
    const Problem p{Matrix::dense(2, {2, 1, 1, 3}), {-5 * sign, -5 * sign}, {{BlockKind::free, 0, 2, 0}}, {}, {}};
    const Answer a = solve(p);
    ASSERT_TRUE(a.solved()) << show(a);
    EXPECT_NEAR(a.z[0], 2 * sign, 100 * tolerance);
    EXPECT_NEAR(a.z[1], 1 * sign, 100 * tolerance);
  }
}

// Uncoupled rows: z is -q / M clamped to its bounds, also if these coincide or are infinite.
TYPED_TEST(ClosedForms, BoundsHold) {
  const TypeParam solve;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> d{1, 2, 4, 1, 0.5, 3}, q{-3, 4, -1, 7, 2, -6}, l{-1, -1, -1, 0.5, -infinity, -1},
      u{1, 1, 1, 0.5, infinity, infinity};
  Square M = zero_square(6);
  for (int i = 0; i < 6; ++i) entry(M, 6, i, i) = d[i];
  const Answer a = solve({Matrix::dense(6, M), q, {{BlockKind::box, 0, 6, 0}}, l, u});
  ASSERT_TRUE(a.solved()) << show(a);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(a.z[i], std::min(std::max(-q[i] / d[i], l[i]), u[i]), 100 * tolerance) << "row " << i;
}

TYPED_TEST(ClosedForms, NoRows) {
  const TypeParam solve;
  EXPECT_EQ(solve(Problem{}).outcome.stop, Stop::finished);
}

// w = -1 for every z: the solver must report failure, with finite z.
TYPED_TEST(ClosedForms, FailsWithFiniteNumbers) {
  const TypeParam solve;
  for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::cone})
    for (const bool all : {true, false}) {
      const Square M = all ? zero_square(6) : Square{2, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                                     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      const Problem p{Matrix::dense(6, M), {-1, -1, -1, -1, -1, -1}, {{kind, 0, 3, 0.5}, {kind, 3, 3, 0.5}}, {}, {}};
      const Answer a = solve(p);
      EXPECT_NE(a.outcome.stop, Stop::finished) << to_string(kind) << " " << show(a);
      EXPECT_TRUE(finite(a.z)) << to_string(kind);
      EXPECT_FALSE(a.residual.within(tolerance)) << to_string(kind);
    }
}

// Zero rows that are already satisfied are no obstacle.
TYPED_TEST(ClosedForms, RowsOfZerosThatHold) {
  const TypeParam solve;
  const Problem p{
      Matrix::dense(3, {2, 0, 1, 0, 0, 0, 1, 0, 2}), {-1, 1, -1}, {{BlockKind::nonnegative, 0, 3, 0}}, {}, {}};
  const Answer a = solve(p);
  EXPECT_TRUE(a.solved()) << show(a);
}

}  // namespace
}  // namespace linchpin

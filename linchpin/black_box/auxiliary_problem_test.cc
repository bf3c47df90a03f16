// Inequalities by multipliers (contact, friction, limits) against closed forms.
#include "linchpin/black_box/auxiliary_problem.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/implicit_surfaces.h"
#include "linchpin/model/spec.h"

namespace linchpin {
namespace {

// A rod of length 2 l that slides on its lower end with friction, leaning by `angle` from the horizontal over the side
// that it slides to (sign +1) or away from. With the force N - mu t in one column,
//     A = J M^-1 k = (1 + 3 cos a (cos a -+ mu sin a)) / m,     b = 3-D gravity and spin of the tip               (1)
// and the normal force is -b / A [the classical problem of Painleve; A < 0 is its paradox].
TEST(AuxiliaryProblem, ASlidingRodsForceIsThatOfPainleve) {
  const double m = 1.4, l = 0.6, mu = 0.4, w = 0.8;
  for (const double angle : {0.3, 0.9, 1.3})
    for (const double sign : {1.0, -1.0}) {
      MultiplierSpec spec;
      spec.gravity = {0, 0, -g};
      const double I = m * l * l / 3;
      const int rod = spec.add(box<RigidBody>(RigidInertia<double>{m, {0, 0, 0}, Sym3<double>::diagonal(1e-3, I, I)}));
      spec.add(box<PointOnPlane>(Vec3<double>{-l, 0, 0}, PointOnPlane::Kind::sliding, mu), {rod}, Role::auxiliary);
      MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
      const auto solver = std::make_shared<AuxiliaryProblem>();
      system.set_solver(solver);
      MultiplierState state = system.make_state();
      put_pose({rotation_y(-angle), {l * std::cos(angle), 0, l * std::sin(angle)}}, system.q(state, rod));
      // the tip slides along +-x; turning by w about -y raises the upper end
      const double tip_x = 2 * sign;
      state.v = {0, -w, 0, tip_x - w * l * std::sin(angle), 0, w * l * std::cos(angle)};
      EXPECT_LT(norm(system.velocity(state, rod, {-l, 0, 0}) - Vec3<double>{tip_x, 0, 0}), 1e-14);
      std::vector<double> vdot(6);
      ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
      const double c = std::cos(angle), s = std::sin(angle);
      const double A = (1 + 3 * c * (c + sign * mu * s)) / m, b = -g + w * w * l * s;
      EXPECT_NEAR(system.auxiliary_matrix()[0], A, 1e-13);
      EXPECT_FALSE(system.auxiliary().symmetric());
      EXPECT_NEAR(system.multipliers(0)[0], -b / A, 1e-12);
      EXPECT_NEAR(vdot[3], -sign * mu * (-b / A) / m, 1e-12);
    }
}

// A box on four corners with friction on a slope that it does not slide down, under f = m a and by impulses.
TEST(AuxiliaryProblem, FourCornersCarryABox) {
  const double slope = 0.3, m = 2, mu = 0.6;
  MultiplierSpec spec;
  spec.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
  const int it = spec.add(box<RigidBody>(RigidInertia<double>{m, {0, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1)}));
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      spec.add(box<PointOnPlane>(Vec3<double>{x, y, -0.2}, PointOnPlane::Kind::cone, mu), {it}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  MultiplierState state = system.make_state();
  put_pose(translation(0, 0, 0.2), system.q(state, it));
  std::vector<double> vdot(6);
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  for (const double a : vdot) EXPECT_NEAR(a, 0, 1e-8);
  double normal = 0;
  for (int i = 0; i < 4; ++i) normal += system.multipliers(i)[0];
  EXPECT_NEAR(normal, m * g * std::cos(slope), 1e-8);
  // falls flat while sliding: the impulse stops the fall, friction reduces the slip by mu times that
  state.v = {0, 0, 0, 3, 0, -2};
  ASSERT_EQ(system.impulses(state), MultiplierStatus::solved);
  EXPECT_NEAR(state.v[5], 0, 1e-8);
  EXPECT_GT(state.v[3], 3 - 2 * mu - 1e-8);  // at most mu times the normal impulse, which turning shares out
  EXPECT_LT(state.v[3], 3);
}

// A rope pulls but does not push; a limit together with a loop.
TEST(AuxiliaryProblem, ARopePullsOnly) {
  MultiplierSpec spec;
  spec.gravity = {0, 0, -g};
  const int a = spec.add(box<Particle>(1.0));
  spec.add(box<DistanceRod>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 1.0, DistanceRod::Kind::rope),
           {a, world_body}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_THROW(
      {
        std::vector<double> vdot(3);
        MultiplierState state = system.make_state();
        state.q[2] = -1;
        system.accelerations(state, {}, vdot);
      },
      CheckFailed);
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  MultiplierState state = system.make_state();
  std::vector<double> vdot(3);
  state.q = {0, 0, -1};
  state.v = {2, 0, 0};
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], 4, 1e-12);
  EXPECT_NEAR(system.multipliers(0)[0], g + 4, 1e-12);
  state.q = {0, 0, 1};  // above: it would have to push
  state.v = {0, 0, 0};
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], -g, 1e-12);
  EXPECT_EQ(system.multipliers(0)[0], 0);
  system.set_active(0, false);
  state.q = {0, 0, -1};
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], -g, 1e-12);
}

// A brake of 2 N m on a wheel: it holds against smaller torques and reduces larger ones by 2 N m.
TEST(AuxiliaryProblem, ABrakeHoldsAsMuchAsItCan) {
  const double I = 0.5;
  MultiplierSpec spec;
  const int wheel = spec.add(box<PlaneBody>(1.0, I));
  spec.add(box<PointsTogether>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 2), {wheel, world_body});
  const auto stop = box<SpinGear>(Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, 1}, 0.0);
  const int brake = spec.add(box<LimitedForce>(stop, -2.0, 2.0), {wheel, world_body}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  const MultiplierState state = system.make_state();
  std::vector<double> vdot(3);
  for (const double torque : {-5.0, -1.5, 0.7, 3.0}) {
    const std::vector<double> F{torque, 0, 0};
    ASSERT_EQ(system.accelerations(state, F, vdot), MultiplierStatus::solved);
    const double held = std::clamp(-torque, -2.0, 2.0);
    EXPECT_NEAR(system.multipliers(brake)[0], held, 1e-12);
    EXPECT_NEAR(vdot[0], (torque + held) / I, 1e-12);
  }
}

// A brake that holds velocities holds no position: a rod that is too long pushes both its ends away.
TEST(AuxiliaryProblem, ABrakeYieldsWherePositionsAreCorrected) {
  MultiplierSpec spec;
  const int a = spec.add(box<Particle>(1.0)), b = spec.add(box<Particle>(1.0));
  const auto hold = box<PointsTogether>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0});
  const auto brake = box<LimitedForce>(hold, -2.0, 2.0);
  EXPECT_EQ(brake->rows(), 3);
  EXPECT_EQ(brake->holonomic_rows(), 0);
  EXPECT_EQ(brake->law().kind, RowLaw::Kind::box);
  EXPECT_EQ(brake->law().lower, -2);
  EXPECT_EQ(brake->law().upper, 2);
  spec.add(brake, {a, world_body}, Role::auxiliary);
  spec.add(box<DistanceRod>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 2.0), {a, b}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  MultiplierState state = system.make_state();
  state.q[3] = 1;
  ASSERT_EQ(system.settle_positions(state), MultiplierStatus::solved);
  EXPECT_NEAR(state.q[0], -0.5, 1e-13);
  EXPECT_NEAR(state.q[3], 1.5, 1e-13);
}

// A mechanism with a loop and a frictionless contact, three laws of rows in one problem, against elimination by hand.
// Two particles on a rod, each on its own wire by equality rows, the lower one on the ground.
TEST(AuxiliaryProblem, ContactBesideALoop) {
  MultiplierSpec spec;
  spec.gravity = {0, 0, -g};
  const int a = spec.add(box<Particle>(1.0)), b = spec.add(box<Particle>(3.0));
  spec.add(box<DistanceRod>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 1.0), {a, b});
  const auto along = [](const Vec3<double>& n) {
    return box<PointOnSurface>(Vec3<double>{0, 0, 0}, box<PlaneSurface>(Vec3<double>{0, 0, 0}, n));
  };
  spec.add(along({1, 0, 0}), {a, world_body}, Role::auxiliary);
  spec.add(along({0, 1, 0}), {a, world_body}, Role::auxiliary);
  spec.add(along({0, 1, 0}), {b, world_body}, Role::auxiliary);
  const int floor =
      spec.add(box<PointOnPlane>(Vec3<double>{0, 0, 0}, PointOnPlane::Kind::frictionless), {b}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  const auto solver = std::make_shared<AuxiliaryProblem>();
  system.set_solver(solver);
  MultiplierState state = system.make_state();
  const double angle = 0.8;  // of the rod with the wall
  state.q = {0, 0, std::cos(angle), std::sin(angle), 0, 0};
  std::vector<double> vdot(6);
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_EQ(solver->report().status, Status::solved);
  EXPECT_EQ(solver->problem().blocks.back().kind, BlockKind::nonnegative);
  // a ladder: z = cos, x = sin; (m_a sin^2 + m_b cos^2) angle'' = m_a g sin
  const double s = std::sin(angle), c = std::cos(angle), turn = g * s / (s * s + 3 * c * c);
  EXPECT_NEAR(vdot[2], -s * turn, 1e-12);
  EXPECT_NEAR(vdot[3], c * turn, 1e-12);
  EXPECT_NEAR(vdot[5], 0, 1e-12);
  EXPECT_NEAR(system.multipliers(floor)[0], 3 * g + (g - s * turn), 1e-11);  // carries both, minus the part that falls
}

}  // namespace
}  // namespace linchpin

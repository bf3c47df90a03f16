// A mechanism of black boxes does not allocate after a first call, which finds out how much memory its constraints
// need. The operator new of this test program counts allocations.
#include <gtest/gtest.h>

#include "linchpin/base/allocation_testing.h"
#include "linchpin/black_box/auxiliary_problem.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_joint.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/multiplier_stepper.h"

namespace linchpin {
namespace {

TEST(NoAllocation, InAMechanismOfBlackBoxes) {
  BoxRandom random(1);
  MultiplierSpec spec;
  for (int i = 0; i < 8; ++i) {
    if (i % 2 == 0)
      spec.add(box<RigidBody>(random.inertia()));
    else
      spec.add(box<StretchableBody>(random.inertia(), 100.0));
    JointSpec joint;
    joint.type = JointType::ball;
    joint.X_PF.p = {0.5, 0, 0};
    spec.add(box<JointConstraint>(joint), {i - 1, i});
  }
  spec.add(box<PointsTogether>(Vec3<double>{0, 0, 0}, Vec3<double>{2, 0, 0}), {7, world_body}, Role::auxiliary);
  spec.add(box<KnifeEdge>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 1, 0}), {3}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  std::vector<double> vdot(state.v.size()), qdot(state.q.size());
  long before = 0;
  for (const bool counted : {false, true}) {
    if (counted) before = allocations;
    EXPECT_EQ(system.settle(state), MultiplierStatus::solved);
    EXPECT_EQ(system.accelerations(state, {}, vdot, {1, 1}), MultiplierStatus::solved);
    EXPECT_EQ(system.velocities(state.t, state.q, {}, vdot), MultiplierStatus::solved);
    EXPECT_EQ(system.impulses(state), MultiplierStatus::solved);
    state.v[0] += 1e-3;
    system.rate(state.q, state.v, qdot);
    system.advance(state.q, state.v, 1e-3);
    EXPECT_EQ(system.settle(state), MultiplierStatus::solved);
    system.kinetic_energy(state);
  }
  EXPECT_EQ(allocations - before, 0);
}

TEST(NoAllocation, InAStepOfBlackBoxes) {
  BoxRandom random(1);
  MultiplierSpec spec;
  for (int i = 0; i < 5; ++i) {
    spec.add(box<RigidBody>(random.inertia()));
    spec.add(box<PointsTogether>(Vec3<double>{i > 0 ? 0.5 : 0.0, 0, 0}, Vec3<double>{0, 0, 0}), {i - 1, i});
  }
  spec.add(box<PointOnPlane>(Vec3<double>{0.5, 0, 0}, PointOnPlane::Kind::cone, 0.5, Vec3<double>{0, 0, -0.5}), {4},
           Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  MultiplierState state = system.make_state();
  for (int i = 0; i < 5; ++i) system.q(state, i)[4] = 0.5 * i;
  MultiplierStepper stepper(system, {.dt = 1e-3});
  ASSERT_EQ(stepper.run(state, 2000), MultiplierStatus::solved);  // falls, touches, slides
  const long before = allocations;
  ASSERT_EQ(stepper.run(state, 200), MultiplierStatus::solved);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace linchpin

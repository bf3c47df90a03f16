// Control laws allocate only in their constructors. Counted by a replaced operator new, in this whole test program.
#include "linchpin/base/allocation_testing.h"
#include "linchpin/control/augmented_object.h"
#include "linchpin/control/feedback.h"
#include "linchpin/control/inverse_kinematics.h"
#include "linchpin/control/operational_space.h"
#include "linchpin/control/trajectory.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

TEST(NoAllocation, InAnyLaw) {
  const Model model = model_of("@humanoid");
  const Plan<double> plan(model);
  const Node left = node_at(model, "left_hand"), right = node_at(model, "right_hand");
  const State state = random_state(model, 1, 0.5), other = random_state(model, 2, 0.5);
  std::vector<double> tau(state.v.size()), posture(state.v.size()), q = state.q;

  OperationalSpace control(model,
                           {{.node = node_at(model, "left_foot"), .support = true},
                            {.node = left},
                            {.node = right},
                            {.node = right, .rows = position_rows(), .level = 1}},  // redundant: by eigenvectors
                           {.passive = {0, 1, 2, 3, 4, 5}});
  AugmentedObject box(model,
                      {.inertia = RigidInertia<double>::about_centre(2, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)),
                       .grips = {{left}, {right}}});
  InverseKinematics inverse(model, {{.node = left}, {.node = right}}, {.max_iterations = 20, .restarts = 1});
  const PoseSpline way({0, 1, 2}, {translation(0, 0, 1), translation(1, 0, 1), translation(1, 1, 1)});
  FeedbackWorkspace ws(plan);
  const Gains gains = critically_damped(10);
  std::vector<FrameDemand> demands(4), hands(2);
  std::vector<Force<double>> press(2);
  const std::vector<Transform<double>> X{translation(0.3, 0.2, 1), translation(0.3, -9, 1)};

  const long before = allocations;
  control.update(state.q, state.v);
  const FrameMotion target = way.at(0.7);
  joint_feedback(model, state.q, state.v, {.q = other.q}, {&gains, 1}, posture);
  demands[1].acceleration = tracking_acceleration(control.pose(1), control.velocity(1), target, gains, gains);
  EXPECT_TRUE(control.torques(demands, {.posture = posture}, tau).ok());
  box.update(state.q, state.v);
  box.squeeze(10, press);
  EXPECT_TRUE(box.share({Motion<double>::zero(), press}, hands).ok());
  computed_torque(model, plan, state.q, state.v, {.q = other.q}, {&gains, 1}, ws, tau);
  gravity_forces(plan, state.q, ws, tau);
  limit_efforts(model, tau);
  EXPECT_FALSE(inverse.solve(X, q).ok());
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace linchpin

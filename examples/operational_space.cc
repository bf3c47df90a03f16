// Operational-space control: a robot with two arms moves and turns its left hand along a spline, holds its right hand
// still, and keeps its posture in the null space of both tasks.
//
// Every millisecond: poses of the hands, their demanded accelerations, the joint forces for these, one step.
#include "linchpin/control/operational_space.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "linchpin/control/feedback.h"
#include "linchpin/control/inverse_kinematics.h"
#include "linchpin/control/trajectory.h"
#include "linchpin/model/scenes.h"
#include "linchpin/sim/simulation.h"
#include "linchpin/spatial/quaternion.h"

int main() {
  using namespace linchpin;
  const Model model = compile(scene("@dual_arm").value()).value();
  const Node left = node_at(model, "left_hand"), right = node_at(model, "right_hand");

  // A posture with both palms in front, within the joints' limits.
  const Transform<double> X_left{rotation_y(-1.57), {0.45, 0.25, 1.0}}, X_right{rotation_y(-1.57), {0.45, -0.25, 1.0}};
  State state = make_state(model);
  InverseKinematics inverse(model, {{.node = left}, {.node = right}}, {.restarts = 20});
  const std::vector<Transform<double>> palms{X_left, X_right};
  const InverseKinematicsReport found = inverse.solve(palms, state.q);
  if (!found.ok())
    return std::fprintf(stderr, "goal %d is missed by %g m\n", found.worst_goal,
                        found.errors[found.worst_goal].position),
           1;
  const std::vector<double> posture_q = state.q;

  // Up and inwards with a quarter turn of the palm, and back, at rest at both ends.
  const Transform<double> X_up{X_left.R * rotation_z(0.8), {0.5, 0.15, 1.25}};
  const PoseSpline way({0, 1, 2}, {X_left, X_up, X_left});

  OperationalSpace control(model, {{.node = left}, {.node = right}});
  Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
  const Gains hands = critically_damped(30), joints = critically_damped(5);
  std::vector<FrameDemand> demands(2);
  std::vector<double> posture(state.v.size()), tau(state.v.size());
  double worst = 0;
  for (int step = 0; step <= 2000; ++step) {
    control.update(state.q, state.v);
    const FrameMotion target[] = {way.at(state.time), {X_right}};
    double position = 0, rotation = 0;
    for (int i = 0; i < 2; ++i) {
      const Transform<double> X = control.pose(i);
      demands[i].acceleration = tracking_acceleration(X, control.velocity(i), target[i], hands, hands);
      position = std::max(position, norm(target[i].X_WN.p - X.p));
      rotation = std::max(rotation, norm(log_rotation(from_rotation(transpose(X.R) * target[i].X_WN.R))));
    }
    worst = std::max({worst, position, rotation});
    joint_feedback(model, state.q, state.v, {.q = posture_q}, {&joints, 1}, posture);
    const OperationalSpaceReport report = control.torques(demands, {.posture = posture}, tau);
    if (!report.ok() || !simulation.step(state, {tau, {}}).ok()) return 1;
    if (step % 250 == 0)
      std::printf("t = %.2f s   hand at %+.3f %+.3f %+.3f   off by %.1e m, %.1e rad   rank %d of %d\n",
                  state.time - 1e-3, control.pose(0).p.x, control.pose(0).p.y, control.pose(0).p.z, position, rotation,
                  report.levels[0].rank, report.levels[0].rows);
  }
  std::printf("worst error %.2e m or rad\n", worst);
  return worst < 1e-3 ? 0 : 1;
}

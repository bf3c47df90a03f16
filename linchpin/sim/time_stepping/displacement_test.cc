#include "linchpin/sim/time_stepping/displacement.h"

#include <cmath>

#include "linchpin/sim/time_stepping/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

struct Totals {
  Vec3<double> momentum = Vec3<double>::zero();
  double kinetic = 0;
};

// From the definition: the velocity of each body's centre of mass.
Totals totals_of(const Model& model, const State& state) {
  const Plan<double> plan(model);
  Placed placed(model, plan);
  place(model, plan, state.q, state.v, placed);
  Totals total;
  for (int b = 1; b < int(model.bodies().size()); ++b) {
    const RigidInertia<double>& I = model.bodies()[b].inertia;
    const Motion<double> V = point_velocity(model, placed.kin, placed.vel, b, (1 / I.mass) * I.h);
    total.momentum += I.mass * V.v;
  }
  total.kinetic = energy(model, placed.kin, placed.vel, state.q, state.v).kinetic;
  return total;
}

// A body whose centre is 6 cm beside the origin of its free joint spins at 870 rad/s. The velocities that it had before
// its orientation is corrected by 0.1 rad would be those of another momentum, by 1.8 N s, and of 250 J more.
TEST(Displacement, KeepsTheMomentumOfABodyThatSpinsBesideItsOrigin) {
  ModelSpec spec;
  spec.bodies.push_back({.name = "body", .inertia = {0.342, {0.034, 0.038, -0.031}, {0.0177, 0.0175, 2e-4, 0, 0, 0}}});
  spec.joints.push_back({.name = "free", .type = JointType::free, .child = "body"});
  const Model model = compile(spec).value();
  State state = make_state(model);
  state.v = {7, -65, 870, 4, -3, 2};
  const Totals before = totals_of(model, state);
  const double height = state.q[6];
  const std::vector<double> turn{0.05, -0.08, 0.03, 0, 0, 1e-3};
  const Plan<double> plan(model);
  const double added = Displacement(model, plan).apply(turn, state.q, state.v);
  const Totals after = totals_of(model, state);
  EXPECT_LT(norm(after.momentum - before.momentum), 1e-13 * norm(before.momentum));
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-13 * before.kinetic);
  EXPECT_EQ(state.v[2], 870);
  EXPECT_NEAR(state.q[6], height + 1e-3, 1e-15);
  // Weight times the rise of the centre, which is that of the origin and of the lever that turns.
  const Quaternion<double> q{state.q[0], state.q[1], state.q[2], state.q[3]};
  const double lever = (to_rotation(q) * Vec3<double>{0.034, 0.038, -0.031}).z;
  EXPECT_NEAR(added, 0.342 * -model.gravity().z * (1e-3 + lever + 0.031), 1e-12 * before.kinetic);
}

// A robot that floats: what turns is its base, what keeps its momentum is the whole.
TEST(Displacement, KeepsTheMomentumOfAFloatingRobot) {
  const Model model = model_of("quadruped");
  State state = make_state(model);
  for (int k = 0; k < model.nv(); ++k) state.v[k] = 3 * std::sin(k + 1.0);
  const Totals before = totals_of(model, state);
  std::vector<double> turn(model.nv(), 0.0);
  turn[0] = 0.1, turn[1] = -0.2, turn[2] = 0.3, turn[4] = 0.01;
  const Plan<double> plan(model);
  Displacement(model, plan).apply(turn, state.q, state.v);
  const Totals after = totals_of(model, state);
  EXPECT_LT(norm(after.momentum - before.momentum), 1e-13 * norm(before.momentum));
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-13 * before.kinetic);
}

}  // namespace
}  // namespace linchpin

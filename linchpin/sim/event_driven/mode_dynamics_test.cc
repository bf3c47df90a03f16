// Rows, accelerations and power of a mode, for two sliders on one rail: closed forms.
#include "linchpin/sim/event_driven/mode_dynamics.h"

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

// A slider of 2 kg with limits and dry friction of 3 N, and on it one of 4 kg with a damper of 5 N s/m. Both along x.
ModelSpec stacked_sliders() {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "lower", .inertia = {.mass = 2}, .geometry = {}},
                 {.name = "upper", .inertia = {.mass = 4}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "lower"),
                 joint("top", JointType::prismatic, "lower", "upper")};
  for (JointSpec& j : spec.joints) j.axis = {1, 0, 0};
  spec.joints[0].dofs = {DofSpec{.dry_friction = 3, .lower = -1, .upper = 1}};
  spec.joints[1].dofs = {DofSpec{.damping = 5}};
  return spec;
}

struct OnRail {
  OnRail(const std::vector<double>& at, const std::vector<double>& speed)
      : model(compiled(stacked_sliders())),
        dynamics(model),
        plan(model, {.stepper = Stepper::event_driven}),
        by(dynamics, plan),
        set(plan.contacts),
        forces(model),
        q(at),
        v(speed) {
    mode.dry.push_back({.sign = speed[0] > 0 ? 1 : speed[0] < 0 ? -1 : 0, .incipient = speed[0] == 0});
  }
  void evaluate(bool all_rows) { by.evaluate(0, q, v, {.tau = tau, .f_ext = f_ext}, mode, set, all_rows, forces); }

  Model model;
  Dynamics dynamics;
  StepPlan plan;
  ModeDynamics by;
  ContactSet set;
  ModeForces forces;
  std::vector<double> q, v, tau, f_ext;
  Mode mode;
};

// The rows of limits are the rates at which their gaps open, so the upper one is reversed. A unit force on the lower
// slider is borne by its 2 kg alone, since the upper one is free to stay behind.
TEST(ModeDynamics, RowsOfLimitsAndDryFriction) {
  OnRail s({1, 0.2}, {0, 0.6});
  s.tau = {7, 0};
  s.mode.limits = {{.limit = 0, .closed = false}, {.limit = 1, .closed = true}};
  s.evaluate(true);
  EXPECT_EQ(s.forces.limit_row, (std::vector<int>{0, 1}));
  EXPECT_EQ(s.forces.dry_row, (std::vector<int>{2}));
  // tau on the lower one and the damper's reaction, 5 * 0.6 N to +x, on 2 kg.
  const double a = (7 + 3) / 2.;
  EXPECT_LE(largest_difference(s.forces.b, std::vector<double>{a, -a, a}), 1e-14);
  EXPECT_LE(largest_difference(s.forces.W, std::vector<double>{0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5}),
            1e-15);
  EXPECT_LE(largest_difference(s.forces.D, std::vector<double>(3, std::sqrt(2))), 1e-15);
  EXPECT_NEAR(s.forces.scale, std::sqrt(2) * a, 1e-14);
  s.evaluate(false);
  EXPECT_EQ(s.forces.limit_row, (std::vector<int>{-1, 0})) << "without the open one";
  EXPECT_EQ(s.forces.dry_row, (std::vector<int>{1}));
}

// It moves at 0.4 m/s with the friction of 3 N against it; the other one at 0.6 m/s on it. The lower one is pushed by 7
// N and by 2 N from outside.
TEST(ModeDynamics, AccelerationsAndPower) {
  OnRail s({0, 0}, {0.4, 0.6});
  s.tau = {7, 0};
  s.f_ext.assign(6 * s.model.bodies().size(), 0.0);
  s.f_ext[6 + 3] = 2;
  s.evaluate(false);
  s.by.solve(s.mode, s.forces);
  s.by.lift(s.forces);
  const double lower = (7 + 2 + 3 - 3) / 2., upper = -3. / 4;  // the damper has 3 N
  EXPECT_NEAR(s.forces.vdot[0], lower, 1e-14);
  EXPECT_NEAR(s.forces.vdot[1], upper - lower, 1e-14);
  const Inputs inputs{.tau = s.tau, .f_ext = s.f_ext};
  s.by.evaluate_power(inputs, s.forces);
  EXPECT_NEAR(s.forces.power.input, (7 + 2) * 0.4, 1e-14);
  EXPECT_NEAR(s.forces.power.damping, -5 * 0.6 * 0.6, 1e-14);
  EXPECT_NEAR(s.forces.lost, 3 * 0.4, 1e-14);
  // What is stored changes by all of these: 2 kg at 0.4 m/s, 4 kg at 1 m/s.
  EXPECT_NEAR(2 * 0.4 * lower + 4 * 1 * upper, s.forces.power.input + s.forces.power.damping - s.forces.lost, 1e-13);
}

// The least motion that moves the lower slider by -0.01: it alone, while the upper one stays where it is in the world.
TEST(ModeDynamics, Corrections) {
  OnRail s({0, 0}, {0.4, 0.6});
  s.evaluate(false);
  std::vector<double> change(2);
  const std::vector<int> rows{s.forces.dry_row[0]};
  ASSERT_TRUE(s.by.correct(std::vector<double>{0.01}, rows, s.forces, change));
  EXPECT_LE(largest_difference(change, std::vector<double>{-0.01, 0.01}), 1e-15);
  EXPECT_FALSE(s.by.correct(std::vector<double>{0.01}, rows, (s.forces.W[0] = NAN, s.forces), change));
}

}  // namespace
}  // namespace linchpin

// Actuators and controls over time, by every stepper: against closed forms, each other, and the energy balance.
#include <numbers>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

constexpr double mass = 2;

std::vector<Stepper> every_stepper() {
  std::vector<Stepper> steppers = all_steppers();
  steppers.push_back(Stepper::time_stepping);
  return steppers;
}

// A mass on a vertical slide, driven by one actuator.
Model slider(ActuatorSpec actuator, double gravity = 0, DofSpec dof = {}) {
  ModelSpec spec;
  spec.gravity = {0, 0, -gravity};
  spec.bodies = {{.name = "slider", .inertia = {mass, {0, 0, 0}, Sym3<double>::zero()}, .geometry = {}}};
  JointSpec slide = joint("slide", JointType::prismatic, "world", "slider");
  slide.dofs = {dof};
  spec.joints = {slide};
  actuator.name = "actuator";
  actuator.joint = "slide";
  spec.actuators = {actuator};
  return compiled(spec);
}

State after(const Model& model, Stepper stepper, double time, double dt, const Inputs& inputs = {}) {
  return advanced(model, make_state(model), {.stepper = stepper, .dt = dt}, int(std::lround(time / dt)), inputs);
}

double order_from(double error, double error_of_half) { return std::log2(error / error_of_half); }

// ---- force actuators ------------------------------------------------------------------------------------------------

// A constant force: the velocity is exact for every stepper, the position too, up to the Euler methods' dt.
TEST(Actuators, ForceIsGearTimesControl) {
  const Model model = slider({.type = ActuatorType::force, .gear = 3, .control = 0.5});
  for (const Stepper stepper : every_stepper()) {
    const double dt = 1e-3, time = 0.2;
    for (const double u : {0.5, -2.}) {
      const std::vector<double> controls{u};
      const State own = after(model, stepper, time, dt), told = after(model, stepper, time, dt, {.controls = controls});
      const double a = 3 * u / mass, off = order_of(stepper) == 1 && stepper != Stepper::time_stepping ? dt * time : 0;
      EXPECT_NEAR(told.v[0], a * time, 1e-13) << to_string(stepper);
      EXPECT_NEAR(told.q[0], a * time * time / 2, 0.5 * std::abs(a) * off + 1e-13) << to_string(stepper);
      EXPECT_EQ(same_bits(own, told), u == 0.5) << to_string(stepper) << ": the model's own control is 0.5";
    }
  }
}

// The least of the actuator's limit and the joint's effort limit bounds the force.
TEST(Actuators, ForcesAreClamped) {
  const std::vector<double> much{100}, back{-100};
  for (const Stepper stepper : every_stepper()) {
    const Model own = slider({.gear = 2, .lower = -1, .upper = 5}),
                effort = slider({.gear = 2, .lower = -1, .upper = 5}, 0, {.effort_limit = 3});
    EXPECT_NEAR(after(own, stepper, 0.1, 1e-3, {.controls = much}).v[0], 5 * 0.1 / mass, 1e-13) << to_string(stepper);
    EXPECT_NEAR(after(own, stepper, 0.1, 1e-3, {.controls = back}).v[0], -1 * 0.1 / mass, 1e-13);
    EXPECT_NEAR(after(effort, stepper, 0.1, 1e-3, {.controls = much}).v[0], 3 * 0.1 / mass, 1e-13);
    EXPECT_NEAR(after(effort, stepper, 0.1, 1e-3, {.controls = back}).v[0], -1 * 0.1 / mass, 1e-13);
    // Both limits of the actuator are beyond the effort limit: that one decides.
    const Model motor = slider({.gear = 2, .lower = 5, .upper = 8}, 0, {.effort_limit = 3}),
                servo = slider({.type = ActuatorType::position, .stiffness = 10, .lower = 5, .upper = 8}, 0,
                               {.effort_limit = 3});
    for (const Model* model : {&motor, &servo})
      for (const std::vector<double>& controls : {much, back})
        EXPECT_NEAR(after(*model, stepper, 0.1, 1e-3, {.controls = controls}).v[0], 3 * 0.1 / mass, 1e-12)
            << to_string(stepper);
  }
}

// A force actuator on a coordinate of a ball joint: a moment about that axis of the body.
TEST(Actuators, DriveBallJoints) {
  ModelSpec spec;
  spec.bodies = {{.name = "ball", .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.3, 0.3, 0.4)}, .geometry = {}}};
  spec.joints = {joint("ball", JointType::ball, "world", "ball")};
  spec.actuators = {{.name = "motor", .joint = "ball", .coordinate = 2, .gear = 2, .control = 0.3}};
  const Model model = compiled(spec);
  for (const Stepper stepper : every_stepper()) {
    const State state = after(model, stepper, 0.5, 1e-3);
    EXPECT_NEAR(state.v[2], 2 * 0.3 * 0.5 / 0.4, 1e-12) << to_string(stepper);
    EXPECT_NEAR(state.v[0], 0, 1e-12);
  }
}

// ---- servos ---------------------------------------------------------------------------------------------------------

// mass x'' = k (u - x) - d x' - mass g from rest at 0: a damped oscillation about u - mass g / k.
struct Oscillation {
  double k = 50, d = 4, u = 0.3, gravity = 10;
  double x(double t) const {
    return centre() + std::exp(-decay() * t) * (a() * std::cos(w() * t) + b() * std::sin(w() * t));
  }
  double v(double t) const {
    return std::exp(-decay() * t) *
           ((b() * w() - a() * decay()) * std::cos(w() * t) - (a() * w() + b() * decay()) * std::sin(w() * t));
  }
  double centre() const { return u - mass * gravity / k; }
  double decay() const { return d / (2 * mass); }
  double w() const { return std::sqrt(k / mass - decay() * decay()); }
  double a() const { return -centre(); }
  double b() const { return a() * decay() / w(); }
};

TEST(Actuators, APositionServoIsADampedOscillator) {
  const Oscillation exact;
  const Model model = slider({.type = ActuatorType::position, .stiffness = exact.k, .damping = exact.d}, exact.gravity);
  const std::vector<double> controls{exact.u};
  const auto error = [&](Stepper stepper, double dt) {
    const State state = after(model, stepper, 1, dt, {.controls = controls});
    return larger(std::abs(state.q[0] - exact.x(1)), std::abs(state.v[0] - exact.v(1)));
  };
  for (const Stepper stepper : every_stepper()) {
    if (is_adaptive(stepper)) {
      EXPECT_LT(error(stepper, 0.1), 1e-9);
      continue;
    }
    const double dt = order_of(stepper) == 4 ? 0.02 : 0.002;
    EXPECT_NEAR(order_from(error(stepper, dt), error(stepper, dt / 2)), order_of(stepper), 0.2) << to_string(stepper);
    EXPECT_LT(error(stepper, dt / 2), order_of(stepper) == 1 ? 1e-2 : 1e-5) << to_string(stepper);
  }
}

// mass v' = d (u - v): the speed approaches u exponentially.
TEST(Actuators, AVelocityServoApproachesItsSpeed) {
  const Model model = slider({.type = ActuatorType::velocity, .damping = 5, .control = 3});
  const double exact = 3 * (1 - std::exp(-5 * 0.4 / mass));
  for (const Stepper stepper : every_stepper())
    EXPECT_NEAR(after(model, stepper, 0.4, 1e-3).v[0], exact, order_of(stepper) == 1 ? 3e-3 : 1e-5)
        << to_string(stepper);
  EXPECT_NEAR(after(model, Stepper::rk4, 0.4, 1e-2).v[0], exact, 1e-8);  // u (dt d / m)^5 / 120 in each of 40 steps
}

// 30 N up against 20 N of weight on 2 kg as long as the servo asks for more: 5 m/s^2. In the end it is at rest where
// stiffness (u - q) carries the weight.
TEST(Actuators, SaturateAtTheirLimits) {
  const Model model = slider(
      {.type = ActuatorType::position, .stiffness = 1000, .damping = 60, .lower = -30, .upper = 30, .control = 0.3},
      10);
  for (const Stepper stepper : every_stepper()) {
    SCOPED_TRACE(to_string(stepper));
    const double t = 0.2, dt = 1e-3;  // asks for 1000 (0.3 - 0.1) - 60 there: still more than 30
    const State state = after(model, stepper, t, dt);
    EXPECT_NEAR(state.v[0], 5 * t, 1e-12);
    EXPECT_NEAR(state.q[0], 2.5 * t * t, order_of(stepper) == 1 ? 2.5 * t * dt + 1e-12 : 1e-12);
    const State settled = after(model, stepper, 3, dt);
    EXPECT_NEAR(settled.q[0], 0.3 - 20. / 1000, 1e-9);
    EXPECT_NEAR(settled.v[0], 0, 1e-8);
  }
}

// ---- mechanisms -----------------------------------------------------------------------------------------------------

// A double pendulum with a servo at the shoulder and a geared motor at the elbow.
Model robot() {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.actuators = {{.name = "shoulder",
                     .joint = spec.joints[0].name,
                     .type = ActuatorType::position,
                     .stiffness = 30,
                     .damping = 3,
                     .control = 0.5},
                    {.name = "elbow", .joint = spec.joints[1].name, .gear = 4, .control = 0.2}};
  return compiled(spec);
}

TEST(Actuators, AllSteppersConvergeToOneMotion) {
  const Model model = robot();
  EXPECT_EQ(default_stepper(model), Stepper::time_stepping);
  EXPECT_TRUE(ignored_by_smooth_steppers(model).empty());
  const std::vector<double> controls{-0.8, 0.3};
  for (const Inputs& inputs : {Inputs{}, Inputs{.controls = controls}}) {
    const State exact = advanced(model, make_state(model), tight(0.5), 1, inputs);
    const auto error = [&](Stepper stepper, double dt) {
      return distance(model, exact, after(model, stepper, 0.5, dt, inputs));
    };
    for (const Stepper stepper : every_stepper()) {
      if (is_adaptive(stepper)) continue;
      const double dt = order_of(stepper) == 4 ? 0.01 : 5e-4;
      EXPECT_NEAR(order_from(error(stepper, dt), error(stepper, dt / 2)), order_of(stepper), 0.25)
          << to_string(stepper);
    }
  }
  const State other = after(model, Stepper::rk4, 0.5, 1e-3, {.controls = controls});
  EXPECT_GT(distance(model, other, after(model, Stepper::rk4, 0.5, 1e-3)), 0.1) << "controls matter";
}

// The power of actuators is work. A run without that work would have a defect of the size of the work.
TEST(Actuators, DoWorkInTheEnergyBalance) {
  const Model model = robot();
  const auto certificate = [&](Stepper stepper, double dt) {
    return run(model, 1, {.stepper = stepper, .dt = dt}).certificate;
  };
  for (const Stepper stepper : every_stepper()) {
    const double dt = order_of(stepper) == 4 ? 0.01 : 1e-3;
    const Certificate once = certificate(stepper, dt), half = certificate(stepper, dt / 2);
    EXPECT_GT(std::abs(half.energy.work), 0.1 * half.energy.exchanged) << to_string(stepper);
    if (is_adaptive(stepper)) {
      EXPECT_LT(half.energy.relative_defect(), 1e-10);
      continue;
    }
    EXPECT_LT(half.energy.relative_defect(), order_of(stepper) == 1 ? 1e-2 : 2e-6) << to_string(stepper);
    EXPECT_GT(order_from(once.energy.largest_defect, half.energy.largest_defect), order_of(stepper) - 0.25)
        << to_string(stepper);
  }
}

// In a mechanism with a loop: a motor with a constant moment on the crank of a four-bar does moment times angle.
TEST(Actuators, DriveClosedLoops) {
  ModelSpec spec = scene("@four_bar").value();
  spec.actuators = {{.name = "motor", .joint = "pivot_0", .gear = 5, .control = 4}};
  const Model model = compiled(spec);
  for (const Stepper stepper : {Stepper::rk4, Stepper::dormand_prince, Stepper::implicit_midpoint}) {
    const Finished r = run(model, 0.3, {.stepper = stepper, .dt = 1e-3});
    const double angle = r.state.q[model.joints()[model.find_joint("pivot_0")].q];
    EXPECT_GT(angle, 0.1);
    EXPECT_NEAR(r.certificate.energy.work, 20 * angle, 1e-4 * 20 * angle) << to_string(stepper);
    EXPECT_LT(r.certificate.energy.relative_defect(), 1e-5) << to_string(stepper);
  }
}

// ---- failures -------------------------------------------------------------------------------------------------------

TEST(Actuators, ControlsThatAreNotFiniteFailTheStep) {
  const Model model = slider({.lower = -1, .upper = 1});  // limits must not hide the fault
  for (const Stepper stepper : every_stepper())
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const std::vector<double> controls{bad};
      Simulation simulation(model, {.stepper = stepper, .dt = 1e-3});
      State state = make_state(model), before = state;
      const StepReport report = simulation.step(state, {.controls = controls});
      EXPECT_EQ(report.status, StepStatus::not_finite) << to_string(stepper);
      EXPECT_STREQ(report.reason, "a control is not finite");
      EXPECT_EQ(report.body, 1);
      EXPECT_TRUE(same_bits(state, before)) << to_string(stepper);
    }
  Simulation simulation(model, {.stepper = Stepper::rk4});
  State state = make_state(model);
  EXPECT_THROW(simulation.step(state, {.controls = std::vector<double>{1, 2}}), CheckFailed);
}

}  // namespace
}  // namespace linchpin

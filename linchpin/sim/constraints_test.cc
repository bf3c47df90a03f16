// Constraints in a simulation: prescribed motion, its work, and states that violate the constraints.
#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/keep_constraints.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

Model with(const std::string& text, const std::vector<ConstraintSpec>& constraints) {
  ModelSpec spec = scene(text).value();
  spec.constraints.insert(spec.constraints.end(), constraints.begin(), constraints.end());
  Result<Model> model = compile(spec);
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(model).value();
}

// A double pendulum whose upper rod has a prescribed sine motion: it follows, and the energy gained is the work
// reported.
TEST(Constraints, PrescribedMotionIsFollowedAndItsWorkIsCounted) {
  const TimeLaw law{.polynomial = {0.2, 0.5}, .amplitude = 0.3, .frequency = 4, .phase = 0.1};
  const Model bare = model_of("@double_pendulum:rods=1");
  const std::string driven = bare.joints().front().name;
  const Model model = with("@double_pendulum:rods=1", {prescribed("drive", driven, law)});
  for (const Stepper stepper : all_steppers()) {
    State state = make_state(model);
    ASSERT_TRUE(assemble(model, state).closed());
    Simulation simulation(model, {.stepper = stepper, .dt = 1e-3});
    RunMonitor monitor(model);
    monitor.start(state);
    for (int i = 0; i < 2000; ++i) {
      const StepReport report = simulation.step(state);
      ASSERT_TRUE(report.ok()) << to_string(stepper) << " " << report.reason;
      monitor.add(state, report);
      ASSERT_NEAR(state.q[0], law.at(state.time).value, 1e-10) << to_string(stepper);
      ASSERT_NEAR(state.v[0], law.at(state.time).rate, 1e-9) << to_string(stepper);
    }
    const EnergyBalance& e = monitor.certificate().energy;
    EXPECT_GT(std::abs(e.work), 1) << to_string(stepper);
    // To the order of the stepper: changes by the projections are part of its error.
    const double tolerance = order_of(stepper) == 1 ? 0.05 : order_of(stepper) == 2 ? 1e-4 : 1e-8;
    EXPECT_LE(std::abs(e.defect() + e.projected), tolerance * e.exchanged) << to_string(stepper);
  }
}

// A pendulum whose pivot vibrates vertically fast enough is stable upright [Kapitza]: a loop with prescribed motion.
TEST(Constraints, AShakenPivotHoldsThePendulumUpright) {
  ModelSpec spec = scene("@free_body").value();
  spec.gravity = {0, 0, -9.81};
  LoopSpec pivot;
  pivot.type = LoopType::pin;
  pivot.a.X_BF.R =
      frame_with_z({0, 1, 0});  // turns about y; x of A is then -z of the world or so, hence all three laws
  pivot.b = {spec.bodies[0].name, {frame_with_z({0, 1, 0}), {0, 0, -0.5}}};
  constexpr double amplitude = 0.05, frequency = 300;
  const Vec3<double> up = transpose_times(pivot.a.X_BF.R, Vec3<double>{0, 0, 1});
  const double parts[] = {up.x, up.y, up.z};
  for (std::size_t k = 0; k < 3; ++k)
    pivot.displacement[k] = {.polynomial = {}, .amplitude = amplitude * parts[k], .frequency = frequency, .phase = 0};
  for (const bool shaken : {true, false}) {
    LoopSpec loop = pivot;
    if (!shaken) loop.displacement = {};
    spec.constraints = {{"pivot", loop}};
    const Model model = compile(spec).value();
    State state = make_state(model);
    const Joint& joint = model.joints().front();
    const double tilt = 0.05;
    state.q[joint.q] = std::cos(tilt / 2);
    state.q[joint.q + 2] = std::sin(tilt / 2);
    const AssemblyReport assembled = assemble(model, state);
    ASSERT_TRUE(assembled.closed()) << assembled.error;
    Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 2e-4});
    double most = 0;
    const Plan<double> plan(model);
    Kinematics<double> kin(plan);
    while (state.time < 3) {
      const StepReport report = simulation.step(state);
      ASSERT_TRUE(report.ok()) << report.reason << " at " << state.time;
      kinematics<double>(plan, state.q, kin);
      most = larger(most, std::acos(std::clamp(body_pose(model, kin, 1).R.z.z, -1.0, 1.0)));
    }
    if (shaken)
      EXPECT_LT(most, 0.3);
    else
      EXPECT_GT(most, 1);
  }
}

TEST(Constraints, AStateThatIsOffIsRefusedAndLeftAlone) {
  const Model model = model_of("@four_bar");
  State state = make_state(model);
  state.q[0] += 1e-3;
  const State before = state;
  Simulation simulation(model, {});
  StepReport report = simulation.step(state);
  EXPECT_EQ(report.status, StepStatus::not_assembled);
  EXPECT_EQ(report.constraint, 0);
  EXPECT_GT(report.loop_error, 1e-4);
  EXPECT_EQ(state.q, before.q);
  state = make_state(model);
  state.v[0] = 1;
  report = simulation.step(state);
  EXPECT_EQ(report.status, StepStatus::not_assembled);
  EXPECT_GT(report.loop_speed, 0.1);
  ASSERT_TRUE(assemble(model, state, {.held = {0}}).closed());
  EXPECT_TRUE(simulation.step(state).ok());
}

// A crank with prescribed rotation in a linkage that cannot follow beyond some angle.
TEST(Constraints, WhatCannotBeFollowedEndsWithItsName) {
  ModelSpec spec = scene("@planar_arm:links=2").value();
  LoopSpec tip;
  tip.type = LoopType::point_on_line;
  tip.a = {"world", translation(0.8, 0, 0)};
  tip.a.X_BF.R = frame_with_z({0, 1, 0});  // the tip slides along x = 0.8: the first rod may turn to some 72 degrees
  tip.b = {spec.bodies.back().name, translation(0.5, 0, 0)};
  spec.constraints = {{"slot", tip}, prescribed("motor", spec.joints.front().name, {.polynomial = {0, 1}})};
  const Model model = compile(spec).value();
  State state = make_state(model);
  state.q = {0, 0.93};
  ASSERT_TRUE(assemble(model, state).closed());
  Simulation simulation(model, {.dt = 1e-2});
  StepReport report;
  for (int i = 0; i < 1000 && report.ok(); ++i) report = simulation.step(state);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.status == StepStatus::constraints_unmet || report.status == StepStatus::not_finite)
      << to_string(report.status);
  EXPECT_GT(state.time, 0.5);
  EXPECT_LT(state.time, 1.3);  // acos(0.3 / 0.5) = 0.93 rad is as far as it goes
  for (const double x : state.q) EXPECT_TRUE(std::isfinite(x));
}

// A skate on a slope never moves sideways [Neimark and Fufaev]: v_y = 0 in its own axes, and the constraint does no
// work.
TEST(Constraints, ASkateDoesNotSlip) {
  ModelSpec spec;
  spec.gravity = {3, 0, -9};
  spec.bodies = {{.name = "skate", .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.2)}, .geometry = {}}};
  spec.joints = {joint("ice", JointType::planar, "world", "skate")};
  spec.constraints = {
      {"blade", VelocitySpec{.a = {}, .b = {.body = "skate"}, .angular = {0, 0, 0}, .linear = {0, 1, 0}, .speed = {}}}};
  const Model model = compile(spec).value();
  State state = make_state(model);
  state.v = {0.5, 0, 2};
  Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
  RunMonitor monitor(model);
  monitor.start(state);
  for (int i = 0; i < 5000; ++i) {
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason;
    monitor.add(state, report);
    const double sideways = -std::sin(state.q[2]) * state.v[0] + std::cos(state.q[2]) * state.v[1];
    ASSERT_NEAR(sideways, 0, 1e-12);
    ASSERT_NEAR(state.v[2], 2, 1e-10);  // no moment acts
  }
  // It turns at a constant rate and slides down and up: along the blade u' = g cos(w t), so u = u0 + (g / w) sin(w t).
  const double u = std::cos(state.q[2]) * state.v[0] + std::sin(state.q[2]) * state.v[1];
  EXPECT_NEAR(u, 0.5 + 3.0 / 2 * std::sin(2 * state.time), 1e-9);
  EXPECT_LE(monitor.certificate().energy.relative_defect(), 1e-9);
}

// A beam whose left end is pinned and whose right end lies on a plane.
ModelSpec beam_on_two_pins() {
  ModelSpec spec;
  spec.bodies = {{.name = "beam", .inertia = {10, {0.3, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}}};
  spec.joints = {joint("free", JointType::free, "world", "beam")};
  LoopSpec left, right;
  left.type = LoopType::ball;
  right.type = LoopType::point_on_plane;
  left.b = {"beam", translation(0, 0, 0)};
  right.a = {"world", translation(1, 0, 0)};
  right.b = {"beam", translation(1, 0, 0)};
  spec.constraints = {{"left", left}, {"right", right}};
  return spec;
}

// Two pins carry a beam at rest; each carries its part of the weight by the law of the lever.
TEST(Constraints, ReactionsAreThoseOfStatics) {
  const Model model = compile(beam_on_two_pins()).value();
  Simulation simulation(model, {.dt = 1e-3});
  State state = make_state(model);
  ASSERT_EQ(simulation.reactions().size(), 4u);
  EXPECT_EQ(largest(simulation.reactions()), 0) << "before the first step";
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(state).ok());
  const std::span<const double> r = simulation.reactions();
  EXPECT_NEAR(r[0], 0, 1e-12);
  EXPECT_NEAR(r[1], 0, 1e-12);
  EXPECT_NEAR(r[2], 0.7 * 98.1, 1e-11);
  EXPECT_NEAR(r[3], 0.3 * 98.1, 1e-11);
  for (const double x : state.v) EXPECT_NEAR(x, 0, 1e-12);
}

// The energy that a projection adds is the stored energy after it less that before it, as a separate meter has it.
TEST(Constraints, TheEnergyOfAProjection) {
  const Model model = model_of("@four_bar");
  State state = make_state(model);
  state.v[0] = 1;
  ASSERT_TRUE(assemble(model, state, {.held = {0}}).closed());
  for (double& v : state.v) v += 0.1;
  EnergyMeter energy_of(model);
  const double before = energy_of(state).total();
  Dynamics dynamics(model);
  Arrival to(model, dynamics.chain()->constraints.rows());
  to.q = state.q;
  to.v = state.v;
  StepReport report;
  project(dynamics, 0, {}, to, report);
  ASSERT_TRUE(report.ok()) << report.reason;
  state.q = to.q;
  state.v = to.v;
  EXPECT_NEAR(report.projected, energy_of(state).total() - before, 1e-12 * std::abs(before));
  EXPECT_GT(std::abs(report.projected), 1e-3);
}

// A failure names the constraint, not the row: the first has three rows, the second one is off.
TEST(Constraints, AFailureNamesItsConstraint) {
  const Model model = compile(beam_on_two_pins()).value();
  State state = make_state(model);
  state.q[0] = std::cos(0.01);
  state.q[2] = std::sin(0.01);  // turned about the left end: the right end is 0.02 m too low
  StepReport report = Simulation(model, {}).step(state);
  EXPECT_EQ(report.status, StepStatus::not_assembled);
  EXPECT_EQ(report.constraint, 1);
  EXPECT_NEAR(report.loop_error, std::sin(0.02), 1e-12);
  state = make_state(model);
  report = Simulation(model, {}).step(state);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_EQ(report.constraint, -1) << "a step that is done names none";
}

TEST(Constraints, RebuildingTheSimulationChangesNoBit) {
  for (const char* text : {"@four_bar", "@four_bar:loops=10", "@squeezer", "@stewart", "@rolling_disc", "@gripper"}) {
    const Model model = model_of(text);
    for (const Stepper stepper : all_steppers()) {
      State state = make_state(model), other = make_state(model);
      Simulation simulation(model, {.stepper = stepper, .dt = 1e-5});
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(simulation.step(state).ok()) << text << " " << to_string(stepper);
      for (int i = 0; i < 3; ++i) Simulation(model, {.stepper = stepper, .dt = 1e-5}).step(other);
      EXPECT_EQ(state.q, other.q) << text << " " << to_string(stepper);
      EXPECT_EQ(state.v, other.v) << text << " " << to_string(stepper);
    }
  }
}

}  // namespace
}  // namespace linchpin

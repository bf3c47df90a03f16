// Limits, dry friction, springs and servos of joints over time.
#include <numbers>

#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/sim/contact_testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// A model with one sliding joint, its DofSpec and gravity as given.
ModelSpec one_joint(DofSpec dof, double gravity) {
  ModelSpec spec;
  spec.name = "joint";
  spec.gravity = {0, 0, -gravity};
  BodySpec body;
  body.name = "slider";
  body.inertia = {2, {0, 0, 0}, Sym3<double>::zero()};
  spec.bodies.push_back(body);
  JointSpec joint;
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.child = "slider";
  joint.axis = {0, 0, 1};
  joint.dofs = {dof};
  spec.joints.push_back(joint);
  return spec;
}

TEST(JointRows, ALimitStops) {
  const Model model = compiled(one_joint({.lower = -0.5, .upper = 0.25}, 10));
  const Finished r = run(model, 1);
  EXPECT_NEAR(r.state.q[0], -0.5, 2e-10);  // a tenth of the position tolerance counts as closed
  EXPECT_NEAR(r.state.v[0], 0, 1e-12);
  State thrown = make_state(model);
  thrown.v[0] = 5;
  Simulation simulation(model, {.dt = 1e-3});
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(simulation.step(thrown).ok());
    EXPECT_LE(thrown.q[0], 0.25 + 1e-12);
  }
  EXPECT_LT(thrown.v[0], 0) << "it has come down from the upper stop";
}

// Thrown up, it arrives at its stop within a step and has the velocity gap / h then. If gravity takes more than that in
// the next step, v+ points down without an impulse of the stop, and half a step of either velocity would pass the stop
// by up to g h^2 / 2, 0.5 mm. Found by scripts/random_runs.py (seed 10863).
TEST(JointRows, ALimitIsNotPassedByAMotionThatLeavesIt) {
  const Model model = compiled(one_joint({.lower = -0.5, .upper = 0.25}, 10));
  Simulation simulation(model, {.dt = 1e-2});
  for (int i = 0; i < 200; ++i) {
    State state = make_state(model);
    state.v[0] = 3 + 5e-3 * i;
    double highest = 0;
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(simulation.step(state).ok());
      highest = larger(highest, state.q[0]);
    }
    EXPECT_LE(highest, 0.25 + 1e-9) << "thrown with " << 3 + 5e-3 * i << " m/s";  // 1e-9: position_tolerance
  }
}

// From rest, far from its limit, with a force that would move it beyond in one step: 1e5 N on 2 kg give 5 cm in 1 ms.
TEST(JointRows, ALimitStopsWhatIsPushed) {
  const Model model = compiled(one_joint({.lower = -0.5, .upper = 0.02}, 0));
  Simulation simulation(model, {.dt = 1e-3});
  State state = make_state(model);
  const std::vector<double> tau{1e5};
  ASSERT_TRUE(simulation.step(state, {.tau = tau}).ok());
  EXPECT_NEAR(state.q[0], 0.02, 1e-12);
  EXPECT_NEAR(state.v[0], 20, 1e-9) << "as fast as it takes to get there";
}

// It falls at 10 m/s^2 up to its speed limit, which then dissipates m g v. Each step of (3) is g h^2 / 2 ahead during
// the fall, so 0.2 s of steps are 1e-3 m ahead.
TEST(JointRows, ASpeedLimitHolds) {
  const Model model = compiled(one_joint({.velocity_limit = 2}, 10));
  EXPECT_EQ(default_stepper(model), Stepper::time_stepping);
  const Finished r = run(model, 1, {}, [](const State& state, const Simulation&, const StepReport&) {
    EXPECT_GE(state.v[0], -2 - 1e-12) << state.time;
  });
  EXPECT_NEAR(r.state.v[0], -2, 1e-12);
  EXPECT_NEAR(r.state.q[0], -(0.2 + 2 * 0.8), 1.1e-3);
  EXPECT_NEAR(r.certificate.contact_loss, 20 * 2 * 0.8, 0.05);
  EXPECT_LT(r.certificate.energy.relative_defect(), 2e-3);

  // Faster than its limit at the start: not after one step. Upwards too.
  Simulation simulation(model, {.dt = 1e-3});
  for (const double speed : {-5., 5.}) {
    State state = make_state(model);
    state.v[0] = speed;
    ASSERT_TRUE(simulation.step(state).ok());
    EXPECT_NEAR(state.v[0], std::copysign(2, speed), 1e-12);
  }
  EXPECT_EQ(run(compiled(one_joint({.velocity_limit = 0}, 10)), 0.5).state.q[0], 0) << "no speed at all";
}

// A position limit and a speed limit on one side are one row: the stricter of the two.
TEST(JointRows, ASpeedLimitBeforeAStop) {
  const Model model = compiled(one_joint({.lower = -0.5, .velocity_limit = 1}, 10));
  double lowest = 0, fastest_down = 0;
  const Finished r = run(model, 1, {}, [&](const State& state, const Simulation&, const StepReport&) {
    lowest = smaller(lowest, state.q[0]);
    fastest_down = smaller(fastest_down, state.v[0]);
  });
  EXPECT_NEAR(fastest_down, -1, 1e-12);
  EXPECT_GE(lowest, -0.5 - 1e-12);
  EXPECT_NEAR(r.state.q[0], -0.5, 2e-10);
  EXPECT_NEAR(r.state.v[0], 0, 1e-12);
}

// Limits in a mechanism, by all formulations: the chain of 000 swings, its second hinge with a speed limit, its third
// with position limits.
TEST(JointRows, SpeedLimitsWithinAMechanism) {
  ModelSpec spec = scene("@swing:links=3").value();
  spec.joints[1].dofs = {DofSpec{.velocity_limit = 0.2}};
  spec.joints[2].dofs = {DofSpec{.lower = -0.1, .upper = 0.1, .velocity_limit = 0.5}};
  const Model model = compiled(spec);
  int at_limit = 0;
  const Finished os = run(model, 0.5, {}, [&](const State& state, const Simulation&, const StepReport& report) {
    EXPECT_LE(std::abs(state.v[1]), 0.2 + 1e-9) << state.time;
    EXPECT_LE(std::abs(state.v[2]), 0.5 + 1e-9) << state.time;
    EXPECT_LE(std::abs(state.q[2]), 0.1 + 1e-9) << state.time;
    EXPECT_LE(report.residual, 1e-10);
    at_limit += std::abs(state.v[1]) > 0.2 - 1e-9;
  });
  EXPECT_GT(at_limit, 100);
  for (const Method method : all_methods())
    EXPECT_LT(distance(model, os.state, run(model, 0.5, {.contact = {.method = method}}).state), 1e-7)
        << to_string(method);
}

// A rod on a ball joint with an initial sideways velocity comes to hang at its limit, with a horizontal axis of
// rotation. The moment of the joint is then that of the weight. By all formulations.
TEST(JointRows, ABallTurnsNoFartherThanItsLimit) {
  ModelSpec spec;
  BodySpec rod;
  rod.name = "rod";
  rod.inertia = {1, {0.5, 0, 0}, Sym3<double>::diagonal(0.01, 0.1, 0.1)};  // at zero it points along x
  spec.bodies.push_back(rod);
  JointSpec joint;
  joint.name = "ball";
  joint.type = JointType::ball;
  joint.child = "rod";
  joint.dofs.assign(3, DofSpec{.damping = 0.5, .upper = 0.6});
  joint.start_v = {0, 0, 2};
  spec.joints.push_back(joint);
  const Model model = compiled(spec);
  const auto angle = [](const State& state) { return 2 * std::acos(std::min(1.0, std::abs(state.q[0]))); };
  const Finished r = run(model, 20, {}, [&](const State& state, const Simulation&, const StepReport&) {
    EXPECT_LT(angle(state), 0.6 + 1e-4) << state.time;  // paths along the limit are curved: corrected one step later
  });
  EXPECT_NEAR(angle(r.state), 0.6, 1e-8);
  EXPECT_LT(fastest(r.state), 1e-3);
  const Quaternion<double> q{r.state.q[0], r.state.q[1], r.state.q[2], r.state.q[3]};
  EXPECT_NEAR(to_rotation(q).x.z, -std::sin(0.6), 1e-5) << "it hangs as low as it gets";
  for (const Method method : all_methods())
    EXPECT_LT(distance(model, run(model, 0.3).state, run(model, 0.3, {.contact = {.method = method}}).state), 1e-7)
        << to_string(method);
}

// A thin rod swings to the limit of its ball joint while it turns about its own axis, with a thousandth of the moment.
// The limit spins that axis up to 280 rad/s, 0.28 rad a step, so that each motion passes the limit by as much, and is
// corrected at its end. A correction that turned the rod as far as its linear rows say went to 1.3 rad beyond.
TEST(JointRows, ACorrectionDoesNotThrowABallJoint) {
  ModelSpec spec = one_joint({.upper = 0.7}, 0);
  spec.bodies[0].inertia = {1, {0, 0, -0.2}, Sym3<double>{0.01, 0.01, 1e-5, 0, 0, 0}};
  spec.joints[0].type = JointType::ball;
  spec.joints[0].dofs.resize(3, spec.joints[0].dofs[0]);
  spec.joints[0].start_q = {0.9473437148405438, 0, -0.270156013751165, 0.17191746329619587};
  spec.joints[0].start_v = {0, -12, 7.6};
  const Model model = compiled(spec);
  double beyond = 0;
  run(model, 0.2, {.dt = 1e-3}, [&](const State& state, const Simulation&, const StepReport&) {
    const auto& q = state.q;
    beyond = larger(beyond, 2 * std::atan2(std::hypot(q[1], q[2], q[3]), std::abs(q[0])) - 0.7);
  });
  EXPECT_LT(beyond, 1e-5);
}

// The same rod, started 0.12 rad beyond its limit, is back within it after a step. A correction that was shortest in
// the metric of the mass turned it to and fro about its own axis, and never got there.
TEST(JointRows, ABallJointComesBackToItsLimit) {
  ModelSpec spec = one_joint({.upper = 0.09}, 0);
  spec.bodies[0].inertia = {1, {0, 0, -0.2}, Sym3<double>{0.01, 0.01, 1e-4, 0, 0, 0}};
  spec.joints[0].type = JointType::ball;
  spec.joints[0].dofs.resize(3, spec.joints[0].dofs[0]);
  const Quaternion<double> q = exp_rotation(Vec3<double>{-0.04, 0.2, -0.015});
  spec.joints[0].start_q = {q.w, q.x, q.y, q.z};
  double overrun = 0;
  run(compiled(spec), 0.05, {.dt = 3e-3},
      [&](const State&, const Simulation&, const StepReport& report) { overrun = larger(overrun, report.overrun); });
  EXPECT_LT(overrun, 1e-5);
}

TEST(JointRows, DryFrictionHoldsAndSlips) {
  EXPECT_NEAR(run(compiled(one_joint({.dry_friction = 20.1}, 10)), 1).state.q[0], 0, 1e-15);
  const Finished slips = run(compiled(one_joint({.dry_friction = 5}, 10)), 1);  // 20 N less 5 N on 2 kg
  EXPECT_NEAR(slips.state.v[0], -7.5, 1e-9);
}

// A stiff spring and damper, at a step a thousand times too long for explicit methods, reach their equilibrium.
TEST(JointRows, StiffSpringsDoNotExplode) {
  const Model model = compiled(one_joint({.damping = 1e3, .stiffness = 1e8}, 10));
  const Finished r = run(model, 1, {.stepper = Stepper::time_stepping, .dt = 1e-2});
  EXPECT_NEAR(r.state.q[0], -20 / 1e8, 1e-12);
}

TEST(JointRows, ServosReachTheirTargetWithinTheirLimits) {
  for (const double limit : {unlimited, 30.}) {
    ModelSpec spec = one_joint({}, 10);
    spec.actuators.push_back({.name = "servo",
                              .joint = "slide",
                              .type = ActuatorType::position,
                              .stiffness = 1e6,
                              .damping = 1e4,
                              .lower = -limit,
                              .upper = limit,
                              .control = 0.3});
    const Model model = compiled(spec);
    const Finished r = run(model, 3);
    EXPECT_NEAR(r.state.q[0], 0.3 - 20 / 1e6, 1e-9) << limit;
    // In the first step a servo with limits has its largest force: 30 N up, 20 N of weight down, on 2 kg.
    Simulation simulation(model, {.dt = 1e-3});
    State state = make_state(model);
    ASSERT_TRUE(simulation.step(state).ok());
    if (limit == 30) {
      EXPECT_NEAR(state.v[0], 5e-3, 1e-9);
    }
  }
  ModelSpec spec = one_joint({}, 0);
  spec.actuators.push_back(
      {.name = "servo", .joint = "slide", .type = ActuatorType::velocity, .damping = 1e5, .control = 2});
  EXPECT_NEAR(run(compiled(spec), 1).state.v[0], 2, 1e-9);
}

// The first hinge of a double pendulum starts 0.05 rad beyond its limit. The least motion that corrects it turns the
// second one by more than the 0.01 rad that it has: its limits are part of the correction.
TEST(JointRows, ACorrectionKeepsTheLimitsOfOtherJoints) {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.gravity = {0, 0, 0};
  spec.joints[0].dofs = {DofSpec{.upper = 0}};
  spec.joints[1].dofs = {DofSpec{.lower = -0.01, .upper = 0.01}};
  const Model model = compiled(spec);
  State state = make_state(model);
  state.q = {0.05, 0};
  state = advanced(model, state, {.stepper = Stepper::time_stepping, .dt = 1e-3}, 1);
  EXPECT_NEAR(state.q[0], 0, 1e-7);               // positions are corrected to 1e-6 of a gap
  EXPECT_NEAR(std::abs(state.q[1]), 0.01, 1e-7);  // it is pushed to its limit
  EXPECT_LT(largest(state.v), 1e-12);
}

}  // namespace
}  // namespace linchpin

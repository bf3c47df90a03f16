#include "linchpin/sim/certificate.h"

#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

Certificate followed(const Model& model, State& state, const SimulationOptions& options, int steps,
                     const Inputs& inputs = {}, double energy_tolerance = unlimited) {
  Simulation simulation(model, options);
  RunMonitor monitor(model, {.energy = energy_tolerance});
  monitor.start(state);
  for (int i = 0; i < steps; ++i) monitor.add(state, simulation.step(state, inputs));
  return monitor.certificate();
}

// A rod of 1 kg and 1 m about its end, without gravity: moment of inertia 1/3.
ModelSpec spinning_rod(double damping) {
  ModelSpec spec = scene("@planar_chain:links=1").value();
  spec.gravity = {0, 0, 0};
  spec.joints[0].dofs = {DofSpec{.damping = damping}};
  return spec;
}

// The dt that a failed run proposes passes, by a stepper of every order; nothing is proposed where energy is not why.
TEST(Certificate, ProposesTheDtThatWouldDo) {
  const Model model = model_of("@double_pendulum:rods=1");
  State start = make_state(model);
  start.q = {1.5, 0.5};
  const CertificateLimits limits{.energy = 1e-5};
  const auto certificate_of = [&](const SimulationOptions& options) {
    Simulation simulation(model, options);
    RunMonitor monitor(model, limits);
    State state = start;
    monitor.start(state);
    while (state.time < 1) monitor.add(state, simulation.step(state));
    return monitor.certificate();
  };
  for (const auto& [stepper, dt] : {std::pair{Stepper::semi_implicit_euler, 1e-3},
                                    {Stepper::time_stepping, 1e-2},
                                    {Stepper::implicit_midpoint, 2e-2},
                                    {Stepper::rk4, 0.1}}) {
    SimulationOptions options{.stepper = stepper, .dt = dt};
    const Certificate coarse = certificate_of(options);
    EXPECT_FALSE(coarse.passed()) << to_string(stepper);
    const std::optional<double> proposed = dt_for_energy(coarse, options);
    ASSERT_TRUE(proposed) << to_string(stepper);
    options.dt = *proposed;
    EXPECT_TRUE(certificate_of(options).passed()) << to_string(stepper) << " " << *proposed;
  }
  EXPECT_FALSE(dt_for_energy(certificate_of({.stepper = Stepper::rk4, .dt = 1e-3}), {.stepper = Stepper::rk4}));
  Certificate deep;
  deep.penetration = 1;
  deep.energy.largest_defect = deep.energy.exchanged = 0.2;
  EXPECT_FALSE(dt_for_energy(deep, {.stepper = Stepper::rk4})) << "a smaller dt need not mend that";
}

// v = 3 exp(-d t / I), so the damper has taken I 9/2 (1 - exp(-2 d t / I)).
TEST(EnergyBalance, DampingTakesWhatTheClosedFormSays) {
  const Model model = compiled(spinning_rod(0.5));
  for (const Stepper stepper : all_steppers()) {
    State state = make_state(model);
    state.v = {3};
    const Certificate c = followed(model, state, {.stepper = stepper, .dt = 1e-3}, 1000);
    const double lost = 1.5 * (1 - std::exp(-2 * 0.5 * 3.0));
    // Fourth and fifth order reach round-off; second: dt^2 times numbers of order one; first: dt.
    const double tolerance = order_of(stepper) >= 4 ? 1e-11 : order_of(stepper) == 2 ? 1e-5 : 1e-2;
    EXPECT_NEAR(c.energy.dissipated, lost, tolerance) << to_string(stepper);
    EXPECT_EQ(c.energy.work, 0);
    EXPECT_NEAR(c.energy.defect(), 0, tolerance) << to_string(stepper);
    EXPECT_EQ(c.steps, 1000);
    EXPECT_TRUE(c.passed());
  }
}

// A constant torque on a rod from rest: v = tau t / I, work tau^2 t^2 / (2 I).
TEST(EnergyBalance, WorkOfJointForces) {
  const Model model = compiled(spinning_rod(0));
  const std::vector<double> tau{0.2};
  for (const Stepper stepper : all_steppers()) {
    State state = make_state(model);
    const Certificate c = followed(model, state, {.stepper = stepper, .dt = 0.01}, 200, {tau, {}});
    EXPECT_NEAR(c.energy.work, 0.04 * 4 * 3 / 2, 1e-12) << to_string(stepper);  // all integrate a line exactly
    EXPECT_NEAR(c.energy.defect(), 0, 1e-12) << to_string(stepper);
    EXPECT_NEAR(c.energy.exchanged, 0.24, 1e-12);
    EXPECT_EQ(c.energy.dissipated, 0);
  }
}

// Ten boxes hang at rest: their only motion is rounding, and the energy defect must not be relative to that.
TEST(EnergyBalance, RestIsNoDefect) {
  const Model model = model_of("@stack");
  State state = make_state(model);
  const Certificate c = followed(model, state, {.dt = 1e-3}, 100);
  EXPECT_LE(c.energy.relative_defect(), 1e-6);
  EXPECT_GT(c.energy.exchanged, 0);
}

// A force of 3 N and a moment of 2 N m about z in the body's axes: it flies in circles and spins up. The spin is known,
// w = n t / Izz, and the balance must close on all of it.
TEST(EnergyBalance, WorkOfForcesFromOutside) {
  const Model model = model_of("@free_body");
  const std::vector<double> f_ext{0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0};
  for (const Stepper stepper : {Stepper::rk4, Stepper::dormand_prince, Stepper::implicit_midpoint}) {
    State state = make_state(model);
    const Certificate c = followed(model, state, {.stepper = stepper, .dt = 1e-3}, 2000, {{}, f_ext});
    EXPECT_NEAR(state.v[2], 2 * 2.0 / 3, 1e-12) << to_string(stepper);
    const double moment_work = 2 * (0.5 * 2.0 / 3 * 4);  // n times the angle turned, n t^2 / (2 Izz)
    const double speed2 = state.v[3] * state.v[3] + state.v[4] * state.v[4];
    const double tolerance = order_of(stepper) >= 4 ? 1e-11 : 1e-6;
    EXPECT_NEAR(c.energy.work, moment_work + 0.5 * speed2, tolerance) << to_string(stepper);
    EXPECT_NEAR(c.energy.largest_defect, 0, tolerance) << to_string(stepper);
  }
}

// Everything at once, in a tree with springs and damping on every kind of joint: the defect falls with the order.
TEST(EnergyBalance, ClosesOnARandomTree) {
  const Model model = model_of("@random_tree:bodies=12,seed=3");
  const std::vector<double> tau = random_numbers(model.nv(), 1), f_ext = random_numbers(6 * model.bodies().size(), 2);
  State state = random_state(model, 1, 1);
  const Certificate c = followed(model, state, tight(0.01), 50, {tau, f_ext});
  EXPECT_TRUE(c.passed()) << c.reason;
  EXPECT_GT(std::abs(c.energy.work), 1e-2);
  EXPECT_GT(c.energy.dissipated, 1e-2);
  EXPECT_LT(c.energy.relative_defect(), 1e-11);  // 1e-13 a substep, some hundred substeps
}

TEST(EnergyBalance, CertificateTellsWhatWentWrong) {
  const Model model = model_of("@simple_pendulum");
  State state = make_state(model);
  state.q = {1};
  const Certificate coarse = followed(model, state, {.stepper = Stepper::explicit_euler, .dt = 0.05}, 100, {}, 1e-3);
  EXPECT_TRUE(coarse.finite);
  EXPECT_EQ(coarse.status, StepStatus::done);
  EXPECT_GT(coarse.energy.relative_defect(), 1e-3);
  EXPECT_FALSE(coarse.passed());

  const double nan = std::nan("");
  const std::vector<double> tau{nan};
  const State before = state;
  const Certificate c = followed(model, state, {}, 3, {tau, {}});
  EXPECT_FALSE(c.finite);
  EXPECT_FALSE(c.passed());
  EXPECT_EQ(c.status, StepStatus::not_finite);
  EXPECT_EQ(c.body, 1);
  EXPECT_EQ(c.steps, 0);
  EXPECT_TRUE(same_bits(state, before));
}

// No one asked for a limit. The explicit method makes energy from fast spin: of 45 kJ, 744 kJ after 0.4 s.
TEST(Certificate, EnergyIsJudgedByDefault) {
  const Model model = model_of("@free_body");
  for (const Stepper stepper : {Stepper::explicit_euler, Stepper::rk4}) {
    Simulation simulation(model, {.stepper = stepper, .dt = 1e-3});
    RunMonitor monitor(model);
    State state = make_state(model);
    state.v = {300, 1, 1, 0, 0, 0};
    monitor.start(state);
    for (int i = 0; i < 400; ++i) monitor.add(state, simulation.step(state));
    const Certificate& c = monitor.certificate();
    EXPECT_TRUE(c.finite);
    EXPECT_EQ(c.status, StepStatus::done);
    EXPECT_EQ(c.steps, 400);
    EXPECT_EQ(c.verdict(), stepper == Stepper::rk4 ? Verdict::passed : Verdict::failed) << c.energy.relative_defect();
  }
}

// The energy is a hundredfold after the first step, and what it was after the second.
TEST(Certificate, AnExplosionThatComesBackIsSeen) {
  const Model model = model_of("@free_body");
  State calm = make_state(model), wild = calm;
  calm.v[3] = 1;
  wild.v[3] = 10;
  RunMonitor monitor(model);
  monitor.start(calm);
  monitor.add(wild, {});
  monitor.add(calm, {});
  const Certificate& c = monitor.certificate();
  EXPECT_EQ(c.energy.defect(), 0);
  EXPECT_NEAR(c.energy.largest_defect, 0.5 * (100 - 1), 1e-12);
  EXPECT_FALSE(c.passed());
}

// A step in which 1 J of kinetic energy appears, and which says that a damper, an impact or a contact gave it.
TEST(Certificate, NegativeLossesAreADefect) {
  const Model model = model_of("@free_body");
  const State before = make_state(model);
  State after = before;
  after.v[3] = std::sqrt(2.0);
  using R = StepReport;
  for (double R::*const amount : {&R::dissipated, &R::impact_loss, &R::contact_loss}) {
    StepReport report;
    report.*amount = -1;
    RunMonitor monitor(model);
    monitor.start(before);
    monitor.add(after, report);
    const EnergyBalance& e = monitor.certificate().energy;
    EXPECT_NEAR(e.largest_defect, 1, 1e-15);
    EXPECT_NEAR(e.relative_defect(), 1, 1e-15);
    EXPECT_EQ(e.created, 1);
    EXPECT_TRUE(e.creates());
    EXPECT_EQ(e.dissipated, 0);
    EXPECT_EQ(e.lost, 0);
    EXPECT_FALSE(monitor.certificate().passed());

    report.*amount = 1;  // the same backwards: it took what vanished
    monitor.start(after);
    monitor.add(before, report);
    EXPECT_NEAR(e.largest_defect, 0, 1e-15);
    EXPECT_EQ(e.created, 0);
    EXPECT_EQ(e.dissipated + e.lost, 1);
    EXPECT_TRUE(monitor.certificate().passed());
  }
}

// A torque of -1 N m reverses a damped rod, I = 1/3 and d = 1/2. Where the velocity changes its sign within a step of
// time_stepping, the implicit damper pushes with -d v_t, v_t = (1 - theta) v + theta v+ (joint_rows.h), while the rod
// moves by (v + v+) h / 2 the other way: it creates -h d v_t (v + v+) / 2. All of the defect is that, as the scheme's
// work changes the energy exactly. With v - v+ = a h, a = 3 rad/s^2, it is at most d h (a h)^2 / 16.
TEST(Certificate, ADamperCreatesEnergyOnlyWhereTheStepIsTooLong) {
  const Model model = compiled(spinning_rod(0.5));
  const std::vector<double> tau{-1};
  State state = make_state(model);
  state.v = {0.3};
  const double h = 0.2, x = 1.5 * h, theta = 0.5 + 0.5 * x / (1 + x);
  const double v = (0.3 - 3 * h - x * (1 - theta) * 0.3) / (1 + x * theta), v_t = (1 - theta) * 0.3 + theta * v;
  const Certificate one = followed(model, state, {.stepper = Stepper::time_stepping, .dt = h}, 1, {tau, {}});
  EXPECT_NEAR(state.v[0], v, 1e-15);
  EXPECT_NEAR(one.energy.created, -h * 0.5 * v_t * 0.5 * (0.3 + v), 1e-15);
  EXPECT_NEAR(one.energy.defect(), one.energy.created, 1e-15);
  EXPECT_EQ(one.energy.dissipated, 0);
  for (const double dt : {0.07, 0.01, 0.003}) {
    state = make_state(model);
    state.v = {0.3};
    const Certificate c =
        followed(model, state, {.stepper = Stepper::time_stepping, .dt = dt}, int(0.5 / dt), {tau, {}});
    EXPECT_LT(state.v[0], -0.3);
    EXPECT_GT(c.energy.dissipated, 0);
    EXPECT_LE(c.energy.created, 0.5 * dt * 9 * dt * dt / 16) << dt;
    EXPECT_NEAR(c.energy.defect(), c.energy.created, 1e-14) << dt;
  }
  // The steppers of higher order create none but rounding, dormand_prince with its negative weight included.
  for (const Stepper stepper : {Stepper::rk4, Stepper::dormand_prince, Stepper::implicit_midpoint}) {
    state = make_state(model);
    state.v = {0.3};
    const Certificate c = followed(model, state, {.stepper = stepper, .dt = 0.01}, 50, {tau, {}}, 0.1);
    EXPECT_FALSE(c.energy.creates()) << to_string(stepper);
    EXPECT_EQ(c.verdict(), Verdict::passed) << to_string(stepper);
  }
}

// A box that settles from a small gap moves for few steps, and half of what it exchanges is the error of the step that
// lands. That is no reason to fail, nor is a fall of some steps; energy from nowhere is, also in a model with gravity.
TEST(Certificate, SettlingIsNotJudgedByItsFewSteps) {
  const Model model = model_of("@stack:boxes=1");
  for (const double dt : {1e-3, 1e-2})
    for (const double gap : {-1e-6, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1}) {
      State state = make_state(model);
      state.q[6] += gap;
      const Certificate c = followed(model, state, {.dt = dt}, int(0.3 / dt), {}, CertificateLimits{}.energy);
      EXPECT_EQ(c.verdict(), Verdict::passed) << dt << " " << gap << " " << c.energy.relative_defect();
      EXPECT_NEAR(c.energy.unresolved, 0.5 * std::pow(10 * 9.81 * dt, 2), 1e-15);
    }
  Simulation simulation(model, {});
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  const StepReport report = simulation.step(state);
  state.v[5] = 0.05;  // 1.25 mJ; a tenth of 4.8 mJ is allowed
  monitor.add(state, report);
  EXPECT_EQ(monitor.certificate().verdict(), Verdict::failed);
}

// Rounding alone is larger than 1e-17, so that problems with this tolerance are solved to the acceptable residual only.
TEST(Certificate, ThreeVerdicts) {
  const Model model = model_of("@stack:boxes=2");
  const auto certificate = [&](double tolerance, double penetration) {
    Simulation simulation(model, {.contact = {.tolerance = tolerance}});
    RunMonitor monitor(model, {.penetration = penetration});
    State state = make_state(model);
    state.q[6] -= 1e-6;  // the lower box is that deep in the floor
    monitor.start(state);
    for (int i = 0; i < 20; ++i) monitor.add(state, simulation.step(state));
    return monitor.certificate();
  };
  const Certificate tight = certificate(1e-10, 1e-4), loose = certificate(1e-17, 1e-4), deep = certificate(1e-17, 1e-7);
  EXPECT_EQ(tight.verdict(), Verdict::passed);
  EXPECT_EQ(tight.loose, 0);
  EXPECT_TRUE(tight.passed());
  EXPECT_EQ(loose.verdict(), Verdict::passed_loosely);
  EXPECT_GT(loose.loose, 0);
  EXPECT_GT(loose.residual, 1e-17);
  EXPECT_TRUE(loose.passed());
  EXPECT_EQ(deep.verdict(), Verdict::failed);
  EXPECT_GT(deep.loose, 0);
  EXPECT_FALSE(deep.passed());
  EXPECT_EQ(to_string(Verdict::passed_loosely), "passed_loosely");
}

// A joint beyond its range fails the run, whatever its energy; so do corrections that add much energy.
TEST(Certificate, JudgesJointLimitsAndCorrections) {
  const Model model = model_of("@simple_pendulum");
  State state = make_state(model);
  state.v[0] = 1;
  const auto verdict = [&](StepReport report) {
    RunMonitor monitor(model);
    monitor.start(state);
    monitor.add(state, report);
    return monitor.certificate().verdict();
  };
  const double exchanged = [&] {
    RunMonitor monitor(model);
    monitor.start(state);
    return monitor.certificate().energy.exchanged;
  }();
  EXPECT_EQ(verdict({}), Verdict::passed);
  EXPECT_EQ(verdict({.overrun = 0.9e-3}), Verdict::passed);
  EXPECT_EQ(verdict({.overrun = 1.1e-3}), Verdict::failed);
  // The state does not change: what a correction adds, friction takes, so that there is no defect.
  EXPECT_EQ(verdict({.projected = 0.09 * exchanged, .contact_loss = 0.09 * exchanged}), Verdict::passed);
  EXPECT_EQ(verdict({.projected = 0.11 * exchanged, .contact_loss = 0.11 * exchanged}), Verdict::failed);
}

// Whatever the steps before and after it reported: a maximum that drops the NaN, or a sum that is not looked at, would
// pass.
TEST(Certificate, NotANumberInAnyFigureFails) {
  const Model model = model_of("@simple_pendulum");
  const State state = make_state(model);
  using R = StepReport;
  for (double R::*const figure :
       {&R::residual, &R::cone_violation, &R::penetration, &R::overrun, &R::least_release, &R::loop_error,
        &R::loop_speed, &R::work, &R::dissipated, &R::projected, &R::impact_loss, &R::contact_loss})
    for (int at = 0; at < 3; ++at) {
      RunMonitor monitor(model, {.energy = unlimited});
      monitor.start(state);
      EXPECT_TRUE(monitor.certificate().passed());
      for (int step = 0; step < 3; ++step) {
        StepReport report;
        if (step == at) report.*figure = std::nan("");
        monitor.add(state, report);
      }
      const Certificate& c = monitor.certificate();
      EXPECT_FALSE(c.finite);
      EXPECT_FALSE(c.passed());
      EXPECT_NE(c.not_finite(), nullptr);
      EXPECT_EQ(c.status, StepStatus::done);
    }
}

// As read from a file: `finite` alone does not decide.
TEST(Certificate, NotANumberFailsWithoutTheFlag) {
  for (double Certificate::*const figure :
       {&Certificate::residual, &Certificate::cone_violation, &Certificate::penetration, &Certificate::overrun,
        &Certificate::loop_error}) {
    Certificate c;
    EXPECT_TRUE(c.passed());
    c.*figure = std::nan("");
    EXPECT_FALSE(c.passed());
  }
  Certificate c;
  c.limits.energy = unlimited;
  c.energy.largest_defect = 1;
  c.energy.exchanged = std::nan("");
  EXPECT_TRUE(std::isnan(c.energy.relative_defect()));
  EXPECT_FALSE(c.passed());
}

}  // namespace
}  // namespace linchpin

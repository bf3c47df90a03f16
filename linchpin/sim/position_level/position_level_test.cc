// The steppers position_level and higher_order: closed forms of single contacts, the energy that they add,
// formulations.
#include <cmath>
#include <numbers>

#include "linchpin/base/check.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

constexpr double standard_gravity = 9.81;  // m/s^2

SimulationOptions position_level(double dt, const ContactOptions& contact = {}) {
  return {.stepper = Stepper::position_level, .dt = dt, .contact = contact};
}
SimulationOptions higher_order(double dt, const ContactOptions& contact = {}, int order = 4) {
  return {.stepper = Stepper::higher_order, .dt = dt, .order = order, .contact = contact};
}

// A ball of 1 kg; q[6] is the height of its lowest point above that at zero, v[5] its vertical velocity.
Model ball(double height, double restitution) {
  return model_of("@bounce:height=" + std::to_string(height) + ",restitution=" + std::to_string(restitution));
}

struct Stepped {
  State state;
  StepReport report;
};
Stepped stepped(Simulation& simulation, State state) {
  const StepReport report = simulation.step(state);
  EXPECT_TRUE(report.ok()) << report.reason;
  return {state, report};
}

// ---- position_level -------------------------------------------------------------------------------------------------

// v+ = v - g h; q+ = q + h v+, until the gap would become negative. It is closed exactly, then the ball stays.
TEST(PositionLevel, ABallFallsAndLandsExactly) {
  const double h = 1e-3, height = 0.01;
  const Model model = ball(height, 0);
  Simulation simulation(model, position_level(h));
  State state = make_state(model);
  double v = 0, q = 0;
  while (q + h * (v - standard_gravity * h) > -height) {
    v -= standard_gravity * h;
    q += h * v;
    state = stepped(simulation, state).state;
    ASSERT_NEAR(state.q[6], q, 1e-14);
    ASSERT_NEAR(state.v[5], v, 1e-13);
  }
  state = stepped(simulation, state).state;
  EXPECT_NEAR(state.q[6], -height, 1e-15);
  EXPECT_NEAR(state.v[5], (-height - q) / h, 1e-12);
  for (int i = 0; i < 100; ++i) state = stepped(simulation, state).state;
  EXPECT_NEAR(state.q[6], -height, 1e-15);
  EXPECT_NEAR(state.v[5], 0, 1e-12);
}

// The velocities before the step in which the gap closes, after it, and after the second phase.
struct Bounce {
  double before = 0, between = 0, after = 0;  // m/s
  double first_impulse = 0;                   // N s
  Certificate certificate;
};
Bounce bounce_of(const Model& model, const SimulationOptions& options) {
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  Bounce found;
  for (int i = 0; i < 10000; ++i) {
    const Stepped s = stepped(simulation, state);
    monitor.add(s.state, s.report);
    if (s.report.contacts > 0 && simulation.contacts()[0].normal_force > 0) {
      found.before = state.v[5];
      found.first_impulse = options.dt * simulation.contacts()[0].normal_force;
      found.between = s.state.v[5];
      const Stepped second = stepped(simulation, s.state);
      monitor.add(second.state, second.report);
      found.after = second.state.v[5];
      break;
    }
    state = s.state;
  }
  found.certificate = monitor.certificate();
  return found;
}

// (4): the ball leaves with e times the velocity before. Its energy is accounted for.
TEST(PositionLevel, VelocityRestitution) {
  for (const double e : {0.3, 0.8, 1.0}) {
    const Bounce b = bounce_of(ball(0.1, e), position_level(1e-3, {.restitution = Restitution::newton}));
    EXPECT_NEAR(b.after, -e * b.before, 1e-10) << e;
    EXPECT_LT(b.before, -1.3);
    const Certificate& c = b.certificate;
    // Work of the contact in the second phase: that of m g h besides.
    const double gained = 0.5 * (b.after * b.after - b.between * b.between);
    if (gained > 0) EXPECT_NEAR(c.restituted + c.restitution_gain, gained, 0.02 * std::abs(b.after)) << e;
    EXPECT_NEAR(c.energy.defect(), c.energy.created, 0.02) << e;  // a fall of 0.1 m by Euler's method at 1 ms
  }
}

// (5): compression is z1, and m (h g) more in the second step that ends the approach: the release is e times both.
TEST(PositionLevel, ImpulseRestitution) {
  const double h = 1e-3;
  for (const double e : {0.3, 0.8, 1.0}) {
    const Bounce b = bounce_of(ball(0.1, e), position_level(h));
    const double compression = -b.before + 2 * standard_gravity * h;  // z1 leaves an approach, which z_c ends: m = 1 kg
    EXPECT_NEAR(b.after, e * compression, 1e-9) << e;
    EXPECT_GT(b.first_impulse, 0);
    EXPECT_LE(b.first_impulse, compression + 1e-12);
  }
}

// A ball without spin meets the floor at an angle, friction holds: e_T gives back a part of the tangential impulse. For
// a solid ball an impulse at the contact changes the velocity of the contact point by 7/2 of its mass.
TEST(PositionLevel, TangentialRestitution) {
  const Model model = model_of("@bounce:height=0.05,restitution=0.5,speed=0.1");
  for (const Restitution law : {Restitution::newton, Restitution::poisson})
    for (const double e_T : {0.0, 0.4, 1.0}) {
      const double h = 1e-5;  // gravity's part of the impulses is 1e-4 of them
      Simulation simulation(model, position_level(h, {.restitution = law, .tangential_restitution = e_T}));
      State state = make_state(model);
      const auto slip = [](const State& s) { return s.v[3] - 0.1 * s.v[1]; };  // of the contact point, radius 0.1 m
      bool touched = false;
      for (int i = 0; i < 20000 && !touched; ++i) {
        state = stepped(simulation, state).state;
        touched = std::ranges::any_of(simulation.contacts(), [](const ContactReport& c) { return c.normal_force > 0; });
      }
      ASSERT_TRUE(touched);
      state = stepped(simulation, state).state;
      EXPECT_NEAR(slip(state), -e_T * 0.1, 1e-4) << to_string(Stepper::position_level) << " " << e_T;
    }
}

// A rod that strikes a rough floor with one end, at every angle and slip. Newton's law with friction may add energy;
// the report says how much. The balance closes up to what it counts as created, which is at most the gain.
TEST(PositionLevel, RestitutionThatAddsEnergyIsNamed) {
  ModelSpec spec;
  const Material rough{.friction = {0.6, 0.6}, .restitution = 0.9};
  spec.gravity = {0, 0, 0};
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = rough});
  spec.bodies.push_back({.name = "rod",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1.0 / 12, 1.0 / 12, 1e-3)},
                         .geometry = {{.name = "end", .shape = Sphere{0.01}, .material = rough}}});
  spec.bodies[0].geometry[0].X_BG.p = {0, 0, -0.5};
  spec.joints.push_back(joint("free", JointType::free, "world", "rod"));
  const Model model = compiled(spec);
  const double h = 1e-6;  // the bodies move by micrometres: errors of the first order are 1e-5
  EnergyMeter energy(model);
  double largest_gain = 0;
  for (const Restitution law : {Restitution::newton, Restitution::poisson})
    for (double angle = 0.1; angle < 1.4; angle += 0.2)
      for (const double slip : {-2.0, -0.5, 0.5, 2.0}) {
        State state = make_state(model);
        state.q = {std::cos(angle / 2), 0, std::sin(angle / 2), 0, 0, 0, 0.5 * std::cos(angle) + 0.01 + 0.5e-6};
        state.v = {0, 0, 0, slip, 0, -1};
        const double before = energy(state).total();
        Simulation simulation(model, position_level(h, {.restitution = law}));
        RunMonitor monitor(model);
        monitor.start(state);
        for (int i = 0; i < 3; ++i) {
          const Stepped s = stepped(simulation, state);
          monitor.add(s.state, s.report);
          state = s.state;
        }
        const Certificate& c = monitor.certificate();
        EXPECT_NEAR(c.energy.defect(), c.energy.created, 1e-4 * before) << angle << " " << slip;
        EXPECT_LE(c.energy.created, c.restitution_gain + 1e-9) << angle << " " << slip;
        EXPECT_GE(c.restitution_gain, 0);
        largest_gain = larger(largest_gain, c.restitution_gain);
      }
  EXPECT_GT(largest_gain, 1e-3) << "no impact that adds energy was found";
}

// (2): penetration d is pushed out within a step, which leaves a velocity of d / h, up to the floor of gaps.
TEST(PositionLevel, PenetrationIsPushedOut) {
  const double h = 1e-3, depth = 1e-4;
  const Model model = ball(0, 0);
  State start = make_state(model);
  start.q[6] = -depth;
  for (const double floor : {-unlimited, -1e-5, 0.0}) {
    Simulation simulation(model, position_level(h, {.gap_floor = floor}));
    const Stepped s = stepped(simulation, start);
    const double out = std::min(depth, -floor);
    EXPECT_NEAR(s.state.q[6], -depth + out, 1e-15) << floor;
    EXPECT_NEAR(s.state.v[5], out / h, 1e-12) << floor;
    // Work of the contact: that which lifts and accelerates 1 kg.
    EXPECT_NEAR(s.report.pushed_out, 0.5 * (out / h) * (out / h) + standard_gravity * out * 0.5, 1e-6) << floor;
    EXPECT_NEAR(s.report.penetration, depth, 1e-15);
  }
}

TEST(PositionLevel, FrictionHoldsWithoutCreep) {
  const Model model = model_of("@slope:angle=20,mu=0.5");
  const State start = make_state(model), end = advanced(model, start, position_level(1e-3), 1000);
  EXPECT_LT(distance(model, start, end), 1e-9);
}

// Sliding down 35 degrees from rest: acceleration g (sin - mu cos); v exact, the path h t a / 2 too long.
TEST(PositionLevel, SlidingIsOfFirstOrder) {
  const Model model = model_of("@slope:angle=35,mu=0.5");
  const double angle = 35 * std::numbers::pi / 180, a = standard_gravity * (std::sin(angle) - 0.5 * std::cos(angle));
  for (const double h : {2e-3, 1e-3}) {
    const State end = advanced(model, make_state(model), position_level(h), int(std::lround(0.5 / h)));
    EXPECT_NEAR(std::hypot(end.q[4], end.q[5], end.q[6]), a * 0.125 + a * 0.5 * h / 2, 1e-9) << h;
    EXPECT_NEAR(std::hypot(end.v[3], end.v[4], end.v[5]), a * 0.5, 1e-9) << h;
  }
}

// A slider that is pushed beyond the end of its range within the step ends there, by v+ = gap / h: in one problem,
// since limits that are near have rows from the start. Dry friction of 2 N slows the other one down by h F / m.
TEST(PositionLevel, LimitsAndDryFriction) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  for (const char* name : {"limited", "dry"}) {
    spec.bodies.push_back({.name = name, .inertia = {.mass = 4}, .geometry = {}});
    spec.joints.push_back(joint(name, JointType::prismatic, "world", name));
  }
  spec.joints[0].dofs = {DofSpec{.upper = 0.5}};
  spec.joints[1].dofs = {DofSpec{.dry_friction = 2}};
  const Model model = compiled(spec);
  State state = make_state(model);
  state.q = {0.4995, 0};
  state.v = {0, 1};
  const std::vector<double> tau{200, 0};
  Simulation simulation(model, position_level(0.01));
  const StepReport report = simulation.step(state, {.tau = tau});
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_NEAR(state.q[0], 0.5, 1e-15);
  EXPECT_NEAR(state.v[0], 0.05, 1e-13);
  EXPECT_NEAR(state.v[1], 1 - 0.01 * 2 / 4, 1e-13);
  EXPECT_NEAR(state.q[1], 0.01 * state.v[1], 1e-15);
  EXPECT_EQ(report.problems, 1);
  EXPECT_LE(report.overrun, 1e-15);
}

TEST(PositionLevel, FormulationsAgree) {
  for (const char* name : {"@falling_chain:spatial=1", "@stand4", "@swing:links=3"}) {
    const Model model = model_of(name);
    for (const Stepper stepper : {Stepper::position_level, Stepper::higher_order}) {
      const auto end_by = [&](Method method) {
        return advanced(model, make_state(model), {.stepper = stepper, .contact = {.method = method}}, 300);
      };
      const State os = end_by(Method::os);
      // Each problem is solved to 1e-10 of its impulses; 300 steps of contact.
      for (const Method method : all_methods())
        EXPECT_LT(distance(model, os, end_by(method)), 1e-7) << name << " " << to_string(method);
    }
  }
}

// Rebuilt before every step, in both phases of restitution as well: State has all that the next step needs.
TEST(PositionLevel, RebuildingTheSimulationChangesNoBit) {
  const Model model = model_of("@swing:links=3");
  for (const Restitution law : {Restitution::newton, Restitution::poisson})
    for (const Stepper stepper : {Stepper::position_level, Stepper::higher_order}) {
      const SimulationOptions options{.stepper = stepper, .dt = 2e-3, .contact = {.restitution = law}};
      State state = make_state(model), rebuilt = state;
      Simulation simulation(model, options);
      bool bounced = false;
      for (int i = 0; i < 1000; ++i) {
        const StepReport report = simulation.step(state);
        ASSERT_TRUE(report.ok()) << report.reason;
        bounced = bounced || report.restituted > 0;
        Simulation again(model, options);
        ASSERT_TRUE(again.step(rebuilt).ok());
        ASSERT_TRUE(same_bits(state, rebuilt)) << i;
      }
      EXPECT_EQ(bounced, stepper == Stepper::position_level);
    }
}

// ---- higher_order ---------------------------------------------------------------------------------------------------

// Sliding without friction over a level floor under a spring: the normal force is constant, so the motion keeps the
// order of the method. The reference is the closed form.
TEST(HigherOrder, OrderInLastingContactWithoutFriction) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = {.friction = {0, 0}}});
  spec.bodies.push_back({.name = "sledge",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1)},
                         .geometry = {{.name = "runner", .shape = Sphere{0.1}, .material = {.friction = {0, 0}}}}});
  spec.joints.push_back(joint("free", JointType::translational, "world", "sledge"));
  spec.joints[0].dofs = {DofSpec{.stiffness = 100}, DofSpec{}, DofSpec{}};
  const Model model = compiled(spec);
  for (const int order : {1, 2, 4, 5}) {
    std::vector<double> error;
    const double dt = order == 1 ? 1e-3 : 0.02;
    for (const double h : {dt, dt / 2, dt / 4}) {
      State state = make_state(model);
      state.q = {0.3, 0, 0.1};
      state = advanced(model, state, higher_order(h, {}, order), int(std::lround(0.8 / h)));
      error.push_back(std::abs(state.q[0] - 0.3 * std::cos(10 * 0.8)));
      EXPECT_NEAR(state.q[2], 0.1, 1e-12);
    }
    EXPECT_GT(std::log2(error[0] / error[2]) / 2, order - 0.2) << order << ": " << error[0] << " " << error[2];
    EXPECT_GT(error[2], 1e-13) << order;  // above rounding
  }
}

// The constant force of the step in which a ball lands lets it penetrate by about h |u| / 2; a floor of the gap bounds
// how much of that is pushed out in each of the next steps, and without a floor the ball bounces at about |u| / 2.
TEST(HigherOrder, FloorOfTheGap) {
  const double h = 1e-3, u = std::sqrt(2 * standard_gravity * 0.5);
  const Model model = ball(0.5, 0);
  const auto rebound = [&](double floor) {
    Simulation simulation(model, higher_order(h, {.gap_floor = floor}));
    State state = make_state(model);
    double fastest = 0, deepest = 0;
    for (int i = 0; i < 400; ++i) {
      state = stepped(simulation, state).state;
      fastest = larger(fastest, state.v[5]);
      deepest = larger(deepest, -0.5 - state.q[6]);
    }
    EXPECT_LT(deepest, h * u) << floor;
    EXPECT_GT(deepest, 0) << floor;
    return fastest;
  };
  EXPECT_GT(rebound(-unlimited), 0.1 * u);
  EXPECT_NEAR(rebound(-1e-5), 1e-5 / h, 1e-9);
  EXPECT_NEAR(rebound(0), 0, 1e-9);
}

// The energy that friction gives in single steps is named (the motion is that of reproduce hybrid/dissipation).
TEST(HigherOrder, FrictionThatGivesEnergyIsNamed) {
  ModelSpec spec = scene("@falling_chain").value();
  const Material rough{.friction = {0.5, 0.5}, .restitution = 0.0};
  for (GeometrySpec& shape : spec.world_geometry) shape.material = rough;
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& shape : body.geometry) shape.material = rough;
  const Model model = compiled(spec);
  double given = 0;
  const Finished end = run(model, 1.5, higher_order(1e-3),
                           [&](const State&, const Simulation&, const StepReport& r) { given += r.friction_gain; });
  EXPECT_GT(given, 1e-5);
  EXPECT_NEAR(end.certificate.friction_gain, given, 1e-12);
  EXPECT_LT(end.certificate.energy.relative_defect(), 1e-3);  // fourth order, and the work of the forces
}

// ---- options --------------------------------------------------------------------------------------------------------

std::string refusal(const SimulationOptions& options) {
  try {
    check_options(options);
  } catch (const CheckFailed& fault) {
    return fault.what();
  }
  return "";
}

TEST(PositionLevel, OptionsOutOfRangeAreRefusedWithBothNumbers) {
  const auto expect_numbers = [](const std::string& message, const char* given, const char* allowed) {
    EXPECT_NE(message.find(given), std::string::npos) << message;
    EXPECT_NE(message.find(allowed), std::string::npos) << message;
  };
  expect_numbers(refusal(higher_order(1e-3, {.gap_floor = 1e-5})), "1e-05 m", "at most 0");
  expect_numbers(refusal(position_level(1e-3, {.tangential_restitution = 1.5})), "1.5", "from 0 to 1");
  expect_numbers(refusal(higher_order(1e-3, {}, 3)), "order is 3", "1, 2, 4 and 5");
  expect_numbers(refusal(position_level(1e-3, {.sleep_after = 1})), "1 s", "0");
  EXPECT_NE(refusal(higher_order(1e-3, {.gap_floor = std::nan("")})), "");
  EXPECT_NE(refusal(higher_order(1e-3, {.tangential_restitution = std::nan("")})), "");
  EXPECT_EQ(refusal(higher_order(1e-3, {.gap_floor = -unlimited})), "");
}

TEST(PositionLevel, NanAndRunawayAreReported) {
  const Model model = model_of("@stack:boxes=2");
  for (const Stepper stepper : {Stepper::position_level, Stepper::higher_order}) {
    State state = make_state(model);
    state.v[4] = std::nan("");
    const State before = state;
    Simulation simulation(model, {.stepper = stepper});
    EXPECT_EQ(simulation.step(state).status, StepStatus::not_finite);
    EXPECT_TRUE(same_bytes(state, before));
    state = make_state(model);
    Simulation few(model, {.stepper = stepper, .contact = {.most_contacts = 3}});
    EXPECT_EQ(few.step(state).status, StepStatus::runaway);
  }
}

}  // namespace
}  // namespace linchpin

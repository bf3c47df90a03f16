// The order of time_stepping and trapezoidal where rows act: the slope of log error over log dt from four runs, three
// halvings, in positions and in velocities. The reference is a run with a 32nd of the shortest dt; runs with closed
// forms are in contact_test.cc, and dry_friction below has one.
#include <cmath>
#include <functional>
#include <numbers>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

struct Motion {
  ModelSpec spec;
  std::vector<double> q, v;  // at the start; empty for the model's own
  double time, dt;           // s; dt: the longest
};

struct Errors {
  double q, v;
};

State arrive(const Model& model, const Motion& motion, Stepper stepper, double dt, Method method) {
  State state = make_state(model);
  if (!motion.q.empty()) state.q = motion.q;
  if (!motion.v.empty()) state.v = motion.v;
  const SimulationOptions options{.stepper = stepper, .dt = dt, .contact = {.method = method}};
  return advanced(model, state, options, int(std::lround(motion.time / dt)));
}

Errors errors_of(const Model& model, const State& state, const State& truth) {
  std::vector<double> step(state.v.size());
  difference(model, state.q, truth.q, step);
  return {largest(step), largest_difference(state.v, truth.v)};
}

void expect_second_order(const Motion& motion, Method method = Method::os) {
  const Model model = compiled(motion.spec);
  for (const Stepper stepper : {Stepper::time_stepping, Stepper::trapezoidal}) {
    SCOPED_TRACE(to_string(stepper));
    const State truth = arrive(model, motion, stepper, motion.dt / 256, method);
    Errors first{}, last{};
    for (int k = 0; k <= 3; ++k) {
      const Errors e = errors_of(model, arrive(model, motion, stepper, motion.dt / (1 << k), method), truth);
      if (k == 0) first = e;
      last = e;
    }
    // The mean slope of three halvings.
    EXPECT_GT(std::log2(first.q / last.q) / 3, 1.9) << first.q << " " << last.q;
    EXPECT_GT(std::log2(first.v / last.v) / 3, 1.9) << first.v << " " << last.v;
    EXPECT_LT(std::log2(first.v / last.v) / 3, 2.6) << "is there an event?";
  }
}

Material rough(double mu) { return {.friction = {mu, mu}}; }

ModelSpec on_floor(double mu) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = rough(mu)});
  return spec;
}

void add_free_body(ModelSpec& spec, double mass, const Sym3<double>& moments, std::vector<GeometrySpec> geometry) {
  spec.bodies.push_back({.name = "body", .inertia = {mass, {0, 0, 0}, moments}, .geometry = std::move(geometry)});
  spec.joints.push_back(joint("free", JointType::free, "world", "body"));
}

// A plate on three round feet slides and turns: the direction of slip turns at each foot, and loads move between them.
Motion tripod() {
  ModelSpec spec = on_floor(0.3);
  std::vector<GeometrySpec> feet;
  for (int i = 0; i < 3; ++i) {
    const double a = 2 * std::numbers::pi * i / 3 + 0.2;
    feet.push_back({.name = "foot" + std::to_string(i), .shape = Sphere{0.05}, .material = rough(0.3)});
    feet.back().X_BG.p = {0.4 * std::cos(a), 0.4 * std::sin(a), -0.2};
  }
  add_free_body(spec, 2, Sym3<double>::diagonal(0.1, 0.12, 0.2), feet);
  return {spec, {1, 0, 0, 0, 0, 0, 0.25}, {0, 0, 4, 1, 0.5, 0}, 0.256, 4e-3};
}

Motion ball_on_ball(double mu, const std::vector<double>& v) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "hill", .shape = Sphere{1.0}, .material = rough(mu)});
  add_free_body(spec, 1, Sym3<double>::diagonal(0.004, 0.005, 0.006),
                {{.name = "ball", .shape = Sphere{0.2}, .material = rough(mu)}});
  return {spec, {1, 0, 0, 0, 0, 0, 1.2}, v, 0.32, 8e-3};
}

Motion rolling_ellipsoid() {
  ModelSpec spec = on_floor(0.9);
  add_free_body(spec, 1, Sym3<double>::diagonal(0.01, 0.012, 0.006),
                {{.name = "egg", .shape = Ellipsoid{{0.1, 0.12, 0.2}}, .material = rough(0.9)}});
  return {spec, {1, 0, 0, 0, 0, 0, 0.2}, {0.8, 1, 0, 0.2, -0.16, 0}, 0.4, 8e-3};
}

TEST(ContactOrder, SlidingThatTurns) { expect_second_order(tripod()); }

TEST(ContactOrder, SlidingThatTurnsInEveryFormulation) {
  for (const Method method : all_methods()) {
    SCOPED_TRACE(to_string(method));
    Motion motion = tripod();
    motion.time = 0.064;
    expect_second_order(motion, method);
  }
}

TEST(ContactOrder, SlidingBall) {
  ModelSpec spec = on_floor(0.3);
  add_free_body(spec, 1, Sym3<double>::diagonal(0.004, 0.005, 0.006),
                {{.name = "ball", .shape = Sphere{0.1}, .material = rough(0.3)}});
  expect_second_order({spec, {1, 0, 0, 0, 0, 0, 0.1}, {3, 2, 5, 1, 0.5, 0}, 0.064, 4e-3});
}

// Without friction the normal force alone changes direction; with it the ball rolls, and its contact point moves over
// both surfaces.
TEST(ContactOrder, OverACurvedSurface) {
  expect_second_order(ball_on_ball(0, {0, 0, 1, 0.5, 0.2, 0}));
  expect_second_order(ball_on_ball(3, {-1, 2.5, 1, 0.5, 0.2, 0}));
}

TEST(ContactOrder, RollingEllipsoid) { expect_second_order(rolling_ellipsoid()); }

// The second joint of a double pendulum stays at its limit.
TEST(ContactOrder, JointAtItsLimit) {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.joints[1].dofs = {DofSpec{.lower = -3, .upper = 0}};
  expect_second_order({spec, {1.2, 0}, {-1, 0}, 0.32, 8e-3});
}

// Springs, dampers and servos, in joints and from body to body; servos with limits that they do not reach.
TEST(ContactOrder, SpringsAndServos) {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.joints[0].dofs = {DofSpec{.damping = 0.3, .stiffness = 20}};
  spec.actuators.push_back({.name = "servo",
                            .joint = spec.joints[1].name,
                            .type = ActuatorType::position,
                            .stiffness = 15,
                            .damping = 0.4,
                            .lower = -100,
                            .upper = 100,
                            .control = 0.3});
  SpringSpec spring;
  spring.name = "spring";
  spring.a = {"world", translation(0.3, 0, 0.5)};
  spring.b = {spec.bodies[1].name, Transform<double>::identity()};
  spring.stiffness = 30;
  spring.damping = 0.5;
  spring.length = 0.4;
  spec.springs = {spring};
  expect_second_order({spec, {0.8, 0.4}, {-1, 0.5}, 0.512, 4e-3});
}

// A servo at its force limit pushes a mass on a spring.
TEST(ContactOrder, ServoAtItsLimit) {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.actuators.push_back({.name = "servo",
                            .joint = spec.joints[0].name,
                            .type = ActuatorType::position,
                            .stiffness = 1e3,
                            .damping = 1,
                            .lower = -2,
                            .upper = 2,
                            .control = 3});
  expect_second_order({spec, {0.8, 0.4}, {-1, 0.5}, 0.256, 4e-3});
}

TEST(ContactOrder, Loops) {
  Motion motion{scene("@four_bar:loops=2").value(), {}, {}, 0.4, 8e-3};
  for (int k = 0; k < compiled(motion.spec).nv(); ++k) motion.v.push_back(k % 2 == 0 ? 1 : -1);  // crank, coupler, ...
  expect_second_order(motion);
}

// A mass on a spring with dry friction: half cycles about +-f/k, each turning point nearer by 2 f/k. The exact position
// after 2.5 half cycles, from 0.5 m.
TEST(ContactOrder, DryFriction) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "mass", .inertia = {.mass = 1}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "mass")};
  spec.joints[0].dofs = {DofSpec{.stiffness = 100, .dry_friction = 3}};
  const Model model = compiled(spec);
  const double centre = 0.03, time = 0.8, turn = 2 * std::numbers::pi / 10;  // at which the third half cycle begins
  const double exact = centre + (0.5 - 5 * centre) * std::cos(10 * (time - turn));
  std::vector<double> error;
  for (const double dt : {5e-3, 2.5e-3, 1.25e-3, 0.625e-3}) {
    const State end = arrive(model, {spec, {0.5}, {0}, time, dt}, Stepper::time_stepping, dt, Method::os);
    error.push_back(std::abs(end.q[0] - exact));
  }
  EXPECT_GT(std::log2(error.front() / error.back()) / 3, 1.9) << error.front() << " " << error.back();
  EXPECT_LT(error.front(), 1e-3);
}

// A body that spins at 300 rad/s about no principal axis, without forces, at a dt that it turns by 0.3 rad in: its
// energy is kept to second order. By an explicit evaluation of the gyroscopic moment it grew to 200 times its value.
// At 3 rad a step the rounds for velocity products do not settle: the step is halved until they do.
TEST(ContactOrder, SpinningBodyKeepsItsEnergy) {
  ModelSpec spec = on_floor(0.5);
  spec.gravity = {0, 0, 0};
  add_free_body(spec, 1, Sym3<double>::diagonal(0.05, 0.1, 0.12),
                {{.name = "box", .shape = Box{{0.1, 0.1, 0.1}}, .material = rough(0.5)}});
  const Model model = compiled(spec);
  for (const double dt : {1e-3, 0.5e-3, 1e-2}) {
    RunMonitor monitor(model);
    Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = dt});
    State state = make_state(model);
    state.q[6] = 10;
    state.v = {1, 300, 1, 0, 0, 0};
    monitor.start(state);
    for (int i = 0; i < int(std::lround(0.5 / dt)); ++i) monitor.add(state, simulation.step(state));
    // Velocity products are iterated to 1e-5 of the velocities (forces.h), and to 1e-3 in the shortened intervals.
    EXPECT_LT(monitor.certificate().energy.relative_defect(), dt < 5e-3 ? 1e-5 : 1e-3) << dt;
    EXPECT_EQ(monitor.certificate().halved > 0, dt > 5e-3) << dt;
  }
}

// Three rods fall on one end at 4.5 m/s, without restitution: the step is split at the landing (landings.h), so that
// the order is kept across it. The landing is neither at the start nor at the end of a step.
TEST(ContactOrder, AcrossALanding) {
  expect_second_order({scene("@falling_chain").value(), {}, {}, 0.512, 1e-3});
  expect_second_order({scene("@falling_chain:spatial=1").value(), {}, {}, 0.512, 1e-3});
}

// A double pendulum whose second joint meets its limit at 1 rad/s.
TEST(ContactOrder, AcrossTheMeetingOfALimit) {
  ModelSpec spec = scene("@double_pendulum:rods=1").value();
  spec.joints[1].dofs = {DofSpec{.lower = -3, .upper = 0.3}};
  expect_second_order({spec, {1.2, 0}, {-1, 1}, 0.512, 1e-3});
}

// A slider crank with clearance [Flores, Leine and Glocker 2010], crank at 150 rad/s. Before anything touches it is as
// exact as a smooth stepper; in 0.2 s, with some hundred impacts and slow closings, its energy is kept to second order
// of h times 150 rad/s. With rows that closed gaps within a step these were 2.6e-3 and 0.11.
TEST(ContactOrder, SliderWithClearance) {
  const Model model = model_of("@loose_slider");
  const State start = make_state(model);
  const State truth = advanced(model, start, tight(1e-4), 20);
  const auto error = [&](double dt, int steps) {
    return largest_difference(advanced(model, start, {.stepper = Stepper::time_stepping, .dt = dt}, steps).q, truth.q);
  };
  EXPECT_LT(error(1e-4, 20), 2e-4 * 0.3);  // rad, of the 0.3 rad that the crank turns
  EXPECT_NEAR(std::log2(error(1e-4, 20) / error(5e-5, 40)), 2, 0.2);
  const double coarse = run(model, 0.2, {.dt = 1e-4}).certificate.energy.relative_defect();
  const double fine = run(model, 0.2, {.dt = 2.5e-5}).certificate.energy.relative_defect();
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 8);  // 16 if both had the same impacts
}

// No force acts along x. If a row closed the gap within the step, the momentum would jump by the order of dt at each
// landing: 65 mm of drift in 1.5 s instead of less than 1.
TEST(ContactOrder, LandingsKeepMomentum) {
  const Model model = model_of("@falling_chain");
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  double most = 0;
  run(model, 1.5, {.dt = 1e-3}, [&](const State& state, const Simulation&, const StepReport&) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
    most = larger(most, std::abs(momentum(model, kin, vel).f.x));
  });
  // kg m/s: 3 kg at some m/s and rad/s, errors of the second order over 1500 steps
  EXPECT_LT(most, 5e-3);
}

// Two balls that touch, and one a millimetre above them, fall together: as far as one alone.
TEST(ContactOrder, BodiesThatFallTogether) {
  ModelSpec spec = on_floor(0.5);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "ball" + std::to_string(i);
    spec.bodies.push_back({.name = name,
                           .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                           .geometry = {{.name = name, .shape = Sphere{0.1}, .material = rough(0.5)}}});
    spec.joints.push_back(joint("free" + std::to_string(i), JointType::free, "world", name));
  }
  const Model model = compiled(spec);
  State state = make_state(model);
  const double height[] = {10, 10.2, 10.401};
  for (int i = 0; i < 3; ++i) state.q[7 * i + 6] = height[i];
  state = advanced(model, state, {.stepper = Stepper::time_stepping, .dt = 1e-2}, 50);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(state.q[7 * i + 6], height[i] - norm(model.gravity()) * 0.125, 1e-12) << i;
}

}  // namespace
}  // namespace linchpin

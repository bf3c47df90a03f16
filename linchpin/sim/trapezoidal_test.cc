// What Stepper::trapezoidal treats implicitly beyond time_stepping, and that it is the same method otherwise. Its order
// where rows act is in contact_order_test.cc.
#include <cmath>
#include <functional>
#include <numbers>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

void add_body(ModelSpec& spec, const std::string& name, double mass, const Sym3<double>& moments, JointType type) {
  spec.bodies.push_back({.name = name, .inertia = {mass, {0, 0, 0}, moments}, .geometry = {}});
  spec.joints.push_back(joint(name, type, "world", name));
}

SpringSpec spring(const std::string& name, const std::string& a, const Vec3<double>& at_a, const std::string& b,
                  const Vec3<double>& at_b, double stiffness, double length) {
  SpringSpec s;
  s.name = name;
  s.a = {a, translation(at_a.x, at_a.y, at_a.z)};
  s.b = {b, translation(at_b.x, at_b.y, at_b.z)};
  s.stiffness = stiffness;
  s.length = length;
  return s;
}

double stiffness_of(double hertz, double mass) { return mass * std::pow(2 * pi * hertz, 2); }

SimulationOptions trapezoidal(double dt, double numerical_damping = 1) {
  return {.stepper = Stepper::trapezoidal, .dt = dt, .contact = {.numerical_damping = numerical_damping}};
}

State from(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  State state = make_state(model);
  if (!q.empty()) state.q = q;
  if (!v.empty()) state.v = v;
  return state;
}

double energy_defect(const Model& model, State state, const SimulationOptions& options, int steps) {
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  monitor.start(state);
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    EXPECT_TRUE(report.ok()) << report.reason << " at t = " << state.time;
    if (!report.ok()) break;
  }
  return monitor.certificate().energy.relative_defect();
}

// A point mass on a spring of 100 kHz swings in space, from rest against the string or with a push across.
Model mass_on_spring(double mass) {
  ModelSpec spec;
  add_body(spec, "mass", mass, Sym3<double>::diagonal(1e-3, 1e-3, 1e-3), JointType::free);
  spec.springs = {spring("string", "world", {0, 0, 0}, "mass", {0, 0, 0}, stiffness_of(1e5, mass), 1)};
  return compiled(spec);
}

// The position of a point on a string of 1 m, by a Runge-Kutta method with short steps.
Vec3<double> spherical_pendulum(Vec3<double> x, Vec3<double> v, double time) {
  const Vec3<double> g{0, 0, -9.81};
  const auto acceleration = [&](const Vec3<double>& at, const Vec3<double>& rate) {
    return g - ((dot(rate, rate) + dot(g, at)) / dot(at, at)) * at;
  };
  const int steps = 20000;
  const double h = time / steps;
  for (int i = 0; i < steps; ++i) {
    const Vec3<double> a1 = acceleration(x, v), v2 = v + (h / 2) * a1, a2 = acceleration(x + (h / 2) * v, v2);
    const Vec3<double> v3 = v + (h / 2) * a2, a3 = acceleration(x + (h / 2) * v2, v3);
    const Vec3<double> v4 = v + h * a3, a4 = acceleration(x + h * v3, v4);
    x = x + (h / 6) * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v = v + (h / 6) * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return x;
}

TEST(Trapezoidal, StiffSpringIsARod) {
  const double angle = pi / 3, mass = 2, time = 2;
  const Model model = mass_on_spring(mass);
  const Vec3<double> x{std::sin(angle), 0, -std::cos(angle)}, v{0, 1.5, 0};
  const State start = from(model, {1, 0, 0, 0, x.x, x.y, x.z}, {0, 0, 0, v.x, v.y, v.z});
  const Vec3<double> truth = spherical_pendulum(x, v, time);
  const auto error = [&](double dt) {
    const State end = advanced(model, start, trapezoidal(dt), int(std::lround(time / dt)));
    return norm(Vec3<double>{end.q[4], end.q[5], end.q[6]} - truth);
  };
  EXPECT_LT(error(1e-3), 1e-5);
  EXPECT_GT(std::log2(error(4e-3) / error(5e-4)) / 3, 1.9);
  EXPECT_LT(energy_defect(model, start, trapezoidal(1e-3), 2000), 1e-4);
}

// A spring pulled by 1 mm: 100 kHz are not resolved by 1 ms.
TEST(Trapezoidal, DampingOfFastOscillationsIsAChoice) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  add_body(spec, "mass", 1, Sym3<double>::diagonal(1, 1, 1), JointType::prismatic);
  spec.springs = {spring("spring", "world", {0, 0, -1}, "mass", {0, 0, 0}, stiffness_of(1e5, 1), 1)};
  ModelSpec in_joint = spec;
  in_joint.springs.clear();
  in_joint.joints[0].dofs = {DofSpec{.stiffness = stiffness_of(1e5, 1)}};
  for (const ModelSpec& s : {spec, in_joint}) {
    const Model model = compiled(s);
    const auto energy_after = [&](double damping) {
      const State end = advanced(model, from(model, {1e-3}, {0}), trapezoidal(1e-3, damping), 40);
      return (0.5 * end.v[0] * end.v[0] + 0.5 * stiffness_of(1e5, 1) * end.q[0] * end.q[0]) /
             (0.5 * stiffness_of(1e5, 1) * 1e-6);
    };
    EXPECT_NEAR(energy_after(0), 1, 1e-9);  // rounding, times x = 4e5
    EXPECT_LT(energy_after(0.1), 0.9);
    EXPECT_LT(energy_after(1), 1e-6);
  }
}

// A mass between two strings of 0.5 m moves sideways by x'' = -2 T x / (L m): at 2 kHz here, which is unstable with an
// explicit force, h^2 2 T / (L m) = 158.
Model taut_string(double tension, double mass) {
  ModelSpec spec;
  spec.gravity = {0, 0, -9.81};
  add_body(spec, "mass", mass, Sym3<double>::diagonal(1e-3, 1e-3, 1e-3), JointType::free);
  const double stiffness = 2 * tension;  // pulled from 0 to 0.5 m: T = k 0.5
  spec.springs = {spring("left", "world", {-0.5, 0, 0}, "mass", {0, 0, 0}, stiffness, 0),
                  spring("right", "world", {0.5, 0, 0}, "mass", {0, 0, 0}, stiffness, 0)};
  spec.springs[0].length = spec.springs[1].length = 1e-9;
  return compiled(spec);
}

TEST(Trapezoidal, TautStringsAreStableSideways) {
  const double mass = 0.01, tension = 0.25 * mass * std::pow(2 * pi * 2000, 2);
  const Model model = taut_string(tension, mass);
  const State start = from(model, {1, 0, 0, 0, 0, 1e-3, 0}, {});
  Simulation explicit_sideways(model, {.stepper = Stepper::time_stepping, .dt = 1e-3});
  State state = start;
  bool runs_away = false;
  for (int i = 0; i < 200 && !runs_away; ++i)
    runs_away = !explicit_sideways.step(state).ok() || std::abs(state.q[5]) > 0.01;
  EXPECT_TRUE(runs_away);
  state = advanced(model, start, trapezoidal(1e-3), 200);
  EXPECT_LT(std::abs(state.q[5]), 1e-6);
  // It sags under its weight: 2 T / L z = m g.
  EXPECT_NEAR(state.q[6], -9.81 * mass * 0.5 / (2 * tension), 1e-9);
}

// The same resolved by dt: period and order.
TEST(Trapezoidal, TautStringsSwingAtTheirFrequency) {
  const double mass = 1, tension = 0.25 * mass * std::pow(2 * pi * 4, 2), time = 0.32;
  const Model model = taut_string(tension, mass);
  const State start = from(model, {1, 0, 0, 0, 0, 0.05, 0}, {0, 0, 0, 0, 0, 0.3});
  const State truth = advanced(model, start, tight(time / 20), 20);
  const auto error = [&](int steps) {
    return largest_difference(advanced(model, start, trapezoidal(time / steps), steps).q, truth.q);
  };
  EXPECT_GT(std::log2(error(80) / error(640)) / 3, 1.9);
}

// Dampers at a free joint: v = -(g m / d)(1 - exp(-d t / m)), here after the first instants. With dampers of 1e6 N s/m
// it hardly moves.
TEST(Trapezoidal, DampersOfFreeBodies) {
  for (const double damping : {2.0, 1e6}) {
    ModelSpec spec;
    add_body(spec, "body", 1, Sym3<double>::diagonal(0.01, 0.02, 0.03), JointType::free);
    DofSpec dof{.damping = damping};
    spec.joints[0].dofs = {dof, dof, dof, dof, dof, dof};
    const Model model = compiled(spec);
    const State start = from(model, {}, {0, 0, 0, 3, 0, 0});
    const State end = advanced(model, start, trapezoidal(1e-3), 500);
    const double decay = std::exp(-damping * 0.5);
    EXPECT_NEAR(end.v[5], -9.81 / damping * (1 - decay), 1e-5 * 9.81 / damping);
    EXPECT_NEAR(end.v[3], 3 * decay, 1e-5);
    EXPECT_LT(energy_defect(model, start, trapezoidal(1e-3), 500), damping > 10 ? 0.5 : 1e-5);
  }
}

// A ball joint whose dampers differ by a factor of a million.
TEST(Trapezoidal, DampersOfABallJoint) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  add_body(spec, "body", 1, Sym3<double>::diagonal(0.02, 0.02, 0.02), JointType::ball);
  spec.joints[0].dofs = {DofSpec{.damping = 1e3}, DofSpec{.damping = 1e-3}, DofSpec{.damping = 0.1}};
  const Model model = compiled(spec);
  const State end = advanced(model, from(model, {}, {1, 0.5, 0.5}), trapezoidal(1e-3), 400);
  EXPECT_LT(std::abs(end.v[0]), 1e-6);
  // The axes are those of the body, which turns about all three: a sphere, so that each rate decays by itself, by
  // a = damping / inertia. Theta is 1/2 + a h / 2, which makes the rate of decay wrong by a (a h)^2 / 2.
  for (int k = 1; k < 3; ++k) {
    const double a = model.dofs()[k].damping / 0.02, time = 0.4, exact = 0.5 * std::exp(-a * time);
    EXPECT_NEAR(end.v[k], exact, 1.1 * exact * time * a * std::pow(a * 1e-3, 2) / 2 + 1e-10) << k;
  }
}

// A body that turns by 0.3 and by 3 rad within a step, about no principal axis: no interval is halved.
TEST(Trapezoidal, FastSpinningBodies) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  add_body(spec, "body", 1, Sym3<double>::diagonal(0.05, 0.1, 0.12), JointType::free);
  const Model model = compiled(spec);
  for (const double dt : {1e-3, 1e-2}) {
    Simulation simulation(model, trapezoidal(dt));
    RunMonitor monitor(model);
    State state = from(model, {}, {1, 300, 1, 0, 0, 0});
    monitor.start(state);
    for (int i = 0; i < int(std::lround(0.5 / dt)); ++i) monitor.add(state, simulation.step(state));
    EXPECT_LT(monitor.certificate().energy.relative_defect(), 1e-4) << dt;
    EXPECT_EQ(monitor.certificate().halved, 0) << dt;
  }
}

// Two plates joined by six springs of 100 kHz, as a platform on six legs: they slide on the floor as one body does.
TEST(Trapezoidal, StiffSpringsCarryABodyThatSlides) {
  Material rough;
  rough.friction = {0.3, 0.3};
  const auto feet = [&] {
    std::vector<GeometrySpec> shapes;
    for (int i = 0; i < 3; ++i) {
      const double a = 2 * pi * i / 3 + 0.2;
      shapes.push_back({.name = "foot" + std::to_string(i), .shape = Sphere{0.05}, .material = rough});
      shapes.back().X_BG.p = {0.4 * std::cos(a), 0.4 * std::sin(a), -0.1};
    }
    return shapes;
  };
  const Sym3<double> moments = Sym3<double>::diagonal(0.1, 0.12, 0.2);
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = rough});
  add_body(spec, "lower", 2, moments, JointType::free);
  spec.bodies[0].geometry = feet();
  ModelSpec rigid = spec;
  add_body(spec, "upper", 1, moments, JointType::free);
  for (int i = 0; i < 6; ++i) {
    const double low = 2 * pi * ((i + 1) / 2) / 3, high = 2 * pi * (i / 2) / 3 + pi / 3;
    const Vec3<double> a{0.3 * std::cos(low), 0.3 * std::sin(low), 0}, b{0.3 * std::cos(high), 0.3 * std::sin(high), 0};
    const Vec3<double> d = b + Vec3<double>{0, 0, 0.3} - a;
    spec.springs.push_back(spring("leg" + std::to_string(i), "lower", a, "upper", b, stiffness_of(1e5, 1), norm(d)));
  }
  // The same welded: the upper plate lies 0.3 m above the lower one.
  rigid.bodies.push_back({.name = "upper", .inertia = {1, {0, 0, 0}, moments}, .geometry = {}});
  rigid.joints.push_back(joint("weld", JointType::weld, "lower", "upper"));
  rigid.joints.back().X_PF.p = {0, 0, 0.3};
  const Model soft = compiled(spec), hard = compiled(rigid);
  const double turn = 4;
  const State start =
      from(soft, {1, 0, 0, 0, 0, 0, 0.15, 1, 0, 0, 0, 0, 0, 0.45}, {0, 0, turn, 1, 0.5, 0, 0, 0, turn, 1, 0.5, 0});
  const State truth = advanced(hard, from(hard, {1, 0, 0, 0, 0, 0, 0.15}, {0, 0, turn, 1, 0.5, 0}),
                               {.stepper = Stepper::time_stepping, .dt = 1e-4}, 2560);
  const auto error = [&](double dt) {
    const State end = advanced(soft, start, trapezoidal(dt), int(std::lround(0.256 / dt)));
    return largest_difference(std::span(end.q).first(7), std::span(truth.q).first(7));
  };
  EXPECT_LT(error(1e-3), 1e-4);
  EXPECT_LT(energy_defect(soft, start, trapezoidal(1e-3), 256), 1e-3);
}

// Nothing here is stiff or turns as a free body does, so there is nothing to add.
TEST(Trapezoidal, SameBitsAsTimeSteppingWhereNothingIsAdded) {
  for (const char* name : {"@swing:links=3", "@planar_arm", "@four_bar:loops=2"}) {
    const Model model = model_of(name);
    const State a = advanced(model, make_state(model), trapezoidal(1e-3), 200);
    const State b = advanced(model, make_state(model), {.stepper = Stepper::time_stepping, .dt = 1e-3}, 200);
    EXPECT_TRUE(same_bits(a, b)) << name;
  }
}

}  // namespace
}  // namespace linchpin

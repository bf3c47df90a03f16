// event_driven: laws of friction, accuracy, bits, bad input, limits of what it does.
#include <cmath>
#include <limits>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

SimulationOptions by_events(double dt) { return {.stepper = Stepper::event_driven, .dt = dt}; }

// A foot of 1 kg that does not turn, on a floor with normal force `normal` and the tangential gravity `pull` along x.
Model foot(const Material& material, double normal, double pull, double vx, double vy) {
  ModelSpec spec;
  spec.gravity = {pull, 0, -normal};
  spec.world_geometry.push_back({"floor", HalfSpace{}, Transform<double>::identity(), material});
  const auto add = [&](const std::string& name, const std::string& parent, Vec3<double> axis, double mass, double v) {
    spec.bodies.push_back({.name = name, .inertia = {mass, {0, 0, 0}, Sym3<double>::zero()}, .geometry = {}});
    JointSpec slide = joint(name, JointType::prismatic, parent, name);
    slide.axis = axis;
    slide.start_v = {v};
    spec.joints.push_back(slide);
  };
  // The guides are so light that they do not matter.
  add("x", "world", {1, 0, 0}, 1e-13, vx);
  add("y", "x", {0, 1, 0}, 1e-13, vy);
  add("z", "y", {0, 0, 1}, 1, 0);
  spec.bodies[2].geometry.push_back({"foot", Sphere{0.1}, Transform<double>::identity(), material});
  spec.joints[2].X_PF.p = {0, 0, 0.1};
  return compiled(spec);
}

// Between the two coefficients a foot at rest stays, and one that moves goes on, with the kinetic one.
TEST(EventLaws, StaticAndKineticFriction) {
  const Material material{.friction = {0.5, 0.3}};
  const Finished rest = run(foot(material, 10, 4, 0, 0), 1, by_events(0.1));
  EXPECT_LT(largest(rest.state.q), 1e-13);
  const Finished moves = run(foot(material, 10, 4, 1e-3, 0), 1, by_events(0.1));
  EXPECT_NEAR(moves.state.v[0], 1e-3 + 4 - 3, 1e-11);  // 1e-13 of the mass is the guides'
  const Finished slips = run(foot(material, 10, 5.1, 0, 0), 1, by_events(0.1));
  EXPECT_NEAR(slips.state.v[0], 5.1 - 3, 1e-11);
}

// Along x with mu1 and along y with mu2, the dissipation is maximal for
//     F = -N (mu1^2 vx, mu2^2 vy) / |(mu1 vx, mu2 vy)|
// integrated here by the classical Runge-Kutta method. The foot stops within the second.
TEST(EventLaws, DirectionalFriction) {
  // Both surfaces have the material; along x the pair has the geometric mean of one's 0.5 and the other's 0.25.
  const double mu1 = std::sqrt(0.5 * 0.25), mu2 = 0.25, N = 10;
  Material material{.friction = {mu2, mu2}};
  material.directional = {{1, 0, 0}, {0.5, 0.5}};
  struct Point {
    double x, y, u, v;
  };
  const auto rate = [&](const Point& p) {
    const double size = std::hypot(mu1 * p.u, mu2 * p.v);
    return Point{p.u, p.v, -N * mu1 * mu1 * p.u / size, -N * mu2 * mu2 * p.v / size};
  };
  const auto moved = [](const Point& p, double h, const Point& r) {
    return Point{p.x + h * r.x, p.y + h * r.y, p.u + h * r.u, p.v + h * r.v};
  };
  Point p{0, 0, 1.0, 0.8};
  const double time = 0.2, h = 1e-4;
  for (int i = 0; i < 2000; ++i) {
    const Point a = rate(p), b = rate(moved(p, h / 2, a)), c = rate(moved(p, h / 2, b)), d = rate(moved(p, h, c));
    p = moved(moved(moved(moved(p, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  const Model model = foot(material, N, 0, 1.0, 0.8);
  const Finished r = run(model, time, by_events(0.05));
  EXPECT_NEAR(r.state.q[0], p.x, 1e-10);
  EXPECT_NEAR(r.state.q[1], p.y, 1e-10);
  EXPECT_NEAR(r.state.v[1], p.v, 1e-10);
  // The sliding velocity turns on its way to zero, and reaches it.
  const Finished stops = run(model, 1, by_events(0.05));
  EXPECT_LT(fastest(stops.state), 1e-12);
  EXPECT_LT(stops.certificate.energy.relative_defect(), 1e-9);
}

// c of (1) in velocity_products.h on a surface whose curvature changes: an ellipsoid that rolls keeps its energy, and
// its height is that of the lowest point.
TEST(EventLaws, EllipsoidRolls) {
  ModelSpec spec;
  const Material rough{.friction = {2, 2}};
  spec.world_geometry.push_back({"floor", HalfSpace{}, Transform<double>::identity(), rough});
  spec.bodies.push_back({.name = "egg",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.01, 0.012, 0.006)},
                         .geometry = {{"egg", Ellipsoid{{0.1, 0.12, 0.2}}, Transform<double>::identity(), rough}}});
  spec.joints.push_back(joint("free", JointType::free, "world", "egg"));
  spec.joints[0].start_q = {1, 0, 0, 0, 0, 0, 0.2};
  spec.joints[0].start_v = {0.8, 1, 0, 0.2, -0.16, 0};
  const Finished r = run(compiled(spec), 0.4, by_events(0.02));
  EXPECT_EQ(r.certificate.events, 0);
  EXPECT_LT(r.certificate.energy.relative_defect(), 1e-9);
  EXPECT_LT(std::abs(r.certificate.energy.projected), 1e-9);
  EXPECT_LT(r.certificate.penetration, 1e-12);
}

// The error follows the tolerance: a ball that slides over a sphere, against a run at 1e-13.
TEST(EventLaws, ErrorFollowsTheTolerance) {
  ModelSpec spec;
  const Material some{.friction = {0.2, 0.2}};
  spec.world_geometry.push_back({"hill", Sphere{1}, Transform<double>::identity(), some});
  spec.bodies.push_back({.name = "ball",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.005, 0.006)},
                         .geometry = {{"ball", Sphere{0.2}, Transform<double>::identity(), some}}});
  spec.joints.push_back(joint("free", JointType::free, "world", "ball"));
  spec.joints[0].start_q = {1, 0, 0, 0, 0.3, 0, std::sqrt(1.44 - 0.09)};
  spec.joints[0].start_v = {0, 5, 1, 0, 0.5, 0};
  const Model model = compiled(spec);
  const auto at = [&](double tolerance) {
    SimulationOptions options = by_events(0.3);
    options.relative_tolerance = options.absolute_tolerance = tolerance;
    return run(model, 0.3, options).state;
  };
  const State truth = at(1e-13);
  double before = 1;
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const double error = distance(model, truth, at(tolerance));
    EXPECT_LT(error, 30 * tolerance);  // a few substeps, each with its error
    EXPECT_LT(error, before);
    before = error;
  }
}

TEST(EventLaws, SameBitsAfterRebuilding) {
  for (const char* scene : {"bounce:restitution=0.5,height=0.1,speed=0.3", "roll", "slope:angle=35", "painleve"}) {
    const Model model = model_of(scene);
    State whole = advanced(model, make_state(model), by_events(0.01), 40);
    State parts = advanced(model, make_state(model), by_events(0.01), 17);
    parts = advanced(model, parts, by_events(0.01), 23);
    EXPECT_TRUE(same_bits(whole, parts)) << scene;
  }
}

TEST(EventLaws, StartsAreCheckedAndFailuresLeaveTheState) {
  const Model model = model_of("bounce");
  Simulation simulation(model, by_events(0.01));
  State state = make_state(model);
  state.v[5] = std::numeric_limits<double>::quiet_NaN();
  const State before = state;
  EXPECT_EQ(simulation.step(state).status, StepStatus::not_finite);
  EXPECT_TRUE(same_bytes(before, state));
  EXPECT_THROW(Simulation(model, {.stepper = Stepper::event_driven, .relative_tolerance = 0}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.stepper = Stepper::event_driven, .absolute_tolerance = 0}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.stepper = Stepper::event_driven, .contact = {.sleep_after = 1}}), CheckFailed);
}

TEST(EventLaws, VelocityLimitsAreRefusedByName) {
  ModelSpec spec;
  spec.bodies.push_back({.name = "bob", .inertia = {1, {0, 0, -1}, Sym3<double>::zero()}, .geometry = {}});
  JointSpec hinge = joint("hinge", JointType::revolute, "world", "bob");
  hinge.axis = {0, 1, 0};
  hinge.dofs = {DofSpec{.velocity_limit = 2}};
  spec.joints.push_back(hinge);
  const Model model = compiled(spec);
  try {
    Simulation(model, by_events(0.01));
    FAIL();
  } catch (const CheckFailed& e) {
    EXPECT_NE(std::string(e.what()).find("hinge"), std::string::npos) << e.what();
  }
}

// More events than allowed: time_stepping takes the step, and the report says so.
TEST(EventLaws, HandsOverWhenThereAreTooManyEvents) {
  const Model model = model_of("bounce:height=0.01,restitution=0.9");
  SimulationOptions options = by_events(0.5);
  options.contact.max_splits = 3;
  Simulation simulation(model, options);
  State state = make_state(model);
  const StepReport report = simulation.step(state);
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_EQ(report.handed_over, 1);
  EXPECT_EQ(report.events, 4);
  options.stepper = Stepper::time_stepping;
  EXPECT_LT(distance(model, advanced(model, make_state(model), options, 1), state), 1e-15);
}

// The woodpecker toy of Pfeiffer and Glocker [Glocker 2001, s.12], with its masses and lengths: it comes down a pole in
// jerks, a cycle of impacts, jamming and slip. It is driven by its weight only. sides: of the sleeve that have corners,
// 1 for that of the bird.
Model woodpecker(std::vector<double> sides) {
  const double r0 = 0.0025, rM = 0.0031, hM = 0.0058, lM = 0.010, lG = 0.015, lS = 0.0201, hS = 0.02, foot = 1e-4;
  ModelSpec spec;
  const Material pole{.friction = {0.3, 0.3}};
  Material beak = pole;
  beak.restitution = 0.5;
  spec.world_geometry.push_back({"pole", Box{{r0, 0.01, 10}}, Transform<double>::identity(), pole});
  spec.bodies.push_back({.name = "car", .inertia = {0.0003, {0, 0, 0}, Sym3<double>::zero()}, .geometry = {}});
  BodySpec sleeve{
      .name = "sleeve", .inertia = {0, {0, 0, 0}, Sym3<double>::diagonal(5e-9, 5e-9, 5e-9)}, .geometry = {}};
  for (const double side : sides)
    for (const double end : {-1.0, 1.0}) {
      sleeve.geometry.push_back({"", Sphere{foot}, Transform<double>::identity(), pole});
      sleeve.geometry.back().X_BG.p = {side * (rM + foot), 0, end * hM};
    }
  spec.bodies.push_back(sleeve);
  spec.bodies.push_back({.name = "bird",
                         .inertia = {0.0045, {lG, 0, 0}, Sym3<double>::diagonal(7e-7, 7e-7, 7e-7)},
                         .geometry = {{"beak", Sphere{foot}, Transform<double>::identity(), beak}}});
  spec.bodies[2].geometry[0].X_BG.p = {lG - lS + foot, 0, hS};
  JointSpec slide = joint("slide", JointType::prismatic, "world", "car");
  slide.start_v = {-0.3411};
  JointSpec tilt = joint("tilt", JointType::revolute, "car", "sleeve");
  tilt.axis = {0, -1, 0};
  tilt.start_q = {-0.1};
  JointSpec swing = joint("swing", JointType::revolute, "sleeve", "bird");
  swing.axis = {0, -1, 0};
  swing.X_PF.p = {lM, 0, 0};
  swing.dofs = {DofSpec{.stiffness = 0.0056}};
  swing.start_q = {-0.1788};
  swing.start_v = {-7.4583};
  spec.joints = {slide, tilt, swing};
  return compiled(spec);
}

// Until the sleeve slips again with both of its corners at the pole (0.06 s), the motion does not depend on dt. From
// there on the load of the two corners, and with it the moment of their friction, is not determined by the laws of
// rigid bodies (docs/event_driven.md).
TEST(EventLaws, WoodpeckerWithCornersOnBothSides) {
  const Model model = woodpecker({-1, 1});
  const Finished coarse = run(model, 0.06, by_events(0.01)), fine = run(model, 0.06, by_events(0.001));
  EXPECT_EQ(coarse.certificate.impacts, 1);
  EXPECT_EQ(coarse.certificate.events, 2);
  EXPECT_LT(distance(model, coarse.state, fine.state), 1e-9);
  const Finished cycle = run(model, 0.15, by_events(0.01));
  EXPECT_GT(cycle.certificate.impacts, 3);
  EXPECT_LT(cycle.state.q[0], -0.008);
  EXPECT_EQ(cycle.certificate.handed_over, 0);
  EXPECT_TRUE(cycle.certificate.passed());
  EXPECT_LT(cycle.certificate.energy.relative_defect(), 1e-7);
}

// Of a run: each time at which the bird swings down through 0.1 rad below the sleeve, by the cubic through the ends of
// the step, and the sleeve's height then.
struct Passage {
  double time, height;
};
std::vector<Passage> passages(const Model& model, double time, const SimulationOptions& options) {
  std::vector<Passage> found;
  const double dt = options.dt, angle = -0.1;
  State before = make_state(model);
  const Finished r = run(model, time, options, [&](const State& s, const Simulation&, const StepReport&) {
    const auto cubic = [&](std::size_t k, double p) {
      const double a = before.q[k], b = s.q[k], u = dt * before.v[k], w = dt * s.v[k], d = b - a;
      return a + p * (u + p * ((3 * d - 2 * u - w) + p * (u + w - 2 * d)));
    };
    if (before.q[2] > angle && s.q[2] <= angle) {
      double low = 0, high = 1;
      for (int i = 0; i < 60; ++i) (cubic(2, 0.5 * (low + high)) > angle ? low : high) = 0.5 * (low + high);
      found.push_back({s.time - dt + dt * high, cubic(0, high)});
    }
    before = s;
  });
  EXPECT_TRUE(r.certificate.passed());
  EXPECT_EQ(r.certificate.handed_over, 0);
  return found;
}
Passage last_period(const std::vector<Passage>& p) {
  return {p.back().time - p[p.size() - 2].time, p.back().height - p[p.size() - 2].height};
}

// With corners on the side of the bird only, as in Glocker's model, one corner at most is loaded: the motion is
// determinate, and settles on a limit cycle.
TEST(EventLaws, WoodpeckerWithOneSideHasALimitCycle) {
  const Model model = woodpecker({1});
  const auto period = [](const std::vector<Passage>& p, std::size_t i) { return p[i].time - p[i - 1].time; };
  const std::vector<Passage> fine = passages(model, 3, by_events(2e-4)), coarse = passages(model, 3, by_events(1e-3));
  ASSERT_GE(fine.size(), 14u);
  ASSERT_EQ(fine.size(), coarse.size());
  // A cubic over 1 ms of motions of 60 rad/s and some 0.1 rad is off by 1e-9 rad at 5 rad/s; the motion does not depend
  // on dt.
  for (std::size_t i = 0; i < fine.size(); ++i) {
    EXPECT_NEAR(fine[i].time, coarse[i].time, 1e-9) << i;
    EXPECT_NEAR(fine[i].height, coarse[i].height, 1e-9) << i;
  }
  // Each period comes nearer to the last one, by a factor of about 7.
  const Passage cycle = last_period(fine);
  for (std::size_t i = 2; i < 9; ++i)
    EXPECT_LT(std::abs(period(fine, i) - cycle.time), 0.5 * std::abs(period(fine, i - 1) - cycle.time)) << i;
  EXPECT_LT(std::abs(period(fine, fine.size() - 2) - cycle.time), 1e-9);
  EXPECT_LT(cycle.height, -0.01);
  // time_stepping, which is another method, is of second order here: its period tends to the same.
  const auto stepped = [&](double dt) {
    return last_period(passages(model, 3, {.stepper = Stepper::time_stepping, .dt = dt}));
  };
  const Passage one = stepped(1e-4), half = stepped(5e-5);
  // Extrapolated to dt = 0; what is left is of third order.
  EXPECT_NEAR((4 * half.time - one.time) / 3, cycle.time, 3e-7);
  EXPECT_NEAR((4 * half.height - one.height) / 3, cycle.height, 4e-6);
}

}  // namespace
}  // namespace linchpin

// event_driven on scenes whose motion is known in closed form, or by an integration of its own that is written here.
#include <cmath>
#include <numbers>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

SimulationOptions located(double dt) { return {.stepper = Stepper::event_driven, .dt = dt}; }

Material smooth() { return {.friction = {0, 0}}; }
Material with_friction(double mu) { return {.friction = {mu, mu}}; }

void add_body(ModelSpec& spec, const std::string& name, const InertiaSpec& inertia,
              std::vector<GeometrySpec> geometry) {
  spec.bodies.push_back({.name = name, .inertia = inertia, .geometry = std::move(geometry)});
}

// ---- friction -------------------------------------------------------------------------------------------------------

// A ball that slides rolls after t = 2 v0 / (7 mu g), with 5/7 of its speed.
TEST(EventScenes, BallRollsAfterItsSlip) {
  const double v0 = 1, mu = 0.2, rolls = 2 * v0 / (7 * mu * g);
  const Model model = model_of("roll:speed=1,mu=0.2,radius=0.1");
  const Finished r = run(model, 1, located(0.05));
  const double x = v0 * rolls - 0.5 * mu * g * rolls * rolls + 5.0 / 7 * v0 * (1 - rolls);
  EXPECT_NEAR(r.state.v[3], 5.0 / 7 * v0, 1e-12);
  EXPECT_NEAR(r.state.q[4], x, 1e-12);
  EXPECT_TRUE(r.certificate.passed());
  EXPECT_EQ(r.certificate.events, 1);
}

// A box on four feet, whose forces are not unique, slides on a floor and stops after v0 / (mu g).
TEST(EventScenes, BoxOnFourFeetStops) {
  const Model model = model_of("slope:angle=0,mu=0.5,turn=25,heading=17,speed=2");
  const Finished r = run(model, 1, located(0.05));
  const State start = make_state(model);
  EXPECT_NEAR(r.state.q[4] - start.q[4], 2.0 * 2 / (2 * 0.5 * g), 1e-11);
  EXPECT_LT(fastest(r.state), 1e-11);
}

// A block on a belt of speed V, held by a spring. It sticks up to x_s = mu_s N / k, slips back around x_k = mu_k N / k
// for (2 pi - 2 atan((x_s - x_k) w / V)) / w, to 2 x_k - x_s, and sticks for 2 (x_s - x_k) / V.
struct Belt {
  double mu_s, mu_k, V = 0.1, k = 40, m = 1, normal = 0.5 * g;  // half of the mass rests on the guide
  double w() const { return std::sqrt(k / m); }
  double x_s() const { return mu_s * normal / k; }
  double x_k() const { return mu_k * normal / k; }
  double slips() const { return (2 * pi - 2 * std::atan((x_s() - x_k()) * w() / V)) / w(); }
  double sticks() const { return 2 * (x_s() - x_k()) / V; }
  // From the state x = 0, sticking, at t = 0.
  double x(double t) const {
    double since = t - x_s() / V;  // the first slip
    if (since < 0) return V * t;
    since = std::fmod(since, slips() + sticks());
    const double a = x_s() - x_k();
    if (since < slips()) return x_k() + a * std::cos(w() * since) + V / w() * std::sin(w() * since);
    return x_k() - a + V * (since - slips());
  }
};

Model belt_model(const Belt& belt) {
  ModelSpec spec;
  const Material rough{.friction = {belt.mu_s, belt.mu_k}};
  add_body(spec, "belt", {100, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {{"top", HalfSpace{}, {}, rough}});
  add_body(spec, "guide", {0.5, {0, 0, 0}, Sym3<double>::zero()}, {});
  add_body(spec, "block", {0.5, {0, 0, 0}, Sym3<double>::zero()}, {{"foot", Sphere{0.1}, {}, rough}});
  spec.bodies[0].geometry[0].X_BG = spec.bodies[2].geometry[0].X_BG = Transform<double>::identity();
  JointSpec drive = joint("drive", JointType::prismatic, "world", "belt");
  drive.axis = {1, 0, 0};
  drive.start_v = {belt.V};
  JointSpec along = joint("along", JointType::prismatic, "world", "guide");
  along.axis = {1, 0, 0};
  along.dofs = {DofSpec{.stiffness = belt.k}};
  along.start_v = {belt.V};
  JointSpec up = joint("up", JointType::prismatic, "guide", "block");
  up.X_PF.p = {0, 0, 0.1};
  spec.joints = {drive, along, up};
  spec.constraints.push_back(prescribed("belt", "drive", {.polynomial = {0, belt.V}}));
  return compiled(spec);
}

TEST(EventScenes, StickSlipOnABelt) {
  const Belt belt{0.4, 0.25};
  const Model model = belt_model(belt);
  double worst = 0;
  const Finished r = run(model, 4, located(0.01), [&](const State& s, const Simulation&, const StepReport&) {
    worst = larger(worst, std::abs(s.q[1] - belt.x(s.time)));
  });
  // Ten periods; each event passes on the error of the substeps before it.
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(4 / (belt.slips() + belt.sticks()), 2.5);
  EXPECT_LT(r.certificate.energy.relative_defect(), 1e-9);
}

// With equal coefficients the slip of the same block is a harmonic motion that touches the belt's speed once a period:
// the stick phase has no length.
TEST(EventScenes, StickPhaseOfEqualCoefficientsHasNoLength) {
  const Belt belt{0.3, 0.3};
  const Model model = belt_model(belt);
  double worst = 0;
  run(model, 3, located(0.01), [&](const State& s, const Simulation&, const StepReport&) {
    worst = larger(worst, std::abs(s.q[1] - belt.x(s.time)));
  });
  EXPECT_LT(worst, 1e-8);
}

// Den Hartog's oscillator [1931]: a mass with dry friction F, driven through its spring by a sin(W t). If it never
// stops, its amplitude is, with b = W / w,
//     X = a sqrt(V^2 - (F / (k a))^2 U^2),   V = 1 / (1 - b^2),   U = sin(pi / b) / (b (1 + cos(pi / b)))
TEST(EventScenes, DenHartogsOscillator) {
  const double k = 100, m = 1, a = 0.1, b = 0.7, friction = 0.3 * k * a, W = b * std::sqrt(k / m);
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  add_body(spec, "driver", {1, {0, 0, 0}, Sym3<double>::zero()}, {});
  add_body(spec, "mass", {m, {0, 0, 0}, Sym3<double>::zero()}, {});
  JointSpec drive = joint("drive", JointType::prismatic, "world", "driver");
  drive.start_v = {a * W};
  JointSpec slide = joint("slide", JointType::prismatic, "world", "mass");
  slide.X_PF.p = {0, 0, 10};
  slide.dofs = {DofSpec{.dry_friction = friction}};
  spec.joints = {drive, slide};
  spec.springs.push_back(
      {.name = "spring", .a = {.body = "driver"}, .b = {.body = "mass"}, .stiffness = k, .length = 10});
  spec.constraints.push_back(prescribed("drive", "drive", {.amplitude = a, .frequency = W}));
  const Model model = compiled(spec);
  const double period = 2 * pi / W;
  std::vector<double> x;
  const Finished r =
      run(model, 40 * period, located(period / 200), [&](const State& s, const Simulation&, const StepReport&) {
        if (s.time > 38 * period) x.push_back(s.q[1]);
      });
  const double V = 1 / (1 - b * b), U = std::sin(pi / b) / (b * (1 + std::cos(pi / b)));
  const double truth = a * std::sqrt(V * V - std::pow(friction / (k * a), 2) * U * U);
  double amplitude = 0;  // the vertex of the parabola through the largest number and its neighbours
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    if (!(x[i] >= x[i - 1] && x[i] > x[i + 1])) continue;
    const double d = x[i + 1] - x[i - 1], c = x[i + 1] - 2 * x[i] + x[i - 1];
    amplitude = larger(amplitude, x[i] - d * d / (8 * c));
  }
  // The acceleration jumps at the vertex, so that the parabola is good to a part of (W dt)^2 = 1e-3 of the curve.
  EXPECT_NEAR(amplitude, truth, 1e-4 * truth);
  EXPECT_LT(r.certificate.energy.relative_defect(), 1e-8);
}

// ---- separation -----------------------------------------------------------------------------------------------------

// A smooth ball that slides off a sphere from rest at the angle t0 leaves it where cos t = 2/3 cos t0; then its
// velocity along the ground is constant.
TEST(EventScenes, BallLeavesASphere) {
  const double R = 1.2, t0 = 0.3;
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "hill", .shape = Sphere{1.0}, .material = smooth()});
  add_body(spec, "ball", {1, {0, 0, 0}, Sym3<double>::diagonal(0.01, 0.01, 0.01)},
           {{.name = "ball", .shape = Sphere{0.2}, .material = smooth()}});
  spec.joints.push_back(joint("free", JointType::free, "world", "ball"));
  spec.joints[0].start_q = {1, 0, 0, 0, R * std::sin(t0), 0, R * std::cos(t0)};
  const Finished r = run(compiled(spec), 1, located(0.02));
  const double c = 2.0 / 3 * std::cos(t0), speed = std::sqrt(2 * g * R * (std::cos(t0) - c));
  EXPECT_GT(std::hypot(r.state.q[4], r.state.q[6]), R + 0.1) << "it has left";
  // The contact force vanishes at the event with a finite slope: an error of 1e-10 moves the event by as much.
  EXPECT_NEAR(r.state.v[3], speed * c, 1e-9);
  EXPECT_TRUE(r.certificate.passed());
}

// A ball that rolls on a sphere: (7/10) v^2 = g R (1 - cos t), from energy.
TEST(EventScenes, BallRollsOnASphere) {
  const double R = 1.2, v0 = 0.4;
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "hill", .shape = Sphere{1.0}, .material = with_friction(2)});
  add_body(spec, "ball", {1, {0, 0, 0}, Sym3<double>::diagonal(0.016, 0.016, 0.016)},
           {{.name = "ball", .shape = Sphere{0.2}, .material = with_friction(2)}});
  spec.joints.push_back(joint("free", JointType::free, "world", "ball"));
  spec.joints[0].start_q = {1, 0, 0, 0, 0, 0, R};
  spec.joints[0].start_v = {0, v0 / 0.2, 0, v0, 0, 0};
  const Model model = compiled(spec);
  double worst = 0;
  run(model, 0.5, located(0.02), [&](const State& s, const Simulation&, const StepReport&) {
    const double v2 = s.v[3] * s.v[3] + s.v[5] * s.v[5], fallen = R - s.q[6];
    worst = larger(worst, std::abs(0.7 * (v2 - v0 * v0) - g * fallen));
    worst = larger(worst, std::abs(std::hypot(s.q[4], s.q[6]) - R));
  });
  EXPECT_LT(worst, 1e-10);
}

// A rod without friction, upright at a wall but for its slope s0 = sin of its angle to the floor, slides down and
// leaves the wall at 2/3 s0; then the velocity of its centre along the floor is a (2/3) s0 sqrt(g s0 / (2 a)).
TEST(EventScenes, RodLeavesTheWall) {
  const double a = 0.5, angle = 1.2, s0 = std::sin(angle), r = 0.01;
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = smooth()});
  spec.world_geometry.push_back({.name = "wall", .shape = HalfSpace{}, .material = smooth()});
  spec.world_geometry[1].X_BG.R = rotation_y(pi / 2);  // solid for x <= 0
  add_body(spec, "rod", {1, {0, 0, 0}, Sym3<double>::diagonal(1e-3, a * a / 3, a * a / 3)},
           {{.name = "upper", .shape = Sphere{r}, .material = smooth()},
            {.name = "lower", .shape = Sphere{r}, .material = smooth()}});
  spec.bodies[0].geometry[0].X_BG.p = {-a, 0, 0};
  spec.bodies[0].geometry[1].X_BG.p = {a, 0, 0};
  spec.joints.push_back(joint("free", JointType::free, "world", "rod"));
  spec.joints[0].start_q = {std::cos(angle / 2), 0, std::sin(angle / 2), 0, a * std::cos(angle) + r, 0, a * s0 + r};
  const Model model = compiled(spec);
  double after = std::numeric_limits<double>::quiet_NaN();
  const Finished end =
      run(model, 0.6, located(0.01), [&](const State& s, const Simulation& simulation, const StepReport&) {
        bool at_wall = false;
        for (const ContactReport& c : simulation.contacts())
          at_wall = at_wall || (c.shape_a != 0 && c.shape_b != 0 && c.normal_force > 0 && std::abs(c.normal.x) > 0.5);
        if (!at_wall) after = s.v[3];
      });
  EXPECT_NEAR(after, a * 2.0 / 3 * s0 * std::sqrt(g * s0 / (2 * a)), 1e-9);
  EXPECT_LT(end.certificate.energy.relative_defect(), 1e-9);
}

// ---- a corner -------------------------------------------------------------------------------------------------------

// A rod of 1 kg and length 2 a with balls of radius r at its ends, between the floor (z = 0) and a wall (x = 0), both
// with friction mu. `phi` is its angle to the floor, c and s its cosine and sine, (x, z) its centre. With the friction
// F of the floor along x and G of the wall along z,
//     x'' = N_w + F,   z'' = N_f + G - g,   I phi'' = a s N_w - a c N_f - (a s + r) F + (a c + r) G
//     floor: z = a s + r, slip x' - (a s + r) phi';   wall: x = a c + r, slip z' + (a c + r) phi'
struct CornerRod {
  double mu, a = 0.5, r = 0.01, I = 0.5 * 0.5 / 3;
  struct At {
    double x, phi, vx, w;
  };
  struct Rates {
    double ax, aphi, wall;  // wall: N_w
  };
  // At both, phi' of the sign `side`, which is the sign of F and of -G.
  Rates in_corner(const At& p, double side) const {
    const double c = std::cos(p.phi), s = std::sin(p.phi), k = side * mu;
    const auto load = [&](double aphi) {  // N_f, N_w
      const double P = -a * (s * aphi + c * p.w * p.w), Q = g + a * (c * aphi - s * p.w * p.w);
      return std::pair{(Q + k * P) / (1 + mu * mu), (P - k * Q) / (1 + mu * mu)};
    };
    const auto excess = [&](double aphi) {
      const auto [floor, wall] = load(aphi);
      return I * aphi - a * s * wall + a * c * floor + (a * s + r) * k * floor + (a * c + r) * k * wall;
    };
    const double zero = excess(0), aphi = -zero / (excess(1) - zero);
    return {-a * (s * aphi + c * p.w * p.w), aphi, load(aphi).second};
  }
  // On the floor alone, where its end slides away from the wall: F = -mu N_f.
  Rates on_floor(const At& p) const {
    const double c = std::cos(p.phi), s = std::sin(p.phi), arm = a * c - mu * (a * s + r);
    // I phi'' = -arm N_f,   N_f = g + a (c phi'' - s phi'^2)
    const double aphi = -arm * (g - a * s * p.w * p.w) / (I + arm * a * c);
    return {-mu * (g + a * (c * aphi - s * p.w * p.w)), aphi, 0};
  }
};

// Steps of the classical Runge-Kutta method up to `time`, or to where `goes_on` is false, by bisection.
template <class Rates, class GoesOn>
void integrate_rod(const Rates& rates, const GoesOn& goes_on, double time, double& t, CornerRod::At& p) {
  const auto stepped = [&](double h) {
    const auto moved = [](const CornerRod::At& y, double f, const CornerRod::At& d, const CornerRod::Rates& e) {
      return CornerRod::At{y.x + f * d.vx, y.phi + f * d.w, y.vx + f * e.ax, y.w + f * e.aphi};
    };
    const CornerRod::Rates k1 = rates(p);
    const CornerRod::At p2 = moved(p, h / 2, p, k1);
    const CornerRod::Rates k2 = rates(p2);
    const CornerRod::At p3 = moved(p, h / 2, p2, k2);
    const CornerRod::Rates k3 = rates(p3);
    const CornerRod::At p4 = moved(p, h, p3, k3);
    const CornerRod::Rates k4 = rates(p4);
    return moved(moved(moved(moved(p, h / 6, p, k1), h / 3, p2, k2), h / 3, p3, k3), h / 6, p4, k4);
  };
  while (t < time) {
    double h = std::min(1e-4, time - t);
    CornerRod::At next = stepped(h);
    const bool ends = !goes_on(next);
    for (double low = 0, high = h; ends && high - low > 1e-17;) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      (goes_on(stepped(middle)) ? low : high) = h = middle;
    }
    if (ends) next = stepped(h);
    p = next;
    t += h;
    if (ends) return;
  }
}

// The rod slides into the corner with phi' > 0, stops, slides back on both surfaces, and leaves the wall.
TEST(EventScenes, RodSlidesIntoACorner) {
  const CornerRod rod{.mu = 0.2};
  const double phi0 = 0.8, w0 = 1;
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = with_friction(rod.mu)});
  spec.world_geometry.push_back({.name = "wall", .shape = HalfSpace{}, .material = with_friction(rod.mu)});
  spec.world_geometry[1].X_BG.R = rotation_y(pi / 2);  // solid for x <= 0
  add_body(spec, "rod", {1, {0, 0, 0}, Sym3<double>::diagonal(1e-3, rod.I, rod.I)},
           {{.name = "upper", .shape = Sphere{rod.r}, .material = with_friction(rod.mu)},
            {.name = "lower", .shape = Sphere{rod.r}, .material = with_friction(rod.mu)}});
  spec.bodies[0].geometry[0].X_BG.p = {-rod.a, 0, 0};
  spec.bodies[0].geometry[1].X_BG.p = {rod.a, 0, 0};
  spec.joints.push_back(joint("free", JointType::free, "world", "rod"));
  const double x0 = rod.a * std::cos(phi0) + rod.r, vx0 = -rod.a * std::sin(phi0) * w0;
  spec.joints[0].start_q = {std::cos(phi0 / 2), 0, std::sin(phi0 / 2), 0, x0, 0, rod.a * std::sin(phi0) + rod.r};
  spec.joints[0].start_v = {0, w0, 0, vx0, 0, rod.a * std::cos(phi0) * w0};
  const Model model = compiled(spec);

  // The three phases, sampled at the ends of steps.
  const double dt = 0.01, end = 0.5;
  CornerRod::At p{x0, phi0, vx0, w0};
  double t = 0, stops = 0, leaves = 0;
  std::vector<CornerRod::At> truth;
  const auto up_to = [&](double time) {
    if (stops == 0) {
      integrate_rod([&](const auto& y) { return rod.in_corner(y, 1); }, [](const auto& y) { return y.w > 0; }, time, t,
                    p);
      if (t < time) stops = t;
    }
    if (stops > 0 && leaves == 0) {
      integrate_rod([&](const auto& y) { return rod.in_corner(y, -1); },
                    [&](const auto& y) { return rod.in_corner(y, -1).wall > 0; }, time, t, p);
      if (t < time) leaves = t;
    }
    if (leaves > 0)
      integrate_rod([&](const auto& y) { return rod.on_floor(y); }, [](const auto&) { return true; }, time, t, p);
    return p;
  };
  double worst = 0;
  const Finished r = run(model, end, located(dt), [&](const State& s, const Simulation&, const StepReport&) {
    const CornerRod::At at = up_to(s.time);
    worst = larger(worst, std::abs(s.q[4] - at.x));
    worst = larger(worst, std::abs(2 * std::asin(s.q[2]) - at.phi));
    worst = larger(worst, std::abs(s.v[1] - at.w));
  });
  EXPECT_GT(stops, 0.05);
  EXPECT_GT(leaves, stops + 0.05);
  EXPECT_LT(leaves, end - 0.05);
  // The end of the rod slides away from the wall to the end.
  EXPECT_GT(p.vx - (rod.a * std::sin(p.phi) + rod.r) * p.w, 0.1);
  EXPECT_LT(worst, 1e-9);
  EXPECT_EQ(r.certificate.events, 2);
  EXPECT_EQ(r.certificate.impacts, 0);
  EXPECT_EQ(r.certificate.ambiguous, 0);
  EXPECT_LT(r.certificate.energy.relative_defect(), 1e-9);
}

// ---- impacts --------------------------------------------------------------------------------------------------------

// Without loss, twenty bounces later the ball is where the closed form says.
TEST(EventScenes, ElasticBall) {
  const Model model = model_of("bounce:height=1,restitution=1");
  const double flight = 2 * std::sqrt(2 / g);
  const Finished r = run(model, 20 * flight, located(flight / 16));
  EXPECT_NEAR(r.state.q[6], 0, 1e-11);  // at the top again
  EXPECT_NEAR(r.state.v[5], 0, 1e-11);
  EXPECT_EQ(r.certificate.impacts, 20);
}

// Housner's rocking block [1963], half width b, half height h: it turns about its corners by
//     I theta'' = -m g R sin(alpha - theta),   I = 4/3 m R^2,   and each impact leaves 1 - 3/2 sin^2 alpha of theta'.
struct Rocking {
  double b, h, R = std::hypot(b, h), alpha = std::atan2(b, h);
  double acceleration(double theta) const { return -0.75 * g / R * std::sin(alpha - theta); }  // theta = |angle|
};
double rocking_truth(const Rocking& block, double theta, double time, int& impacts) {
  double sign = 1, v = 0;
  const double dt = 1e-5;
  const auto step = [&](double h, double& x, double& u) {
    const double k1 = block.acceleration(x), k2 = block.acceleration(x + h / 2 * u),
                 k3 = block.acceleration(x + h / 2 * (u + h / 2 * k1)),
                 k4 = block.acceleration(x + h * (u + h / 2 * k2));
    x += h * (u + h / 6 * (k1 + k2 + k3));
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  };
  double left = time;
  while (left > 0) {
    const double h = std::min(dt, left);
    double x = theta, u = v;
    step(h, x, u);
    if (x >= 0) {
      theta = x, v = u, left -= h;
      continue;
    }
    double low = 0, high = h;  // bisection for the impact
    for (int i = 0; i < 60; ++i) {
      const double s = 0.5 * (low + high);
      x = theta, u = v;
      step(s, x, u);
      (x > 0 ? low : high) = s;
    }
    x = theta, u = v;
    step(high, x, u);
    theta = 0;
    v = -u * (1 - 1.5 * std::pow(std::sin(block.alpha), 2));
    sign = -sign;
    left -= high;
    ++impacts;
  }
  return sign * theta;
}

TEST(EventScenes, RockingBlock) {
  const Rocking block{0.1, 0.4};
  const double tilt = 0.15;
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = with_friction(2)});
  BodySpec body{.name = "block", .inertia = {}, .geometry = {}};
  add_solid(body, Box{{block.b, 0.3, block.h}}, 1, Transform<double>::identity());
  body.geometry[0].material = with_friction(2);
  spec.bodies.push_back(body);
  spec.joints.push_back(joint("free", JointType::free, "world", "block"));
  // It turns about the corner at x = b, the origin.
  const double lean = block.alpha - tilt;
  spec.joints[0].start_q = {std::cos(tilt / 2),        0, std::sin(tilt / 2),      0,
                            -block.R * std::sin(lean), 0, block.R * std::cos(lean)};
  const Model model = compiled(spec);
  for (const double time : {0.3, 1.0, 1.6}) {
    int impacts = 0;
    const double truth = rocking_truth(block, tilt, time, impacts);
    const Finished r = run(model, time, located(0.02));
    EXPECT_NEAR(2 * std::asin(r.state.q[2]), truth, 1e-8) << time << " s, after " << impacts << " impacts";
    EXPECT_EQ(r.certificate.impacts, impacts);
  }
}

// ---- joints and loops -----------------------------------------------------------------------------------------------

// A pendulum that strikes a wall without loss when it hangs, held by a rod constraint, against the same one on a joint.
TEST(EventScenes, ClosedLoopWithAnImpact) {
  const double L = 1, t0 = 0.7;
  const auto scene = [&](bool loop) {
    ModelSpec spec;
    Material elastic = smooth();
    elastic.restitution = 1;
    spec.world_geometry.push_back({.name = "wall", .shape = HalfSpace{}, .material = elastic});
    spec.world_geometry[0].X_BG.R = rotation_y(pi / 2);
    spec.world_geometry[0].X_BG.p = {-0.1, 0, 0};
    add_body(spec, "bob", {1, {0, 0, 0}, Sym3<double>::diagonal(1e-3, 1e-3, 1e-3)},
             {{.name = "bob", .shape = Sphere{0.1}, .material = elastic}});
    if (!loop) {
      JointSpec hinge = joint("hinge", JointType::revolute, "world", "bob");
      hinge.axis = {0, -1, 0};
      hinge.X_CM.p = {0, 0, L};
      hinge.start_q = {t0};
      spec.joints.push_back(hinge);
      // The bob does not turn on the other joints.
      spec.bodies[0].inertia.moments = Sym3<double>::zero();
      return spec;
    }
    add_body(spec, "guide", {1e-9, {0, 0, 0}, Sym3<double>::zero()}, {});
    JointSpec x = joint("x", JointType::prismatic, "world", "guide"),
              z = joint("z", JointType::prismatic, "guide", "bob");
    x.axis = {1, 0, 0};
    x.start_q = {L * std::sin(t0)};
    z.start_q = {-L * std::cos(t0)};
    spec.joints = {x, z};
    spec.constraints.push_back({"rod", RodSpec{.a = {}, .b = {.body = "bob"}, .length = L}});
    return spec;
  };
  const Model joints = compiled(scene(false)), loops = compiled(scene(true));
  const Finished a = run(joints, 2.5, located(0.02)), b = run(loops, 2.5, located(0.02));
  EXPECT_GT(a.certificate.impacts, 1);
  EXPECT_EQ(a.certificate.impacts, b.certificate.impacts);
  const int x = loops.joints()[0].name == "x" ? 0 : 1;
  EXPECT_NEAR(b.state.q[std::size_t(x)], L * std::sin(a.state.q[0]), 1e-7);  // the guide's mass is 1e-9
  EXPECT_LT(b.certificate.energy.relative_defect(), 1e-8);
}

// A pendulum that swings into its lower or upper limit loses its velocity there and stays, since gravity presses. A
// limit on the other side of the bottom does not hold it: it leaves again.
TEST(EventScenes, PendulumStopsAtItsLimit) {
  for (const double side : {-1.0, 1.0})
    for (const double at : {0.2, -0.2}) {
      ModelSpec spec;
      spec.bodies.push_back({.name = "bob", .inertia = {1, {0, 0, -1}, Sym3<double>::zero()}, .geometry = {}});
      JointSpec hinge = joint("hinge", JointType::revolute, "world", "bob");
      hinge.axis = {0, 1, 0};
      hinge.dofs = {side > 0 ? DofSpec{.lower = at} : DofSpec{.upper = -at}};
      hinge.start_q = {side};
      spec.joints.push_back(hinge);
      double least = 1;
      const Finished r = run(
          compiled(spec), 3, located(0.02),
          [&](const State& s, const Simulation&, const StepReport&) { least = std::min(least, side * s.q[0] - at); });
      EXPECT_EQ(r.certificate.impacts, 1);
      EXPECT_GT(least, -1e-12);  // the rounding of the time of the impact
      // All energy of the fall from 1 rad.
      EXPECT_NEAR(r.certificate.impact_loss, g * (std::cos(at) - std::cos(1)), 1e-8);
      if (at < 0) continue;
      EXPECT_NEAR(side * r.state.q[0], at, 1e-13);
      EXPECT_NEAR(r.state.v[0], 0, 1e-13);
    }
}

// ---- Painleve -------------------------------------------------------------------------------------------------------

TEST(EventScenes, PainleveRodJams) {
  const Model model = model_of("painleve");
  const Finished r = run(model, 0.2, located(0.01));
  EXPECT_GE(r.certificate.painleve, 1);
  EXPECT_TRUE(r.certificate.passed());
  EXPECT_LT(r.certificate.energy.relative_defect(), 1e-9);
}

}  // namespace
}  // namespace linchpin

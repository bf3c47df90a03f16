#include "linchpin/dynamics/tree/mechanics.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/model/testing.h"

namespace linchpin {
namespace {

using Numbers = std::vector<double>;

Model compiled(const ModelSpec& spec) {
  Result<Model> model = compile(spec);
  check(model.ok(), model.ok() ? "" : model.error().message);
  return std::move(model).value();
}

// A model with all computed quantities at one state.
struct Mechanism {
  explicit Mechanism(Model m)
      : model(std::move(m)),
        plan(model),
        kin(plan),
        vel(model),
        aba_scratch(plan),
        acceleration(model.links().size()) {}
  explicit Mechanism(const std::string& text) : Mechanism(model_of(text)) {}

  void move_to(std::span<const double> q, std::span<const double> v) {
    kinematics<double>(plan, q, kin);
    velocities(model, kin, v, vel);
  }
  void accelerate(const State& s, std::span<const double> vdot) {
    move_to(s.q, s.v);
    accelerations(model, kin, vel, s.v, vdot, acceleration);
  }
  Energy energy_at(std::span<const double> q, std::span<const double> v) {
    move_to(q, v);
    return energy(model, kin, vel, q, v);
  }
  // Forward dynamics with springs and damping.
  Numbers vdot(const State& s, Numbers tau, std::span<const double> f_ext = {}) {
    add_passive_forces(model, s.q, s.v, tau);
    Numbers result(s.v.size());
    aba<double>(plan, s.q, s.v, tau, f_ext, aba_scratch, result);
    return result;
  }

  Model model;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  AbaWorkspace<double> aba_scratch;
  std::vector<Motion<double>> acceleration;
};

// Each has every joint type; seeds 1 to 8 have armature, springs and damping on one-axis joints and balls.
std::string random_tree(int seed, bool floating = false) {
  return "@random_tree:bodies=25,seed=" + std::to_string(seed) + (floating ? ",floating=1" : "");
}

State moved(const Model& model, State s, double t, std::span<const double> v, std::span<const double> vdot = {}) {
  Numbers step(v.begin(), v.end());
  for (double& x : step) x *= t;
  integrate(model, step, s.q);
  for (std::size_t k = 0; k < vdot.size(); ++k) s.v[k] += t * vdot[k];
  return s;
}

// d/dt at t = 0 by five points: error t^4/30 times the fifth derivative, some 1e-12 here, and round-off 1e-16/t.
constexpr double difference_step = 1e-3;
template <class Function>
Numbers derivative(const Function& at) {
  const double h = difference_step;
  const Numbers a = at(-2 * h), b = at(-h), c = at(h), d = at(2 * h);
  Numbers result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = (8 * (c[i] - b[i]) - (d[i] - a[i])) / (12 * h);
  return result;
}
// Values of some ten units, velocities of some ten: round-off of 1e-14/1e-3 and the truncation above stay below.
constexpr double difference_tolerance = 2e-9;

void append(Numbers& to, const Vec3<double>& v) { to.insert(to.end(), {v.x, v.y, v.z}); }
Numbers as_numbers(const Motion<double>& m) { return {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z}; }
Numbers as_numbers(const Force<double>& f) { return {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z}; }

void expect_near(std::span<const double> a, std::span<const double> b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance) << what << ", number " << i;
    if (!(std::abs(a[i] - b[i]) <= tolerance)) return;  // one line per fault, not hundreds
  }
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance, const std::string& what) {
  expect_near(Numbers{a.x, a.y, a.z}, Numbers{b.x, b.y, b.z}, tolerance, what);
}

constexpr double exact = 1e-13;  // round-off of a handful of operations on numbers of order one to ten

const Vec3<double> some_point{0.3, -0.2, 0.5};

// ---- kinematics, against differences --------------------------------------------------------------------------------

TEST(Mechanics, VelocitiesAreTheRateOfPoses) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const Numbers rates = derivative([&](double t) {
      const State there = moved(m.model, s, t, s.v);
      m.move_to(there.q, there.v);
      Numbers all;
      for (const Transform<double>& X : m.kin.X_WL)
        for (const Vec3<double>& v : {X.R.x, X.R.y, X.R.z, X.p}) append(all, v);
      return all;
    });
    m.move_to(s.q, s.v);
    Numbers expected;
    for (std::size_t i = 0; i < m.model.links().size(); ++i) {
      const Mat3<double>& R = m.kin.X_WL[i].R;
      const Motion<double>& link = m.vel.link[i];
      for (const Vec3<double>& rate : {cross(link.w, R.x), cross(link.w, R.y), cross(link.w, R.z), link.v})
        append(expected, rate);
    }
    expect_near(expected, rates, difference_tolerance, "seed " + std::to_string(seed));
  }
}

TEST(Mechanics, AccelerationsAreTheRateOfVelocities) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const Numbers vdot = random_numbers(s.v.size(), std::uint64_t(seed));
    const int tip = int(m.model.bodies().size()) - 1;
    const Numbers rates = derivative([&](double t) {
      const State there = moved(m.model, s, t, s.v, vdot);
      m.move_to(there.q, there.v);
      Numbers all;
      for (const Motion<double>& link : m.vel.link)
        for (const Vec3<double>& v : {link.w, link.v}) append(all, v);
      append(all, point_velocity(m.model, m.kin, m.vel, tip, some_point).v);
      return all;
    });
    m.accelerate(s, vdot);
    Numbers expected;
    for (const Motion<double>& link : m.acceleration)
      for (const Vec3<double>& a : {link.w, link.v}) append(expected, a);
    append(expected, point_acceleration(m.model, m.kin, m.vel, m.acceleration, tip, some_point).v);
    expect_near(expected, rates, difference_tolerance * (1 + largest(expected)), "seed " + std::to_string(seed));
  }
}

TEST(Mechanics, JacobianIsTheDerivativeOfThePose) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const std::size_t nv = s.v.size();
    for (int body = 0; body < int(m.model.bodies().size()); body += 6) {
      Numbers J(6 * nv, std::numeric_limits<double>::quiet_NaN());
      m.move_to(s.q, s.v);
      const Mat3<double> R = body_pose(m.model, m.kin, body).R;
      point_jacobian(m.model, m.kin, m.vel, body, some_point, J);
      for (std::size_t k = 0; k < nv; ++k) {
        Numbers direction(nv, 0);
        direction[k] = 1;
        const Numbers rates = derivative([&](double t) {
          m.move_to(moved(m.model, s, t, direction).q, s.v);
          const Transform<double> X = body_pose(m.model, m.kin, body);
          Numbers all;
          for (const Vec3<double>& v : {X.R.x, X.R.y, X.R.z, X * some_point}) append(all, v);
          return all;
        });
        const auto entry = [&](std::size_t row) { return J[row * nv + k]; };
        const Vec3<double> w{entry(0), entry(1), entry(2)}, x{entry(3), entry(4), entry(5)};
        Numbers expected;
        for (const Vec3<double>& v : {cross(w, R.x), cross(w, R.y), cross(w, R.z), x}) append(expected, v);
        expect_near(expected, rates, difference_tolerance,
                    "seed " + std::to_string(seed) + " body " + std::to_string(body) + " column " + std::to_string(k));
      }
    }
  }
}

TEST(Mechanics, JacobianRateIsTheDerivativeOfTheJacobian) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const std::size_t nv = s.v.size();
    for (int body = 0; body < int(m.model.bodies().size()); body += 4) {
      const Numbers rates = derivative([&](double t) {
        m.move_to(moved(m.model, s, t, s.v).q, s.v);
        Numbers J(6 * nv);
        point_jacobian(m.model, m.kin, m.vel, body, some_point, J);
        return J;
      });
      Numbers Jdot(6 * nv, std::numeric_limits<double>::quiet_NaN());
      m.move_to(s.q, s.v);
      point_jacobian_rate(m.model, m.kin, m.vel, body, some_point, Jdot);
      expect_near(Jdot, rates, difference_tolerance, "seed " + std::to_string(seed) + " body " + std::to_string(body));
    }
  }
}

// (w, xdot) = J v and (alpha, xddot) = J vdot + Jdot v, to round-off: two ways to the same numbers.
TEST(Mechanics, JacobiansAndRecursionsAgree) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const std::size_t nv = s.v.size();
    const Numbers vdot = random_numbers(nv, std::uint64_t(seed));
    m.accelerate(s, vdot);
    for (int body = 0; body < int(m.model.bodies().size()); ++body) {
      Numbers J(6 * nv), Jdot(6 * nv), velocity(6, 0), acceleration(6, 0);
      point_jacobian(m.model, m.kin, m.vel, body, some_point, J);
      point_jacobian_rate(m.model, m.kin, m.vel, body, some_point, Jdot);
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t k = 0; k < nv; ++k) {
          velocity[r] += J[r * nv + k] * s.v[k];
          acceleration[r] += J[r * nv + k] * vdot[k] + Jdot[r * nv + k] * s.v[k];
        }
      const std::string what = "seed " + std::to_string(seed) + " body " + std::to_string(body);
      expect_near(as_numbers(point_velocity(m.model, m.kin, m.vel, body, some_point)), velocity, 1e-12, what);
      const Numbers a = as_numbers(point_acceleration(m.model, m.kin, m.vel, m.acceleration, body, some_point));
      expect_near(a, acceleration, 1e-12 * (1 + largest(a)), what);
    }
  }
}

TEST(Mechanics, FramesRideOnTheirBodies) {
  const Result<ModelSpec> chain = scene("@planar_chain:links=2");
  ModelSpec spec = chain.value();
  spec.frames = {{"tip", "link_2", {rotation_y(0.5), {0, 0.1, -1}}}};
  Mechanism m(compiled(spec));
  State s = make_state(m.model);
  s.q = {std::numbers::pi / 2, -std::numbers::pi / 2};  // out along +x, then down
  m.move_to(s.q, s.v);
  expect_near(body_pose(m.model, m.kin, m.model.find_body("link_2")).p, {1, 0, 0}, exact, "elbow");
  const Transform<double> tip = frame_pose(m.model, m.kin, m.model.find_frame("tip"));
  expect_near(tip.p, {1, 0.1, -1}, exact, "tip");
  expect_near(tip.R.x, {std::cos(0.5), 0, -std::sin(0.5)}, exact, "tip's x axis");
}

// ---- laws worked out by hand ----------------------------------------------------------------------------------------

ModelSpec free_body(double mass, const Vec3<double>& centre, const Vec3<double>& moments, const Vec3<double>& gravity) {
  ModelSpec spec;
  spec.gravity = gravity;
  BodySpec body;
  body.name = "body";
  body.inertia = {mass, centre, Sym3<double>::diagonal(moments.x, moments.y, moments.z)};
  spec.bodies = {body};
  spec.joints = {joint("free", JointType::free, "world", "body")};
  return spec;
}

// Polar coordinates: radial r'' - r phi'^2 = 5 - 2*16, tangential r phi'' + 2 r' phi' = 2*6 + 2*3*4.
TEST(Mechanics, PolarArmHasTheTextbookAcceleration) {
  ModelSpec spec;
  spec.bodies = {BodySpec{"arm", {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}},
                 BodySpec{"slider", {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}}};
  spec.joints = {joint("turn", JointType::revolute, "world", "arm"),
                 joint("slide", JointType::prismatic, "arm", "slider")};
  spec.joints[1].axis = {1, 0, 0};
  Mechanism m(compiled(spec));
  State s = make_state(m.model);
  s.q = {std::numbers::pi / 2, 2};  // radial is +y, tangential is -x
  s.v = {4, 3};
  m.accelerate(s, Numbers{6, 5});
  const int slider = m.model.find_body("slider");
  const Motion<double> a = point_acceleration(m.model, m.kin, m.vel, m.acceleration, slider, {0, 0, 0});
  expect_near(a.v, {-36, -27, 0}, 1e-12, "acceleration");
  expect_near(a.w, {0, 0, 6}, exact, "angular acceleration");
  expect_near(point_velocity(m.model, m.kin, m.vel, slider, {0, 0, 0}).v, {-8, 3, 0}, exact, "velocity");
}

// I w = (1, 4, 9), w x I w = (6, -6, 2), so wdot = I^-1 (n - w x I w) = (-5, 2, 1); a = f/m + g.
TEST(Mechanics, FreeBodyObeysNewtonAndEuler) {
  Mechanism m(compiled(free_body(2, {0, 0, 0}, {1, 2, 3}, {0, 0, -10})));
  State s = make_state(m.model);
  s.v = {1, 2, 3, 0.5, 0, -0.5};
  const Numbers f_ext{0, 0, 0, 0, 0, 0, 1, -2, 5, 4, 6, 8};
  const Numbers vdot = m.vdot(s, Numbers(6, 0), f_ext);
  m.accelerate(s, vdot);
  expect_near(m.acceleration.back().w, {-5, 2, 1}, exact, "angular");
  expect_near(m.acceleration.back().v, {2, 3, -6}, exact, "linear");
}

// Without forces the centre of mass does not accelerate, so a point 1 m from it on a body that turns at 2 rad/s has an
// acceleration of 4 m/s^2 towards it. Rotation about z, a principal axis, is constant.
TEST(Mechanics, SpinningBodyWithOffsetCentre) {
  Mechanism m(compiled(free_body(2, {1, 0, 0}, {1, 2, 3}, {0, 0, 0})));
  State s = make_state(m.model);
  s.q = {1, 0, 0, 0, 2, 0, 5};
  s.v = {0, 0, 2, 0, 0, 0};
  const Numbers vdot = m.vdot(s, Numbers(6, 0));
  expect_near(vdot, Numbers{0, 0, 0, 4, 0, 0}, exact, "vdot");
  m.accelerate(s, vdot);
  expect_near(point_acceleration(m.model, m.kin, m.vel, m.acceleration, 1, {1, 0, 0}).v, {0, 0, 0}, exact, "centre");

  // P = m w x c = 2 (0, 2, 0); L = I w + (p + c) x P = (0, 0, 6) + (3, 0, 5) x (0, 4, 0).
  const Force<double> P = momentum(m.model, m.kin, m.vel);
  expect_near(P.f, {0, 4, 0}, exact, "linear momentum");
  expect_near(P.n, {-20, 0, 18}, exact, "angular momentum");
  const CentreOfMass c = centre_of_mass(m.model, m.kin, m.vel);
  EXPECT_EQ(c.mass, 2);
  expect_near(c.position, {3, 0, 5}, exact, "centre");
  expect_near(c.velocity, {0, 2, 0}, exact, "its velocity");
  EXPECT_NEAR(energy(m.model, m.kin, m.vel, s.q, s.v).kinetic, 4 + 6, exact);  // m v^2/2 + I w^2/2
}

TEST(Mechanics, CentreOfMassOfAChainOfRods) {
  Mechanism m("@planar_chain:links=3");
  State s = make_state(m.model);
  s.v = {1, 0, 0};
  m.move_to(s.q, s.v);
  CentreOfMass c = centre_of_mass(m.model, m.kin, m.vel);
  EXPECT_NEAR(c.mass, 3, exact);
  expect_near(c.position, {0, 0, -1.5}, exact, "hanging");
  expect_near(c.velocity, {1.5, 0, 0}, exact, "hanging, swung forward");
  s.q = {std::numbers::pi / 2, 0, 0};
  m.move_to(s.q, s.v);
  c = centre_of_mass(m.model, m.kin, m.vel);
  expect_near(c.position, {1.5, 0, 0}, exact, "held out");
  expect_near(c.velocity, {0, 0, 1.5}, exact, "held out, swung up");
  EXPECT_NEAR(energy(m.model, m.kin, m.vel, s.q, s.v).gravity, 0, 1e-12);
  s.q = {std::numbers::pi / 2, std::numbers::pi / 2, 0};  // the elbow up: centres at 0.5, 1, 1 and heights 0, 0.5, 1.5
  m.move_to(s.q, s.v);
  expect_near(centre_of_mass(m.model, m.kin, m.vel).position, {2.5 / 3, 0, 2.0 / 3}, exact, "elbow up");
  EXPECT_NEAR(energy(m.model, m.kin, m.vel, s.q, s.v).gravity, 9.81 * 2, 1e-12);
}

// ---- momentum -------------------------------------------------------------------------------------------------------

// d/dt of the momentum about the world's origin: Newton's and Euler's laws link by link, about each link's origin.
Force<double> momentum_rate(const Mechanism& m) {
  Force<double> sum = Force<double>::zero();
  for (std::size_t i = 1; i < m.model.links().size(); ++i) {
    const RigidInertia<double>& I = m.model.links()[i].inertia;
    const Transform<double>& X = m.kin.X_WL[i];
    const Vec3<double> w = transpose_times(X.R, m.vel.link[i].w), alpha = transpose_times(X.R, m.acceleration[i].w),
                       a = transpose_times(X.R, m.acceleration[i].v);
    const Force<double> f{I.I * alpha + cross(I.h, a) + cross(w, I.I * w),
                          I.mass * a + cross(alpha, I.h) + cross(w, cross(w, I.h))};
    sum += force_to_parent(X, f);
  }
  return sum;
}
Force<double> weight(const Mechanism& m) {
  const CentreOfMass c = centre_of_mass(m.model, m.kin, m.vel);
  const Vec3<double> f = c.mass * m.model.gravity();
  return {cross(c.position, f), f};
}
Force<double> external(const Mechanism& m, const Numbers& f_ext) {
  Force<double> sum = Force<double>::zero();
  for (std::size_t b = 1; b < m.model.bodies().size(); ++b) {
    const double* f = f_ext.data() + 6 * b;
    sum += force_to_parent(body_pose(m.model, m.kin, int(b)), Force<double>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
  }
  return sum;
}

TEST(Mechanics, MomentumChangesAsTheLawsOfMotionSay) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const Numbers vdot = random_numbers(s.v.size(), std::uint64_t(seed));
    const Numbers rate = derivative([&](double t) {
      const State there = moved(m.model, s, t, s.v, vdot);
      m.move_to(there.q, there.v);
      return as_numbers(momentum(m.model, m.kin, m.vel));
    });
    m.accelerate(s, vdot);
    const Numbers expected = as_numbers(momentum_rate(m));
    expect_near(expected, rate, difference_tolerance * (1 + largest(expected)), "seed " + std::to_string(seed));
  }
}

// Joint forces do not change the momentum of a flying robot; only gravity does.
TEST(Mechanics, FloatingHumanoidFallsByGravityAlone) {
  Mechanism m("@humanoid");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const State s = random_state(m.model, seed, 1);
    Numbers tau = random_numbers(s.v.size(), seed);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = k < 6 ? 0 : 10 * tau[k];  // nothing on the pelvis itself
    m.accelerate(s, m.vdot(s, tau));
    const Numbers rate = as_numbers(momentum_rate(m)), expected = as_numbers(weight(m));
    // Sums of some thirty links' forces of up to 1e4 N: 1e4 * 30 * 1e-16.
    expect_near(rate, expected, 1e-10 * (1 + largest(expected)), "seed " + std::to_string(seed));
  }
}

// With a single joint to the world, the force of that joint is known: rate of momentum minus weight minus external
// forces. Along its axes this is the joint force minus the rotor's inertial force.
TEST(Mechanics, BaseReactionClosesTheMomentumBalance) {
  for (const std::string& text : {random_tree(1, true), random_tree(2, true), random_tree(3, true),
                                  std::string("@chain:links=12"), std::string("@top"), std::string("@cart_pole")}) {
    Mechanism m(text);
    const State s = random_state(m.model, 3, 1);
    const Numbers tau = random_numbers(s.v.size(), 1), f_ext = random_numbers(6 * m.model.bodies().size(), 2);
    const Numbers vdot = m.vdot(s, tau, f_ext);
    m.accelerate(s, vdot);
    const Force<double> rate = momentum_rate(m), reaction = rate - weight(m) - external(m, f_ext);
    Numbers joint_force = tau;
    add_passive_forces(m.model, s.q, s.v, joint_force);
    const Link& root = m.model.links()[1];
    const Force<double> at_root{reaction.n - cross(m.kin.X_WL[1].p, reaction.f), reaction.f};
    for (std::size_t k = std::size_t(root.v); k < std::size_t(root.v + root.nv); ++k)
      EXPECT_NEAR(dot(at_root, m.vel.axis[k]), joint_force[k] - root.armature * vdot[k],
                  1e-10 * (1 + largest(as_numbers(rate))))
          << text << " coordinate " << k;
  }
}

// ---- energy ---------------------------------------------------------------------------------------------------------

TEST(Mechanics, KineticEnergyIsThatOfTheMassMatrix) {
  for (const std::string& text : {random_tree(1), random_tree(2), random_tree(3), random_tree(4, true),
                                  std::string("@humanoid"), std::string("@forest")}) {
    Mechanism m(text);
    const State s = random_state(m.model, 7, 1);
    const Numbers M = AugmentedTree<double>(m.model, s.q, s.v).mass_matrix();
    const std::size_t nv = s.v.size();
    double expected = 0;
    for (std::size_t i = 0; i < nv; ++i)
      for (std::size_t j = 0; j < nv; ++j) expected += 0.5 * s.v[i] * M[i * nv + j] * s.v[j];
    // A sum of nv^2 terms that partly cancel.
    EXPECT_NEAR(m.energy_at(s.q, s.v).kinetic, expected, 1e-12 * expected) << text;
  }
}

// Power of external forces, body by body.
double external_power(const Mechanism& m, const Numbers& f_ext) {
  double power = 0;
  for (std::size_t b = 1; b < m.model.bodies().size(); ++b) {
    const Motion<double> motion = point_velocity(m.model, m.kin, m.vel, int(b), {0, 0, 0});
    const Mat3<double> R = body_pose(m.model, m.kin, int(b)).R;
    const double* f = f_ext.data() + 6 * b;
    power += dot(Force<double>{R * Vec3<double>{f[0], f[1], f[2]}, R * Vec3<double>{f[3], f[4], f[5]}}, motion);
  }
  return power;
}

TEST(Mechanics, EnergyChangesByThePowerOfForces) {
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    const Numbers tau = random_numbers(s.v.size(), std::uint64_t(seed)),
                  f_ext = random_numbers(6 * m.model.bodies().size(), std::uint64_t(2 * seed));
    const Numbers vdot = m.vdot(s, tau, f_ext);
    const double rate = derivative([&](double t) {
      const State there = moved(m.model, s, t, s.v, vdot);
      return Numbers{m.energy_at(there.q, there.v).total()};
    })[0];
    m.move_to(s.q, s.v);
    double power = external_power(m, f_ext) + damping_power(m.model, s.v);
    for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * s.v[k];
    // Accelerations of up to 1e3 make the fourth-order error larger than elsewhere.
    EXPECT_NEAR(rate, power, 1e-8 * (1 + std::abs(power) + m.energy_at(s.q, s.v).kinetic)) << "seed " << seed;
  }
}

TEST(Mechanics, PassiveForcesAreTheSpringsGradientAndDamping) {
  bool ball_spring = false, axis_spring = false, damping = false;
  for (int seed = 1; seed <= 8; ++seed) {
    Mechanism m(random_tree(seed));
    const State s = random_state(m.model, std::uint64_t(seed), 1);
    Numbers spring(s.v.size(), 0), all(s.v.size(), 0);
    add_passive_forces(m.model, s.q, Numbers(s.v.size(), 0), spring);
    add_passive_forces(m.model, s.q, s.v, all);
    double power = 0;
    for (std::size_t k = 0; k < s.v.size(); ++k) {
      Numbers direction(s.v.size(), 0);
      direction[k] = 1;
      const double gradient =
          derivative([&](double t) { return Numbers{m.energy_at(moved(m.model, s, t, direction).q, s.v).springs}; })[0];
      EXPECT_NEAR(spring[k], -gradient, 1e-9 * (1 + std::abs(gradient))) << "seed " << seed << " coordinate " << k;
      EXPECT_NEAR(all[k] - spring[k], -m.model.dofs()[k].damping * s.v[k], 1e-13);
      power += (all[k] - spring[k]) * s.v[k];
      damping |= m.model.dofs()[k].damping > 0;
    }
    EXPECT_NEAR(damping_power(m.model, s.v), power, 1e-12);
    for (const Link& link : m.model.links())
      if (link.nv > 0 && m.model.dofs()[link.v].stiffness > 0)
        (link.kind == LinkKind::ball ? ball_spring : axis_spring) = true;
  }
  EXPECT_TRUE(ball_spring && axis_spring && damping) << "the trees above do not have all that is to be tested";
}

TEST(Mechanics, SpringEnergiesByHand) {
  ModelSpec spec = scene("@top").value();
  spec.joints[0].dofs.assign(3, DofSpec{.stiffness = 8});
  Mechanism m(compiled(spec));
  State s = make_state(m.model);
  s.q = {std::cos(0.25), 0, std::sin(0.25), 0};  // half a radian about y
  EXPECT_NEAR(m.energy_at(s.q, s.v).springs, 1, exact);
  Numbers tau(3, 0);
  add_passive_forces(m.model, s.q, s.v, tau);
  expect_near(tau, Numbers{0, -4, 0}, exact, "ball");

  spec = scene("@simple_pendulum").value();
  spec.joints[0].dofs = {DofSpec{.damping = 3, .stiffness = 8, .rest = 0.25}};
  Mechanism p(compiled(spec));
  State hung = make_state(p.model);
  hung.q = {0.75};
  hung.v = {2};
  EXPECT_NEAR(p.energy_at(hung.q, hung.v).springs, 1, exact);
  tau = {10};
  add_passive_forces(p.model, hung.q, hung.v, tau);
  EXPECT_NEAR(tau[0], 10 - 4 - 6, exact);
  EXPECT_NEAR(damping_power(p.model, hung.v), -12, exact);
}

// ---- scratch and sizes ----------------------------------------------------------------------------------------------

template <class T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  const auto numbers = [](const std::vector<T>& x) {
    std::vector<double> out(x.size() * sizeof(T) / sizeof(double));
    std::memcpy(out.data(), x.data(), out.size() * sizeof(double));
    return out;
  };
  return same_finite_bits(numbers(a), numbers(b));
}

TEST(Mechanics, ContentBeforeACallDoesNotMatter) {
  Mechanism fresh(random_tree(1)), soiled(random_tree(1));
  const State s = random_state(fresh.model, 1, 1);
  poison(soiled.kin.X_WL, soiled.vel.axis, soiled.vel.link, soiled.acceleration);
  const Numbers vdot = random_numbers(s.v.size(), 1);
  fresh.accelerate(s, vdot);
  soiled.accelerate(s, vdot);
  EXPECT_TRUE(equal_bits(fresh.vel.axis, soiled.vel.axis));
  EXPECT_TRUE(equal_bits(fresh.vel.link, soiled.vel.link));
  EXPECT_TRUE(equal_bits(fresh.acceleration, soiled.acceleration));
}

TEST(Mechanics, WrongSizesAreRefused) {
  Mechanism m("@top"), other("@chain:links=3");
  const State s = make_state(m.model);
  Numbers J(6 * 3 - 1), tau(2);
  EXPECT_THROW(velocities(m.model, m.kin, Numbers(2), m.vel), CheckFailed);
  EXPECT_THROW(velocities(m.model, other.kin, s.v, m.vel), CheckFailed);
  EXPECT_THROW(velocities(m.model, m.kin, s.v, other.vel), CheckFailed);
  EXPECT_THROW(point_jacobian(m.model, m.kin, m.vel, 1, {0, 0, 0}, J), CheckFailed);
  EXPECT_THROW(body_pose(m.model, m.kin, 2), CheckFailed);
  EXPECT_THROW(frame_pose(m.model, m.kin, 0), CheckFailed);
  EXPECT_THROW(add_passive_forces(m.model, s.q, s.v, tau), CheckFailed);
  const std::vector<Motion<double>> few(m.model.links().size() - 1, Motion<double>::zero());
  EXPECT_THROW(point_acceleration(m.model, m.kin, m.vel, few, 1, {0, 0, 0}), CheckFailed);
}

}  // namespace
}  // namespace linchpin

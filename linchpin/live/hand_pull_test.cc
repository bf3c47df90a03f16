#include "linchpin/live/hand_pull.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {
namespace {

// A free box without weight.
Model floating_box(double mass) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  BodySpec body{"box", {}, {}};
  add_solid(body, Box{{0.1, 0.2, 0.3}}, mass, Transform<double>::identity());
  spec.bodies.push_back(body);
  spec.joints.push_back(joint("joint", JointType::free, "world", "box"));
  return compile(spec).value();
}

// Position of a point of a body, and its acceleration under forces.
struct Point {
  Vec3<double> position, acceleration;
};
Point point_of(const Model& model, const State& state, std::span<const double> f, int body, const Vec3<double>& at) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  std::vector<double> tau(model.nv(), 0), vdot(tau);
  AbaWorkspace<double> ws(plan);
  aba<double>(plan, state.q, state.v, tau, f, ws, vdot);
  std::vector<Motion<double>> link(model.links().size());
  accelerations(model, kin, vel, state.v, vdot, link);
  return {body_pose(model, kin, body) * at, point_acceleration(model, kin, vel, link, body, at).v};
}

TEST(Hand, AFreeBodyAtRestAcceleratesAsASpringSays) {
  const Model model = floating_box(7);
  Hand hand(model);
  const State state = make_state(model);
  const double dt = 1e-3, w = Hand::frequency;
  const Pull pull{1, {0, 0, 0}, {0.3, -0.2, 0.1}};
  const auto f = hand.forces(state, dt, {&pull, 1});
  const double scale = w * w / (1 + 2 * w * dt + w * w * dt * dt) / (1 + 3 * Hand::softness);  // W = 1/m
  for (const auto& [found, e] : {std::pair{f[9], 0.3}, {f[10], -0.2}, {f[11], 0.1}})
    EXPECT_NEAR(found, 7 * scale * e, 1e-12 * 7 * scale);
  for (int k = 6; k < 9; ++k) EXPECT_EQ(f[k], 0);  // at the centre: no moment
}

// (1) with a velocity, in a body that is turned by a quarter about z: forces are in its axes, x' = y and y' = -x.
TEST(Hand, AMovingBodyIsBraked) {
  const Model model = floating_box(7);
  Hand hand(model);
  State state = make_state(model);
  state.q[0] = state.q[3] = std::sqrt(0.5);  // the quaternion w-x-y-z
  state.v = {0, 0, 0, 0.7, 0.4, 0.2};        // of the origin, in the world's axes
  const Vec3<double> e{0.3, -0.2, 0.1}, u{0.7, 0.4, 0.2};
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  ASSERT_LT(norm(point_velocity(model, kin, vel, 1, {0, 0, 0}).v - u), 1e-15);
  const Pull pull{1, {0, 0, 0}, e};
  for (const double dt : {1e-3, 0.1}) {
    const auto f = hand.forces(state, dt, {&pull, 1});
    const Vec3<double> a = (1 / ((1 + 15 * dt) * (1 + 15 * dt))) * (225.0 * (e - dt * u) - 30.0 * u);
    EXPECT_NEAR(f[9], 7 / 1.03 * a.y, 1e-10);
    EXPECT_NEAR(f[10], -7 / 1.03 * a.x, 1e-10);
    EXPECT_NEAR(f[11], 7 / 1.03 * a.z, 1e-10);
  }
}

// Off the centre by x along an axis: W is diagonal, 1/m, 1/m + x^2/Izz and 1/m + x^2/Iyy, and the moment is x times the
// force.
TEST(Hand, OffTheCentreABodyTurns) {
  const Model model = floating_box(6);
  const RigidInertia<double>& I = model.bodies()[1].inertia;
  Hand hand(model);
  const double x = 0.5;
  const Vec3<double> e{0.1, -0.2, 0.3}, W{1.0 / 6, 1.0 / 6 + x * x / I.I.zz, 1.0 / 6 + x * x / I.I.yy};
  const Pull pull{1, {x, 0, 0}, Vec3<double>{x, 0, 0} + e};
  const auto f = hand.forces(make_state(model), 1e-3, {&pull, 1});
  const double scale = 225 / (1.015 * 1.015), more = 0.01 * (W.x + W.y + W.z);
  const Vec3<double> force{scale * e.x / (W.x + more), scale * e.y / (W.y + more), scale * e.z / (W.z + more)};
  const double wanted[] = {0, -x * force.z, x * force.y, force.x, force.y, force.z};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(f[std::size_t(6 + k)], wanted[k], 1e-10 * norm(force)) << k;
  for (int k = 0; k < 6; ++k) EXPECT_EQ(f[std::size_t(k)], 0) << "on the world";
}

// The force of (2), put into forward dynamics, changes the point's acceleration towards that of (1). Softness reduces
// the change, which therefore never exceeds (1).
TEST(Hand, MechanismsGiveWayAsWanted) {
  for (const char* text : {"@chain:links=20", "@humanoid", "@dual_arm", "@quadruped"})
    for (int seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(testing::Message() << text << ", seed " << seed);
      const Model model = model_of(text);
      State state = random_state(model, std::uint64_t(seed), 1, 0);  // at rest: (1) is w^2 e alone
      const int body = int(model.bodies().size()) - seed;
      const Vec3<double> at{0.05, 0.02, -0.03}, e{0.1, 0.07, -0.12};
      const std::vector<double> none(6 * model.bodies().size(), 0);
      const Point before = point_of(model, state, none, body, at);
      Hand hand(model);
      const Pull pull{body, at, before.position + e};
      const double dt = 1e-3, w = Hand::frequency;
      const auto f = hand.forces(state, dt, {&pull, 1});
      const Point after = point_of(model, state, f, body, at);
      const Vec3<double> wanted = (w * w / (1 + 2 * w * dt + w * w * dt * dt)) * e;
      const Vec3<double> got = after.acceleration - before.acceleration;
      EXPECT_GT(dot(got, wanted), 0);
      EXPECT_LE(dot(got, wanted), dot(wanted, wanted) * (1 + 1e-9));
      EXPECT_GT(norm(got), 0.3 * norm(wanted));
    }
}

// Stable for every step size: the point reaches the target and rests there.
TEST(Hand, NoStepIsTooLong) {
  for (const double dt : {1e-4, 1e-2, 0.1, 1.0}) {
    SCOPED_TRACE(dt);
    const Model model = floating_box(1);
    Hand hand(model);
    Simulation simulation(model, {.stepper = Stepper::semi_implicit_euler, .dt = dt});
    State state = make_state(model);
    const Pull pull{1, {0, 0, 0}, {0.5, 0, 0}};
    double farthest = 0;
    for (int i = 0; i < std::max(200, int(3 / dt)); ++i) {
      ASSERT_TRUE(simulation.step(state, {.f_ext = hand.forces(state, dt, {&pull, 1})}).ok());
      farthest = larger(farthest, state.q[4]);
    }
    EXPECT_NEAR(state.q[4], 0.5, 1e-6);
    EXPECT_NEAR(state.v[3], 0, 1e-6);
    EXPECT_LT(farthest, 0.52);  // critically damped, up to softness
  }
}

// The tip of a chain is jerked from side to side, with the chain stretched or slack: the motion stays stable.
TEST(Hand, AChainIsPulledWithoutRunningAway) {
  const Model model = model_of("@chain:links=12");
  for (const double dt : {1e-3, 5e-3}) {
    Hand hand(model);
    Simulation simulation(model, {.stepper = Stepper::rk4, .dt = dt});
    State state = make_state(model);
    const int tip = int(model.bodies().size()) - 1;
    double fastest = 0;
    for (int i = 0; i < int(4 / dt); ++i) {
      const double side = i % int(1 / dt) < int(0.5 / dt) ? 1 : -1;
      const Pull pull{tip, {0, 0, 0}, {side, 0.5, -0.5}};
      const StepReport report = simulation.step(state, {.f_ext = hand.forces(state, dt, {&pull, 1})});
      ASSERT_TRUE(report.ok()) << report.reason;
      fastest = larger(fastest, largest(state.v));
    }
    EXPECT_LT(fastest, 200);  // rad/s; an unstable run soon has 1e6
  }
}

TEST(Hand, TheFarthestPullIsBounded) {
  const Model model = floating_box(2);
  Hand hand(model);
  const Pull pull{1, {0, 0, 0}, {1e6, 0, 0}};
  const auto f = hand.forces(make_state(model), 1e-3, {&pull, 1});
  // 300 m/s^2 in (1) and (2), with w dt = 0.015 and W = 1/m
  EXPECT_NEAR(f[9], 2 * 300 / (1.015 * 1.015) / 1.03, 1e-9);
}

TEST(Hand, SeveralPullsShareTheForce) {
  const Model model = floating_box(2);
  Hand hand(model);
  const State state = make_state(model);
  const Pull one{1, {0, 0, 0}, {0.1, 0, 0}};
  const double alone = hand.forces(state, 1e-3, {&one, 1})[9];
  const Pull three[] = {one, one, one};
  EXPECT_NEAR(hand.forces(state, 1e-3, three)[9], alone, 1e-12 * alone);
}

// A pull that nobody has filled in is one of the world's origin to where it is.
TEST(Hand, AnEmptyPull) {
  const Pull pull;
  EXPECT_EQ(pull.body, 0);
  for (const Vec3<double>& v : {pull.at, pull.to}) EXPECT_TRUE(v.x == 0 && v.y == 0 && v.z == 0);
  const Model model = floating_box(2);
  Hand hand(model);
  for (const double f : hand.forces(make_state(model), 1e-3, {&pull, 1})) EXPECT_EQ(f, 0);
  for (const double f : hand.forces(make_state(model), 1e-3, {})) EXPECT_EQ(f, 0);
}

TEST(Hand, WhatIsFixedStaysWithoutForce) {
  ModelSpec spec;
  spec.bodies.push_back({"post", {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}});
  spec.bodies.push_back({"arm", {1, {0, 0, 1}, Sym3<double>::diagonal(1, 1, 1)}, {}});
  spec.joints.push_back(joint("weld", JointType::weld, "world", "post"));
  spec.joints.push_back(joint("hinge", JointType::revolute, "post", "arm"));
  const Model model = compile(spec).value();
  Hand hand(model);
  const Pull pull{model.find_body("post"), {0, 0, 0}, {1, 1, 1}};
  for (const double f : hand.forces(make_state(model), 1e-3, {&pull, 1})) EXPECT_EQ(f, 0);
}

}  // namespace
}  // namespace linchpin

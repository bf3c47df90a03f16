#include "linchpin/control/feedback.h"

#include "linchpin/base/check.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/control/operational_space.h"
#include "linchpin/control/testing.h"
#include "linchpin/control/trajectory.h"
#include "linchpin/sim/simulation.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

double farthest(const Model& model, std::span<const double> a, std::span<const double> b) {
  std::vector<double> step(model.nv());
  difference(model, a, b, step);
  return largest(step);
}

TEST(Feedback, GravityForcesHoldAndBiasForcesLetGoOn) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Plan<double> plan(model);
    FeedbackWorkspace ws(plan);
    State state = random_state(model, 3);
    std::vector<double> tau(state.v.size());
    AbaWorkspace<double> aba_ws(plan);
    std::vector<double> vdot(state.v.size());
    bias_forces(plan, state.q, state.v, ws, tau);
    aba<double>(plan, state.q, state.v, tau, {}, aba_ws, vdot);
    EXPECT_LT(largest(vdot), 1e-7) << name;
    std::fill(state.v.begin(), state.v.end(), 0);
    gravity_forces(plan, state.q, ws, tau);
    aba<double>(plan, state.q, state.v, tau, {}, aba_ws, vdot);
    EXPECT_LT(largest(vdot), 1e-7) << name;
  }
}

// All joint types, from any rotation: errors of a critically damped law have decayed after 20 / rate.
TEST(Feedback, ComputedTorqueBringsEveryTreeToItsTarget) {
  for (const char* name :
       {"@humanoid", "@quadruped", "@random_tree:bodies=30,seed=2", "@random_tree:bodies=30,seed=5"}) {
    const Model model = model_of(name);
    const Plan<double> plan(model);
    FeedbackWorkspace ws(plan);
    State state = random_state(model, 1);
    const State target = random_state(model, 2);
    const Gains gains = critically_damped(10);
    Simulation simulation(model, {.stepper = Stepper::semi_implicit_euler, .dt = 2e-3});
    std::vector<double> tau(state.v.size());
    const double before = farthest(model, state.q, target.q);
    for (int i = 0; i < 1000; ++i) {
      computed_torque(model, plan, state.q, state.v, {.q = target.q}, {&gains, 1}, ws, tau);
      ASSERT_TRUE(simulation.step(state, {tau, {}}).ok()) << name << " " << i;
    }
    EXPECT_GT(before, 1) << name;
    EXPECT_LT(farthest(model, state.q, target.q), 1e-5) << name;
    EXPECT_LT(largest(state.v), 1e-4) << name;
  }
}

// A moving target, its velocity in its own axes: exact feed-forward leaves no error for any gains.
TEST(Feedback, FollowsAMotionOfItsOwnKind) {
  const Model model = model_of("@random_tree:bodies=20,seed=4");
  const Plan<double> plan(model);
  FeedbackWorkspace ws(plan);
  State state = random_state(model, 1), target = random_state(model, 2);
  const std::vector<double> vdot = random_numbers(state.v.size(), 3);
  std::vector<double> out(state.v.size());
  const Gains gains{9, 4};
  joint_feedback(model, target.q, target.v, {target.q, target.v, vdot}, {&gains, 1}, out);
  EXPECT_LT(largest_difference(out, vdot), 1e-13);

  // off the target by a small step, the law is edotdot = -kd edot - kp e: by differences of the error along both
  // motions
  const double h = 1e-4;
  joint_feedback(model, state.q, state.v, {target.q, target.v, vdot}, {&gains, 1}, out);
  std::vector<double> e[3];
  for (int i = 0; i < 3; ++i) {
    const double t = (i - 1) * h;
    State a = state, b = target;
    std::vector<double> step_a(state.v.size()), step_b(state.v.size());
    for (std::size_t k = 0; k < step_a.size(); ++k) {  // to second order on the manifold
      step_a[k] = t * state.v[k] + 0.5 * t * t * out[k];
      step_b[k] = t * target.v[k] + 0.5 * t * t * vdot[k];
    }
    integrate(model, step_a, a.q);
    integrate(model, step_b, b.q);
    e[i].resize(state.v.size());
    difference(model, a.q, b.q, e[i]);
  }
  for (const Link& link : model.links()) {
    if (link.nv != 1) continue;  // for rotations the law governs the error of the angular velocity, below
    const std::size_t k = std::size_t(link.v);
    const double ddot = (e[0][k] - 2 * e[1][k] + e[2][k]) / (h * h), dot = (e[2][k] - e[0][k]) / (2 * h);
    EXPECT_NEAR(ddot, -4 * dot - 9 * e[1][k], 1e-4);
  }
}

// One ball: the error of the angular velocity, in the axes of M, obeys (2).
TEST(Feedback, RotationsFeedForwardInTurningAxes) {
  const Model model = model_of("@top");
  ASSERT_EQ(model.nv(), 3);
  const State state = random_state(model, 5, 3, 3), target = random_state(model, 6, 3, 3);
  const std::vector<double> vdot{0.3, -2, 1};
  std::vector<double> out(3);
  const Gains gains{0, 2.5};
  joint_feedback(model, state.q, state.v, {target.q, target.v, vdot}, {&gains, 1}, out);
  const auto error = [&](double t) {  // E w_d - w at time t
    State a = state, b = target;
    std::vector<double> sa(3), sb(3), va(3), vb(3);
    for (std::size_t k = 0; k < 3; ++k) {
      sa[k] = t * state.v[k];  // first order is enough for a first derivative
      sb[k] = t * target.v[k];
      va[k] = state.v[k] + t * out[k];
      vb[k] = target.v[k] + t * vdot[k];
    }
    integrate(model, sa, a.q);
    integrate(model, sb, b.q);
    const Quaternion<double> qa{a.q[0], -a.q[1], -a.q[2], -a.q[3]}, qb{b.q[0], b.q[1], b.q[2], b.q[3]};
    return to_rotation(qa * qb) * Vec3<double>{vb[0], vb[1], vb[2]} - Vec3<double>{va[0], va[1], va[2]};
  };
  const double h = 1e-5;
  const Vec3<double> rate = (1 / (2 * h)) * (error(h) - error(-h));
  EXPECT_LT(norm(rate + 2.5 * error(0)), 1e-7);
}

// A body that is to come to rest at a pose turned by a vector and moved: along each of the six coordinates the error
// and the velocity have gains of their own.
TEST(Feedback, EachCoordinateHasItsOwnGains) {
  const Model model = model_of("@free_body");
  ASSERT_EQ(model.nv(), 6);
  const double turn[3] = {0.3, -0.2, 0.5}, way[3] = {1, -2, 0.7}, angle = std::sqrt(0.38);
  std::vector<double> q{1, 0, 0, 0, 0, 0, 0}, there{std::cos(angle / 2), 0, 0, 0, way[0], way[1], way[2]}, out(6);
  for (std::size_t i = 0; i < 3; ++i) there[i + 1] = std::sin(angle / 2) * turn[i] / angle;
  const std::vector<double> v{0.4, 0.7, -1.1, 2, -0.3, 0.9};
  const Gains gains[6] = {{1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}, {6, 12}};
  joint_feedback(model, q, v, {there, {}, {}}, gains, out);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(out[i], gains[i].kp * turn[i] - gains[i].kd * v[i], 1e-14);
    EXPECT_NEAR(out[i + 3], gains[i + 3].kp * way[i] - gains[i + 3].kd * v[i + 3], 1e-14);
  }
}

// PD with gravity compensation, without a model of the inertia: the energy decreases until the target is reached.
TEST(Feedback, PlainPdWithGravitySettles) {
  const Model model = model_of("@dual_arm");
  const Plan<double> plan(model);
  FeedbackWorkspace ws(plan);
  State state = make_state(model), target = random_state(model, 2, 0.5, 0);
  std::vector<double> tau(state.v.size()), pd(state.v.size());
  // stiffness and damping in proportion to the inertia at each joint, so that the light fingers do not oscillate
  const Equations eq(model, target);
  std::vector<Gains> gains;
  for (int k = 0; k < model.nv(); ++k) gains.push_back({100 * eq.M(k, k), 20 * eq.M(k, k)});
  Simulation simulation(model, {.stepper = Stepper::semi_implicit_euler, .dt = 1e-3});
  for (int i = 0; i < 4000; ++i) {
    gravity_forces(plan, state.q, ws, tau);
    joint_feedback(model, state.q, state.v, {.q = target.q}, gains, pd);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += pd[k];
    ASSERT_TRUE(simulation.step(state, {tau, {}}).ok()) << i;
  }
  EXPECT_LT(farthest(model, state.q, target.q), 1e-4);
}

// The hand of an arm follows a spline, the posture acts in the null space: the remaining error is that of the stepper,
// of first order.
TEST(Feedback, AHandFollowsASpline) {
  const Model model = model_of("@dual_arm");
  const Node hand = node_at(model, "left_hand");
  State start = make_state(model);
  for (std::size_t k = 0; k < start.q.size(); ++k)
    start.q[k] = std::clamp(0.3, model.dofs()[k].lower + 0.1, model.dofs()[k].upper - 0.1);
  const int elbow = model.find_body("left_elbow");
  ASSERT_GT(elbow, 0);
  start.q[model.joints()[model.bodies()[elbow].joint].q] = -1.2;
  const Transform<double> X = Equations(model, start).pose(hand);
  const Transform<double> by{to_rotation(exp_rotation(Vec3<double>{0.2, 0.3, -0.4})), {0.1, -0.05, 0.15}};
  const PoseSpline way({0, 0.5, 1}, {X, X * by, X});
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double dt = fine ? 5e-4 : 1e-3;
    State state = start;
    OperationalSpace control(model, {{.node = hand}});
    Simulation simulation(model, {.stepper = Stepper::rk4, .dt = dt});
    std::vector<double> tau(state.v.size()), posture(state.v.size());
    const Gains gains = critically_damped(20);
    error[fine] = 0;
    for (int i = 0; i < int(std::lround(1 / dt)); ++i) {
      control.update(state.q, state.v);
      const FrameMotion target = way.at(state.time);
      joint_feedback(model, state.q, state.v, {.q = start.q}, {&gains, 1}, posture);
      const FrameDemand demand{tracking_acceleration(control.pose(0), control.velocity(0), target, gains, gains), {}};
      const OperationalSpaceReport report = control.torques({&demand, 1}, {.posture = posture}, tau);
      ASSERT_TRUE(report.ok());
      ASSERT_EQ(report.levels[0].rank, 6) << state.time;
      ASSERT_TRUE(simulation.step(state, {tau, {}}).ok());
      const Transform<double> now = Equations(model, state).pose(hand), want = way.at(state.time).X_WN;
      error[fine] =
          largest({error[fine], norm(now.p - want.p), norm(log_rotation(from_rotation(transpose(now.R) * want.R)))});
    }
  }
  EXPECT_LT(error[0], 2e-3);
  EXPECT_NEAR(error[1] / error[0], 0.5, 0.1);
}

TEST(Feedback, TrackingTakesTheShortWayRound) {
  const FrameMotion target{{to_rotation(exp_rotation(Vec3<double>{0, 0, 3})), {1, 2, 3}},
                           {{0.1, 0, 0}, {0, 0.2, 0}},
                           {{0, 5, 0}, {0, 0, 6}}};
  const Transform<double> X{to_rotation(exp_rotation(Vec3<double>{0, 0, -3})), {0, 0, 0}};
  const Motion<double> a = tracking_acceleration(X, Motion<double>::zero(), target, {100, 10}, {400, 40});
  EXPECT_NEAR(a.w.x, 1, 1e-12);
  EXPECT_NEAR(a.w.y, 5, 1e-12);
  EXPECT_NEAR(a.w.z, -100 * (2 * std::acos(-1.0) - 6), 1e-9);
  EXPECT_NEAR(a.v.x, 400, 1e-12);
  EXPECT_NEAR(a.v.y, 808, 1e-12);
  EXPECT_NEAR(a.v.z, 1206, 1e-12);
}

TEST(Feedback, EffortsAreCutToTheirLimits) {
  ModelSpec spec = scene("@chain:links=3").value();
  for (JointSpec& joint : spec.joints) joint.dofs = {DofSpec{}};
  spec.joints[1].dofs[0].effort_limit = 2;
  const Model model = compile(spec).value();
  std::vector<double> tau{-50, -3, 1};
  EXPECT_EQ(limit_efforts(model, tau), 1);
  EXPECT_EQ(tau, (std::vector<double>{-50, -2, 1}));
  EXPECT_EQ(limit_efforts(model, tau), 0);
}

TEST(Feedback, SaysWhatDoesNotFit) {
  const Model model = model_of("@chain:links=3");
  const Plan<double> plan(model);
  FeedbackWorkspace ws(plan);
  std::vector<double> three(3), two(2);
  const std::vector<Gains> gains(2);
  EXPECT_THROW(joint_feedback(model, three, three, {.q = three}, gains, three), CheckFailed);
  EXPECT_THROW(joint_feedback(model, three, three, {.q = two}, std::span(gains).first(1), three), CheckFailed);
  EXPECT_THROW(joint_feedback(model, two, three, {.q = three}, std::span(gains).first(1), three), CheckFailed);
  EXPECT_THROW(gravity_forces(plan, two, ws, three), CheckFailed);
  EXPECT_THROW(limit_efforts(model, two), CheckFailed);
}

}  // namespace
}  // namespace linchpin

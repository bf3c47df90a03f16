#include "linchpin/contact/joint_rows.h"

#include <cmath>

#include "linchpin/contact/step_rows.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/model/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

struct Placed {
  Placed(const Model& model, const State& state) : plan(model), kin(plan), vel(model) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
  }
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
};

// J v of a row on a coordinate is the rate of that coordinate, wherever its joint is in the tree: the sides are
// opposite forces across the joint, with the lever of the parent.
TEST(JointRows, HaveTheVelocityOfTheirCoordinate) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Model model = model_of("@random_tree:bodies=20,seed=" + std::to_string(seed));
    const State state = random_state(model, std::uint64_t(seed));
    const Placed placed(model, state);
    const JointRowPlan plan(model);
    Rows rows;
    std::vector<double> expected;
    for (const Joint& joint : model.joints())
      for (int k = joint.v; k < joint.v + joint.nv && joint.nq == joint.nv; ++k) {
        add_friction_row(model, plan, placed.kin, placed.vel, k, 0, 1, rows);
        expected.push_back(state.v[k]);
      }
    std::vector<double> w(rows.size());
    row_velocities(rows, placed.vel, w);
    EXPECT_GT(w.size(), 10u);
    EXPECT_LE(largest_difference(w, expected), 1e-12) << seed;  // links have moved by some metres per second
  }
}

// The numbers of (1) to (3), written out for a slider at q = 0.3.
TEST(JointRows, HaveTheOffsetsSoftnessAndBoundsOfTheirLaws) {
  const double h = 0.01, q = 0.3;
  ModelSpec spec;
  spec.bodies = {{.name = "slider", .inertia = {.mass = 2}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].axis = {1, 0, 0};
  spec.joints[0].dofs = {DofSpec{.dry_friction = 6, .lower = -0.5, .upper = 0.4}};
  spec.actuators = {
      {.name = "position",
       .joint = "rail",
       .type = ActuatorType::position,
       .stiffness = 400,
       .damping = 3,
       .lower = -20,
       .upper = 30},
      {.name = "velocity", .joint = "rail", .type = ActuatorType::velocity, .damping = 3, .lower = -1, .upper = 2}};
  SpringSpec spring;
  spring.name = "spring";
  spring.a = {"world", translation(-1, 0, 0)};
  spring.b = {"slider", Transform<double>::identity()};
  spring.stiffness = 400;
  spring.damping = 3;
  spring.length = 0.8;
  spec.springs = {spring};
  const Model model = compile(spec).value();
  State state = make_state(model);
  state.q = {q};
  state.v = {0.7};
  const Placed placed(model, state);
  const JointRowPlan plan(model);
  ASSERT_EQ(plan.limits.size(), 2u);
  EXPECT_NEAR(gap_of(plan.limits[0], state.q), 0.8, 1e-15);
  EXPECT_NEAR(gap_of(plan.limits[1], state.q), 0.1, 1e-15);
  EXPECT_EQ(rate_of(plan.limits[0], state.q, state.v), 0.7);
  EXPECT_EQ(rate_of(plan.limits[1], state.q, state.v), -0.7);
  EXPECT_EQ(plan.bounded_servos, (std::vector<int>{0, 1}));

  Rows rows;
  for (const JointLimit& limit : plan.limits)
    add_limit_row(model, plan, placed.kin, placed.vel, limit, state.q, 5, rows);
  const double theta = 0.6, v = 0.7;
  add_friction_row(model, plan, placed.kin, placed.vel, 0, 0.25, h, rows);
  add_servo_row(model, plan, placed.kin, placed.vel, 0, 0.9, q, v, theta, h, rows);
  add_servo_row(model, plan, placed.kin, placed.vel, 1, 0.9, q, v, theta, h, rows);
  EXPECT_TRUE(add_spring_row(model, placed.kin, placed.vel, placed.kin, placed.vel, 0, theta, h, rows));
  ASSERT_EQ(rows.size(), 6);
  const double give = theta * (theta * h * h * 400 + h * 3), old = (1 - theta) / theta * v;  // give: 1 / softness
  const double offset[] = {
      5, -5, 0.25, old - h * 400 * (0.9 - q) / give, old - 0.9 / theta, old + h * 400 * (1.3 - 0.8) / give};
  const double softness[] = {0, 0, 0, 1 / give, 1 / (theta * h * 3), 1 / give};
  const double lower[] = {0, -unlimited, -h * 6, -h * 20, -h * 1, 0}, upper[] = {0, 0, h * 6, h * 30, h * 2, 0};
  const BlockKind kind[] = {BlockKind::nonnegative, BlockKind::box, BlockKind::box,
                            BlockKind::box,         BlockKind::box, BlockKind::free};
  std::vector<double> w(6);
  row_velocities(rows, placed.vel, w);
  for (std::size_t r = 0; r < 6; ++r) {
    EXPECT_EQ(rows.blocks[r].kind, kind[r]) << r;
    EXPECT_EQ(rows.blocks[r].start, int(r));
    EXPECT_EQ(rows.blocks[r].size, 1) << r;
    EXPECT_NEAR(rows.offset[r], offset[r], 1e-13) << r;
    EXPECT_NEAR(rows.softness[r], softness[r], 1e-12) << r;
    EXPECT_EQ(rows.lower[r], lower[r]) << r;
    EXPECT_EQ(rows.upper[r], upper[r]) << r;
    EXPECT_NEAR(w[r], 0.7, 1e-15) << r;
  }
}

// A ball joint has one armature for its three coordinates, the least of them; a free joint none.
TEST(JointRows, ArmatureOfAStep) {
  ModelSpec spec;
  spec.bodies = {{.name = "ball", .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}},
                 {.name = "loose", .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}}};
  spec.joints = {joint("ball_joint", JointType::ball, "world", "ball"),
                 joint("free", JointType::free, "world", "loose")};
  spec.joints[0].dofs = {DofSpec{.damping = 5}, DofSpec{.damping = 2}, DofSpec{.damping = 9}};
  spec.joints[1].dofs.assign(6, DofSpec{.damping = 4});
  const Model model = compile(spec).value();
  std::vector<double> armature(model.nv(), -1);
  const std::vector<double> theta(model.nv(), 0.5);
  implicit_factors(model, theta, 0.1, true, armature);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(armature[k], 0.05 * model.dofs()[k].damping, 1e-15) << k;
  implicit_armature(model, armature, armature);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(armature[k], k < 3 ? 0.1 : 0, 1e-15) << k;
}

// Two balls that hang on the world and a third that hangs on the first, with a spring between the second and the third.
ModelSpec two_arms_with_a_spring() {
  ModelSpec spec;
  const Sym3<double> I = Sym3<double>::diagonal(0.1, 0.2, 0.3);
  spec.bodies = {{.name = "a", .inertia = {1, {0.1, 0, 0.2}, I}, .geometry = {}},
                 {.name = "b", .inertia = {2, {0, 0.1, 0}, I}, .geometry = {}},
                 {.name = "c", .inertia = {4, {0.1, 0.1, 0}, I}, .geometry = {}}};
  spec.joints = {joint("a", JointType::ball, "world", "a"), joint("b", JointType::ball, "world", "b"),
                 joint("c", JointType::ball, "a", "c")};
  spec.joints[1].X_PF = translation(1, 0.25, 0);
  spec.joints[2].X_PF = translation(0.25, -0.5, 0.125);
  SpringSpec spring;
  spring.name = "spring";
  spring.a = {"b", translation(0.1, 0.3, -0.2)};
  spring.b = {"c", translation(-0.2, 0.1, 0.5)};
  spring.stiffness = 50;
  spring.damping = 4;
  spring.length = 0.6;
  spec.springs = {spring};
  return spec;
}

// From the first end of the spring to the second, where the joints are at q moved by `time` times v.
Vec3<double> spring_vector(const Model& model, const State& state, double time) {
  State moved = state;
  std::vector<double> step = state.v;
  for (double& x : step) x *= time;
  integrate(model, step, moved.q);
  const Placed placed(model, moved);
  const Spring& s = model.springs()[0];
  return body_pose(model, placed.kin, s.b.body) * s.b.X_BF.p - body_pose(model, placed.kin, s.a.body) * s.a.X_BF.p;
}
// Its rate: a difference of the fourth order over 1e-3 s, exact to 1e-11 at speeds of some m/s.
Vec3<double> spring_rate(const Model& model, const State& state) {
  const auto at = [&](double time) { return spring_vector(model, state, time); };
  const double e = 1e-3;
  return (1 / (12 * e)) * (8 * (at(e) - at(-e)) - (at(2 * e) - at(-2 * e)));
}

// The row of a spring between two moving bodies has the rate of its length as J v, and the numbers of (3) from the
// start of the step, where its line had another direction. The sway rows have the other two components of the velocity
// of one end against the other.
TEST(JointRows, OfASpringBetweenBodies) {
  const Model model = compile(two_arms_with_a_spring()).value();
  const double h = 0.5, theta = 0.7, exact = 1e-9;  // of spring_rate(), with room
  State start = random_state(model, 4);
  State middle = start;
  std::vector<double> step = start.v;
  for (double& x : step) x *= h / 2;
  integrate(model, step, middle.q);
  const Placed before(model, start), then(model, middle);
  const Vec3<double> d = spring_vector(model, start, 0), d_m = spring_vector(model, middle, 0);
  const Vec3<double> rate_m = spring_rate(model, middle);
  const double J_0_v = dot(d, spring_rate(model, start)) / norm(d), J_m_v = dot(d_m, rate_m) / norm(d_m);
  ASSERT_GT(std::abs(J_m_v - J_0_v), 0.01);
  EXPECT_NEAR(length_of(model, before.kin, model.springs()[0]), norm(d), 1e-14);

  Rows rows;
  EXPECT_TRUE(add_spring_row(model, before.kin, before.vel, then.kin, then.vel, 0, theta, h, rows));
  EXPECT_TRUE(add_length_row(model, then.kin, 0, 0.3, rows));
  const double stiffness = 20, ahead = 0.01;
  add_sway_rows(model, then.kin, then.vel, 0, ahead, theta, stiffness, h, rows);
  ASSERT_EQ(rows.size(), 4);
  ASSERT_EQ(rows.blocks.size(), 3u);
  EXPECT_EQ(rows.blocks[2].size, 2);
  for (const Block& block : rows.blocks) EXPECT_EQ(block.kind, BlockKind::free);
  std::vector<double> w(4);
  row_velocities(rows, then.vel, w);
  EXPECT_NEAR(w[0], J_m_v, exact);
  EXPECT_NEAR(w[1], J_m_v, exact);
  EXPECT_NEAR(w[0] * w[0] + w[2] * w[2] + w[3] * w[3], dot(rate_m, rate_m), 10 * exact);
  // Over the step the elongation is taken at theta h v_t, v_t = (1 - theta) J_0 v + theta (J_m v+ + (J_m - J_0) v):
  // z = -h (stiffness (length - 0.6 + theta h v_t) + damping v_t).
  const double z = 0.8, w_plus = -(rows.offset[0] + rows.softness[0] * z);
  const double v_t = (1 - theta) * J_0_v + theta * (w_plus + J_m_v - J_0_v);
  EXPECT_NEAR(z, -h * (50 * (norm(d) - 0.6 + theta * h * v_t) + 4 * v_t), 10 * exact);
  EXPECT_EQ(rows.offset[1], 0.3);
  EXPECT_EQ(rows.softness[1], 0);
  // (6): from the start of the step the ends move sideways by theta h v_t, of which ahead * v is over already.
  for (std::size_t r = 2; r < 4; ++r) {
    const double end = -(rows.offset[r] + rows.softness[r] * z), sway = (1 - theta) * w[r] + theta * end;
    EXPECT_NEAR(z, -h * stiffness * (theta * h * sway - ahead * w[r]), exact) << r;
  }
}

// A spring whose ends meet has no direction, and one without stiffness and damping no force: no row.
TEST(JointRows, NoneOfASpringWithoutLengthOrForce) {
  ModelSpec spec = two_arms_with_a_spring();
  const Model model = compile(spec).value();
  const Placed placed(model, make_state(model));
  const auto rows_of = [](const Model& m, const Placed& p) {
    Rows rows;
    EXPECT_FALSE(add_spring_row(m, p.kin, p.vel, p.kin, p.vel, 0, 0.5, 0.1, rows));
    return rows.size();
  };
  spec.springs[0].stiffness = spec.springs[0].damping = 0;
  const Model idle = compile(spec).value();
  EXPECT_EQ(rows_of(idle, Placed(idle, make_state(idle))), 0);
  spec = two_arms_with_a_spring();
  spec.springs[0].a.X_BF.p = Vec3<double>{0.25, -0.5, 0.125} - Vec3<double>{1, 0.25, 0};  // exact
  spec.springs[0].b.X_BF.p = {0, 0, 0};
  const Model met = compile(spec).value();
  const Placed there(met, make_state(met));
  EXPECT_EQ(rows_of(met, there), 0);
  Rows rows;
  EXPECT_FALSE(add_length_row(met, there.kin, 0, 1, rows));
  add_sway_rows(met, there.kin, there.vel, 0, 0, 0.5, 1, 0.1, rows);
  EXPECT_EQ(rows.size(), 0);
}

// (7): z = -factor (v+ - v), against the speed at the start. A speed that a damper has all but ended is none.
TEST(JointRows, OfADamper) {
  const Model model = model_of("@random_tree:bodies=5,seed=2");
  const Placed placed(model, random_state(model, 2));
  const JointRowPlan plan(model);
  for (const double v : {0.4, -2.0, 1e-200}) {
    Rows rows;
    add_damper_row(model, plan, placed.kin, placed.vel, 1, v, 8, rows);
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(rows.blocks[0].kind, BlockKind::free);
    EXPECT_EQ(rows.coordinate[0], 1);
    EXPECT_EQ(rows.offset[0], v == 1e-200 ? 0 : -v);
    EXPECT_EQ(rows.softness[0], 0.125);
  }
}

// A ball joint turned by 0.8 rad about an axis: its gap, its rate, its row, and the way back to the limit about the
// same axis. J v of the row is the rate of the gap.
TEST(JointRows, LimitOfABallJoint) {
  ModelSpec spec;
  spec.bodies = {{.name = "arm", .inertia = {1, {0, 0, 0.1}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}},
                 {.name = "ball", .inertia = {1, {0, 0, 0.1}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}}};
  spec.joints = {joint("arm", JointType::ball, "world", "arm"), joint("ball", JointType::ball, "arm", "ball")};
  spec.joints[0].dofs.assign(3, DofSpec{});
  spec.joints[1].dofs.assign(3, DofSpec{.upper = 0.5});
  spec.joints[1].X_PF = translation(0.2, 0.3, 0.4);
  const Model model = compile(spec).value();
  const JointRowPlan plan(model);
  ASSERT_EQ(plan.limits.size(), 1u);
  const JointLimit& limit = plan.limits[0];
  EXPECT_EQ(limit.kind, JointLimit::Kind::angle);
  EXPECT_EQ(limit.coordinate, 3);
  EXPECT_EQ(limit.position, 4);
  const Vec3<double> n{2. / 3, -1. / 3, 2. / 3};
  State state = random_state(model, 8);
  const Quaternion<double> turn = exp_rotation(0.8 * n);
  const double q[] = {turn.w, turn.x, turn.y, turn.z};
  std::copy_n(q, 4, state.q.begin() + 4);
  const double rate = dot(n, Vec3<double>{state.v[3], state.v[4], state.v[5]});  // of the angle
  EXPECT_NEAR(gap_of(limit, state.q), -0.3, 1e-15);
  EXPECT_NEAR(overrun_of(plan.limits, state.q), 0.3, 1e-15);
  EXPECT_NEAR(rate_of(limit, state.q, state.v), -rate, 1e-15);

  const Placed placed(model, state);
  Rows rows;
  add_limit_row(model, plan, placed.kin, placed.vel, limit, state.q, 0.7, rows);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.blocks[0].kind, BlockKind::nonnegative);
  EXPECT_EQ(rows.offset[0], 0.7);
  EXPECT_EQ(rows.coordinate[0], -1);
  std::vector<double> w(1);
  row_velocities(rows, placed.vel, w);
  EXPECT_NEAR(w[0], -rate, 1e-14);

  const std::vector<double> arm(state.q.begin(), state.q.begin() + 4);
  bring_within(limit, state.q);
  EXPECT_NEAR(gap_of(limit, state.q), 0, 1e-15);
  const Vec3<double> back = log_rotation(Quaternion<double>{state.q[4], state.q[5], state.q[6], state.q[7]});
  EXPECT_LE(norm(back - 0.5 * n), 1e-15);
  EXPECT_EQ(overrun_of(plan.limits, make_state(model).q), 0);
  const std::vector<double> within = state.q;
  state.q[4] = std::cos(0.1);  // a turn by 0.2 rad
  state.q[5] = std::sin(0.1);
  state.q[6] = state.q[7] = 0;
  const std::vector<double> small = state.q;
  bring_within(limit, state.q);
  EXPECT_EQ(state.q, small) << "within the limit";
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(within[k], arm[k]) << "the other joint stays";
}

// The limits of every kind of joint: which coordinate and which number of q each has. A rotation of a free joint has no
// range, but may have a speed.
TEST(JointRows, ListOfLimits) {
  ModelSpec spec;
  const Sym3<double> I = Sym3<double>::diagonal(1, 1, 1);
  spec.bodies = {{.name = "loose", .inertia = {1, {0, 0, 0}, I}, .geometry = {}},
                 {.name = "slider", .inertia = {1, {0, 0, 0}, I}, .geometry = {}}};
  spec.joints = {joint("free", JointType::free, "world", "loose"),
                 joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].dofs.assign(6, DofSpec{});
  spec.joints[0].dofs[1].velocity_limit = 3;
  spec.joints[0].dofs[4] = DofSpec{.lower = -2, .upper = 5};
  spec.joints[1].dofs = {DofSpec{.upper = 0.4}};
  const Model model = compile(spec).value();
  const JointRowPlan plan(model);
  using Kind = JointLimit::Kind;
  struct Expected {
    Kind kind;
    int coordinate, position;
    double bound, speed;
  };
  const Expected expected[] = {{Kind::lower, 1, -1, -unlimited, 3},
                               {Kind::upper, 1, -1, unlimited, 3},
                               {Kind::lower, 4, 5, -2, unlimited},
                               {Kind::upper, 4, 5, 5, unlimited},
                               {Kind::upper, 6, 7, 0.4, unlimited}};
  ASSERT_EQ(plan.limits.size(), std::size(expected));
  for (std::size_t i = 0; i < plan.limits.size(); ++i) {
    const JointLimit& limit = plan.limits[i];
    EXPECT_EQ(limit.kind, expected[i].kind) << i;
    EXPECT_EQ(limit.coordinate, expected[i].coordinate) << i;
    EXPECT_EQ(limit.position, expected[i].position) << i;
    EXPECT_EQ(limit.bound, expected[i].bound) << i;
    EXPECT_EQ(limit.speed, expected[i].speed) << i;
  }
  State state = make_state(model);
  EXPECT_EQ(gap_of(plan.limits[0], state.q), unlimited);
  state.q[5] = 5.5;
  state.q[7] = 0.6;
  EXPECT_NEAR(overrun_of(plan.limits, state.q), 0.5, 1e-15);
  for (const JointLimit& limit : plan.limits) bring_within(limit, state.q);
  EXPECT_EQ(state.q[5], 5);
  EXPECT_EQ(state.q[7], 0.4);
  state.q[5] = -2.25;
  bring_within(plan.limits[2], state.q);
  EXPECT_EQ(state.q[5], -2);
  EXPECT_EQ(plan.link, (std::vector<int>{1, 1, 1, 1, 1, 1, 2}));
}

// Two sliders with a spring, a damper and actuators.
ModelSpec driven_sliders() {
  ModelSpec spec;
  spec.bodies = {{.name = "one", .inertia = {.mass = 2}, .geometry = {}},
                 {.name = "two", .inertia = {.mass = 3}, .geometry = {}}};
  spec.joints = {joint("first", JointType::prismatic, "world", "one"),
                 joint("second", JointType::prismatic, "world", "two")};
  spec.joints[0].dofs = {DofSpec{.damping = 4, .stiffness = 60}};
  spec.actuators = {
      {.name = "motor", .joint = "first", .gear = 3, .lower = -5, .upper = 5},
      {.name = "position", .joint = "first", .type = ActuatorType::position, .stiffness = 100, .damping = 7},
      {.name = "velocity", .joint = "second", .type = ActuatorType::velocity, .damping = 6, .lower = -1, .upper = 1},
      {.name = "other", .joint = "second", .type = ActuatorType::velocity, .damping = 11}};
  return spec;
}

// The forces of (4), written out: springs and servos at q + theta h v, dampers at v. Each actuator follows its own
// control and acts on its own joint. Bounded servos are left to their rows unless they are asked for.
TEST(JointRows, ImplicitForces) {
  const Model model = compile(driven_sliders()).value();
  const JointRowPlan plan(model);
  const double h = 0.1;
  const std::vector<double> theta{0.6, 0.9}, q{0.2, -0.3}, v{1.5, 2}, controls{1.2, 0.5, 0.7, -0.4};
  std::vector<double> moved(2), step(2);
  for (const bool bounded : {false, true}) {
    std::vector<double> tau{10, 20};
    add_implicit_forces(model, plan, theta, q, v, controls, h, bounded, moved, step, tau);
    const double there = 0.2 + 0.6 * h * 1.5;
    EXPECT_NEAR(tau[0], 10 - 60 * there - 4 * 1.5 + 3 * 1.2 + 100 * (0.5 - there) - 7 * 1.5, 1e-13);
    EXPECT_NEAR(tau[1], 20 + 11 * (-0.4 - 2) + (bounded ? 6 * (0.7 - 2) : 0), 1e-13);
  }
  std::vector<double> factors(2), expected{0.6 * (0.6 * h * h * 160 + h * 11), 0.9 * h * 11};
  implicit_factors(model, theta, h, false, factors);
  EXPECT_LE(largest_difference(factors, expected), 1e-15);
  expected[1] += 0.9 * h * 6;
  implicit_factors(model, theta, h, true, factors);
  EXPECT_LE(largest_difference(factors, expected), 1e-15);
}

// (5): of sliders by their masses, of a ball by its least inertia, of a free joint by its mass and least moment, of a
// spring between bodies by 1 / m of both ends. What is fixed to the world adds nothing.
TEST(JointRows, WeightsOfImplicitForces) {
  const double h = 0.1;
  const auto weight = [](double x, double damping = 1) { return 0.5 + damping * x / (2 * (1 + x)); };
  {
    const Model model = compile(driven_sliders()).value();
    const Plan<double> plan(model);
    for (const double damping : {1.0, 0.4, 0.0}) {
      const ImplicitWeights weights(model, plan, h, damping);
      EXPECT_NEAR(weights.inertia[0], 2, 1e-15);
      EXPECT_NEAR(weights.inertia[1], 3, 1e-15);
      EXPECT_NEAR(weights.coordinate[0], weight((h * h * 160 + h * 11) / 2, damping), 1e-15);
      EXPECT_NEAR(weights.coordinate[1], weight(h * 17 / 3, damping), 1e-15);
    }
  }
  EXPECT_EQ(implicit_weight(HUGE_VAL, 1), 1);
  EXPECT_EQ(implicit_weight(0, 1), 0.5);
  ModelSpec spec;
  spec.bodies = {{.name = "ball", .inertia = {2, {0, 0, 0}, Sym3<double>::diagonal(3, 2, 4)}, .geometry = {}},
                 {.name = "loose", .inertia = {5, {0, 0, 0}, Sym3<double>::diagonal(7, 8, 6)}, .geometry = {}}};
  spec.joints = {joint("ball", JointType::ball, "world", "ball"), joint("free", JointType::free, "world", "loose")};
  spec.joints[0].dofs = {DofSpec{.damping = 5}, DofSpec{.damping = 9}, DofSpec{.damping = 2}};
  spec.joints[1].dofs.assign(6, DofSpec{.damping = 4});
  for (const char* other : {"world", "loose"}) {
    SpringSpec spring;
    spring.name = std::string("to_") + other;
    spring.a = {"ball", translation(1, 0, 0)};
    spring.b = {other, translation(0, 0, 3)};
    spring.stiffness = 30;
    spring.damping = 2;
    spec.springs.push_back(spring);
  }
  const Model model = compile(spec).value();
  const Plan<double> plan(model);
  const ImplicitWeights armature(model, plan, h), rows(model, plan, h, 1, true);
  const double inertia[] = {2, 2, 2, 6, 6, 6, 5, 5, 5}, own[] = {5, 9, 2, 4, 4, 4, 4, 4, 4};
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_NEAR(armature.inertia[k], inertia[k], 1e-14) << k;
    EXPECT_NEAR(armature.coordinate[k], weight(k < 3 ? h * 2 / 2 : 0), 1e-15) << k << ": the least of a ball";
    EXPECT_NEAR(rows.coordinate[k], weight(h * own[k] / inertia[k]), 1e-15) << k << ": each has a row";
  }
  ASSERT_EQ(rows.spring.size(), 2u);
  EXPECT_NEAR(rows.spring[0], weight((h * h * 30 + h * 2) / 2), 1e-15);
  EXPECT_NEAR(rows.spring[1], weight((h * h * 30 + h * 2) * (1. / 2 + 1. / 5)), 1e-15);
  EXPECT_NEAR(mobility_of(model, model.springs()[1]), 0.7, 1e-15);
}

}  // namespace
}  // namespace linchpin

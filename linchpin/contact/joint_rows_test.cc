#include "linchpin/contact/joint_rows.h"

#include <cmath>

#include "linchpin/contact/step_rows.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/model/testing.h"

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

}  // namespace
}  // namespace linchpin

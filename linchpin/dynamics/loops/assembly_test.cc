#include "linchpin/dynamics/loops/assembly.h"

#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/loops/constraint_testing.h"

namespace linchpin {
namespace {

// A planar arm of n rods of 0.5 m whose tip is pinned at (x, 0).
Model pinned_arm(int links, double x, LoopType type = LoopType::point_on_line) {
  ModelSpec spec = scene("@planar_arm:links=" + std::to_string(links)).value();
  LoopSpec loop;
  loop.type = type;
  loop.a = {"world", translation(x, 0, 0)};
  loop.b = {spec.bodies.back().name, translation(0.5, 0, 0)};
  spec.constraints = {{"tip", loop}};
  return compile(spec).value();
}

Vec3<double> tip_of(const Model& model, const State& state) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  return frame_pose(model, kin, model.find_frame("tip")).p;
}

// Two equal sides over a base: the angles are those of the triangle.
TEST(Assembly, ClosesATriangle) {
  const Model model = pinned_arm(2, 0.6);
  State state = make_state(model);
  state.q = {0.5, -1.5};
  state.v = {1, 1};
  const AssemblyReport report = assemble(model, state);
  ASSERT_TRUE(report.closed()) << to_string(report.status);
  EXPECT_EQ(report.tries, 1);
  const double base = std::acos(0.3 / 0.5);
  EXPECT_NEAR(state.q[0], base, 1e-11);
  EXPECT_NEAR(state.q[1], -2 * base, 1e-11);
  EXPECT_NEAR(state.v[0], 0, 1e-12);  // a triangle is rigid
  EXPECT_NEAR(state.v[1], 0, 1e-12);
}

// Straight out, every step along the arm is impossible to first order: a saddle.
TEST(Assembly, LeavesASaddle) {
  const Model model = pinned_arm(3, 0.7);
  State state = make_state(model);
  const AssemblyReport report = assemble(model, state);
  ASSERT_TRUE(report.closed()) << to_string(report.status);
  EXPECT_GT(report.tries, 1);
  EXPECT_LE(norm(tip_of(model, state) - Vec3<double>{0.7, 0, 0}), 1e-12);
}

TEST(Assembly, SaysWhatCannotBeClosedAndLeavesTheStateAlone) {
  const Model model = pinned_arm(2, 1.25);  // 0.25 m out of reach
  State state = make_state(model);
  state.q = {0.4, 0.3};
  const State before = state;
  const AssemblyReport report = assemble(model, state);
  EXPECT_EQ(report.status, AssemblyStatus::not_closed);
  EXPECT_EQ(report.worst, "tip");
  EXPECT_NEAR(report.error, 0.25, 1e-6);  // stretched out towards it
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.v, before.v);
}

TEST(Assembly, HoldsWhatItIsToldToHold) {
  const Model model = pinned_arm(3, 0.7);
  State state = make_state(model);
  state.time = 2;
  state.q = {0.9, -1, -1};
  state.v = {0.5, 0, 0};
  ASSERT_TRUE(assemble(model, state, {.held = {0}}).closed());
  EXPECT_NEAR(state.q[0], 0.9, 1e-12);
  EXPECT_NEAR(state.v[0], 0.5, 1e-12);
  EXPECT_LE(norm(tip_of(model, state) - Vec3<double>{0.7, 0, 0}), 1e-12);
  // Held where the rest cannot reach: the elbow 0.5 m the other way leaves 1.2 m for two rods of 0.5.
  State away = make_state(model);
  away.q[0] = std::numbers::pi;
  const AssemblyReport report = assemble(model, away, {.tries = 2, .held = {0}});
  EXPECT_EQ(report.status, AssemblyStatus::not_closed);
}

// From orientations far off, past a right angle and half a turn: welds must not close the wrong way round.
TEST(Assembly, TurnsTheShortWayNotOver) {
  const Model bare = model_of("@free_body");
  for (const LoopType type : {LoopType::weld, LoopType::pin, LoopType::parallel, LoopType::cylinder})
    for (int k = 0; k < 20; ++k) {
      LoopSpec loop;
      loop.type = type;
      loop.a = random_frame("world", std::uint64_t(100 + k));
      loop.b = random_frame(bare.bodies()[1].name, std::uint64_t(200 + k));
      const Model model = with_constraints("@free_body", {{"loop", loop}});
      State state = random_state(model, std::uint64_t(k), 1, 0);
      const AssemblyReport report = assemble(model, state);
      ASSERT_TRUE(report.closed()) << to_string(type) << k << " off by " << report.error;
      const Plan<double> plan(model);
      Kinematics<double> kin(plan);
      kinematics<double>(plan, state.q, kin);
      const Mat3<double> R = transpose(loop.a.X_BF.R) * (body_pose(model, kin, 1).R * loop.b.X_BF.R);
      EXPECT_NEAR(R.z.z, 1, 1e-11) << to_string(type) << k;
      if (type == LoopType::weld || type == LoopType::parallel) {
        EXPECT_NEAR(R.x.x, 1, 1e-11) << to_string(type) << k;
      }
    }
}

TEST(Assembly, ContradictoryMotionIsNamed) {
  ModelSpec spec = scene("@simple_pendulum").value();
  const std::string joint = spec.joints.front().name;
  spec.constraints = {prescribed("slow", joint, {.polynomial = {0, 1}}),
                      prescribed("fast", joint, {.polynomial = {0, 2}})};
  const Model model = compile(spec).value();
  State state = make_state(model);
  EXPECT_EQ(assemble(model, state).status, AssemblyStatus::velocities_contradict);
  state.time = 1;  // then they contradict in position
  EXPECT_EQ(assemble(model, state).status, AssemblyStatus::not_closed);
  state.q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(assemble(model, state).status, AssemblyStatus::not_finite);
  EXPECT_THROW(assemble(model, state, {.held = {7}}), CheckFailed);
}

}  // namespace
}  // namespace linchpin

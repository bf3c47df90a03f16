// Dragging: goals are reached, or approached as far as possible, and constraints are kept.
#include "linchpin/sim/drag.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/contact/contact_set.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

Vec3<double> place(const Model& model, const State& state, const DragGoal& goal) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  return body_pose(model, kin, goal.body) * goal.point_B;
}

// The tip of a chain reaches its position in another posture, with both formulations.
TEST(Drag, ReachesWhatCanBeReached) {
  const Model model = model_of("@chain:links=12");
  State elsewhere = make_state(model);
  for (std::size_t k = 0; k < elsewhere.q.size(); ++k) elsewhere.q[k] = 0.2 * std::sin(double(k));
  DragGoal goal{.body = int(model.bodies().size()) - 1, .point_B = {0.1, 0, 0}};
  goal.goal_W = place(model, elsewhere, goal);
  State ends[2];
  const Method methods[] = {Method::multipliers, Method::os};
  for (std::size_t i = 0; i < 2; ++i) {
    Drag drag(model, {.method = methods[i]});
    ends[i] = make_state(model);
    const DragReport report = drag.settle(ends[i], {&goal, 1});
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_TRUE(report.there) << report.distance;
    EXPECT_LT(norm(place(model, ends[i], goal) - goal.goal_W), 1e-9);
  }
  EXPECT_EQ(Drag(model).method(), Method::multipliers);
  for (std::size_t k = 0; k < ends[0].q.size(); ++k) EXPECT_NEAR(ends[0].q[k], ends[1].q[k], 1e-7);  // the same path
}

// A pendulum of two equal rods with a goal out of reach: it stretches towards the goal.
TEST(Drag, PointsAtWhatIsOutOfReach) {
  const Model model = model_of("@planar_chain:links=2");
  const int tip = int(model.bodies().size()) - 1;
  Drag drag(model);
  EXPECT_EQ(drag.method(), Method::os);  // its rods have no thickness
  State state = make_state(model);
  state.q[0] = 0.3, state.q[1] = 0.4;
  const DragGoal end{.body = tip, .point_B = {0, 0, 0}};
  State straight = make_state(model);
  const Vec3<double> reach_at = place(model, straight, end), base{0, 0, 0};
  const double reach = norm(reach_at - base);
  DragGoal goal = end;
  goal.goal_W = 3.0 * reach_at;
  const DragReport report = drag.settle(state, {&goal, 1}, 5000);
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_FALSE(report.there);
  EXPECT_NEAR(report.distance, 2 * reach, 1e-6 * reach);  // the error is quadratic in that of the angles
  EXPECT_NEAR(norm(place(model, state, end)), reach, 1e-6 * reach);
}

// Loops stay closed, and a body of a loop reaches its goal.
TEST(Drag, KeepsLoopsClosed) {
  const Model model = model_of("@four_bar");
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  State state = make_state(model);
  Drag drag(model);
  DragGoal goal{.body = 1, .point_B = {0.1, 0.1, 0}};
  // The goal is its position after a turn of the first joint, found by projection onto the loop.
  State turned = state;
  turned.q[0] += 0.3;
  project_position(turned.q, 0, 1e-12, chain);
  goal.goal_W = place(model, turned, goal);
  const DragReport report = drag.settle(state, {&goal, 1});
  EXPECT_TRUE(report.there) << report.distance;
  place_chain(state.q, state.v, 0, chain);
  for (const double g : chain.rows.error) EXPECT_LT(std::abs(g), 1e-10);
}

// A joint stops at its limit, and the others move on.
TEST(Drag, KeepsLimits) {
  ModelSpec spec = scene("@chain:links=6").value();
  for (JointSpec& joint : spec.joints) joint.dofs = {DofSpec{.lower = -0.25, .upper = 0.25}};
  const Model model = compile(spec).value();
  State state = make_state(model);
  DragGoal goal{.body = int(model.bodies().size()) - 1};
  goal.goal_W = place(model, state, goal) + Vec3<double>{5, 5, 5};
  Drag drag(model);
  double before = 1e300;
  bool pressed = false;
  for (int i = 0; i < 100; ++i) {
    const DragReport report = drag.step(state, {&goal, 1});
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_LE(report.distance, before + 1e-9);
    before = report.distance;
    for (const double q : state.q) {
      EXPECT_LE(std::abs(q), 0.25 + 1e-12);
      pressed = pressed || std::abs(q) > 0.25 - 1e-9;
    }
  }
  EXPECT_TRUE(pressed);
}

// A ball joint turns towards the goal up to its limit.
TEST(Drag, KeepsTheAngleOfABall) {
  ModelSpec spec;
  BodySpec rod;
  rod.name = "rod";
  rod.inertia = {1, {0.5, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1)};
  spec.bodies.push_back(rod);
  JointSpec ball = joint("ball", JointType::ball, "world", "rod");
  ball.dofs.assign(3, DofSpec{.upper = 0.6});
  spec.joints.push_back(ball);
  const Model model = compile(spec).value();
  State state = make_state(model);
  DragGoal goal{.body = 1, .point_B = {1, 0, 0}, .goal_W = {0, 0, 1}};  // a right angle away
  Drag drag(model);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(drag.step(state, {&goal, 1}).ok());
    EXPECT_LE(2 * std::acos(std::min(1.0, state.q[0])), 0.6 + 1e-9);
  }
  const Vec3<double> tip = place(model, state, goal);
  EXPECT_NEAR(tip.x, std::cos(0.6), 1e-6);
  EXPECT_NEAR(tip.z, std::sin(0.6), 1e-6);
}

// A ball whose goal is below the floor stays on the floor.
TEST(Drag, StaysOutOfOtherBodies) {
  const Model model = model_of("@bounce");
  State state = make_state(model);
  const int ball = int(model.bodies().size()) - 1;
  DragGoal goal{.body = ball};
  goal.goal_W = place(model, state, goal) + Vec3<double>{0.3, 0, -5};
  DragOptions options;
  options.largest_turn = 0.5;
  Drag drag(model, options);
  const DragReport report = drag.settle(state, {&goal, 1}, 200);
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_GT(report.contacts, 0);
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  const ContactPlan contacts(model);
  ContactSet set(contacts);
  find_contacts(model, contacts, kin, vel, 1, set);
  ASSERT_FALSE(set.contacts.empty());
  for (const Contact& c : set.contacts) EXPECT_GT(c.gap, -1e-6);
  EXPECT_NEAR(place(model, state, goal).x, goal.goal_W.x, 1e-6);
}

TEST(Drag, SaysWhatIsNoGoal) {
  const Model model = model_of("@chain:links=3");
  State state = make_state(model);
  Drag drag(model);
  DragGoal goal{.body = 3, .goal_W = {std::nan(""), 0, 0}};
  const State before = state;
  EXPECT_FALSE(drag.step(state, {&goal, 1}).ok());
  EXPECT_EQ(state.q, before.q);
}

}  // namespace
}  // namespace linchpin

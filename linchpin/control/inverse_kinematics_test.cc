#include "linchpin/control/inverse_kinematics.h"

#include "linchpin/base/check.h"
#include "linchpin/base/check_testing.h"
#include "linchpin/control/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

bool inside_limits(const Model& model, const std::vector<double>& q) {
  for (const Link& link : model.links())
    if (link.nv == 1) {
      const DofSpec& dof = model.dofs()[link.v];
      const double x = q[link.q];
      if (!(x >= dof.lower && x <= dof.upper)) return false;
    }
  return true;
}

// A random configuration within the limits, at rest.
State state_inside(const Model& model, std::uint64_t seed, double part = 0.4) {
  return bent_state(model, seed, 0, part);
}

struct Wanted {
  std::string scene;
  std::vector<std::string> frames;
};

// Reachable poses, from near and distant configurations; floating bases included.
TEST(InverseKinematics, ReachesWhatIsKnownToBePossible) {
  int reached = 0, tried = 0;
  for (const Wanted& w : {Wanted{"@dual_arm", {"left_hand", "right_hand"}},
                          Wanted{"@humanoid", {"left_hand", "right_hand", "left_foot", "right_foot"}},
                          Wanted{"@humanoid24", {"left_hand"}}, Wanted{"@quadruped", {}}}) {
    const Model model = model_of(w.scene);
    std::vector<FrameGoal> goals;
    for (const std::string& frame : w.frames) goals.push_back({.node = node_at(model, frame)});
    if (w.frames.empty())
      for (const Frame& frame : model.frames())
        if (frame.name.ends_with("foot")) goals.push_back({.node = {frame.body, frame.X_BF}, .rows = position_rows()});
    InverseKinematics solver(model, goals, {.restarts = 20});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const State known = state_inside(model, seed);
      const Equations there(model, known);
      std::vector<Transform<double>> X;
      for (const FrameGoal& goal : goals) X.push_back(there.pose(goal.node));
      std::vector<double> q = state_inside(model, seed + 100).q;
      const InverseKinematicsReport report = solver.solve(X, q);
      ++tried;
      EXPECT_TRUE(inside_limits(model, q));
      if (!report.ok()) continue;
      ++reached;
      State found = known;
      found.q = q;
      const Equations here(model, found);
      for (std::size_t g = 0; g < goals.size(); ++g) {
        EXPECT_LT(norm(here.pose(goals[g].node).p - X[g].p), 1e-8);
        if (goals[g].rows.size() == 6) {
          EXPECT_LT(norm(log_rotation(from_rotation(transpose(here.pose(goals[g].node).R) * X[g].R))), 1e-8);
        }
        EXPECT_LT(report.errors[g].position, 1e-8);
      }
    }
  }
  EXPECT_EQ(reached, tried);  // all of them, with restarts
}

TEST(InverseKinematics, FromNearbyItTakesFewSteps) {
  const Model model = model_of("@dual_arm");
  InverseKinematics solver(model, {{.node = node_at(model, "left_hand")}});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const State known = state_inside(model, seed);
    const Transform<double> X = Equations(model, known).pose(node_at(model, "left_hand"));
    std::vector<double> q = known.q;
    const std::vector<double> off = random_numbers(q.size(), seed, 0.1);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += off[k];
    const InverseKinematicsReport report = solver.solve({&X, 1}, q);
    EXPECT_TRUE(report.ok()) << seed;
    EXPECT_LE(report.iterations, 15) << seed;
  }
}

// Trees with balls, slides, screws and free joints.
TEST(InverseKinematics, WorksOnEveryKindOfJoint) {
  int reached = 0;
  for (int tree = 1; tree <= 10; ++tree) {
    const Model model = model_of("@random_tree:bodies=20,seed=" + std::to_string(tree));
    const Node node{20, {to_rotation(exp_rotation(Vec3<double>{0.2, 0.5, 1})), {0.1, 0.2, -0.1}}};
    const State known = state_inside(model, 1);
    const Transform<double> X = Equations(model, known).pose(node);
    std::vector<double> q = state_inside(model, 2).q;
    InverseKinematics solver(model, {{.node = node}}, {.restarts = 10});
    const InverseKinematicsReport report = solver.solve({&X, 1}, q);
    EXPECT_TRUE(inside_limits(model, q));
    reached += report.ok();
    if (!report.ok()) {
      EXPECT_EQ(report.worst_goal, 0);
    }
  }
  EXPECT_EQ(reached, 10);
}

// The planar arm of two rods of length 1, by hand: elbow from the law of cosines.
Model two_rods(double lower, double upper) {
  ModelSpec spec;
  for (int i = 0; i < 2; ++i) {
    BodySpec rod{.name = i ? "b" : "a", .inertia = {}, .geometry = {}};
    add_solid(rod, Box{{0.5, 0.05, 0.05}}, 1, translation(0.5, 0, 0));
    spec.bodies.push_back(rod);
    JointSpec joint;
    joint.name = i ? "elbow" : "shoulder";
    joint.parent = i ? "a" : "world";
    joint.child = rod.name;
    if (i) joint.X_PF = translation(1, 0, 0);
    joint.dofs = {DofSpec{}};
    if (i) joint.dofs[0].lower = lower, joint.dofs[0].upper = upper;
    spec.joints.push_back(joint);
  }
  return compile(spec).value();
}
FrameGoal tip_in_plane() {
  return {.node = {2, translation(1, 0, 0)}, .rows = {position_row({1, 0, 0}), position_row({0, 1, 0})}};
}
struct TwoRods {
  Model model = two_rods(-3, 3);
  InverseKinematics solver{model, {tip_in_plane()}};
};

TEST(InverseKinematics, TwoRodsByTheLawOfCosines) {
  TwoRods rods;
  const Transform<double> X = translation(0.5, 1.2, 0);
  const double elbow = std::acos((0.25 + 1.44 - 2) / 2);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> q{0.3, sign * 0.5};
    const InverseKinematicsReport report = rods.solver.solve({&X, 1}, q);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.start, 0);
    EXPECT_EQ(report.worst_goal, -1);
    EXPECT_NEAR(std::abs(q[1]), elbow, 1e-8);
    EXPECT_LE(report.iterations, 12);
  }
}

// Out of reach: it stretches towards the goal and reports the remaining error.
TEST(InverseKinematics, OutOfReachItStretchesAndSaysSo) {
  TwoRods rods;
  const Transform<double> X = translation(0, 2.5, 0);
  std::vector<double> q{0.3, 0.5};
  const InverseKinematicsReport report = rods.solver.solve({&X, 1}, q);
  EXPECT_EQ(report.status, InverseKinematicsStatus::not_reached);
  EXPECT_NEAR(report.errors[0].position, 0.5, 1e-9);
  EXPECT_EQ(report.worst_goal, 0);
  EXPECT_TRUE(report.limits.empty());
  EXPECT_NEAR(q[0], std::acos(-1.0) / 2, 1e-4);
  EXPECT_NEAR(q[1], 0, 1e-4);
}

// A report that nobody has filled in claims nothing.
TEST(InverseKinematics, AnEmptyReport) {
  const InverseKinematicsReport report;
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.start, 0);
  EXPECT_EQ(report.worst_goal, -1);
  EXPECT_TRUE(report.errors.empty() && report.limits.empty());
}

// At the boundary of the workspace, where the Jacobian is singular.
TEST(InverseKinematics, ReachesTheBorder) {
  TwoRods rods;
  const Transform<double> X = translation(0, 2, 0);
  std::vector<double> q{0.3, 0.5};
  const InverseKinematicsReport report = rods.solver.solve({&X, 1}, q);
  EXPECT_TRUE(report.ok()) << report.errors[0].position << " after " << report.iterations;
  // from the singular configuration, straight towards the goal: no first-order step leads there
  const Transform<double> inside = translation(1.5, 0, 0);
  q = {0, 0};
  InverseKinematics again(rods.model, {tip_in_plane()}, {.restarts = 3});
  const InverseKinematicsReport second = again.solve({&inside, 1}, q);
  EXPECT_TRUE(second.ok());
  EXPECT_GT(second.start, 0);
}

TEST(InverseKinematics, StaysInsideLimitsAndNamesTheOneInTheWay) {
  const Model model = two_rods(0.2, 1);
  InverseKinematics solver(model, {tip_in_plane()});
  // the elbow may not bend beyond 1 rad: the tip comes no nearer than this
  const double nearest = std::sqrt(2 + 2 * std::cos(1.0));
  const Transform<double> X = translation(0, 1, 0);
  std::vector<double> q{0, 5};  // starts outside
  const InverseKinematicsReport report = solver.solve({&X, 1}, q);
  EXPECT_EQ(report.status, InverseKinematicsStatus::not_reached);
  EXPECT_NEAR(report.errors[0].position, nearest - 1, 1e-8);
  ASSERT_EQ(report.limits.size(), 1u);
  EXPECT_EQ(report.limits[0], 1);
  EXPECT_EQ(q[1], 1);
  // at the other limit
  const Transform<double> far = translation(0, 2, 0);
  const InverseKinematicsReport other = solver.solve({&far, 1}, q);
  EXPECT_NEAR(other.errors[0].position, 2 - std::sqrt(2 + 2 * std::cos(0.2)), 1e-8);
  ASSERT_EQ(other.limits.size(), 1u);
  EXPECT_EQ(q[1], 0.2);
  // a limit that is active only at the start is released
  const Transform<double> within = translation(0, std::sqrt(2 + 2 * std::cos(0.7)), 0);
  EXPECT_TRUE(solver.solve({&within, 1}, q).ok());
  EXPECT_NEAR(q[1], 0.7, 1e-7);
}

// Three slides along x, y and z, with limits. The nearest point of the box to the goal is reached; the limits in the
// way are listed by the distance that they leave, and one that leaves a billionth of the others is not in the way.
TEST(InverseKinematics, LimitsInTheWayByTheirWeight) {
  ModelSpec spec;
  for (int i = 0; i < 3; ++i) {
    const std::string name(1, "xyz"[i]);
    BodySpec body{.name = name, .inertia = {.mass = 1}, .geometry = {}};
    add_solid(body, Box{{0.1, 0.1, 0.1}}, 1, Transform<double>::identity());
    spec.bodies.push_back(body);
    JointSpec slide = joint("along_" + name, JointType::prismatic, i ? std::string(1, "xyz"[i - 1]) : "world", name);
    slide.axis = {double(i == 0), double(i == 1), double(i == 2)};
    slide.dofs = {DofSpec{.lower = -1, .upper = 2}};
    spec.joints.push_back(slide);
  }
  const Model model = compile(spec).value();
  InverseKinematics solver(model, {{.node = {3, Transform<double>::identity()}, .rows = position_rows()}});
  struct Case {
    Vec3<double> goal;
    std::vector<double> q;
    std::vector<int> limits;
    double error;
  };
  for (const Case& c : {Case{{5, 6, 0.5}, {2, 2, 0.5}, {1, 0}, 5},
                        {{6, 5, 0.5}, {2, 2, 0.5}, {0, 1}, 5},
                        {{-5, 0, 5}, {-1, 0, 2}, {0, 2}, 5},
                        {{5, 2 + 1e-9, -1 - 1e-9}, {2, 2, -1}, {0}, 3},
                        {{-3, -4, -5}, {-1, -1, -1}, {2, 1, 0}, std::sqrt(4.0 + 9 + 16)}}) {
    const Transform<double> X{Mat3<double>::identity(), c.goal};
    std::vector<double> q{0.1, 0.2, 0.3};
    const InverseKinematicsReport report = solver.solve({&X, 1}, q);
    EXPECT_EQ(report.status, InverseKinematicsStatus::not_reached);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(q[k], c.q[k], 1e-7);
    EXPECT_EQ(std::vector<int>(report.limits.begin(), report.limits.end()), c.limits) << c.goal.x << " " << c.goal.y;
    EXPECT_NEAR(report.errors[0].position, c.error, 1e-7);
    EXPECT_EQ(report.errors[0].rotation, 0);
  }
}

// Selected rows of a rotation, with a large error: the derivative of the logarithm is exact, so it converges fast.
TEST(InverseKinematics, RowsOfRotationsAndTheGoalsAxes) {
  const Model model = model_of("@dual_arm");
  const Node hand = node_at(model, "right_hand");
  const State known = state_inside(model, 5);
  const Transform<double> X = Equations(model, known).pose(hand);
  // the palm's axis has the goal's direction, and its origin is on the line along that axis
  InverseKinematics solver(model,
                           {{.node = hand,
                             .rows = {orientation_row({1, 0, 0}), orientation_row({0, 1, 0}), position_row({1, 0, 0}),
                                      position_row({0, 1, 0})},
                             .axes = Axes::node}},
                           {.restarts = 5});
  std::vector<double> q = state_inside(model, 6).q;
  ASSERT_TRUE(solver.solve({&X, 1}, q).ok());
  State found = known;
  found.q = q;
  const Transform<double> here = Equations(model, found).pose(hand);
  const Vec3<double> off = transpose_times(X.R, here.p - X.p);
  EXPECT_LT(std::hypot(off.x, off.y), 1e-8);
  const Vec3<double> turn = transpose_times(X.R, here.R * log_rotation(from_rotation(transpose(here.R) * X.R)));
  EXPECT_LT(std::hypot(turn.x, turn.y), 1e-8);
}

// If goals cannot be met, the result is a least-squares solution: by finite differences, no free coordinate improves
// it. With selected rows of a rotation this tests the derivative of the logarithm.
TEST(InverseKinematics, WhatIsMissedIsMissedByTheLeast) {
  const Model model = model_of("@dual_arm");
  const Node hand = node_at(model, "left_hand");
  const std::vector<Row> rows{orientation_row({1, 0, 0}), orientation_row({0, 0.8, 0.6}), position_row({0, 0, 1}),
                              position_row({0, 1, 0}), position_row({1, 0, 0})};
  InverseKinematics solver(model, {{.node = hand, .rows = rows}}, {.max_iterations = 2000});
  int turned = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    State state = state_inside(model, seed, 0.3);
    const Transform<double> X{to_rotation(exp_rotation(Vec3<double>{0.4, 2.0, -0.9})), {0.3 * double(seed), 0.6, 3.0}};
    const InverseKinematicsReport report = solver.solve({&X, 1}, state.q);
    ASSERT_EQ(report.status, InverseKinematicsStatus::not_reached) << seed;
    turned += report.errors[0].rotation > 0.1;
    const auto cost = [&](const State& s) {
      const Transform<double> here = Equations(model, s).pose(hand);
      const Vector e = six(Motion<double>{here.R * log_rotation(from_rotation(transpose(here.R) * X.R)), X.p - here.p});
      return (row_matrix(rows, Axes::world, here.R) * e).squaredNorm() / 2;
    };
    for (std::size_t k = 0; k < state.q.size(); ++k) {
      State up = state, down = state;
      up.q[k] += 1e-5;
      down.q[k] -= 1e-5;
      const double slope = (cost(up) - cost(down)) / 2e-5;
      if (state.q[k] <= model.dofs()[k].lower) {
        EXPECT_GT(slope, -1e-6) << seed << " " << k;
      } else if (state.q[k] >= model.dofs()[k].upper) {
        EXPECT_LT(slope, 1e-6) << seed << " " << k;
      } else {
        EXPECT_NEAR(slope, 0, 1e-6) << seed << " " << k;
      }
    }
  }
  EXPECT_GE(turned, 2);  // otherwise the rotation was not tested
}

// Of contradictory goals the one with the larger weight wins; the report names the other.
TEST(InverseKinematics, WeightsAndTheGoalThatIsMissed) {
  const Model model = two_rods(-3, 3);
  FrameGoal light = tip_in_plane(), heavy = tip_in_plane();
  heavy.weight = 1000;
  InverseKinematics solver(model, {light, heavy});
  const std::vector<Transform<double>> X{translation(0, 1, 0), translation(1, 0.5, 0)};
  std::vector<double> q{0.1, 0.5};
  const InverseKinematicsReport report = solver.solve(X, q);
  EXPECT_FALSE(report.ok());
  EXPECT_LT(report.errors[1].position, 1e-5);
  EXPECT_NEAR(report.errors[0].position, std::sqrt(1.25), 1e-4);
  EXPECT_EQ(report.worst_goal, 0);
}

TEST(InverseKinematics, SameBitsTwiceAndAfterOtherProblems) {
  const Model model = model_of("@humanoid");
  const std::vector<FrameGoal> goals{{.node = node_at(model, "left_hand")}, {.node = node_at(model, "right_foot")}};
  InverseKinematics fresh(model, goals, {.restarts = 2}), used(model, goals, {.restarts = 2});
  const auto poses = [&](std::uint64_t seed) {
    const Equations eq(model, state_inside(model, seed));
    return std::vector<Transform<double>>{eq.pose(goals[0].node), eq.pose(goals[1].node)};
  };
  std::vector<double> other = state_inside(model, 9).q;
  used.solve(poses(8), other);
  std::vector<double> a = state_inside(model, 1).q, b = a;
  fresh.solve(poses(2), a);
  used.solve(poses(2), b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i]));
}

TEST(InverseKinematics, SaysWhatDoesNotFit) {
  TwoRods rods;
  const auto message = [&](std::vector<Transform<double>> X, std::vector<double> q) {
    return failed_check([&] { rods.solver.solve(X, q); });
  };
  const double nan = std::nan("");
  EXPECT_EQ(message({}, {0, 0}), "0 poses, there are 1 goals");
  EXPECT_EQ(message({translation(0, 1, 0)}, {0}), "q has 1 numbers, the model needs 2");
  EXPECT_EQ(message({translation(0, 1, 0)}, {0, nan}), "q[1] is nan");
  EXPECT_EQ(message({translation(0, nan, 0)}, {0, 0}), "the pose of goal 0 has an origin at a distance of nan");
  EXPECT_EQ(message({{{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}}, {0, 0}),
            "the pose of goal 0 is off a rotation by 4");
  EXPECT_THROW(InverseKinematics(rods.model, {{.node = {7, translation(0, 0, 0)}}}), CheckFailed);
  FrameGoal weightless = tip_in_plane();
  weightless.weight = 0;
  EXPECT_THROW(InverseKinematics(rods.model, {weightless}), CheckFailed);
  EXPECT_THROW(InverseKinematics(rods.model, {tip_in_plane()}, {.max_iterations = 0}), CheckFailed);
  const Model top = model_of("@top");
  InverseKinematics of_top(top, {{.node = {.body = 1}, .rows = orientation_rows()}});
  std::vector<double> no_rotation(4, 0.0);
  const Transform<double> anywhere = translation(0, 0, 0);
  EXPECT_THROW(of_top.solve({&anywhere, 1}, no_rotation), CheckFailed);
  // no goals: nothing to do
  InverseKinematics idle(rods.model, {});
  std::vector<double> q{1, 2};
  EXPECT_TRUE(idle.solve({}, q).ok());
  EXPECT_EQ(q, (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace linchpin

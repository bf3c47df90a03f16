#include "linchpin/control/operational_space.h"

#include "linchpin/base/check.h"
#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/control/testing.h"
#include "linchpin/model/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

std::vector<FrameDemand> random_demands(std::size_t count, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(6 * count, seed, 5);
  std::vector<FrameDemand> demands(count);
  for (std::size_t i = 0; i < count; ++i) demands[i].acceleration = motion_from(&x[6 * i]);
  return demands;
}

Node tip(int body) {
  return {body, {to_rotation(normalized(Quaternion<double>{0.9, 0.1, -0.3, 0.2})), {0.05, -0.1, 0.2}}};
}

std::vector<int> base_coordinates() { return {0, 1, 2, 3, 4, 5}; }

struct Tasked {
  std::string scene;
  std::vector<FrameTask> tasks;
};
std::vector<Tasked> tasked_scenes() {
  std::vector<Tasked> scenes;
  {
    const Model m = model_of("@humanoid24");  // ten coordinates move the hands
    scenes.push_back({"@humanoid24",
                      {{.node = node_at(m, "left_hand"), .rows = position_rows()},
                       {.node = node_at(m, "right_hand"), .rows = position_rows()},
                       {.node = node_at(m, "head"), .rows = orientation_rows(), .level = 1}}});
  }
  {
    const Model m = model_of("@dual_arm");
    scenes.push_back(
        {"@dual_arm", {{.node = node_at(m, "left_hand")}, {.node = node_at(m, "right_hand"), .axes = Axes::node}}});
  }
  {
    const Model m = model_of("@humanoid");
    scenes.push_back(
        {"@humanoid",
         {{.node = node_at(m, "left_foot")},
          {.node = node_at(m, "right_foot")},
          {.node = node_at(m, "left_hand"), .level = 1},
          {.node = node_at(m, "right_hand"), .rows = {position_row({0, 0.6, 0.8})}, .axes = Axes::node, .level = 2}}});
  }
  {
    const Model m = model_of("@chain:links=30");
    scenes.push_back({"@chain:links=30", {{.node = tip(30)}, {.node = tip(17), .rows = position_rows(), .level = 2}}});
  }
  for (int seed = 1; seed <= 6; ++seed) {
    const std::string name = "@random_tree:bodies=30,seed=" + std::to_string(seed);
    const Model m = model_of(name);
    scenes.push_back({name,
                      {{.node = tip(30), .rows = position_rows()},
                       {.node = tip(15), .rows = {position_row({0, 0, 1})}, .level = 1}}});
  }
  return scenes;
}

// Row by row: achieved minus demanded accelerations.
double worst_error(const Model& model, const State& state, const std::vector<FrameTask>& tasks,
                   const std::vector<FrameDemand>& demands, const std::vector<double>& vdot, int upto_level = 1000) {
  const Equations eq(model, state);
  double worst = 0;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].level > upto_level) continue;
    const DenseMatrix R = row_matrix(tasks[t].rows, tasks[t].axes, eq.pose(tasks[t].node).R);
    const Vector off = eq.acceleration(tasks[t].node, vector_of(vdot)) - six(demands[t].acceleration);
    worst = larger(worst, max_abs(R * off));
  }
  return worst;
}

TEST(OperationalSpace, TasksAccelerateAsDemanded) {
  int complete = 0;
  for (const Tasked& s : tasked_scenes()) {
    const Model model = model_of(s.scene);
    OperationalSpace control(model, s.tasks);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const State state = bent_state(model, seed);
      const std::vector<FrameDemand> demands = random_demands(s.tasks.size(), seed);
      const std::vector<double> posture = random_numbers(state.v.size(), seed + 9, 10);
      std::vector<double> tau(state.v.size());
      control.update(state.q, state.v);
      const OperationalSpaceReport report = control.torques(demands, {.posture = posture}, tau);
      ASSERT_TRUE(report.ok());
      bool full = true;
      for (const LevelReport& level : report.levels) full = full && level.rank == level.rows;
      if (!full) continue;  // a tree whose body cannot move as demanded
      ++complete;
      const std::vector<double> vdot = moved_by(model, state, tau);
      // accelerations of tens; aba's own forward error grows with cond(M), 1e6 for the chain
      EXPECT_LT(worst_error(model, state, s.tasks, demands, vdot), 1e-9 * (10 + largest(vdot)))
          << s.scene << " " << seed;
    }
  }
  EXPECT_GE(complete, 40);
}

// The law as in the papers, with every matrix formed:
// tau = J' Lambda (a - Jdot v) + h + (1 - J' Lambda J M^-1) M vdot_0.
TEST(OperationalSpace, IsTheLawWrittenOut) {
  for (const char* name : {"@humanoid24", "@dual_arm"}) {
    const Model model = model_of(name);
    const std::vector<FrameTask> tasks{{.node = node_at(model, "left_hand"), .rows = position_rows()},
                                       {.node = node_at(model, "right_hand"), .rows = position_rows()}};
    const State state = bent_state(model, 3);
    const std::vector<FrameDemand> demands = random_demands(2, 3);
    const std::vector<double> posture = random_numbers(state.v.size(), 4, 10);
    std::vector<double> tau(state.v.size());
    OperationalSpace control(model, tasks);
    control.update(state.q, state.v);
    control.torques(demands, {.posture = posture}, tau);

    const Equations eq(model, state);
    DenseMatrix J(6, model.nv());
    Vector a(6);
    for (int i = 0; i < 2; ++i) {
      J.middleRows(3 * i, 3) = eq.jacobian(tasks[i].node).bottomRows(3);
      a.segment(3 * i, 3) = (six(demands[i].acceleration) - eq.drift(tasks[i].node)).tail(3);
    }
    const DenseMatrix Jt = J.transpose(), MinvJt = solve_positive(eq.M, Jt), Lambda = inverse(J * MinvJt);
    const DenseMatrix one = DenseMatrix::Identity(model.nv(), model.nv()), N = one - Jt * Lambda * MinvJt.transpose();
    const Vector expected = Jt * Lambda * a + eq.h + N * (eq.M * vector_of(posture));
    EXPECT_LT(max_abs(vector_of(tau) - expected), 1e-10 * max_abs(expected)) << name;
    // and F
    const Vector F = Lambda * Vector(a - J * vector_of(posture));
    EXPECT_LT((six(control.task_force(1)).tail(3) - F.tail(3)).norm(), 1e-10 * F.norm()) << name;
  }
}

TEST(OperationalSpace, PostureActsWhereTasksDoNot) {
  const Model model = model_of("@dual_arm");
  const std::vector<FrameTask> tasks{{.node = node_at(model, "left_hand")}};
  const State state = bent_state(model, 7);
  const std::vector<FrameDemand> demands = random_demands(1, 7);
  OperationalSpace control(model, tasks);
  control.update(state.q, state.v);
  const std::vector<double> posture = random_numbers(state.v.size(), 8, 20);
  std::vector<double> without(state.v.size()), with(state.v.size()), by_force(state.v.size());
  control.torques(demands, {}, without);
  control.torques(demands, {.posture = posture}, with);
  const Equations eq(model, state);
  const std::vector<double> force = as_vector(eq.M * vector_of(posture));
  control.torques(demands, {.posture_force = force}, by_force);
  EXPECT_LT(largest_difference(with, by_force), 1e-9 * largest(with));

  const Vector change = vector_of(moved_by(model, state, with)) - vector_of(moved_by(model, state, without));
  EXPECT_LT((eq.jacobian(tasks[0].node) * change).norm(), 1e-9 * change.norm());
  EXPECT_GT(change.norm(), 10);  // the other arm and the head follow it
  // Nearest to the posture: the difference has no component in the null space of the task.
  const Vector missing = eq.M * Vector(vector_of(moved_by(model, state, with)) - vector_of(posture));
  const DenseMatrix J = eq.jacobian(tasks[0].node);
  const DenseMatrix kernel = kernel_of(J);
  EXPECT_LT((kernel.transpose() * missing).norm(), 1e-8 * missing.norm());
}

// Contradictory levels: the first is met fully, the second in what is left.
TEST(OperationalSpace, LowerLevelsNeverDisturbHigherOnes) {
  const Model model = model_of("@humanoid24");
  const Node left = node_at(model, "left_hand"), right = node_at(model, "right_hand");
  const std::vector<FrameTask> tasks{
      {.node = left, .rows = position_rows(), .level = 0},
      {.node = left, .rows = pose_rows(), .level = 1},   // three are met by level 0; a hand has six coordinates
      {.node = right, .rows = pose_rows(), .level = 2},  // four coordinates are left
      {.node = right, .rows = position_rows(), .level = 3},
  };
  OperationalSpace control(model, tasks);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const State state = bent_state(model, seed);
    std::vector<FrameDemand> demands = random_demands(4, seed);
    std::vector<double> tau(state.v.size()), other(state.v.size());
    control.update(state.q, state.v);
    const OperationalSpaceReport report = control.torques(demands, {}, tau);
    ASSERT_EQ(report.levels.size(), 4u);
    EXPECT_EQ(report.levels[0].rank, 3);
    EXPECT_EQ(report.levels[1].rank, 3);
    EXPECT_EQ(report.levels[2].rank, 4);
    EXPECT_EQ(report.levels[3].rank, 0);
    EXPECT_LT(report.levels[0].error, 1e-9);
    EXPECT_GT(report.levels[1].error, 1e-3);
    const std::vector<double> vdot = moved_by(model, state, tau);
    const double scale = 10 + largest(vdot);
    EXPECT_LT(worst_error(model, state, tasks, demands, vdot, 0), 1e-9 * scale);
    const Equations eq(model, state);
    // its rotation follows level 1
    const Vector got = eq.acceleration(left, vector_of(vdot));
    EXPECT_LT((got - six(demands[1].acceleration)).head(3).norm(), 1e-8 * scale);
    // level 2 does not affect the left hand
    demands[2].acceleration = motion_from(random_numbers(6, seed + 40, 50).data());
    control.torques(demands, {}, other);
    const Vector changed = vector_of(moved_by(model, state, other)) - vector_of(vdot);
    EXPECT_GT(changed.norm(), 1);
    EXPECT_LT((eq.jacobian(left) * changed).norm(), 1e-8 * changed.norm());
  }
}

// At zero both arms hang straight: no joint force accelerates a hand up or down.
TEST(OperationalSpace, SaysTheRankOfAStretchedArmAndStaysFinite) {
  const Model model = model_of("@humanoid24");
  const std::vector<FrameTask> tasks{{.node = node_at(model, "left_hand"), .rows = position_rows()},
                                     {.node = node_at(model, "right_hand"), .rows = position_rows()}};
  OperationalSpace control(model, tasks);
  const State state = make_state(model);
  control.update(state.q, state.v);
  std::vector<FrameDemand> demands(2);
  demands[0].acceleration.v = {1, 2, 0};
  demands[1].acceleration.v = {-1, 0, 0};
  std::vector<double> tau(state.v.size());
  const OperationalSpaceReport report = control.torques(demands, {}, tau);
  const Equations eq(model, state);
  DenseMatrix J(6, model.nv());
  for (int i = 0; i < 2; ++i) J.middleRows(3 * i, 3) = eq.jacobian(tasks[i].node).bottomRows(3);
  EXPECT_EQ(report.levels[0].rank, rank_of(J));
  EXPECT_EQ(report.levels[0].rank, 4);
  EXPECT_LT(largest(tau), 1000);
  demands[0].acceleration.v = demands[1].acceleration.v = {0, 0, 3};
  const OperationalSpaceReport up = control.torques(demands, {}, tau);
  EXPECT_LT(largest(tau), 5000);
  const Vector a = J * vector_of(moved_by(model, state, tau));  // at rest
  EXPECT_NEAR(largest({a[2] - 3, a[5] - 3}), up.levels[0].error, 1e-9);
}

TEST(OperationalSpace, ForcesFromOutsideAreMadeUpFor) {
  const Model model = model_of("@dual_arm");
  const std::vector<FrameTask> tasks{{.node = node_at(model, "left_hand")}, {.node = node_at(model, "right_hand")}};
  OperationalSpace control(model, tasks);
  const State state = bent_state(model, 2);
  const std::vector<FrameDemand> demands = random_demands(2, 2);
  const std::vector<double> f_ext = random_numbers(6 * model.bodies().size(), 5, 10);
  std::vector<double> tau(state.v.size());
  control.update(state.q, state.v);
  control.torques(demands, {.f_ext = f_ext}, tau);
  const std::vector<double> vdot = moved_by(model, state, tau, f_ext);
  EXPECT_LT(worst_error(model, state, tasks, demands, vdot), 1e-9 * (10 + largest(vdot)));
}

// A hand that presses on a wall: the wall prevents motion along the normal and reacts with the demanded force, while
// the hand moves along the wall as demanded. The wall is a constraint in a dense system that is independent of the law.
TEST(OperationalSpace, ExertsForcesWhileItMovesOtherwise) {
  const Model model = model_of("@dual_arm");
  const Node hand = node_at(model, "left_hand");
  const State state = bent_state(model, 4, 0);
  const Equations eq(model, state);
  const Vec3<double> normal{1, 0, 0};
  FrameDemand demand;
  demand.acceleration = {{1, -2, 0.5}, {0, 3, -4}};
  demand.exert.f = {25, 0, 0};
  std::vector<double> tau(state.v.size());
  OperationalSpace control(model, {{.node = hand}});
  control.update(state.q, state.v);
  control.torques({&demand, 1}, {}, tau);
  const DenseMatrix wall =
      row_matrix({position_row(normal)}, Axes::world, Mat3<double>::identity()) * eq.jacobian(hand);
  const Constrained moved = constrained_motion(eq.M, eq.h, vector_of(tau), wall, Vector::Zero(1));
  EXPECT_NEAR(moved.lambda[0], -25, 1e-8);
  EXPECT_LT((eq.acceleration(hand, moved.vdot) - six(demand.acceleration)).norm(), 1e-8);
}

// A robot in flight can move its limbs, but no force acts on its base.
TEST(OperationalSpace, InFlightTheBaseGetsNoForce) {
  const Model model = model_of("@quadruped");
  std::vector<FrameTask> tasks;
  for (const Frame& frame : model.frames())
    if (frame.name.ends_with("foot")) tasks.push_back({.node = {frame.body, frame.X_BF}, .rows = position_rows()});
  ASSERT_EQ(tasks.size(), 4u);
  OperationalSpace control(model, tasks, {.passive = base_coordinates()});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const State state = bent_state(model, seed);
    const std::vector<FrameDemand> demands = random_demands(4, seed);
    std::vector<double> tau(state.v.size());
    control.update(state.q, state.v);
    const OperationalSpaceReport report = control.torques(demands, {}, tau);
    EXPECT_EQ(report.held.rank, 6);
    EXPECT_EQ(report.levels[0].rank, 12);
    EXPECT_LT(report.uncarried, 1e-9 * largest(tau));
    for (const int k : base_coordinates()) EXPECT_EQ(tau[k], 0);
    const std::vector<double> vdot = moved_by(model, state, tau);
    EXPECT_LT(worst_error(model, state, tasks, demands, vdot), 1e-8 * (10 + largest(vdot))) << seed;
  }
}

// On its feet: supports are rows of a dense constrained system, and no force acts on the base.
void expect_to_stand(const std::string& scene, const std::vector<std::string>& feet, const std::vector<Row>& foot_rows,
                     const std::vector<FrameTask>& others, int held_rank) {
  const Model model = model_of(scene);
  std::vector<FrameTask> tasks;
  for (const std::string& foot : feet)
    tasks.push_back({.node = node_at(model, foot), .rows = foot_rows, .support = true});
  tasks.insert(tasks.end(), others.begin(), others.end());
  OperationalSpace control(model, tasks, {.passive = base_coordinates()});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const State state = bent_state(model, seed, 0);
    std::vector<FrameDemand> demands = random_demands(tasks.size(), seed);
    for (std::size_t i = 0; i < feet.size(); ++i) demands[i].acceleration = Motion<double>::zero();
    std::vector<double> tau(state.v.size());
    control.update(state.q, state.v);
    const std::vector<double> posture = random_numbers(state.v.size(), seed + 3);
    const OperationalSpaceReport report = control.torques(demands, {.posture = posture}, tau);
    EXPECT_EQ(report.held.rank, held_rank) << scene;
    EXPECT_EQ(report.held.rows, int(6 + feet.size() * foot_rows.size()));
    for (const LevelReport& level : report.levels) ASSERT_EQ(level.rank, level.rows) << scene << " " << seed;
    EXPECT_LT(report.uncarried, 1e-9 * largest(tau));
    for (const int k : base_coordinates()) EXPECT_EQ(tau[k], 0);

    const Equations eq(model, state);
    const Eigen::Index k = Eigen::Index(foot_rows.size());
    DenseMatrix J(k * Eigen::Index(feet.size()), model.nv());
    Vector pushed = Vector::Zero(model.nv());  // by supports, as expected by the law
    for (std::size_t i = 0; i < feet.size(); ++i) {
      const DenseMatrix six_rows = eq.jacobian(tasks[i].node);
      J.middleRows(k * Eigen::Index(i), k) = row_matrix(foot_rows, Axes::world, Mat3<double>::identity()) * six_rows;
      pushed += six_rows.transpose() * six(control.support_force(int(i)));
    }
    const Constrained moved = constrained_motion(eq.M, eq.h, vector_of(tau), J, Vector::Zero(J.rows()));
    const double scale = 10 + max_abs(moved.vdot);
    EXPECT_LT(worst_error(model, state, tasks, demands, as_vector(moved.vdot)), 1e-8 * scale) << scene << " " << seed;
    EXPECT_LT((DenseMatrix(J.transpose()) * moved.lambda - pushed).norm(), 1e-8 * pushed.norm())
        << scene << " " << seed;
  }
}
TEST(OperationalSpace, StandsOnSupports) {
  const Model humanoid = model_of("@humanoid");
  expect_to_stand(
      "@humanoid", {"left_foot", "right_foot"}, pose_rows(),
      {{.node = node_at(humanoid, "left_hand")}, {.node = node_at(humanoid, "right_hand"), .rows = position_rows()}},
      12);  // the feet's rows; they can carry all of the base's
  expect_to_stand("@humanoid", {"left_foot"}, pose_rows(), {{.node = node_at(humanoid, "right_foot")}}, 6);
  const Model quadruped = model_of("@quadruped");
  std::vector<std::string> feet;
  for (const Frame& frame : quadruped.frames())
    if (frame.name.ends_with("foot")) feet.push_back(frame.name);
  expect_to_stand("@quadruped", feet, position_rows(), {{.node = {.body = 1}}}, 12);
  // Two point feet: no moment acts about the line between them.
  expect_to_stand("@quadruped", {feet[0], feet[3]}, position_rows(),
                  {{.node = node_at(quadruped, feet[1]), .rows = position_rows()}}, 7);
}

TEST(OperationalSpace, AFreeObjectWithoutTasksIsLeftAlone) {
  ModelSpec spec = scene("@dual_arm").value();
  BodySpec box{.name = "box", .inertia = {}, .geometry = {}};
  add_solid(box, Box{{0.1, 0.2, 0.1}}, 3, Transform<double>::identity());
  spec.bodies.push_back(box);
  spec.joints.push_back(joint("loose", JointType::free, "world", "box"));
  const Model model = compile(spec).value();
  const Joint& loose = model.joints()[model.find_joint("loose")];
  OperationalSpaceOptions options;
  for (int k = 0; k < 6; ++k) options.passive.push_back(loose.v + k);
  const std::vector<FrameTask> tasks{{.node = node_at(model, "left_hand")}};
  OperationalSpace control(model, tasks, options);
  const State state = bent_state(model, 1);
  const std::vector<FrameDemand> demands = random_demands(1, 1);
  std::vector<double> tau(state.v.size());
  control.update(state.q, state.v);
  const OperationalSpaceReport report = control.torques(demands, {}, tau);
  EXPECT_EQ(report.held.rows, 0);
  EXPECT_EQ(report.uncarried, 0);
  const std::vector<double> vdot = moved_by(model, state, tau);
  EXPECT_LT(worst_error(model, state, tasks, demands, vdot), 1e-9 * (10 + largest(vdot)));
  EXPECT_NEAR(vdot[loose.v + 5], -9.81, 1e-12);
}

TEST(OperationalSpace, SpringsAndDampingAreMadeUpFor) {
  ModelSpec spec = scene("@chain:links=8").value();
  for (JointSpec& joint : spec.joints) joint.dofs = {{.damping = 0.3, .stiffness = 4, .rest = 0.2}};
  const Model model = compile(spec).value();
  const std::vector<FrameTask> tasks{{.node = tip(8), .rows = position_rows()}};
  OperationalSpace control(model, tasks), raw(model, tasks, {.counter_passive = false});
  const State state = bent_state(model, 1);
  const std::vector<FrameDemand> demands = random_demands(1, 1);
  std::vector<double> tau(state.v.size()), other(state.v.size());
  control.update(state.q, state.v);
  control.torques(demands, {}, tau);
  const std::vector<double> vdot = moved_by(model, state, tau);
  EXPECT_LT(worst_error(model, state, tasks, demands, vdot), 1e-9 * (10 + largest(vdot)));
  raw.update(state.q, state.v);
  raw.torques(demands, {}, other);
  add_passive_forces(model, state.q, state.v, tau);
  EXPECT_LT(largest_difference(tau, other), 1e-12 * (1 + largest(tau)));
}

TEST(OperationalSpace, WhatWasBeforeDoesNotMatter) {
  const Model model = model_of("@humanoid");
  const std::vector<FrameTask> tasks{{.node = node_at(model, "left_foot"), .support = true},
                                     {.node = node_at(model, "left_hand")},
                                     {.node = node_at(model, "left_hand"), .level = 2}};
  OperationalSpace fresh(model, tasks, {.passive = base_coordinates()}),
      used(model, tasks, {.passive = base_coordinates()});
  const State state = bent_state(model, 3);
  const std::vector<FrameDemand> demands = random_demands(3, 1);
  std::vector<double> a(state.v.size()), b(state.v.size());
  State broken = state;
  broken.q[9] = std::nan("");
  used.update(broken.q, broken.v);
  const OperationalSpaceReport report = used.torques(demands, {}, b);
  EXPECT_EQ(report.status, ControlStatus::not_finite);
  EXPECT_FALSE(report.ok());
  for (const double x : b) EXPECT_TRUE(std::isnan(x));
  for (OperationalSpace* control : {&fresh, &used}) {
    control->update(state.q, state.v);
    EXPECT_TRUE(control->torques(demands, {}, control == &fresh ? a : b).ok());
  }
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i])) << i;
  std::vector<FrameDemand> poisoned = demands;
  poisoned[1].acceleration.v.x = std::nan("");
  EXPECT_EQ(used.torques(poisoned, {}, b).status, ControlStatus::not_finite);
  EXPECT_TRUE(used.torques(demands, {}, b).ok());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i])) << i;
}

TEST(OperationalSpace, PosesAndVelocitiesOfTasks) {
  const Model model = model_of("@humanoid");
  const Node hand = node_at(model, "right_hand");
  OperationalSpace control(model, {{.node = node_at(model, "head")}, {.node = hand}});
  const State state = bent_state(model, 5);
  control.update(state.q, state.v);
  const Equations eq(model, state);
  EXPECT_LT((six(control.velocity(1)) - eq.velocity(hand)).norm(), 1e-14);
  EXPECT_LT(norm(control.pose(1).p - eq.pose(hand).p), 1e-15);
}

TEST(OperationalSpace, SaysWhatDoesNotFit) {
  const Model model = model_of("@dual_arm");
  const Node hand = node_at(model, "left_hand");
  OperationalSpace control(model, {{.node = hand}});
  const State state = make_state(model);
  std::vector<double> tau(state.v.size()), two(2);
  std::vector<FrameDemand> demands(1), three(3);
  EXPECT_EQ(failed_check([&] { control.torques(demands, {}, tau); }), "torques() of 1 tasks before update()");
  EXPECT_EQ(failed_check([&] { control.update(two, state.v); }), "q has 2 numbers, the model needs 26");
  control.update(state.q, state.v);
  EXPECT_EQ(failed_check([&] { control.torques(three, {}, tau); }), "3 demands, there are 1 tasks");
  EXPECT_EQ(failed_check([&] { control.torques(demands, {}, two); }), "tau has 2 numbers, the model needs 26");
  EXPECT_EQ(failed_check([&] { control.torques(demands, {.posture = two}, tau); }),
            "posture has 2 numbers, the model needs none or 26");
  EXPECT_EQ(failed_check([&] { control.pose(1); }), "task 1 of 1");
  EXPECT_EQ(failed_check([&] {
              OperationalSpace(model, {{.node = {99, {}}}});
            }),
            "task 0 is on body 99, the model has 27");
  EXPECT_EQ(failed_check([&] { OperationalSpace(model, {{.node = hand, .level = -1}}); }),
            "task 0 has level -1, not 0 to 999");
  EXPECT_EQ(failed_check([&] {
              OperationalSpace(model, {{.node = hand, .rows = {position_row({0, 0, 0})}}});
            }),
            "row 0 of task 0 has length 0");
  EXPECT_EQ(failed_check([&] { OperationalSpace(model, {{.node = hand}}, {.passive = {26}}); }),
            "passive coordinate 26, the model has 26");
  EXPECT_EQ(failed_check([&] { node_at(model, "tail"); }), "no frame 'tail' among the 9 of model 'dual_arm'");
}

// No task at all is inverse dynamics.
TEST(OperationalSpace, WithoutTasksThePostureIsFollowed) {
  const Model model = model_of("@humanoid24");
  OperationalSpace control(model, {});
  const State state = bent_state(model, 1);
  const std::vector<double> posture = random_numbers(state.v.size(), 1);
  std::vector<double> tau(state.v.size());
  control.update(state.q, state.v);
  EXPECT_TRUE(control.torques({}, {.posture = posture}, tau).levels.empty());
  EXPECT_LT(largest_difference(moved_by(model, state, tau), posture), 1e-9);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/sim/time_stepping/jumps.h"

#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// Balls of radius 0.1 m on free joints above a floor, in a column, with these gaps below them.
ModelSpec column(const std::vector<double>& gaps) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  double height = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const std::string name = "ball" + std::to_string(i);
    height += gaps[i] + (i == 0 ? 0.1 : 0.2);
    spec.bodies.push_back({.name = name,
                           .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                           .geometry = {{.name = name, .shape = Sphere{0.1}}}});
    spec.joints.push_back(joint("free" + std::to_string(i), JointType::free, "world", name));
    spec.joints.back().X_PF = translation(0, 0, height);
  }
  return spec;
}

struct Found {
  std::vector<char> jumps, lasts;
};
// For balls that fall with these speeds.
Found find_jumps(const std::vector<double>& gaps, const std::vector<double>& speeds, double h = 1e-3) {
  const Model model = compiled(column(gaps));
  State state = make_state(model);
  for (std::size_t i = 0; i < speeds.size(); ++i) state.v[6 * i + 5] = -speeds[i];
  StageTest stage(model, {}, state);
  Jumps jumps(stage.plan);
  Solved solved(model);
  jumps.find(stage.interval(h), solved);
  return {solved.tree_jumps, solved.lasts};
}

TEST(Jumps, ContactsThatTouchAtRestLast) {
  const Found found = find_jumps({0, 0}, {0, 0});
  EXPECT_EQ(found.jumps, (std::vector<char>{0, 0}));
  EXPECT_EQ(found.lasts, (std::vector<char>{1, 1}));
}

// 1 m/s closes 1 mm within 1 ms, up to the tolerance of positions, 1e-9 m.
TEST(Jumps, TreesWithContactsThatClose) {
  for (const double gap : {0.0, 0.5e-3, 0.99e-3}) {
    const Found found = find_jumps({gap}, {1});
    EXPECT_EQ(found.jumps[0], 1) << gap;
    EXPECT_EQ(found.lasts[0], gap == 0) << gap;
  }
  EXPECT_EQ(find_jumps({1.01e-3}, {1}).jumps[0], 0);
  EXPECT_EQ(find_jumps({0}, {-1}).jumps[0], 0) << "it leaves";
  EXPECT_EQ(find_jumps({0}, {0.99 * 4.905e-3}).jumps[0], 0) << "a fall of 1 ms from rest: (3)";
  EXPECT_EQ(find_jumps({0}, {1.01 * 4.905e-3}).jumps[0], 1);
  EXPECT_EQ(find_jumps({4.9e-6}, {0}).lasts[0], 1);
  EXPECT_EQ(find_jumps({4.91e-6}, {0}).lasts[0], 0);
}

// The ball on top falls on two that lie: all three jump. Another beside them would not.
TEST(Jumps, SpreadOverAnIsland) {
  EXPECT_EQ(find_jumps({0, 0, 0.5e-3}, {0, 0, 1}).jumps, (std::vector<char>{1, 1, 1}));
  ModelSpec spec = column({0, 0.5e-3});
  spec.bodies.push_back(spec.bodies[0]);
  spec.bodies.back().name = "beside";
  spec.joints.push_back(joint("beside", JointType::free, "world", "beside"));
  spec.joints.back().X_PF = translation(1, 0, 0.1);
  const Model model = compiled(spec);
  State state = make_state(model);
  state.v[11] = -1;
  StageTest stage(model, {}, state);
  Jumps jumps(stage.plan);
  Solved solved(model);
  jumps.find(stage.interval(1e-3), solved);
  EXPECT_EQ(solved.tree_jumps, (std::vector<char>{1, 1, 0}));
}

// A joint that reaches its limit within the interval.
TEST(Jumps, OfLimits) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "slider", .inertia = {.mass = 1}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].dofs = {DofSpec{.upper = 0.5}};
  const Model model = compiled(spec);
  for (const double v : {0.9, 1.1}) {
    State state = make_state(model);
    state.q = {0.499};
    state.v = {v};
    StageTest stage(model, {}, state);
    Jumps jumps(stage.plan);
    Solved solved(model);
    jumps.find(stage.interval(1e-3), solved);
    EXPECT_EQ(solved.tree_jumps[0], v > 1) << v;
  }
}

// Without gravity, contacts on straight paths last only within the tolerance of positions, 1e-9 m.
TEST(Jumps, WithoutGravity) {
  ModelSpec spec = column({0});
  spec.gravity = {0, 0, 0};
  const Model model = compiled(spec);
  for (const double speed : {0.9e-6, 1.1e-6}) {
    State state = make_state(model);
    state.v[5] = -speed;
    StageTest stage(model, {}, state);
    Jumps jumps(stage.plan);
    Solved solved(model);
    jumps.find(stage.interval(1e-3), solved);
    EXPECT_EQ(solved.tree_jumps[0], speed > 1e-6) << speed;
  }
}

// A ball at rest 6 um above the floor is pushed down by 100 N: its velocity does not close the gap, the force does.
// That is found by the solution, and the ball ends on the floor.
TEST(Jumps, FoundByTheSolution) {
  const Model model = compiled(column({6e-6}));
  const std::vector<double> tau{0, 0, 0, 0, 0, -100};
  StageTest stage(model, {}, make_state(model), {.tau = tau});
  IntervalSolver solver(stage.plan);
  ProblemWorkspace ws;
  Solved solved(model);
  const std::vector<char> asleep(1, 0);
  ASSERT_EQ(solver.solve(stage.interval(1e-3), stage.unknown, asleep, ws, solved), nullptr);
  EXPECT_EQ(solved.tree_jumps[0], 1);
  EXPECT_NEAR(solved.v[5], -6e-3, 1e-12);  // 6 um in 1 ms
  EXPECT_EQ(solved.effort.problems, 2);
}

// (2) for a ball of radius r on the floor that carried a force, without gravity: its normal turns with w and by sliding
// over its surface with u / r, the contact moves along it with u and w size, size half the diagonal of its box, and
//     slack = 4 h (h (w + u / r))^2 (u + w size),   h (w + u / r) at most 0.3.
// A gap up to the slack lasts, and an approach up to the slack closes nothing.
TEST(Jumps, SlackOfCurvedPaths) {
  ModelSpec spec = column({0});
  spec.gravity = {0, 0, 0};
  const double h = 1e-2, r = 0.1, size = std::sqrt(3) * r;
  struct Motion {
    double w, u;  // rad/s, m/s
  };
  for (const Motion motion : {Motion{10, 0}, Motion{0, 0.4}, Motion{5, 0.3}, Motion{40, 0}}) {
    const double angle = std::min(h * (motion.w + motion.u / r), 0.3);
    const double slack = 4 * h * angle * angle * (motion.u + motion.w * size);
    const auto closing = [&](double gap, double approach, bool carried) {
      spec.joints[0].X_PF = translation(0, 0, r + gap);
      const Model model = compiled(spec);
      State state = make_state(model);
      state.v[1] = motion.w;  // turns the lowest point to -x
      state.v[3] = motion.w * (r + gap / 2) + motion.u;
      state.v[5] = -approach;
      StageTest stage(model, {.dt = h}, state);
      EXPECT_EQ(stage.set.contacts.size(), 1u);
      const Contact& c = stage.set.contacts[0];
      std::vector<RowMemory> memory;
      if (carried) memory.push_back({.key = memory_key(c), .force = {1, 0, 0}});
      const Vec3<double> u = relative_velocity(c, stage.placed.kin, stage.placed.vel);
      EXPECT_NEAR(std::hypot(u.y, u.z), motion.u, 1e-13);
      return closing_of(stage.plan, c, stage.placed.vel, u, h, memory);
    };
    ASSERT_GT(slack, 2e-5);
    EXPECT_TRUE(closing(0.99 * slack, 0, true).lasts) << motion.w << " " << motion.u;
    EXPECT_FALSE(closing(1.01 * slack, 0, true).lasts) << motion.w << " " << motion.u;
    EXPECT_FALSE(closing(0, 0.99 * slack / h, true).closes) << motion.w << " " << motion.u;
    EXPECT_TRUE(closing(0, 1.01 * slack / h, true).closes) << motion.w << " " << motion.u;
    // Without a force before it is at most 1000 touch gaps of 1e-8 m.
    EXPECT_FALSE(closing(0, 0.99e-5 / h, false).closes);
    EXPECT_TRUE(closing(0, 1.01e-5 / h, false).closes);
  }
}

}  // namespace
}  // namespace linchpin

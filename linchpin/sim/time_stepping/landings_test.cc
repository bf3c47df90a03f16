#include "linchpin/sim/time_stepping/landings.h"

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/testing.h"
#include "linchpin/sim/time_stepping/touch.h"

namespace linchpin {
namespace {

// Balls of radius 0.1 m over a floor, 1 m apart, all with this gap and speed of fall.
ModelSpec row_of_balls(int count, double gap) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  for (int i = 0; i < count; ++i) {
    const std::string name = "ball" + std::to_string(i);
    spec.bodies.push_back({.name = name,
                           .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                           .geometry = {{.name = name, .shape = Sphere{0.1}}}});
    spec.joints.push_back(joint("free" + std::to_string(i), JointType::free, "world", name));
    spec.joints.back().X_PF = translation(i, 0, 0.1 + gap);
  }
  return spec;
}
State falling(const Model& model, double speed) {
  State state = make_state(model);
  for (int k = 5; k < model.nv(); k += 6) state.v[k] = -speed;
  return state;
}

struct FoundLandings {
  bool lands, fast, touch;
};
FoundLandings find_landings(double gap, double speed, double h = 1e-3) {
  const Model model = compiled(row_of_balls(1, gap));
  StageTest stage(model, {.dt = 1e-3}, falling(model, speed));
  Landings landings(stage.plan);
  landings.find(stage.set.contacts, stage.placed, stage.start, h);
  if (stage.set.contacts.empty()) return {};
  return {landings.lands(0), landings.is_fast(0), landings.touch()};
}

TEST(Landings, ByGapAndSpeed) {
  EXPECT_TRUE(find_landings(0.5e-3, 1).fast);
  EXPECT_TRUE(find_landings(0.5e-3, 1).lands);
  EXPECT_FALSE(find_landings(0.5e-3, 1).touch);
  EXPECT_TRUE(find_landings(6e-6, 0.008).lands) << "slow: found where the solved motion closes it";
  EXPECT_FALSE(find_landings(6e-6, 0.008).fast);
  EXPECT_TRUE(find_landings(0, 1).touch);
  EXPECT_TRUE(find_landings(0, 6e-3).touch);
  EXPECT_FALSE(find_landings(0, 4e-3).touch) << "slower than a fall of 1 ms from rest: (3) of jumps.h";
  EXPECT_FALSE(find_landings(0, -1).touch) << "leaves";
}

// A contact that carried a force last keeps its row at gaps of curved paths; the same for a new one is a landing.
TEST(Landings, ACurvedPathIsNoLanding) {
  ModelSpec spec = row_of_balls(1, 3e-8);
  spec.gravity = {0, 0, 0};
  const Model model = compiled(spec);
  State state = falling(model, 1e-5);
  state.v[0] = 20;  // it turns: 4 h (h 20)^2 speed is 3e-6 m
  state.v[4] = 2;
  for (const bool carried : {false, true}) {
    StageTest stage(model, {.dt = 1e-3}, state);
    ASSERT_EQ(stage.set.contacts.size(), 1u);
    if (carried) stage.start.memory = {{.key = memory_key(stage.set.contacts[0]), .force = {10, 0, 0}}};
    Landings landings(stage.plan);
    landings.find(stage.set.contacts, stage.placed, stage.start, 1e-3);
    EXPECT_FALSE(landings.lands(0)) << "gap and approach are of the third order";
  }
  StageTest still(model, {.dt = 1e-3}, falling(model, 1e-4));
  ASSERT_EQ(still.set.contacts.size(), 1u);
  Landings landings(still.plan);
  landings.find(still.set.contacts, still.placed, still.start, 1e-3);
  EXPECT_TRUE(landings.lands(0)) << "without turning there is no such error";
}

// 30 balls that do not touch each other are 30 islands; joined by springs they are a crowd.
TEST(Landings, NotInCrowds) {
  for (const bool joined : {false, true}) {
    ModelSpec spec = row_of_balls(30, 0.5e-3);
    for (int i = 1; joined && i < 30; ++i) {
      SpringSpec spring;
      spring.name = "spring" + std::to_string(i);
      spring.a = {spec.bodies[i - 1].name, Transform<double>::identity()};
      spring.b = {spec.bodies[i].name, Transform<double>::identity()};
      spring.stiffness = 1;
      spec.springs.push_back(spring);
    }
    const Model model = compiled(spec);
    StageTest stage(model, {.dt = 1e-3}, falling(model, 1));
    ASSERT_EQ(stage.set.contacts.size(), 30u);
    Landings landings(stage.plan);
    landings.find(stage.set.contacts, stage.placed, stage.start, 1e-3);
    for (int i = 0; i < 30; ++i) EXPECT_EQ(landings.lands(i), !joined) << i;
    EXPECT_EQ(landings.any_fast(), !joined);
    landings.clear();
    EXPECT_FALSE(landings.lands(0) || landings.any_fast() || landings.touch());
  }
}

// A slider that meets the end of its range at 2 m/s, 1 mm away, pulled by 3 m/s^2: the root of 1e-3 - 2 t - 3 t^2 / 2.
TEST(Landings, OfLimits) {
  ModelSpec spec;
  spec.gravity = {3, 0, 0};
  spec.bodies = {{.name = "slider", .inertia = {.mass = 1}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].axis = {1, 0, 0};
  spec.joints[0].dofs = {DofSpec{.upper = 0.5}};
  const Model model = compiled(spec);
  State state = make_state(model);
  state.q = {0.499};
  state.v = {2};
  StageTest stage(model, {.dt = 1e-3}, state);
  Landings landings(stage.plan);
  landings.find({}, stage.placed, stage.start, 1e-3);
  ASSERT_TRUE(landings.is_fast_limit(0));
  IntervalSolver solver(stage.plan);
  FreeMotion free(model);
  const Interval interval = stage.interval(1e-3);
  solver.find_free_motion(interval, free);
  const double touch = (-2 + std::sqrt(4 + 2 * 3 * 1e-3)) / 3;
  EXPECT_NEAR(first_touch(stage.plan, interval, free, landings, {}, stage.idle.contacts), touch, 1e-13);
  state.q = {0.5};
  StageTest there(model, {.dt = 1e-3}, state);
  landings.find({}, there.placed, there.start, 1e-3);
  EXPECT_TRUE(landings.touch());
}

}  // namespace
}  // namespace linchpin

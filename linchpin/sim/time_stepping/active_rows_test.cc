#include "linchpin/sim/time_stepping/active_rows.h"

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// Balls of radius 0.1 m on rails along z, side by side, each with a gap to the floor. No gravity.
ModelSpec balls_on_rails(const std::vector<double>& gaps) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const std::string name = "ball" + std::to_string(i);
    spec.bodies.push_back({.name = name,
                           .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                           .geometry = {{.name = name, .shape = Sphere{0.1}}}});
    spec.joints.push_back(joint("rail" + std::to_string(i), JointType::prismatic, "world", name));
    spec.joints.back().X_PF = translation(double(i), 0, 0.1 + gaps[i]);
    spec.joints.back().dofs = {DofSpec{}};
  }
  return spec;
}

// The rows of an interval of 1 ms by the free motion.
struct Chosen {
  Chosen(const ModelSpec& spec, const std::vector<double>& v, const std::vector<double>& memory_of = {})
      : model(compiled(spec)),
        state(start(model, v)),
        stage(model, {.dt = 1e-3}, state),
        solver(stage.plan),
        free(model),
        rows(stage.plan) {
    for (std::size_t i = 0; i < memory_of.size(); ++i)
      if (memory_of[i] != 0)
        stage.start.memory.push_back({.key = memory_key(stage.set.contacts[i]), .force = {memory_of[i], 0, 0}});
    solver.find_free_motion(stage.interval(1e-3), free);
  }
  static State start(const Model& m, const std::vector<double>& v) {
    State s = make_state(m);
    s.v = v;
    return s;
  }
  const IdleRows& choose() {
    rows.choose(stage.interval(1e-3), free, stage.idle);
    return stage.idle;
  }

  Model model;
  State state;
  StageTest stage;
  IntervalSolver solver;
  FreeMotion free;
  ActiveRows rows;
};

using Idle = std::vector<char>;

// (1): 1 m/s closes 1 mm within the interval.
TEST(ActiveRows, ContactsThatWouldClose) {
  Chosen c(balls_on_rails({0.99e-3, 1.01e-3, 0, 0}), {-1, -1, 0, -1e-6});
  ASSERT_EQ(c.stage.set.contacts.size(), 4u);
  EXPECT_EQ(c.choose().contacts, (Idle{0, 1, 1, 0}));
}

// One that carried a force in the last step, or was missed, has a row though nothing closes it. A force across a gap
// does not count.
TEST(ActiveRows, ContactsThatHeldOrAreRequired) {
  Chosen c(balls_on_rails({0, 0, 1.01e-3, 0}), {0, 0, -1, 0}, {5, 0, 5, 0});
  ASSERT_EQ(c.stage.set.contacts.size(), 4u);
  c.rows.require(c.stage.set.contacts[3]);
  EXPECT_EQ(c.choose().contacts, (Idle{0, 1, 1, 0}));
  c.rows.clear_required();
  c.stage.idle.contacts.assign(4, 0);
  EXPECT_EQ(c.choose().contacts, (Idle{0, 1, 1, 1}));
  EXPECT_EQ(c.choose().contacts, (Idle{0, 1, 1, 1})) << "what is marked stays idle";
}

// (2): dry friction, springs between bodies and loops load the trees that they are on, and no others.
TEST(ActiveRows, TreesWithRowsOfTheirOwn) {
  {
    ModelSpec spec = balls_on_rails({0, 0, 0});
    spec.joints[1].dofs[0].dry_friction = 2;
    EXPECT_EQ(Chosen(spec, {0, 0, 0}).choose().contacts, (Idle{1, 0, 1}));
  }
  {
    ModelSpec spec = balls_on_rails({0, 0, 0, 0});
    SpringSpec spring;
    spring.name = "spring";
    spring.a = {"ball1", translation(0, 0, 0)};
    spring.b = {"ball3", translation(0, 0, 0)};
    spring.length = 2;
    spring.stiffness = 1;
    spec.springs = {spring};
    EXPECT_EQ(Chosen(spec, {0, 0, 0, 0}).choose().contacts, (Idle{1, 0, 1, 0}));
  }
  {
    ModelSpec spec = balls_on_rails({0, 0, 0});
    spec.constraints.push_back(prescribed("drive", "rail2", {.polynomial = {0}}));
    Chosen c(spec, {0, 0, 0});
    EXPECT_EQ(c.choose().contacts, (Idle{1, 1, 0}));
  }
}

// (1) for limits: by their gap, or by the speed at which they may be approached.
TEST(ActiveRows, LimitsThatAreReached) {
  ModelSpec spec = balls_on_rails({1, 1, 1, 1});
  spec.joints[0].dofs[0].upper = 1e-3;
  spec.joints[1].dofs[0].lower = -1e-3;
  spec.joints[2].dofs[0] = DofSpec{.velocity_limit = 1};  // a lower and an upper one
  spec.joints[3].dofs[0].upper = 1e-3;
  for (const double v : {0.99, 1.01}) {
    Chosen c(spec, {v, -v, -v, -v});
    ASSERT_EQ(c.stage.plan.joints.limits.size(), 5u);
    EXPECT_EQ(c.choose().limits, v < 1 ? (Idle{1, 1, 1, 1, 1}) : (Idle{0, 0, 0, 0, 1})) << v;
  }
}

// A loaded tree loads its island: a ball that presses on the lowest of three in a column loads all three, but not those
// beside them.
TEST(ActiveRows, LoadSpreadsOverAnIsland) {
  ModelSpec spec = balls_on_rails({0, 0, 0, 0});
  for (const std::size_t i : {1, 2})
    spec.joints[i].X_PF = translation(0, 0, 0.1 + (0.2 - 1e-12) * double(i));  // in touch
  for (const bool loaded : {false, true}) {
    Chosen c(spec, {loaded ? -1. : 0., 0, 0, 0});
    const Idle& idle = c.choose().contacts;
    ASSERT_EQ(idle.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      const Contact& contact = c.stage.set.contacts[i];
      const bool beside = contact.link_a == 4 || contact.link_b == 4;
      EXPECT_EQ(idle[i], !loaded || beside) << i;
    }
  }
}

// Every tree with a contact or near a limit carried a force: then the free motion need not be known.
TEST(ActiveRows, AllLoaded) {
  const ModelSpec spec = balls_on_rails({0, 0});
  for (const double first : {0.0, 5.0})
    for (const double second : {0.0, 5.0}) {
      Chosen c(spec, {0, 0}, {first, second});
      EXPECT_EQ(c.rows.all_loaded(c.stage.interval(1e-3)), first != 0 && second != 0);
    }
  Chosen apart(balls_on_rails({1e-4, 0}), {-1, 0}, {5, 5});
  EXPECT_FALSE(apart.rows.all_loaded(apart.stage.interval(1e-3))) << "a force across a gap";
  Chosen nothing(balls_on_rails({1, 1}), {0, 0});
  EXPECT_TRUE(nothing.rows.all_loaded(nothing.stage.interval(1e-3))) << "nothing to load";
  ModelSpec limited = balls_on_rails({1, 1});
  limited.joints[1].dofs[0].upper = 0.5;
  for (const double q : {0.0, 0.4995}) {  // limits nearer than 1 mm count
    limited.joints[1].start_q = {q};
    Chosen c(limited, {0, 0});
    EXPECT_EQ(c.rows.all_loaded(c.stage.interval(1e-3)), q == 0) << q;
  }
}

// Of two balls on the floor one is pressed down and the other pulled up at once. The row of the latter carries nothing:
// its tree is released and moves freely, the other one keeps its row.
TEST(ActiveRows, RowsWithoutImpulseAreReleased) {
  Chosen c(balls_on_rails({0, 0}), {0.5, 0});
  c.stage.idle.contacts.assign(2, 0);
  Solved solved(c.model);
  ProblemWorkspace ws;
  const std::vector<char> asleep(2, 0);
  const std::vector<double> tau{0, -3};
  c.stage.inputs.tau = tau;
  const Interval interval = c.stage.interval(1e-3);
  c.solver.find_free_motion(interval, c.free);
  ASSERT_EQ(c.solver.solve(interval, c.stage.unknown, asleep, ws, solved), nullptr);
  ASSERT_EQ(solved.rows.owner.size(), 2u);
  ASSERT_TRUE(c.rows.find_released(interval, solved));
  solved.v[0] = 9;
  c.rows.release(interval, c.free, c.stage.idle, solved);
  EXPECT_EQ(c.stage.idle.contacts, (Idle{1, 0}));
  EXPECT_EQ(solved.tree_has_rows, (Idle{0, 1}));
  EXPECT_EQ(solved.v[0], 0.5);
  EXPECT_EQ(solved.v_mean[0], 0.5);
  EXPECT_NEAR(solved.vel.link[1].v.z, 0.5, 1e-15);
  EXPECT_NEAR(solved.v[1], 0, 1e-15);
  // A contact that is required keeps its row.
  c.rows.require(c.stage.set.contacts[0]);
  Solved again(c.model);
  c.stage.idle.contacts.assign(2, 0);
  ASSERT_EQ(c.solver.solve(c.stage.interval(1e-3), c.stage.unknown, asleep, ws, again), nullptr);
  EXPECT_FALSE(c.rows.find_released(c.stage.interval(1e-3), again));
}

}  // namespace
}  // namespace linchpin

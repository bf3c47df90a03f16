#include "linchpin/sim/time_stepping/interval_solver.h"

#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/missed_contacts.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

double normal_impulse(const Solved& solved) {
  double sum = 0;
  for (std::size_t b = 0; b < solved.rows.owner.size(); ++b)
    if (solved.rows.owner[b].kind == RowOwner::Kind::contact) sum += solved.impulses[solved.rows.rows.blocks[b].start];
  return sum;
}

// One interval of length h with all trees awake, or a failure.
void solve_alone(StageTest& stage, double h, Solved& solved) {
  IntervalSolver solver(stage.plan);
  ProblemWorkspace ws;
  const std::vector<char> asleep(stage.plan.trees.count, 0);
  ASSERT_EQ(solver.solve(stage.interval(h), stage.unknown, asleep, ws, solved), nullptr);
}

// A box at rest is carried by its contacts: their normal impulses add up to m g h.
TEST(IntervalSolver, CarriesTheWeightOfABox) {
  const Model model = model_of("stack:boxes=1");
  double mass = 0;
  for (const Body& body : model.bodies()) mass += body.inertia.mass;
  for (const double h : {1e-3, 5e-3}) {
    StageTest stage(model);
    Solved solved(model);
    ASSERT_NO_FATAL_FAILURE(solve_alone(stage, h, solved));
    EXPECT_NEAR(normal_impulse(solved), mass * 9.81 * h, 1e-9 * mass * 9.81 * h);
    EXPECT_LT(largest(solved.v), 1e-12);
    EXPECT_EQ(solved.effort.problems, 1);
    EXPECT_LT(solved.quality.residual, 1e-10);
    EXPECT_EQ(solved.quality.loose, 0);
  }
}

// A result that is thrown away leaves no trace: another attempt, with another one in between, gives the same bits.
TEST(IntervalSolver, ForgetsAResultThatIsNotApplied) {
  const Model model = model_of("stack:boxes=3");
  StageTest stage(model, {}, random_state(model, 1, 0, 0.3));
  IntervalSolver solver(stage.plan);
  ProblemWorkspace ws;
  Solved first(model), again(model), other(model);
  const std::vector<char> asleep(stage.plan.trees.count, 0);
  ASSERT_EQ(solver.solve(stage.interval(1e-3), stage.unknown, asleep, ws, first), nullptr);
  ASSERT_EQ(solver.solve(stage.interval(0.5e-3), stage.unknown, asleep, ws, other), nullptr);
  ASSERT_EQ(solver.solve(stage.interval(1e-3), stage.unknown, asleep, ws, again), nullptr);
  EXPECT_EQ(first.v, again.v);
  EXPECT_EQ(first.impulses, again.impulses);
  EXPECT_NE(first.v, other.v);
}

// One slider of 1 kg on a rail, without gravity.
ModelSpec one_slider() {
  ModelSpec spec;
  spec.name = "slider";
  spec.gravity = {0, 0, 0};
  spec.bodies = {{.name = "slider", .inertia = {.mass = 1}, .geometry = {}}};
  spec.joints = {joint("rail", JointType::prismatic, "world", "slider")};
  spec.joints[0].axis = {1, 0, 0};
  spec.joints[0].dofs = {DofSpec{}};
  return spec;
}

// A limit that is far at the start but would be passed within the interval gets a row in a second round, and stops the
// joint there.
TEST(IntervalSolver, AddsARowForALimitThatAForcePushesPast) {
  ModelSpec spec = one_slider();
  spec.joints[0].dofs[0].upper = 0.5;
  const Model model = compiled(spec);
  const std::vector<double> tau{1e3};
  StageTest stage(model, {.dt = 0.1}, make_state(model), {.tau = tau});
  Solved solved(model);
  ASSERT_NO_FATAL_FAILURE(solve_alone(stage, 0.1, solved));
  EXPECT_NEAR(solved.v[0], 5, 1e-9);  // 0.5 m in 0.1 s; the force alone gives 100 m/s
  ASSERT_EQ(solved.rows.rows.size(), 1);
  EXPECT_NEAR(solved.impulses[0], -95, 1e-7);  // on the coordinate
}

// A servo that would need more than its force limit becomes a row: its impulse is the limit's.
TEST(IntervalSolver, MakesARowOfAServoAtItsForceLimit) {
  ModelSpec spec = one_slider();
  spec.actuators.push_back(
      {.name = "servo", .joint = "rail", .type = ActuatorType::velocity, .damping = 100, .lower = -2, .upper = 2});
  const Model model = compiled(spec);
  for (const double control : {0.01, 10.0}) {
    const std::vector<double> controls{control};
    StageTest stage(model, {.dt = 0.1}, make_state(model), {.controls = controls});
    Solved solved(model);
    ASSERT_NO_FATAL_FAILURE(solve_alone(stage, 0.1, solved));
    EXPECT_EQ(solved.choice.servos_as_rows, control > 1);
    // Within its limits the servo is implicit, v = h d (u - theta v), h d = 10, theta = 1/2 + 10 / 22. Beyond them it
    // pushes with 2 N for 0.1 s.
    EXPECT_NEAR(solved.v[0], control > 1 ? 0.2 : 10 * control / (1 + 10 * (0.5 + 10 / 22.0)), 1e-12);
  }
}

// A ball at rest far above the floor is pushed down so hard that it passes the floor within the step: the contact was
// out of reach when contacts were searched, and is found by the motion itself.
TEST(MissedContacts, AreFoundByTheMotion) {
  const Model model = model_of("bounce:restitution=0,height=1");
  std::vector<double> tau(6, 0.0);
  for (const double push : {0.0, -1e6}) {
    tau[5] = push;
    StageTest stage(model, {}, make_state(model), {.tau = tau});
    ASSERT_TRUE(stage.set.contacts.empty());
    IntervalSolver solver(stage.plan);
    ProblemWorkspace ws;
    Solved solved(model);
    const std::vector<char> asleep(stage.plan.trees.count, 0);
    const Interval interval = stage.interval(2e-3);
    ASSERT_EQ(solver.solve(interval, stage.unknown, asleep, ws, solved), nullptr);
    ContactSet wider(stage.plan.contacts);
    MissedContacts missed;
    find_missed_contacts(stage.plan, interval, stage.set, Landings(stage.plan), solved, wider, missed);
    EXPECT_EQ(missed.any, push != 0);
    EXPECT_EQ(wider.contacts.size(), missed.any ? 1u : 0u);
  }
}

}  // namespace
}  // namespace linchpin

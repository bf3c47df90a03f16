// Each option of contact, and each flag of a step with contact: a test that fails if the option is ignored, and for
// each flag one step that must set it and one that must not.
#include <cmath>
#include <string>

#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

struct Stepped {
  StepReport report;
  State state;
};
Stepped one_step(const Model& model, const State& start, const SimulationOptions& options) {
  Simulation simulation(model, options);
  State state = start;
  const StepReport report = simulation.step(state);
  return {report, state};
}

// ---- runaway --------------------------------------------------------------------------------------------------------

TEST(ContactOptions, ASpeedBeyondAllMechanismsEndsTheRun) {
  const Model model = model_of("cradle:balls=3");
  for (const double speed : {0.9e8, 1.1e8}) {
    State start = make_state(model);
    start.q = {0, 0.5, 1};  // the balls are apart
    start.v = {0, 0, speed};
    const auto [report, state] = one_step(model, start, {.dt = 1e-12});
    EXPECT_EQ(report.status, speed > 1e8 ? StepStatus::runaway : StepStatus::done) << report.reason;
    EXPECT_EQ(report.body, speed > 1e8 ? 3 : -1);
    EXPECT_EQ(same_bits(state, start), speed > 1e8) << "a step that fails leaves the state";
  }
}

// Ten boxes have forty contacts.
TEST(ContactOptions, MostContacts) {
  const Model model = model_of("stack");
  for (const int most : {39, 40}) {
    const auto [report, state] = one_step(model, make_state(model), {.contact = {.most_contacts = most}});
    EXPECT_EQ(report.status, most < 40 ? StepStatus::runaway : StepStatus::done);
    EXPECT_NE(std::string(report.reason).find("most_contacts") != std::string::npos, report.ok());
    EXPECT_EQ(same_bits(state, make_state(model)), most < 40);
  }
}

// ---- bounce and touch -----------------------------------------------------------------------------------------------

// A ball between two plates, 1 cm from each, at 30 m/s: 0.3 m in a step of 10 ms, 15 bounces without loss. Each takes
// two parts of the step: the flight to the touch and the impact.
TEST(ContactOptions, MaxSplits) {
  ModelSpec spec = scene("thin_wall:restitution=1,speed=30").value();
  spec.gravity = {0, 0, 0};
  spec.joints[0].X_PF = translation(-0.02, 0, 0);
  GeometrySpec other = spec.world_geometry[0];
  other.name = "other";
  other.X_BG.p.x = -0.04 - other.X_BG.p.x;
  spec.world_geometry.push_back(other);
  const Model model = compiled(spec);
  int bounces[4], at = 0;
  for (const int splits : {0, 1, 4, 64}) {
    const auto [report, state] = one_step(model, make_state(model), {.dt = 0.01, .contact = {.max_splits = splits}});
    ASSERT_TRUE(report.ok()) << report.reason;
    bounces[at++] = report.impacts;
    EXPECT_EQ(std::abs(state.v[3]) > 29.9, splits == 64) << "without splits a touch stops it";
  }
  EXPECT_EQ(bounces[0], 0);
  EXPECT_EQ(bounces[1], 0) << "the only split is the flight to the touch";
  EXPECT_EQ(bounces[2], 2);
  EXPECT_GT(bounces[3], 10);
}

// Below that speed the ball lands: an impact without restitution.
TEST(ContactOptions, ImpactSpeed) {
  const Model model = model_of("bounce:height=0,restitution=0.5");
  State start = make_state(model);
  start.v[5] = -0.4;
  for (const double speed : {0.3, 0.5}) {
    const auto [report, state] = one_step(model, start, {.contact = {.impact_speed = speed}});
    EXPECT_EQ(report.impacts, 1);
    EXPECT_NEAR(state.v[5], speed < 0.4 ? 0.2 - 9.81e-3 : 0, 1e-12);
  }
}

// Deeper penetration is projected away; gaps of up to ten times the tolerance are touch, and not closed. Of what is
// more than a touch, a step closes half, a quarter by its mean velocity ((3) of interval_rows.h).
TEST(ContactOptions, PositionTolerance) {
  const Model model = model_of("bounce:height=0,restitution=0");
  for (const double tolerance : {1e-9, 1e-7}) {
    State start = make_state(model);
    start.q[6] = -2e-8;
    const double sunk = one_step(model, start, {.contact = {.position_tolerance = tolerance}}).state.q[6];
    EXPECT_NEAR(sunk, tolerance < 1e-8 ? 0 : -2e-8, 1e-13) << tolerance;  // positions are solved to 1e-6 of a gap
    start.q[6] = 2e-7;
    const double gap = one_step(model, start, {.contact = {.position_tolerance = tolerance}}).state.q[6];
    EXPECT_NEAR(gap, tolerance < 1e-8 ? 2e-7 - 0.25 * (2e-7 - 1e-8) : 2e-7, 1e-15) << tolerance;
  }
}

// ---- tolerances of the solver ---------------------------------------------------------------------------------------

// A tolerance below rounding makes every problem loose: it is solved to `acceptable` only. If that is as small, the
// step fails after five halvings. The chain of solvers has then tried more than its first. With the default tolerance
// none of this happens.
TEST(ContactOptions, AcceptableAndTheFlagsOfProblemsThatResist) {
  const Model model = model_of("stack:boxes=3");
  const State start = random_state(model, 1, 0, 0.5e-6);  // too slow for impacts
  const StepReport usual = one_step(model, start, {}).report;
  EXPECT_TRUE(usual.ok());
  EXPECT_EQ(usual.loose, 0);
  EXPECT_EQ(usual.halved, 0);
  EXPECT_EQ(usual.declared_fallbacks, 0);
  EXPECT_LT(usual.residual, 1e-10);
  EXPECT_GT(usual.residual, 1e-18);

  const Stepped loose = one_step(model, start, {.contact = {.tolerance = 1e-19}});
  EXPECT_TRUE(loose.report.ok()) << loose.report.reason;
  EXPECT_GE(loose.report.loose, 1);
  EXPECT_LE(loose.report.loose, loose.report.problems);
  EXPECT_EQ(loose.report.halved, 0);
  EXPECT_GE(loose.report.declared_fallbacks, 1);
  EXPECT_LE(loose.report.declared_fallbacks, loose.report.problems);
  EXPECT_EQ(loose.state.loose_steps, 1);

  const Stepped refused = one_step(model, start, {.contact = {.tolerance = 1e-19, .acceptable = 1e-19}});
  EXPECT_EQ(refused.report.status, StepStatus::unsolved);
  EXPECT_STREQ(refused.report.reason, "the contact problem was not solved to an acceptable residual");
  EXPECT_EQ(refused.report.halved, 5);
  EXPECT_EQ(refused.report.problems, 6);
  EXPECT_TRUE(same_bits(refused.state, start));
}

// Loose steps are counted as long as they follow each other.
TEST(ContactOptions, LooseStepsInARow) {
  const Model model = model_of("stack:boxes=3");
  State state = random_state(model, 1, 0, 0.5e-6);  // too slow for impacts
  Simulation strict(model, {.contact = {.tolerance = 1e-19}}), usual(model, {});
  for (int i = 1; i <= 2; ++i) {
    ASSERT_TRUE(strict.step(state).ok());
    EXPECT_EQ(state.loose_steps, i);
  }
  ASSERT_TRUE(usual.step(state).ok());
  EXPECT_EQ(state.loose_steps, 0);
}

// The figures of docs/contact.md.
TEST(ContactOptions, TolerancesByDefault) {
  EXPECT_EQ(ContactOptions{}.tolerance, 1e-10);
  EXPECT_EQ(ContactOptions{}.acceptable, 1e-6);
}

// A box at rest: the forces of a step are those of the last one, so the warm start is the solution. The first step
// takes iterations, the following ones none.
TEST(ContactOptions, AtRestTheWarmStartIsTheSolution) {
  const Model model = model_of("stack:boxes=1");
  State state = make_state(model);
  Simulation simulation(model, {});
  for (int i = 0; i < 5; ++i) {
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_EQ(report.problems, 1);
    EXPECT_EQ(report.iterations > 0, i == 0) << "step " << i;
  }
  state.memory.clear();
  EXPECT_GT(simulation.step(state).iterations, 0) << "without memory it starts again";
}

// ---- sleep ----------------------------------------------------------------------------------------------------------

TEST(ContactOptions, SleepSpeedAndNoSleepByDefault) {
  const Model model = model_of("roll");
  State start = make_state(model);
  start.v = {0, 0, 0.01, 0, 0, 0};  // spins in place
  for (const double speed : {0.0, 1e-3, 0.1}) {
    State state = start;
    Simulation simulation(model, {.dt = 1e-3, .contact = {.sleep_after = 5e-3, .sleep_speed = speed}});
    for (int i = 0; i < 10; ++i) {
      const StepReport report = simulation.step(state);
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(report.asleep, speed > 0.01 && i >= 5 ? 1 : 0) << speed << ", step " << i;
    }
    EXPECT_EQ(state.v[2] == 0, speed > 0.01);
  }
  const Model stack = model_of("stack:boxes=2");
  run(stack, 2, {.dt = 1e-2}, [](const State& state, const Simulation&, const StepReport& report) {
    EXPECT_EQ(report.asleep, 0);
    EXPECT_EQ(report.problems, 1);
    EXPECT_TRUE(state.still.empty());
  });
}

}  // namespace
}  // namespace linchpin

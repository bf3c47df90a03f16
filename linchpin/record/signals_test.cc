#include "linchpin/record/signals.h"

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

double value_of(const Signals& signals, const Snapshot& snapshot, const std::string& name) {
  std::vector<double> values;
  signals.values(snapshot, values);
  EXPECT_EQ(values.size(), signals.names().size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (signals.names()[i] == name) return values[i];
  ADD_FAILURE() << "no signal " << name;
  return 0;
}

// The contact forces on the boxes of a stack at rest add up to their weight; the force on the ground is the opposite.
TEST(Signals, ContactForcesBalanceWeight) {
  const TestRun run("@stack", {});
  Stepping stepping(run);
  const Snapshot& snapshot = stepping.next(400);
  const Signals signals(run.model);
  double sum = 0;
  for (const std::string& name : signals.names())
    if (name.starts_with("contact:") && name.ends_with(".z") && !name.starts_with("contact:world"))
      sum += value_of(signals, snapshot, name);
  const double weight = 9.81 * run.model.total_mass();
  EXPECT_NEAR(sum, weight, 1e-6 * weight);  // after 0.4 s the motion of the landing has nearly decayed
  EXPECT_NEAR(value_of(signals, snapshot, "contact:world.z"), -weight, 1e-6 * weight);
}

TEST(Signals, StatesAndEnergies) {
  const TestRun run("@four_bar", {});
  Stepping stepping(run);
  const Snapshot& s = stepping.next(20);
  const Signals signals(run.model);
  EXPECT_EQ(value_of(signals, s, "q:" + run.model.joints()[0].name), s.state.q[0]);
  EXPECT_EQ(value_of(signals, s, "v:" + run.model.joints()[2].name), s.state.v[2]);
  EXPECT_EQ(value_of(signals, s, "energy"), s.energy.kinetic + s.energy.gravity + s.energy.springs);
  EXPECT_EQ(value_of(signals, s, "defect"), s.certificate.energy.defect());
  EXPECT_EQ(value_of(signals, s, "loop_error"), s.report.loop_error);
  ASSERT_FALSE(s.reactions.empty());
  const std::string first = run.model.constraints()[0].name;
  EXPECT_EQ(value_of(signals, s, "r:" + first + (row_count(run.model.constraints()[0]) > 1 ? ".0" : "")),
            s.reactions[0]);
}

// Reactions are those of the step that led to a snapshot; none led to a start, also if the simulation ran before.
TEST(Signals, AStartHasNoReactions) {
  const Model model = compile(scene("@four_bar").value()).value();
  Simulation simulation(model, {.dt = 1e-3});
  SnapshotTaker take(model);
  State state = make_state(model);
  EXPECT_EQ(largest(take(0, state, simulation, {}, {}).reactions), 0);
  const StepReport report = simulation.step(state);
  const Snapshot& after = take(1, state, simulation, report, {});
  EXPECT_TRUE(same_finite_bits(after.reactions, simulation.reactions()));
  EXPECT_GT(largest(after.reactions), 1);
  EXPECT_EQ(largest(take.start(make_state(model), simulation, {}).reactions), 0);
}

TEST(Signals, Patterns) {
  const std::vector<std::string> names = {"q:hinge_1", "q:hinge_2", "v:hinge_1", "energy", "a*b"};
  const auto chosen = [&](std::vector<std::string> patterns) { return select_signals(names, patterns).value(); };
  using List = std::vector<std::size_t>;
  EXPECT_EQ(chosen({"*"}), (List{0, 1, 2, 3, 4}));
  EXPECT_EQ(chosen({"energy", "q:*"}), (List{0, 1, 3}));  // in the order of the names, each once
  EXPECT_EQ(chosen({"?:hinge_1"}), (List{0, 2}));
  EXPECT_EQ(chosen({"*hinge*2"}), (List{1}));
  EXPECT_EQ(chosen({"a*b"}), (List{4}));
  EXPECT_EQ(chosen({"q:hinge_1*"}), (List{0}));
  EXPECT_EQ(select_signals(names, std::vector<std::string>{"q:hing_2"}).error().message,
            "there is no signal 'q:hing_2'; nearest are: q:hinge_2, q:hinge_1, v:hinge_1");
  EXPECT_FALSE(select_signals(names, std::vector<std::string>{""}));
}

}  // namespace
}  // namespace linchpin

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

// Each of the figures has its own number.
TEST(Signals, EveryFigure) {
  const TestRun run("@stack:boxes=1", {});
  Stepping stepping(run);
  Snapshot s = stepping.take();
  s.energy = {1, 2, 4};
  s.certificate.energy = {
      .start = 100, .stored = 7, .work = 8, .dissipated = 16, .lost = 32, .projected = 64, .created = 0.5};
  s.report.residual = 128;
  s.report.cone_violation = 256;
  s.report.penetration = 512;
  s.report.loop_error = 1024;
  s.report.loop_speed = 2048;
  s.report.contacts = 4096;
  s.report.iterations = 8192;
  s.report.impacts = 16384;
  const Signals signals(run.model);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, double>>{{"kinetic", 1},
                                                             {"gravity", 2},
                                                             {"springs", 4},
                                                             {"energy", 7},
                                                             {"defect", -117},  // 7 - 100 - 8 + 16 + 32 - 64
                                                             {"work", 8},
                                                             {"dissipated", 16},
                                                             {"lost", 32},
                                                             {"projected", 64},
                                                             {"created", 0.5},
                                                             {"residual", 128},
                                                             {"cone_violation", 256},
                                                             {"penetration", 512},
                                                             {"loop_error", 1024},
                                                             {"loop_speed", 2048},
                                                             {"contacts", 4096},
                                                             {"iterations", 8192},
                                                             {"impacts", 16384}})
    EXPECT_EQ(value_of(signals, s, name), value) << name;
}

// The force on A counts for its body, and the opposite for that of B; several contacts of a body add up.
TEST(Signals, ForcesOfContacts) {
  const TestRun run("@stack:boxes=2", {});
  Stepping stepping(run);
  Snapshot s = stepping.take();
  s.contacts = {{.body_a = 1, .body_b = 0, .force = {1, 2, 4}},
                {.body_a = 1, .body_b = 0, .force = {8, 16, 32}},
                {.body_a = 1, .body_b = 2, .force = {64, 128, 256}}};
  const Signals signals(run.model);
  const auto force = [&](const std::string& body) {
    return std::vector<double>{value_of(signals, s, "contact:" + body + ".x"),
                               value_of(signals, s, "contact:" + body + ".y"),
                               value_of(signals, s, "contact:" + body + ".z")};
  };
  EXPECT_EQ(force("world"), (std::vector<double>{-9, -18, -36}));
  EXPECT_EQ(force("box_1"), (std::vector<double>{73, 146, 292}));
  EXPECT_EQ(force("box_2"), (std::vector<double>{-64, -128, -256}));
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
  EXPECT_EQ(chosen({"q:*_?"}), (List{0, 1}));
  EXPECT_EQ(chosen({"**y"}), (List{3}));
  EXPECT_EQ(chosen({"?????*"}), (List{0, 1, 2, 3}));
  EXPECT_EQ(chosen({"*e*e*"}), (List{3}));
  for (const char* none : {"q:hinge", "q:hinge_11", "hinge_1", "??", "*x*", "q:hinge_1?"})
    EXPECT_FALSE(select_signals(names, std::vector<std::string>{none})) << none;
  // By the fewest characters to change, insert or delete; the first of the names if there are as many.
  const std::vector<std::string> words{"sitting", "kitten", "mitten", "bitten", "b"};
  EXPECT_EQ(select_signals(words, std::vector<std::string>{"kittens"}).error().message,
            "there is no signal 'kittens'; nearest are: kitten, mitten, bitten");
  EXPECT_EQ(select_signals(words, std::vector<std::string>{"ab"}).error().message,
            "there is no signal 'ab'; nearest are: b, kitten, mitten");
  EXPECT_EQ(select_signals(std::vector<std::string>{"one"}, std::vector<std::string>{"two"}).error().message,
            "there is no signal 'two'; nearest are: one");
  EXPECT_FALSE(select_signals(names, std::vector<std::string>{""}));
}

}  // namespace
}  // namespace linchpin

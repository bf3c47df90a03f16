#include "linchpin/sim/batch.h"

#include "linchpin/model/scenes.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

// Different worlds: each has its own initial velocity.
std::vector<State> worlds_of(const Model& model, int count) {
  std::vector<State> worlds(count, make_state(model));
  for (int i = 0; i < count; ++i) worlds[i].v[0] += 0.1 * i;
  return worlds;
}

TEST(Batch, SameBitsForAnyNumberOfThreads) {
  for (const char* text : {"swing:links=4", "stack:boxes=2", "stand4", "@pendulum:links=3"}) {
    const Model model = compiled(scene(text).value());
    std::vector<State> single = worlds_of(model, 7);
    for (State& state : single) state = advanced(model, state, {}, 150);
    for (const int threads : {1, 2, 3, 16}) {
      Batch batch(model, {}, threads);
      std::vector<State> worlds = worlds_of(model, 7);
      std::vector<StepReport> reports(worlds.size());
      batch.advance(worlds, 100, {}, reports);
      batch.advance(worlds, 50, {}, reports);
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        EXPECT_TRUE(reports[i].ok());
        EXPECT_TRUE(same_bits(worlds[i], single[i])) << text << " world " << i << ", " << threads << " threads";
      }
    }
  }
}

TEST(Batch, AWorldThatFailsStopsAloneAndNoneIsNoWork) {
  const Model model = compiled(scene("stack:boxes=2").value());
  Batch batch(model, {}, 2);
  std::vector<State> worlds = worlds_of(model, 3);
  worlds[1].v[4] = std::numeric_limits<double>::infinity();
  std::vector<StepReport> reports(3);
  batch.advance(worlds, 10, {}, reports);
  EXPECT_TRUE(reports[0].ok() && reports[2].ok());
  EXPECT_EQ(reports[1].status, StepStatus::not_finite);
  EXPECT_EQ(worlds[1].time, 0);
  EXPECT_NEAR(worlds[0].time, 0.01, 1e-12);
  batch.advance({}, 5, {}, {});
}

// Each world has its own forces on coordinates and bodies, and its own controls.
TEST(Batch, WithInputsHasTheBitsOfSingleSimulations) {
  for (const char* text : {"stand4", "humanoid", "stack:boxes=2", "@pendulum:links=3"}) {
    const Model model = compiled(scene(text).value());
    const int count = 5;
    std::vector<std::vector<double>> tau, f_ext, controls;
    std::vector<Inputs> inputs;
    for (int i = 0; i < count; ++i) {
      tau.emplace_back(model.nv());
      f_ext.emplace_back(6 * model.bodies().size());
      controls.emplace_back(model.actuators().size());
      for (std::size_t k = 0; k < tau[i].size(); ++k) tau[i][k] = 0.01 * (i + 1) * (int(k) % 5 - 2);
      for (std::size_t k = 6; k < f_ext[i].size(); ++k) f_ext[i][k] = 0.02 * (i + 1) * (int(k) % 7 - 3);
      for (std::size_t k = 0; k < controls[i].size(); ++k) controls[i][k] = 0.01 * (i + 1) * (int(k) % 3 - 1);
    }
    for (int i = 0; i < count; ++i) inputs.push_back({tau[i], f_ext[i], controls[i]});
    inputs[3] = {};

    std::vector<State> single = worlds_of(model, count);
    for (int i = 0; i < count; ++i) single[i] = advanced(model, single[i], {}, 40, inputs[i]);
    EXPECT_FALSE(same_bits(single[1], advanced(model, worlds_of(model, count)[1], {}, 40))) << text;
    for (const int threads : {1, 2, 3}) {
      Batch batch(model, {}, threads);
      std::vector<State> worlds = worlds_of(model, count);
      std::vector<StepReport> reports(count);
      batch.advance(worlds, 15, inputs, reports);
      batch.advance(worlds, 25, inputs, reports);
      for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(reports[i].ok()) << reports[i].reason;
        EXPECT_TRUE(same_bits(worlds[i], single[i])) << text << " world " << i << ", " << threads << " threads";
      }
    }
  }
}

std::string message_of(const auto& broken) {
  try {
    broken();
  } catch (const CheckFailed& failed) {
    return failed.what();
  }
  return "nothing was thrown";
}

TEST(Batch, WrongSizesAreNamedBeforeAnyWorldMoves) {
  const Model model = compiled(scene("@pendulum:links=3").value());
  Batch batch(model, {}, 2);
  const std::vector<State> start = worlds_of(model, 4);
  std::vector<StepReport> reports(4);
  const auto message = [&](std::vector<State> worlds, std::span<const Inputs> inputs) {
    const std::string text = message_of([&] { batch.advance(worlds, 3, inputs, reports); });
    EXPECT_TRUE(same_bits(worlds[0], start[0])) << text;
    return text;
  };
  std::vector<State> wrong = start;
  wrong[3].q.push_back(0);
  EXPECT_EQ(message(wrong, {}), "world 3: state.q has 4 numbers, the model needs 3");
  std::vector<Inputs> inputs(4);
  const std::vector<double> seven(7);
  inputs[2].tau = seven;
  EXPECT_EQ(message(start, inputs), "world 2: tau has 7 numbers, the model needs none or 3");
  inputs[2] = {.f_ext = seven};
  EXPECT_EQ(message(start, inputs), "world 2: f_ext has 7 numbers, the model needs none or 24");
  inputs[2] = {.controls = seven};
  EXPECT_EQ(message(start, inputs), "world 2: controls has 7 numbers, the model has 0 actuators");
  EXPECT_EQ(message(start, std::span(inputs).first(3)), "inputs has 3 entries for 4 worlds");
  EXPECT_EQ(message_of([&] { batch.advance(wrong, 3, {}, std::span(reports).first(2)); }),
            "reports has 2 entries for 4 worlds");
  EXPECT_EQ(message_of([&] { batch.advance(wrong, 0, {}, reports); }), "steps is 0; it must be at least 1");
}

// A step in a thread throws: here because the time of two worlds overflows in their first step, and a state's time must
// be finite. It ended the process.
TEST(Batch, AThrowingStepReachesTheCallerAfterAllOthersAreDone) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.bodies.push_back({.name = "mass", .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}});
  spec.joints.push_back({.name = "slide", .type = JointType::prismatic, .child = "mass"});
  const Model model = compiled(spec);
  const SimulationOptions options{.stepper = Stepper::explicit_euler, .dt = 8e307};
  for (const int threads : {1, 2, 3, 6}) {
    Batch batch(model, options, threads);
    std::vector<State> worlds(6, make_state(model));
    worlds[2].time = worlds[4].time = 1.2e308;
    std::vector<StepReport> reports(worlds.size());
    EXPECT_EQ(message_of([&] { batch.advance(worlds, 2, {}, reports); }),
              "world 2: state.time is inf s; it must be finite")
        << threads << " threads";
    for (const int i : {0, 1, 3, 5}) EXPECT_EQ(worlds[i].time, 1.6e308) << "world " << i;
  }
}

}  // namespace
}  // namespace linchpin

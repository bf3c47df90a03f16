// The order of every stepper with a fixed step on the ten scenes of the suite `steppers`: the slope of log error over
// log dt, over three halvings. The reference is event_driven with a tolerance of 1e-12, of the humanoid time_stepping
// with a 64th of the shortest dt. Errors are those of the positions at the end.
#include "bench/stepper_scenes.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/sim/simulation.h"

namespace linchpin {
namespace {

constexpr int halvings = 3, first = 1;  // from dt / 2 on
constexpr double exact = 1e-11;         // m or rad: errors below it have no slope

State end_of(const StepperScene& scene, const Model& model, const SimulationOptions& options) {
  State state = make_state(model);
  if (!scene.q.empty()) state.q = scene.q;
  if (!scene.v.empty()) state.v = scene.v;
  Simulation simulation(model, options);
  const long steps = std::lround(scene.time / options.dt);
  for (long i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state);
    EXPECT_TRUE(report.ok()) << report.reason << " at " << state.time;
    if (!report.ok()) break;
  }
  return state;
}

State reference_of(const StepperScene& scene, const Model& model) {
  if (scene.name == "humanoid")
    return end_of(scene, model, {.stepper = Stepper::time_stepping, .dt = scene.dt / (64 << (first + halvings))});
  return end_of(
      scene, model,
      {.stepper = Stepper::event_driven, .dt = scene.dt, .relative_tolerance = 1e-12, .absolute_tolerance = 1e-13});
}

// The least slope of a stepper: those of order 2 are stated to be above 1.9. The feet of the humanoid stop and rock, at
// instants that are found to a part of dt: its errors stay in proportion to dt^2, but by factors that differ.
double least_slope(const StepperScene& scene, Stepper stepper) {
  const int order = order_of(stepper);
  return scene.name == "humanoid" ? 0.75 * order : order == 2 ? 1.9 : order - 0.2;
}

// Infinite where nothing is left of an error.
double slope_of(const StepperScene& scene, const Model& model, const State& truth, Stepper stepper) {
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const double dt = scene.dt / (1 << (first + i * halvings));
    error[i] = error_of(model, end_of(scene, model, {.stepper = stepper, .dt = dt}), truth);
  }
  if (error[0] < exact && error[1] < exact) return std::numeric_limits<double>::infinity();
  return std::log2(error[0] / error[1]) / halvings;
}

class StepperOrders : public testing::TestWithParam<int> {};

TEST_P(StepperOrders, AreThoseStated) {
  const StepperScene scene = stepper_scenes()[std::size_t(GetParam())];
  const Model model = compile(scene.spec).value();
  const State truth = reference_of(scene, model);
  for (int i = 0; i < stepper_count; ++i) {
    const Stepper stepper = Stepper(i);
    const bool is_adaptive = stepper == Stepper::dormand_prince || stepper == Stepper::event_driven;
    if (is_adaptive || (!scene.smooth && !has_contact(stepper))) continue;
    // At contacts its order is not stated.
    if (stepper == Stepper::higher_order && !scene.smooth) continue;
    EXPECT_GT(slope_of(scene, model, truth, stepper), least_slope(scene, stepper))
        << scene.name << ", " << to_string(stepper);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, StepperOrders, testing::Range(0, 10));

}  // namespace
}  // namespace linchpin

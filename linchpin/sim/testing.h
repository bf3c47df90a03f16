// Shared by the tests of this room.
#pragma once

#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

inline Model compiled(const ModelSpec& spec) {
  Result<Model> model = compile(spec);
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(model).value();
}

inline std::vector<Stepper> all_steppers() {
  return {Stepper::semi_implicit_euler, Stepper::explicit_euler, Stepper::rk4, Stepper::dormand_prince,
          Stepper::implicit_midpoint};
}

// The state after `steps` steps; a step that fails fails the test.
inline State advanced(const Model& model, State state, const SimulationOptions& options, int steps,
                      const Inputs& inputs = {}) {
  Simulation simulation(model, options);
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state, inputs);
    EXPECT_TRUE(report.ok()) << to_string(simulation.options().stepper.value()) << ": " << report.reason
                             << " at t = " << state.time;
    if (!report.ok()) break;
  }
  return state;
}

// dormand_prince at a tolerance near round-off: a reference for other steppers.
inline SimulationOptions tight(double dt) {
  return {.stepper = Stepper::dormand_prince, .dt = dt, .relative_tolerance = 1e-14, .absolute_tolerance = 1e-15};
}

inline bool same_bits(const State& a, const State& b) {
  const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
  };
  return same(a.q, b.q) && same(a.v, b.v) && same_bits(a.time, b.time) && same_bits(a.substep, b.substep);
}

// The distance of two states: the largest coordinate of the step from one to the other, or of the change of v.
inline double distance(const Model& model, const State& a, const State& b) {
  std::vector<double> step(a.v.size());
  difference(model, a.q, b.q, step);
  return std::max(largest(step), largest_difference(a.v, b.v));
}

}  // namespace linchpin

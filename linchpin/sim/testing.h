// Shared by the tests of this room.
#pragma once

#include <algorithm>
#include <cstring>

#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

inline Model compiled(const ModelSpec& spec) {
  Result<Model> model = compile(spec);
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(model).value();
}

inline std::vector<Stepper> all_steppers() {
  return {Stepper::semi_implicit_euler, Stepper::explicit_euler, Stepper::rk4,         Stepper::dormand_prince,
          Stepper::implicit_midpoint,   Stepper::time_stepping,  Stepper::trapezoidal, Stepper::position_level,
          Stepper::higher_order,        Stepper::event_driven};
}

// Those that choose their substeps by a tolerance: their error does not follow dt.
inline bool is_adaptive(Stepper stepper) {
  return stepper == Stepper::dormand_prince || stepper == Stepper::event_driven;
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

inline bool same_bytes(const RowMemory& a, const RowMemory& b) {
  const auto& [key, force, approach] = a;  // all fields
  return key == b.key && std::memcmp(force.data(), b.force.data(), sizeof force) == 0 &&
         std::memcmp(approach.data(), b.approach.data(), sizeof approach) == 0;
}

// Every field: one that is added to State does not compile here until it is compared too. NaN equals itself: for states
// that a failed step must leave alone.
inline bool same_bytes(const State& a, const State& b) {
  const auto& [time, q, v, substep, memory, fresh, loose_steps, vdot, still] = a;
  const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  };
  return same_bits(time, b.time) && same(q, b.q) && same(v, b.v) && same_bits(substep, b.substep) &&
         std::ranges::equal(memory, b.memory,
                            [](const RowMemory& x, const RowMemory& y) { return same_bytes(x, y); }) &&
         fresh == b.fresh && loose_steps == b.loose_steps && same(vdot, b.vdot) && same(still, b.still);
}
// The same, and every number is finite: for results. Two runs that both end in NaN do not agree.
inline bool same_bits(const State& a, const State& b) {
  const bool remembered =
      std::ranges::all_of(a.memory, [](const RowMemory& m) { return std::isfinite(largest(m.force)); });
  return same_bytes(a, b) && std::isfinite(largest(a.q)) && std::isfinite(largest(a.v)) &&
         std::isfinite(largest(a.vdot)) && std::isfinite(largest(a.still)) && remembered;
}

// The distance of two states: the largest coordinate of the step from one to the other, or of the change of v.
inline double distance(const Model& model, const State& a, const State& b) {
  std::vector<double> step(a.v.size());
  difference(model, a.q, b.q, step);
  return larger(largest(step), largest_difference(a.v, b.v));
}

}  // namespace linchpin

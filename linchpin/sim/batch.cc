#include "linchpin/sim/batch.h"

#include <algorithm>
#include <thread>

namespace linchpin {

Batch::Batch(const Model& model, const SimulationOptions& options, int threads) {
  check(threads >= 0, "threads is ", threads, "; it must be at least 1, or 0 for one per hardware thread");
  const unsigned there = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t count = threads > 0 ? std::size_t(threads) : there;
  simulations_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) simulations_.emplace_back(model, options);
}

void Batch::advance(std::span<State> states, int steps, std::span<const Inputs> inputs, std::span<StepReport> reports) {
  check(inputs.empty() || inputs.size() == states.size(), "inputs has ", inputs.size(), " entries for ", states.size(),
        " worlds");
  check(reports.size() == states.size(), "reports has ", reports.size(), " entries for ", states.size(), " worlds");
  check(steps >= 1, "steps is ", steps, "; it must be at least 1");
  const auto run = [&](std::size_t part, std::size_t parts) {
    Simulation& simulation = simulations_[part];
    for (std::size_t i = states.size() * part / parts; i < states.size() * (part + 1) / parts; ++i)
      for (int k = 0; k < steps; ++k) {
        reports[i] = simulation.step(states[i], inputs.empty() ? Inputs{} : inputs[i]);
        if (!reports[i].ok()) break;
      }
  };
  const std::size_t parts = std::min(simulations_.size(), std::max<std::size_t>(states.size(), 1));
  std::vector<std::jthread> others;
  others.reserve(parts - 1);
  for (std::size_t part = 1; part < parts; ++part) others.emplace_back(run, part, parts);
  run(0, parts);
}

}  // namespace linchpin

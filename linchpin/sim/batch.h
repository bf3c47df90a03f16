// Steps many independent states ("worlds") of one model, on several threads.
//
//     Batch batch(model, {.dt = 1e-3});
//     std::vector<State> worlds(1000, make_state(model));
//     std::vector<StepReport> reports(worlds.size());
//     batch.advance(worlds, 100, {}, reports);
//
// The motion of a world depends only on its own state and inputs: it is bit-equal to that of a single Simulation, for
// any number of threads and any other worlds.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/simulation.h"

namespace linchpin {

class Batch {
 public:
  // threads: 0 for one per hardware thread. The model must outlive the batch.
  Batch(const Model& model, const SimulationOptions& options, int threads = 0);
  Batch(const Model&&, const SimulationOptions&, int = 0) = delete;

  // Advances every state by `steps` steps. inputs: empty, or one for each world, constant over all steps. A world whose
  // step fails keeps its last good state. Its report is that of the failed step, otherwise that of the last step.
  //
  // Sizes are checked first: if those of one world are wrong, CheckFailed names it, and no world has moved. If a step
  // throws, that world keeps its last good state and report, all others are advanced, and then the exception of the
  // first such world is thrown; CheckFailed names the world.
  void advance(std::span<State> states, int steps, std::span<const Inputs> inputs, std::span<StepReport> reports);

  int threads() const { return int(simulations_.size()); }

 private:
  const Model* model_;
  std::vector<Simulation> simulations_;  // one for each thread
};

}  // namespace linchpin

// Many worlds of one model at once, on as many threads as asked for.
//
//     Batch batch(model, {.dt = 1e-3});
//     std::vector<State> worlds(1000, make_state(model));
//     std::vector<StepReport> reports(worlds.size());
//     batch.advance(worlds, 100, {}, reports);
//
// A world's motion depends on its own state and inputs and on nothing else: the same bits as one Simulation gives, for
// any number of threads, in any company.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/simulation.h"

namespace linchpin {

class Batch {
 public:
  // threads: 0 for as many as the machine has. The model must outlive the batch.
  Batch(const Model& model, const SimulationOptions& options, int threads = 0);

  // Every state by so many steps. inputs: empty, or one for each world, held all the time. A world whose step fails
  // stays at its last good state; its report is that step's, otherwise the last one's.
  void advance(std::span<State> states, int steps, std::span<const Inputs> inputs, std::span<StepReport> reports);

  int threads() const { return int(simulations_.size()); }

 private:
  std::vector<Simulation> simulations_;  // one for each thread
};

}  // namespace linchpin

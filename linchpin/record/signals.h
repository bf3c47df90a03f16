// The signals of a run: named numbers, one value per frame, to be plotted, exported and compared.
//
// | name                                            | meaning                                                         |
// |-------------------------------------------------|-----------------------------------------------------------------|
// | q:JOINT, v:JOINT, r:CONSTRAINT                  | positions, velocities, reactions (signal_names.h)               |
// | kinetic, gravity, springs, energy, defect       | energies of the state, their sum, defect of the balance, J      |
// | work, dissipated, lost, projected               | accumulated, J (energy_balance.h)                               |
// | residual, cone_violation, penetration,          | of the step that led there (StepReport)                         |
// | loop_error, loop_speed, contacts, iterations,   |                                                                 |
// | impacts                                         |                                                                 |
// | contact:BODY.x, .y, .z                          | contact force on a body with shapes, N, in the world's axes     |
//
// `simulate --csv` writes the first two lines up to `defect`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

class Signals {
 public:
  explicit Signals(const Model& model);
  std::span<const std::string> names() const { return names_; }
  // One value for each name.
  void values(const Snapshot& snapshot, std::vector<double>& out) const;

 private:
  std::vector<std::string> names_;
  std::vector<int> touched_;  // bodies with shapes
  std::vector<int> place_;    // index of each body in touched_, or -1
};

// Indices of the names that match one of the patterns, in their order, each once: * stands for any text, ? for any
// character. An Error names a pattern without a match, and the most similar names.
Result<std::vector<std::size_t>> select_signals(std::span<const std::string> names,
                                                std::span<const std::string> patterns);

}  // namespace linchpin

// The numbers of a run by name, one of each for every frame: what is plotted, exported and compared.
//
// | name                                            | what                                                            |
// |-------------------------------------------------|-----------------------------------------------------------------|
// | q:JOINT, v:JOINT, r:CONSTRAINT                  | positions, velocities, reactions (signal_names.h)               |
// | kinetic, gravity, springs, energy, defect       | of the state, their sum, and what is not accounted for, J       |
// | work, dissipated, lost, projected               | so far, J (energy_balance.h)                                    |
// | residual, cone_violation, penetration,          | of the step that led there (StepReport)                         |
// | loop_error, loop_speed, contacts, iterations,   |                                                                 |
// | impacts                                         |                                                                 |
// | contact:BODY.x, .y, .z                          | force of all contacts on a body with shapes, N, world's axes    |
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
  std::vector<int> place_;    // of each body in touched_, or -1
};

// The names, in their order, that one of the patterns means, each once: * stands for any text, ? for any letter. An Error
// names a pattern that means none, and the names that come nearest.
Result<std::vector<std::size_t>> select_signals(std::span<const std::string> names,
                                                std::span<const std::string> patterns);

}  // namespace linchpin

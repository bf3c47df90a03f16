// The choice of a consistent contact mode. Internal to sim/.
//
// A mode that obeys the conditions (1) to (4) of mode_conditions.h is found by pivoting: as long as a condition is
// violated, the item that violates it most changes. A mode that slides from rest in space takes the direction of its
// acceleration in rounds. If a few pivots do not lead to a consistent mode, which happens where several contacts start
// to slide in space, mode_guess.h finds one to start from again. Then pivots again, which take the first violated
// condition in place of the worst after a while, since that ends most cycles.
//
// Start and choice. The mode tried first keeps every contact in touch closed, sticking where it does not slide; pivots
// move away from it one by one. Where more than one mode is consistent, this one is the choice; other_modes.h looks for
// others.
#pragma once

#include "linchpin/sim/event_driven/admissible_forces.h"
#include "linchpin/sim/event_driven/mode_guess.h"

namespace linchpin {

// ModeDynamics::solve(), in rounds of the directions of contacts that slide from rest in space.
void solve_with_directions(ModeDynamics& dynamics, Mode& mode, ModeForces& forces);

class ModeChoice {
 public:
  explicit ModeChoice(ModeDynamics& dynamics) : dynamics_(dynamics), admissible_(dynamics) {}
  // Makes the mode consistent, for forces that evaluate() has filled with all rows. Returns the fault that is left,
  // with kind none if the mode is consistent.
  ModeFault choose(Mode& mode, ModeForces& forces);

 private:
  ModeFault pivot_until_consistent(int most, Mode& mode, ModeForces& forces);
  void pivot_alike(const ModeFault& worst, const ModeForces& forces, Mode& mode);
  void close_idle(Mode& mode, ModeForces& forces);

  ModeDynamics& dynamics_;
  AdmissibleForces admissible_;
  Mode first_, found_;
  std::vector<ModeFault> faults_;
  ModeGuess guess_;
};

}  // namespace linchpin

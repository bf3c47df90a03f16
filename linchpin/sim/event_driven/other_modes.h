// Is another contact mode consistent beside the one that was chosen? Internal to sim/.
//
// Without friction accelerations are unique [Glocker 2001, ch. 5]; with friction they need not be (Painleve). All modes
// are too many to try. Those tried differ from the chosen one by what one contact does, of the first `most_tried`:
//     closed  ->  open
//     open    ->  closed, sliding where it slides already and sticking otherwise
// Another mode counts if it obeys (1) to (4) of mode_conditions.h and moves otherwise: the contact that changed opens,
// or is loaded, by more than `clearly` of the largest acceleration or force. So a mode that begins or ends at this very
// moment does not count. Of one contact in the plane nothing is missed: with a = W_NN - mu W_NT < 0 < b_N, where it is
// known that modes are not unique, sliding from rest is consistent if and only if sticking is, and opening is too. That
// a contact at rest stays there up to mu_static, though it could slide with a lower mu_kinetic, is its law, no choice.
#pragma once

#include "linchpin/sim/event_driven/mode_choice.h"

namespace linchpin {

class OtherModes {
 public:
  static constexpr int most_tried = 10;
  static constexpr double clearly = 1e-6;

  explicit OtherModes(ModeDynamics& dynamics) : dynamics_(dynamics) {}
  // mode: as chosen, with the forces of all rows, whose z and w are overwritten.
  bool any_is_consistent(const Mode& mode, ModeForces& forces);

 private:
  bool is_consistent_if(const Mode& mode, std::size_t contact, Hold hold, ModeForces& forces);

  ModeDynamics& dynamics_;
  Mode other_;
};

}  // namespace linchpin

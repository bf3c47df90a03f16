// The conditions that a contact mode must obey, and what follows where one is violated. Internal to sim/.
//
// A mode is consistent if its forces and accelerations (mode_dynamics.h) obey, with the cone (2) of contact_set.h,
//     closed contact          z_N >= 0                                                                          (1)
//     open contact in touch   w_N >= 0                                                                          (2)
//     sticking                |z_T| <= mu_static z_N                                                            (3)
//     sliding from rest       w_T is in the direction `slide`                                                   (4)
// and limits and dry friction the like. This is the complementarity problem at the level of accelerations
// [003 s.6; Glocker 2001, ch. 5]. Where a condition is violated, its item changes: a contact with (1) opens, with (2)
// closes, with (3) slides against its friction, with (4) sticks.
//
// Conditions count as violated beyond `mode_tolerance` of the largest acceleration or force at hand
// (ModeForces::scale), a thousand times the rounding of (1) of mode_dynamics.h.
#pragma once

#include "linchpin/sim/event_driven/mode_dynamics.h"

namespace linchpin {

inline constexpr double mode_tolerance = 1e-9;
// Of a mode that begins: stricter, so that one that has just ended is not chosen again.
inline constexpr double choice_tolerance = 1e-10;

struct ModeFault {
  enum class Kind { none, pulls, closes, slips, reverses, limit_pulls, limit_closes, dry_slips, dry_reverses };
  Kind kind = Kind::none;
  int index = -1;
  double margin = 0;  // of its condition, relative to ModeForces::scale; negative if violated
};

// The condition (1) to (4) with the least margin, of all rows in `forces`. first_only: the first one that is violated
// beyond the tolerance, if any.
ModeFault worst_condition(const Mode& mode, const ModeForces& forces, bool first_only = false);

// The margin of one condition of an item; NaN if it has none.
double margin_of(ModeFault::Kind kind, int item, const Mode& mode, const ModeForces& forces);

// Fills `out` with the conditions whose margins are below `margin`.
void conditions_below(const Mode& mode, const ModeForces& forces, double margin, std::vector<ModeFault>& out);

// Changes the item that `fault` names.
void pivot(const ModeFault& fault, const ModeForces& forces, Mode& mode);

}  // namespace linchpin

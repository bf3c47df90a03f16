// The choice of a consistent contact mode. Internal to sim/.
//
// A mode is consistent if its forces and accelerations (mode_dynamics.h) obey, with the cone (2) of contact_set.h,
//     closed contact          z_N >= 0                                                                          (1)
//     open contact in touch   w_N >= 0                                                                          (2)
//     sticking                |z_T| <= mu_static z_N                                                            (3)
//     sliding from rest       w_T is in the direction `slide`                                                   (4)
// and limits and dry friction the like. This is the complementarity problem at the level of accelerations
// [003 s.6; Glocker 2001, ch. 5]. It is solved by pivoting: as long as a condition is violated, the item that violates
// it most changes: a contact with (1) opens, with (2) closes, with (3) slides against its friction, with (4) sticks.
// A mode that slides from rest in space takes the direction of its acceleration in rounds. If a few pivots do not lead
// to a consistent mode, which happens where several contacts start to slide in space, the solvers of solvers/ find one
// to start from again, by rounds of a problem that is symmetric,
//     cones for contacts at rest, w_N >= 0 perp z_N >= 0 for those that slide,
//     with the friction (3) of mode_dynamics.h of the normal forces of the round before                         (5)
// Its forces are those that ModeContact::near keeps where single forces are not unique. Then pivots again, which take
// the first violated condition in place of the worst after a while, since that ends most cycles.
//
// Conditions count as violated beyond `mode_tolerance` of the largest acceleration or force at hand
// (ModeForces::scale), a thousand times the rounding of (1) of mode_dynamics.h.
//
// Start and choice. The mode tried first keeps every contact in touch closed, sticking where it does not slide; pivots
// move away from it one by one. Where more than one mode is consistent, this one is the choice; other_modes.h looks for
// others.
#pragma once

#include "linchpin/sim/event_driven/admissible_forces.h"
#include "linchpin/sim/event_driven/mode_dynamics.h"
#include "linchpin/solvers/solver.h"

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
  bool solve_by_cones(const Mode& mode, const ModeForces& forces);
  bool solve_cones(const ModeForces& forces);
  void pose_cones(const Mode& mode, const ModeForces& forces);
  void adopt_solution(const ModeForces& forces, Mode& mode);

  ModeDynamics& dynamics_;
  AdmissibleForces admissible_;
  Mode first_, found_;
  std::vector<ModeFault> faults_;
  Problem problem_;
  Solver solver_;
  std::vector<int> rows_;       // of the problem, in ModeForces
  std::vector<double> across_;  // by row of ModeForces
  std::vector<double> known_, x_, z_, w_;
};

}  // namespace linchpin

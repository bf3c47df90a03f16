// A guess of a contact mode, by the solvers of solvers/. Internal to sim/.
//
// Rounds of a problem that is symmetric,
//     cones for contacts at rest, w_N >= 0 perp z_N >= 0 for those that slide,
//     with the friction (3) of mode_dynamics.h of the normal forces of the round before                         (1)
// Its forces are those that ModeContact::near keeps where single forces are not unique.
#pragma once

#include "linchpin/sim/event_driven/mode_conditions.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

class ModeGuess {
 public:
  // Makes the mode that of (1), for forces that evaluate() has filled with all rows. Leaves it alone if (1) was not
  // solved.
  void find(const ModeForces& forces, Mode& mode);

 private:
  bool solve_by_cones(const Mode& mode, const ModeForces& forces);
  bool solve_cones(const ModeForces& forces);
  void pose_cones(const Mode& mode, const ModeForces& forces);
  void adopt_solution(const ModeForces& forces, Mode& mode);

  Problem problem_;
  Solver solver_;
  std::vector<int> rows_;       // of the problem, in ModeForces
  std::vector<double> across_;  // by row of ModeForces
  std::vector<double> known_, x_, z_, w_;
};

}  // namespace linchpin

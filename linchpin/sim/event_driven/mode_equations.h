// The forces of a contact mode: (2) to (5) of mode_dynamics.h. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/sim/event_driven/least_norm.h"
#include "linchpin/sim/event_driven/mode_forces.h"

namespace linchpin {

// The direction of sliding in which friction acts: u itself, or slide where there is no slip yet; W.
Vec3<double> sliding_direction(const ModeContact& contact, const Contact& at, const Vec3<double>& u);
// (5) per unit of normal force, W.
Vec3<double> friction_per_load(const Contact& in_motion, const Vec3<double>& direction);

class ModeEquations {
 public:
  // Solves (4) by the mode. loops: the number of rows of constraints, which come first.
  void solve(const Mode& mode, int loops, ModeForces& out);
  // Right after solve(): vectors z that change no acceleration (by row, `count` of them one after the other).
  int idle_forces(const ModeForces& forces, std::vector<double>& out);

 private:
  LeastNormSolver solver_;
  std::vector<int> unknown_;        // rows with w = 0
  std::vector<Vec3<double>> load_;  // per contact: of its friction that slides, per load, W
  std::vector<int> slides_;         // by row: the contact whose sliding load this row is, or -1
  std::vector<double> A_, x_, near_, idle_;
};

}  // namespace linchpin

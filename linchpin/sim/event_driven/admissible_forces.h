// Forces of redundant contacts: among all that give the accelerations of a mode, those that obey its conditions best.
// Internal to sim/.
//
// Where (4) of mode_dynamics.h has a null space N, forces z + N y have the same accelerations for all y. With m_i the
// margins of (1) and (3) of mode_conditions.h, which are concave in y,
//     the mode is admissible if   max over y of min over i of m_i(z + N y) >= 0                                  (1)
// This number is continuous in time, so the event that the mode has no admissible forces left is a root of it. It is
// found by Newton's method on the smooth function
//     -(1/p) log sum exp(-p m_i),   p = 10, 100, ... 1e9                                                         (2)
// which is less than (1) by up to log(count) / p. The search ends as soon as all margins are positive: preloads may
// grow without bound.
#pragma once

#include <vector>

#include "linchpin/sim/event_driven/mode_dynamics.h"

namespace linchpin {

class AdmissibleForces {
 public:
  explicit AdmissibleForces(ModeDynamics& dynamics) : dynamics_(dynamics) {}
  // Right after ModeDynamics::solve(): moves the forces towards (1), and w stays. Returns (1), or the first positive
  // margin found.
  double find(const Mode& mode, ModeForces& forces);
  // Makes the mode keep these forces.
  static void keep(const ModeForces& forces, Mode& mode);

 private:
  // m = a + g . z_rows - bend: a linear function of up to one row, and the length of two others.
  struct Margin {
    int row = 0, tangents = -1;     // tangents: the first of two rows, or -1
    double factor = 1, offset = 0;  // of z at `row`
    double across = 1, unit = 1;
  };
  double value(const Margin& m, std::vector<double>& gradient, std::vector<double>* hessian) const;
  void list(const Mode& mode, const ModeForces& f);
  double smooth(double p, bool with_derivatives);

  ModeDynamics& dynamics_;
  std::vector<Margin> margins_;
  std::vector<double> idle_, z_, y_, step_, tried_;
  std::vector<double> values_, gradient_, hessian_, g_, h_;
  int count_ = 0, rows_ = 0;
};

}  // namespace linchpin

// The rows of a contact mode at one configuration, with their forces and accelerations. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/sim/event_driven/mode.h"
#include "linchpin/sim/steppers.h"
#include "linchpin/sim/time_stepping/interval.h"

namespace linchpin {

// (4) of mode_dynamics.h is contradictory if its residual is more than this part of ModeForces::scale.
inline constexpr double contradiction = 1e-7;

// Of a square matrix of n rows, row by row.
inline std::size_t entry_of(int row, int column, int n) {
  return std::size_t(row) * std::size_t(n) + std::size_t(column);
}

struct ModeForces {
  explicit ModeForces(const Model& model) : vdot(std::size_t(model.nv())) {}
  // At one configuration, by evaluate().
  StepRows rows;
  std::vector<Contact> contacts;   // of the mode, in its order, with the tangents and coefficients of rest
  std::vector<Contact> in_motion;  // the same with those of sliding
  std::vector<Vec3<double>> u;     // W, their relative velocities
  std::vector<int> contact_row, limit_row, dry_row;  // of the mode's items: their first row, -1 for none
  std::vector<double> W, b;                          // (1) of mode_dynamics.h, W row by row
  std::vector<double> D;                             // by row: 1 / root of W's diagonal
  double scale = 0;       // the largest |D b|: accelerations and forces far below it are rounding
  bool all_found = true;  // false: a contact of the mode is no longer there
  // By solve().
  std::vector<double> z, w;   // by row
  bool is_unique = true;      // the rank of (4) is full
  bool is_consistent = true;  // (4) has a solution
  std::vector<double> vdot;
  // By evaluate_power().
  Power power;
  double lost = 0;  // power that contacts and dry friction take, W
};

}  // namespace linchpin

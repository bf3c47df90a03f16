// Inverse dynamics of closed chains: which forces of the actuators make a given motion.
//
// With `needed` = what rnea() asks of all coordinates, and the rows' reactions lambda,
//     needed = tau + J' lambda,   tau zero on coordinates without an actuator                                  (1)
// The passive coordinates leave the reactions to be found from J_p' lambda = needed_p; then tau = needed_a - J_a' lambda.
// Where actuators are more than the freedom there is, many tau do: these are the least (sum of squares, N and N m alike);
// of the reactions that are then still open, as where rows are redundant, these are the least too. Where they are fewer,
// the motion may be out of reach, and `unmet` says by how much force.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"

namespace linchpin {

struct ClosedInverseReport {
  double unmet = 0;     // largest force that a passive coordinate would still need, N or N m
  double off_rows = 0;  // largest |gddot| of the motion asked for: not zero, then it breaks the constraints
  int freedom = 0;      // of the mechanism, here
  int spare = 0;        // actuator directions beyond what (1) needs: tau was a choice if more than zero
  bool finite = true;
};

// tau, one per velocity coordinate, zero on all that are not in `actuated`; chain.reactions the reactions. f_ext as in
// aba.h, empty for none. Dense, and it allocates.
ClosedInverseReport closed_inverse_dynamics(std::span<const double> q, std::span<const double> v,
                                            std::span<const double> vdot, std::span<const double> f_ext, double time,
                                            std::span<const int> actuated, ClosedChain& chain, std::span<double> tau);

}  // namespace linchpin

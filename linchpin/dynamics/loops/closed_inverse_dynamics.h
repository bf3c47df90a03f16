// Inverse dynamics of closed chains: the actuator forces that cause a given motion.
//
// With needed = rnea(q, v, vdot) over all coordinates, and the reactions lambda of the rows,
//     needed = tau + J' lambda,   tau zero on coordinates without an actuator                                  (1)
// The passive coordinates p determine the reactions, J_p' lambda = needed_p; then tau = needed_a - J_a' lambda for the
// actuated ones a. With more actuators than degrees of freedom many tau satisfy (1); the one with the least sum of
// squares is returned (N and N m alike), and the least of the reactions that remain undetermined, as with redundant
// rows. With fewer actuators the motion may be impossible, and `unmet` is the missing force.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"

namespace linchpin {

struct ClosedInverseReport {
  double unmet = 0;     // largest force missing on a passive coordinate, N or N m
  double off_rows = 0;  // largest |gddot| of the given motion; not zero if it violates the constraints
  int freedom = 0;      // degrees of freedom of the mechanism at this q
  int spare = 0;        // actuator directions beyond those that (1) determines; tau is unique if zero
  bool finite = true;
};

// Fills tau, one number per velocity coordinate, zero on those not in `actuated`, and chain.reactions. f_ext as in
// aba.h, empty for none. Uses dense matrices and allocates.
ClosedInverseReport closed_inverse_dynamics(std::span<const double> q, std::span<const double> v,
                                            std::span<const double> vdot, std::span<const double> f_ext, double time,
                                            std::span<const int> actuated, ClosedChain& chain, std::span<double> tau);

}  // namespace linchpin

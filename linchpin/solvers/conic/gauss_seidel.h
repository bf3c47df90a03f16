// Block Gauss-Seidel, the well-known baseline: NSGS for contacts, PGS for single rows.
//
// Each contact and each row in turn is solved exactly with the others fixed (local_contact.h):
//     r_i:   w_i = W_ii r_i + (q_i + sum over j != i of W_ij r_j)                                                (1)
// Sweeps are cheap, and few are needed if contacts are weakly coupled; for stacks, towers and redundant contacts the
// number of sweeps is unbounded. A row with a zero diagonal cannot be solved for: if it is violated, the solver stops
// (stalled).
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/conic/sweeping.h"

namespace linchpin {

struct GaussSeidelWorkspace : SweepingWorkspace {
  std::vector<double> diagonal;  // blocks of W, nine numbers per cell
};

Outcome gauss_seidel(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                     std::span<double> z);

}  // namespace linchpin

// Block Gauss-Seidel, the baseline that everyone knows: NSGS for contacts, PGS for single rows.
//
// Contact after contact, and row after row, each is solved exactly with the others held (local_contact.h):
//     r_i:   w_i = W_ii r_i + (q_i + sum over j != i of W_ij r_j)                                                (1)
// Sweeps cost little and few are needed where contacts hardly feel each other; in stacks, towers and redundant contacts
// the number of sweeps grows beyond all bounds. Rows without a diagonal cannot be solved for: where such a row does not
// hold as it is, it stops at once (stalled).
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/conic/sweeping.h"

namespace linchpin {

struct GaussSeidelWorkspace : SweepingWorkspace {
  std::vector<double> diagonal;  // of W, nine numbers a cell
};

Outcome gauss_seidel(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                     std::span<double> z);

}  // namespace linchpin

// The proximal-point equation solved by fixed-point iteration, another well-known baseline.
//
// z solves the problem if each cell is the projection of itself after a step against its velocity,
//     r_i = P(r_i - rho_i u~_i)          for any rho_i > 0,                                                     (1)
// the formulation by which the LCP "could be side-stepped" [002 s.2.3]. The iteration assigns the right side to the
// left, cell after cell, with rho_i the inverse of the cell's largest diagonal entry. It needs projections only, no
// solution of single contacts, and takes more iterations than gauss_seidel.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/conic/sweeping.h"

namespace linchpin {

struct ProximalWorkspace : SweepingWorkspace {
  std::vector<double> rho;  // by cell
};

Outcome proximal(const Problem& problem, const SolverOptions& options, ProximalWorkspace& ws, std::span<double> z);

}  // namespace linchpin

// Nonsmooth Newton within a proximal-point iteration: contacts by tens and thousands, redundant or not, to round-off.
//
// Solves F(r) = 0, the natural map (natural_map.h; Alart and Curnier's function for cones), in the judge's units. Where
// contacts are redundant the derivative is singular and Newton's method alone wanders off. So each outer step k solves
// the problem with W + eps 1 and q - eps r_k in place of W and q,
//     r_{k+1}:   F_eps(r) = 0,   u_eps = W r + q + eps (r - r_k)                                                 (1)
// which is regular, has the same solutions once r_{k+1} = r_k (the proximal point of 002 s.2.3, as an outer iteration),
// and needs a few Newton steps
//     ((1 - G) + rho G B (W + eps 1)) dr = -F_eps                                                               (2)
// from r_k. While these succeed quickly eps shrinks, and with it the difference between (1) and the problem:
// convergence becomes superlinear, one factorisation for each step. Where they fail eps grows. Steps are shortened at
// most twice and need not lower |F_eps| below the largest of the last few: monotone line searches get stuck at the
// kinks of F.
//
// From a guess that is near, such as the last step's solution, whole steps are tried before all that (whole_steps.h).
// Where they do not arrive (1) begins at the guess.
//
// Takes every kind of block. A solution is found, not a particular one: redundant impulses stay near the guess.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/conic/cell_system.h"
#include "linchpin/solvers/conic/natural_map.h"
#include "linchpin/solvers/conic/scaled_problem.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct NewtonWorkspace : CellWorkspace {
  using CellWorkspace::CellWorkspace;
  std::vector<double> r, u, F, dr, du, trial, trial_u, trial_F, centre, best;
  std::vector<Piece> piece, trial_piece;
};

Outcome newton(const Problem& problem, const SolverOptions& options, NewtonWorkspace& ws, std::span<double> z);

}  // namespace linchpin

// Nonsmooth Newton's method within a proximal-point iteration, for tens to thousands of contacts, redundant or not.
//
// Solves F(r) = 0, the natural map (natural_map.h; Alart and Curnier's function for cones), in the units of residual.h.
// If contacts are redundant the derivative of F is singular and Newton's method alone diverges. Each outer step k
// therefore solves the problem with W + eps 1 and q - eps r_k in place of W and q,
//     r_{k+1}:   F_eps(r) = 0,   u_eps = W r + q + eps (r - r_k)                                                 (1)
// It is regular, and it has the solutions of the original problem once r_{k+1} = r_k (the proximal point of 002 s.2.3,
// as an outer iteration). It takes a few Newton steps from r_k,
//     ((1 - G) + rho G B (W + eps 1)) dr = -F_eps                                                               (2)
// While these converge quickly, eps shrinks, and with it the difference between (1) and the problem: convergence
// becomes superlinear, with one factorisation per outer step. When they fail, eps grows. A step is shortened at most
// twice and must only lower |F_eps| below the largest of the last few values: monotone line searches get stuck at the
// kinks of F.
//
// From a good guess, such as the solution of the last time step, full Newton steps are tried first (whole_steps.h). If
// they do not converge, (1) starts at the guess.
//
// Takes every kind of block. If the solution is not unique, the redundant impulses found are near the guess.
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

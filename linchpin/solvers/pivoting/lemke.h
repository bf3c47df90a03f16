// Lemke's method: follows a path of complementary bases to a solution, exact up to rounding, or to a ray.
//
// The problem, w = M z + q with rows free, nonnegative or box (problem.h), is widened by one unknown z0 >= 0 and a
// covering vector d > 0:
//     w = M z + d z0 + q                                                                                      (1)
// For z0 large enough, z = 0 and w = d z0 + q >= 0 obey every law. z0 is lowered until some w_r reaches 0; from then on
//     the partner of the variable that left the basis enters it, and whichever basic variable reaches a bound
//     first leaves,                                                                                           (2)
// which keeps every law satisfied at every step. When z0 itself leaves, at 0, (1) is the problem and z its solution.
// When nothing blocks in (2) the path is a ray, and z's direction y along it is a candidate proof that there is no
// solution (certificate.h): for M positive semidefinite it always is one, for others it may be.
//     x_B = b + T x_N                                                                                         (3)
// is the tableau: basic variables by nonbasic ones. Exchanging basic r with nonbasic s is a pivot, a rank-one update:
//     T_rj <- -T_rj / T_rs,   T_ij <- T_ij + T_is T_rj,   T_is <- T_is / T_rs,   T_rs <- 1 / T_rs             (4)
//
// Ties in (2) are broken lexicographically: as if b were perturbed by (e, e^2, e^3, ...) for all small e. The path then
// never meets the same basis twice, so the method ends. The perturbation's coefficients are columns of T that are there
// anyway; they are looked at only when there is a tie.
//
// Free rows are pivoted in first (all their w out, all their z in) and then forgotten: they never block. Box rows are
// kept as one bounded variable instead of being split into two rows: z may also leave at its upper bound, and then z
// and w change sign (z <- u - z, w <- -w), so that all nonbasic variables are 0 and every entering one grows. That is
// the same path as that of the split problem with half its rows.
//
// The set of basic z is all that is believed of the walk. With a that set (and all free rows), the solution is
//     M_aa z_a = -q_a, other z at their bounds                                                                (5)
// from the problem's own numbers, corrected by iterative refinement; if (5) breaks a law by more than rounding, the
// walk goes on from a tableau made anew from a. A warm start is the same: a from the guess, (5), and if that obeys
// every law it is the solution, without any pivot; else the tableau for a, (1) with the rows that (5) breaks, and (2).
//
// All this holds in exact numbers. In rounded ones, ties are as wide as rounding is, and of those who tie the ones with
// very small pivots are spared; rows that break their law in (5) may change sides some times before another walk; and a
// path that ends in a ray, or nowhere, without a proof is tried again with other d. Nothing of this is ever taken for a
// solution without (5) and all laws.
//
// [Lemke 1965; Cottle, Pang, Stone 1992, sec. 4.4 and 4.9 for (1)-(4)]; scaling, boxes and (5) are docs/lemke.md.
#pragma once

#include <span>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct LemkeWorkspace {
  // After Stop::ray: a candidate for certifies_unsolvable(), one number per row. Otherwise empty.
  std::vector<double> ray;

  // Scratch, in the solver's own order and units: pairs first, then free rows.
  std::vector<int> order;                          // row of the problem
  std::vector<int> row_variable, column_variable;  // who is where in the tableau
  std::vector<int> place;                          // where a variable is: column s, or ~row
  std::vector<int> start_variable;                 // basic when the walk began, by row: those that are perturbed
  std::vector<int> active, active_rows, candidates, pivots;
  std::vector<char> flipped, start_flipped, saved_flipped;
  std::vector<char> kept_row, taken_row, taken_column;  // of free rows
  AlignedArray<double> matrix;                          // M scaled, row by row
  AlignedArray<double> tableau;                         // column by column
  AlignedArray<double> factor;                          // M_aa while it is eliminated, row by row
  AlignedArray<double> basic, saved;                    // 1 where z is basic, else 0
  AlignedArray<double> sign, scale, row_scale, reference, q, height, row_height, x, w, ratio, solved, best;
  std::vector<double> unpacked;  // M, where the problem does not hold it dense
};

// Takes free, nonnegative and box blocks. Iterations are pivots.
Outcome lemke(const Problem& problem, const SolverOptions& options, LemkeWorkspace& ws, std::span<double> z);

}  // namespace linchpin

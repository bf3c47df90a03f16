// Lemke's method: follows a path of complementary bases to a solution, exact up to rounding, or to a ray.
//
// The problem, w = M z + q with rows free, nonnegative or box (problem.h), is extended by one unknown z0 >= 0 and a
// covering vector d > 0:
//     w = M z + d z0 + q                                                                                      (1)
// For z0 large enough, z = 0 and w = d z0 + q >= 0 obey every law. z0 is lowered until some w_r reaches 0; from then on
//     the partner of the variable that left the basis enters it, and the basic variable that reaches a bound
//     first leaves,                                                                                           (2)
// which keeps every law satisfied at every step. When z0 itself leaves, at 0, (1) is the problem and z its solution. If
// nothing blocks in (2) the path is a ray, and the direction y of z along it may prove that there is no solution
// (unsolvable.h): for M positive semidefinite it always does.
//     x_B = b + T x_N                                                                                         (3)
// is the tableau: basic variables by nonbasic ones. Exchanging basic r with nonbasic s is a pivot, a rank-one update:
//     T_rj <- -T_rj / T_rs,   T_ij <- T_ij + T_is T_rj,   T_is <- T_is / T_rs,   T_rs <- 1 / T_rs             (4)
//
// Ties in (2) are broken lexicographically: as if b were perturbed by (e, e^2, e^3, ...) for all small e. No basis then
// occurs twice, so the method terminates. The coefficients of the perturbation are columns of T, which exist anyway;
// they are read only if there is a tie.
//
// Free rows are pivoted in first (all their w leave, all their z enter) and are then left out: they never block. A box
// row stays one bounded variable instead of two rows: z may also leave at its upper bound, and then z and w change sign
// (z <- u - z, w <- -w), so that all nonbasic variables are 0 and every entering one grows. The path is that of the
// problem with split rows, at half its size.
//
// Only the set of basic z is taken from the walk. With a that set (and all free rows), the solution is
//     M_aa z_a = -q_a, other z at their bounds                                                                (5)
// from the problem's own numbers, with iterative refinement. If (5) violates a law by more than rounding, the walk
// continues from a new tableau of a. A warm start does the same with a from the guess: if (5) obeys every law it is the
// solution, without any pivot; else the tableau of a, (1) with the rows that (5) violates, and (2).
//
// All this holds in exact arithmetic. In floating point, ties are as wide as rounding, and candidates with very small
// pivots do not leave; rows that violate their law in (5) may change sides a few times before another walk; and a path
// that ends in a ray or at its limit, without a proof, is tried again with another d. In every case a solution must
// obey (5) and all laws.
//
// [Lemke 1965; Cottle, Pang, Stone 1992, sec. 4.4 and 4.9 for (1)-(4)]; scaling, boxes and (5) are in docs/lemke.md.
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

  // Internal, in the solver's own order and units: pairs first, then free rows.
  std::vector<int> order;                          // row of the problem
  std::vector<int> row_variable, column_variable;  // the variable of each row and column of the tableau
  std::vector<int> place;                          // by variable: its column s, or ~row
  std::vector<int> start_variable;                 // by row: basic when the walk began; these are perturbed
  std::vector<int> active, active_rows, candidates, pivots;
  std::vector<char> flipped, start_flipped, saved_flipped;
  std::vector<char> kept_row, taken_row, taken_column;  // of free rows
  AlignedArray<double> matrix;                          // M scaled, row by row
  AlignedArray<double> tableau;                         // column by column
  AlignedArray<double> factor;                          // M_aa while it is eliminated, row by row
  AlignedArray<double> basic, saved;                    // 1 where z is basic, else 0
  AlignedArray<double> sign, scale, row_scale, reference, q, height, row_height, x, w, ratio, solved, best;
  std::vector<double> unpacked;  // M, if it is not dense in the problem
};

// Takes free, nonnegative and box blocks. Iterations are pivots.
Outcome lemke(const Problem& problem, const SolverOptions& options, LemkeWorkspace& ws, std::span<double> z);

}  // namespace linchpin

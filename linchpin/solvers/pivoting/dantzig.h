// Dantzig's principal pivoting: drives one row after the other until its law holds, while all others keep theirs.
//
// For w = M z + q with rows free, nonnegative or box (problem.h) and M positive definite, or semidefinite and
// symmetric. Each row is inside (w = 0, z between its bounds; the active set A) or at a bound of z. A row that violates
// its law at its bound is driven: its z_i grows (or falls) by t, and the rows inside move so that their w stay 0,
//     z_A <- z_A + t dz_A,    M_AA dz_A = -M_Ai,                                                               (1)
//     w   <- w + t dw,        dw = M_{.i} + M_{.A} dz_A,                                                       (2)
// until the first of these events:
//     w_i = 0             row i is inside, done
//     z_i at a bound      row i is lawful there, done
//     z_a at a bound      row a of A goes to that bound; continue with the new A
//     w_j = 0             row j, so far lawful at its bound, goes inside; continue with the new A              (3)
// dw_i >= 0 since M is semidefinite, and each drive leaves one more row lawful. If dw_i = 0 then M (dz, 1) = 0 (M
// symmetric): row i depends on A, and only a bound can stop it. Rows that depend on A never enter it, since their dw is
// 0 too.
//
// The inverse of M_AA is kept and updated, O(|A|^2), as rows enter and leave A:
//     u = M_AA^-1 M_Aj,  v = M_jA M_AA^-1,  s = M_jj - M_jA u:    [M_AA^-1 + u v / s,  -u / s;  -v / s,  1 / s]  (4)
// and in reverse when a row leaves. In the end only the set A is used: z_A comes from M_AA z_A = -q_A - M_AN z_N with
// the problem's own numbers and a fresh factorisation, corrected once. If that violates a law by more than rounding,
// the drives continue from there. A warm start does the same with the active set of the guess.
//
// [Cottle, Dantzig 1968; Cottle, Pang, Stone 1992, sec. 4.2; Baraff 1994 for contact]. There is no guarantee for
// matrices that are not semidefinite, such as those of polyhedral friction: use lemke.h.
#pragma once

#include <span>
#include <vector>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/base/aligned.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct DantzigWorkspace {
  AlignedArray<double> columns;  // M scaled, column by column
  AlignedArray<double> inverse;  // of M_AA, row by row
  AlignedArray<double> scale, q, lower, upper, z, w, dz, dw, u, v, gathered;
  std::vector<int> active;     // A
  std::vector<int> position;   // in A, or -1
  std::vector<char> at_upper;  // for rows at a bound: which one
  std::vector<char> skipped;   // rows that depend on A
  std::vector<double> unpacked;
  DenseLu lu;
};

// Takes free, nonnegative and box blocks. Iterations are events (3). Stop::ray: a drive is unbounded; if M is
// semidefinite there is then no solution.
Outcome dantzig(const Problem& problem, const SolverOptions& options, DantzigWorkspace& ws, std::span<double> z);

}  // namespace linchpin

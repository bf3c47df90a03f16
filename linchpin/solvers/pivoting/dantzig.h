// Dantzig's principal pivoting: drives one row after the other to where its law holds, while all others keep theirs.
//
// For w = M z + q with rows free, nonnegative or box (problem.h) and M positive definite, or semidefinite and
// symmetric. Each row is inside (w = 0, z between its bounds; the set A) or at a bound of z. A row that breaks its law
// at its bound is driven: its z_i grows (or falls) by t, the rows inside give way so that their w stay 0,
//     z_A <- z_A + t dz_A,    M_AA dz_A = -M_Ai,                                                               (1)
//     w   <- w + t dw,        dw = M_{.i} + M_{.A} dz_A,                                                       (2)
// until one of these happens first:
//     w_i = 0             row i is inside, done
//     z_i at a bound      row i is lawful there, done
//     z_a at a bound      row a of A goes there; on with the new A
//     w_j = 0             row j, lawful at its bound so far, goes inside; on with the new A                    (3)
// dw_i >= 0 since M is semidefinite, and each drive leaves one more row lawful. If dw_i = 0 then M (dz, 1) = 0 (M
// symmetric): row i depends on A and nothing but a bound can stop it; rows that depend on A never enter it, since their
// dw is 0 too.
//
// The inverse of M_AA is kept and updated, O(|A|^2), as rows come and go:
//     u = M_AA^-1 M_Aj,  v = M_jA M_AA^-1,  s = M_jj - M_jA u:    [M_AA^-1 + u v / s,  -u / s;  -v / s,  1 / s]  (4)
// and backwards when a row goes. In the end the set alone is believed: z_A comes from M_AA z_A = -q_A - M_AN z_N with
// the problem's own numbers and a fresh factorisation, corrected once; if that breaks a law by more than rounding, the
// drives go on from there. A warm start is the same, from the set that the guess tells.
//
// [Cottle, Dantzig 1968; Cottle, Pang, Stone 1992, sec. 4.2; Baraff 1994 for contact]. For matrices that are not
// semidefinite, such as those of polyhedral friction, nothing is promised: lemke.h.
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
  std::vector<char> at_upper;  // of rows at a bound
  std::vector<char> skipped;   // rows that depend on A
  std::vector<double> unpacked;
  DenseLu lu;
};

// Takes free, nonnegative and box blocks. Iterations are events (3). Stop::ray: nothing stops a drive; where M is
// semidefinite there is then no solution.
Outcome dantzig(const Problem& problem, const SolverOptions& options, DantzigWorkspace& ws, std::span<double> z);

}  // namespace linchpin

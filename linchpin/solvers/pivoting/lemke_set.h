// (5): the solution of a set, and whether it obeys every law. For lemke_*.cc only.
//
// The set a is `basic` of the workspace, with all free rows except redundant ones; other z are at 0 or, if `flipped`,
// at the height of their box:
//     M_aa x_a = -(q + M_an x_n)_a,    w = M x + q                                                          (5)
#pragma once

#include "linchpin/solvers/pivoting/lemke_elimination.h"
#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// w = M x + q
void all_w(const Run& run);

// Lists a in `active` and its rows in `active_rows`. Redundant free rows (lemke_start.cc) are left out, and as many z:
// in an unsymmetric M these need not be the same, so rows and columns of M_aa have separate lists.
int gather_active(const Run& run);
// M_aa of these lists, with -w_a as the last column.
Elimination gather_block(const Run& run, int count);

// Whether x and w are a solution. If not, but the best so far, stores them in `best`.
bool is_solution(Run& run);

// Whether the x of the tableau can be used without a factorisation of (5): no free rows, and exact in the problem's
// numbers. Sets w to that of x.
bool tableau_is_exact(Run& run);

// Solves (5). Returns whether that is a solution; false if M_aa has no pivot above `smallest`. Near a solution, at the
// end of a path or from a good guess, the set is corrected a few times: rows that violate their law change sides. That
// is much cheaper than a walk, and works even if M_aa is so nearly singular that a walk cannot distinguish small steps
// from none; but it may cycle.
bool settle(Run& run, double smallest);

}  // namespace linchpin::lemke_detail

// (5): the solution of a set, and whether it obeys every law. For lemke_*.cc alone.
//
// The set a is `basic` of the workspace, with all free rows but the redundant; other z are at 0 or, where `flipped`, at
// the height of their box:
//     M_aa x_a = -(q + M_an x_n)_a,    w = M x + q                                                          (5)
#pragma once

#include "linchpin/solvers/pivoting/lemke_elimination.h"
#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// w = M x + q
void all_w(const Run& run);

// Lists a in `active`, its rows in `active_rows`. Of redundant free rows (lemke_start.cc) the row is left out, and as
// many z: in an unsymmetric M these need not be the same, so that rows and columns of M_aa are listed apart.
int gather_active(const Run& run);
// M_aa of what was listed, with -w_a as the last column.
Elimination gather_block(const Run& run, int count);

// Whether x and w are a solution. If not, but the best so far, keeps them for the worst case.
bool is_solution(Run& run);

// Whether the tableau's own x needs no factorisation of (5): without free rows, and exact in the problem's numbers. w
// becomes that of x.
bool tableau_is_exact(Run& run);

// Solves (5) and looks whether that is a solution; it is none where M_aa has no pivot above `smallest`. Near one, at
// the end of a path or from a good guess, some corrections of the set by itself are much cheaper than a walk, and they
// are right even where M_aa is so near to singular that a walk cannot tell small steps from none; but they may go in
// circles.
bool settle(Run& run, double smallest);

}  // namespace linchpin::lemke_detail

// The rows inside, A: the inverse of M_AA, updated by (4) as rows enter and leave, and their z. For dantzig*.cc only.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

// u = M_AA^-1 M_Aj
void solve_for_column(const Run& run, int j, double* u);

// Puts row j into A by (4). False if it depends on A.
bool enter(Run& run, int j);
// The same; recomputes the inverse before it decides that the row depends on A.
bool enter_surely(Run& run, int j);
// Removes row j from A: (4) in reverse, after moving the row to the end.
void leave(Run& run, int j);
// Recomputes the inverse: errors of updates by (4) add up.
void refresh(Run& run);

// Makes w of the rows inside 0 by changing their z by means of the inverse, `times` times: the first time solves, the
// others correct.
void solve_inside(Run& run, int times);
// Computes z of the rows inside, with all others at their bounds, and w.
void solve_set(Run& run);
// The same with the problem's own numbers and a fresh factorisation, corrected while that helps. It removes the errors
// that the updates have left in the inverse.
void solve_afresh(Run& run);

}  // namespace linchpin::dantzig_detail

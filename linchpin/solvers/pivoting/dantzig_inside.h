// The rows inside, A: their inverse, kept by (4) as rows come and go, and their z. For dantzig*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

// u = M_AA^-1 M_Aj
void solve_for_column(const Run& run, int j, double* u);

// Puts row j into A by (4). False if it depends on A.
bool enter(Run& run, int j);
// The same, in doubt with an inverse made anew.
bool enter_surely(Run& run, int j);
// Takes row j out of A: (4) backwards, after it has been made the last.
void leave(Run& run, int j);
// The inverse anew: updates by (4) add up their errors.
void refresh(Run& run);

// Makes w of the rows inside 0 by changing their z as the inverse tells, `times` times: the first solves, or corrects
// what is nearly solved.
void solve_inside(Run& run, int times);
// z of the rows inside, all others at their bounds; and w.
void solve_set(Run& run);
// The same with the problem's own numbers and a fresh factorisation, corrected while that helps. Without it, the
// inverse's errors of all updates would remain.
void solve_afresh(Run& run);

}  // namespace linchpin::dantzig_detail

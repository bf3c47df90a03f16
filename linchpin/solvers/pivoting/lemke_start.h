// The tableau from which a walk starts: that of a set, free rows pivoted in, with a covering vector. For lemke_*.cc
// only.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// Makes the tableau of the set `basic`, with nonbasic z at the bounds given by `flipped`; not from_set: of the empty
// set. Pairs that depend on others are removed from the set. False if a free row has no solution: see `ray`.
bool make_tableau(Run& run, bool from_set);

// The covering vector d of (1): 1 in the scaled units or, on later attempts, other numbers between 1 and 2. A basic z
// with two bounds is already within them and must not be moved by z0.
void cover(Run& run, int attempt);

}  // namespace linchpin::lemke_detail

// The tableau from which a walk begins: that of a set, free rows pivoted in, with a covering vector. For lemke_*.cc
// alone.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// The tableau of the set `basic`, with nonbasic z at the bounds told by `flipped`; or, not from_set, that of no pair.
// Those who depend on the others are struck from the set. False: a free row has no solution, see `ray`.
bool make_tableau(Run& run, bool from_set);

// The covering vector d of (1): 1 in our units, or, on later tries, other numbers between 1 and 2. A basic z with two
// bounds is within them already and must not be moved by z0.
void cover(Run& run, int attempt);

}  // namespace linchpin::lemke_detail

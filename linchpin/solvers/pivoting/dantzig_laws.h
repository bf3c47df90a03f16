// Who breaks its law, and by how much. For dantzig*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

// By how much row i breaks its law: above 0 if w is too small there, below 0 if too large; for rows at a bound.
double broken_at_bound(const Run& run, int i);

// The row at a bound that breaks its law most; free rows before all others, as they are inside for good. -1: none.
int worst_row(const Run& run);

// The worst violation of any law, over what rounding explains: up to 1 is lawful.
double broken(const Run& run);

}  // namespace linchpin::dantzig_detail

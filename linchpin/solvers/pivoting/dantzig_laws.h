// Which rows violate their laws, and by how much. For dantzig*.cc only.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

// The violation of row i, which is at a bound: above 0 if w is too small, below 0 if w is too large.
double broken_at_bound(const Run& run, int i);

// The row at a bound with the largest violation; free rows first, since they stay inside. -1 if there is none.
int worst_row(const Run& run);

// The largest violation of any law, relative to the rounding error: up to 1 is lawful.
double broken(const Run& run);

}  // namespace linchpin::dantzig_detail

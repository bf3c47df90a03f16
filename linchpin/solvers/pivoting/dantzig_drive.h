// One drive: moves a row that violates its law by (1) and (2), from event to event (3). For dantzig*.cc only.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

enum class End {
  done,
  ray,    // unbounded, and there is no solution
  stuck,  // unbounded because M is not semidefinite, or by rounding
  limit,  // the limit on events is reached
};
// Drives row i until its law holds.
End drive_row(Run& run, int i);

}  // namespace linchpin::dantzig_detail

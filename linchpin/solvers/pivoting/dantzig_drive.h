// One drive: a row that breaks its law is moved by (1) and (2), from event (3) to event. For dantzig*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin::dantzig_detail {

enum class End {
  done,
  ray,    // nothing stops it, and there is no solution
  stuck,  // nothing stops it, but M is not semidefinite, or it is rounding
  limit,  // of events
};
// Drives row i until its law holds.
End drive_row(Run& run, int i);

}  // namespace linchpin::dantzig_detail

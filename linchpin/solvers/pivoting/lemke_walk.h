// (2): the path from basis to basis. For lemke_*.cc only.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

enum class End { solution, ray, limit, overflow };

// Lowers z0 until the first law would be violated, then follows (2). On a ray, `entering` is the variable that grows
// without bound.
End walk(Run& run, int& entering);

}  // namespace linchpin::lemke_detail

// (2): the path from basis to basis. For lemke_*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

enum class End { solution, ray, limit };

// Lowers z0 to where the first law would break, then follows (2). On a ray, `entering` is who grows without end.
End walk(Run& run, int& entering);

}  // namespace linchpin::lemke_detail

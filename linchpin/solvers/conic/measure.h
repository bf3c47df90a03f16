// The residual of scaled unknowns, by the figures of residual.h. Iterative solvers steer and stop by it. Whether a
// problem is solved is decided by residual(), from the problem itself.
#pragma once

#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

// The larger of the two relative figures of residual.h at r. Writes W r + q to u, and |e| of the scaled figure to
// *scaled.
double measure(const ScaledProblem& p, const double* r, double* u, double* scaled = nullptr);

// u = W_c r + q_c of one cell.
void row_velocity(const ScaledProblem& p, int cell, const double* r, double* u);

}  // namespace linchpin

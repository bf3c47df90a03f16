// How far scaled unknowns are from a solution, by the judge's figures: what iterative solvers steer by and stop at. It
// is not the verdict: that is residual()'s, from the problem itself.
#pragma once

#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

// The larger of the judge's two relative figures at r. Leaves W r + q in u, and |e| of the scaled measure in *scaled.
double measure(const ScaledProblem& p, const double* r, double* u, double* scaled = nullptr);

// W_c r + q_c of one cell.
void row_velocity(const ScaledProblem& p, int cell, const double* r, double* u);

}  // namespace linchpin

// The solution of one contact alone, in closed form (local_contact.h): no iteration but the search for a root.
#pragma once

#include <span>

#include "linchpin/solvers/conic/gauss_seidel.h"

namespace linchpin {

// The rows of the one problem that closed_form() takes: a single cone.
inline constexpr int closed_form_rows = 3;

// Takes one cone and nothing else. Iterations are solutions of the closed form: each after the first corrects the
// rounding of the one before, as in iterative refinement.
Outcome closed_form(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                    std::span<double> z);

}  // namespace linchpin

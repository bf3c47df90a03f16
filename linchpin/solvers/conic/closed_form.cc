#include "linchpin/solvers/conic/closed_form.h"

#include <algorithm>

#include "linchpin/base/check.h"

namespace linchpin {

Outcome closed_form(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                    std::span<double> z) {
  check(problem.size() == closed_form_rows && problem.blocks.size() == 1 && problem.blocks[0].kind == BlockKind::cone,
        "closed_form: ", problem.size(), " rows in ", problem.blocks.size(), " blocks; it takes one cone of 3 rows");
  // A sweep over one contact is its closed form.
  constexpr int corrections = 4;  // more do not help: the first leaves rounding only
  SolverOptions one = options;
  one.max_iterations = options.max_iterations > 0 ? std::min(options.max_iterations, corrections) : corrections;
  return gauss_seidel(problem, one, ws, z);
}

}  // namespace linchpin

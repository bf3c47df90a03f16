// Exhaustive search over all active sets. For tests, and for problems of at most a dozen rows.
//
// A choice puts each nonnegative row at its bound, z = 0, or inside, w = 0; each box row at its lower bound, its upper
// bound or inside; free rows are inside. With a the rows inside and b those at bounds, the unknowns follow from
//     M_aa z_a = -(q_a + M_ab z_b)                                                                             (1)
// and they are a solution if z_a obeys its bounds and w_b its signs. There are 2^p 3^k choices for p nonnegative and k
// box rows.
//
// If M_aa is singular and (1) has solutions, one of them is tried. If that violates a law, a linear programme, solved
// by the simplex method (phase one), decides whether another one obeys all. So the search is complete: if it finds no
// solution there is none, up to rounding.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct EnumerationWorkspace {
  std::vector<double> M, q, scale, lower, upper;  // scaled
  std::vector<double> block, rhs, z, w, found;
  std::vector<double> tableau;  // of the simplex method, row by row
  std::vector<int> basis;
  std::vector<int> state, rows, columns;
};

// More nonnegative and box rows than this fail a check: 3^14 choices take half a minute.
inline constexpr int largest_enumeration = 14;

// Stops at the first solution (finished), after all choices (exhausted: z is then the choice with the smallest
// violation) or at options.max_iterations. Takes free, nonnegative and box blocks; iterations are choices tried.
Outcome enumeration(const Problem& problem, const SolverOptions& options, EnumerationWorkspace& ws,
                    std::span<double> z);

// The number of different solutions that all choices give: at least that many exist. If M_aa is singular there may be a
// continuum.
int count_solutions(const Problem& problem, EnumerationWorkspace& ws);

}  // namespace linchpin

// Proof that no choice of enumeration.h gives a solution: enumeration itself compares with tolerances, so it cannot
// tell a problem without a solution from one that is nearly singular.
//
// For each choice, with a the rows inside (free rows among them) and b those at z = 0, one of two arguments is found:
//     M_aa is regular, and its only solution violates a law: with R near M_aa^-1 and z~ near the solution,
//         |1 - R M_aa| = alpha < 1/2   and   |z_a - z~| <= |R| |q_a + M_aa z~| + 2 alpha max of that          (1)
//     bound the solution, and a z_a or w_b is negative by more than the bound [Rump 2010, s. 10];
//     or a y contradicts the choice, in exact arithmetic [Farkas 1902]: y_b >= 0 and
//         y'q < 0,   (M'y)_a = 0 on free rows,   (M'y)_a <= 0 on others                                        (2)
//     since y'w = y'q + (M'y)_a' z_a would be negative, but w_a = 0 and w_b >= 0.
// y is found by the simplex method and rounded to integers, if it is near to some. (2) is first tried for all choices
// at once: a all rows, and y >= 0 on those that are not free.
#pragma once

#include <vector>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

struct EnumerationProofWorkspace {
  std::vector<double> M, q, scale, inverse, z, y, tableau;
  std::vector<long double> block;
  std::vector<int> basis, state, rows;
};

// True if the problem has no solution. False proves nothing: there may be one, or a choice is too nearly singular.
// Takes free and nonnegative rows, at most 32, and at most largest_enumeration of the latter; always false for others,
// and for H A^-1 H', whose numbers are rounded.
bool enumeration_proves_unsolvable(const Problem& problem, EnumerationProofWorkspace& ws);

}  // namespace linchpin

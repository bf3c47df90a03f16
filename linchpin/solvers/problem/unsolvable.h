// Proof that a complementarity problem has no solution.
//
// Every solution z, with w = M z + q, has at least
//     z free, w = 0        z >= 0, w >= 0        l <= z <= u        |z_T| <= mu z_N, w_N >= 0                       (1)
//     (free rows)          (nonnegative)         (box)              (cones)
// so every y with y >= 0 on nonnegative rows and normals of cones, any sign on free rows, and y = 0 elsewhere gives
//     0 <= y'w = y'q + (M'y)'z                                                                                     (2)
// If the right-hand side is negative for all z allowed by (1), there is no solution [Farkas 1902]:
//     M'y = 0 on free rows,   M'y <= 0 on nonnegative rows,   (M'y)_N + mu |(M'y)_T| <= 0 on cones,
//     y'q + sum over boxes of max((M'y) l, (M'y) u) < 0                                                            (3)
#pragma once

#include <span>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

// Whether y proves that `problem` has no solution. Independent of all solvers: M'y and y'q are computed from the
// problem, with a bound on the rounding error of each number. An equality in (3) holds if the number is within its
// bound of 0, an inequality of M'y if it is at most its bound, and the last line if it is negative by a thousand times
// its bound. This proves that a problem whose numbers differ from these by rounding (16 n units in the last place) has
// no solution.
bool certifies_unsolvable(const Problem& problem, std::span<const double> y);

}  // namespace linchpin

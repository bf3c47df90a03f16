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
// If M'y violates (3) by some numbers e, as rounding of M or y does, (2) still needs sum of e |z| >= -y'q:
//     no z with |z_i| <= -(last line of (3)) / (sum of e) for all i is a solution                                  (4)
// The matrix of a problem that is nearly singular may have solutions beyond that, so (4) is not a proof.
#pragma once

#include <span>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

// What y proves, by (4): no z with all |z_i| up to this number solves the problem; infinity if there is no solution at
// all, 0 if y proves nothing. Independent of all solvers: M'y is summed without rounding, from the numbers of the
// problem. The last line of (3) must be negative by a thousand times the rounding error of its sum. A product H A^-1 H'
// has rounded numbers of its own, so nothing is proved for it.
double radius_without_solution(const Problem& problem, std::span<const double> y);

// Whether y proves that `problem` has no solution.
bool certifies_unsolvable(const Problem& problem, std::span<const double> y);

// Replaces y by integers with the same direction up to rounding, if there are some of moderate size: (3) can then hold
// exactly. Rows that contradict each other often do so in a sum or difference. False if there are none; y is then
// unchanged.
bool round_to_integers(std::span<double> y);

}  // namespace linchpin

// The last digits of the direction n between two cores of which one at least is curved. Private to the room.
//
// Searches over simplices end with n right to the square root of what they know of the distance. Near its maximum s(n)
// is the least of a few smooth functions, one for each pair of pieces i (core.h) that meet there: with w_i(n) their
// difference, T two tangents of the sphere at n, and n moved by T y,
//     s_i(n + T y) = s_i + t_i.y - 1/2 y' M_i y,   t_i = T' w_i,   M_i = T'(H_A + H_B) T + s_i 1     (1)
// (the last term is the sphere's own curvature). The largest y of the least of these is where one, two or three of them
// are equal, with multipliers l_i >= 0 of sum 1:
//     sum l_i (t_i - M_i y) = 0,   s_i + t_i.y = s_j + t_j.y                     (2)
// Newton's method with active sets, then: vertices, edges and faces of polytopes, rims, side lines and smooth surfaces
// are all met by the same few lines. Only the kink of a rim along its own axis, a cap, is not smooth: there n is tried
// on the axis itself, and as near to it as the edge of the other core allows.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

// Starts at the unit vector n from the pieces of up to four points of A - B; best.s never ends below where it was.
void polish(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best);

// The same without a look at caps and ridges: for starts that are near to a maximum.
void climb(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best);

}  // namespace linchpin

// Refines the direction n between two cores of which at least one is curved, to the last digits. Private to the room.
//
// The error of n after GJK or EPA is the square root of that of the distance. Near its maximum, s(n) is the minimum of
// a few smooth functions, one for each pair of pieces i (core.h) that meet there. With w_i(n) their difference, T two
// tangents of the unit sphere at n, and n moved by T y,
//     s_i(n + T y) = s_i + t_i.y - 1/2 y' M_i y,   t_i = T' w_i,   M_i = T'(H_A + H_B) T + s_i 1     (1)
// (the last term is the curvature of the sphere). The minimum of these is largest at a y where one, two or three of
// them are equal, with multipliers l_i >= 0 of sum 1:
//     sum l_i (t_i - M_i y) = 0,   s_i + t_i.y = s_j + t_j.y                     (2)
// This is solved by Newton's method with an active set, alike for vertices, edges and faces of polytopes, rims, side
// lines and smooth surfaces. Only the support function of a rim is not smooth along its own axis (a cap). There n is
// tried on the axis itself, and as near to it as the edge of the other core allows.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

// Starts at the unit vector n with the pieces of up to four points of A - B. best.s decreases by rounding at most.
void polish(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best);

// The same without trying caps and ridges, for starts near a maximum.
void climb(const CorePair& pair, const Vec3<double>& n, const Difference* points, int count, Direction& best);

}  // namespace linchpin

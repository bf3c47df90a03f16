// Reduces many contact points to at most eight that support a body equally well. Private to geometry/.
//
// The first three points kept are the deepest one, the one farthest from it, and the one farthest from that (so both
// ends of collinear points are kept). Then, repeatedly, the point p is kept that adds most to the area of the convex
// hull K of the points kept so far, projected along the normal:
//     area(K + p) - area(K) = sum over edges of K that p lies outside of: area of the triangle (edge, p)          (1)
// Points that add no area are dropped. This is done first with the points that a rotation by 1/100 rad would bring to
// the depth of the deepest,
//     gap - least gap <= width / 100,                                                                             (2)
// and then with the others while there is room. So if a body stands on a small face and is within the margin as a
// whole, the points of that face are preferred to those of its outline.
#pragma once

#include <span>

#include "linchpin/geometry/shapes/manifold.h"

namespace linchpin {

inline constexpr int most_candidates = 64;

// Sets m.points and m.count to at most most_points of the candidates, deepest first, and m.distance to the smallest
// gap. m.normal must be set. There must be 1 to most_candidates candidates; they may be m's own points. If there are at
// most most_points candidates, all are kept in their order.
void reduce(std::span<const ContactPoint> candidates, Manifold& m);

}  // namespace linchpin

// Of many contact points, the few that hold a body as well. Private to the room.
//
// Kept are the deepest point, the one farthest from it, the one farthest from that (so points on a line keep both
// ends), and then again and again the point p that adds most to the area of the kept points' convex hull K, seen along
// the normal:
//     area(K + p) - area(K) = sum over edges of K that p lies outside of: area of the triangle (edge, p)          (1)
// Points that add nothing are dropped. All this is done first with the points that a turn of 1/100 would bring down to
// the deepest,
//     gap - least gap <= width / 100,                                                                             (2)
// and only then with the others, as far as there is room: of a body standing on a small face, all of it within the
// margin, that face is kept rather than the outline.
#pragma once

#include <span>

#include "linchpin/geometry/shapes/manifold.h"

namespace linchpin {

inline constexpr int most_candidates = 64;

// Sets m.points and m.count to at most most_points of the candidates (at most most_candidates of them, one at least;
// they may be m's own), deepest first, and m.distance to the least gap. m.normal must be set. With most_points or fewer
// candidates all are kept, in their order.
void reduce(std::span<const ContactPoint> candidates, Manifold& m);

}  // namespace linchpin

// The penetration depth of two cores, by the expanding polytope algorithm (EPA): the point on the surface of A - B that
// is nearest to the origin inside. Private to the room.
//
// The polytope is the hull of some points of A - B. Let N be the outward normal of its face i and f_i the face's
// distance from the origin. The penetration depth, -d, lies between
//     min over faces of f_i <= -d <= h(N) = max { N.w : w in A - B } = -s(-N)    (1)
// for any N. The polytope is extended by the farthest point along the normal of its nearest face, until both ends of
// (1) are equal. For two polytopes this takes finitely many steps. For curved cores it does not: once a face is near
// the surface, polish.h goes from its normal to the nearest maximum of s, and the point w there joins the polytope. The
// criterion for the end is then
//     min over faces of f_i >= 0.95 (-d found)                                   (2)
// so that no other direction has a depth smaller by more than a twentieth; usually none is smaller. If the points found
// do not meet along n, as when Newton's method stalled, the polytope is extended until (1). If that takes too many
// faces, as for a small core in the middle of a large round one, the best direction so far is returned.
// [van den Bergen 2001, but with (1) and (2) as termination criteria]
#pragma once

#include "linchpin/geometry/convex/direction.h"
#include "linchpin/geometry/convex/gjk.h"

namespace linchpin {

// Improves `best`, starting from a simplex in or on which gjk() found the origin.
void epa(const CorePair& pair, const Simplex& simplex, Direction& best);

}  // namespace linchpin

// How deep two cores overlap: the place on the surface of A - B nearest to the origin inside, by a polytope that
// expands. Private to the room.
//
// The polytope is the hull of some points of A - B. Let N be the outward normal of its face i and f_i its distance from
// the origin; the depth of penetration, -d, then lies between
//     min over faces of f_i <= -d <= h(N) = max { N.w : w in A - B } = -s(-N)    (1)
// for any N. The nearest face takes in the point farthest along its normal, until (1) closes. Two polytopes end so
// after finitely many steps. Curved cores would not: where a face is near to the surface, polish.h goes on from its
// normal to the nearest maximum of s, whose point w joins the polytope. The end is then
//     min over faces of f_i >= 0.95 (-d found)                                   (2)
// so that no other way out is shorter by more than a twentieth; as a rule none is. Where the points found do not meet
// along it, as where Newton's method stalled, it goes on to (1). Where that takes too many faces, as for a small core
// in the middle of a big round one, it ends with the best found.
// [van den Bergen 2001, but with (1) as the only test for the end]
#pragma once

#include "linchpin/geometry/convex/direction.h"
#include "linchpin/geometry/convex/gjk.h"

namespace linchpin {

// Improves `best` from a simplex in which gjk() found the origin, or touched it.
void epa(const CorePair& pair, const Simplex& simplex, Direction& best);

}  // namespace linchpin

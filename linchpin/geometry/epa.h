// How deep two cores overlap: the place on the surface of A - B nearest to the origin inside, by a polytope that expands.
// Private to the room.
//
// The polytope is the hull of some points of A - B. Let N be the outward normal of its face i and f_i its distance from
// the origin; the depth of penetration, -d, then lies between
//     min over faces of f_i <= -d <= h(N) = max { N.w : w in A - B } = -s(-N)    (1)
// for any N. The nearest face takes in the point farthest along its normal, until (1) closes. Two polytopes end so after
// finitely many steps. Curved cores would not: where a face is near to the surface, polish.h takes over from its normal,
// and the face has had its turn; what is left are the faces nearer than the best found, if any.
//
// No face can hide a better direction for polytopes. For curved cores a second maximum of s within one such face, less
// than a hundredth of the core's thickness better than the first, would be overlooked.
// [van den Bergen 2001, but with (1) as the only test for the end]
#pragma once

#include "linchpin/geometry/direction.h"
#include "linchpin/geometry/gjk.h"

namespace linchpin {

// Improves `best` from a simplex in which gjk() found the origin, or touched it.
void epa(const CorePair& pair, const Simplex& simplex, Direction& best);

}  // namespace linchpin

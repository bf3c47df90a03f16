// The facet of A - B nearest to the origin, for two hulls close to touch, by walking from facet to facet. Private to the
// room.
//
// A facet of A - B is a face of one hull less a vertex of the other, or an edge less an edge; its plane n.w = s has all of
// A - B on its other side. Let x be how far the foot of the origin in that plane, s n, lies beyond a side of the facet.
// The facet across that side, turned by t, is at
//     s' = s cos t + x sin t                                                     (1)
// which is more than s where x > 0, as s is what is to become largest: always in penetration, and for x > s tan(t/2) when
// apart. Which facet that is, is told by the edges that meet at the vertex, and by the face beyond the edge: the one that
// the plane meets first when it turns about the side. The walk ends where the foot is in the facet.
//   - Apart, d = s then, since s n is in A - B.
//   - In penetration the way out along n is the shortest nearby. With c any point of A - B, the pyramid over the facet
//     with the tip c lies in A - B. If the planes of its flanks, each through a side p q of the facet, have
//         distance of the plane (p, q, c) from the origin >= -s                  (2)
//     the ball about the origin of radius -s lies in A - B: no way out is shorter, and d = s.
// That is less work than to search with simplices (gjk.h, epa.h), but ends without an answer where vertices or edges meet
// at a distance, in deep penetration, and on faces that are no planes to the last digits.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

enum class Walk {
  far,      // farther apart than asked
  arrived,  // proved: `best` has been set
  lost,
};

// Both cores are hulls.
Walk facet_walk(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

// The facet of A - B nearest to the origin, for two hulls close to touch, found by a walk from facet to facet. Private
// to the room.
//
// A facet of A - B is a face of one hull minus a vertex of the other, or an edge minus an edge. All of A - B lies on
// one side of its plane n.w = s. Let s n be the foot of the origin in that plane, and x its distance beyond a side of
// the facet. The neighbouring facet at that side, inclined by the angle t, has
//     s' = s cos t + x sin t                                                     (1)
// The walk maximises s. s' > s holds in penetration whenever x > 0, and when apart for x > s tan(t/2). The neighbour is
// found among the other hull's edges at the vertex and the face beyond the edge: it is the one that the plane meets
// first when it rotates about the side. The walk ends where the foot is inside the facet.
//   - Apart, d = s then, since s n is in A - B.
//   - In penetration, s is a local maximum. With c any point of A - B, the pyramid over the facet with the apex c lies
//     in A - B. If the planes of its flanks, each through a side p q of the facet, satisfy
//         distance of the plane (p, q, c) from the origin >= -s                  (2)
//     the ball about the origin of radius -s lies in A - B, so that the maximum is global and d = s.
// This is less work than GJK and EPA (gjk.h, epa.h), but fails where a vertex is nearest to a vertex or an edge at a
// distance, in deep penetration, and on faces that are not plane to the last digits.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

enum class Walk {
  far,      // the cores are farther apart than `far`
  arrived,  // the best direction is proved; `best` has been set
  lost,     // no result
};

// Both cores must be hulls.
Walk facet_walk(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

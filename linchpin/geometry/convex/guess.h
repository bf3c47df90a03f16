// The direction between two cores near touch, of which at least one is curved: guessed and then verified. It is tried
// before GJK and EPA. Private to the room.
//
// Near touch few features can meet. Candidates for n are the normal of the face, cap or side below the other core's
// centre, that of the one below the other core's lowest point along the first normal, and the common perpendiculars of
// two lines. The candidate with the largest s is taken. If the points that meet are not found with it, Newton's method
// (polish.h) continues from there, once. The result counts only if it is proved:
//   - apart, by points that meet along n, s(n) = |a - b|;
//   - in penetration, by points that meet, and a proof that no other direction has a smaller depth. Let w = s n be the
//     point of the surface of A - B, p_k the lowest points of A - B along directions in a ring about n, and c a point
//     well inside. If the triangles (w, p_k+1, p_k) and (c, p_k, p_k+1) all face away from the origin, they enclose it;
//     if also
//         distance of (c, p_k, p_k+1) from the origin >= -s                      (1)
//         distance of (w, p_k+1, p_k) from the origin >= 0.95 (-s)               (2)
//     A - B contains a ball of radius 0.95 (-s): no direction has a depth smaller by more than a twentieth, as in
//     epa.h (2), and by (1) none outside of the ring has a smaller depth.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

enum class Guess {
  far,     // the cores are farther apart than `far`
  proved,  // `best` is the best direction
  open,    // `best` is the best direction tried
};

// At least one core must be curved.
Guess guess(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

// The direction between two cores near touch, guessed and then proved: what comes before searches where a core is curved.
// Private to the room.
//
// Near touch few features can meet, and most are told by a look from one core to the other: the face, cap or side that
// the other's centre is over, and then the one that the other's lowest point over it is over; two lines square to which
// n must be. The guess with the largest s is taken. Where the points that meet are not found with it, Newton's method
// (polish.h) goes on from there, once. What comes out counts only if proved:
//   - apart, points that meet along n, s(n) = |a - b|;
//   - in penetration, points that meet, and that no other way out is shorter. Let w = s n be the place where the origin
//     leaves A - B, p_k the lowest points of A - B along directions in a ring about n, and c a point well inside. The
//     triangles (w, p_k+1, p_k) and (c, p_k, p_k+1) close round the origin if all look away from it, and with
//         distance of (c, p_k, p_k+1) from the origin >= -s                      (1)
//         distance of (w, p_k+1, p_k) from the origin >= 0.95 (-s)               (2)
//     A - B holds a ball of radius 0.95 (-s): no way out is shorter by more than a twentieth, as in epa.h (2), and by (1)
//     not at all outside of the ring.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

enum class Guess {
  far,     // farther apart than asked
  proved,  // `best` has been set
  open,    // `best` holds the best direction seen
};

// One core at least is curved.
Guess guess(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

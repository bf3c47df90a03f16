// The direction along which two cores are farthest apart, or have the least penetration. Private to the room.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

// The best n of manifold.h (2) for two cores. False if they are certainly farther apart than `far`.
bool separate(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

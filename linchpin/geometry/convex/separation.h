// The direction along which two cores are farthest apart, or least deep in each other. Private to the room.
#pragma once

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

// The best n of manifold.h (2) for two cores. False if it is clear that they are farther apart than `far`.
bool separate(const CorePair& pair, double far, Direction& best);

}  // namespace linchpin

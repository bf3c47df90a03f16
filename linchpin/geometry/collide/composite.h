// Pairs in which at least one shape has several pieces: a compound, mesh or height field. Private to the room.
#pragma once

#include "linchpin/geometry/collide/collide.h"

namespace linchpin {

// collide(), piece by piece.
int collide_pieces(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB,
                   double margin, ManifoldList& out);

}  // namespace linchpin

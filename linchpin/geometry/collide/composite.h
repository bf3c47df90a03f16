// Pairs of which one at least has several pieces: compounds, meshes, height fields. Private to the room.
#pragma once

#include "linchpin/geometry/collide/collide.h"

namespace linchpin {

// As collide(); piece by piece.
int collide_pieces(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB,
                   double margin, ManifoldList& out);

}  // namespace linchpin

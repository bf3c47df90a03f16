// Pairs of which one at least has several pieces: compounds, meshes, height fields. Private to the room.
#pragma once

#include "linchpin/geometry/collide.h"

namespace linchpin {

inline bool is_terrain(const Shape& s) {
  return std::holds_alternative<Mesh>(s) || std::holds_alternative<HeightField>(s);
}
inline bool is_composite(const Shape& s) { return is_terrain(s) || std::holds_alternative<Compound>(s); }

// As collide(); piece by piece.
int collide_pieces(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB,
                   double margin, ManifoldList& out);

}  // namespace linchpin

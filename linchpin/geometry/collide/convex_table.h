// The table of functions for pairs of convex kinds. Private to the room.
#pragma once

#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {

// The kinds up to ConvexHull, in Shape's order.
inline constexpr int convex_kinds = 8;
inline bool is_convex(const Shape& shape) { return shape.index() < convex_kinds; }

using CollideKinds = bool (*)(const Shape&, const Pose&, const Shape&, const Pose&, double, Manifold&);
extern const CollideKinds convex_table[convex_kinds * convex_kinds];

// The manifold of two convex shapes, as in pairs.h. Two half-spaces have no contact. Sets the pieces to 0.
inline bool collide_convex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                           Manifold& m) {
  return convex_table[a.index() * convex_kinds + b.index()](a, X_WA, b, X_WB, margin, m);
}

}  // namespace linchpin

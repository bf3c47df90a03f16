// Which function answers for a pair of convex kinds. Private to the room.
#pragma once

#include "linchpin/geometry/pairs.h"

namespace linchpin {

// The kinds up to ConvexHull, in Shape's order.
inline constexpr int convex_kinds = 8;
inline bool is_convex(const Shape& shape) { return shape.index() < convex_kinds; }

// The manifold of two convex shapes, as pairs.h has it; two half-spaces never meet. Sets the pieces to 0.
bool collide_convex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m);

}  // namespace linchpin

// The axis-aligned bounding box of a shape.
//
// Along the unit vector e of an axis, the extent of a convex shape S follows from its support function h:
//     upper.e = e.p + h(R' e),   lower.e = e.p - h(-R' e),   h(d) = max { d.x : x in S }           (1)
// with (R, p) the pose of S. With r_e = R' e, a row of R, and its part across z, |r_e|_xy = sqrt(r_ex^2 + r_ey^2):
//     sphere      radius                                                                           (2)
//     capsule     half_length |r_ez| + radius                                                      (3)
//     box         half . |r_e|                                                                     (4)
//     cylinder    half_length |r_ez| + radius |r_e|_xy                                             (5)
//     ellipsoid   sqrt(sum (radii_i r_ei)^2)                                                       (6)
//     cone        max(half_length d_z, -half_length d_z + radius |d|_xy)                           (7)
//     hull        max over its vertices                                                            (8)
// A half-space is bounded only along an axis that is exactly parallel to its normal.
#pragma once

#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// The smallest box, up to rounding. For meshes and height fields it may be larger: it bounds their rotated local box.
Aabb bounds(const Shape& shape, const Transform<double>& X_WS);

// The smallest axis-aligned box in W that contains `box`, which is given in the frame S.
Aabb turned(const Aabb& box, const Transform<double>& X_WS);

}  // namespace linchpin

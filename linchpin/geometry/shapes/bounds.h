// The box along the world's axes that holds a shape.
//
// A convex shape S reaches, along the unit vector e of an axis, as far as its support function h says:
//     upper.e = e.p + h(R' e),   lower.e = e.p - h(-R' e),   h(d) = max { d.x : x in S }           (1)
// with (R, p) the pose of S. With r_e = R' e, a row of R, and its part across z, |r_e|_xy = sqrt(r_ex^2 + r_ey^2):
//     sphere      radius                                                                           (2)
//     capsule     half_length |r_ez| + radius                                                      (3)
//     box         half . |r_e|                                                                     (4)
//     cylinder    half_length |r_ez| + radius |r_e|_xy                                             (5)
//     ellipsoid   sqrt(sum (radii_i r_ei)^2)                                                       (6)
//     cone        max(half_length d_z, -half_length d_z + radius |d|_xy)                           (7)
//     hull        max over its vertices                                                            (8)
// A half-space is bounded only along an axis that its normal is exactly parallel to.
#pragma once

#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// The least box, to rounding, for all shapes but meshes and height fields: theirs is the box of the data, turned.
Aabb bounds(const Shape& shape, const Transform<double>& X_WS);

// The least box that holds `box`, given in the frame S.
Aabb turned(const Aabb& box, const Transform<double>& X_WS);

}  // namespace linchpin

// Where a ray first meets a shape.
//
// The ray is the points x(t) = origin + t direction, 0 <= t <= limit; the direction need not be of length 1. Shapes are
// solid and closed: a ray that begins inside, or on the surface on its way out, hits at t = 0 with the normal against
// its direction.
//
// A convex shape is met while t is in one interval [in, out], the first hit is at `in` if in >= 0. Intervals of
//     a plane's side    n.x <= c:   n.(o + t u) = c                                                (1)
//     a ball, a cylinder's side, an ellipsoid (scaled to a ball), a cone's side: a quadratic in t  (2)
// are intersected: three pairs of planes are a box, one pair and (2) a cylinder, all its faces a hull; those of a
// capsule's parts are united. With u of length 1 and o the ray's point nearest to the shape's origin, no digits are
// lost in (2) however far away the ray begins.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

struct Ray {
  Vec3<double> origin, direction;
  double limit = std::numeric_limits<double>::infinity();  // in lengths of `direction`
};

struct RayHit {
  double t;             // the point is origin + t direction
  Vec3<double> normal;  // unit, outward, W
  std::uint32_t piece;  // part of a compound, triangle of a mesh, ...; 0 for a shape of one piece
};

// Meshes and height fields are surfaces here: hit from both sides, with the normal against the ray.
// None if the ray misses, or if its direction is zero or anything is NaN. Of parts hit at the same t, the first.
std::optional<RayHit> cast(const Ray& ray, const Shape& shape, const Transform<double>& X_WS);

}  // namespace linchpin

// Ray casts: the first intersection of a ray with a shape.
//
// The ray is x(t) = origin + t direction, 0 <= t <= limit; the direction need not be of length 1. Shapes are solid and
// closed: a ray that begins inside, or on the surface pointing outwards, hits at t = 0 with the normal opposite to its
// direction.
//
// A ray is inside a convex shape for t in an interval [in, out]; the first hit is at `in` if in >= 0. The intervals of
//     a half-space n.x <= c:   n.(o + t u) = c                                                     (1)
//     a ball, an infinite cylinder, an ellipsoid (scaled to a ball), a cone: a quadratic in t      (2)
// are intersected: a box is three pairs of half-spaces, a cylinder one pair and (2), a hull all of its faces. A capsule
// is the union of its parts. With u of length 1 and o the ray's point nearest to the shape's origin, (2) has no
// cancellation, however far away the ray begins.
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
  double t;             // the point of the hit is origin + t direction
  Vec3<double> normal;  // unit, outward, W
  std::uint32_t piece;  // index of the compound's part or the terrain's triangle; 0 for simple shapes
};

// Meshes and height fields are surfaces here: they are hit from both sides, and the normal points against the ray.
// Returns nothing if the ray misses, if its direction is zero or if any input is NaN. Of parts hit at the same t, the
// first counts.
std::optional<RayHit> cast(const Ray& ray, const Shape& shape, const Transform<double>& X_WS);

}  // namespace linchpin

// Contacts and distances between any two shapes. Symmetric: swapping A and B flips normals and features, nothing else
// but the last digits.
#pragma once

#include <optional>

#include "linchpin/geometry/shapes/manifold.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// Appends the manifolds of A and B whose distance is at most `margin` (m; infinity is allowed), with those of their
// points whose gap is at most `margin`. One manifold for two convex shapes; for compounds, meshes and height fields one
// for each pair of pieces, in rising order of (piece_a, piece_b). Returns how many were appended.
int collide(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB, double margin,
            ManifoldList& out);

// The nearest points while apart; in penetration the ends of the shortest way out.
struct Nearest {
  double distance;      // m, signed
  Vec3<double> normal;  // unit, from B towards A, W
  Vec3<double> on_a, on_b;
};
// None where there is no such thing: of two half-spaces, or at poses that are not finite. Of compounds it is the least
// of their parts', of a mesh that of its triangles from the side that their normals point to.
std::optional<Nearest> signed_distance(const Shape& a, const Transform<double>& X_WA, const Shape& b,
                                       const Transform<double>& X_WB);

}  // namespace linchpin

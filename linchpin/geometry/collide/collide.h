// Contacts and distances between any two shapes. Exchanging A and B reverses normals and features and, apart from
// rounding and the order of manifolds, changes nothing else.
#pragma once

#include <optional>

#include "linchpin/geometry/shapes/manifold.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// Appends the manifolds of A and B whose distance is at most `margin` (m; infinity is allowed), with those of their
// points whose gap is at most `margin`. Two convex shapes have one manifold; compounds, meshes and height fields have
// one for each pair of pieces, except that those of coplanar triangles are merged. They are in rising order of
// (piece_a, piece_b), or of (piece_b, piece_a) if A is terrain and B a compound. Returns the number of manifolds
// appended.
int collide(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB, double margin,
            ManifoldList& out);

// The nearest points while apart; in penetration the two ends of the penetration depth.
struct Nearest {
  double distance;      // m, signed
  Vec3<double> normal;  // unit, from B towards A, W
  Vec3<double> on_a, on_b;
};
// Returns nothing for two half-spaces, for poses that are not finite, and for a shape that is behind all triangles of a
// mesh. The distance of a compound is the smallest of its parts'; that of a mesh is the smallest of its triangles', on
// the side that their normals point to.
std::optional<Nearest> signed_distance(const Shape& a, const Transform<double>& X_WA, const Shape& b,
                                       const Transform<double>& X_WB);

}  // namespace linchpin

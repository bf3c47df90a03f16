// A triangle mesh: terrain, or the surface of a solid if it is closed.
//
// Let n be the unit normal of triangle t, e the unit direction of one of its edges (corners counterclockwise seen from
// the side that n points to) and m the normal of the neighbour u at that edge. The sine of the fold at the edge is
//     (n x m).e                                                                  (1)
// positive at a convex edge (ridge), negative at a concave one (valley). The normal of a contact of t at that edge may
// be n or lie between n and m. A contact of t with the normal n' (unit, pointing off the surface) is not t's own but
// u's, or spurious, if
//     n'.(e x n) > 0 at a flat or concave edge                                   (2)
//     n'.(e x m) > 0 at a convex edge                                            (3)
// since e x n points out of t in its plane, and e x m into u in u's plane. Without this test a ball that rolls over
// terrain catches on edges between coplanar triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/geometry/shapes/bvh.h"
#include "linchpin/spatial/vec.h"

namespace linchpin {

enum class Fold : std::uint8_t { border, convex, flat, concave };

struct TriangleMesh {
  std::vector<Vec3<double>> vertices;         // distinct, each used by a triangle
  std::vector<std::array<int, 3>> triangles;  // counterclockwise seen from outside, in the order given
  std::vector<Vec3<double>> normals;          // unit, one for each triangle
  // For edge k of a triangle, from its corner k to corner k + 1 (mod 3): the neighbour (-1: none) and the fold.
  std::vector<std::array<int, 3>> neighbours;
  std::vector<std::array<Fold, 3>> folds;
  Aabb box;
  Bvh bvh;      // of the triangles' boxes
  bool closed;  // no border edges

  std::array<Vec3<double>, 3> corners(int triangle) const {
    const std::array<int, 3>& t = triangles[triangle];
    return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  }
};

// Repeated vertices are merged, unused ones dropped. Returns an error, with the indices as given, for no triangles,
// vertices that are not finite, corners that are no vertices, triangles without area, edges of three or more triangles,
// and neighbours of opposite orientation.
Result<TriangleMesh> make_mesh(std::span<const Vec3<double>> vertices, std::span<const std::array<int, 3>> triangles);

}  // namespace linchpin

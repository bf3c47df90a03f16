// A surface of triangles: terrain, or the outline of a solid when it is closed.
//
// With n the unit normal of triangle t, e the unit direction of one of its edges (corners counterclockwise seen from
// the side that n points to) and m the normal of the neighbour u beyond it, the fold at that edge has the sine
//     (n x m).e                                                                  (1)
// positive when convex, a ridge, negative when concave, a valley. What touches t at that edge may press along n and
// whatever lies between n and m; with n' the pressing direction (unit, off the surface), it is u's or nobody's when
//     n'.(e x n) > 0 at a flat or concave edge                                   (2)
//     n'.(e x m) > 0 at a convex one                                             (3)
// since e x n points out of t in its own plane, and e x m on into u. Without that test a ball that rolls over terrain
// stumbles over edges between triangles of one plane.
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
  std::vector<Vec3<double>> vertices;         // no two the same, each used
  std::vector<std::array<int, 3>> triangles;  // counterclockwise seen from outside, in the order given
  std::vector<Vec3<double>> normals;          // unit, one for each triangle
  // For edge k of a triangle, from its corner k to corner k + 1 (mod 3): who lies beyond (-1: nobody), and the fold.
  std::vector<std::array<int, 3>> neighbours;
  std::vector<std::array<Fold, 3>> folds;
  Aabb box;
  Bvh bvh;      // of the triangles' boxes
  bool closed;  // no border

  std::array<Vec3<double>, 3> corners(int triangle) const {
    const std::array<int, 3>& t = triangles[triangle];
    return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  }
};

// Repeated vertices are made one first, those that no triangle uses are dropped. Refuses, by the numbers given: no
// triangle, a vertex that is not finite, a corner that is no vertex, a triangle without area, an edge of three
// triangles or more, and two neighbours that are oriented against each other.
Result<TriangleMesh> make_mesh(std::span<const Vec3<double>> vertices, std::span<const std::array<int, 3>> triangles);

}  // namespace linchpin

// Convex shapes on triangles of terrain. Private to the room.
//
// A triangle by itself has two sides and sharp edges; a triangle of a surface has one side, and beyond its edges the
// surface goes on. So the manifold of a convex shape A and the triangle alone is taken only when its normal n is the
// triangle's to give (mesh.h (2), (3)): with n_T the triangle's normal and l_k the way on over edge k,
//     n.n_T > 0,  n.l_k <= 0 for each edge                                                                (1)
// Otherwise A rather lies over or in the triangle's face with another part than its nearest: the face that A turns
// towards -n_T is laid over the triangle along n_T, and what remains are the points within the triangle, with gaps
// along n_T, if any.
//
// What is behind a surface and does not touch it is not in contact with it; what is below ground that is solid is.
#pragma once

#include "linchpin/geometry/convex/core.h"
#include "linchpin/geometry/pairs/pairs.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/manifold.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {

struct TerrainTriangle {
  Vec3<double> corners[3];
  Vec3<double> normal;
  Vec3<double> limits[3];  // l_k, unit; zero at a border, where nothing limits n
  bool solid;              // everything below it
};
TerrainTriangle terrain_triangle(const TriangleMesh& mesh, int triangle);
TerrainTriangle terrain_triangle(const HeightGrid& grid, int triangle);

// As the functions of pairs.h, in the terrain's frame T. B is the triangle; m.distance is the least of the gaps.
bool core_terrain(const Core& a, const Pose& X_TA, const TerrainTriangle& triangle, double margin, Manifold& m);

// (1), up to the slack that normals with round-off, or from files with six digits, need.
bool may_press_along(const TerrainTriangle& triangle, const Vec3<double>& n);

// Joins manifolds [first, list.size()) that press along the same direction into one of at most eight points: a box on a
// plain of a hundred triangles stands on one face. Piece B of the result is the lowest.
void join_coplanar(std::size_t first, ManifoldList& list);

}  // namespace linchpin

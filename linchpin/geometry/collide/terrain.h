// Contacts of convex shapes with triangles of terrain. Private to the room.
//
// A single triangle has two sides and sharp edges; a triangle of a surface has one side, and the surface continues
// beyond its edges. So the manifold of a convex shape A and the single triangle is valid only if its normal n is
// admissible (mesh.h (2), (3)): with n_T the triangle's normal and l_k the limit vector of edge k,
//     n.n_T > 0,  n.l_k <= 0 for each edge                                                                (1)
// Otherwise another part of A than the nearest may touch the triangle's face: the face of A towards -n_T is projected
// along n_T, and its points within the triangle, if any, become contact points with gaps along n_T.
//
// A shape that is behind a surface and does not touch it has no contact with it. A shape below solid ground has.
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
  Vec3<double> limits[3];  // l_k, unit; zero at a border, where n is not limited
  bool solid;              // all space below the triangle is solid
};
TerrainTriangle terrain_triangle(const TriangleMesh& mesh, int triangle);
TerrainTriangle terrain_triangle(const HeightGrid& grid, int triangle);

// Like the functions of pairs.h, in the terrain's frame T. B is the triangle; m.distance is the smallest gap.
bool core_terrain(const Core& a, const Pose& X_TA, const TerrainTriangle& triangle, double margin, Manifold& m);

// (1), with a tolerance for the rounding of normals, also of meshes from files with six digits.
bool may_press_along(const TerrainTriangle& triangle, const Vec3<double>& n);

// Merges manifolds [first, list.size()) with the same normal into one of at most eight points: a box on a hundred
// coplanar triangles stands on one face. piece_b of the result is the smallest one.
void join_coplanar(std::size_t first, ManifoldList& list);

}  // namespace linchpin

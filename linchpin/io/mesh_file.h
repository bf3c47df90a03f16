// Meshes from files: STL, OBJ, COLLADA, PLY, glTF and whatever else assimp reads.
//
// All meshes of the file's scene, each where the scene's nodes put it, make one; polygons are cut into triangles,
// points and lines are left out. Axes are the file's own; COLLADA's unit is turned into metres, other formats are taken
// at their word. Coordinates are those of floats: assimp keeps no more. An error says which file, and which mesh,
// triangle or vertex of it, counted from 0.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {

struct TriangleList {
  std::vector<Vec3<double>> vertices;         // finite; as the file has them, so perhaps repeated
  std::vector<std::array<int, 3>> triangles;  // one at least
};

// `scale` stretches along the file's axes; where it mirrors (one or three of its numbers negative, or a node does so),
// triangles are turned round, so that what was outside stays outside.
Result<TriangleList> load_triangles(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});

// The same as a surface (mesh.h says what is refused), and as the convex hull of it, for which any triangles will do.
Result<TriangleMesh> load_mesh(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});
Result<Hull> load_hull(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});

}  // namespace linchpin

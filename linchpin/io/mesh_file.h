// Triangle meshes from files: STL, OBJ, COLLADA, PLY, glTF and the other formats of assimp.
//
// All meshes of the file's scene, each placed by its node, are merged into one; polygons are triangulated, points and
// lines are ignored. Axes are those of the file. COLLADA's unit is converted to metres; other formats are assumed to be
// in metres. Coordinates have single precision, as in assimp. An error names the file and the line, byte, mesh,
// triangle or vertex; the last three are counted from 0.
//
// STL, OBJ and PLY files of at most 256 MiB are read by our own strict readers, all others by assimp in a child process
// with limits of time and memory (child_process.h says what that means for a program with several threads).
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {

struct TriangleList {
  std::vector<Vec3<double>> vertices;         // finite; as in the file, so possibly repeated
  std::vector<std::array<int, 3>> triangles;  // at least one
};

// `scale` multiplies coordinates along the file's axes. If it mirrors (one or three of its components negative, or a
// node does so), the orientation of the triangles is reversed, so that they keep facing outwards.
Result<TriangleList> load_triangles(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});

// The same as a surface (mesh.h lists the errors), and as the convex hull of all vertices, for any triangles.
Result<TriangleMesh> load_mesh(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});
Result<Hull> load_hull(const std::filesystem::path& file, const Vec3<double>& scale = {1, 1, 1});

}  // namespace linchpin

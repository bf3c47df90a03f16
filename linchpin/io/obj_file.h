// Wavefront OBJ: the vertices and faces. Not installed.
#pragma once

#include <string_view>

#include "linchpin/io/mesh_parts.h"

namespace linchpin {

// The vertices that faces use, in the order of their first use, and the faces cut into triangles, in the order of the
// file. Materials, normals, texture coordinates, points and lines are ignored. Free-form curves and surfaces and
// unknown statements are refused. A fault names the line. Throws a MeshFault.
MeshParts read_obj(std::string_view content);

}  // namespace linchpin

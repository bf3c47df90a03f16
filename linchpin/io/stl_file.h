// STL, binary and text. Not installed.
#pragma once

#include <string_view>

#include "linchpin/io/mesh_parts.h"

namespace linchpin {

// Three vertices per triangle, in the order of the file; normals and attributes are ignored. A fault names the line, or
// the triangle of a binary file, counted from 0. Throws a MeshFault.
MeshParts read_stl(std::string_view content);

}  // namespace linchpin

// PLY, the Stanford polygon format: text, binary little-endian and binary big-endian. Not installed.
#pragma once

#include <string_view>

#include "linchpin/io/mesh_parts.h"

namespace linchpin {

// All vertices in the order of the file, and the faces and triangle strips cut into triangles. Other elements and
// properties are skipped. The counts of the header are compared with the size of the file before memory is asked for.
// A fault names the line, or the byte of a binary file. Throws a MeshFault.
MeshParts read_ply(std::string_view content);

}  // namespace linchpin

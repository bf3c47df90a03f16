// Meshes by assimp, in a child process: on damaged files it may crash, run forever or take all memory. Not installed.
#pragma once

#include <filesystem>

#include "linchpin/io/mesh_parts.h"

namespace linchpin {

// All meshes of the file's scene, each placed by its node (mesh_file.h). Throws a MeshFault that says why the file
// cannot be read, or how the child ended (child_process.h).
MeshParts read_by_assimp(const std::filesystem::path& file);

}  // namespace linchpin

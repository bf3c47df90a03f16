// What `linchpin inspect` says of a mesh file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "apps/json_output.h"

namespace linchpin {

// By its ending: .stl, .obj, .dae, .ply, .glb, .gltf, .off.
bool names_mesh_file(const std::string& argument);

// Reads the file, prints what is in it and returns the same for JSON. Throws a UsageError that names file and element.
Json inspect_mesh(const std::filesystem::path& file, std::FILE* out);

}  // namespace linchpin

// `linchpin inspect` of a mesh file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "apps/json_output.h"

namespace linchpin {

// By its extension: .stl, .obj, .dae, .ply, .glb, .gltf, .off.
bool names_mesh_file(const std::string& argument);

// Reads the file, prints a summary and returns it as JSON. Throws a UsageError that names the file and the element.
Json inspect_mesh(const std::filesystem::path& file, std::FILE* out);

}  // namespace linchpin

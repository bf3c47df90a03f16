#include "linchpin/io/mesh_file.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>

#include "linchpin/io/assimp_file.h"
#include "linchpin/io/mesh_parts.h"
#include "linchpin/io/obj_file.h"
#include "linchpin/io/ply_file.h"
#include "linchpin/io/read_file.h"
#include "linchpin/io/stl_file.h"

namespace linchpin {
namespace {

// Of STL, OBJ and PLY files: 5 million triangles of a binary STL file. A triangle takes at most 8 times as much memory
// as in the file, so this asks for 2 GiB at most.
constexpr std::size_t longest_file = std::size_t(1) << 28;

template <class... Parts>
Error fault(const std::filesystem::path& file, const Parts&... parts) {
  return {file.string() + ": " + message(parts...)};
}

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

using Reader = MeshParts (*)(std::string_view content);

// Our own reader for this format; null: it is read by assimp.
Reader own_reader(const std::string& extension) {
  if (extension == ".stl") return read_stl;
  if (extension == ".obj") return read_obj;
  if (extension == ".ply") return read_ply;
  return nullptr;
}

// Multiplies the coordinates; if that mirrors, turns the triangles round.
void apply_scale(const Vec3<double>& scale, TriangleList& list) {
  for (std::size_t i = 0; i < list.vertices.size(); ++i) {
    Vec3<double>& p = list.vertices[i];
    p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    if (!all_finite(p)) refuse_mesh("vertex ", i, " is ", to_string(p), " with its scale; it must be finite");
  }
  if (scale.x * scale.y * scale.z < 0)
    for (std::array<int, 3>& t : list.triangles) std::swap(t[1], t[2]);
}

Result<MeshParts> collect(const std::filesystem::path& file, const Vec3<double>& scale) {
  if (!all_finite(scale) || scale.x * scale.y * scale.z == 0)
    return fault(file, "scale is (", scale.x, ", ", scale.y, ", ", scale.z,
                 "); its components must be finite and not 0");
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return fault(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) return fault(file, "not a file");
  try {
    MeshParts all;
    if (const Reader read = own_reader(extension_of(file))) {
      const Result<std::string> content = read_file(file, longest_file);
      if (!content) return content.error();
      all = read(content.value());
    } else {
      all = read_by_assimp(file);
    }
    if (all.list.triangles.empty())
      return fault(file, "the mesh is empty: ", all.list.vertices.size(), " vertices and no triangle");
    apply_scale(scale, all.list);
    return all;
  } catch (const MeshFault& found) {
    return fault(file, found.message);
  }
}

// Maps the triangle numbers of an error to meshes, if there are several.
std::string legend(const std::vector<MeshPart>& parts) {
  if (parts.size() < 2) return {};
  std::string out = " (triangles are counted over all meshes:";
  for (const MeshPart& p : parts)
    out += message(" from ", p.first_triangle, " ", p.name, &p == &parts.back() ? ")" : ",");
  return out;
}

}  // namespace

Result<TriangleList> load_triangles(const std::filesystem::path& file, const Vec3<double>& scale) {
  auto all = collect(file, scale);
  if (!all.ok()) return all.error();
  return std::move(all).value().list;
}

Result<TriangleMesh> load_mesh(const std::filesystem::path& file, const Vec3<double>& scale) {
  const auto all = collect(file, scale);
  if (!all.ok()) return all.error();
  const auto& [list, parts] = all.value();
  auto mesh = make_mesh(list.vertices, list.triangles);
  if (!mesh.ok()) return fault(file, mesh.error().message, legend(parts));
  return mesh;
}

Result<Hull> load_hull(const std::filesystem::path& file, const Vec3<double>& scale) {
  const auto all = collect(file, scale);
  if (!all.ok()) return all.error();
  auto hull = convex_hull(all.value().list.vertices);
  if (!hull.ok()) return fault(file, hull.error().message);
  return hull;
}

}  // namespace linchpin

#include "linchpin/io/mesh_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

template <class... Parts>
Error fault(const std::filesystem::path& file, const Parts&... parts) {
  return {file.string() + ": " + message(parts...)};
}

// ---- errors that assimp does not report -----------------------------------------------------------------------------

// A truncated STL file: assimp silently reads the triangles that are there. A binary file has a header of 80 arbitrary
// bytes and the number of triangles, then 50 bytes per triangle; a text file ends with "endsolid".
std::string stl_fault(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  std::ostringstream out;
  // Text begins with "solid", but so do the headers of some binary files: text soon has facets, or ends at once.
  const std::string head = content.substr(0, 1024);
  const bool text = head.starts_with("solid") &&
                    (head.find("facet") != std::string::npos || head.find("endsolid") != std::string::npos);
  if (text) {
    const std::size_t end = content.rfind("endsolid");
    const std::size_t last = content.rfind("endfacet");
    if (end == std::string::npos || (last != std::string::npos && end < last))
      out << "the file is truncated: there is no endsolid";
    return out.str();
  }
  if (content.size() < 84) {
    out << "not an STL file: it has " << content.size() << " bytes, but the header alone has 84";
    return out.str();
  }
  std::uint32_t count = 0;
  std::memcpy(&count, content.data() + 80, 4);  // little-endian, as this machine
  const std::uint64_t expected = 84 + 50 * std::uint64_t(count);
  if (content.size() < expected)
    out << "the file is truncated in triangle " << (content.size() - 84) / 50 << ": its header says " << count
        << " triangles, " << expected << " bytes, but it has " << content.size();
  if (content.size() > expected)
    out << "not an STL file: its header says " << count << " triangles, " << expected << " bytes, but it has "
        << content.size();
  return out.str();
}

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// ---- the scene ------------------------------------------------------------------------------------------------------

// One occurrence of a mesh in the scene, with its first triangle in the list.
struct Instance {
  std::string name;
  std::size_t first_triangle;
};
struct Collected {
  TriangleList list;
  std::vector<Instance> instances;
};

Vec3<double> transformed(const aiMatrix4x4& M, const aiVector3D& v) {
  const double x = v.x, y = v.y, z = v.z;
  return {M.a1 * x + M.a2 * y + M.a3 * z + M.a4, M.b1 * x + M.b2 * y + M.b3 * z + M.b4,
          M.c1 * x + M.c2 * y + M.c3 * z + M.c4};
}

// Appends one mesh with the transform of its node. Returns a fault that names the first vertex that is not finite.
std::string append(const aiMesh& mesh, std::size_t number, const aiMatrix4x4& X, const Vec3<double>& scale,
                   Collected& out) {
  std::ostringstream name;
  name << "mesh " << number;
  if (mesh.mName.length > 0) name << " '" << mesh.mName.C_Str() << "'";
  out.instances.push_back({name.str(), out.list.triangles.size()});
  const auto offset = int(out.list.vertices.size());
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    const Vec3<double> v = transformed(X, mesh.mVertices[i]);
    out.list.vertices.push_back({scale.x * v.x, scale.y * v.y, scale.z * v.z});
    const Vec3<double>& p = out.list.vertices.back();
    if (!all_finite(p)) {
      name << ", vertex " << i << " is (" << p.x << ", " << p.y << ", " << p.z << "); it must be finite";
      return name.str();
    }
  }
  const bool mirrored = (X.Determinant() < 0) != (scale.x * scale.y * scale.z < 0);
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // a point or a line; polygons are triangulated already
    std::array<int, 3> t{};
    for (unsigned k = 0; k < 3; ++k) t[k] = offset + int(face.mIndices[k]);
    if (mirrored) std::swap(t[1], t[2]);
    out.list.triangles.push_back(t);
  }
  return {};
}

std::string append_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent,
                        const Vec3<double>& scale, Collected& out) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i)
    if (std::string bad = append(*scene.mMeshes[node.mMeshes[i]], node.mMeshes[i], X, scale, out); !bad.empty())
      return bad;
  for (unsigned i = 0; i < node.mNumChildren; ++i)
    if (std::string bad = append_node(scene, *node.mChildren[i], X, scale, out); !bad.empty()) return bad;
  return {};
}

Result<Collected> collect(const std::filesystem::path& file, const Vec3<double>& scale) {
  if (!all_finite(scale) || scale.x * scale.y * scale.z == 0)
    return fault(file, "scale is (", scale.x, ", ", scale.y, ", ", scale.z,
                 "); its components must be finite and not 0");
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return fault(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) return fault(file, "not a file");
  if (!std::ifstream(file)) return fault(file, "cannot be read");
  if (extension_of(file) == ".stl")
    if (const std::string bad = stl_fault(file); !bad.empty()) return fault(file, bad);

  Assimp::Importer importer;
  // Without this, assimp rotates COLLADA files with z up, as is usual for robots, to y up.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_Triangulate);
  if (!scene || !scene->mRootNode) return fault(file, "cannot be read as a mesh: ", importer.GetErrorString());
  Collected all;
  if (const std::string bad = append_node(*scene, *scene->mRootNode, aiMatrix4x4(), scale, all); !bad.empty())
    return fault(file, bad);
  if (all.list.triangles.empty())
    return fault(file, "the mesh is empty: ", all.list.vertices.size(), " vertices and no triangle");
  return all;
}

// Maps the triangle numbers of an error to meshes, if there are several.
std::string legend(const std::vector<Instance>& instances) {
  if (instances.size() < 2) return {};
  std::ostringstream out;
  out << " (triangles are counted over all meshes:";
  for (const Instance& i : instances)
    out << " from " << i.first_triangle << " " << i.name << (&i == &instances.back() ? ")" : ",");
  return out.str();
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
  const auto& [list, instances] = all.value();
  auto mesh = make_mesh(list.vertices, list.triangles);
  if (!mesh.ok()) return fault(file, mesh.error().message, legend(instances));
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

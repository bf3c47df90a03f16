#include "linchpin/io/assimp_file.h"

#include <cstdint>
#include <cstring>
#include <system_error>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "linchpin/io/child_process.h"
#include "linchpin/io/mesh_text.h"

namespace linchpin {
namespace {

// A damaged file takes forever, a good one a fraction of a second per megabyte.
ChildLimits limits_for(const std::filesystem::path& file) {
  std::error_code fault;
  const std::uintmax_t bytes = std::filesystem::file_size(file, fault);
  ChildLimits limits;
  limits.seconds = 3 + (fault ? 0 : int(bytes >> 20));
  limits.wall_seconds = 4 * limits.seconds;
  return limits;
}

// ---- in the child: the scene ----------------------------------------------------------------------------------------

Vec3<double> transformed(const aiMatrix4x4& M, const aiVector3D& v) {
  const double x = v.x, y = v.y, z = v.z;
  return {M.a1 * x + M.a2 * y + M.a3 * z + M.a4, M.b1 * x + M.b2 * y + M.b3 * z + M.b4,
          M.c1 * x + M.c2 * y + M.c3 * z + M.c4};
}

// Appends one mesh with the transform of its node.
void append(const aiMesh& mesh, unsigned number, const aiMatrix4x4& X, MeshParts& out) {
  const std::string name =
      part_name(message("mesh ", number), mesh.mName.length > 0 ? in_quotes(mesh.mName.C_Str()) : std::string());
  out.parts.push_back({name, out.list.triangles.size()});
  const auto offset = int(out.list.vertices.size());
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    const Vec3<double> v = transformed(X, mesh.mVertices[i]);
    if (!all_finite(v)) refuse_mesh(name, ", vertex ", i, " is ", to_string(v), "; it must be finite");
    out.list.vertices.push_back(v);
  }
  const bool mirrored = X.Determinant() < 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // a point or a line; polygons are triangulated already
    std::array<int, 3> t{};
    for (unsigned k = 0; k < 3; ++k) {
      if (face.mIndices[k] >= mesh.mNumVertices)
        refuse_mesh(name, ", triangle ", f, " uses vertex ", face.mIndices[k], ", but there are ", mesh.mNumVertices);
      t[k] = offset + int(face.mIndices[k]);
    }
    if (mirrored) std::swap(t[1], t[2]);
    out.list.triangles.push_back(t);
  }
}

void append_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent, MeshParts& out) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) append(*scene.mMeshes[node.mMeshes[i]], node.mMeshes[i], X, out);
  for (unsigned i = 0; i < node.mNumChildren; ++i) append_node(scene, *node.mChildren[i], X, out);
}

MeshParts imported(const std::filesystem::path& file) {
  Assimp::Importer importer;
  // Without this, assimp rotates COLLADA files with z up, as is usual for robots, to y up.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_Triangulate);
  if (!scene || !scene->mRootNode) refuse_mesh("cannot be read as a mesh: ", importer.GetErrorString());
  MeshParts out;
  append_node(*scene, *scene->mRootNode, aiMatrix4x4(), out);
  return out;
}

// ---- from the child to the parent -----------------------------------------------------------------------------------

// 'F' and a fault, or 'M' and the mesh: counts and arrays in the machine's own form.
template <class T>
void put(const T* values, std::size_t count, std::string& text) {
  const std::uint64_t number = count;
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
  text.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string packed(const MeshParts& mesh) {
  std::string text = "M";
  put(mesh.list.vertices.data(), mesh.list.vertices.size(), text);
  put(mesh.list.triangles.data(), mesh.list.triangles.size(), text);
  for (const MeshPart& part : mesh.parts) {
    const std::uint64_t first = part.first_triangle;
    put(&first, 1, text);
    put(part.name.data(), part.name.size(), text);
  }
  return text;
}

// The child may have been damaged by the file, so nothing that it says is taken for granted.
template <class T>
std::vector<T> take(std::string_view& text) {
  std::uint64_t count = 0;
  if (text.size() < sizeof count) refuse_mesh("cannot be read as a mesh: assimp returned a damaged result");
  std::memcpy(&count, text.data(), sizeof count);
  text.remove_prefix(sizeof count);
  if (count > text.size() / sizeof(T)) refuse_mesh("cannot be read as a mesh: assimp returned a damaged result");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), text.data(), count * sizeof(T));
  text.remove_prefix(count * sizeof(T));
  return values;
}

MeshParts unpacked(std::string_view text) {
  MeshParts mesh;
  mesh.list.vertices = take<Vec3<double>>(text);
  mesh.list.triangles = take<std::array<int, 3>>(text);
  while (!text.empty()) {
    const std::vector<std::uint64_t> first = take<std::uint64_t>(text);
    const std::vector<char> name = take<char>(text);
    mesh.parts.push_back({std::string(name.begin(), name.end()), first.empty() ? 0 : std::size_t(first[0])});
  }
  for (const Vec3<double>& v : mesh.list.vertices)
    if (!all_finite(v)) refuse_mesh("cannot be read as a mesh: assimp returned a vertex ", to_string(v));
  for (const std::array<int, 3>& t : mesh.list.triangles)
    for (const int i : t)
      if (i < 0 || std::size_t(i) >= mesh.list.vertices.size())
        refuse_mesh("cannot be read as a mesh: assimp returned a triangle with vertex ", i);
  return mesh;
}

}  // namespace

MeshParts read_by_assimp(const std::filesystem::path& file) {
  const Result<std::string> answer = run_in_child(
      [&]() -> std::string {
        try {
          return packed(imported(file));
        } catch (const MeshFault& fault) {
          return "F" + fault.message;
        }
      },
      limits_for(file));
  if (!answer)
    refuse_mesh("cannot be read as a mesh: assimp, which reads this format, ", answer.error().message,
                "; the file may be damaged");
  const std::string_view text = answer.value();
  if (text.starts_with('F')) refuse_mesh(text.substr(1));
  if (!text.starts_with('M')) refuse_mesh("cannot be read as a mesh: assimp returned a damaged result");
  return unpacked(text.substr(1));
}

}  // namespace linchpin

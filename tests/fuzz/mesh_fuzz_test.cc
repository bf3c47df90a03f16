// Mesh files: STL, OBJ and PLY, text and binary. Other formats are read by assimp in a child process with limits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "linchpin/io/mesh_file.h"
#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

// A tetrahedron, and how it is written in each format.
constexpr double corners[4][3] = {{0, 0, 0}, {1.5, 0, 0}, {0, 1.25, 0}, {0.25, 0.5, 2}};
constexpr int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

std::string text_stl() {
  std::ostringstream out;
  out << "solid t\n";
  for (const auto& face : faces) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int i : face) out << "vertex " << corners[i][0] << " " << corners[i][1] << " " << corners[i][2] << "\n";
    out << "endloop\nendfacet\n";
  }
  return out.str() + "endsolid t\n";
}

template <class T>
void add(std::string& out, T number, bool big = false) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  if (big) bytes = {bytes.rbegin(), bytes.rend()};
  out += bytes;
}

std::string binary_stl() {
  std::string out(80, ' ');
  add(out, std::uint32_t(4));
  for (const auto& face : faces) {
    for (int i = 0; i < 3; ++i) add(out, 0.0f);
    for (const int i : face)
      for (const double x : corners[i]) add(out, float(x));
    add(out, std::uint16_t(0));
  }
  return out;
}

std::string obj() {
  std::ostringstream out;
  out << "o t\n";
  for (const auto& c : corners) out << "v " << c[0] << " " << c[1] << " " << c[2] << "\n";
  out << "vn 0 0 1\nvt 0 0\ng a\n";
  for (const auto& f : faces) out << "f " << f[0] + 1 << "//1 " << f[1] + 1 << "/1 " << f[2] - 4 << "\n";
  return out.str();
}

std::string ply_head(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\ncomment a tetrahedron\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 4\nproperty list uchar int vertex_indices\nend_header\n";
}
std::string text_ply() {
  std::ostringstream out;
  out << ply_head("ascii");
  for (const auto& c : corners) out << c[0] << " " << c[1] << " " << c[2] << "\n";
  for (const auto& f : faces) out << "3 " << f[0] << " " << f[1] << " " << f[2] << "\n";
  return out.str();
}
std::string binary_ply(bool big) {
  std::string out = ply_head(big ? "binary_big_endian" : "binary_little_endian");
  for (const auto& c : corners)
    for (const double x : c) add(out, float(x), big);
  for (const auto& f : faces) {
    out += char(3);
    for (const int i : f) add(out, std::int32_t(i), big);
  }
  return out;
}

void fuzz_format(const std::string& ending, std::vector<std::string> seeds, std::vector<std::string> words) {
  const auto file = std::filesystem::temp_directory_path() / ("linchpin_fuzz_" + std::to_string(getpid()) + ending);
  FuzzTarget target{
      .name = "mesh " + ending.substr(1), .seeds = std::move(seeds), .words = std::move(words), .inputs = 1000};
  target.read = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
    const Result<TriangleList> list = load_triangles(file);
    if (!list) {
      promise(list.error().message.starts_with(file.string() + ": "), "an error that does not begin with the file");
      return false;
    }
    const int count = int(list.value().vertices.size());
    for (const Vec3<double>& v : list.value().vertices)
      promise(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z), "a vertex that is not finite");
    promise(!list.value().triangles.empty(), "no triangles");
    for (const std::array<int, 3>& t : list.value().triangles)
      for (const int corner : t) promise(corner >= 0 && corner < count, "a corner that is no vertex");
    const Result<Hull> hull = load_hull(file);
    if (hull)
      for (const Vec3<double>& v : hull.value().vertices)
        promise(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z), "a vertex of a hull is not finite");
    (void)load_mesh(file);
    return true;
  };
  fuzz(target);
  std::filesystem::remove(file);
}

TEST(Fuzz, MeshStl) {
  fuzz_format(".stl", {text_stl(), binary_stl()},
              {"solid", "facet", "normal", "outer", "loop", "vertex", "endloop", "endfacet", "endsolid"});
}
TEST(Fuzz, MeshObj) { fuzz_format(".obj", {obj()}, {"v", "vn", "vt", "f", "o", "g", "l", "p", "usemtl", "mtllib"}); }
TEST(Fuzz, MeshPly) {
  fuzz_format(".ply", {text_ply(), binary_ply(false), binary_ply(true)},
              {"ply",   "format",         "ascii",        "element",   "property", "list",   "uchar",   "char",
               "short", "ushort",         "int",          "uint",      "float",    "double", "float64", "vertex",
               "face",  "vertex_indices", "vertex_index", "end_header"});
}

}  // namespace
}  // namespace linchpin

#include "linchpin/io/mesh_file.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// A folder of this process, removed at the end.
class MeshFile : public testing::Test {
 protected:
  MeshFile() : folder_(std::filesystem::temp_directory_path() / ("linchpin_mesh_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~MeshFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

const Transform<double> identity = Transform<double>::identity();
const Triangles box = box_mesh({1, 2, 3}, identity);  // all numbers are exact in single precision

std::string ascii_stl(const Triangles& t) {
  std::ostringstream out;
  out << "solid box\n";
  for (const auto& corners : t.triangles) {
    out << " facet normal 0 0 0\n  outer loop\n";
    for (const int i : corners) {
      const Vec3<double>& v = t.vertices[i];
      out << "   vertex " << v.x << " " << v.y << " " << v.z << "\n";
    }
    out << "  endloop\n endfacet\n";
  }
  out << "endsolid box\n";
  return out.str();
}
std::string binary_stl(const Triangles& t, const std::string& head = "binary") {
  std::string out = head;
  out.resize(80, ' ');
  const auto add = [&](const auto& x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(std::uint32_t(t.triangles.size()));
  for (const auto& corners : t.triangles) {
    for (int i = 0; i < 3; ++i) add(0.0f);
    for (const int i : corners) {
      const Vec3<double>& v = t.vertices[i];
      add(float(v.x)), add(float(v.y)), add(float(v.z));
    }
    add(std::uint16_t(0));
  }
  return out;
}
std::string obj(const Triangles& t) {
  std::ostringstream out;
  out << "o box\n";
  for (const Vec3<double>& v : t.vertices) out << "v " << v.x << " " << v.y << " " << v.z << "\n";
  for (const auto& c : t.triangles) out << "f " << c[0] + 1 << " " << c[1] + 1 << " " << c[2] + 1 << "\n";
  return out.str();
}
std::string ply(const Triangles& t) {
  std::ostringstream out;
  out << "ply\nformat ascii 1.0\nelement vertex " << t.vertices.size()
      << "\nproperty float x\nproperty float y\nproperty float z\nelement face " << t.triangles.size()
      << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vec3<double>& v : t.vertices) out << v.x << " " << v.y << " " << v.z << "\n";
  for (const auto& c : t.triangles) out << "3 " << c[0] << " " << c[1] << " " << c[2] << "\n";
  return out.str();
}
// In centimetres, z up, shown twice: once where it is, and once mirrored in x and moved by 500 cm along x.
std::string collada(const Triangles& t) {
  std::ostringstream numbers, indices, out;
  for (const Vec3<double>& v : t.vertices) numbers << 100 * v.x << " " << 100 * v.y << " " << 100 * v.z << " ";
  for (const auto& c : t.triangles) indices << c[0] << " " << c[1] << " " << c[2] << " ";
  out << R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g" name="box"><mesh>
  <source id="p"><float_array id="pa" count=")"
      << 3 * t.vertices.size() << "\">" << numbers.str() << R"(</float_array>
   <technique_common><accessor source="#pa" count=")"
      << t.vertices.size() << R"(" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count=")"
      << t.triangles.size() << R"("><input semantic="VERTEX" source="#v" offset="0"/><p>)" << indices.str()
      << R"(</p></triangles>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s">
  <node id="one"><instance_geometry url="#g"/></node>
  <node id="two"><translate>500 0 0</translate><scale>-1 1 1</scale><instance_geometry url="#g"/></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
)";
  return out.str();
}
std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return out;
}
std::string gltf(const Triangles& t) {
  std::string bytes;
  const auto add = [&](const auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const Vec3<double>& v : t.vertices) add(float(v.x)), add(float(v.y)), add(float(v.z));
  const std::size_t vertex_bytes = bytes.size();
  for (const auto& c : t.triangles)
    for (const int i : c) add(std::uint32_t(i));
  std::ostringstream out;
  out << R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
      << R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
      << R"("buffers":[{"byteLength":)" << bytes.size() << R"(,"uri":"data:application/octet-stream;base64,)"
      << base64(bytes) << R"("}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" << vertex_bytes
      << R"(},{"buffer":0,"byteOffset":)" << vertex_bytes << R"(,"byteLength":)" << bytes.size() - vertex_bytes
      << R"(}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" << t.vertices.size()
      << R"(,"type":"VEC3","min":[-1,-2,-3],"max":[1,2,3]},{"bufferView":1,"componentType":5125,"count":)"
      << 3 * t.triangles.size() << R"(,"type":"SCALAR"}]})";
  return out.str();
}

void expect_box(const Result<TriangleMesh>& mesh, const Vec3<double>& half) {
  ASSERT_TRUE(mesh.ok()) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices.size(), 8u);
  EXPECT_EQ(mesh.value().triangles.size(), 12u);
  EXPECT_TRUE(mesh.value().closed);
  EXPECT_LT(distance(mesh.value().box.lower, -half), 1e-15);
  EXPECT_LT(distance(mesh.value().box.upper, half), 1e-15);
  const auto weight = solid(mesh.value());
  ASSERT_TRUE(weight.ok()) << weight.error().message;  // not inside out
  EXPECT_NEAR(weight.value().volume, 8 * half.x * half.y * half.z, 1e-12);
}

TEST_F(MeshFile, TheSameBoxFromEveryFormat) {
  for (const auto& [name, content] : {std::pair<std::string, std::string>{"a.stl", ascii_stl(box)},
                                      {"b.stl", binary_stl(box)},
                                      {"c.STL", binary_stl(box, "solid although it is binary")},
                                      {"d.obj", obj(box)},
                                      {"e.ply", ply(box)},
                                      {"f.gltf", gltf(box)}}) {
    SCOPED_TRACE(name);
    expect_box(load_mesh(write(name, content)), {1, 2, 3});
  }
}

TEST_F(MeshFile, ScaleMayMirror) {
  const auto file = write("box.stl", binary_stl(box));
  for (const double x : {-2.0, 0.5})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 4.0})
        expect_box(load_mesh(file, {x, y, z}), {std::abs(x), 2 * std::abs(y), 3 * std::abs(z)});
}

// Units, axes as written, node transforms, a mirroring node.
TEST_F(MeshFile, ColladaScene) {
  const auto mesh = load_mesh(write("two.dae", collada(box)));
  ASSERT_TRUE(mesh.ok()) << mesh.error().message;
  EXPECT_EQ(mesh.value().triangles.size(), 24u);
  EXPECT_TRUE(mesh.value().closed);
  EXPECT_LT(distance(mesh.value().box.lower, {-1, -2, -3}), 1e-6);
  EXPECT_LT(distance(mesh.value().box.upper, {6, 2, 3}), 1e-6);
  const Solid s = solid(mesh.value()).value();
  EXPECT_NEAR(s.volume, 2 * 48, 1e-4);  // both oriented outwards; single precision
  EXPECT_LT(distance(s.centre, {2.5, 0, 0}), 1e-5);
}

TEST_F(MeshFile, PolygonsAreCut) {
  std::ostringstream out;
  for (const Vec3<double>& v : box.vertices) out << "v " << v.x << " " << v.y << " " << v.z << "\n";
  out << "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\nl 1 2\n";
  expect_box(load_mesh(write("quads.obj", out.str())), {1, 2, 3});
}

TEST_F(MeshFile, TrianglesAsTheyAreAndTheirHull) {
  Triangles two = box;
  two.triangles.push_back(two.triangles[0]);  // an edge of three triangles: not a surface, but a hull exists
  const auto file = write("two.stl", binary_stl(two));
  EXPECT_FALSE(load_mesh(file).ok());
  const auto list = load_triangles(file);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list.value().triangles.size(), 13u);
  const auto hull = load_hull(file, {1, 1, -1});
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().faces.size(), 6u);
  EXPECT_NEAR(solid(hull.value()).volume, 48, 1e-12);
}

TEST_F(MeshFile, RefusesNamingFileAndElement) {
  const auto says = [](const auto& result, const std::string& file, const std::string& part) {
    ASSERT_FALSE(result.ok()) << file << ": " << part;
    const std::string& all = result.error().message;
    EXPECT_NE(all.find(file + ": "), std::string::npos) << all;
    EXPECT_NE(all.find(part), std::string::npos) << all;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string whole = binary_stl(box), text = ascii_stl(box);
  says(load_mesh(folder() / "none.stl"), "none.stl", "no such file");
  says(load_mesh(folder()), folder().filename().string(), "not a file");
  says(load_mesh(write("cut.stl", whole.substr(0, 84 + 50 * 3 + 20))), "cut.stl",
       "truncated in triangle 3: its header says 12 triangles, 684 bytes, but it has 254");
  says(load_mesh(write("long.stl", whole + "xyz")), "long.stl", "says 12 triangles, 684 bytes, but it has 687");
  says(load_mesh(write("short.stl", "abc")), "short.stl", "it has 3 bytes");
  says(load_mesh(write("void.stl", "")), "void.stl", "it has 0 bytes");
  says(load_mesh(write("cut_text.stl", text.substr(0, text.size() / 2))), "cut_text.stl", "no endsolid");
  says(load_mesh(write("empty.stl", binary_stl({}))), "empty.stl", "");
  says(load_mesh(write("empty_text.stl", "solid nothing\nendsolid nothing\n")), "empty_text.stl", "");
  says(load_mesh(write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")), "points.obj", "");
  says(load_mesh(write("letter.obj", "Dear reader,\nthis is no mesh.\n")), "letter.obj", "");
  says(load_mesh(write("letter.txt", "Dear reader,\nthis is no mesh.\n")), "letter.txt", "cannot be read as a mesh");
  says(load_mesh(write("letter.dae", "<html></html>")), "letter.dae", "cannot be read as a mesh");

  Triangles bad = box;
  bad.vertices[7].y = nan;
  says(load_mesh(write("nan.stl", binary_stl(bad))), "nan.stl", "vertex ");
  says(load_mesh(write("nan.stl", binary_stl(bad))), "nan.stl", "nan");
  bad = box;
  bad.triangles.push_back({0, 1, 0});
  says(load_mesh(write("thin.stl", binary_stl(bad))), "thin.stl", "triangle 12 ");
  bad = box;
  bad.vertices.push_back({0, 0, 9});
  bad.triangles.push_back({0, 1, 8});
  says(load_mesh(write("fin.stl", binary_stl(bad))), "fin.stl", "and 12 share one edge");
  bad = box;
  std::swap(bad.triangles[4][0], bad.triangles[4][1]);
  says(load_mesh(write("turned.stl", binary_stl(bad))), "turned.stl", "oriented against each other");
  for (Vec3<double>& v : bad.vertices) v = {0, 0, 0};
  says(load_mesh(write("point.stl", binary_stl(bad))), "point.stl", "triangle 0 ");
  says(load_hull(write("point.stl", binary_stl(bad))), "point.stl", "needs an extent");
  const auto file = write("box.stl", whole);
  says(load_mesh(file, {1, 0, 1}), "box.stl", "scale is (1, 0, 1)");
  says(load_mesh(file, {1, 1, nan}), "box.stl", "scale is (1, 1, nan)");
  // with several meshes the message says which one the triangle belongs to
  says(load_mesh(write("twice.dae",
                       [] {
                         std::string scene = collada(box);
                         scene.replace(scene.find("500"), 3, "  0");
                         return scene;
                       }())),
       "twice.dae", "from 12 mesh 0");
}

}  // namespace
}  // namespace linchpin

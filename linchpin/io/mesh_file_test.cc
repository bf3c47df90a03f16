#include "linchpin/io/mesh_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "linchpin/base/splitmix.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/io/assimp_file.h"
#include "linchpin/io/child_process.h"
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

// ---- our own readers against assimp ---------------------------------------------------------------------------------

// The corners of every triangle in space, each beginning with its smallest one; sorted.
using Corners = std::array<std::array<double, 3>, 3>;
std::vector<Corners> corners_of(const TriangleList& list) {
  std::vector<Corners> all;
  for (const auto& t : list.triangles) {
    Corners c;
    for (std::size_t k = 0; k < 3; ++k) c[k] = {list.vertices[t[k]].x, list.vertices[t[k]].y, list.vertices[t[k]].z};
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    all.push_back(c);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string binary_ply(const Triangles& t, bool big) {
  std::string out = std::string("ply\r\nformat binary_") + (big ? "big" : "little") +
                    "_endian 1.0\r\ncomment a box\r\nelement vertex " + std::to_string(t.vertices.size()) +
                    "\r\nproperty uchar red\r\nproperty double x\r\nproperty float y\r\nproperty float32 z\r\n" +
                    "element face " + std::to_string(t.triangles.size()) +
                    "\r\nproperty list uchar uint vertex_index\r\nproperty list short float quality\r\nend_header\r\n";
  const auto add = [&](auto x) {
    std::string bytes(reinterpret_cast<const char*>(&x), sizeof x);
    if (big) std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  };
  for (const Vec3<double>& v : t.vertices) add(std::uint8_t(255)), add(v.x), add(float(v.y)), add(float(v.z));
  for (const auto& c : t.triangles) {
    add(std::uint8_t(3));
    for (const int i : c) add(std::uint32_t(i));
    add(std::int16_t(2)), add(0.5f), add(1.5f);
  }
  return out;
}

std::string strip_ply() {
  return "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
         "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 1\n9 0 1 2 3 -1 2 3 4 -1\n";
}

TEST_F(MeshFile, TheSameTrianglesAsAssimp) {
  std::ostringstream quads, groups;
  for (const Vec3<double>& v : box.vertices) quads << "v " << v.x << " " << v.y << " " << v.z << " 0.5 0.5 1\n";
  groups << "# a box of two parts\nmtllib none.mtl\n" << quads.str() << "v 7 7 7 2\nvn 0 0 1\nvt 0 0\no one\n";
  quads << "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n";
  groups << "usemtl red\ns off\nf 1//1 5//1 7//1 \\\n3//1\nf -8/1 -6/1 -2/1 -4/1  \no two\nf 9/1/1 2/1/1 1/1/1\n";
  for (const auto& [name, content] : {std::pair<std::string, std::string>{"a.stl", ascii_stl(box)},
                                      {"b.stl", binary_stl(box)},
                                      {"c.stl", ascii_stl(box) + ascii_stl(box_mesh({2, 2, 2}, identity))},
                                      {"d.obj", obj(box)},
                                      {"e.obj", quads.str()},
                                      {"f.obj", groups.str()},
                                      {"g.ply", ply(box)},
                                      {"h.ply", binary_ply(box, false)},
                                      {"i.ply", binary_ply(box, true)}}) {
    SCOPED_TRACE(name);
    const auto file = write(name, content);
    const auto ours = load_triangles(file);
    ASSERT_TRUE(ours.ok()) << ours.error().message;
    std::vector<Corners> theirs;
    ASSERT_NO_THROW(theirs = corners_of(read_by_assimp(file).list));
    EXPECT_EQ(corners_of(ours.value()), theirs);
  }
}

// Not compared with assimp, which reads only the last strip, and turns it round.
TEST_F(MeshFile, TriangleStrips) {
  const auto list = load_triangles(write("strips.ply", strip_ply()));
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list.value().triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
}

// A polygon with seven corners, one of them concave: the area that the triangles cover is that of the polygon.
TEST_F(MeshFile, ConcavePolygon) {
  const auto list = load_triangles(
      write("arrow.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nv -1 2 0\nv -1 1 0\nf 1 2 3 4 5 6 7\n"));
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list.value().triangles.size(), 5u);
  double area = 0;
  for (const auto& t : list.value().triangles) {
    const auto& v = list.value().vertices;
    const double z = cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]).z;
    EXPECT_GT(z, 0);
    area += z / 2;
  }
  EXPECT_NEAR(area, 16 - 6 + 2.5, 1e-12);
}

// ---- damaged files --------------------------------------------------------------------------------------------------

struct Damaged {
  std::string name, content, fault;  // the fault after "NAME: "
};

TEST_F(MeshFile, DamagedFilesAreRefusedWithTheirPlace) {
  const std::string head =
                        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
                    points = "0 0 0\n1 0 0\n0 1 0\n", corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::string little = binary_ply(box, false);
  std::string many = little;
  many.replace(many.find("face 12"), 7, "face 99");
  std::string huge = little;
  huge.replace(huge.find("vertex 8"), 8, "vertex 4294967295");
  std::string list = little;
  list.replace(list.find("list uchar"), 10, "list ulong");
  for (const Damaged& d : {
           // these two ended in a signal, and the third ran for ever
           Damaged{"zero.ply", head + points + "0\n", "the mesh is empty: 3 vertices and no triangle"},
           {"x.off", "OFF\n4 4 ", "cannot be read as a mesh: "},
           {"h.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x",
            "the file is truncated: there is no end_header"},
           // PLY
           {"a.ply", "plie\n", "not a PLY file: its first line is not 'ply'"},
           {"a.ply", "ply\nformat ascii 2.0\n", "line 2: the format has version '2.0', not 1.0"},
           {"a.ply", "ply\nformat ebcdic 1.0\n", "line 2: there is no format 'ebcdic'; there are: ascii, "},
           {"a.ply", "ply\nelement vertex -1\n", "line 2: there cannot be -1 of 'vertex'"},
           {"a.ply", "ply\nelement vertex many\n", "line 2: the number of an element is 'many', which is not a whole "},
           {"a.ply", "ply\nproperty float x\n", "line 2: a property before the first element"},
           {"a.ply", "ply\nelement a 1\nelement a 2\n", "line 3: there are two elements 'a'"},
           {"a.ply", "ply\nelement a 1\nproperty int b\nproperty int b\n",
            "line 4: the element 'a' has two properties "},
           {"a.ply", "ply\nelement a 1\nproperty list float int b\n", "line 3: the length of a list cannot be a float"},
           {"a.ply", "ply\nformat ascii 1.0\nelement a 1\nend_header\n",
            "the header says 1 of 'a', which has no property"},
           {"a.ply", "ply\nbeginn\n", "line 2: 'beginn' is not a word of the header"},
           {"a.ply", "ply\nend_header\n", "line 2: the header does not say the format"},
           {"a.ply", head + "0 0\n", "the header says 3 of 'vertex', at least 6 bytes each, but the file has only 5 "},
           {"a.ply", head + "0 0 1000000\n1 0 0\n", "line 11: the file ends before 'vertex' 2 of 3"},
           {"a.ply", head + "0 0 0\n1 0 x\n0 1 0\n3 0 1 2\n", "line 11: z of a vertex is 'x', which is not a number"},
           {"a.ply", head + "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", "line 11: z of a vertex is missing"},
           {"a.ply", head + "0 0 0\n1 0 1e39\n0 1 0\n3 0 1 2\n", "line 11: z of a vertex is '1e39'; it must be finite"},
           {"a.ply", head + "0 0 0 0\n1 0\n0 1 0\n3 0 1 2\n", "line 10: '0' where the end of the line is expected"},
           {"a.ply", head + points + "3 0 1 3\n", "line 13: a face uses vertex 3, but the file has 3"},
           {"a.ply", head + points + "3 0 1 -1\n", "line 13: a face uses vertex -1, but the file has 3"},
           {"a.ply", head + points + "200 0 1 2\n", "line 13: a list of 200 values, but the line has "},
           {"a.ply", head + points + "256 0 1 2\n", "line 13: the length of a list is 256, which is not a uchar"},
           {"a.ply", head + points + "3 0 1 2\n3 0 1 2\n", "line 14: the file goes on after its last element"},
           {"a.ply", list, "line 10: 'ulong' is not a type"},
           {"a.ply", many, "the header says 99 of 'face', at least 3 bytes each, but the file has only "},
           {"a.ply", huge, "the header says 4294967295 of 'vertex', at least 17 bytes each, but the file has only "},
           {"a.ply", little.substr(0, little.size() - 1), "byte "},
           {"a.ply", little + "xyz", "the file goes on after its last element"},
           // OBJ
           {"a.obj", corner + "f 1 2 4\n", "line 4: a face uses vertex 4, but the file has 3"},
           {"a.obj", corner + "f 1 2 0\n", "line 4: a face uses vertex 0, but the file has 3"},
           {"a.obj", "v 0 0 0\nf -1 -1 -2\n", "line 2: a face uses vertex -2, but there are 1 before it"},
           {"a.obj", corner + "f 1 2\n", "line 4: the face has 2 corners, fewer than 3"},
           {"a.obj", corner + "f 1 2 3x\n", "line 4: '3x' is not a corner of a face"},
           {"a.obj", corner + "f 1 2 99999999999999999999\n", "line 4: '99999999999999999999' is not a corner"},
           {"a.obj", corner + "f \\\n1 \\\n2\ng 1\nq\n", "line 4: the face has 2 corners"},
           {"a.obj", corner + "\n\nfaces 1 2 3\n", "line 6: 'faces' is not a statement of an OBJ file"},
           {"a.obj", corner + "curv 0 1 1 2\n", "line 4: 'curv' belongs to a free-form surface"},
           {"a.obj", "v 0 0\n", "line 1: z of a vertex is missing"},
           {"a.obj", "v 0 0 nan\n", "line 1: z of a vertex is 'nan'; it must be finite"},
           {"a.obj", "v 0 0 1 0\n", "line 1: the weight of a vertex is 0"},
           {"a.obj", "v 0 0 1 1 1\n", "line 1: a vertex has 3 numbers, 4 with a weight, or 6 with a colour"},
           {"a.obj", "v 0 0 \x1b[31m\n", "line 1: z of a vertex is '\\x1b[31m', which is not a number"},
           // STL
           {"a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", "line 5: 'endloop' where vertex is expected"},
           {"a.stl", "solid\nfacet\nouter loop\nvertex 0 0\nendloop\n", "line 4: z of a vertex is missing"},
           {"a.stl", "solid a\nfacet\nouter loop\nvertex 0 0 0 0\n", "line 4: '0' where the end of the line is"},
           {"a.stl", ascii_stl(box) + "facet\n", "where solid is expected"},
       }) {
    const auto file = write(d.name, d.content);
    const auto start = std::chrono::steady_clock::now();
    const auto loaded = load_triangles(file);
    ASSERT_FALSE(loaded.ok()) << d.name << ": " << d.fault;
    EXPECT_TRUE(loaded.error().message.starts_with(file.string() + ": ")) << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(d.fault), std::string::npos) << loaded.error().message << "\n" << d.fault;
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1.0) << d.fault;
  }
  EXPECT_FALSE(load_triangles("/dev/zero").ok());
}

// A file with one change: cut off, a byte changed, removed or repeated, or a number replaced by a large one.
std::string damaged(std::string content, SplitMix& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : std::size_t(random.next() % n); };
  const int changes = 1 + int(below(3));
  for (int i = 0; i < changes && !content.empty(); ++i) {
    const std::size_t at = below(content.size());
    switch (below(6)) {
      case 0:
        content.resize(at);
        break;
      case 1:
        content[at] = char(random.next());
        break;
      case 2:
        content.erase(at, 1 + below(8));
        break;
      case 3:
        content.insert(at, content.substr(below(content.size()), below(40)));
        break;
      case 4:
        content.replace(at, 1, "4294967295");
        break;
      default:
        content[at] = char(content[at] ^ (1 << below(8)));
    }
  }
  return content;
}

// Each file is read or refused: no signal, no endless loop, no memory that the file could not fill.
TEST_F(MeshFile, RandomDamage) {
  SplitMix random(21);
  int refused = 0, read = 0;
  const auto load = [&](const std::string& name, const std::string& content) {
    const auto loaded = load_mesh(write(name, content));
    (loaded.ok() ? read : refused) += 1;
    if (loaded.ok()) return;
    EXPECT_TRUE(loaded.error().message.starts_with((folder() / name).string() + ": ")) << loaded.error().message;
  };
  for (int i = 0; i < 300; ++i) {
    load("a.stl", damaged(ascii_stl(box), random));
    load("b.stl", damaged(binary_stl(box), random));
    load("c.obj", damaged(obj(box), random));
    load("d.ply", damaged(ply(box), random));
    load("e.ply", damaged(binary_ply(box, i % 2 == 0), random));
    load("f.ply", damaged(strip_ply(), random));
  }
  const int by_assimp = memory_of_children_is_limited() ? 20 : 0;
  for (int i = 0; i < by_assimp; ++i) {  // each in a process of its own
    load("g.gltf", damaged(gltf(box), random));
    load("h.dae", damaged(collada(box), random));
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 50);
}

}  // namespace
}  // namespace linchpin

#include "linchpin/io/obj_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>

#include "linchpin/io/mesh_text.h"
#include "linchpin/io/polygon.h"

namespace linchpin {
namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool ignored(std::string_view statement) {
  return one_of(statement, {"vt", "vn", "vp", "l", "p", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "bevel",
                            "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj"});
}
bool free_form(std::string_view statement) {
  return one_of(statement, {"cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv",
                            "sp", "end", "con", "ctech", "stech"});
}

// The statement of a line; empty for a comment.
std::string_view statement_of(MeshLines& lines) {
  const std::string_view word = lines.word();
  return word.starts_with('#') ? std::string_view() : word;
}

// "v x y z", with a weight ("v x y z w": the point is (x, y, z)/w) or a colour ("v x y z r g b").
Vec3<double> vertex(MeshLines& lines) {
  static constexpr const char* names[] = {"x of a vertex", "y of a vertex", "z of a vertex"};
  float value[6];
  int count = 0;
  for (; count < 3; ++count) value[count] = lines.coordinate(names[count]);
  while (count < 6 && !lines.rest().empty() && !lines.rest().starts_with('#'))
    value[count++] = lines.coordinate("a weight or colour of a vertex");
  if (count == 5 || (!lines.rest().empty() && !lines.rest().starts_with('#')))
    refuse_mesh(lines.place(), ": a vertex has 3 numbers, 4 with a weight, or 6 with a colour");
  if (count != 4) return {value[0], value[1], value[2]};
  float point[3];
  for (int k = 0; k < 3; ++k)
    if (!to_single(double(value[k] / value[3]), point[k]))
      refuse_mesh(lines.place(), ": the weight of a vertex is ", value[3], "; the point is not finite");
  return {point[0], point[1], point[2]};
}

std::vector<Vec3<double>> all_vertices(std::string_view content) {
  std::vector<Vec3<double>> vertices;
  for (MeshLines lines(content, true); lines.next();)
    if (statement_of(lines) == "v") vertices.push_back(vertex(lines));
  return vertices;
}

// "7", "7/1", "7//3", "7/1/3" or with negative numbers, which count back from the last vertex so far. Returns the index
// of the vertex, counted from 0.
int corner(const MeshLines& lines, std::string_view word, std::int64_t so_far, std::int64_t all) {
  std::int64_t number = 0;
  const auto [rest, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view others(rest, std::size_t(word.data() + word.size() - rest));
  const bool good = fault == std::errc() && (others.empty() || others.front() == '/') &&
                    others.find_first_not_of("0123456789-/") == others.npos &&
                    std::count(others.begin(), others.end(), '/') <= 2;
  if (!good) refuse_mesh(lines.place(), ": ", in_quotes(word), " is not a corner of a face, such as 7, 7/1 or 7/1/3");
  const std::int64_t index = number < 0 ? so_far + number : number - 1;
  if (number == 0 || index < 0 || index >= all)
    refuse_mesh(lines.place(), ": a face uses vertex ", number, ", but ",
                number < 0 ? message("there are ", so_far, " before it") : message("the file has ", all));
  return int(index);
}

class FaceReader {
 public:
  explicit FaceReader(std::vector<Vec3<double>> vertices)
      : vertices_(std::move(vertices)), used_(vertices_.size(), -1) {}

  MeshParts read(std::string_view content) {
    for (MeshLines lines(content, true); lines.next();) {
      const std::string_view statement = statement_of(lines);
      if (statement == "v")
        ++so_far_;
      else if (statement == "f" || statement == "fo")  // fo: faces of old files
        face(lines);
      else if (statement == "o" || statement == "g")
        part(lines);
      else if (free_form(statement))
        refuse_mesh(lines.place(), ": ", in_quotes(statement), " belongs to a free-form surface; only faces are read");
      else if (!statement.empty() && !ignored(statement))
        refuse_mesh(lines.place(), ": ", in_quotes(statement), " is not a statement of an OBJ file");
    }
    return std::move(mesh_);
  }

 private:
  void part(MeshLines& lines) {
    const std::string_view name = lines.rest();
    MeshPart next{part_name(lines.place(), name.empty() ? "" : in_quotes(name)), mesh_.list.triangles.size()};
    if (!mesh_.parts.empty() && mesh_.parts.back().first_triangle == next.first_triangle) mesh_.parts.pop_back();
    mesh_.parts.push_back(std::move(next));
  }
  void face(MeshLines& lines) {
    corners_.clear();
    for (std::string_view word = lines.word(); !word.empty() && !word.starts_with('#'); word = lines.word()) {
      if (corners_.size() == most_corners)
        refuse_mesh(lines.place(), ": the face has more than ", most_corners, " corners");
      corners_.push_back(numbered(corner(lines, word, so_far_, std::int64_t(vertices_.size()))));
    }
    if (corners_.size() < 3) refuse_mesh(lines.place(), ": the face has ", corners_.size(), " corners, fewer than 3");
    if (!cut_polygon(mesh_.list.vertices, corners_, mesh_.list.triangles))
      refuse_mesh(lines.place(), ": the face of ", corners_.size(), " corners crosses itself");
  }
  // The number of a vertex among those that are used.
  int numbered(int vertex) {
    if (used_[vertex] < 0) {
      used_[vertex] = int(mesh_.list.vertices.size());
      mesh_.list.vertices.push_back(vertices_[vertex]);
    }
    return used_[vertex];
  }

  std::vector<Vec3<double>> vertices_;
  std::vector<int> used_;  // by vertex of the file; -1: not yet
  std::int64_t so_far_ = 0;
  std::vector<int> corners_;
  MeshParts mesh_;
};

}  // namespace

MeshParts read_obj(std::string_view content) { return FaceReader(all_vertices(content)).read(content); }

}  // namespace linchpin

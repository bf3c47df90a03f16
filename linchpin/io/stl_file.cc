#include "linchpin/io/stl_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "linchpin/io/mesh_text.h"

namespace linchpin {
namespace {

constexpr std::size_t head_bytes = 84;      // 80 arbitrary ones and the number of triangles
constexpr std::size_t triangle_bytes = 50;  // a normal and three vertices in single precision, and an attribute

std::uint64_t declared_triangles(std::string_view content) {
  std::uint32_t count = 0;
  std::memcpy(&count, content.data() + 80, 4);  // little-endian, as this machine
  return count;
}

bool is_binary(std::string_view content) {
  return content.size() >= head_bytes && content.size() == head_bytes + triangle_bytes * declared_triangles(content);
}

// Text begins with "solid", but so do the headers of some binary files: text soon has facets, or ends at once.
bool is_text(std::string_view content) {
  std::string head(content.substr(0, 1024));
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  head.erase(0, head.find_first_not_of(" \t\r\n"));
  return head.starts_with("solid") && (head.find("facet") != head.npos || head.find("endsolid") != head.npos);
}

void refuse_binary(std::string_view content) {
  if (content.size() < head_bytes)
    refuse_mesh("not an STL file: it has ", content.size(), " bytes, but the header alone has ", head_bytes);
  const std::uint64_t count = declared_triangles(content), expected = head_bytes + triangle_bytes * count;
  if (content.size() < expected)
    refuse_mesh("the file is truncated in triangle ", (content.size() - head_bytes) / triangle_bytes,
                ": its header says ", count, " triangles, ", expected, " bytes, but it has ", content.size());
  refuse_mesh("not an STL file: its header says ", count, " triangles, ", expected, " bytes, but it has ",
              content.size());
}

MeshParts read_binary(std::string_view content) {
  MeshParts mesh;
  const int count = int(declared_triangles(content));
  mesh.list.vertices.reserve(3 * std::size_t(count));
  mesh.list.triangles.reserve(std::size_t(count));
  for (int t = 0; t < count; ++t) {
    const char* const at = content.data() + head_bytes + triangle_bytes * std::size_t(t) + 3 * sizeof(float);
    for (int k = 0; k < 3; ++k) {
      float v[3];
      std::memcpy(v, at + sizeof v * std::size_t(k), sizeof v);
      if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
        refuse_mesh("triangle ", t, ", vertex ", k, " is (", v[0], ", ", v[1], ", ", v[2], "); it must be finite");
      mesh.list.vertices.push_back({v[0], v[1], v[2]});
    }
    mesh.list.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

// True if a text has its last line, "endsolid".
bool ends(std::string_view content) {
  std::string tail(content.substr(content.size() - std::min<std::size_t>(content.size(), 1024)));
  std::transform(tail.begin(), tail.end(), tail.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return tail.find("endsolid") != tail.npos;
}

// ---- text -----------------------------------------------------------------------------------------------------------

bool same(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

class TextReader {
 public:
  explicit TextReader(std::string_view content) : lines_(content) {}
  MeshParts read() {
    while (lines_.next()) {
      keyword("solid");
      mesh_.parts.push_back({solid_name(), mesh_.list.triangles.size()});
      while (!next_is_endsolid()) facet();
    }
    return std::move(mesh_);
  }

 private:
  void next_line() {
    if (!lines_.next()) refuse_mesh(lines_.place(), ": the file ends within a solid");
  }
  void refuse_word(std::string_view found, const char* expected) {
    refuse_mesh(lines_.place(), ": ", in_quotes(found), " where ", expected, " is expected");
  }
  void keyword(const char* expected) {
    if (const std::string_view found = lines_.word(); !same(found, expected)) refuse_word(found, expected);
  }
  void end_of_line() {
    if (const std::string_view found = lines_.word(); !found.empty()) refuse_word(found, "the end of the line");
  }
  std::string solid_name() {
    const std::string_view name = lines_.rest();
    return part_name(lines_.place(), name.empty() ? "" : in_quotes(name));
  }
  // Goes to the next line. It is the end of the solid, or a facet, whose normal is skipped: some files have NaN there.
  bool next_is_endsolid() {
    next_line();
    const std::string_view found = lines_.word();
    if (same(found, "endsolid")) return true;
    if (!same(found, "facet")) refuse_word(found, "facet or endsolid");
    return false;
  }
  void facet() {
    next_line();
    keyword("outer");
    keyword("loop");
    end_of_line();
    const int first = int(mesh_.list.vertices.size());
    for (int k = 0; k < 3; ++k) {
      next_line();
      keyword("vertex");
      const float x = lines_.coordinate("x of a vertex"), y = lines_.coordinate("y of a vertex"),
                  z = lines_.coordinate("z of a vertex");
      end_of_line();
      mesh_.list.vertices.push_back({x, y, z});
    }
    for (const char* const expected : {"endloop", "endfacet"}) {
      next_line();
      keyword(expected);
      end_of_line();
    }
    mesh_.list.triangles.push_back({first, first + 1, first + 2});
  }

  MeshLines lines_;
  MeshParts mesh_;
};

}  // namespace

MeshParts read_stl(std::string_view content) {
  if (is_binary(content)) return read_binary(content);
  if (!is_text(content)) refuse_binary(content);
  try {
    return TextReader(content).read();
  } catch (const MeshFault& fault) {
    if (ends(content)) throw;
    refuse_mesh(fault.message, "; the file is truncated: there is no endsolid");
  }
}

}  // namespace linchpin

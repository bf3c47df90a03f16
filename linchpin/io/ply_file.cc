#include "linchpin/io/ply_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "linchpin/io/mesh_text.h"
#include "linchpin/io/polygon.h"

namespace linchpin {
namespace {

static_assert(std::endian::native == std::endian::little);

// ---- the header -----------------------------------------------------------------------------------------------------

enum class Encoding { text, little_endian, big_endian };

struct Type {
  std::string_view name, other_name;
  std::size_t bytes;
  bool whole;              // an integer
  double lowest, highest;  // of an integer
};
constexpr std::array<Type, 8> types{{{"char", "int8", 1, true, -128, 127},
                                     {"uchar", "uint8", 1, true, 0, 255},
                                     {"short", "int16", 2, true, -32768, 32767},
                                     {"ushort", "uint16", 2, true, 0, 65535},
                                     {"int", "int32", 4, true, -2147483648.0, 2147483647.0},
                                     {"uint", "uint32", 4, true, 0, 4294967295.0},
                                     {"float", "float32", 4, false, 0, 0},
                                     {"double", "float64", 8, false, 0, 0}}};

struct Property {
  std::string name;
  const Type* type;             // of the value, or of the elements of a list
  const Type* count = nullptr;  // of the length of a list; null for a single value
};
struct Element {
  std::string name;
  std::uint64_t rows;
  std::vector<Property> properties;
};
struct Header {
  Encoding encoding = Encoding::text;
  std::vector<Element> elements;
};

const Type* type_from(MeshLines& lines) {
  const std::string_view word = lines.word();
  for (const Type& type : types)
    if (word == type.name || word == type.other_name) return &type;
  refuse_mesh(lines.place(), ": ", in_quotes(word), " is not a type, such as float, int or uchar");
}

Encoding encoding_from(MeshLines& lines) {
  const std::string_view name = lines.word(), version = lines.word();
  if (version != "1.0") refuse_mesh(lines.place(), ": the format has version ", in_quotes(version), ", not 1.0");
  if (name == "ascii") return Encoding::text;
  if (name == "binary_little_endian") return Encoding::little_endian;
  if (name == "binary_big_endian") return Encoding::big_endian;
  refuse_mesh(lines.place(), ": there is no format ", in_quotes(name),
              "; there are: ascii, binary_little_endian, binary_big_endian");
}

Property property_from(MeshLines& lines, const Element& element) {
  Property p;
  if (lines.rest().starts_with("list ") || lines.rest().starts_with("list\t")) {
    lines.word();
    p.count = type_from(lines);
    if (!p.count->whole) refuse_mesh(lines.place(), ": the length of a list cannot be a ", p.count->name);
  }
  p.type = type_from(lines);
  p.name = lines.word();
  if (p.name.empty()) refuse_mesh(lines.place(), ": the property has no name");
  for (const Property& other : element.properties)
    if (other.name == p.name)
      refuse_mesh(lines.place(), ": the element ", in_quotes(element.name), " has two properties ", in_quotes(p.name));
  return p;
}

Element element_from(MeshLines& lines, const Header& header) {
  Element e{std::string(lines.word()), 0, {}};
  const std::int64_t rows = lines.whole_number("the number of an element");
  if (rows < 0) refuse_mesh(lines.place(), ": there cannot be ", rows, " of ", in_quotes(e.name));
  e.rows = std::uint64_t(rows);
  for (const Element& other : header.elements)
    if (other.name == e.name) refuse_mesh(lines.place(), ": there are two elements ", in_quotes(e.name));
  return e;
}

// Reads the header; `lines` is at its last line afterwards.
Header header_from(MeshLines& lines) {
  if (!lines.next() || lines.number() != 1 || lines.word() != "ply")
    refuse_mesh("not a PLY file: its first line is not 'ply'");
  Header header;
  bool has_format = false;
  while (lines.next()) {
    const std::string_view keyword = lines.word();
    if (keyword == "comment" || keyword == "obj_info") continue;
    if (keyword == "end_header") {
      if (!has_format) refuse_mesh(lines.place(), ": the header does not say the format");
      return header;
    }
    if (keyword == "format") {
      header.encoding = encoding_from(lines);
      has_format = true;
    } else if (keyword == "element") {
      header.elements.push_back(element_from(lines, header));
    } else if (keyword == "property") {
      if (header.elements.empty()) refuse_mesh(lines.place(), ": a property before the first element");
      header.elements.back().properties.push_back(property_from(lines, header.elements.back()));
    } else {
      refuse_mesh(lines.place(), ": ", in_quotes(keyword), " is not a word of the header");
    }
    if (const std::string_view more = lines.word(); !more.empty())
      refuse_mesh(lines.place(), ": ", in_quotes(more), " where the end of the line is expected");
  }
  refuse_mesh("the file is truncated: there is no end_header");
}

// ---- the data -------------------------------------------------------------------------------------------------------

// The values after the header, one after the other.
class Values {
 public:
  Values(Encoding encoding, const MeshLines& header, std::size_t file_bytes)
      : encoding_(encoding), lines_(header), data_(header.text_after_line()), bytes_(file_bytes) {}

  std::string place() const {
    return encoding_ == Encoding::text ? lines_.place() : message("byte ", bytes_ - data_.size());
  }
  std::size_t bytes_left() const {
    return encoding_ == Encoding::text ? lines_.text_after_line().size() + 1 : data_.size();
  }
  // The least number of bytes that a value takes: in text a digit and a blank (which the last line may lack).
  std::size_t least_bytes(const Type& type) const { return encoding_ == Encoding::text ? 2 : type.bytes; }

  void begin_row(const Element& element, std::uint64_t row) {
    if (encoding_ == Encoding::text && !lines_.next())
      refuse_mesh(lines_.place(), ": the file ends before ", in_quotes(element.name), " ", row, " of ", element.rows);
  }
  void end_row() {
    if (encoding_ != Encoding::text) return;
    if (const std::string_view more = lines_.word(); !more.empty())
      refuse_mesh(lines_.place(), ": ", in_quotes(more), " where the end of the line is expected");
  }
  double value(const Type& type, const char* what) {
    return encoding_ == Encoding::text ? text_value(type, what) : binary_value(type, what);
  }
  // The length of a list that the rest of the file can hold.
  std::size_t length(const Property& list) {
    const double count = value(*list.count, "the length of a list");
    const std::size_t left = encoding_ == Encoding::text ? lines_.rest().size() + 1 : data_.size();
    if (count < 0 || count > double(left / least_bytes(*list.type)))
      refuse_mesh(place(), ": a list of ", count, " values, but ",
                  encoding_ == Encoding::text ? "the line" : "the file", " has ", left, " more bytes");
    return std::size_t(count);
  }
  void expect_end() {
    if (encoding_ == Encoding::text) {
      if (lines_.next()) refuse_mesh(lines_.place(), ": the file goes on after its last element");
    } else if (data_.find_first_not_of(" \t\r\n") != data_.npos) {
      refuse_mesh(place(), ": the file goes on after its last element");
    }
  }

 private:
  double text_value(const Type& type, const char* what) {
    if (!type.whole) return lines_.coordinate(what);
    const double number = double(lines_.whole_number(what));
    if (number < type.lowest || number > type.highest)
      refuse_mesh(lines_.place(), ": ", what, " is ", number, ", which is not a ", type.name);
    return number;
  }
  double binary_value(const Type& type, const char* what) {
    if (data_.size() < type.bytes) refuse_mesh(place(), ": the file ends before ", what);
    char bytes[8];
    std::memcpy(bytes, data_.data(), type.bytes);
    data_.remove_prefix(type.bytes);
    if (encoding_ == Encoding::big_endian) std::reverse(bytes, bytes + type.bytes);
    const auto as = [&](auto number) {
      std::memcpy(&number, bytes, sizeof number);
      return double(number);
    };
    switch (&type - types.data()) {
      case 0:
        return as(std::int8_t());
      case 1:
        return as(std::uint8_t());
      case 2:
        return as(std::int16_t());
      case 3:
        return as(std::uint16_t());
      case 4:
        return as(std::int32_t());
      case 5:
        return as(std::uint32_t());
      case 6:
        return as(float());
      default:
        return as(double());
    }
  }
  Encoding encoding_;
  MeshLines lines_;        // of text
  std::string_view data_;  // of a binary file: what has not been read
  std::size_t bytes_;
};

// ---- elements -------------------------------------------------------------------------------------------------------

// Refuses an element that the rest of the file cannot hold.
void check_size(const Element& element, const Values& values) {
  if (element.rows == 0) return;
  std::uint64_t row = 0;
  for (const Property& p : element.properties) row += values.least_bytes(p.count ? *p.count : *p.type);
  if (row == 0)
    refuse_mesh("the header says ", element.rows, " of ", in_quotes(element.name), ", which has no property");
  if (element.rows > values.bytes_left() / row)
    refuse_mesh("the header says ", element.rows, " of ", in_quotes(element.name), ", at least ", row,
                " bytes each, but the file has only ", values.bytes_left(), " bytes for them");
}

void skip(const Property& property, Values& values) {
  const std::size_t count = property.count ? values.length(property) : 1;
  for (std::size_t i = 0; i < count; ++i) values.value(*property.type, "a value");
}

void read_vertices(const Element& element, Values& values, TriangleList& list) {
  constexpr const char* names[] = {"x of a vertex", "y of a vertex", "z of a vertex"};
  std::array<int, 3> found{};
  for (const Property& p : element.properties)
    for (int k = 0; k < 3; ++k)
      if (!p.count && p.name.size() == 1 && p.name[0] == "xyz"[k]) found[k] = 1;
  if (found[0] + found[1] + found[2] < 3) refuse_mesh("the vertices have no properties x, y and z");
  list.vertices.reserve(element.rows);
  for (std::uint64_t row = 0; row < element.rows; ++row) {
    values.begin_row(element, row);
    float point[3]{};
    for (const Property& p : element.properties) {
      const std::size_t k = p.count || p.name.size() != 1 ? 3 : std::string_view("xyz").find(p.name[0]);
      if (k > 2) {
        skip(p, values);
        continue;
      }
      const double x = values.value(*p.type, names[k]);
      if (!to_single(x, point[k]))
        refuse_mesh(values.place(), ": ", p.name, " of vertex ", row, " is ", x,
                    "; it must be finite in single precision");
    }
    values.end_row();
    list.vertices.push_back({point[0], point[1], point[2]});
  }
}

// Appends the triangles of a strip: each three successive vertices, of which every other one is turned round; -1 starts
// a new strip.
void append_strip(const std::vector<int>& strip, TriangleList& list) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < strip.size(); ++i) {
    if (strip[i] < 0) begin = i + 1;
    if (strip[i] < 0 || i < begin + 2) continue;
    const bool turned = (i - begin) % 2 == 1;
    list.triangles.push_back({strip[turned ? i - 1 : i - 2], strip[turned ? i - 2 : i - 1], strip[i]});
  }
}

void read_faces(const Element& element, bool strips, Values& values, TriangleList& list) {
  const Property* indices = nullptr;
  for (const Property& p : element.properties)
    if (p.count && (p.name == "vertex_indices" || p.name == "vertex_index")) indices = &p;
  if (!indices) refuse_mesh("the element ", in_quotes(element.name), " has no list vertex_indices");
  if (!indices->type->whole) refuse_mesh("vertex_indices cannot be of type ", indices->type->name);
  std::vector<int> corners;
  for (std::uint64_t row = 0; row < element.rows; ++row) {
    values.begin_row(element, row);
    for (const Property& p : element.properties) {
      if (&p != indices) {
        skip(p, values);
        continue;
      }
      const std::size_t count = values.length(p);
      if (!strips && count > std::size_t(most_corners))
        refuse_mesh(values.place(), ": the face has ", count, " corners; at most ", most_corners, " are read");
      corners.clear();
      for (std::size_t i = 0; i < count; ++i) {
        const double vertex = values.value(*p.type, "a vertex of a face");
        if (!(strips && vertex == -1) && !(vertex >= 0 && vertex < double(list.vertices.size())))
          refuse_mesh(values.place(), ": ", strips ? "a strip" : "a face", " uses vertex ", vertex,
                      ", but the file has ", list.vertices.size());
        corners.push_back(int(vertex));
      }
    }
    values.end_row();
    if (strips)
      append_strip(corners, list);
    else if (corners.size() >= 3 && !cut_polygon(list.vertices, corners, list.triangles))
      refuse_mesh(values.place(), ": the face of ", corners.size(), " corners crosses itself");
  }
}

}  // namespace

MeshParts read_ply(std::string_view content) {
  MeshLines lines(content);
  const Header header = header_from(lines);
  Values values(header.encoding, lines, content.size());
  MeshParts mesh;
  bool has_vertices = false;
  for (const Element& element : header.elements) {
    check_size(element, values);
    const bool faces = element.name == "face", strips = element.name == "tristrips";
    if ((faces || strips) && !has_vertices)
      refuse_mesh("the element ", in_quotes(element.name), " stands before the vertices");
    if (element.name == "vertex") {
      read_vertices(element, values, mesh.list);
      has_vertices = true;
    } else if (faces || strips) {
      read_faces(element, strips, values, mesh.list);
    } else {
      for (std::uint64_t row = 0; row < element.rows; ++row) {
        values.begin_row(element, row);
        for (const Property& p : element.properties) skip(p, values);
        values.end_row();
      }
    }
  }
  values.expect_end();
  return mesh;
}

}  // namespace linchpin

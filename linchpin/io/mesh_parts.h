// What the readers of mesh files return, and how they report a fault. Not installed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/io/mesh_file.h"
#include "linchpin/spatial/message.h"

namespace linchpin {

// One object of a file, with its first triangle in the list.
struct MeshPart {
  std::string name;  // "mesh 0 'box'", "line 12 'box'"
  std::size_t first_triangle;
};
struct MeshParts {
  TriangleList list;
  std::vector<MeshPart> parts;
};

inline std::string part_name(std::string_view place, std::string_view quoted_name) {
  return quoted_name.empty() ? message(place) : message(place, " ", quoted_name);
}

// Thrown by the readers and caught in mesh_file.cc, which adds the name of the file.
struct MeshFault {
  std::string message;
};
template <class... Parts>
[[noreturn]] void refuse_mesh(const Parts&... parts) {
  throw MeshFault{message(parts...)};
}

}  // namespace linchpin

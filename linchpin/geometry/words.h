// How the room's checks speak. Private to the room.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class... Parts>
std::string words(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

inline bool all_finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline std::string in_words(const Vec3<double>& v) { return words("(", v.x, ", ", v.y, ", ", v.z, ")"); }

}  // namespace linchpin

// Composes the text of error messages: numbers with ten digits, vectors as (x, y, z). Not installed.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

inline bool all_finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline std::string to_string(const Vec3<double>& v) { return message("(", v.x, ", ", v.y, ", ", v.z, ")"); }

}  // namespace linchpin

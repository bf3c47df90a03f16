// How the checks of specs speak. Internal to model/.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

inline bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline std::string show(const Vec3<double>& v) { return text("(", v.x, ", ", v.y, ", ", v.z, ")"); }

}  // namespace linchpin

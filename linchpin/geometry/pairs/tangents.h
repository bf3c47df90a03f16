// Two unit vectors perpendicular to a third. Private to geometry/.
#pragma once

#include "linchpin/spatial/vec.h"

namespace linchpin {

// Unit vectors u and v with u x v = n, for a unit vector n. They are the images of x and y (up to sign) under the
// Householder reflection that maps z or -z, whichever is farther from n, to n. So there is no division by a small
// number, and n = z gives x and y themselves.
LINCHPIN_INLINE void tangents(const Vec3<double>& n, Vec3<double>& u, Vec3<double>& v) {
  const double sign = n.z < 0 ? -1.0 : 1.0, a = -1 / (sign + n.z), b = n.x * n.y * a;
  u = {fma(sign * n.x * a, n.x, 1.0), sign * b, -sign * n.x};
  v = {b, fma(n.y * a, n.y, sign), -n.y};
}

}  // namespace linchpin

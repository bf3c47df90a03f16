// Two unit vectors square to a unit vector and to each other. Private to the room.
#pragma once

#include <cmath>

#include "linchpin/spatial/vec.h"

namespace linchpin {

struct Tangents {
  Vec3<double> u, v;  // u x v = n
};

// Without a branch but for the sign, and without a division by what may vanish. [Duff et al. 2017]
LINCHPIN_INLINE Tangents tangents(const Vec3<double>& n) {
  const double sign = std::copysign(1.0, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

}  // namespace linchpin

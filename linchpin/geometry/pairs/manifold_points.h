// Filling a manifold point by point. Private to the room.
#pragma once

#include <limits>

#include "linchpin/geometry/shapes/manifold.h"

// What a lambda refers to then stays in registers, however often it is called.
#define LINCHPIN_INLINE_LAMBDA __attribute__((always_inline))

namespace linchpin {

// No points yet.
LINCHPIN_INLINE void start(const Vec3<double>& normal, Manifold& m) {
  m.normal = {normal.x, normal.y, normal.z};  // number by number: a copy of the whole would wait for its parts' stores
  m.distance = std::numeric_limits<double>::infinity();
  m.count = 0;
}
// p is midway between the surfaces. The least gap of all points becomes the distance.
LINCHPIN_INLINE void add(const Vec3<double>& p, double gap, std::uint32_t feature, Manifold& m) {
  m.points[m.count++] = {p, gap, feature};
  m.distance = gap < m.distance ? gap : m.distance;
}
LINCHPIN_INLINE std::uint32_t feature(std::uint32_t of_a, std::uint32_t of_b) { return of_a << 16 | of_b; }

// False for NaN and infinity, which a pose may have brought in.
LINCHPIN_INLINE bool is_finite(const Vec3<double>& p) {
  const double sum = p.x + p.y + p.z;
  return sum - sum == 0;
}

// A contact of one point, where ball-like A is `reach` from its surface: a = centre - reach n. Returns what the pair
// returns.
LINCHPIN_INLINE bool one_point(const Vec3<double>& normal, const Vec3<double>& centre, double reach, double gap,
                               Manifold& m) {
  m.normal = normal;
  m.distance = gap;
  m.count = 1;
  m.points[0] = {fma(-fma(0.5, gap, reach), normal, centre), gap, 0};
  return is_finite(m.points[0].p);
}

}  // namespace linchpin

// Fills a manifold point by point. Private to geometry/.
#pragma once

#include <limits>

#include "linchpin/geometry/shapes/manifold.h"

// With this attribute the captured variables of a lambda stay in registers, however often it is called.
#define LINCHPIN_INLINE_LAMBDA __attribute__((always_inline))

namespace linchpin {

// A manifold without points.
LINCHPIN_INLINE void start(const Vec3<double>& normal, Manifold& m) {
  // By components: a vector copy would stall on the scalar stores just made (no store forwarding).
  m.normal = {normal.x, normal.y, normal.z};
  m.distance = std::numeric_limits<double>::infinity();
  m.count = 0;
}
// Adds a point. p is midway between the surfaces. m.distance becomes the smallest gap of all points.
LINCHPIN_INLINE void add(const Vec3<double>& p, double gap, std::uint32_t feature, Manifold& m) {
  m.points[m.count++] = {p, gap, feature};
  m.distance = gap < m.distance ? gap : m.distance;
}
LINCHPIN_INLINE std::uint32_t feature(std::uint32_t of_a, std::uint32_t of_b) { return of_a << 16 | of_b; }

// False if p has a NaN or an infinity, which may stem from a pose.
LINCHPIN_INLINE bool is_finite(const Vec3<double>& p) {
  const double sum = p.x + p.y + p.z;
  return sum - sum == 0;
}

// A manifold of one point, for a sphere-like A of radius `reach`: a = centre - reach n. The result is that of the pair
// functions (pairs.h).
LINCHPIN_INLINE bool one_point(const Vec3<double>& normal, const Vec3<double>& centre, double reach, double gap,
                               Manifold& m) {
  m.normal = normal;
  m.distance = gap;
  m.count = 1;
  m.points[0] = {fma(-fma(0.5, gap, reach), normal, centre), gap, 0};
  return is_finite(m.points[0].p);
}

}  // namespace linchpin

// Axis-aligned boxes. They are closed: boxes that share a face overlap. A box with lower > upper along some axis, or
// with a NaN, is empty and overlaps nothing. Bounds may be infinite.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/spatial/vec.h"

namespace linchpin {

struct Aabb {
  Vec3<double> lower, upper;

  // The empty box, the neutral element of merge().
  static Aabb none() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  }
  static Aabb everything() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
  }
  static Aabb about(const Vec3<double>& centre, const Vec3<double>& half) { return {centre - half, centre + half}; }
};

LINCHPIN_INLINE bool holds_points(const Aabb& a) {
  return a.lower.x <= a.upper.x && a.lower.y <= a.upper.y && a.lower.z <= a.upper.z;
}
LINCHPIN_INLINE bool is_finite(const Aabb& a) {
  return std::isfinite(a.lower.x) && std::isfinite(a.lower.y) && std::isfinite(a.lower.z) && std::isfinite(a.upper.x) &&
         std::isfinite(a.upper.y) && std::isfinite(a.upper.z);
}
LINCHPIN_INLINE bool contains(const Aabb& a, const Vec3<double>& p) {
  return a.lower.x <= p.x && p.x <= a.upper.x && a.lower.y <= p.y && p.y <= a.upper.y && a.lower.z <= p.z &&
         p.z <= a.upper.z;
}
// For two boxes that are not empty.
LINCHPIN_INLINE bool overlaps(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
         a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
LINCHPIN_INLINE Vec3<double> least(const Vec3<double>& a, const Vec3<double>& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
LINCHPIN_INLINE Vec3<double> greatest(const Vec3<double>& a, const Vec3<double>& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
// The smallest box that contains both; NaNs of b are ignored.
LINCHPIN_INLINE Aabb merge(const Aabb& a, const Aabb& b) {
  return {least(a.lower, b.lower), greatest(a.upper, b.upper)};
}
LINCHPIN_INLINE Aabb merge(const Aabb& a, const Vec3<double>& p) { return {least(a.lower, p), greatest(a.upper, p)}; }
LINCHPIN_INLINE Aabb inflated(const Aabb& a, double margin) {
  const Vec3<double> m{margin, margin, margin};
  return {a.lower - m, a.upper + m};
}
// Halved before they are added: no overflow.
LINCHPIN_INLINE Vec3<double> centre(const Aabb& a) { return 0.5 * a.lower + 0.5 * a.upper; }
// The square of the distance between the boxes; 0 when they overlap.
LINCHPIN_INLINE double distance_squared(const Aabb& a, const Aabb& b) {
  const Vec3<double> zero = Vec3<double>::zero();
  const Vec3<double> gap = greatest(zero, greatest(a.lower - b.upper, b.lower - a.upper));
  return dot(gap, gap);
}

}  // namespace linchpin

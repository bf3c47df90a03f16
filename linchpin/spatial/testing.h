// For tests: random vectors and poses, and differences between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/base/splitmix.h"
#include "linchpin/spatial/quaternion.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Random numbers that are the same on every platform, unlike those of <random>'s distributions.
class RandomSpatial : public SplitMix {
 public:
  using SplitMix::SplitMix;
  double even(double range = 1) { return range * (2 * unit() - 1); }
  // Uniform in the logarithm.
  double magnitude(double low, double high) { return low * std::pow(high / low, unit()); }
  Vec3<double> vector(double range = 1) {
    // Named first, because the order in which arguments are evaluated is not specified.
    const double x = even(range), y = even(range), z = even(range);
    return {x, y, z};
  }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> v = vector();
      const double length = norm(v);
      if (length > 0.1 && length < 1) return (1 / length) * v;
    }
  }
  Quaternion<double> unit_quaternion() {
    for (;;) {
      const double w = even(), x = even(), y = even(), z = even();
      const double length = std::sqrt(w * w + x * x + y * y + z * z);
      if (length > 0.1 && length < 1) return {w / length, x / length, y / length, z / length};
    }
  }
  Mat3<double> rotation() { return to_rotation(unit_quaternion()); }
  Transform<double> pose(double range = 1) {
    const Mat3<double> R = rotation();
    return {R, vector(range)};
  }
  Motion<double> motion(double range = 1) {
    const Vec3<double> w = vector(range);
    return {w, vector(range)};
  }
  Force<double> force(double range = 1) {
    const Vec3<double> n = vector(range);
    return {n, vector(range)};
  }
};

// Largest difference between entries; NaN if there is one.
inline double distance(const Vec3<double>& a, const Vec3<double>& b) {
  return largest({a.x - b.x, a.y - b.y, a.z - b.z});
}
inline double distance(const Mat3<double>& a, const Mat3<double>& b) {
  return largest({distance(a.x, b.x), distance(a.y, b.y), distance(a.z, b.z)});
}
inline double distance(const Sym3<double>& a, const Sym3<double>& b) {
  return larger(distance(Vec3<double>{a.xx, a.yy, a.zz}, Vec3<double>{b.xx, b.yy, b.zz}),
                distance(Vec3<double>{a.xy, a.xz, a.yz}, Vec3<double>{b.xy, b.xz, b.yz}));
}
inline Mat3<double> full(const Sym3<double>& s) { return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}; }
inline double determinant(const Mat3<double>& R) { return dot(cross(R.x, R.y), R.z); }

// Rodrigues' formula, with the sine and cosine of the C library.
inline Mat3<double> rotation_about(const Vec3<double>& unit_axis, double angle) {
  const Vec3<double>& u = unit_axis;
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  return {{c + u.x * u.x * d, u.x * u.y * d + u.z * s, u.x * u.z * d - u.y * s},
          {u.x * u.y * d - u.z * s, c + u.y * u.y * d, u.y * u.z * d + u.x * s},
          {u.x * u.z * d + u.y * s, u.y * u.z * d - u.x * s, c + u.z * u.z * d}};
}

}  // namespace linchpin

// The lowest points of A over the plane of B.
//
// With n the plane's normal, the height of a point x is n.(x - p_B). Every point of A's surface together with its foot
// on the plane satisfies (3) of manifold.h. The manifold has the points that support A: corners, ends, and four points
// of each rim. The height of a rim with axis z, centre c and radius r is
//     h(c) - r s cos(t),   s = |n - (n.z) z|,                                                                     (1)
// where t is the angle from its lowest point. The four points are at t = 0, 90, 180 and 270 degrees. A rim that is flat
// on the plane is supported evenly by all four; on a tilted one, points above the margin are dropped and the lowest is
// kept.
#include "linchpin/geometry/pairs/manifold_points.h"
#include "linchpin/geometry/pairs/manifold_reduce.h"
#include "linchpin/geometry/pairs/pairs.h"
#include "linchpin/geometry/shapes/hull.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

LINCHPIN_INLINE double height(const Pose& X_WB, const Vector& x) { return dot(X_WB.R.z, x - X_WB.p); }

// Adds the point a of A with height `gap`, if within the margin.
LINCHPIN_INLINE void add_if_near(const Vector& a, double gap, std::uint32_t of_a, double margin, Manifold& m) {
  if (gap <= margin) add(fma(-0.5 * gap, m.normal, a), gap, feature(of_a, 0), m);
}

// The direction from a rim's centre to its lowest point, `down`, the direction at 90 degrees, `side`, and s of (1).
struct Tilt {
  Vector down, side;
  double s;
};
LINCHPIN_INLINE Tilt tilt(const Mat3<double>& R, const Vector& n) {
  const double x = dot(R.x, n), y = dot(R.y, n), s = std::sqrt(fma(x, x, y * y));
  // If the axis is upright up to rounding, the lowest point is arbitrary. Then the shape's own axes are used, which do
  // not jump from step to step. The heights change by less than 1e-13 radii.
  if (s <= 1e-13) return {R.x, R.y, 0.0};
  const double c = -x / s, d = -y / s;
  return {fma(d, R.y, c * R.x), fma(-d, R.x, c * R.y), s};
}
// Adds four points of a rim, with the features first_feature to first_feature + 3.
LINCHPIN_INLINE void add_rim(const Vector& centre, double height, double radius, const Tilt& t,
                             std::uint32_t first_feature, double margin, Manifold& m) {
  const double fall = radius * t.s;  // (1)
  add_if_near(fma(radius, t.down, centre), height - fall, first_feature, margin, m);
  add_if_near(fma(radius, t.side, centre), height, first_feature + 1, margin, m);
  add_if_near(fma(-radius, t.down, centre), height + fall, first_feature + 2, margin, m);
  add_if_near(fma(-radius, t.side, centre), height, first_feature + 3, margin, m);
}

}  // namespace

bool sphere_half_space(const Sphere& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin,
                       Manifold& m) {
  const double gap = height(X_WB, X_WA.p) - a.radius;
  if (!(gap <= margin)) return false;
  return one_point(X_WB.R.z, X_WA.p, a.radius, gap, m);
}

bool capsule_half_space(const Capsule& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin,
                        Manifold& m) {
  const Vector& n = X_WB.R.z;
  const double middle = height(X_WB, X_WA.p) - a.radius, rise = a.half_length * dot(n, X_WA.R.z);
  if (!(middle - std::abs(rise) <= margin)) return false;
  const Vector bottom = fma(-a.radius, n, X_WA.p);
  const auto end = [&](double side, std::uint32_t which) LINCHPIN_INLINE_LAMBDA {
    const double gap = fma(side, rise, middle);
    return ContactPoint{fma(-0.5 * gap, n, fma(side * a.half_length, X_WA.R.z, bottom)), gap, feature(which, 0)};
  };
  m.normal = n;
  m.distance = middle - std::abs(rise);
  if (middle + std::abs(rise) <= margin) {
    m.count = 2;
    m.points[0] = end(-1.0, 0);
    m.points[1] = end(1.0, 1);
  } else {
    m.count = 1;
    m.points[0] = rise > 0 ? end(-1.0, 0) : end(1.0, 1);
  }
  return is_finite(m.points[0].p);
}

// All corners within the margin: there are at most eight.
bool box_half_space(const Box& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin, Manifold& m) {
  const Vector& n = X_WB.R.z;
  const Vector ex = a.half.x * X_WA.R.x, ey = a.half.y * X_WA.R.y, ez = a.half.z * X_WA.R.z;
  const double x = dot(n, ex), y = dot(n, ey), z = dot(n, ez), middle = height(X_WB, X_WA.p);
  // Summed in the order of the loops below, so that it equals the height of the lowest corner exactly.
  if (!(middle - std::abs(z) - std::abs(y) - std::abs(x) <= margin)) return false;
  start(n, m);
  for (int k = 0; k < 2; ++k) {
    const double hz = k ? middle + z : middle - z;
    if (!(hz - std::abs(y) - std::abs(x) <= margin)) continue;
    const Vector pz = k ? X_WA.p + ez : X_WA.p - ez;
    for (int j = 0; j < 2; ++j) {
      const double hy = j ? hz + y : hz - y;
      if (!(hy - std::abs(x) <= margin)) continue;
      const Vector py = j ? pz + ey : pz - ey;
      const std::uint32_t corner = std::uint32_t(4 * k + 2 * j);
      add_if_near(py - ex, hy - x, corner, margin, m);
      add_if_near(py + ex, hy + x, corner + 1, margin, m);
    }
  }
  return m.count > 0 && is_finite(m.points[0].p);
}

bool cylinder_half_space(const Cylinder& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin,
                         Manifold& m) {
  const Vector& n = X_WB.R.z;
  const Tilt t = tilt(X_WA.R, n);
  const double middle = height(X_WB, X_WA.p), rise = a.half_length * dot(n, X_WA.R.z);
  if (!(middle - std::abs(rise) - a.radius * t.s <= margin)) return false;
  start(n, m);
  add_rim(fma(-a.half_length, X_WA.R.z, X_WA.p), middle - rise, a.radius, t, 0, margin, m);
  add_rim(fma(a.half_length, X_WA.R.z, X_WA.p), middle + rise, a.radius, t, 4, margin, m);
  return m.count > 0 && is_finite(m.points[0].p);
}

bool cone_half_space(const Cone& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin, Manifold& m) {
  const Vector& n = X_WB.R.z;
  const Tilt t = tilt(X_WA.R, n);
  const double middle = height(X_WB, X_WA.p), rise = a.half_length * dot(n, X_WA.R.z);
  const double base = middle - rise, apex = middle + rise;
  if (!(base - a.radius * t.s <= margin || apex <= margin)) return false;
  start(n, m);
  add_rim(fma(-a.half_length, X_WA.R.z, X_WA.p), base, a.radius, t, 0, margin, m);
  add_if_near(fma(a.half_length, X_WA.R.z, X_WA.p), apex, 4, margin, m);
  return m.count > 0 && is_finite(m.points[0].p);
}

// The lowest point of an ellipsoid of radii e, with n in its axes, is -e^2 n / |e n|, which is |e n| below its centre.
bool ellipsoid_half_space(const Ellipsoid& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin,
                          Manifold& m) {
  const Vector d = transpose_times(X_WA.R, X_WB.R.z);
  const Vector en{a.radii.x * d.x, a.radii.y * d.y, a.radii.z * d.z};
  const double reach = norm(en), gap = height(X_WB, X_WA.p) - reach;
  if (!(gap <= margin)) return false;
  const double s = -1 / reach;
  const Vector lowest = X_WA * Vector{s * a.radii.x * en.x, s * a.radii.y * en.y, s * a.radii.z * en.z};
  start(X_WB.R.z, m);
  add(fma(-0.5 * gap, m.normal, lowest), gap, 0, m);
  return is_finite(m.points[0].p);
}

// The corners within the margin, reduced to eight whenever there are more than reduce() takes at once.
bool hull_half_space(const ConvexHull& a, const Pose& X_WA, const HalfSpace&, const Pose& X_WB, double margin,
                     Manifold& m) {
  const Hull& hull = *a.hull;
  const Vector n = transpose_times(X_WA.R, X_WB.R.z);
  const double middle = height(X_WB, X_WA.p);
  if (!(middle + dot(n, hull.centre) - hull.radius <= margin)) return false;
  ContactPoint near[most_candidates];
  int count = 0;
  m.normal = X_WB.R.z;
  const int corners = int(hull.vertices.size());
  for (int i = 0; i < corners; ++i) {
    const Vector& corner = hull.vertices[i];
    const double gap = plus_dot(middle, n, corner);
    if (!(gap <= margin)) continue;
    if (count == most_candidates) {
      reduce({near, most_candidates}, m);
      count = m.count;
      for (int k = 0; k < count; ++k) near[k] = m.points[k];
    }
    // The feature has 16 bits: beyond 65536 corners two may share one, which affects warm starts only.
    near[count++] = {fma(-0.5 * gap, m.normal, X_WA * corner), gap, feature(std::uint16_t(i), 0)};
  }
  if (count == 0) return false;
  reduce({near, std::size_t(count)}, m);
  return is_finite(m.points[0].p);
}

}  // namespace linchpin

#include "linchpin/geometry/convex/overlay.h"

#include <cmath>
#include <limits>

#include "linchpin/geometry/pairs/tangents.h"

namespace linchpin {

namespace {

// The projection of an outline along n; counterclockwise seen from the tip of n.
struct Shadow {
  const Outline* outline;
  bool reversed;
  int count, sides;
  double u[most_corners], v[most_corners], height[most_corners];
  double ex[most_corners], ey[most_corners], length[most_corners];  // unit vector along side i, from i to i + 1
  double slope_u, slope_v, off_plane;  // slopes of a polygon's plane, and the largest distance of its corners from it
};

LINCHPIN_INLINE int corner(const Shadow& s, int i) { return s.reversed ? s.count - 1 - i : i; }
LINCHPIN_INLINE int after(const Shadow& s, int i) { return i + 1 == s.count ? 0 : i + 1; }

LINCHPIN_INLINE double height_of_plane(const Shadow& s, double u, double v) {
  return s.height[0] + s.slope_u * (u - s.u[0]) + s.slope_v * (v - s.v[0]);
}

void cast(const Outline& o, const Vec3<double>& n, const Vec3<double>& tu, const Vec3<double>& tv, Shadow& s) {
  s.outline = &o;
  s.count = o.count;
  s.sides = o.count > 2 ? o.count : o.count - 1;
  const double upright = o.count > 2 ? dot(o.normal, n) : 1;
  s.reversed = upright < 0;
  for (int i = 0; i < s.count; ++i) {
    const Vec3<double>& x = o.x[corner(s, i)];
    s.u[i] = dot(tu, x);
    s.v[i] = dot(tv, x);
    s.height[i] = dot(n, x);
  }
  for (int i = 0; i < s.sides; ++i) {
    const int j = after(s, i);
    const double x = s.u[j] - s.u[i], y = s.v[j] - s.v[i], length = std::sqrt(fma(x, x, y * y));
    const double scale = length > 0 ? 1 / length : 0;
    s.ex[i] = scale * x;
    s.ey[i] = scale * y;
    s.length[i] = length;
  }
  if (o.count > 2) {
    s.slope_u = -dot(o.normal, tu) / upright;
    s.slope_v = -dot(o.normal, tv) / upright;
    s.off_plane = 0;
    for (int i = 1; i < s.count; ++i)
      s.off_plane = std::fmax(s.off_plane, std::abs(s.height[i] - height_of_plane(s, s.u[i], s.v[i])));
  }
}

LINCHPIN_INLINE double square(double x, double y) { return fma(x, x, y * y); }
// The distance of (u, v) to the left of side i.
LINCHPIN_INLINE double left_of(const Shadow& s, int i, double u, double v) {
  return s.ex[i] * (v - s.v[i]) - s.ey[i] * (u - s.u[i]);
}
LINCHPIN_INLINE double along(const Shadow& s, int i, double u, double v) {
  return s.ex[i] * (u - s.u[i]) + s.ey[i] * (v - s.v[i]);
}

// The height of a polygon that is not exactly plane, as faces of hulls may be (hull_resolution), over a point of its
// projection. It is that of a triangle of the first corner and a side, which is inside of the hull.
double height_of_triangles(const Shadow& s, double u, double v) {
  const auto area = [&](int i, int j, double x, double y) {
    return (s.u[j] - s.u[i]) * (y - s.v[i]) - (s.v[j] - s.v[i]) * (x - s.u[i]);
  };
  double deepest = -std::numeric_limits<double>::infinity(), height = s.height[0];
  for (int i = 1; i + 1 < s.count; ++i) {
    const double whole = area(0, i, s.u[i + 1], s.v[i + 1]);
    if (!(whole > 0)) continue;
    const double p = area(i + 1, 0, u, v) / whole, q = area(0, i, u, v) / whole;  // shares of corners i and i + 1
    const double inside = std::fmin(std::fmin(p, q), 1 - p - q);
    if (!(inside > deepest)) continue;
    deepest = inside;
    height = s.height[0] + p * (s.height[i] - s.height[0]) + q * (s.height[i + 1] - s.height[0]);
  }
  return height;
}

// The height of the outline over (u, v); false if that is outside of its projection.
bool height_over(const Shadow& s, double u, double v, double near, double beside, double& height) {
  if (s.count > 2) {
    for (int i = 0; i < s.sides; ++i)
      if (!(left_of(s, i, u, v) >= -near)) return false;
    height = s.off_plane > near ? height_of_triangles(s, u, v) : height_of_plane(s, u, v);
    return true;
  }
  if (s.count == 2) {
    const double t = along(s, 0, u, v);
    if (!(std::abs(left_of(s, 0, u, v)) <= beside && t >= -near && t <= s.length[0] + near)) return false;
    height = s.height[0] + (s.length[0] > 0 ? t / s.length[0] : 0.0) * (s.height[1] - s.height[0]);
    return true;
  }
  height = s.height[0];
  return square(u - s.u[0], v - s.v[0]) <= beside * beside;
}

LINCHPIN_INLINE std::uint16_t vertex_of(const Shadow& s, int i) {
  return vertex_feature(s.outline->vertex[corner(s, i)]);
}
LINCHPIN_INLINE std::uint16_t side_of(const Shadow& s, int i) {
  return edge_feature(s.outline->vertex[corner(s, i)], s.outline->vertex[corner(s, after(s, i))]);
}

}  // namespace

int overlay(const Vec3<double>& n, const Outline& a, const Outline& b, double near, double beside,
            OverlayPoint* points) {
  Vec3<double> tu, tv;
  tangents(n, tu, tv);
  Shadow A, B;
  cast(a, n, tu, tv, A);
  cast(b, n, tu, tv, B);
  int count = 0;
  const auto add = [&](double u, double v, double height_a, double height_b, std::uint16_t in_a, std::uint16_t in_b) {
    if (count == most_overlay_points) return;
    const Vec3<double> foot = fma(u, tu, v * tv);
    points[count++] = {fma(height_a, n, foot), fma(height_b, n, foot), std::uint32_t(in_a) << 16 | in_b};
  };

  double height;
  for (int i = 0; i < A.count; ++i)
    if (height_over(B, A.u[i], A.v[i], near, beside, height))
      add(A.u[i], A.v[i], A.height[i], height, vertex_of(A, i), b.face);
  for (int j = 0; j < B.count; ++j) {
    if (!height_over(A, B.u[j], B.v[j], near, beside, height)) continue;
    bool at_corner = false;  // at a corner of A, which has been added already
    const double reach = 2 * near + (A.count == 1 ? beside : 0);
    for (int i = 0; i < A.count && !at_corner; ++i)
      at_corner = square(A.u[i] - B.u[j], A.v[i] - B.v[j]) <= reach * reach;
    if (!at_corner) add(B.u[j], B.v[j], height, B.height[j], a.face, vertex_of(B, j));
  }
  for (int i = 0; i < A.sides; ++i)
    for (int j = 0; j < B.sides; ++j) {
      const int ii = after(A, i), jj = after(B, j);
      const double p = left_of(B, j, A.u[i], A.v[i]), q = left_of(B, j, A.u[ii], A.v[ii]);
      if (!((p > near && q < -near) || (p < -near && q > near))) continue;
      const double r = left_of(A, i, B.u[j], B.v[j]), s = left_of(A, i, B.u[jj], B.v[jj]);
      if (!((r > near && s < -near) || (r < -near && s > near))) continue;
      const double t = p / (p - q), k = r / (r - s);
      add(A.u[i] + t * (A.u[ii] - A.u[i]), A.v[i] + t * (A.v[ii] - A.v[i]),
          A.height[i] + t * (A.height[ii] - A.height[i]), B.height[j] + k * (B.height[jj] - B.height[j]), side_of(A, i),
          side_of(B, j));
    }
  return count;
}

}  // namespace linchpin

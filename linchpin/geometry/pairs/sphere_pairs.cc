// The distance of a point, the centre of sphere A, from B.
//
// In B's frame, with c the centre, q the point of B's surface nearest to it and n the outward normal there,
//     distance = n.(c - q) - radius,                                                                              (1)
// both outside and inside of B. c - q is computed by components as the difference from a clamped value, so that n has
// exact zeros along the edges and faces that it is normal to, however near c is. Rounding never determines a direction.
//
// Ellipsoid of radii e_i: in the scaled coordinates z_i = c_i / e_i the nearest point is e_i q_i with
//     q_i = r_i z_i / (t + r_i - 1),  r_i = (e_i / e_min)^2,  |q(t)| = 1,                                         (2)
// where t > 0 is the root for the nearest q (t = 1 if c is on the surface; t = 0 is the limit, where q is determined by
// the axis of e_min). 1/|q(t)| is increasing and concave there, so that Newton's iteration on it converges
// monotonically from any smaller t. The start follows from |q_i| <= 1.
// [Conn, Gould, Toint: Trust-Region Methods, 2000, s. 7.3, for the same equation]
#include <algorithm>

#include "linchpin/geometry/pairs/clamped.h"
#include "linchpin/geometry/pairs/manifold_points.h"
#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

LINCHPIN_INLINE Vector centre_in(const Pose& X_WB, const Pose& X_WA) {
  return transpose_times(X_WB.R, X_WA.p - X_WB.p);
}

// Squares of smaller numbers underflow; such lengths count as 0.
constexpr double nothing = 1e-150;

// A unit vector and the length before normalisation.
struct Direction {
  Vector n;
  double length;
};
LINCHPIN_INLINE Direction direction(const Vector& d, const Vector& if_none) {
  const double length = norm(d);
  if (!(length > nothing)) return {{if_none.x, if_none.y, if_none.z}, 0.0};
  return {(1 / length) * d, length};
}
LINCHPIN_INLINE bool contact(const Sphere& a, const Pose& X_WA, const Pose& X_WB, const Vector& n_B, double distance,
                             double margin, Manifold& m) {
  const double gap = distance - a.radius;
  if (!(gap <= margin)) return false;
  return one_point(X_WB.R * n_B, X_WA.p, a.radius, gap, m);
}

// The half-plane (rho, z) through c, for bodies of revolution about z.
struct Meridian {
  Vector out;  // unit, away from the axis
  double rho;
};
LINCHPIN_INLINE Meridian meridian(const Vector& c) {
  const Direction d = direction({c.x, c.y, 0.0}, {1.0, 0.0, 0.0});
  return {d.n, d.length};
}
LINCHPIN_INLINE Vector in_space(const Meridian& p, double along_rho, double along_z) {
  return {along_rho * p.out.x, along_rho * p.out.y, along_z};
}

// (2). The normal at the nearest point, and the signed distance.
struct OnEllipsoid {
  Vector n;
  double distance;
};
OnEllipsoid nearest_on_ellipsoid(const Vector& radii, const Vector& c) {
  const double e[3] = {radii.x, radii.y, radii.z}, at[3] = {c.x, c.y, c.z};
  int small = 0;
  for (int i = 1; i < 3; ++i) {
    if (e[i] < e[small]) small = i;
  }
  double z[3], r[3], beyond[3];  // beyond = r - 1, computed without cancellation
  double t = 0;
  for (int i = 0; i < 3; ++i) {
    const double ratio = e[i] / e[small];
    z[i] = at[i] / e[i];
    // So near to a plane of symmetry, c is moved into it, by 1e-20 radii. This bounds the number of Newton steps near
    // the pole at t = 0.
    if (std::abs(z[i]) < 1e-20) z[i] = 0;
    r[i] = ratio * ratio;
    beyond[i] = (e[i] - e[small]) * (e[i] + e[small]) / (e[small] * e[small]);
    t = std::max(t, fma(r[i], std::abs(z[i]), -beyond[i]));  // |q_i| <= 1
  }
  double q[3], square = 0;
  // Usually about five steps, near the pole sixty; the bound is for NaN.
  for (int step = 0; step < 100; ++step) {
    square = 0;
    double slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double below = t + beyond[i];
      q[i] = z[i] == 0 ? 0.0 : r[i] * z[i] / below;
      square = fma(q[i], q[i], square);
      if (q[i] != 0) slope = fma(q[i], q[i] / below, slope);
    }
    const double length = std::sqrt(square);
    if (!(length > 1)) break;
    const double next = t + (length - 1) * square / slope;
    if (!(next > t)) break;
    t = next;
  }
  // |q(0)| < 1: the root would be negative. c is in the plane of symmetry, and the nearest point is off it.
  if (square < 1 && t == 0) q[small] = std::sqrt(1 - square);
  double n[3], reach = 0;
  for (int i = 0; i < 3; ++i) n[i] = q[i] / (e[i] / e[small]);
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double along = 0;
  for (int i = 0; i < 3; ++i) {
    n[i] /= length;
    along = fma(n[i], at[i], along);
    reach = fma(e[i] * n[i], e[i] * n[i], reach);
  }
  // n.q is the support function of the ellipsoid, |e n|.
  return {{n[0], n[1], n[2]}, along - std::sqrt(reach)};  // (1)
}

}  // namespace

bool sphere_sphere(const Sphere& a, const Pose& X_WA, const Sphere& b, const Pose& X_WB, double margin, Manifold& m) {
  const Vector d = X_WA.p - X_WB.p;
  const double length = norm(d), gap = length - a.radius - b.radius;
  if (!(gap <= margin)) return false;
  if (!(length > nothing)) return one_point(X_WB.R.z, X_WA.p, a.radius, gap, m);
  return one_point((1 / length) * d, X_WA.p, a.radius, gap, m);
}

bool sphere_capsule(const Sphere& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin, Manifold& m) {
  const Vector c = centre_in(X_WB, X_WA);
  const Direction d = direction({c.x, c.y, c.z - clamped(c.z, b.half_length)}, {1.0, 0.0, 0.0});
  return contact(a, X_WA, X_WB, d.n, d.length - b.radius, margin, m);
}

bool sphere_box(const Sphere& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m) {
  const Vector c = centre_in(X_WB, X_WA), &h = b.half;
  const Vector out{c.x - clamped(c.x, h.x), c.y - clamped(c.y, h.y), c.z - clamped(c.z, h.z)};
  const double length = norm(out);
  if (length > nothing) return contact(a, X_WA, X_WB, (1 / length) * out, length, margin, m);
  // Inside: out through the nearest face.
  const double x = std::abs(c.x) - h.x, y = std::abs(c.y) - h.y, z = std::abs(c.z) - h.z;
  if (x >= y && x >= z) return contact(a, X_WA, X_WB, {c.x < 0 ? -1.0 : 1.0, 0.0, 0.0}, x, margin, m);
  if (y >= z) return contact(a, X_WA, X_WB, {0.0, c.y < 0 ? -1.0 : 1.0, 0.0}, y, margin, m);
  return contact(a, X_WA, X_WB, {0.0, 0.0, c.z < 0 ? -1.0 : 1.0}, z, margin, m);
}

bool sphere_cylinder(const Sphere& a, const Pose& X_WA, const Cylinder& b, const Pose& X_WB, double margin,
                     Manifold& m) {
  const Vector c = centre_in(X_WB, X_WA);
  const Meridian p = meridian(c);
  const double beside = p.rho - b.radius, over = std::abs(c.z) - b.half_length, up = c.z < 0 ? -1.0 : 1.0;
  if (beside > 0 && over > 0) {  // the rim
    const double length = std::sqrt(fma(beside, beside, over * over));
    if (length > nothing)
      return contact(a, X_WA, X_WB, in_space(p, beside / length, up * over / length), length, margin, m);
  }
  // The side or a cap, whichever is farther out or less deep.
  if (beside >= over) return contact(a, X_WA, X_WB, p.out, beside, margin, m);
  return contact(a, X_WA, X_WB, {0.0, 0.0, up}, over, margin, m);
}

bool sphere_cone(const Sphere& a, const Pose& X_WA, const Cone& b, const Pose& X_WB, double margin, Manifold& m) {
  const Vector c = centre_in(X_WB, X_WA);
  const Meridian p = meridian(c);
  // In the half-plane: from the rim at (radius, -half_length) up the side, of length `slant`, to the apex.
  const double height = 2 * b.half_length, slant = std::sqrt(fma(height, height, b.radius * b.radius));
  const double nr = height / slant, nz = b.radius / slant;  // the side's normal
  const double from_rim = p.rho - b.radius, over_base = c.z + b.half_length;
  const double off_side = fma(nz, over_base, nr * from_rim), up_side = fma(nr, over_base, -nz * from_rim);
  if (from_rim > 0 && up_side < 0) {  // the rim
    const Direction d = direction(in_space(p, from_rim, over_base), p.out);
    return contact(a, X_WA, X_WB, d.n, d.length, margin, m);
  }
  const double over_apex = c.z - b.half_length;
  if (fma(nr, over_apex, -nz * p.rho) > 0) {  // the apex
    const Direction d = direction({c.x, c.y, over_apex}, {0.0, 0.0, 1.0});
    return contact(a, X_WA, X_WB, d.n, d.length, margin, m);
  }
  // The side or the base, whichever is farther out or less deep.
  if (off_side >= -over_base) return contact(a, X_WA, X_WB, in_space(p, nr, nz), off_side, margin, m);
  return contact(a, X_WA, X_WB, {0.0, 0.0, -1.0}, -over_base, margin, m);
}

bool sphere_ellipsoid(const Sphere& a, const Pose& X_WA, const Ellipsoid& b, const Pose& X_WB, double margin,
                      Manifold& m) {
  const OnEllipsoid nearest = nearest_on_ellipsoid(b.radii, centre_in(X_WB, X_WA));
  return contact(a, X_WA, X_WB, nearest.n, nearest.distance, margin, m);
}

}  // namespace linchpin

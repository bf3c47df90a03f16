// Convex shapes as convex_pair() represents them: the Minkowski sum of a core and a ball. Private to geometry/.
//
// A core is the convex hull of finitely many *pieces*, each with a smooth support function:
//     a point         h(d) = d.x                                                 (1)
//     a circle        h(d) = d.c + r |d_xy|         rims of cylinder and cone    (2)
//     an ellipsoid    h(d) = |D d|                  D = diag(radii)              (3)
// The support function of the core is the maximum over its pieces, and grad h is the farthest point of the core along
// d. Newton's method also needs the derivative of that point with respect to d,
//     Hess h = 0,   r/|d_xy| t t' with t = z x d/|d_xy|,   (D^2 - x x')/h with x = grad h      (4)
//
// The Minkowski difference A - B = {a - b} of two cores, in A's frame, contains the origin if they overlap, and
//     s(n) = min { n.w : w in A - B },   w(n) = a(-n) - b(n)                     (5)
// is (1) of manifold.h for the cores. The balls reduce every s(n) by the sum of their radii, so the best n is the same.
#pragma once

#include <cstdint>

#include "linchpin/geometry/shapes/hull_support.h"
#include "linchpin/geometry/shapes/shape.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct Core {
  enum class Kind : std::uint8_t { point, segment, box, cylinder, ellipsoid, cone, triangle, hull };
  Kind kind;
  double ball;          // radius of the ball
  Vec3<double> size;    // box: half extents; ellipsoid: radii; cylinder, cone: radius twice, half length; segment: z
  Vec3<double> centre;  // an inner point
  double extent;        // a bound of the distance of all points from the frame's origin
  const Hull* hull;
  const Vec3<double>* corners;  // the three corners of a triangle
};

// The core of a convex shape; not defined for a half-space.
Core core_of(const Shape& shape);
Core core_of_triangle(const Vec3<double> corners[3]);

// True if all pieces are points.
LINCHPIN_INLINE bool is_polytope(const Core& c) {
  return c.kind != Core::Kind::cylinder && c.kind != Core::Kind::ellipsoid && c.kind != Core::Kind::cone;
}
LINCHPIN_INLINE bool has_disc(const Core& c) { return c.kind == Core::Kind::cylinder || c.kind == Core::Kind::cone; }

// Numbers of pieces: the vertices of a box (bit k set: positive along axis k), a triangle and a hull; the ends of a
// segment (1: +z); the rims and apex below.
inline constexpr int upper_rim = 1, lower_rim = 0, apex = 1;

struct PiecePoint {
  Vec3<double> x;
  int piece;
};

LINCHPIN_INLINE Vec3<double> rim_point(double radius, double z, const Vec3<double>& d) {
  const double across = std::sqrt(fma(d.y, d.y, d.x * d.x));
  if (!(across > 0)) return {radius, 0, z};  // all points of the cap are equally far
  const double scale = radius / across;
  return {scale * d.x, scale * d.y, z};
}
LINCHPIN_INLINE Vec3<double> ellipsoid_point(const Vec3<double>& radii, const Vec3<double>& d) {
  const Vec3<double> Dd{radii.x * d.x, radii.y * d.y, radii.z * d.z};
  const double scale = 1 / norm(Dd);
  return {scale * radii.x * Dd.x, scale * radii.y * Dd.y, scale * radii.z * Dd.z};
}
LINCHPIN_INLINE Vec3<double> box_vertex(const Vec3<double>& half, int piece) {
  return {piece & 1 ? half.x : -half.x, piece & 2 ? half.y : -half.y, piece & 4 ? half.z : -half.z};
}

// The farthest point of the core along d, in the core's frame. d may have any length but zero.
LINCHPIN_INLINE PiecePoint farthest(const Core& c, const Vec3<double>& d) {
  switch (c.kind) {
    case Core::Kind::point:
      return {Vec3<double>::zero(), 0};
    case Core::Kind::segment:
      return {{0, 0, d.z >= 0 ? c.size.z : -c.size.z}, d.z >= 0};
    case Core::Kind::box: {
      const int piece = int(d.x >= 0) | int(d.y >= 0) << 1 | int(d.z >= 0) << 2;
      return {box_vertex(c.size, piece), piece};
    }
    case Core::Kind::cylinder:
      return {rim_point(c.size.x, d.z >= 0 ? c.size.z : -c.size.z, d), d.z >= 0};
    case Core::Kind::ellipsoid:
      return {ellipsoid_point(c.size, d), 0};
    case Core::Kind::cone: {
      // The apex is farther than the rim where l d_z >= r |d_xy| - l d_z.
      if (2 * c.size.z * d.z >= c.size.x * std::sqrt(fma(d.y, d.y, d.x * d.x))) return {{0, 0, c.size.z}, apex};
      return {rim_point(c.size.x, -c.size.z, d), lower_rim};
    }
    case Core::Kind::triangle: {
      const double p = dot(d, c.corners[0]), q = dot(d, c.corners[1]), r = dot(d, c.corners[2]);
      const int piece = p >= q ? (p >= r ? 0 : 2) : (q >= r ? 1 : 2);
      return {c.corners[piece], piece};
    }
    default: {
      const int piece = support_inlined(*c.hull, d);
      const Vec3<double>& v = c.hull->vertices[piece];
      return {{v.x, v.y, v.z}, piece};  // by components: these stay in registers, a copy of the struct would not
    }
  }
}

// The farthest point of one piece along d, and the Hessian (4) of its support function.
struct PieceAlong {
  Vec3<double> x;
  Sym3<double> hessian;
};
PieceAlong along(const Core& c, int piece, const Vec3<double>& d);

struct CorePair {
  Core a, b;
  Transform<double> X_AB;
  double size;  // a bound of the coordinates in A - B; rounding errors are of the order eps size
};

// Half the smallest width of the curved cores; infinity if both are polytopes. GJK and EPA stop at a hundredth of this
// and leave the rest to polish.h.
LINCHPIN_INLINE double thickness_of_curved(const CorePair& pair) {
  const auto thickness = [](const Core& c) {
    const double across = c.size.x < c.size.y ? c.size.x : c.size.y, least = across < c.size.z ? across : c.size.z;
    return is_polytope(c) ? std::numeric_limits<double>::infinity() : least;
  };
  const double a = thickness(pair.a), b = thickness(pair.b);
  return a < b ? a : b;
}

// A point w = a - b of A - B, in A's axes, and the pieces of a and b.
struct Difference {
  Vec3<double> w, a;
  int piece_a, piece_b;
};
// Copies by components: a vector copy would stall on the scalar stores just made (no store forwarding).
LINCHPIN_INLINE void put(const Vec3<double>& from, Vec3<double>& to) { to.x = from.x, to.y = from.y, to.z = from.z; }
LINCHPIN_INLINE void put(const Difference& from, Difference& to) {
  put(from.w, to.w);
  put(from.a, to.a);
  to.piece_a = from.piece_a;
  to.piece_b = from.piece_b;
}
LINCHPIN_INLINE bool same_pieces(const Difference& p, const Difference& q) {
  return p.piece_a == q.piece_a && p.piece_b == q.piece_b;
}

// w(n) of (5). n may have any length but zero.
LINCHPIN_INLINE Difference least_along(const CorePair& pair, const Vec3<double>& n) {
  const PiecePoint a = farthest(pair.a, -n), b = farthest(pair.b, transpose_times(pair.X_AB.R, n));
  return {a.x - pair.X_AB * b.x, {a.x.x, a.x.y, a.x.z}, a.piece, b.piece};
}

}  // namespace linchpin

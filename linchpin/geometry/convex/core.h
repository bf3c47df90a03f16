// Convex shapes as general pairs see them: a core, and a ball rolled around it. Private to the room.
//
// Every convex shape of ours is the hull of finitely many *pieces*, each with a smooth support function, plus a ball:
//     a point         h(d) = d.x                                                 (1)
//     a circle        h(d) = d.c + r |d_xy|         rims of cylinder and cone    (2)
//     an ellipsoid    h(d) = |D d|                  D = diag(radii)              (3)
// The support function of the core is the largest of its pieces', and grad h, the farthest point along d, lies in it.
// For Newton's method a piece also tells how that point moves when d turns,
//     Hess h = 0,   r/|d_xy| t t' with t = z x d/|d_xy|,   (D^2 - x x')/h with x = grad h      (4)
//
// Two cores A and B, seen from A: the set A - B = {a - b} holds the origin when they overlap, and
//     s(n) = min { n.w : w in A - B },   w(n) = a(-n) - b(n)                     (5)
// is (1) of manifold.h for the cores. The balls take their radii away from every s(n) alike, so the best n is the same.
#pragma once

#include <cstdint>

#include "linchpin/geometry/convex/hull_support.h"
#include "linchpin/geometry/shapes/shape.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct Core {
  enum class Kind : std::uint8_t { point, segment, box, cylinder, ellipsoid, cone, triangle, hull };
  Kind kind;
  double ball;        // radius of the ball
  Vec3<double> size;  // half extents; radii; radius, -, half length of cylinder and cone; -, -, half length of segment
  Vec3<double> centre;  // some point inside
  double extent;        // no point is farther from the frame's origin
  const Hull* hull;
  const Vec3<double>* corners;  // three, of a triangle
};

// Of a convex shape; not of a half-space.
Core core_of(const Shape& shape);
Core core_of_triangle(const Vec3<double> corners[3]);

// Has all pieces points.
LINCHPIN_INLINE bool is_polytope(const Core& c) {
  return c.kind != Core::Kind::cylinder && c.kind != Core::Kind::ellipsoid && c.kind != Core::Kind::cone;
}
LINCHPIN_INLINE bool has_disc(const Core& c) { return c.kind == Core::Kind::cylinder || c.kind == Core::Kind::cone; }

// The pieces' numbers: vertices of box (bit k: the positive side of axis k), triangle and hull, ends of a segment (1:
// +z).
inline constexpr int upper_rim = 1, lower_rim = 0, apex = 1;

struct PiecePoint {
  Vec3<double> x;
  int piece;
};

LINCHPIN_INLINE Vec3<double> rim_point(double radius, double z, const Vec3<double>& d) {
  const double across = std::sqrt(fma(d.y, d.y, d.x * d.x));
  if (!(across > 0)) return {radius, 0, z};  // the whole cap is farthest
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

// The farthest point of the core along d, any length but zero, in the core's frame.
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
      return {{v.x, v.y, v.z}, piece};  // three numbers, which stay in registers, not a copy in memory
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
  double size;  // of the coordinates in A - B: round-off is eps times this
};

// Half the least width of the curved cores; infinity if there are none. What is finer than a hundredth of this,
// searches over simplices leave to polish.h.
LINCHPIN_INLINE double thickness_of_curved(const CorePair& pair) {
  const auto thickness = [](const Core& c) {
    const double across = c.size.x < c.size.y ? c.size.x : c.size.y, least = across < c.size.z ? across : c.size.z;
    return is_polytope(c) ? std::numeric_limits<double>::infinity() : least;
  };
  const double a = thickness(pair.a), b = thickness(pair.b);
  return a < b ? a : b;
}

// A point w = a - b of A - B, in A's axes, and the pieces that it comes from.
struct Difference {
  Vec3<double> w, a;
  int piece_a, piece_b;
};
// Number by number: a copy of the whole, eight numbers at once, would wait until the single ones are in memory.
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

// w(n) of (5), for n of any length but zero.
LINCHPIN_INLINE Difference least_along(const CorePair& pair, const Vec3<double>& n) {
  const PiecePoint a = farthest(pair.a, -n), b = farthest(pair.b, transpose_times(pair.X_AB.R, n));
  return {a.x - pair.X_AB * b.x, {a.x.x, a.x.y, a.x.z}, a.piece, b.piece};
}

}  // namespace linchpin

// A direction between two cores, and the points that meet along it. Private to the room.
#pragma once

#include <limits>

#include "linchpin/geometry/convex/core.h"

namespace linchpin {

struct Direction {
  Vec3<double> n = {0, 0, 1};                           // unit, from B towards A, in A's axes
  double s = -std::numeric_limits<double>::infinity();  // s(n) by the support functions: core.h (5)
  Vec3<double> a, b;                                    // points of the cores that meet along n, in A's frame
  // |a - b - s n|, the error of the points. While the cores are apart, 0 proves that n is the best direction.
  double miss = std::numeric_limits<double>::infinity();
  int count = 0;  // number of pairs of pieces; a and b are convex combinations of their points
  int piece_a[4], piece_b[4];
};

// The Direction of n, given the lowest points of A - B along it and their weights.
LINCHPIN_INLINE Direction direction_of(const Vec3<double>& n, double s, const Difference* points, const double* weights,
                                       int count) {
  Direction d;
  d.n = n;
  d.s = s;
  d.a = d.b = Vec3<double>::zero();
  for (int i = 0; i < count; ++i) {
    if (!(weights[i] > 0)) continue;
    d.a = fma(weights[i], points[i].a, d.a);
    d.b = fma(weights[i], points[i].a - points[i].w, d.b);
    d.piece_a[d.count] = points[i].piece_a;
    d.piece_b[d.count++] = points[i].piece_b;
  }
  d.miss = norm(fma(-s, n, d.a - d.b));
  return d;
}

// The Direction of n along the axis of a cap of A or of B. The cap meets the other core's lowest point if that is over
// the cap.
LINCHPIN_INLINE Direction direction_of_cap(const CorePair& pair, const Vec3<double>& n, bool of_a) {
  const Difference w = least_along(pair, n);
  const double one = 1;
  Direction d = direction_of(n, dot(n, w.w), &w, &one, 1);
  const Vec3<double> other = of_a ? d.b : d.a - pair.X_AB.p;
  const double height = dot(n, other), rho = std::sqrt(std::fmax(0.0, dot(other, other) - height * height));
  const Core& core = of_a ? pair.a : pair.b;
  const bool tip = core.kind == Core::Kind::cone && (of_a ? w.piece_a : w.piece_b) == apex;
  const double radius = tip ? 0 : core.size.x;
  if (of_a)
    d.a = fma(d.s, n, d.b);
  else
    d.b = fma(-d.s, n, d.a);
  d.miss = rho > radius ? rho - radius : 0;
  return d;
}

// Sets `best` to the better of two directions. Where many directions are equally good, as when cores touch in a point,
// rounding must not decide: among directions with the same s up to rounding, the one with the smaller miss is better.
LINCHPIN_INLINE void offer(const CorePair& pair, const Direction& candidate, Direction& best) {
  const double same = 2e-13 * pair.size;
  if (candidate.s > best.s + same || (candidate.s >= best.s - same && candidate.miss < best.miss)) best = candidate;
}

}  // namespace linchpin

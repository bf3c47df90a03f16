// A direction between two cores, and what meets along it. Private to the room.
#pragma once

#include <limits>

#include "linchpin/geometry/convex/core.h"

namespace linchpin {

struct Direction {
  Vec3<double> n = {0, 0, 1};                           // unit, from B towards A, in A's axes
  double s = -std::numeric_limits<double>::infinity();  // s(n) as the support functions have it: core.h (5)
  Vec3<double> a, b;                                    // points of the cores that meet along n, in A's frame
  // |a - b - s n|: how far they are from meeting. While the cores are apart 0 proves that n is the best.
  double miss = std::numeric_limits<double>::infinity();
  int count = 0;  // pairs of pieces whose points a and b are mixed from
  int piece_a[4], piece_b[4];
};

// n with the points of A - B that lie lowest along it, and their weights.
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

// n along the axis of a cap, A's or B's: the cap meets whatever the other core has there, if that is over it.
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

// The better of two. Where many directions are as good, as when cores touch in a point, round-off must not choose: of
// those whose s is the same for all purposes it is the one at which the points meet best.
LINCHPIN_INLINE void offer(const CorePair& pair, const Direction& candidate, Direction& best) {
  const double same = 2e-13 * pair.size;
  if (candidate.s > best.s + same || (candidate.s >= best.s - same && candidate.miss < best.miss)) best = candidate;
}

}  // namespace linchpin

#include "linchpin/geometry/convex/separation.h"

#include <algorithm>

#include "linchpin/geometry/convex/epa.h"
#include "linchpin/geometry/convex/facet_walk.h"
#include "linchpin/geometry/convex/gjk.h"
#include "linchpin/geometry/convex/guess.h"
#include "linchpin/geometry/convex/polish.h"

namespace linchpin {

namespace {

LINCHPIN_INLINE void offer_simplex(const CorePair& pair, const Simplex& simplex, bool apart, Direction& best) {
  const double length = norm(simplex.v);
  if (!(length > 0)) return;
  const Vec3<double> n = (1 / length) * simplex.v;
  const double s = dot(n, least_along(pair, n).w);
  const Direction found = direction_of(n, s, simplex.points, simplex.weights, simplex.count);
  // In touch v may be noise: s(n) is valid for any n, but these points may not meet along it.
  if (apart || found.miss <= 1e-9 * pair.size) offer(pair, found, best);
}

}  // namespace

bool separate(const CorePair& pair, double far, Direction& best) {
  if (pair.a.kind == Core::Kind::hull && pair.b.kind == Core::Kind::hull) {
    const Walk walk = facet_walk(pair, far, best);
    if (walk != Walk::lost) return walk == Walk::arrived;
  }
  const bool curved = !is_polytope(pair.a) || !is_polytope(pair.b);
  if (curved) {
    const Guess first = guess(pair, far, best);
    if (first != Guess::open) return first == Guess::proved;
    // If the points do not meet, n may be on a ridge of s that the searches would not leave.
    if (!(best.miss <= 1e-9 * pair.size)) best = Direction{};
  }
  Simplex simplex;
  const Gjk found = gjk(pair, far, curved ? 0.01 * thickness_of_curved(pair) : 0, simplex);
  if (found == Gjk::far) return false;
  if (found == Gjk::apart || simplex.count < 4) offer_simplex(pair, simplex, found == Gjk::apart, best);
  if (found == Gjk::apart) {
    if (!curved) return true;
    polish(pair, best.n, simplex.points, simplex.count, best);
    if (best.s > 0) {
      if (best.miss <= 1e-13 * pair.size) return true;
      // n is not proved to be the best, as on caps or if a piece was missing: GJK to the end, then polish() again.
      if (gjk_resume(pair, far, 0, simplex) == Gjk::far) return false;
      offer_simplex(pair, simplex, true, best);
      polish(pair, best.n, simplex.points, simplex.count, best);
      return true;
    }
  }
  epa(pair, simplex, best);
  return true;
}

}  // namespace linchpin

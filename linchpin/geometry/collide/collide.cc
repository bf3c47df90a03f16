#include "linchpin/geometry/collide/collide.h"

#include <cmath>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/collide/composite.h"
#include "linchpin/geometry/collide/convex_table.h"
#include "linchpin/geometry/shapes/bounds.h"

namespace linchpin {
namespace {

void take_nearer(const Manifold& m, Nearest& nearest) {
  for (int k = 0; k < m.count; ++k)
    if (m.points[k].gap < nearest.distance)
      nearest = {m.points[k].gap, m.normal, on_a(m, m.points[k]), on_b(m, m.points[k])};
}

// No two points of A and B are farther apart than this.
double span_of(const Aabb& a, const Aabb& b) {
  const Aabb both = merge(a, b);
  return norm(both.upper - both.lower);
}

__attribute__((noinline)) int grow_and_collide(const Shape& a, const Transform<double>& X_WA, const Shape& b,
                                               const Transform<double>& X_WB, double margin, ManifoldList& out) {
  out.grow();
  return collide(a, X_WA, b, X_WB, margin, out);
}

}  // namespace

// A sphere on a plane takes some twenty cycles. Rare cases are left to functions with the same arguments, so that they
// become tail calls.
int collide(const Shape& a, const Transform<double>& X_WA, const Shape& b, const Transform<double>& X_WB, double margin,
            ManifoldList& out) {
  if (!is_convex(a) || !is_convex(b)) return collide_pieces(a, X_WA, b, X_WB, margin, out);
  if (out.is_full()) return grow_and_collide(a, X_WA, b, X_WB, margin, out);
  const bool found = collide_convex(a, X_WA, b, X_WB, margin, out.next_unless_full());
  out.keep(found);
  return found;
}

std::optional<Nearest> signed_distance(const Shape& a, const Transform<double>& X_WA, const Shape& b,
                                       const Transform<double>& X_WB) {
  Nearest nearest{infinity, {0, 0, 1}, {}, {}};
  if (is_convex(a) && is_convex(b)) {
    Manifold m;
    if (!collide_convex(a, X_WA, b, X_WB, infinity, m)) return std::nullopt;
    take_nearer(m, nearest);
    return nearest;
  }
  // Most pieces are usually far away. So a small margin is tried first and doubled until there is a contact.
  ManifoldList list;
  const Aabb box_a = bounds(a, X_WA), box_b = bounds(b, X_WB);
  const double apart = std::sqrt(distance_squared(box_a, box_b)), span = span_of(box_a, box_b);
  for (double m = 1.01 * apart + 1e-3 * span; m < span && list.empty(); m *= 2) collide(a, X_WA, b, X_WB, m, list);
  if (list.empty()) collide(a, X_WA, b, X_WB, infinity, list);
  if (list.empty()) return std::nullopt;
  for (const Manifold& m : list.all()) take_nearer(m, nearest);
  return nearest;
}

}  // namespace linchpin

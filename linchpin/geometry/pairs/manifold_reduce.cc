#include "linchpin/geometry/pairs/manifold_reduce.h"

#include <algorithm>
#include <limits>

#include "linchpin/base/check.h"
#include "linchpin/geometry/pairs/tangents.h"

namespace linchpin {
namespace {

constexpr int lanes = 8;

// The candidates projected along the normal, in rows of eight; the last row is padded with the last candidate.
struct Seen {
  Double8 x[most_candidates / lanes], y[most_candidates / lanes];
  Double8 takes_part[most_candidates / lanes];  // 1 or 0
  int count, rows;
};

LINCHPIN_INLINE void look_along(const Vec3<double>& normal, std::span<const ContactPoint> c, Seen& s) {
  Vec3<double> u, v;
  tangents(normal, u, v);
  s.count = int(c.size());
  s.rows = (s.count + lanes - 1) / lanes;
  for (int i = 0; i < s.rows * lanes; ++i) {
    // Relative to a candidate, so that no digits are lost far from the origin.
    const Vec3<double> d = c[std::min(i, s.count - 1)].p - c[0].p;
    s.x[i / lanes].numbers()[i % lanes] = dot(u, d);
    s.y[i / lanes].numbers()[i % lanes] = dot(v, d);
  }
}

LINCHPIN_INLINE double x(const Seen& s, int i) { return s.x[i / lanes].numbers()[i % lanes]; }
LINCHPIN_INLINE double y(const Seen& s, int i) { return s.y[i / lanes].numbers()[i % lanes]; }
LINCHPIN_INLINE double square_of_distance(const Seen& s, int i, int j) {
  const double dx = x(s, i) - x(s, j), dy = y(s, i) - y(s, j);
  return fma(dx, dx, dy * dy);
}
LINCHPIN_INLINE int farthest_from(const Seen& s, int from) {
  int best = from;
  double most = 0;
  for (int i = 0; i < s.count; ++i) {
    const double d = s.takes_part[i / lanes][i % lanes] * square_of_distance(s, i, from);
    if (d > most) most = d, best = i;
  }
  return best;
}

// The convex hull of the points kept so far: counterclockwise, one to most_points corners.
struct Outline {
  int corner[most_points], count;
};
// Twice the area of (from, to, i), positive if i is to the right, which is outside.
LINCHPIN_INLINE double outside(const Seen& s, int from, int to, int i) {
  return (x(s, i) - x(s, from)) * (y(s, to) - y(s, from)) - (y(s, i) - y(s, from)) * (x(s, to) - x(s, from));
}
// Replaces the edges that i is outside of by edges to i.
void extend(const Seen& s, int i, Outline& k) {
  Outline next;
  next.count = 0;
  bool placed = false;
  const auto sees = [&](int c) {  // the edge from corner c to the next
    return outside(s, k.corner[c], k.corner[c + 1 == k.count ? 0 : c + 1], i) > 0;
  };
  bool sees_before = sees(k.count - 1);
  for (int c = 0; c < k.count; ++c) {
    const int here = k.corner[c];
    const bool sees_after = sees(c);
    if (!(sees_before && sees_after)) next.corner[next.count++] = here;
    if (sees_after && !placed && !sees_before) next.corner[next.count++] = i, placed = true;
    sees_before = sees_after;
  }
  if (placed) k = next;
}

// The candidate that adds the largest area, or -1 if none adds more than `nothing`.
LINCHPIN_INLINE int best_addition(const Seen& s, const Outline& k, double nothing) {
  int best = -1;
  double most = nothing;
  for (int row = 0; row < s.rows; ++row) {
    Double8 added(0.0);
    for (int c = 0; c < k.count; ++c) {
      const int from = k.corner[c], to = k.corner[c + 1 == k.count ? 0 : c + 1];
      const double ex = x(s, to) - x(s, from), ey = y(s, to) - y(s, from);
      const Double8 area = (s.x[row] - x(s, from)) * ey - (s.y[row] - y(s, from)) * ex;
      added += select(area > 0.0, area, Double8(0.0));  // (1)
    }
    added *= s.takes_part[row];
    for (int i = 0; i < lanes; ++i) {
      if (added[i] > most) most = added[i], best = row * lanes + i;
    }
  }
  return best < s.count ? best : s.count - 1;
}

// Candidates with a gap of at most `highest` take part.
LINCHPIN_INLINE void let_in(std::span<const ContactPoint> candidates, double highest, Seen& s) {
  for (int i = 0; i < s.rows * lanes; ++i) {
    const bool low = candidates[std::min(i, s.count - 1)].gap <= highest;
    s.takes_part[i / lanes].numbers()[i % lanes] = low ? 1.0 : 0.0;
  }
}

// Indices of the points kept, without repetitions.
struct Kept {
  int index[most_points], count;
  LINCHPIN_INLINE void add(int i) {
    for (int k = 0; k < count; ++k) {
      if (index[k] == i) return;
    }
    index[count++] = i;
  }
};

// Of more than most_points candidates, those to keep.
Kept choose(std::span<const ContactPoint> candidates, const Vec3<double>& normal, int deepest) {
  constexpr double all = std::numeric_limits<double>::infinity();
  Seen s;
  look_along(normal, candidates, s);
  Kept kept{{deepest}, 1};
  Outline k{{deepest}, 1};
  let_in(candidates, all, s);
  const double width = std::sqrt(square_of_distance(s, deepest, farthest_from(s, deepest)));
  // A smaller area is due to rounding of points on a line or on the outline.
  const double nothing = 1e-9 * width * width;
  for (const double highest : {candidates[deepest].gap + 0.01 * width, all}) {  // (2)
    let_in(candidates, highest, s);
    if (k.count <= 2) {
      const int one = farthest_from(s, deepest), other = farthest_from(s, one);
      if (one == deepest) continue;
      kept.add(one);
      kept.add(other);
      k = {{one, other}, 2};
      extend(s, deepest, k);
    }
    while (kept.count < most_points) {
      const int next = best_addition(s, k, nothing);
      if (next < 0) break;
      kept.add(next);
      extend(s, next, k);
    }
  }
  return kept;
}

}  // namespace

void reduce(std::span<const ContactPoint> candidates, Manifold& m) {
  check(!candidates.empty() && candidates.size() <= most_candidates, "reduce: ", candidates.size(),
        " candidates, needs 1 to ", most_candidates);
  const int size = int(candidates.size());
  int deepest = 0;
  for (int i = 1; i < size; ++i) {
    if (candidates[i].gap < candidates[deepest].gap) deepest = i;
  }
  m.distance = candidates[deepest].gap;
  if (size <= most_points) {
    m.count = size;
    for (int i = 0; i < m.count; ++i) m.points[i] = candidates[i];
    return;
  }
  const Kept kept = choose(candidates, m.normal, deepest);
  ContactPoint chosen[most_points];  // the candidates may be m's own points
  for (int i = 0; i < kept.count; ++i) chosen[i] = candidates[kept.index[i]];
  for (int i = 0; i < kept.count; ++i) m.points[i] = chosen[i];
  m.count = kept.count;
}

}  // namespace linchpin

#include "linchpin/geometry/convex/convex_pair.h"

#include <algorithm>

#include "linchpin/geometry/convex/overlay.h"
#include "linchpin/geometry/convex/separation.h"
#include "linchpin/geometry/pairs/manifold_reduce.h"

namespace linchpin {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
// Error of coordinates that were transformed between frames twice, relative to the pair's size.
constexpr double nearness = 4e-13;

// The normal of a face is more accurate than that of three points of A - B, which may be almost collinear. n is
// replaced by the face normal if both have the same s up to rounding and are so close that the same points meet.
void settle_on(const CorePair& pair, const Vec3<double>& face_normal, Direction& best) {
  const double turn = norm(face_normal - best.n);
  if (!(turn > 0 && turn < 1e-5 && turn * std::abs(best.s) <= 1e-13 * pair.size)) return;
  const double s = dot(face_normal, least_along(pair, face_normal).w);
  if (!(s >= best.s - 16 * eps * pair.size)) return;
  best.n = face_normal;
  best.s = s;
}

// Drops pieces that are not lowest along n. A search may end with such pieces if another direction had the same s.
void keep_what_meets(const CorePair& pair, double near, Direction& best) {
  const Vec3<double> n_b = transpose_times(pair.X_AB.R, best.n);
  int kept = 0;
  for (int i = 0; i < best.count; ++i) {
    const Vec3<double> a = along(pair.a, best.piece_a[i], -best.n).x, b = along(pair.b, best.piece_b[i], n_b).x;
    if (!(dot(best.n, a - pair.X_AB * b) <= best.s + near)) continue;
    best.piece_a[kept] = best.piece_a[i];
    best.piece_b[kept++] = best.piece_b[i];
  }
  if (kept == 0) {
    const Difference w = least_along(pair, best.n);
    best.piece_a[0] = w.piece_a;
    best.piece_b[0] = w.piece_b;
    kept = 1;
  }
  best.count = kept;
}

struct Outlines {
  Outline a, b;  // both in A's frame
};

void into_frame_of_a(const Transform<double>& X_AB, Outline& b) {
  for (int i = 0; i < b.count; ++i) b.x[i] = X_AB * b.x[i];
  if (b.count < 3) return;
  b.normal = X_AB.R * b.normal;
  b.offset += dot(b.normal, X_AB.p);
}

void find_outlines(const CorePair& pair, const Direction& best, Outlines& o) {
  outline_towards(pair.a, -best.n, best.piece_a, best.count, o.a);
  outline_towards(pair.b, transpose_times(pair.X_AB.R, best.n), best.piece_b, best.count, o.b);
  into_frame_of_a(pair.X_AB, o.b);
}

// True if all points of a cap are equally far along d, up to `near`.
bool lies_flat(const Core& core, const Vec3<double>& d, double near) {
  return core.size.x * std::sqrt(fma(d.x, d.x, d.y * d.y)) <= near;
}
// A point of the core's outline towards d, in its frame, that meets the other core: the nearest to the other core's
// centre of the farthest points. For a cap it is the centre if the cap lies flat, else its farthest point.
Vec3<double> meeting_point(const Core& core, const Outline& o, const Vec3<double>& d, const Vec3<double>& other_centre,
                           double near) {
  if (!has_disc(core) || o.count < 3) return nearest_of_farthest(o, d, other_centre, near);
  const bool flat = lies_flat(core, d, near);
  return flat ? Vec3<double>{0, 0, o.x[0].z} : farthest(core, d).x;
}
// Finds the outlines again, with an additional corner of each cap for points between its other corners.
void find_outlines_of_caps(const CorePair& pair, const Direction& best, double near, Outlines& o) {
  const Transform<double>& X = pair.X_AB;
  const Vec3<double> d_a = -best.n, d_b = transpose_times(X.R, best.n);
  outline_towards(pair.b, d_b, best.piece_b, best.count, o.b);  // in its own frame
  const Vec3<double> on_a = meeting_point(pair.a, o.a, d_a, X.p, near);
  const Vec3<double> on_b = meeting_point(pair.b, o.b, d_b, -transpose_times(X.R, X.p), near);
  // The projection along n onto the cap's plane. Only its direction from the centre is used.
  const auto foot = [](const Vec3<double>& x, const Vec3<double>& d, double z) { return fma((z - x.z) / d.z, d, x); };
  const Vec3<double> to_a = lies_flat(pair.a, d_a, near) ? foot(X * on_b, d_a, o.a.x[0].z) : on_a;
  const Vec3<double> to_b =
      lies_flat(pair.b, d_b, near) ? foot(transpose_times(X.R, on_a - X.p), d_b, o.b.x[0].z) : on_b;
  if (o.a.count > 2) reach_towards(pair.a, to_a, o.a);
  if (o.b.count > 2) reach_towards(pair.b, to_b, o.b);
  into_frame_of_a(X, o.b);
}

LINCHPIN_INLINE double least_gap(const Vec3<double>& n, const OverlayPoint* points, int count) {
  double gap = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) gap = std::min(gap, dot(n, points[i].a - points[i].b));
  return gap;
}

// The points of the cores that meet along n, the nearest ones among them. Returns their number.
LINCHPIN_INLINE int meeting_points(const CorePair& pair, const Direction& best, double near, Outlines& o,
                                   OverlayPoint* points) {
  // A point at a distance x beside the lowest line of a ball or a round side of radius r is above it by x^2/2r.
  const auto roundness = [](const Core& c) {
    return c.ball > 0 ? c.ball : c.kind == Core::Kind::cylinder ? c.size.x : 0.0;
  };
  const double beside = std::max(near, 1e-7 * std::min(roundness(pair.a), roundness(pair.b)));
  int count = overlay(best.n, o.a, o.b, near, beside, points);
  // The outlines may miss the nearest points, between the corners of a cap or for a point on a point.
  const bool well_found = best.miss <= 1e-12 * pair.size;
  if (!(least_gap(best.n, points, count) <= best.s + near) && !well_found && (has_disc(pair.a) || has_disc(pair.b))) {
    find_outlines_of_caps(pair, best, near, o);
    count = overlay(best.n, o.a, o.b, near, beside, points);
  }
  if (!(least_gap(best.n, points, count) <= best.s + near)) {
    const Vec3<double> middle = 0.5 * (best.a + best.b);
    points[count++] = {fma(best.s / 2, best.n, middle), fma(-best.s / 2, best.n, middle), 0xffffffffu};
  }
  return count;
}

// The points of manifold.h (3). Gaps are those between the surfaces, so the radii of the balls are subtracted.
void set_points(const CorePair& pair, const Pose& X_WA, const Direction& best, Outlines& o, double margin,
                Manifold& m) {
  const double near = nearness * pair.size;
  OverlayPoint points[most_overlay_points + 1];
  const int count = meeting_points(pair, best, near, o, points);
  const double balls = pair.a.ball + pair.b.ball, between = (pair.b.ball - pair.a.ball) / 2;
  // The nearest point is kept even if rounding puts it beyond the margin.
  const double limit = std::max(margin, best.s + near - balls);
  ContactPoint candidates[most_overlay_points + 1];
  int kept = 0;
  for (int i = 0; i < count && kept < most_candidates; ++i) {
    const OverlayPoint& q = points[count - 1 - i];
    const double gap = std::max(dot(best.n, q.a - q.b), best.s) - balls;  // less than s only by rounding
    if (gap <= limit) candidates[kept++] = {X_WA * fma(between, best.n, 0.5 * (q.a + q.b)), gap, q.feature};
  }
  m.normal = X_WA.R * best.n;
  reduce({candidates, std::size_t(kept)}, m);
  m.distance = best.s - balls;
}

bool is_finite(const Transform<double>& X) {
  const Vec3<double> sum = X.R.x + X.R.y + X.R.z + X.p;
  return std::isfinite(sum.x + sum.y + sum.z);
}

}  // namespace

bool core_pair(const Core& a, const Pose& X_WA, const Core& b, const Pose& X_WB, double margin, Manifold& m) {
  const CorePair pair{a,
                      b,
                      {transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)},
                      a.extent + b.extent + a.ball + b.ball + norm(X_WB.p - X_WA.p)};
  if (!is_finite(pair.X_AB) || !std::isfinite(pair.size)) return false;
  Direction best;
  const double balls = a.ball + b.ball;
  if (!separate(pair, margin + balls, best) || !(best.s - balls <= margin)) return false;
  keep_what_meets(pair, nearness * pair.size, best);
  Outlines outlines;
  find_outlines(pair, best, outlines);
  if (outlines.a.count > 2) settle_on(pair, -outlines.a.normal, best);
  if (outlines.b.count > 2) settle_on(pair, outlines.b.normal, best);
  set_points(pair, X_WA, best, outlines, margin, m);
  return true;
}

bool convex_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m) {
  return core_pair(core_of(a), X_WA, core_of(b), X_WB, margin, m);
}

bool core_triangle(const Core& a, const Pose& X_WA, const Vec3<double> corners_W[3], double margin, Manifold& m) {
  // Relative to one of its corners, so that no digits are lost far from the origin.
  const Vec3<double> corners[] = {{0, 0, 0}, corners_W[1] - corners_W[0], corners_W[2] - corners_W[0]};
  return core_pair(a, X_WA, core_of_triangle(corners), {Mat3<double>::identity(), corners_W[0]}, margin, m);
}

}  // namespace linchpin

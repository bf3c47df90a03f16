#include "linchpin/geometry/convex_pair.h"

#include <algorithm>

#include "linchpin/geometry/manifold_reduce.h"
#include "linchpin/geometry/overlay.h"
#include "linchpin/geometry/separation.h"

namespace linchpin {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// A face of either core is a better witness of its normal than three points of A - B, which may lie almost in a line. It
// is taken where it is as good as n up to round-off.
void settle_on(const CorePair& pair, const Vec3<double>& face_normal, Direction& best) {
  // Beyond 1e-5 rad n is not an image of this face's normal, blurred by round-off.
  if (!(dot(face_normal, best.n) > 1 - 5e-11)) return;
  const double s = dot(face_normal, least_along(pair, face_normal).w);
  if (!(s >= best.s - 16 * eps * pair.size)) return;
  best.n = face_normal;
  best.s = s;
}

struct Outlines {
  Outline a, b;  // both in A's frame
};

void find_outlines(const CorePair& pair, const Direction& best, Outlines& o) {
  const Transform<double>& X = pair.X_AB;
  outline_towards(pair.a, -best.n, best.piece_a, best.count, best.a, o.a);
  outline_towards(pair.b, transpose_times(X.R, best.n), best.piece_b, best.count, transpose_times(X.R, best.b - X.p), o.b);
  for (int i = 0; i < o.b.count; ++i) o.b.x[i] = X * o.b.x[i];
  if (o.b.count > 2) {
    o.b.normal = X.R * o.b.normal;
    o.b.offset += dot(o.b.normal, X.p);
  }
}

// Points of (3), with gaps between the surfaces: the balls lie between them and the cores.
void set_points(const CorePair& pair, const Pose& X_WA, const Direction& best, const Outlines& o, double margin,
                Manifold& m) {
  const double near = 4e-13 * pair.size;
  // A point beside a line by x leaves a ball or a round side of radius r by x^2/2r.
  const auto roundness = [](const Core& c) { return c.ball > 0 ? c.ball : has_disc(c) ? c.size.x : 0.0; };
  const double beside = std::max(near, 1e-7 * std::min(roundness(pair.a), roundness(pair.b)));
  OverlayPoint points[most_overlay_points + 1];
  int count = overlay(best.n, o.a, o.b, near, beside, points);

  const double balls = pair.a.ball + pair.b.ball, between = (pair.b.ball - pair.a.ball) / 2;
  ContactPoint candidates[most_overlay_points + 1];
  int kept = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto keep = [&](const OverlayPoint& q) {
    const double gap = std::max(dot(best.n, q.a - q.b), best.s);  // never less than s but by round-off
    least = std::min(least, gap);
    if (!(gap - balls <= margin)) return;
    candidates[kept++] = {X_WA * fma(between, best.n, 0.5 * (q.a + q.b)), gap - balls, q.feature};
  };
  for (int i = 0; i < count; ++i) keep(points[i]);
  // The points that n was found by, where the outlines miss them: point on point, and rims between corners.
  if (!(least <= best.s + near)) {
    const Vec3<double> middle = 0.5 * (best.a + best.b);
    keep({fma(best.s / 2, best.n, middle), fma(-best.s / 2, best.n, middle), 0xffffffffu});
  }
  if (kept > most_candidates) kept = most_candidates;
  m.normal = X_WA.R * best.n;
  reduce({candidates, std::size_t(kept)}, m);
  m.distance = best.s - balls;
}

bool is_finite(const Transform<double>& X) {
  const Vec3<double> sum = X.R.x + X.R.y + X.R.z + X.p;
  return std::isfinite(sum.x + sum.y + sum.z);
}

bool core_pair(const Core& a, const Pose& X_WA, const Core& b, const Pose& X_WB, double margin, Manifold& m) {
  const CorePair pair{a, b, {transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)},
                      a.extent + b.extent + a.ball + b.ball + norm(X_WB.p - X_WA.p)};
  if (!is_finite(pair.X_AB)) return false;
  Direction best;
  const double balls = a.ball + b.ball;
  if (!separate(pair, margin + balls, best) || !(best.s - balls <= margin)) return false;
  Outlines outlines;
  find_outlines(pair, best, outlines);
  if (outlines.a.count > 2) settle_on(pair, -outlines.a.normal, best);
  if (outlines.b.count > 2) settle_on(pair, outlines.b.normal, best);
  set_points(pair, X_WA, best, outlines, margin, m);
  return true;
}

}  // namespace

bool convex_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m) {
  return core_pair(core_of(a), X_WA, core_of(b), X_WB, margin, m);
}

bool convex_triangle(const Shape& a, const Pose& X_WA, const Vec3<double> corners_W[3], double margin, Manifold& m) {
  // Seen from one of its corners: far from the world's origin nothing is lost.
  const Vec3<double> corners[] = {{0, 0, 0}, corners_W[1] - corners_W[0], corners_W[2] - corners_W[0]};
  return core_pair(core_of(a), X_WA, core_of_triangle(corners), {Mat3<double>::identity(), corners_W[0]}, margin, m);
}

}  // namespace linchpin

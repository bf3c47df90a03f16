// The distance of a segment, the axis of capsule A, from another segment or a box.
//
// A capsule is the set of points within its radius of its axis, so for every n
//     s(n) = s of the axes - radii,                                                                               (1)
// and the best direction n for the axes is best for the capsules. While the axes are well apart, n is the direction
// between their nearest points. Where they (almost) meet, that direction is dominated by rounding, and n follows from
// features: the cross product of two edges, or a face. Of several candidates the one with the largest s is taken. s is
// evaluated for that n, so that the manifold always satisfies (3) of manifold.h.
//
// Axes that are side by side have two contact points, at the ends of the stretch along which both extend. If the axes
// are not exactly parallel, the points P and Q of the axes at such an end differ by some e across n. The round surfaces
// of radii r_a and r_b have
//     gap = n.(P - Q) - sqrt((r_a + r_b)^2 - e^2)                                                                  (2)
// at the place that divides e in the ratio r_a : r_b. So the gaps change continuously with the angle of the axes.
#include <algorithm>
#include <limits>

#include "linchpin/geometry/pairs/clamped.h"
#include "linchpin/geometry/pairs/manifold_points.h"
#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

// Relative to the sizes involved: the direction of a shorter difference has an error of more than 1e-12, so directions
// from features are tried too.
constexpr double short_of_sure = 1e-4;

// --- two segments ---

struct Axis {
  Vector centre, along;  // unit
  double half;
};
LINCHPIN_INLINE Vector at(const Axis& a, double s) { return fma(s, a.along, a.centre); }

LINCHPIN_INLINE double separation(const Axis& a, const Axis& b, const Vector& n) {
  return dot(n, a.centre - b.centre) - a.half * std::abs(dot(n, a.along)) - b.half * std::abs(dot(n, b.along));
}

// Two segments, P = P_0 + s u and Q = Q_0 + t v: the products on which their distances depend.
struct Lines {
  Vector c;               // P_0 - Q_0
  double ca, cb, cosine;  // u.c, v.c, u.v
};
LINCHPIN_INLINE Vector difference(const Lines& g, const Axis& a, const Axis& b, double s, double t) {
  return fma(s, a.along, fma(t, -b.along, g.c));
}
LINCHPIN_INLINE double nearest_on_a(const Lines& g, const Axis& a, double t) {
  return clamped(fma(t, g.cosine, -g.ca), a.half);
}
LINCHPIN_INLINE double nearest_on_b(const Lines& g, const Axis& b, double s) {
  return clamped(fma(s, g.cosine, g.cb), b.half);
}

// The lines are nearest at s = slide/across_square. The division is needed only if that is between the ends of A, so
// never for parallel lines.
LINCHPIN_INLINE double slide(const Lines& g) { return g.cosine * g.cb - g.ca; }

// The nearest points of two segments, with d = P - Q.
struct Meeting {
  double s, t;
  Vector d;
};
LINCHPIN_INLINE Meeting meeting(const Lines& g, const Axis& a, const Axis& b, double across_square) {
  const double to = slide(g);
  const double line = std::abs(to) < a.half * across_square ? to / across_square : std::copysign(a.half, to);
  const double t = nearest_on_b(g, b, line), s = nearest_on_a(g, a, t);
  return {s, t, difference(g, a, b, s, t)};
}

// The best direction for axes that almost meet.
Vector best_direction(const Axis& a, const Axis& b, const Vector& across, const Vector& d, const Vector& beside_a) {
  Vector best = beside_a;
  double most = -std::numeric_limits<double>::infinity();
  const auto attempt = [&](const Vector& v) {
    const double length = norm(v);
    if (!(length > 1e-150)) return;
    const Vector n = (1 / length) * v;
    const double s = separation(a, b, n);
    if (s > most) most = s, best = n;
  };
  const auto off = [](const Axis& axis, const Vector& v) { return fma(-dot(axis.along, v), axis.along, v); };
  attempt(d);
  attempt(off(a, d));  // an end of B beside A
  attempt(off(b, d));
  attempt(beside_a);  // axes on the same line
  const double sine = norm(across);
  if (!(sine > 1e-15)) return best;
  // Crossed axes. The cross product of almost parallel axes deviates from the right angle by 1e-16 / sine. Made
  // perpendicular to one axis, it is perpendicular to both.
  const Vector w = off(a, (1 / sine) * across);
  attempt(w);
  attempt(-w);
  // An end of axis q beside the other axis p: n = cos(phi) w + sin(phi) w x p is perpendicular to p, and
  //     s = cos(phi) w.c + |sin(phi)| (|(w x p).c| - half_q sine)
  // is largest where tan(phi) is the ratio of the two coefficients. Unlike d, this is not affected by rounding.
  const Vector c = a.centre - b.centre;
  const auto end_beside = [&](const Axis& p, const Axis& q) {
    const Vector v = cross(w, p.along);
    const double lift = dot(w, c), push = dot(v, c), over = std::abs(push) - q.half * std::abs(dot(v, q.along));
    if (over > 0) attempt(fma(push < 0 ? -over : over, v, lift * w));
  };
  end_beside(a, b);
  end_beside(b, a);
  return best;
}

// The axes of two capsules, with the quantities that they have in common.
struct Sides {
  Axis a, b;
  Vector across;
  double across_square, radii;
  Lines lines;
};
LINCHPIN_INLINE Sides sides_of(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB) {
  Sides k;
  k.a = {X_WA.p, X_WA.R.z, a.half_length};
  k.b = {X_WB.p, X_WB.R.z, b.half_length};
  k.across = cross(k.a.along, k.b.along);
  k.across_square = dot(k.across, k.across);
  k.radii = a.radius + b.radius;
  const Vector c = k.a.centre - k.b.centre;
  k.lines = {c, dot(k.a.along, c), dot(k.b.along, c), dot(k.a.along, k.b.along)};
  return k;
}
// The stretch of A beside B: the positions on A's axis nearest to B's lower end (`one`) and upper end (`other`). Axes
// count as side by side within 30 degrees.
struct Stretch {
  bool side_by_side;
  double one, other;
};
LINCHPIN_INLINE Stretch stretch(const Sides& k) {
  const double one = nearest_on_a(k.lines, k.a, -k.b.half), other = nearest_on_a(k.lines, k.a, k.b.half);
  return {k.across_square < 0.25 && one != other, one, other};
}
LINCHPIN_INLINE bool is_sure(const Sides& k, double length) {
  return length > short_of_sure * (k.a.half + k.b.half) && length > 1e-150;
}

// n = per_length w, with per_square = per_length^2, which is available before the square root. (2) needs only that.
struct Towards {
  Vector w;
  double per_length, per_square;
};
// (2); false if e is more than half of r_a + r_b, where the flanks meet.
LINCHPIN_INLINE bool gap_beside(const Towards& to, const Vector& d, double radii, double& gap) {
  const Vector we = cross(to.w, d);
  const double square = radii * radii, e_square = dot(we, we) * to.per_square;
  gap = dot(to.w, d) * to.per_length - std::sqrt(square - e_square);
  return 4 * e_square < square;
}
// The contact point of (2): b is Q + share (d - gap n), and the point is half the gap above it.
LINCHPIN_INLINE Vector place(const Sides& k, const Vector& n, double t, const Vector& d, double share, double gap) {
  return fma((0.5 - share) * gap, n, fma(share, d, at(k.b, t)));
}

// The points for any two axes, given the best direction and the nearest point s on A.
LINCHPIN_INLINE bool set_points(const Capsule& a, const Capsule& b, const Sides& k, const Towards& to, double s,
                                double gap, double margin, Manifold& m) {
  const Vector n = to.per_length * to.w;
  start(n, m);
  const Stretch both = stretch(k);
  if (both.side_by_side) {
    const double share = b.radius / k.radii;
    const auto add_beside = [&](double its_s, std::uint32_t which) LINCHPIN_INLINE_LAMBDA {
      const double t = nearest_on_b(k.lines, k.b, its_s);
      const Vector d = difference(k.lines, k.a, k.b, its_s, t);
      double its_gap;
      if (!gap_beside(to, d, k.radii, its_gap) || !(its_gap <= margin)) return;
      add(place(k, n, t, d, share, its_gap), its_gap, feature(which, which), m);
    };
    add_beside(std::min(both.one, both.other), 0);
    add_beside(std::max(both.one, both.other), 1);
  }
  // The nearest points, unless one of the two is as near.
  if (!(m.distance <= gap + 1e-13 * (k.a.half + k.b.half + k.radii)))
    add(fma(-fma(0.5, gap, a.radius), n, at(k.a, s)), gap, feature(2, 2), m);
  return m.count > 0 && is_finite(m.points[0].p);
}

// Axes that (almost) meet; and crossed axes, which are nearest between the ends of A or are not side by side. These are
// separate functions so that each has its variables in registers.
__attribute__((noinline)) bool meeting_axes(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB,
                                            double margin, Manifold& m) {
  const Sides k = sides_of(a, X_WA, b, X_WB);
  const Meeting meet = meeting(k.lines, k.a, k.b, k.across_square);
  const Vector n = best_direction(k.a, k.b, k.across, meet.d, X_WA.R.x);
  const double gap = separation(k.a, k.b, n) - k.radii;  // (1)
  return gap <= margin && set_points(a, b, k, {n, 1, 1}, meet.s, gap, margin, m);
}
__attribute__((noinline)) bool crossed_axes(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB,
                                            double margin, Manifold& m) {
  const Sides k = sides_of(a, X_WA, b, X_WB);
  const Meeting meet = meeting(k.lines, k.a, k.b, k.across_square);
  const double square = dot(meet.d, meet.d), per_square = 1 / square, length = std::sqrt(square),
               gap = length - k.radii;
  if (!is_sure(k, length)) return meeting_axes(a, X_WA, b, X_WB, margin, m);
  return gap <= margin && set_points(a, b, k, {meet.d, length * per_square, per_square}, meet.s, gap, margin, m);
}

}  // namespace

bool capsule_capsule(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                     Manifold& m) {
  const Sides k = sides_of(a, X_WA, b, X_WB);
  const Stretch both = stretch(k);
  const double towards = slide(k.lines);
  if (std::abs(towards) < k.a.half * k.across_square || !both.side_by_side)
    return crossed_axes(a, X_WA, b, X_WB, margin, m);
  // Side by side, and the lines cross beyond an end of A: the axes approach each other up to that end of the stretch.
  const bool up = !std::signbit(towards);                                // consistent with copysign(), also for zeros
  const double end = std::copysign(k.b.half, towards * k.lines.cosine);  // the end of B there
  const double s = nearest_on_a(k.lines, k.a, end), far_s = nearest_on_a(k.lines, k.a, -end);
  const double t = nearest_on_b(k.lines, k.b, s), far_t = nearest_on_b(k.lines, k.b, far_s);
  const auto between = [&](double at_s, double at_t) LINCHPIN_INLINE_LAMBDA {
    return fma(at_t, -k.b.along, fma(at_s, k.a.along, k.lines.c));  // not difference(): here t comes last
  };
  const Vector d = between(s, t), far_d = between(far_s, far_t);
  const double square = dot(d, d), per_square = 1 / square, length = std::sqrt(square), gap = length - k.radii;
  if (!is_sure(k, length)) return meeting_axes(a, X_WA, b, X_WB, margin, m);
  if (!(gap <= margin)) return false;
  const Towards to{d, length * per_square, per_square};
  const Vector n = to.per_length * d;
  const double share = b.radius / k.radii;
  double far_gap;
  const bool two = gap_beside(to, far_d, k.radii, far_gap) && far_gap <= margin;
  start(n, m);
  m.distance = two && far_gap < gap ? far_gap : gap;  // far_gap may be smaller by rounding
  m.count = two ? 2 : 1;
  if (two) m.points[!up] = {place(k, n, far_t, far_d, share, far_gap), far_gap, feature(!up, !up)};
  m.points[two && up] = {place(k, n, t, d, share, gap), gap, feature(up, up)};
  return is_finite(m.points[two && up].p);
}

// --- a segment and a box, in the box's frame ---

namespace {

struct Segment {
  Vector c, u;  // middle and unit direction
  double half;
};

// x minus the nearest point of the box, by components.
LINCHPIN_INLINE Vector beyond(const Vector& x, const Vector& h) {
  return {x.x - clamped(x.x, h.x), x.y - clamped(x.y, h.y), x.z - clamped(x.z, h.z)};
}
LINCHPIN_INLINE double separation(const Segment& g, const Vector& h, const Vector& n) {
  return dot(n, g.c) - g.half * std::abs(dot(n, g.u)) - h.x * std::abs(n.x) - h.y * std::abs(n.y) - h.z * std::abs(n.z);
}

// The point c + t u of the segment nearest to the box. Half the derivative of the squared distance,
//     f(t) = u . beyond(c + t u),                                                                                 (3)
// is nondecreasing and piecewise linear, with breakpoints where a coordinate passes +-h. At most six evaluations find
// the piece that contains the root, without iteration.
LINCHPIN_INLINE double nearest_to_box(const Segment& g, const Vector& h) {
  const auto f = [&](double t) LINCHPIN_INLINE_LAMBDA { return dot(g.u, beyond(fma(t, g.u, g.c), h)); };
  double low = -g.half, high = g.half, f_low = f(low), f_high = f(high);
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;
  const auto ask = [&](double t) LINCHPIN_INLINE_LAMBDA {
    if (!(low < t && t < high)) return;  // also if t is infinite or NaN, for a coordinate that does not change
    const double ft = f(t);
    if (ft >= 0)
      high = t, f_high = ft;
    else
      low = t, f_low = ft;
  };
  const double ux = 1 / g.u.x, uy = 1 / g.u.y, uz = 1 / g.u.z;
  ask((h.x - g.c.x) * ux);
  ask((-h.x - g.c.x) * ux);
  ask((h.y - g.c.y) * uy);
  ask((-h.y - g.c.y) * uy);
  ask((h.z - g.c.z) * uz);
  ask((-h.z - g.c.z) * uz);
  return low - f_low * ((high - low) / (f_high - f_low));
}

// The best direction when the segment is in the box or almost so. Candidates are face normals, cross products of edges
// with the segment, and d = beyond() for the case that a corner or an end is nearest.
__attribute__((noinline)) Vector best_direction(Segment g, Vector h, Vector d) {
  Vector best{1.0, 0.0, 0.0};
  double most = -std::numeric_limits<double>::infinity();
  const auto attempt = [&](const Vector& v) {
    const double length = norm(v);
    if (!(length > 1e-150)) return;
    const Vector n = ((dot(v, g.c) < 0 ? -1 : 1) / length) * v;
    const double s = separation(g, h, n);
    if (s > most) most = s, best = n;
  };
  attempt({1.0, 0.0, 0.0});
  attempt({0.0, 1.0, 0.0});
  attempt({0.0, 0.0, 1.0});
  attempt({0.0, -g.u.z, g.u.y});
  attempt({g.u.z, 0.0, -g.u.x});
  attempt({-g.u.y, g.u.x, 0.0});
  attempt(d);
  attempt(fma(-dot(g.u, d), g.u, d));
  return best;
}

// The projection of the segment along n onto the face perpendicular to axis k on the side of n: b(t) = x(t) - tau(t) n,
// with tau linear in t. per_n is 1 / n_k.
struct Shadow {
  double tau, tau_slope;
  double from, to;  // the interval of t with b(t) in the face; at a corner from > to is possible by rounding
};
LINCHPIN_INLINE Shadow shadow(const Segment& g, const Vector& half, const Vector& normal, int k, double per_n,
                              double tolerance) {
  const double n[3] = {normal.x, normal.y, normal.z}, c[3] = {g.c.x, g.c.y, g.c.z}, u[3] = {g.u.x, g.u.y, g.u.z},
               h[3] = {half.x, half.y, half.z};
  const double face = per_n < 0 ? -h[k] : h[k];
  Shadow sh{(c[k] - face) * per_n, u[k] * per_n, -g.half, g.half};
  for (int i = 0; i < 3; ++i) {
    if (i == k) continue;
    const double middle = fma(-sh.tau, n[i], c[i]), slope = fma(-sh.tau_slope, n[i], u[i]), edge = h[i] + tolerance;
    if (std::abs(middle) + g.half * std::abs(slope) <= edge) continue;  // no restriction
    const double one = (-edge - middle) / slope, other = (edge - middle) / slope;
    sh.from = std::max(sh.from, std::min(one, other));
    sh.to = std::min(sh.to, std::max(one, other));
  }
  return sh;
}

// The best direction of a segment and a box, given d = beyond() of the segment's nearest point.
struct FromBox {
  Vector n;
  double s;      // separation of the segment and the box along n
  int k;         // axis of the face that n points out of
  double per_n;  // 1 / n_k
  bool sure;     // n is the direction of d, else that of a feature
};
LINCHPIN_INLINE double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }
LINCHPIN_INLINE FromBox from_box(const Segment& g, const Vector& h, const Vector& d, double size) {
  // A segment over a face, the most frequent case, needs neither square roots nor divisions.
  const int over = d.y == 0 && d.z == 0 ? 0 : d.x == 0 && d.z == 0 ? 1 : d.x == 0 && d.y == 0 ? 2 : -1;
  const double length = over >= 0 ? std::abs(d.x + d.y + d.z) : norm(d);
  const bool sure = length > short_of_sure * size;
  if (sure && over >= 0) {
    const Vector n{sign_of(d.x), sign_of(d.y), sign_of(d.z)};
    return {n, length, over, n.x + n.y + n.z, true};
  }
  const Vector n = sure ? (1 / length) * d : best_direction(g, h, d);
  const double nx = std::abs(n.x), ny = std::abs(n.y), nz = std::abs(n.z);
  const int k = nx >= ny ? (nx >= nz ? 0 : 2) : (ny >= nz ? 1 : 2);
  return {n, sure ? length : separation(g, h, n), k, 1 / (k == 0 ? n.x : k == 1 ? n.y : n.z), sure};
}

}  // namespace

bool capsule_box(const Capsule& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m) {
  const Vector& h = b.half;
  const Segment g{transpose_times(X_WB.R, X_WA.p - X_WB.p), transpose_times(X_WB.R, X_WA.R.z), a.half_length};
  const double reach = a.radius + margin;
  if (!(std::abs(g.c.x) - h.x - g.half * std::abs(g.u.x) <= reach &&
        std::abs(g.c.y) - h.y - g.half * std::abs(g.u.y) <= reach &&
        std::abs(g.c.z) - h.z - g.half * std::abs(g.u.z) <= reach))
    return false;
  double t = nearest_to_box(g, h);
  const double size = g.half + h.x + h.y + h.z;
  const FromBox best = from_box(g, h, beyond(fma(t, g.u, g.c), h), size);
  const Vector& n = best.n;
  const double gap = best.s - a.radius;  // (1)
  if (!(gap <= margin)) return false;

  const double round_off = 1e-13 * size;
  const Shadow sh = shadow(g, h, n, best.k, best.per_n, round_off);
  start(X_WB.R * n, m);
  const auto add_at = [&](double at, double its_gap, std::uint32_t which) LINCHPIN_INLINE_LAMBDA {
    const Vector x = fma(at, g.u, g.c);
    add(X_WB * fma(-fma(0.5, its_gap, a.radius), n, x), its_gap, feature(which, which), m);
  };
  const double from_gap = fma(sh.tau_slope, sh.from, sh.tau) - a.radius,
               to_gap = fma(sh.tau_slope, sh.to, sh.tau) - a.radius;
  // A very short stretch counts as one point, the nearest.
  if (sh.to - sh.from > 1e-4 * g.half) {
    if (from_gap <= margin) add_at(sh.from, from_gap, 0);
    if (to_gap <= margin) add_at(sh.to, to_gap, 1);
  }
  if (!(m.distance <= gap + round_off)) {
    // When n is the direction of a feature, the nearest points are at an end of the projection.
    if (!best.sure && sh.tau_slope != 0) t = clamped(from_gap < to_gap ? sh.from : sh.to, g.half);
    add_at(t, gap, 2);
  }
  return m.count > 0 && is_finite(m.points[0].p);
}

}  // namespace linchpin

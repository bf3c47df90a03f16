// Two boxes. In A's frame, with R and t the pose of B, and o = -n the unit direction from A towards B, the gap along o
// is
//     s(o) = o.t - sum_i h_i |o_i| - sum_j k_j |o.R_j|                                                             (1)
// where h and k are the half extents of A and B. It is largest along one of fifteen axes,
//     e_i,  R_j,  e_i x R_j / |e_i x R_j|                                                                         (2)
// if the boxes overlap, and also if they are apart and a face or two crossing edges are nearest. Otherwise a corner is
// nearest. Then o follows from two points x and y, and s(o) = |y - x| proves that they are the nearest, since
// s(o) <= distance <= |y - x|.
//
// The manifold is the intersection of the two faces that face each other most, projected along o. With A's face in the
// plane x_w = +-h_w, a point q of B's face projects to the point r of that plane with
//     q = r + g o,   g = (q_w -+ h_w) / o_w,                                                                      (3)
// where g is the gap. B's face becomes a parallelogram in that plane, which is clipped by the rectangle of A's face.
// All points satisfy (3) of manifold.h.
//
// The choice of the axis, and with it the points' features, must not depend on rounding: a later axis must be better
// than an earlier one by 1e-12 of the boxes' size, face axes come first, and the two faces are chosen by o alone.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "linchpin/geometry/pairs/clamped.h"
#include "linchpin/geometry/pairs/manifold_points.h"
#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

// --- three or four numbers at once ---

using Bits4 = typename Register<std::int64_t, 4>::Type;

LINCHPIN_INLINE Double4 abs(const Double4& x) { return Double4::Vector((Bits4)x.v & Bits4(INT64_MAX - Bits4{})); }
LINCHPIN_INLINE Double4 smaller(const Double4& a, const Double4& b) { return b > a ? a.v : b.v; }
LINCHPIN_INLINE Double4 larger(const Double4& a, const Double4& b) { return a > b ? a.v : b.v; }
LINCHPIN_INLINE Double4 three(double x, double y, double z) { return Double4::Vector{x, y, z, 0}; }
LINCHPIN_INLINE Double4 three(const Vector& v) { return three(v.x, v.y, v.z); }
LINCHPIN_INLINE Vector vector(const Double4& v) { return {v[0], v[1], v[2]}; }
// (y, z, x) and (z, x, y)
LINCHPIN_INLINE Double4 next(const Double4& v) { return __builtin_shufflevector(v.v, v.v, 1, 2, 0, 3); }
LINCHPIN_INLINE Double4 after_next(const Double4& v) { return __builtin_shufflevector(v.v, v.v, 2, 0, 1, 3); }

// --- the problem, in A's frame ---

struct Boxes {
  Vector h, k;         // half extents of A and B
  Vector t;            // B's centre
  Vector column[3];    // R_j
  double size;         // sum of the lengths involved
  double axis_better;  // 1e-12 size
  double round_off;    // 1e-14 size: about fifty roundings, for sums of about ten terms
};
LINCHPIN_INLINE double component(const Vector& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
LINCHPIN_INLINE Vector across(const Boxes& p, const Vector& o) {
  return {dot(p.column[0], o), dot(p.column[1], o), dot(p.column[2], o)};
}
LINCHPIN_INLINE double separation(const Boxes& p, const Vector& o) {
  const Vector v = across(p, o);
  return dot(o, p.t) - (p.h.x * std::abs(o.x) + p.h.y * std::abs(o.y) + p.h.z * std::abs(o.z)) -
         (p.k.x * std::abs(v.x) + p.k.y * std::abs(v.y) + p.k.z * std::abs(v.z));  // (1)
}

// e_i x r
LINCHPIN_INLINE Vector edge_product(int i, const Vector& r) {
  return i == 0 ? Vector{0.0, -r.z, r.y} : i == 1 ? Vector{r.z, 0.0, -r.x} : Vector{-r.y, r.x, 0.0};
}
// |e_i x r|^2 at or below this: the edges are parallel up to the rounding of unit vectors, and their product has no
// direction.
constexpr double parallel = 1e-30;

struct Axis {
  Vector o;
  double s;
  int edge_a, edge_b;  // -1 for a face
};

// Scalar products of the axes of A and B, over lanes.
struct Products {
  Double4 t, t_b;              // B's centre relative to A's, in A's and in B's axes
  Double4 column[3];           // R_j over lanes i
  Double4 row[3], abs_row[3];  // row i is e_i.R_j over lanes j
};
LINCHPIN_INLINE Products products_of(const Pose& X_WA, const Pose& X_WB) {
  const Mat3<double>&A = X_WA.R, &B = X_WB.R;
  const Double4 bx = three(B.x.x, B.y.x, B.z.x), by = three(B.x.y, B.y.y, B.z.y), bz = three(B.x.z, B.y.z, B.z.z);
  const Double4 ax = three(A.x.x, A.y.x, A.z.x), ay = three(A.x.y, A.y.y, A.z.y), az = three(A.x.z, A.y.z, A.z.z);
  const auto in_b = [&](const Vector& v) { return fma(v.z, bz, fma(v.y, by, v.x * bx)); };
  const auto in_a = [&](const Vector& v) { return fma(v.z, az, fma(v.y, ay, v.x * ax)); };
  const Vector between = X_WB.p - X_WA.p;
  const Double4 row[3] = {in_b(A.x), in_b(A.y), in_b(A.z)};
  return {in_a(between),
          in_b(between),
          {in_a(B.x), in_a(B.y), in_a(B.z)},
          {row[0], row[1], row[2]},
          {abs(row[0]), abs(row[1]), abs(row[2])}};
}

// The best face axis: axes of A are faces 0 to 2, those of B 3 to 5. `s` is NaN if any of them is not finite.
struct FaceAxis {
  int face;
  double s;
};
LINCHPIN_INLINE FaceAxis best_face(const Boxes& p, const Products& q) {
  const Double4 faces_a =
      abs(q.t) - fma(p.k.z, abs(q.column[2]), fma(p.k.y, abs(q.column[1]), fma(p.k.x, abs(q.column[0]), three(p.h))));
  const Double4 faces_b =
      abs(q.t_b) - fma(p.h.z, q.abs_row[2], fma(p.h.y, q.abs_row[1], fma(p.h.x, q.abs_row[0], three(p.k))));
  int face = 0;
  double s = faces_a[0];
  if (faces_a[1] > s + p.axis_better) face = 1, s = faces_a[1];
  if (faces_a[2] > s + p.axis_better) face = 2, s = faces_a[2];
  for (int j = 0; j < 3; ++j) {
    if (faces_b[j] > s + p.axis_better) face = 3 + j, s = faces_b[j];
  }
  const double sum = (faces_a[0] + faces_a[1] + faces_a[2]) + (faces_b[0] + faces_b[1] + faces_b[2]);
  return {face, sum - sum == 0 ? s : std::numeric_limits<double>::quiet_NaN()};
}

// The best edge axis if it is better than s, which it then replaces; else edge_a = -1.
struct EdgeAxis {
  int edge_a, edge_b;
  double w_length;  // |e_i x R_j|
};
LINCHPIN_INLINE EdgeAxis best_edge(const Boxes& p, const Products& q, double& s) {
  // Edge axes e_i x R_j, over lanes j. With l and m the axes after i, the axis is w = (R_lj at m, -R_mj at l), and
  // w.R_n for the two n other than j are components of row_l x row_m. Computed from the same entries as w, they have
  // errors relative to |w|, however small that is. Entries of row_i in their place would have errors relative to 1.
  EdgeAxis best{-1, -1, 1};
  const Double4 k = three(p.k), k_next = next(k), k_after = after_next(k);
  for (int i = 0; i < 3; ++i) {
    const int l = i == 2 ? 0 : i + 1, m = i == 0 ? 2 : i - 1;
    const Double4 &rl = q.row[l], &rm = q.row[m];
    const Double4 w_square = fma(rl, rl, rm * rm);
    const Double4 w_t = fma(q.t[m], rl, -(q.t[l] * rm));
    const Double4 reach_a = fma(component(p.h, l), q.abs_row[m], component(p.h, m) * q.abs_row[l]);
    const Double4 product = abs(fma(next(rl), after_next(rm), -(after_next(rl) * next(rm))));
    const Double4 reach_b = fma(k_next, after_next(product), k_after * next(product));
    const Double4 raw = abs(w_t) - (reach_a + reach_b);  // |w| s
    // Compares s without a square root: x |x| is monotonic.
    const double to_beat = s + p.axis_better, signed_square = to_beat * std::abs(to_beat);
    const Bits4 better = (raw.v * abs(raw).v > signed_square * w_square.v) & (w_square.v > parallel);
    if (!(better[0] | better[1] | better[2])) continue;
    for (int j = 0; j < 3; ++j) {
      if (!better[j]) continue;
      const double length = std::sqrt(w_square[j]), its = raw[j] / length;
      if (its > s + p.axis_better) s = its, best = {i, j, length};
    }
  }
  return best;
}

// The best of the fifteen axes (2); false when one is beyond the margin, or for NaN.
LINCHPIN_INLINE bool best_axis(const Pose& X_WA, const Pose& X_WB, double margin, Boxes& p, Axis& best) {
  const Products q = products_of(X_WA, X_WB);
  p.t = vector(q.t);
  p.size = std::abs(p.t.x) + std::abs(p.t.y) + std::abs(p.t.z) + (p.h.x + p.h.y + p.h.z) + (p.k.x + p.k.y + p.k.z);
  p.axis_better = 1e-12 * p.size, p.round_off = 1e-14 * p.size;
  p.column[0] = vector(q.column[0]), p.column[1] = vector(q.column[1]), p.column[2] = vector(q.column[2]);

  auto [face, s] = best_face(p, q);
  if (!(s <= margin)) return false;
  const EdgeAxis edge = best_edge(p, q, s);
  if (!(s <= margin)) return false;

  best.s = s;
  best.edge_a = edge.edge_a, best.edge_b = edge.edge_b;
  if (edge.edge_a >= 0) {
    const Vector w = edge_product(edge.edge_a, p.column[edge.edge_b]);
    best.o = ((dot(w, p.t) < 0 ? -1 : 1) / edge.w_length) * w;
  } else if (face < 3) {
    const double sign = component(p.t, face) < 0 ? -1.0 : 1.0;
    best.o = {face == 0 ? sign : 0.0, face == 1 ? sign : 0.0, face == 2 ? sign : 0.0};
  } else {
    const Vector& r = p.column[face - 3];
    best.o = q.t_b[face - 3] < 0 ? -r : r;
  }
  return true;
}

// --- features: numbers of corners, edges and faces of a box ---

// `positive` has a bit for each axis along which the feature is on the positive side, `free` one for each axis along
// which it extends: none for a corner, one for an edge, two for a face.
LINCHPIN_INLINE std::uint32_t box_feature(unsigned positive, unsigned free) { return free << 3 | (positive & ~free); }

// --- clipping ---

// Points on A's face: coordinates in the face, gap, features.
struct Candidates {
  static constexpr int most = 13;  // two for each edge of B's face, four corners of A's, and the nearest points
  double u[most], v[most], gap[most];
  std::uint32_t feature[most];
  int count = 0;
  LINCHPIN_INLINE void add(double at_u, double at_v, double its_gap, std::uint32_t of_both) {
    u[count] = at_u, v[count] = at_v, gap[count] = its_gap, feature[count++] = of_both;
  }
};
// Merges points closer than (near_u, near_v): the deepest is kept, at the index of the first. Otherwise faces that are
// almost flush would have eight points instead of four. Points with the same features are merged too: where almost
// parallel edges cross is decided by rounding. The rest are the corners of the intersection of two quadrangles, at most
// eight.
__attribute__((noinline)) void merge(double near_u, double near_v, double round_off, Candidates& all) {
  int count = 0;
  for (int i = 0; i < all.count; ++i) {
    int twin = 0;
    while (twin < count && all.feature[i] != all.feature[twin] &&
           !(std::abs(all.u[i] - all.u[twin]) <= near_u && std::abs(all.v[i] - all.v[twin]) <= near_v))
      ++twin;
    if (twin == count && count < most_points)
      ++count;
    else if (!(twin < count && all.gap[i] < all.gap[twin] - round_off))
      continue;
    all.u[twin] = all.u[i], all.v[twin] = all.v[i], all.gap[twin] = all.gap[i], all.feature[twin] = all.feature[i];
  }
  all.count = count;
}

// The nearest points x of A and y of B, if they are not among those of the clipped faces.
struct Witness {
  Vector x;
  double gap;
  std::uint32_t feature;
};

LINCHPIN_INLINE int largest(double x, double y, double z) { return x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2); }

// A point of the plane of A's face, and its gap.
struct OnPlane {
  double u, v, gap;
};
// The two faces that face each other along o: A's in the plane x_w = plane, a rectangle along the axes u and v, and B's
// projected onto that plane by (3), the parallelogram c + a e1 + b e2 with a and b from -1 to 1.
struct Faces {
  int w, u, v;              // axes of A: across the face, along it
  int face, one, two;       // axes of B, likewise
  double along_u, along_v;  // components of o
  double plane, per_w;      // 1 / o_w
  double hu, hv;
  OnPlane c, e1, e2;
  double near_u, near_v;    // tolerance for merging points: 1e-4 of the smaller face
  unsigned a_face, b_face;  // bits of the faces' sides, as in box_feature()
};

// (3): r and g for the point q; `offset` is the plane's x_w, or 0 for a vector q.
LINCHPIN_INLINE OnPlane on_plane(const Faces& f, const Vector& q, double offset) {
  const double g = (component(q, f.w) - offset) * f.per_w;
  return {fma(-g, f.along_u, component(q, f.u)), fma(-g, f.along_v, component(q, f.v)), g};
}

LINCHPIN_INLINE Faces faces_along(const Boxes& p, const Vector& o) {
  const double h[3] = {p.h.x, p.h.y, p.h.z}, k[3] = {p.k.x, p.k.y, p.k.z}, along[3] = {o.x, o.y, o.z};
  const Vector view = across(p, o);
  const double in_b[3] = {view.x, view.y, view.z};
  Faces f;
  f.w = largest(std::abs(o.x), std::abs(o.y), std::abs(o.z)), f.u = f.w == 2 ? 0 : f.w + 1,
  f.v = f.w == 0 ? 2 : f.w - 1;
  f.face = largest(std::abs(view.x), std::abs(view.y), std::abs(view.z));
  f.one = f.face == 2 ? 0 : f.face + 1, f.two = f.face == 0 ? 2 : f.face - 1;
  const bool up = along[f.w] > 0, toward = in_b[f.face] < 0;  // signs of the two faces
  f.along_u = along[f.u], f.along_v = along[f.v];
  f.plane = up ? h[f.w] : -h[f.w], f.per_w = 1 / along[f.w], f.hu = h[f.u], f.hv = h[f.v];
  f.c = on_plane(f, fma(toward ? k[f.face] : -k[f.face], p.column[f.face], p.t), f.plane);
  f.e1 = on_plane(f, k[f.one] * p.column[f.one], 0.0), f.e2 = on_plane(f, k[f.two] * p.column[f.two], 0.0);
  f.near_u = 1e-4 * std::min(f.hu, std::abs(f.e1.u) + std::abs(f.e2.u));
  f.near_v = 1e-4 * std::min(f.hv, std::abs(f.e1.v) + std::abs(f.e2.v));
  f.a_face = static_cast<unsigned>(up) << f.w, f.b_face = static_cast<unsigned>(toward) << f.face;
  return f;
}

// Adds the parts of the edges of B's face that are over A's: corners of B, and crossings with the rectangle's rim.
LINCHPIN_INLINE void add_edges_of_b(const Faces& f, double round_off, double limit, Candidates& all) {
  // Edges over lanes, around the face: middle + a * half, a from -1 to 1, clipped by the rectangle to [from, to].
  const OnPlane &c = f.c, &e1 = f.e1, &e2 = f.e2;
  const Double4 half_u = Double4::Vector{e1.u, e2.u, -e1.u, -e2.u}, half_v = Double4::Vector{e1.v, e2.v, -e1.v, -e2.v},
                half_gap = Double4::Vector{e1.gap, e2.gap, -e1.gap, -e2.gap};
  const Double4 middle_u = c.u + Double4(Double4::Vector{-e2.u, e1.u, e2.u, -e1.u}),
                middle_v = c.v + Double4(Double4::Vector{-e2.v, e1.v, e2.v, -e1.v}),
                middle_gap = c.gap + Double4(Double4::Vector{-e2.gap, e1.gap, e2.gap, -e1.gap});
  const Double4 per_u = 1.0 / (half_u + 1e-300), per_v = 1.0 / (half_v + 1e-300);  // no 0 / 0 for parallel edges
  const double rim_u = f.hu + round_off, rim_v = f.hv + round_off;  // so that faces that are flush share their corners
  const Double4 u1 = (-rim_u - middle_u) * per_u, u2 = (rim_u - middle_u) * per_u, v1 = (-rim_v - middle_v) * per_v,
                v2 = (rim_v - middle_v) * per_v;
  const Double4 from_u = smaller(u1, u2), from_v = smaller(v1, v2);
  const Double4 from = larger(from_u, larger(from_v, Double4(-1.0)));
  const Double4 to_u = larger(u1, u2), to = smaller(to_u, smaller(larger(v1, v2), Double4(1.0)));
  const unsigned bit_one = 1u << f.one, bit_two = 1u << f.two;
  const unsigned edge_free[4] = {bit_one, bit_two, bit_one, bit_two};
  const unsigned edge_side[4] = {0, bit_one, bit_two, 0};                   // the edge's side of the face
  const unsigned edge_start[4] = {0, bit_one, bit_one | bit_two, bit_two};  // corner at a = -1
  const std::uint32_t in_a_face = box_feature(f.a_face, 7u & ~(1u << f.w)) << 16;
  alignas(32) double mu[4], mv[4], mg[4], eu[4], ev[4], eg[4], begins[4], ends[4], by_u[4], to_by_u[4];
  middle_u.store(mu), middle_v.store(mv), middle_gap.store(mg);
  half_u.store(eu), half_v.store(ev), half_gap.store(eg);
  from.store(begins), to.store(ends), from_u.store(by_u), to_u.store(to_by_u);
  // Adds the crossing of edge e with the rectangle's rim, at a; `outer` is the end of the edge that is outside. If that
  // end is outside by less than the tolerance and far from the crossing, the edge runs along the rim: the crossing adds
  // nothing to the intersection, and its place is decided by rounding. It is skipped then.
  const auto crossing = [&](int e, double a, bool side_u, double outer) LINCHPIN_INLINE_LAMBDA {
    const double gap = fma(a, eg[e], mg[e]);
    if (!(gap <= limit)) return;
    const double at_u = fma(a, eu[e], mu[e]), at_v = fma(a, ev[e], mv[e]);
    const double end_u = fma(outer, eu[e], mu[e]), end_v = fma(outer, ev[e], mv[e]);
    if (std::abs(end_u) - f.hu <= f.near_u && std::abs(end_v) - f.hv <= f.near_v &&
        (std::abs(end_u - at_u) > f.near_u || std::abs(end_v - at_v) > f.near_v))
      return;
    const unsigned positive =
        f.a_face | (side_u ? static_cast<unsigned>(at_u > 0) << f.u : static_cast<unsigned>(at_v > 0) << f.v);
    const std::uint32_t of_a = box_feature(positive, side_u ? 1u << f.v : 1u << f.u);
    all.add(at_u, at_v, gap, of_a << 16 | box_feature(f.b_face | edge_side[e], edge_free[e]));
  };
  for (int e = 0; e < 4; ++e) {
    const double begin = begins[e], end = ends[e];
    if (!(begin <= end)) continue;
    if (begin != -1)
      crossing(e, begin, begin == by_u[e], -1);
    else if (mg[e] - eg[e] <= limit)
      all.add(mu[e] - eu[e], mv[e] - ev[e], mg[e] - eg[e], in_a_face | box_feature(f.b_face | edge_start[e], 0));
    if (end < 1 && end > begin) crossing(e, end, end == to_by_u[e], 1);
  }
}

// Adds the corners of A's face that are over B's.
LINCHPIN_INLINE void add_corners_of_a(const Faces& f, double limit, Candidates& all) {
  // Corners over lanes: c + a e1 + b e2. The two faces face each other, so the parallelogram has an area.
  const OnPlane &c = f.c, &e1 = f.e1, &e2 = f.e2;
  const double per_area = 1 / (e1.u * e2.v - e1.v * e2.u);
  const Double4 du = Double4(Double4::Vector{-f.hu, f.hu, f.hu, -f.hu}) - c.u,
                dv = Double4(Double4::Vector{-f.hv, -f.hv, f.hv, f.hv}) - c.v;
  const Double4 a = (du * e2.v - dv * e2.u) * per_area, b = (dv * e1.u - du * e1.v) * per_area;
  const Double4 corner_gap = fma(b, e2.gap, fma(a, e1.gap, Double4(c.gap)));
  const Bits4 inside = (abs(a).v < 1) & (abs(b).v < 1) & (corner_gap.v <= limit);
  if (!(inside[0] | inside[1] | inside[2] | inside[3])) return;
  const unsigned bit_u = 1u << f.u, bit_v = 1u << f.v, corner[4] = {0, bit_u, bit_u | bit_v, bit_v};
  const std::uint32_t in_b_face = box_feature(f.b_face, 1u << f.one | 1u << f.two);
  for (int i = 0; i < 4; ++i) {
    if (inside[i])
      all.add(i == 1 || i == 2 ? f.hu : -f.hu, i >= 2 ? f.hv : -f.hv, corner_gap[i],
              box_feature(f.a_face | corner[i], 0) << 16 | in_b_face);
  }
}

// Sets m, except for the normal, to the points with gaps along o of at most `margin`.
LINCHPIN_INLINE void clip_faces(const Boxes& p, const Vector& o, double margin, const Pose& X_WA,
                                const Witness* witness, Manifold& m) {
  const Faces f = faces_along(p, o);
  Candidates all;
  const double limit = margin + p.round_off;
  if (witness) {
    const OnPlane x = on_plane(f, witness->x, f.plane);
    all.add(x.u, x.v, witness->gap, witness->feature);
  }
  add_edges_of_b(f, p.round_off, limit, all);
  add_corners_of_a(f, limit, all);
  if (all.count > 4 || witness) merge(f.near_u, f.near_v, p.round_off, all);
  m.count = 0;
  m.distance = std::numeric_limits<double>::infinity();
  for (int n = 0; n < all.count; ++n) {
    double r[3];
    r[f.u] = all.u[n], r[f.v] = all.v[n], r[f.w] = f.plane;
    const double g = all.gap[n];
    add(X_WA * fma(0.5 * g, o, Vector{r[0], r[1], r[2]}), g, all.feature[n], m);
  }
}

// --- the nearest points of boxes that are apart, when no axis of (2) is their direction ---

LINCHPIN_INLINE Vector into_box(const Vector& x, const Vector& h) {
  return {clamped(x.x, h.x), clamped(x.y, h.y), clamped(x.z, h.z)};
}
LINCHPIN_INLINE unsigned inner(const Vector& x, const Vector& h) {  // a bit for each coordinate inside its limits
  return static_cast<unsigned>(std::abs(x.x) < h.x) | static_cast<unsigned>(std::abs(x.y) < h.y) << 1 |
         static_cast<unsigned>(std::abs(x.z) < h.z) << 2;
}
LINCHPIN_INLINE unsigned positives(const Vector& x) {
  return static_cast<unsigned>(x.x > 0) | static_cast<unsigned>(x.y > 0) << 1 | static_cast<unsigned>(x.z > 0) << 2;
}
LINCHPIN_INLINE int only_bit(unsigned bits) { return bits == 1 ? 0 : bits == 2 ? 1 : bits == 4 ? 2 : -1; }
LINCHPIN_INLINE void set_component(Vector& v, int i, double value) { (i == 0 ? v.x : i == 1 ? v.y : v.z) = value; }

// x in A and y in B, each in the frame of its box.
struct PairOfPoints {
  Vector x, y;
};
LINCHPIN_INLINE Vector place(const Boxes& p, const Vector& y) {
  return p.t + fma(y.z, p.column[2], fma(y.y, p.column[1], y.x * p.column[0]));
}

// Moves x along axis i of A and y along axis j of B, within the boxes, so that their distance is smallest.
LINCHPIN_INLINE void slide_edges(const Boxes& p, int i, int j, PairOfPoints& at) {
  const Vector& r = p.column[j];
  const Vector w = edge_product(i, r);
  const double cosine = component(r, i), w_square = dot(w, w);
  set_component(at.x, i, 0.0);
  set_component(at.y, j, 0.0);
  const Vector c = at.x - place(p, at.y);
  const double ca = component(c, i), cb = dot(r, c), ha = component(p.h, i), kb = component(p.k, j);
  double x = w_square > parallel ? clamped((cosine * cb - ca) / w_square, ha) : clamped(-ca, ha);
  const double y = clamped(fma(x, cosine, cb), kb);
  x = clamped(fma(y, cosine, -ca), ha);
  set_component(at.x, i, x);
  set_component(at.y, j, y);
}

// The direction from x to y, made perpendicular to the edges and faces that the points are on. So it is accurate for
// points almost in touch too, where d = y - x is dominated by rounding. If x and y are on an edge each, the direction
// is made perpendicular to both by projection (edges may be parallel) or as their cross product, whichever has the
// larger s.
LINCHPIN_INLINE Vector direction(const Boxes& p, const PairOfPoints& at, const Vector& d, double& s) {
  const auto unit = [](const Vector& v) {
    const double length = norm(v);
    return length > 1e-150 ? (1 / length) * v : Vector::zero();
  };
  const unsigned free_a = inner(at.x, p.h), free_b = inner(at.y, p.k);
  Vector o{free_a & 1 ? 0.0 : d.x, free_a & 2 ? 0.0 : d.y, free_a & 4 ? 0.0 : d.z};
  const int i = only_bit(free_a), j = only_bit(free_b);
  if (j >= 0 && (i >= 0 || free_a == 0)) o = fma(-dot(p.column[j], o), p.column[j], o);
  o = unit(o);
  s = separation(p, o);
  if (i >= 0 && j >= 0) {
    const Vector product = unit(edge_product(i, p.column[j])), w = dot(product, d) < 0 ? -product : product;
    const double s_w = separation(p, w);
    if (s_w > s) s = s_w, o = w;
  }
  return o;
}

// All edges against all edges: slow, for poses where nearest_points() does not converge.
__attribute__((noinline)) PairOfPoints nearest_edges(const Boxes& p) {
  PairOfPoints best{{0, 0, 0}, {0, 0, 0}};
  double least = std::numeric_limits<double>::infinity();
  for (int edges = 0; edges < 12 * 12; ++edges) {
    const int ea = edges / 12, eb = edges % 12, i = ea / 4, j = eb / 4;
    PairOfPoints at{p.h, p.k};
    const int l = (i + 1) % 3, m = (i + 2) % 3, n = (j + 1) % 3, q = (j + 2) % 3;
    if (ea & 1) set_component(at.x, l, -component(p.h, l));
    if (ea & 2) set_component(at.x, m, -component(p.h, m));
    if (eb & 1) set_component(at.y, n, -component(p.k, n));
    if (eb & 2) set_component(at.y, q, -component(p.k, q));
    slide_edges(p, i, j, at);
    const Vector d = place(p, at.y) - at.x;
    if (dot(d, d) < least) least = dot(d, d), best = at;
  }
  return best;
}

// Corrects `best`, whose s is too small, and sets the witness. Starting from the corner of B nearest along the best
// axis, x and y are alternately set to the nearest point of their box, which finds the features after a few turns. Two
// points on edges are moved to their common nearest places at once. When s(o) = |y - x| the points are proved to be
// nearest.
LINCHPIN_INLINE void nearest_points(const Boxes& p, Axis& best, Witness& witness) {
  const Vector v = across(p, best.o);
  PairOfPoints at{{0, 0, 0}, {v.x > 0 ? -p.k.x : p.k.x, v.y > 0 ? -p.k.y : p.k.y, v.z > 0 ? -p.k.z : p.k.z}};
  Vector d = Vector::zero();
  const auto settle = [&]() {
    d = place(p, at.y) - at.x;
    double s;
    const Vector o = direction(p, at, d, s);
    // If proved, o is taken even if the axis is as good up to rounding, since o leads from x to y.
    const bool proven = s >= norm(d) - p.round_off;
    if (proven || s > best.s) best.s = s, best.o = o, best.edge_a = best.edge_b = -1;
    return proven;
  };
  bool settled = false;
  if (best.edge_a >= 0) {
    at.x = {best.o.x < 0 ? -p.h.x : p.h.x, best.o.y < 0 ? -p.h.y : p.h.y, best.o.z < 0 ? -p.h.z : p.h.z};
    slide_edges(p, best.edge_a, best.edge_b, at);
    // In penetration the edge axis is final.
    settled = settle() || best.s < 0;
  }
  const auto turn_to_each_other = [&] {
    at.y = into_box(across(p, at.x - p.t), p.k);
    at.x = into_box(place(p, at.y), p.h);
  };
  at.x = settled ? at.x : into_box(place(p, at.y), p.h);
  for (int turn = 0; turn < 12 && !settled; ++turn) {
    turn_to_each_other();
    settled = settle();
    if (settled) break;
    const int i = only_bit(inner(at.x, p.h)), j = only_bit(inner(at.y, p.k));
    if (i >= 0 && j >= 0) {
      slide_edges(p, i, j, at);
      settled = settle();
    }
  }
  if (!settled) {
    at = nearest_edges(p);
    turn_to_each_other();
    settle();
  }
  witness.x = at.x;
  witness.gap = best.s;
  witness.feature =
      box_feature(positives(at.x), inner(at.x, p.h)) << 16 | box_feature(positives(at.y), inner(at.y, p.k));
}

}  // namespace

bool box_box(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m) {
  Boxes p;
  p.h = a.half, p.k = b.half;
  Axis best;
  if (!best_axis(X_WA, X_WB, margin, p, best)) return false;
  clip_faces(p, best.o, margin, X_WA, nullptr, m);
  if (!(m.distance <= best.s + p.axis_better)) {
    Witness witness;
    nearest_points(p, best, witness);
    if (!(best.s <= margin)) return false;
    clip_faces(p, best.o, margin, X_WA, &witness, m);
  }
  m.normal = -(X_WA.R * best.o);
  return m.count > 0 && is_finite(m.points[0].p);
}

}  // namespace linchpin

#include "linchpin/geometry/convex/gjk.h"

#include <limits>

#include "linchpin/base/infinity.h"

namespace linchpin {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_rounds = 100;  // polytopes need 5 to 20, curved cores 10 to 30 to reach `gap`

// The nearest of the points, edges and triangles offered so far.
struct Nearest {
  double square = infinity;  // |v|^2
  int count = 0;
  int index[3];
  double weight[3];
  Vec3<double> v = Vec3<double>::zero();
};

LINCHPIN_INLINE void offer_point(const Simplex& s, int i, Nearest& best) {
  const Vec3<double>& a = s.points[i].w;
  const double square = dot(a, a);
  if (square < best.square) best = {square, 1, {i, 0, 0}, {1, 0, 0}, a};
}

LINCHPIN_INLINE void offer_segment(const Simplex& s, int i, int j, Nearest& best) {
  const Vec3<double>&a = s.points[i].w, &b = s.points[j].w;
  const Vec3<double> e = b - a;
  const double ee = dot(e, e), t = -dot(a, e);
  if (!(t > 0)) return offer_point(s, i, best);
  if (!(t < ee)) return offer_point(s, j, best);
  const double q = t / ee;
  const Vec3<double> v = fma(q, e, a);
  const double square = dot(v, v);
  if (square < best.square) best = {square, 2, {i, j, 0}, {1 - q, q, 0}, v};
}

// N = (b - a) x (c - a). With p the foot of the origin in the plane, twice the area of p b c is N.(b x c)/|N|, and
// likewise for the others. If it is negative, p lies beyond the side b c.
LINCHPIN_INLINE void offer_triangle(const Simplex& s, int i, int j, int k, const Vec3<double>& N, Nearest& best) {
  const Vec3<double>&a = s.points[i].w, &b = s.points[j].w, &c = s.points[k].w;
  const double NN = dot(N, N);
  const double A = dot(N, cross(b, c)), B = dot(N, cross(c, a)), C = dot(N, cross(a, b));
  if (A > 0 && B > 0 && C > 0) {
    const double height = dot(N, a);
    const double square = height * height / NN;
    if (square < best.square) {
      const double sum = 1 / (A + B + C);
      best = {square, 3, {i, j, k}, {A * sum, B * sum, C * sum}, (height / NN) * N};
    }
    return;
  }
  // For a triangle without area the products are zero or noise: then all its sides are tried.
  const bool flat = !(NN > 0);
  if (flat || !(A > 0)) offer_segment(s, j, k, best);
  if (flat || !(B > 0)) offer_segment(s, k, i, best);
  if (flat || !(C > 0)) offer_segment(s, i, j, best);
}

LINCHPIN_INLINE Vec3<double> area(const Simplex& s, int i, int j, int k) {
  return cross(s.points[j].w - s.points[i].w, s.points[k].w - s.points[i].w);
}

// False if the origin is inside. The side opposite to the newest point, which is the last, is left out: the origin and
// that point are on the same side of it, since the point is nearer to the origin along v.
LINCHPIN_INLINE bool offer_tetrahedron(const Simplex& s, double size, Nearest& best) {
  constexpr int side[3][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}};
  bool inside = true;
  for (int opposite = 0; opposite < 3; ++opposite) {
    const int i = side[opposite][0], j = side[opposite][1], k = side[opposite][2];
    const Vec3<double> N = area(s, i, j, k);
    const double corner = dot(N, s.points[opposite].w - s.points[i].w), origin = -dot(N, s.points[i].w);
    // A volume below eps times size times the area of a side is noise; then every side is tried.
    const bool flat = !(corner * corner > 16 * eps * eps * size * size * dot(N, N));
    if (!flat && (corner > 0) == (origin > 0)) continue;
    inside = false;
    offer_triangle(s, i, j, k, N, best);
  }
  return !inside;
}

// Finds the nearest point; false if the origin is inside.
LINCHPIN_INLINE bool find_nearest(const Simplex& s, double size, Nearest& best) {
  switch (s.count) {
    case 2:
      offer_segment(s, 0, 1, best);
      return true;
    case 3:
      offer_triangle(s, 0, 1, 2, area(s, 0, 1, 2), best);
      return true;
    default:
      return offer_tetrahedron(s, size, best);
  }
}

// Keeps the points that the nearest one depends on.
LINCHPIN_INLINE void keep(Nearest& best, Simplex& s) {
  if (best.count == 2 && best.index[0] > best.index[1]) {  // the only order in which indices do not rise
    std::swap(best.index[0], best.index[1]);
    std::swap(best.weight[0], best.weight[1]);
  }
  for (int m = 0; m < best.count; ++m) {
    if (m != best.index[m]) put(s.points[best.index[m]], s.points[m]);
    s.weights[m] = best.weight[m];
  }
  s.count = best.count;
  put(best.v, s.v);
}

LINCHPIN_INLINE Gjk run(const CorePair& pair, double far, double gap, Simplex& s) {
  const double touch = gjk_touch * pair.size;
  double vv = dot(s.v, s.v);
  for (int round = 0; round < most_rounds; ++round) {
    if (!(vv > touch * touch)) return Gjk::overlap;
    const Difference w = least_along(pair, s.v);
    const double vw = dot(s.v, w.w);  // |v| s(n)
    if (vw > 0 && far >= 0 && vw * vw > far * far * vv) return Gjk::far;
    const double open = vv - vw;  // |v| (|v| - s(n)), of (1)
    if (!(open > 0 && open * open > gap * gap * vv)) return Gjk::apart;
    // A point that is already in the simplex adds nothing.
    for (int i = 0; i < s.count; ++i) {
      const Vec3<double> d = s.points[i].w - w.w;
      if (d.x == 0 && d.y == 0 && d.z == 0) return Gjk::apart;
    }
    put(w, s.points[s.count++]);
    Nearest best;
    if (!find_nearest(s, pair.size, best)) return Gjk::overlap;
    if (!(best.square < vv)) {  // not nearer than before, because of rounding
      --s.count;
      return Gjk::apart;
    }
    vv = best.square;
    keep(best, s);
  }
  return Gjk::apart;
}

}  // namespace

Gjk gjk(const CorePair& pair, double far, double gap, Simplex& simplex) {
  const Vec3<double> between = pair.a.centre - pair.X_AB * pair.b.centre;
  const bool concentric = !(dot(between, between) > 0);
  simplex.count = 1;
  simplex.points[0] = least_along(pair, concentric ? Vec3<double>{1, 0, 0} : between);
  simplex.weights[0] = 1;
  simplex.v = simplex.points[0].w;
  return run(pair, far, gap, simplex);
}

Gjk gjk_resume(const CorePair& pair, double far, double gap, Simplex& simplex) { return run(pair, far, gap, simplex); }

}  // namespace linchpin

#include "linchpin/geometry/convex/facet_walk.h"

#include <limits>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/pairs/manifold_points.h"

namespace linchpin {

namespace {

using Vector = Vec3<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_steps = 16;  // usually 0 to 4

// Squared sine of an angle at which two edges count as parallel and span no facet.
constexpr double parallel = 1e-18;

enum class Kind { face_of_a, face_of_b, edges };

struct Facet {
  Kind kind;
  int a, b;  // indices in A and B: face and vertex, vertex and face, or edges
  Vector n;  // n.w >= s for all of A - B
  double s;
};

// A side of a facet: an edge of one hull minus a vertex of the other.
struct Side {
  bool of_a;         // the edge is one of A
  int edge, vertex;  // index of the edge, and of the vertex of the other hull
  Vector p, e;       // from p along e, in A - B
  Vector m;          // unit, in the facet's plane, perpendicular to the side, outward
  double beyond;     // x of (1): distance of the origin's foot beyond the side
};

class FacetWalk {
 public:
  explicit FacetWalk(const CorePair& pair)
      : pair_(pair), A_(*pair.a.hull), B_(*pair.b.hull), noise_(32 * eps * pair.size) {}

  Walk run(double far, Direction& best) {
    start();
    for (int step = 0;; ++step) {
      if (facet_.s > far) return Walk::far;
      Side farthest{};
      if (!farthest_beyond(farthest)) return Walk::lost;
      if (!(farthest.beyond > noise_)) break;
      if (step == most_steps || !cross_over(farthest)) return Walk::lost;
    }
    if (facet_.s < 0 && !is_shortest()) return Walk::lost;
    return arrive(best) ? Walk::arrived : Walk::lost;
  }

 private:
  Vector vertex_a(int v) const { return A_.vertices[v]; }
  Vector vertex_b(int v) const { return pair_.X_AB * B_.vertices[v]; }

  // The start: for each hull the face that the other's centre is over, with the other's lowest vertex; the better of
  // both.
  void start() {
    const Transform<double>& X = pair_.X_AB;
    const Vector centre_a = transpose_times(X.R, pair_.a.centre - X.p), centre_b = X * pair_.b.centre;
    const int face_b = nearest_face_inlined(B_, centre_a), face_a = nearest_face_inlined(A_, centre_b);
    const Hull::Face &f = A_.faces[face_a], &g = B_.faces[face_b];
    const Vector n_b = X.R * g.normal;
    const int a = support_inlined(A_, -n_b), b = support_inlined(B_, -transpose_times(X.R, f.normal));
    const double s_a = dot(f.normal, vertex_b(b)) - f.offset;
    const double s_b = dot(g.normal, transpose_times(X.R, vertex_a(a) - X.p)) - g.offset;
    if (s_a > s_b)
      facet_ = {Kind::face_of_a, face_a, b, -f.normal, s_a};
    else
      facet_ = {Kind::face_of_b, a, face_b, n_b, s_b};
  }

  // Calls visit(side) for each side of the facet until it returns false. Returns the last result.
  template <class Visit>
  LINCHPIN_INLINE bool for_each_side(const Visit& visit) const {
    const Vector& n = facet_.n;
    if (facet_.kind == Kind::edges) {
      const Hull::Edge &f = A_.edges[facet_.a], &g = B_.edges[facet_.b];
      const Vector from = vertex_a(f.from), to = vertex_a(f.to), e = to - from;
      const Vector start = vertex_b(g.from), end = vertex_b(g.to), h = end - start;
      Vector across_e = unit(cross(n, e)), across_h = unit(cross(n, h));
      if (dot(across_e, h) < 0) across_e = -across_e;
      if (dot(across_h, e) > 0) across_h = -across_h;
      return visit(side(true, facet_.a, g.from, from - start, e, across_e)) &&
             visit(side(true, facet_.a, g.to, from - end, e, -across_e)) &&
             visit(side(false, facet_.b, f.from, from - start, h, across_h)) &&
             visit(side(false, facet_.b, f.to, to - start, h, -across_h));
    }
    const bool of_a = facet_.kind == Kind::face_of_a;
    const Hull& hull = of_a ? A_ : B_;
    const Hull::Face& face = hull.faces[of_a ? facet_.a : facet_.b];
    const int* const corners = &hull.corners[face.first];
    const int vertex = of_a ? facet_.b : facet_.a;
    const Vector other = of_a ? vertex_b(vertex) : vertex_a(vertex);
    const auto corner = [&](int i) { return of_a ? vertex_a(corners[i]) : vertex_b(corners[i]); };
    Vector x = corner(face.count - 1);
    for (int i = 0; i < face.count; ++i) {
      const int before = i == 0 ? face.count - 1 : i - 1;
      const Vector y = corner(i), e = y - x;
      const Side s =
          side(of_a, hull.sides[face.first + before], vertex, of_a ? x - other : other - x, e, unit(cross(n, e)));
      if (!visit(s)) return false;
      x = y;
    }
    return true;
  }
  LINCHPIN_INLINE static Vector unit(const Vector& v) { return (1 / norm(v)) * v; }
  LINCHPIN_INLINE static Side side(bool of_a, int edge, int vertex, const Vector& p, const Vector& e, const Vector& m) {
    return {of_a, edge, vertex, p, e, m, -dot(m, p)};
  }

  // Sets the side with the largest `beyond`. False if corners of the facet are out of its plane.
  bool farthest_beyond(Side& farthest) const {
    farthest.beyond = -infinity;
    return for_each_side([&](const Side& s) LINCHPIN_INLINE_LAMBDA {
      if (s.beyond > farthest.beyond) farthest = s;
      return dot(facet_.n, s.p) <= facet_.s + noise_;
    });
  }

  // The face beyond a side's edge, and its outward normal in A - B.
  struct FaceBeyond {
    int face;
    Vector N;
  };
  LINCHPIN_INLINE FaceBeyond face_beyond(const Side& side) const {
    const Hull& hull = side.of_a ? A_ : B_;
    const Hull::Edge& edge = hull.edges[side.edge];
    // The outward normals of -B are minus those of B.
    const auto outward = [&](int f) {
      const Vector& N = hull.faces[f].normal;
      return side.of_a ? N : -(pair_.X_AB.R * N);
    };
    // Of the edge's two faces, the one beyond is inclined outwards.
    const Vector left = outward(edge.left), right = outward(edge.right);
    const bool is_left = dot(left, side.m) > dot(right, side.m);
    return {is_left ? edge.left : edge.right, is_left ? left : right};
  }

  // The edge of the other hull at the side's vertex that the rotating plane meets first, if that is at less than
  // `slope`, which it then replaces; else -1.
  LINCHPIN_INLINE int first_edge(const Side& side, double& slope) const {
    const Mat3<double>& R = pair_.X_AB.R;
    const Hull& other = side.of_a ? B_ : A_;
    const Vector &n = facet_.n, &m = side.m;
    int next = -1;
    // In the frame of the other hull.
    const Vector n_o = side.of_a ? -transpose_times(R, n) : n, m_o = side.of_a ? -transpose_times(R, m) : m;
    const Vector& here = other.vertices[side.vertex];
    const int first = other.first_about[side.vertex], last = other.first_about[side.vertex + 1];
    for (int i = first; i < last; ++i) {
      const int e = other.edges_about[i];
      const Hull::Edge& o = other.edges[e];
      const Vector r = other.vertices[o.from == side.vertex ? o.to : o.from] - here;
      const double out = dot(m_o, r), rise = dot(n_o, r);
      if (!(out > 0 && out * out > parallel * dot(r, r)) || !(rise < slope * out)) continue;
      slope = rise / out;
      next = e;
    }
    return next;
  }

  // Moves to the neighbouring facet at the side; false if it is not better.
  bool cross_over(const Side& side) {
    const Vector &n = facet_.n, &m = side.m;
    const auto [face, N] = face_beyond(side);
    const double fall = dot(N, m), cosine = -dot(N, n);
    double slope = cosine > 0 ? fall / cosine : infinity;
    const int next = first_edge(side, slope);
    if (!(slope < infinity)) return false;
    Facet beyond;
    if (next < 0) {
      beyond = side.of_a ? Facet{Kind::face_of_a, face, side.vertex, -N, 0}
                         : Facet{Kind::face_of_b, side.vertex, face, -N, 0};
    } else {
      const Hull& other = side.of_a ? B_ : A_;
      const Hull::Edge& o = other.edges[next];
      const Vector along = other.vertices[o.to] - other.vertices[o.from];
      const Vector square = unit(cross(side.e, side.of_a ? pair_.X_AB.R * along : along));
      const bool same = dot(square, n) - slope * dot(square, m) > 0;
      beyond = {Kind::edges, side.of_a ? side.edge : next, side.of_a ? next : side.edge, same ? square : -square, 0};
    }
    beyond.s = dot(beyond.n, side.p);
    if (!(beyond.s >= facet_.s - noise_)) return false;
    facet_ = beyond;
    moved_ = true;
    return true;
  }

  // (2)
  bool is_shortest() const {
    const Vector c = pair_.a.centre - pair_.X_AB * pair_.b.centre;
    const double depth = -facet_.s;
    return for_each_side([&](const Side& s) LINCHPIN_INLINE_LAMBDA {
      const Vector N = cross(s.e, c - s.p);
      const double offset = dot(N, s.m) > 0 ? dot(N, s.p) : -dot(N, s.p);
      return offset > 0 && offset * offset >= depth * depth * dot(N, N);
    });
  }

  // Sets `best` to the facet at which the walk ended.
  bool arrive(Direction& best) const {
    best.n = facet_.n;
    best.s = facet_.s;
    if (moved_) {
      best.s = dot(best.n, least_along(pair_, best.n).w);
      if (!(best.s >= facet_.s - noise_)) return false;  // a vertex is lower: the walk went wrong by rounding
    }
    if (facet_.kind == Kind::edges)
      set_edges(best);
    else
      set_face(best);
    best.miss = norm(fma(-best.s, best.n, best.a - best.b));
    return true;
  }
  // The points where two edges cross, seen along n.
  LINCHPIN_INLINE void set_edges(Direction& best) const {
    const Hull::Edge &f = A_.edges[facet_.a], &g = B_.edges[facet_.b];
    best.count = 2;
    best.piece_a[0] = f.from, best.piece_a[1] = f.to;
    best.piece_b[0] = g.from, best.piece_b[1] = g.to;
    const Vector from = vertex_a(f.from), e = vertex_a(f.to) - from;
    const Vector start = vertex_b(g.from), h = vertex_b(g.to) - start, w = from - start;
    const Vector across_e = cross(facet_.n, e), across_h = cross(facet_.n, h);
    best.a = fma(-dot(across_h, w) / dot(across_h, e), e, from);
    best.b = fma(dot(across_e, w) / dot(across_e, h), h, start);
  }
  // The vertex of one hull and its projection onto the face of the other.
  LINCHPIN_INLINE void set_face(Direction& best) const {
    const bool of_a = facet_.kind == Kind::face_of_a;
    const Hull& hull = of_a ? A_ : B_;
    const Hull::Face& face = hull.faces[of_a ? facet_.a : facet_.b];
    best.count = 3;  // three corners determine the face
    for (int i = 0; i < 3; ++i) {
      const int corner = hull.corners[face.first + i];
      best.piece_a[i] = of_a ? corner : facet_.a;
      best.piece_b[i] = of_a ? facet_.b : corner;
    }
    best.a = of_a ? fma(best.s, best.n, vertex_b(facet_.b)) : vertex_a(facet_.a);
    best.b = of_a ? vertex_b(facet_.b) : fma(-best.s, best.n, best.a);
  }

  const CorePair& pair_;
  const Hull &A_, &B_;
  double noise_;
  Facet facet_;
  bool moved_ = false;
};

}  // namespace

Walk facet_walk(const CorePair& pair, double far, Direction& best) { return FacetWalk(pair).run(far, best); }

}  // namespace linchpin

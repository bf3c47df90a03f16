#include "linchpin/geometry/convex/epa.h"

#include <algorithm>
#include <cstdint>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/polish.h"
#include "linchpin/geometry/pairs/tangents.h"

namespace linchpin {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_vertices = 128, most_faces = 2 * most_vertices;  // a polytope of V corners has 2 V - 4 faces
// A point this near to a line or plane through others, relative to the pair's size, adds no significant volume.
constexpr double flat = 1e-13;

constexpr double part_of_depth = 0.05;  // (2)
// Limits polish() calls: around an axis of symmetry any number of faces would be equally good.
constexpr int most_polished = 4;

// The side of a face: 4 * face + 0, 1 or 2.
using Side = std::int16_t;
constexpr Side side(int face, int edge) { return Side(4 * face + edge); }
LINCHPIN_INLINE int next(int edge) { return edge == 2 ? 0 : edge + 1; }

struct Face {
  Vec3<double> N;     // outward; zero if the face has no area
  double offset;      // N.w <= offset
  std::int16_t v[3];  // corners, counterclockwise seen from outside
  Side across[3];     // the same edge in the neighbouring face, for the edge from v[k] to v[k + 1]
  bool thin, removed;
};
// A copy of the face with the best direction -N, and s(-N). Faces are removed and replaced; vertices stay.
struct Found {
  Face face;
  double s = -infinity;
};

class Polytope {
 public:
  Polytope(const CorePair& pair, Direction& best) : pair_(pair), best_(best) {
    curved_ = !is_polytope(pair.a) || !is_polytope(pair.b);
    near_ = 0.01 * thickness_of_curved(pair);
  }

  // Sets the first four points, a tetrahedron with the origin in or on it. False if A - B has no volume.
  bool start(const Simplex& simplex) {
    count_ = 0;
    for (int i = 0; i < simplex.count; ++i) vertex_[count_++] = simplex.points[i];
    if (count_ < 4 && !complete()) return false;
    const Vec3<double> N = cross(vertex_[1].w - vertex_[0].w, vertex_[2].w - vertex_[0].w);
    if (dot(N, vertex_[3].w - vertex_[0].w) < 0) std::swap(vertex_[0], vertex_[1]);
    constexpr std::int16_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    constexpr Side across[4][3] = {{side(3, 0), side(2, 0), side(1, 0)},
                                   {side(0, 2), side(2, 2), side(3, 1)},
                                   {side(0, 1), side(3, 2), side(1, 1)},
                                   {side(0, 0), side(1, 2), side(2, 1)}};
    faces_ = 0;
    free_ = 0;
    for (int f = 0; f < 4; ++f) {
      make_face(corners[f][0], corners[f][1], corners[f][2]);
      std::copy(across[f], across[f] + 3, face_[f].across);
    }
    return true;
  }

  void expand() {
    if (curved_) try_axes();
    grow(curved_ ? 1 - part_of_depth : 1, most_polished);  // (2)
    if (!curved_) return offer_found();
    finish();
    // Newton's method stalled: the polytope is extended further, with more calls of polish().
    if (!(best_.miss > 1e-9 * pair_.size)) return;
    grow(1, 4 * most_polished);
    finish();
  }

 private:
  // Extends the polytope until the lower bound of (1) is at least `enough` times the best depth.
  void grow(double enough, int left_to_polish) {
    const double tolerance = 16 * eps * pair_.size, slack = curved_ ? 1e-9 * near_ : 0;
    while (count_ < most_vertices) {
      const int nearest = int(std::min_element(key_, key_ + faces_) - key_);
      const double most = std::max(best_.s, found_.s);
      if (!(key_[nearest] < -enough * most - slack - tolerance)) break;  // (1), (2)
      const Face& face = face_[nearest];
      Difference w = least_along(pair_, -face.N);
      const double h = dot(face.N, w.w), open = h - face.offset;
      if (-h > most) {
        found_ = {face, -h};
        if (curved_) offer_found();
      }
      if (!(open > tolerance)) break;  // (1)
      if (curved_ && open < near_ && !has_corner(face, polished_) && h < open / 4 - best_.s && left_to_polish-- > 0) {
        const double before = best_.s;
        const Difference corners[] = {vertex_[face.v[0]], vertex_[face.v[1]], vertex_[face.v[2]]};
        polish(pair_, -face.N, corners, 3, best_);
        // The lowest point along the best direction, if it is above the face: (1) is tight there.
        const Difference there = least_along(pair_, best_.n);
        if (best_.s > before && dot(face.N, there.w) - face.offset > open / 2) {
          w = there;
          polished_ = count_;
        }
      }
      if (known(face, w))
        key_[nearest] = infinity;
      else if (!take_in(nearest, w))
        break;
    }
  }

  // Refines the best direction once more if its points do not meet: it may still be the normal of a face.
  void finish() {
    if (!(best_.miss > 1e-13 * pair_.size)) return;
    Difference meeting[4];
    for (int i = 0; i < best_.count; ++i)
      meeting[i] = {Vec3<double>::zero(), Vec3<double>::zero(), best_.piece_a[i], best_.piece_b[i]};
    polish(pair_, best_.n, meeting, best_.count, best_);  // uses the pieces only, not the points
  }

  // Completes the simplex by points off its point, line or plane. Each direction tried is also offered as the best.
  bool complete() {
    const double least = flat * pair_.size;
    if (count_ == 1) {
      const Vec3<double> p = vertex_[0].w;
      for (const Vec3<double>& n : {Vec3<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
        if (add_if(n, [&](const Vec3<double>& w) { return norm(w - p) > least; })) break;
    }
    if (count_ == 2) {
      const Vec3<double> p = vertex_[0].w, e = vertex_[1].w - p;
      const double length = norm(e);
      Vec3<double> u, v;
      tangents((1 / length) * e, u, v);
      for (const Vec3<double>& n : {u, v})
        if (add_if(n, [&](const Vec3<double>& w) { return norm(cross(e, w - p)) > least * length; })) break;
    }
    if (count_ == 3) {
      const Vec3<double> p = vertex_[0].w, N = cross(vertex_[1].w - p, vertex_[2].w - p);
      const double length = norm(N);
      if (length > 0) {
        const Vec3<double> n = (1 / length) * N;
        add_if(n, [&](const Vec3<double>& w) { return std::abs(dot(n, w - p)) > least; });
      }
    }
    return count_ == 4;
  }
  // Tries n and -n; adds the first lowest point that is accepted.
  template <class Accept>
  bool add_if(const Vec3<double>& n, const Accept& accept) {
    const int before = count_;
    for (const Vec3<double>& d : {n, -n}) {
      const Difference w = least_along(pair_, d);
      const double s = dot(d, w.w), one = 1;
      offer(pair_, direction_of(d, s, &w, &one, 1), best_);
      if (count_ == before && accept(w.w)) vertex_[count_++] = w;
    }
    return count_ > before;
  }

  // s has a kink along the axis of a cap, which the normals of faces only approximate.
  void try_axes() {
    for (const double sign : {1.0, -1.0}) {
      if (has_disc(pair_.a)) offer(pair_, direction_of_cap(pair_, {0, 0, sign}, true), best_);
      if (has_disc(pair_.b)) offer(pair_, direction_of_cap(pair_, sign * pair_.X_AB.R.z, false), best_);
    }
  }

  int make_face(int i, int j, int k) {
    const int f = free_ > 0 ? free_list_[--free_] : faces_++;
    Face& face = face_[f];
    const Vec3<double>&a = vertex_[i].w, &b = vertex_[j].w, &c = vertex_[k].w;
    const Vec3<double> e = b - a, g = c - a, N = cross(e, g);
    const double NN = dot(N, N), reach = std::max(dot(e, e), dot(g, g));
    face.v[0] = std::int16_t(i);
    face.v[1] = std::int16_t(j);
    face.v[2] = std::int16_t(k);
    face.removed = false;
    face.thin = !(NN > flat * flat * pair_.size * pair_.size * reach);
    face.N = face.thin ? Vec3<double>::zero() : (1 / std::sqrt(NN)) * N;
    face.offset = dot(face.N, a);
    key_[f] = face.thin ? infinity : face.offset;  // no direction to search along
    return f;
  }

  bool known(const Face& face, const Difference& w) const {
    for (const int v : face.v) {
      const Vec3<double> d = vertex_[v].w - w.w;
      if (d.x == 0 && d.y == 0 && d.z == 0) return true;
    }
    return false;
  }

  static bool has_corner(const Face& face, int vertex) {
    return face.v[0] == vertex || face.v[1] == vertex || face.v[2] == vertex;
  }

  // Offers the direction of found_. For curved cores this is done at once, for polytopes at the end.
  void offer_found() {
    if (!(found_.s > best_.s)) return;
    const Face& face = found_.face;
    // Barycentric coordinates of the origin's foot in the face's plane, clamped to the face.
    const Difference points[] = {vertex_[face.v[0]], vertex_[face.v[1]], vertex_[face.v[2]]};
    const Vec3<double>&a = points[0].w, &b = points[1].w, &c = points[2].w;
    double weights[] = {std::max(0.0, dot(face.N, cross(b, c))), std::max(0.0, dot(face.N, cross(c, a))),
                        std::max(0.0, dot(face.N, cross(a, b)))};
    const double sum = weights[0] + weights[1] + weights[2];
    for (double& weight : weights) weight = sum > 0 ? weight / sum : 1.0 / 3;
    offer(pair_, direction_of(-face.N, found_.s, points, weights, 3), best_);
  }

  void remove(int f) {
    face_[f].removed = true;
    key_[f] = infinity;
    free_list_[free_++] = std::int16_t(f);
  }

  // Removes the faces that w is above, from `first` on, and sets their outline. Returns its length, or 0 if rounding
  // has spoilt it.
  int remove_faces_below(const Difference& w, int first, Side* outline) {
    const double level = 4 * eps * pair_.size;
    Side waiting[most_faces];
    int waits = 0, length = 0;
    remove(first);
    for (int edge = 2; edge >= 0; --edge) waiting[waits++] = face_[first].across[edge];
    while (waits > 0) {
      const Side s = waiting[--waits];
      const int f = s / 4, edge = s % 4;
      const Face& face = face_[f];
      if (face.removed) continue;
      if (face.thin || dot(face.N, w.w) - face.offset > level) {
        remove(f);
        waiting[waits++] = face.across[next(next(edge))];
        waiting[waits++] = face.across[next(edge)];
      } else {
        outline[length++] = s;
      }
      if (waits + 2 > most_faces || length >= most_faces) return 0;
    }
    // The outline must be one closed line: seen from outside, each side begins where the next one ends.
    if (length < 3 || faces_ - free_ + length > most_faces) return 0;
    for (int i = 0; i < length; ++i) {
      const Side s = outline[i], t = outline[i + 1 == length ? 0 : i + 1];
      if (face_[s / 4].v[s % 4] != face_[t / 4].v[next(t % 4)]) return 0;
    }
    return length;
  }

  // Replaces the faces that w is above by triangles from w to their outline. False if there is no valid outline.
  bool take_in(int first, const Difference& w) {
    Side outline[most_faces];
    const int length = remove_faces_below(w, first, outline);
    if (length == 0) return false;
    put(w, vertex_[count_]);
    int made[most_faces];
    for (int i = 0; i < length; ++i) {
      const Face& beyond = face_[outline[i] / 4];
      const int edge = outline[i] % 4;
      made[i] = make_face(beyond.v[next(edge)], beyond.v[edge], count_);
    }
    for (int i = 0; i < length; ++i) {
      const Side s = outline[i];
      Face& face = face_[made[i]];
      face.across[0] = s;
      face_[s / 4].across[s % 4] = side(made[i], 0);
      face.across[1] = side(made[i + 1 == length ? 0 : i + 1], 2);
      face.across[2] = side(made[i == 0 ? length - 1 : i - 1], 1);
    }
    ++count_;
    return true;
  }

  const CorePair& pair_;
  Direction& best_;
  bool curved_;
  double near_;  // polish() is called for a face if the surface is nearer to it than this
  int count_, faces_, free_;
  Found found_;
  int polished_ = -1;  // index of the lowest vertex along a direction found by polish(), if there is one
  Difference vertex_[most_vertices];
  double key_[most_faces];  // offset, or infinity for faces that are not to be expanded
  Face face_[most_faces];
  std::int16_t free_list_[most_faces];
};

}  // namespace

void epa(const CorePair& pair, const Simplex& simplex, Direction& best) {
  Polytope polytope(pair, best);
  if (polytope.start(simplex)) polytope.expand();
}

}  // namespace linchpin

#include "linchpin/geometry/convex/guess.h"

#include <algorithm>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/convex/polish.h"
#include "linchpin/geometry/pairs/tangents.h"

namespace linchpin {

namespace {

using Vector = Vec3<double>;

constexpr int most_looks = 2;           // the face under the other's centre, and that under its lowest point
constexpr double nothing = 1e-13;       // lengths that count as 0, relative to the pair's size
constexpr double part_of_depth = 0.05;  // (2)

// The angle of the ring of (1) and (2) about n. In a wider ring the triangles (2) are inclined too much; in a narrower
// one the flanks (1) are too near to the origin.
constexpr double ring_sine = 0.29552020666133955, ring_cosine = 0.955336489125606;  // of 0.3 rad
constexpr int ring_size = 6;
constexpr double ring_x[ring_size] = {1, 0.5, -0.5, -1, -0.5, 0.5};
constexpr double h = 0.8660254037844386;
constexpr double ring_y[ring_size] = {0, h, h, 0, -h, -h};

LINCHPIN_INLINE Vector unit(const Vector& v) { return (1 / norm(v)) * v; }
LINCHPIN_INLINE double length_of(double x, double y) { return std::sqrt(fma(x, x, y * y)); }

// The face or side of a core that a point x in its frame is over: the outward normal, and whether x projects onto it.
struct Facing {
  Vector normal;
  bool over;
};

Facing face_of_box(const Vector& half, const Vector& x) {
  const double in_x = std::abs(x.x) - half.x, in_y = std::abs(x.y) - half.y, in_z = std::abs(x.z) - half.z;
  if (in_x >= in_y && in_x >= in_z) return {{x.x < 0 ? -1.0 : 1.0, 0, 0}, in_y <= 0 && in_z <= 0};
  if (in_y >= in_z) return {{0, x.y < 0 ? -1.0 : 1.0, 0}, in_x <= 0 && in_z <= 0};
  return {{0, 0, x.z < 0 ? -1.0 : 1.0}, in_x <= 0 && in_y <= 0};
}

Facing face_of_cylinder(const Core& c, const Vector& x) {
  const double rho = length_of(x.x, x.y), beside = rho - c.size.x, above = std::abs(x.z) - c.size.z;
  if (above >= beside || !(rho > 0)) return {{0, 0, x.z < 0 ? -1.0 : 1.0}, beside <= 0};
  return {{x.x / rho, x.y / rho, 0}, above <= 0};
}

Facing face_of_cone(const Core& c, const Vector& x) {
  const double r = c.size.x, l = c.size.z, rho = length_of(x.x, x.y), slant = length_of(r, 2 * l);
  const double below = -l - x.z, beside = (2 * l * rho + r * (x.z - l)) / slant;
  if (below >= beside || !(rho > 0)) return {{0, 0, -1}, rho <= r};
  const double along = (r * rho + 2 * l * (l - x.z)) / slant;  // from the apex down the side
  const double across = 2 * l / slant / rho;
  return {{across * x.x, across * x.y, r / slant}, along >= 0 && along <= slant};
}

Facing face_of_hull(const Hull& hull, const Vector& x) {
  const Hull::Face& face = hull.faces[nearest_face_inlined(hull, x)];
  const int* const corners = &hull.corners[face.first];
  bool over = true;
  Vector from = hull.vertices[corners[face.count - 1]];
  for (int i = 0; i < face.count && over; ++i) {
    const Vector to = hull.vertices[corners[i]];
    over = dot(face.normal, cross(to - from, x - from)) >= 0;
    from = to;
  }
  return {face.normal, over};
}

Facing face_of_triangle(const Vector* c, const Vector& x) {
  const Vector N = cross(c[1] - c[0], c[2] - c[0]);
  const bool front = dot(N, x - c[0]) >= 0;
  bool over = true;
  for (int i = 0; i < 3; ++i) over = over && dot(N, cross(c[(i + 1) % 3] - c[i], x - c[i])) >= 0;
  return {(front ? 1 : -1) / norm(N) * N, over};
}

Facing face_towards(const Core& c, const Vector& x) {
  switch (c.kind) {
    case Core::Kind::box:
      return face_of_box(c.size, x);
    case Core::Kind::cylinder:
      return face_of_cylinder(c, x);
    case Core::Kind::cone:
      return face_of_cone(c, x);
    case Core::Kind::hull:
      return face_of_hull(*c.hull, x);
    case Core::Kind::triangle:
      return face_of_triangle(c.corners, x);
    case Core::Kind::ellipsoid: {
      const Vector &D = c.size, g{x.x / (D.x * D.x), x.y / (D.y * D.y), x.z / (D.z * D.z)};
      return {unit(g), false};  // the exact foot would need Newton's method
    }
    default: {  // a point or a segment
      const double end = c.size.z, z = x.z < -end ? -end : x.z > end ? end : x.z;
      return {unit({x.x, x.y, x.z - z}), true};
    }
  }
}

// Lines on the surface of a core that are perpendicular to n if they meet the other core: edges of a box, side lines.
int lines_of(const Core& c) {
  return c.kind == Core::Kind::box ? 3 : c.kind == Core::Kind::cylinder || c.kind == Core::Kind::segment ? 1 : 0;
}
LINCHPIN_INLINE double half_length(const Core& c, int line) {
  return line == 0 ? (c.kind == Core::Kind::box ? c.size.x : c.size.z) : line == 1 ? c.size.y : c.size.z;
}
LINCHPIN_INLINE double along_line(const Core& c, int line, const Vector& x) {
  return c.kind != Core::Kind::box ? x.z : line == 0 ? x.x : line == 1 ? x.y : x.z;
}
LINCHPIN_INLINE Vector line_of(const Core& c, int line) {
  if (c.kind != Core::Kind::box) return {0, 0, 1};
  return {line == 0 ? 1.0 : 0.0, line == 1 ? 1.0 : 0.0, line == 2 ? 1.0 : 0.0};
}

class Guesser {
 public:
  Guesser(const CorePair& pair, double far, Direction& best) : pair_(pair), far_(far), best_(best) {}

  Guess run() {
    const Vector n_a = look<true>();
    if (best_.s > far_) return Guess::far;
    if (is_proved()) return Guess::proved;
    const Vector n_b = look<false>();
    if (!meets()) try_lines();
    if (best_.s > far_) return Guess::far;
    if (!(best_.s > -infinity)) return Guess::open;  // the centres coincide
    if (!meets()) {
      // Faces that are almost parallel meet where their outlines cross, with n between the normals.
      const double lean = norm(n_a - n_b);
      go_on_from(lean > 1e-14 && lean < 0.1 ? between_faces(n_a, n_b) : best_.n);
    }
    if (best_.s > far_) return Guess::far;
    return is_proved() ? Guess::proved : Guess::open;
  }

 private:
  LINCHPIN_INLINE void consider(const Vector& n, const Difference& w, bool over, bool of_a) {
    const double one = 1;
    Direction d = direction_of(n, dot(n, w.w), &w, &one, 1);
    if (over) {
      if (of_a)
        d.a = fma(d.s, n, d.b);
      else
        d.b = fma(-d.s, n, d.a);
      d.miss = 0;
    }
    offer(pair_, d, best_);
  }

  void go_on_from(const Vector& n) {
    const Difference w = least_along(pair_, n);
    climb(pair_, n, &w, 1, best_);
  }

  // Tries the normal of the face below the other core's centre, then that of the face below the other core's lowest
  // point along the first normal. Returns the better direction.
  template <bool from_a>
  Vector look() {
    const Transform<double>& X = pair_.X_AB;
    const auto into_b = [&](const Vector& x) { return transpose_times(X.R, x - X.p); };
    Vector x = from_a ? X * pair_.b.centre : into_b(pair_.a.centre);
    Vector found = Vector::zero();
    double highest = -infinity;
    for (int look = 1;; ++look) {
      const Facing face = face_towards(from_a ? pair_.a : pair_.b, x);
      const Vector n = from_a ? -face.normal : X.R * face.normal;
      const Difference w = least_along(pair_, n);
      const Vector lowest = from_a ? w.a - w.w : into_b(w.a), moved = lowest - x;
      const bool same = dot(moved, moved) <= nothing * nothing * pair_.size * pair_.size;
      consider(n, w, same && face.over, from_a);
      if (dot(n, w.w) > highest) {
        highest = dot(n, w.w);
        found = n;
      }
      if (same || best_.s > far_ || look == most_looks) return found;
      x = lowest;
    }
  }

  // Tries the common perpendiculars of a line of each core. The points meet if the lines cross within both segments.
  void try_lines() {
    const Transform<double>& X = pair_.X_AB;
    const Vector between = pair_.a.centre - X * pair_.b.centre;
    for (int i = 0; i < lines_of(pair_.a); ++i)
      for (int j = 0; j < lines_of(pair_.b); ++j) {
        const Vector e = line_of(pair_.a, i), f = X.R * line_of(pair_.b, j), N = cross(e, f);
        const double NN = dot(N, N);
        if (!(NN > 1e-8)) continue;  // (almost) parallel: face normals are better guesses
        const Vector n = (dot(N, between) < 0 ? -1 : 1) / std::sqrt(NN) * N;
        const Difference w = least_along(pair_, n);
        const Vector b = w.a - w.w, b_b = transpose_times(X.R, b - X.p);
        // a + t e and b + u f, one above the other.
        const double t = -dot(cross(f, N), w.w) / NN, u = -dot(cross(e, N), w.w) / NN;
        const double at = along_line(pair_.a, i, w.a) + t, bt = along_line(pair_.b, j, b_b) + u;
        const double s = dot(n, w.w), one = 1;
        Direction d = direction_of(n, s, &w, &one, 1);
        if (std::abs(at) <= half_length(pair_.a, i) && std::abs(bt) <= half_length(pair_.b, j)) {
          d.a = fma(t, e, w.a);
          d.b = fma(u, f, b);
          d.miss = norm(fma(-s, n, d.a - d.b));
        }
        offer(pair_, d, best_);
      }
  }

  // n for faces with almost the same normal. For two caps, with n near their axes and d from centre to centre, all
  // projected perpendicular to n,
  //     s(n) = n.(c_A - c_B) - r_A |n - n_A| - r_B |n - n_B|                     (3)
  // is largest where d = r_A u + r_B v, with u and v the unit vectors from n_A and n_B to n: a triangle of known sides.
  Vector between_faces(const Vector& n_a, const Vector& n_b) const {
    const Vector middle = unit(n_a + n_b);
    if (!has_disc(pair_.a) || !has_disc(pair_.b)) return middle;
    Vector x, y;
    tangents(middle, x, y);
    const Vector centres = -pair_.X_AB.p, q = n_b - n_a;
    const double dx = dot(x, centres), dy = dot(y, centres), dd = fma(dx, dx, dy * dy), d = std::sqrt(dd);
    const double r = pair_.a.size.x, t = pair_.b.size.x;
    const double along = (dd + r * r - t * t) / (2 * d), across = std::sqrt(r * r - along * along);  // of r_A u
    if (!(across > 0)) return middle;  // the rims do not cross
    const double qx = dot(x, q), qy = dot(y, q);
    for (const double side : {1.0, -1.0}) {
      const double ux = (along * dx - side * across * dy) / d, uy = (along * dy + side * across * dx) / d;
      const double vx = dx - ux, vy = dy - uy, area = ux * vy - uy * vx;
      const double to_a = (qx * vy - qy * vx) / area, to_b = (qx * uy - qy * ux) / area;
      if (to_a > 0 && to_b > 0) return unit(n_a + (to_a * ux) * x + (to_a * uy) * y);
    }
    return middle;
  }

  bool meets() const { return best_.miss <= nothing * pair_.size; }
  bool is_proved() const { return meets() && (best_.s > 0 || is_shortest()); }

  // (1) and (2). Two points of the ring that are close to each other may span a steep triangle. Then the higher one is
  // left out, as long as at least three remain.
  bool is_shortest() const {
    const Vector& n = best_.n;
    Vector u, v, p[ring_size];
    tangents(n, u, v);
    for (int k = 0; k < ring_size; ++k)
      p[k] = least_along(pair_, ring_cosine * n + ring_sine * (ring_x[k] * u + ring_y[k] * v)).w;
    int count = ring_size;
    const Vector c = pair_.a.centre - pair_.X_AB * pair_.b.centre;
    for (int k = 0; k < count;) {
      const int next = k + 1 == count ? 0 : k + 1;
      if (closes(c, p[k], p[next])) {
        ++k;
        continue;
      }
      const int leave = dot(n, p[k]) > dot(n, p[next]) ? k : next;
      if (--count < 3) return false;
      std::copy(p + leave + 1, p + count + 1, p + leave);
      k = leave > 0 ? leave - 1 : 0;
      if (leave == 0 || leave == count) k = 0;  // the first or the last triangle has changed
    }
    return true;
  }
  LINCHPIN_INLINE bool closes(const Vector& c, const Vector& x, const Vector& y) const {
    const double depth = -best_.s, less = (1 - part_of_depth) * depth;
    const Vector w = best_.s * best_.n, top = cross(y - w, x - w), flank = cross(x - c, y - c);
    const double above = dot(top, w), beside = dot(flank, c);
    return beside > 0 && beside * beside >= depth * depth * dot(flank, flank) &&  // (1)
           above > 0 && above * above >= less * less * dot(top, top);             // (2)
  }

  const CorePair& pair_;
  double far_;
  Direction& best_;
};

}  // namespace

Guess guess(const CorePair& pair, double far, Direction& best) { return Guesser(pair, far, best).run(); }

}  // namespace linchpin

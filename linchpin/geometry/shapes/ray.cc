#include "linchpin/geometry/shapes/ray.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {
namespace {

bool is_finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
double square(double x) { return x * x; }
Vec3<double> unit(const Vec3<double>& v) { return (1 / norm(v)) * v; }

// The interval of t in which the line o + t u, |u| = 1, is in a convex set, and the normal at its beginning.
struct Interval {
  double in = -infinity, out = infinity;
  Vec3<double> normal = Vec3<double>::zero();

  static Interval none() { return {infinity, -infinity, Vec3<double>::zero()}; }
  bool empty() const { return !(in <= out); }
};

struct Line {
  Vec3<double> o, u;
  Vec3<double> at(double t) const { return fma(t, u, o); }
};

Interval intersect(const Interval& a, const Interval& b) {
  return {std::max(a.in, b.in), std::min(a.out, b.out), b.in > a.in ? b.normal : a.normal};
}
// For two sets whose union is convex.
Interval unite(const Interval& a, const Interval& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.in, b.in), std::max(a.out, b.out), b.in < a.in ? b.normal : a.normal};
}

// n.x <= c
Interval below_plane(const Line& line, const Vec3<double>& n, double c) {
  const double height = dot(n, line.o) - c, rate = dot(n, line.u);
  if (rate == 0) return height <= 0 ? Interval() : Interval::none();
  const double t = -height / rate;  // (1)
  return rate < 0 ? Interval{t, infinity, n} : Interval{-infinity, t, n};
}

// |axis.x| <= half
Interval slab(const Line& line, const Vec3<double>& axis, double half) {
  return intersect(below_plane(line, axis, half), below_plane(line, -axis, half));
}

// |o + t u| <= radius for a u of any length. With t0 the t of the point nearest to the centre, (2) has no linear term
// in t - t0: u.u (t - t0)^2 = radius^2 - |o + t0 u|^2.
Interval in_ball(const Vec3<double>& o, const Vec3<double>& u, double radius) {
  const double uu = dot(u, u);
  if (!(uu > 0)) return dot(o, o) <= square(radius) ? Interval() : Interval::none();
  const double t0 = -dot(o, u) / uu;
  const Vec3<double> nearest = fma(t0, u, o);
  const double rest = square(radius) - dot(nearest, nearest);
  if (!(rest >= 0)) return Interval::none();
  const double half = std::sqrt(rest / uu);
  return {t0 - half, t0 + half, Vec3<double>::zero()};
}

Interval meet(const Line& line, const Sphere& s) {
  Interval i = in_ball(line.o, line.u, s.radius);
  if (!i.empty()) i.normal = unit(line.at(i.in));
  return i;
}

// Within `radius` of the z axis.
Interval in_tube(const Line& line, double radius) {
  Interval i = in_ball({line.o.x, line.o.y, 0}, {line.u.x, line.u.y, 0}, radius);
  if (i.empty() || i.in == -infinity) return i;
  const Vec3<double> p = line.at(i.in);
  i.normal = unit({p.x, p.y, 0});
  return i;
}

Interval meet(const Line& line, const Cylinder& c) {
  return intersect(slab(line, {0, 0, 1}, c.half_length), in_tube(line, c.radius));
}

Interval meet(const Line& line, const Capsule& c) {
  const Vec3<double> end{0, 0, c.half_length};
  return unite(meet(line, Cylinder{c.radius, c.half_length}),
               unite(meet({line.o - end, line.u}, Sphere{c.radius}), meet({line.o + end, line.u}, Sphere{c.radius})));
}

Interval meet(const Line& line, const Box& b) {
  return intersect(slab(line, {1, 0, 0}, b.half.x),
                   intersect(slab(line, {0, 1, 0}, b.half.y), slab(line, {0, 0, 1}, b.half.z)));
}

Interval meet(const Line& line, const Ellipsoid& e) {
  const auto scaled = [&](const Vec3<double>& v) {
    return Vec3<double>{v.x / e.radii.x, v.y / e.radii.y, v.z / e.radii.z};
  };
  Interval i = in_ball(scaled(line.o), scaled(line.u), 1);
  if (!i.empty()) i.normal = unit(scaled(scaled(line.at(i.in))));
  return i;
}

// With the depth s = half_length - z below the apex and k = radius/(2 half_length), a cone is x^2 + y^2 <= (k s)^2 for
// 0 <= s. Along the line that is A t^2 + 2 B t + C <= 0, which also holds in the cone's mirror image above the apex.
Interval below_apex(const Line& line, const Cone& c) {
  const double k = c.radius / (2 * c.half_length), s0 = c.half_length - line.o.z;
  const Vec3<double>&o = line.o, &u = line.u;
  const double A = square(u.x) + square(u.y) - square(k * u.z), B = o.x * u.x + o.y * u.y + k * k * s0 * u.z,
               C = square(o.x) + square(o.y) - square(k * s0);
  const double discriminant = B * B - A * C;
  if (A > 0 && !(discriminant >= 0)) return Interval::none();
  // The roots are q/A and C/q; the sum in q has no cancellation.
  const double root = std::sqrt(std::max(discriminant, 0.0)), q = B > 0 ? -(B + root) : root - B;
  const double one = A != 0 ? q / A : q > 0 ? -infinity : infinity, other = q != 0 ? C / q : 0;
  const double first = std::min(one, other), last = std::max(one, other);
  Interval i;
  if (A > 0) {  // flatter than the side: the whole interval is in one of the two cones
    if (s0 - u.z * (first / 2 + last / 2) < 0) return Interval::none();
    i = {first, last, {}};
  } else if (u.z < 0) {  // downwards: in the mirror image until `first`, in the cone from `last` on
    i = {last, infinity, {}};
  } else {
    i = {-infinity, first, {}};
  }
  if (!std::isfinite(i.in)) return i;
  const Vec3<double> p = line.at(i.in), gradient{p.x, p.y, k * k * (c.half_length - p.z)};
  i.normal = dot(gradient, gradient) > 0 ? unit(gradient) : Vec3<double>{0, 0, 1};
  return i;
}

Interval meet(const Line& line, const Cone& c) {
  return intersect(slab(line, {0, 0, 1}, c.half_length), below_apex(line, c));
}

Interval meet(const Line& line, const HalfSpace&) { return below_plane(line, {0, 0, 1}, 0); }

// A polygon: the point where the line meets its plane must be inside of the planes through its edges.
Interval meet_flat(const Line& line, const Hull& hull) {
  const Hull::Face& face = hull.faces[0];
  const Vec3<double>& n = face.normal;
  Interval sides;
  for (int i = 0; i < face.count; ++i) {
    const auto corner = [&](int k) { return hull.vertices[hull.corners[face.first + k]]; };
    const Vec3<double> from = corner(i), across = unit(cross(corner((i + 1) % face.count) - from, n));
    sides = intersect(sides, below_plane(line, across, dot(across, from)));
  }
  const double height = dot(n, line.o) - face.offset, rate = dot(n, line.u);
  if (rate == 0) return height == 0 ? sides : Interval::none();
  const double t = -height / rate;
  if (!(sides.in <= t && t <= sides.out)) return Interval::none();
  return {t, t, rate < 0 ? n : -n};
}

Interval meet(const Line& line, const ConvexHull& h) {
  if (h.hull->flat) return meet_flat(line, *h.hull);
  Interval i;
  for (const Hull::Face& face : h.hull->faces) i = intersect(i, below_plane(line, face.normal, face.offset));
  return i;
}

// The ray in the shape's frame, from o along the unit vector u.
struct LocalRay {
  Vec3<double> o, u;
  double length, limit;  // m: length of the given direction, the unit of t; limit of t
};

struct Cast {
  const LocalRay& ray;

  template <class Convex>
  std::optional<RayHit> operator()(const Convex& shape) const {
    const double t0 = -dot(ray.o, ray.u);
    const Interval i = meet({fma(t0, ray.u, ray.o), ray.u}, shape);
    if (i.empty() || !(t0 + i.out >= 0)) return std::nullopt;
    if (!(t0 + i.in >= 0)) return hit(0, -ray.u);
    return hit(t0 + i.in, i.normal);
  }
  std::optional<RayHit> operator()(const Mesh& mesh) const;
  std::optional<RayHit> operator()(const HeightField& field) const;
  std::optional<RayHit> operator()(const Compound& compound) const;

  std::optional<RayHit> triangle(const std::array<Vec3<double>, 3>& corners, int number) const;
  std::optional<RayHit> hit(double distance, const Vec3<double>& normal) const {
    const double t = distance / ray.length;
    if (!(t <= ray.limit)) return std::nullopt;
    return RayHit{t, normal, 0};
  }
};

// A triangle, hit from either side. The three volumes of (u, edge) have the same sign if the ray passes inside. The
// volumes of an edge shared by two triangles are equal up to the sign, so that no ray passes between them.
std::optional<RayHit> Cast::triangle(const std::array<Vec3<double>, 3>& corners, int number) const {
  const Vec3<double> p = corners[0] - ray.o, q = corners[1] - ray.o, r = corners[2] - ray.o;
  const double a = dot(ray.u, cross(p, q)), b = dot(ray.u, cross(q, r)), c = dot(ray.u, cross(r, p));
  if (!((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0))) return std::nullopt;
  const Vec3<double> n = unit(cross(q - p, r - p));
  const double rate = dot(n, ray.u), distance = dot(n, p) / rate;
  if (!(distance >= 0)) return std::nullopt;  // behind, or along the plane
  std::optional<RayHit> found = hit(distance, rate < 0 ? n : -n);
  if (found) found->piece = std::uint32_t(number);
  return found;
}

std::optional<RayHit> Cast::operator()(const Mesh& mesh) const {
  std::optional<RayHit> first;
  mesh.mesh->bvh.along({ray.o, ray.u, ray.limit * ray.length}, [&](std::uint32_t t, double limit) {
    const std::optional<RayHit> one = triangle(mesh.mesh->corners(int(t)), int(t));
    if (!one || (first && !(one->t < first->t || (one->t == first->t && t < first->piece)))) return limit;
    first = one;
    return one->t * ray.length;
  });
  return first;
}

// Visits the cells along the projection of the ray onto the grid.
std::optional<RayHit> Cast::operator()(const HeightField& field) const {
  const HeightGrid& grid = *field.grid;
  const Interval within = meet({ray.o - centre(grid.box), ray.u}, Box{0.5 * (grid.box.upper - grid.box.lower)});
  if (within.empty() || !(within.out >= 0)) return std::nullopt;
  const Vec3<double> start = fma(std::max(within.in, 0.0), ray.u, ray.o);
  const auto cell_at = [](double x, int count) { return int(std::clamp(std::floor(x), 0.0, count - 1.0)); };
  int i = cell_at((start.x - grid.x_of(0)) / grid.spacing_x, grid.cell_columns()),
      j = cell_at((start.y - grid.y_of(0)) / grid.spacing_y, grid.cell_rows());
  const int step_i = ray.u.x > 0 ? 1 : -1, step_j = ray.u.y > 0 ? 1 : -1;
  while (i >= 0 && i < grid.cell_columns() && j >= 0 && j < grid.cell_rows()) {
    const int lower = 2 * (j * grid.cell_columns() + i);
    const std::optional<RayHit> one = triangle(grid.corners(lower), lower),
                                other = triangle(grid.corners(lower + 1), lower + 1);
    if (one && (!other || one->t <= other->t)) return one;
    if (other) return other;
    const double next_i = ray.u.x == 0 ? infinity : (grid.x_of(i + (step_i > 0)) - ray.o.x) / ray.u.x,
                 next_j = ray.u.y == 0 ? infinity : (grid.y_of(j + (step_j > 0)) - ray.o.y) / ray.u.y;
    if (std::min(next_i, next_j) > within.out) break;
    (next_i <= next_j ? i : j) += next_i <= next_j ? step_i : step_j;
  }
  return std::nullopt;
}

// The ray in a frame whose pose in the ray's frame is X.
LocalRay seen_from(const Transform<double>& X, const LocalRay& ray) {
  return {transpose_times(X.R, ray.o - X.p), transpose_times(X.R, ray.u), ray.length, ray.limit};
}

std::optional<RayHit> cast_local(const LocalRay& ray, const Shape& shape) {
  if (!is_finite(ray.o) || !is_finite(ray.u)) return std::nullopt;
  return std::visit(Cast{ray}, shape);
}

std::optional<RayHit> Cast::operator()(const Compound& compound) const {
  std::optional<RayHit> first;
  for (std::size_t i = 0; i < compound.parts->size(); ++i) {
    const PlacedShape& part = (*compound.parts)[i];
    std::optional<RayHit> one = cast_local(seen_from(part.X_SP, ray), part.shape);
    if (!one || (first && !(one->t < first->t))) continue;
    first = RayHit{one->t, part.X_SP.R * one->normal, std::uint32_t(i)};
  }
  return first;
}

}  // namespace

std::optional<RayHit> cast(const Ray& ray, const Shape& shape, const Transform<double>& X_WS) {
  // The direction is scaled first, so that its square neither overflows nor underflows.
  const Vec3<double>& d = ray.direction;
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  if (!(largest > 0) || !is_finite(d) || !(ray.limit >= 0)) return std::nullopt;
  const Vec3<double> even{d.x / largest, d.y / largest, d.z / largest};
  const LocalRay world{ray.origin, unit(even), largest * norm(even), ray.limit};
  std::optional<RayHit> hit = cast_local(seen_from(X_WS, world), shape);
  if (hit) hit->normal = X_WS.R * hit->normal;
  return hit;
}

}  // namespace linchpin

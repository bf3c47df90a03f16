// For tests: an independent check of manifolds that shares no code with the queries.
//
// Support functions and point tests of every convex shape are implemented here a second time, as simply as possible.
// They serve to check the conditions on a manifold (manifold.h):
//     the normal is a unit vector and distance = s(n), so that it is a true lower bound;                          (a)
//     distance <= gap_i <= margin, with equality on the left for one point;                                       (b)
//     the two ends of each point lie in A and in B;                                                               (c)
//     no direction has a larger s. While apart, (a) and (c) prove that: s(n) <= d <= |a - b|. In penetration,
//     directions are tried: for two polytopes every face normal and every cross product of edges, which is exact,
//     and for curved shapes many directions, followed by an ascent from the best.                                 (d)
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/manifold.h"
#include "linchpin/geometry/shapes/shape.h"
#include "linchpin/spatial/testing.h"

namespace linchpin::geometry_testing {

using Vector = Vec3<double>;
using Pose = Transform<double>;

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

inline Vector unit(const Vector& v) { return (1 / norm(v)) * v; }

inline std::vector<Vector> corners(const Box& b) {
  std::vector<Vector> out;
  for (int k = 0; k < 8; ++k)
    out.push_back({k & 1 ? b.half.x : -b.half.x, k & 2 ? b.half.y : -b.half.y, k & 4 ? b.half.z : -b.half.z});
  return out;
}
inline Vector farthest(const std::vector<Vector>& points, const Vector& d) {
  return *std::max_element(points.begin(), points.end(),
                           [&](const Vector& p, const Vector& q) { return dot(p, d) < dot(q, d); });
}

// The point of a convex shape farthest along d, in the shape's frame.
inline Vector support_point(const Shape& shape, const Vector& d) {
  const double across = std::hypot(d.x, d.y);
  const auto rim = [&](double r, double z) {
    return across > 0 ? Vector{r * d.x / across, r * d.y / across, z} : Vector{r, 0, z};
  };
  return std::visit(
      Overload{[&](const Sphere& s) { return s.radius * unit(d); },
               [&](const Capsule& c) {
                 return c.radius * unit(d) + Vector{0, 0, d.z >= 0 ? c.half_length : -c.half_length};
               },
               [&](const Box& b) { return farthest(corners(b), d); },
               [&](const Cylinder& c) { return rim(c.radius, d.z >= 0 ? c.half_length : -c.half_length); },
               [&](const Ellipsoid& e) {
                 const Vector s{e.radii.x * d.x, e.radii.y * d.y, e.radii.z * d.z};
                 const Vector u = unit(s);
                 return Vector{e.radii.x * u.x, e.radii.y * u.y, e.radii.z * u.z};
               },
               [&](const Cone& c) {
                 const Vector base = rim(c.radius, -c.half_length), apex{0, 0, c.half_length};
                 return dot(base, d) > dot(apex, d) ? base : apex;
               },
               [&](const HalfSpace&) {
                 if (d.x == 0 && d.y == 0 && d.z > 0) return Vector{0, 0, 0};
                 const double far = std::numeric_limits<double>::infinity();
                 return Vector{far, far, far};  // support_value() treats half-spaces by itself
               },
               [&](const ConvexHull& h) { return farthest(h.hull->vertices, d); },
               [&](const auto&) {
                 ADD_FAILURE() << "no convex shape";
                 return Vector{0, 0, 0};
               }},
      shape);
}
// max { d.x : x in the shape }, with d in W.
inline double support_value(const Shape& shape, const Pose& X, const Vector& d) {
  const Vector local = transpose_times(X.R, d);
  if (std::holds_alternative<HalfSpace>(shape)) {
    // Infinite, unless d is the normal up to rounding.
    const bool along = std::hypot(local.x, local.y) <= 1e-14 && local.z > 0;
    return along ? dot(d, X.p) : std::numeric_limits<double>::infinity();
  }
  return dot(d, X.p) + dot(local, support_point(shape, local));
}

// s(n) of manifold.h (1).
inline double separation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector& n) {
  return -support_value(a, X_WA, -n) - support_value(b, X_WB, n);
}

// The distance of a point from a convex shape, exact up to a factor of about 2; 0 inside.
inline double outside(const Shape& shape, const Vector& p) {
  const double rho = std::hypot(p.x, p.y);
  const double out = std::visit(
      Overload{[&](const Sphere& s) { return norm(p) - s.radius; },
               [&](const Capsule& c) {
                 const double z = std::clamp(p.z, -c.half_length, c.half_length);
                 return norm(p - Vector{0, 0, z}) - c.radius;
               },
               [&](const Box& b) {
                 return std::max({std::abs(p.x) - b.half.x, std::abs(p.y) - b.half.y, std::abs(p.z) - b.half.z});
               },
               [&](const Cylinder& c) { return std::max(rho - c.radius, std::abs(p.z) - c.half_length); },
               [&](const Ellipsoid& e) {
                 const Vector u{p.x / e.radii.x, p.y / e.radii.y, p.z / e.radii.z};
                 const Vector g{u.x / e.radii.x, u.y / e.radii.y, u.z / e.radii.z};  // half the gradient of u.u
                 const double f = dot(u, u) - 1;
                 return f <= 0 ? 0.0 : f / (2 * norm(g));
               },
               [&](const Cone& c) {
                 const double slope = c.radius / (2 * c.half_length);
                 return std::max(-c.half_length - p.z,
                                 (rho - slope * (c.half_length - p.z)) / std::sqrt(1 + slope * slope));
               },
               [&](const HalfSpace&) { return p.z; },
               [&](const ConvexHull& h) {
                 double most = -std::numeric_limits<double>::infinity();
                 for (const Hull::Face& f : h.hull->faces) most = std::max(most, dot(f.normal, p) - f.offset);
                 return most;
               },
               [&](const auto&) {
                 ADD_FAILURE() << "no convex shape";
                 return 0.0;
               }},
      shape);
  return std::max(out, 0.0);
}

// Face normals and edge directions; empty for curved shapes.
struct Axes {
  std::vector<Vector> faces, edges;
};
inline Axes axes(const Shape& shape) {
  if (std::holds_alternative<Box>(shape)) return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (std::holds_alternative<HalfSpace>(shape)) return {{{0, 0, 1}}, {}};
  if (const auto* h = std::get_if<ConvexHull>(&shape)) {
    Axes out;
    for (const Hull::Face& f : h->hull->faces) out.faces.push_back(f.normal);
    for (const Hull::Edge& e : h->hull->edges)
      out.edges.push_back(h->hull->vertices[static_cast<std::size_t>(e.to)] -
                          h->hull->vertices[static_cast<std::size_t>(e.from)]);
    return out;
  }
  if (std::holds_alternative<Cylinder>(shape) || std::holds_alternative<Cone>(shape)) return {{{0, 0, 1}}, {{0, 0, 1}}};
  if (std::holds_alternative<Capsule>(shape)) return {{}, {{0, 0, 1}}};
  return {};
}

// The largest s(n) among many directions: a lower bound of the signed distance, and equal to it for two polytopes in
// penetration. Tries `samples` directions besides those of faces and edges.
inline double largest_separation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                 int samples = 200) {
  double best = -std::numeric_limits<double>::infinity();
  Vector direction{0, 0, 1};
  const auto attempt = [&](const Vector& n) {
    const double s = separation(a, X_WA, b, X_WB, n);
    if (s > best) best = s, direction = n;
    return s;
  };
  const auto both_ways = [&](const Vector& n) {
    const double length = norm(n);
    if (!(length > 0)) return;
    attempt((1 / length) * n);
    attempt((-1 / length) * n);
  };
  const Axes in_a = axes(a), in_b = axes(b);
  for (const Vector& n : in_a.faces) both_ways(X_WA.R * n);
  for (const Vector& n : in_b.faces) both_ways(X_WB.R * n);
  for (const Vector& e : in_a.edges)
    for (const Vector& f : in_b.edges) {
      const Vector n = cross(X_WA.R * unit(e), X_WB.R * unit(f));
      if (norm(n) > 1e-9) both_ways(n);
    }
  both_ways(X_WA.p - X_WB.p);
  if (std::holds_alternative<HalfSpace>(a) || std::holds_alternative<HalfSpace>(b)) return best;
  for (int i = 0; i < samples; ++i) {  // Fibonacci sphere
    const double z = 1 - (2 * i + 1.0) / samples, r = std::sqrt(1 - z * z),
                 t = i * std::numbers::pi * (3 - std::sqrt(5));
    attempt({r * std::cos(t), r * std::sin(t), z});
  }
  // Ascent from the best direction: steps in the tangent plane, halved when none improves it.
  for (double step = 0.2; step > 1e-9 && samples > 0;) {
    const Vector n = direction;
    const Vector u = unit(std::abs(n.x) < 0.6 ? cross(n, Vector{1, 0, 0}) : cross(n, Vector{0, 1, 0})), v = cross(n, u);
    const double before = best;
    for (int k = 0; k < 8; ++k) {
      const double t = k * std::numbers::pi / 4;
      attempt(unit(n + (step * std::cos(t)) * u + (step * std::sin(t)) * v));
    }
    if (!(best > before)) step /= 2;
  }
  return best;
}

struct Tolerances {
  double exact = 1e-11;  // of (a) to (c), relative to the sizes and distances involved
  double best = 1e-9;    // of (d), relative to the smaller of the two shapes' extents
};

// The largest absolute coordinate of a point of the shape, in its frame; 1 for a half-space.
inline double extent(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) return 1;
  double most = 0;
  for (const Vector& d : {Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}})
    for (const double sign : {1.0, -1.0}) most = std::max(most, sign * dot(d, support_point(shape, sign * d)));
  return most;
}

inline testing::AssertionResult sound(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                                      const Manifold& m, const Tolerances& tolerances = {}, int samples = 200) {
  const double size = std::max({extent(a), extent(b), norm(X_WA.p - X_WB.p)}) + 1e-3 * (norm(X_WA.p) + norm(X_WB.p));
  const double slack = tolerances.exact * size;
  const auto bad = [&] { return testing::AssertionFailure(); };
  if (!(m.count >= 1 && m.count <= most_points)) return bad() << "count is " << m.count;
  if (!(std::abs(norm(m.normal) - 1) <= 1e-13)) return bad() << "|n| - 1 is " << norm(m.normal) - 1;
  // (a), with the exact normal of the half-space in place of the rounded n.
  Vector n = m.normal;
  for (const auto& [shape, X, sign] : {std::tuple{&a, &X_WA, -1.0}, std::tuple{&b, &X_WB, 1.0}})
    if (std::holds_alternative<HalfSpace>(*shape)) {
      if (!(norm(sign * X->R.z - n) <= 1e-13)) return bad() << "the normal is not the plane's";
      n = sign * X->R.z;
    }
  const double s = separation(a, X_WA, b, X_WB, n);
  if (!(std::abs(m.distance - s) <= slack)) return bad() << "distance " << m.distance << ", s(n) is " << s;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m.count; ++i) {
    const ContactPoint& c = m.points[i];
    least = smaller(least, c.gap);
    if (!(c.gap <= margin + slack))
      return bad() << "gap " << c.gap << " of point " << i << " beyond the margin";  // (b)
    const double out_a = outside(a, transpose_times(X_WA.R, on_a(m, c) - X_WA.p));
    const double out_b = outside(b, transpose_times(X_WB.R, on_b(m, c) - X_WB.p));
    if (!(out_a <= slack)) return bad() << "point " << i << " is outside of A by " << out_a;  // (c)
    if (!(out_b <= slack)) return bad() << "point " << i << " is outside of B by " << out_b;
    for (int j = 0; j < i; ++j)
      if (m.points[j].feature == c.feature) return bad() << "points " << j << " and " << i << " share a feature";
  }
  if (!(std::abs(least - m.distance) <= slack)) return bad() << "least gap " << least << ", distance " << m.distance;
  if (m.distance <= 0 && samples >= 0) {  // (d)
    const double best = largest_separation(a, X_WA, b, X_WB, samples);
    if (!(m.distance >= best - tolerances.best * std::min(extent(a), extent(b)) - slack))
      return bad() << "distance " << m.distance << ", but another direction has " << best;
  }
  return testing::AssertionSuccess();
}

// --- random input, in addition to RandomSpatial ---

// One of the 24 rotations that map axes to axes, for edges and faces that are exactly parallel.
inline Mat3<double> random_quarter_turns(RandomSpatial& random) {
  const Mat3<double> turn_x{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, turn_z{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
  Mat3<double> R = Mat3<double>::identity();
  for (int k = static_cast<int>(8 * random.unit()); k > 0; --k) R = R * (random.unit() < 0.5 ? turn_x : turn_z);
  return R;
}

// The pose of A moved along the line from B's origin until the signed distance is about `gap`. Random poses are seldom
// close to contact. `distance` is any function that returns the signed distance for a pose of A.
template <class DistanceOf>
Pose moved_to_gap(Pose X_WA, const Pose& X_WB, double gap, const DistanceOf& distance) {
  Vector along = X_WA.p - X_WB.p;
  along = norm(along) > 1e-9 ? unit(along) : Vector{0, 0, 1};
  for (int i = 0; i < 30; ++i) {
    const double excess = distance(X_WA) - gap;
    if (std::abs(excess) < 1e-3 * (1e-6 + std::abs(gap))) break;
    X_WA.p -= excess * along;
  }
  return X_WA;
}

}  // namespace linchpin::geometry_testing

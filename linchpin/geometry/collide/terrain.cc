#include "linchpin/geometry/collide/terrain.h"

#include <algorithm>

#include "linchpin/geometry/convex/convex_pair.h"
#include "linchpin/geometry/convex/overlay.h"
#include "linchpin/geometry/pairs/manifold_reduce.h"

namespace linchpin {
namespace {

LINCHPIN_INLINE Vec3<double> normal_of(const Vec3<double> c[3]) {
  const Vec3<double> n = cross(c[1] - c[0], c[2] - c[0]);
  return (1 / norm(n)) * n;
}

// The limit vector of the edge from p to q, by mesh.h (2) and (3). `normal` is that of the neighbour at a convex edge,
// else that of the triangle itself.
LINCHPIN_INLINE Vec3<double> limit(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& normal) {
  const Vec3<double> l = cross(q - p, normal);
  return (1 / norm(l)) * l;
}

void outline_of(const TerrainTriangle& t, Outline& o) {
  o.count = 3;
  for (int k = 0; k < 3; ++k) {
    o.x[k] = t.corners[k];
    o.vertex[k] = k;
  }
  o.normal = t.normal;
  o.offset = dot(t.normal, t.corners[0]);
  o.face = face_feature(1);  // its front, as in features.cc
}

// The points of A's lowest face along the triangle's normal that are above or below the triangle, with gaps from
// `least` to `margin`.
bool face_over_face(const Core& a, const Pose& X_TA, const TerrainTriangle& t, double least, double margin,
                    Manifold& m) {
  const Vec3<double> down = -transpose_times(X_TA.R, t.normal);
  const PiecePoint lowest = farthest(a, down);
  Outline over, under;
  outline_towards(a, down, &lowest.piece, 1, over);
  for (int i = 0; i < over.count; ++i) over.x[i] = X_TA * over.x[i];
  if (over.count > 2) {
    over.normal = X_TA.R * over.normal;
    over.offset += dot(over.normal, X_TA.p);
  }
  outline_of(t, under);
  const double near = 4e-13 * (a.extent + a.ball + norm(X_TA.p - t.corners[0]));  // as in convex_pair.cc
  OverlayPoint points[most_overlay_points];
  const int count = overlay(t.normal, over, under, near, near, points);
  ContactPoint candidates[most_overlay_points];
  std::size_t kept = 0;
  for (int i = 0; i < count && kept < most_candidates; ++i) {
    const double gap = dot(t.normal, points[i].a - points[i].b) - a.ball;
    if (gap >= least && gap <= margin)
      candidates[kept++] = {fma(-a.ball / 2, t.normal, 0.5 * (points[i].a + points[i].b)), gap, points[i].feature};
  }
  if (kept == 0) return false;
  m.normal = t.normal;
  reduce({candidates, kept}, m);
  return true;
}

// Makes the number of the triangle part of the features.
void name_by_triangle(Manifold& m) {
  for (int k = 0; k < m.count; ++k) {
    ContactPoint& c = m.points[k];
    c.feature = (c.feature & 0xffff0000u) | ((c.feature + m.piece_b * 40503u) & 0xffffu);
  }
}

bool can_be_joined(const Manifold& m, const Manifold& other) {
  // Normals within 1.4e-6 rad, about the slack of (1), count as equal: 1 - cos(1.4e-6) = 1e-12.
  constexpr double same_direction = 1 - 1e-12;
  return dot(m.normal, other.normal) >= same_direction && m.piece_a == other.piece_a;
}

// Adds the points of `more` to m and reduces them to at most eight.
void join(const Manifold& more, Manifold& m) {
  double width = 0;
  for (int k = 0; k < more.count; ++k) width = std::max(width, norm(more.points[k].p - m.points[0].p));
  ContactPoint candidates[2 * most_points];
  std::size_t count = std::size_t(m.count);
  std::copy_n(m.points, m.count, candidates);
  for (int k = 0; k < more.count; ++k) {
    ContactPoint c = more.points[k];
    // Neighbouring triangles share points at their corners and edges.
    const auto same_place = [&](const ContactPoint& d) { return norm(c.p - d.p) <= 1e-9 * width; };
    if (std::any_of(candidates, candidates + m.count, same_place)) continue;
    const auto same_name = [&](const ContactPoint& d) { return d.feature == c.feature; };
    while (std::any_of(candidates, candidates + count, same_name))
      c.feature = (c.feature & 0xffff0000u) | ((c.feature + 1) & 0xffffu);
    candidates[count++] = c;
  }
  reduce({candidates, count}, m);
}

}  // namespace

bool may_press_along(const TerrainTriangle& t, const Vec3<double>& n) {
  constexpr double slack = 1e-6;  // a sine
  return dot(n, t.normal) > 0 && dot(n, t.limits[0]) <= slack && dot(n, t.limits[1]) <= slack &&
         dot(n, t.limits[2]) <= slack;
}

TerrainTriangle terrain_triangle(const TriangleMesh& mesh, int triangle) {
  TerrainTriangle t;
  const std::array<Vec3<double>, 3> corners = mesh.corners(triangle);
  std::copy(corners.begin(), corners.end(), t.corners);
  t.normal = mesh.normals[triangle];
  t.solid = false;
  for (int k = 0; k < 3; ++k) {
    const Fold fold = mesh.folds[triangle][k];
    const int normal_of = fold == Fold::convex ? mesh.neighbours[triangle][k] : triangle;
    const Vec3<double>& n = mesh.normals[normal_of];
    t.limits[k] = fold == Fold::border ? Vec3<double>::zero() : limit(corners[k], corners[(k + 1) % 3], n);
  }
  return t;
}

TerrainTriangle terrain_triangle(const HeightGrid& grid, int triangle) {
  TerrainTriangle t;
  const std::array<Vec3<double>, 3> corners = grid.corners(triangle);
  std::copy(corners.begin(), corners.end(), t.corners);
  t.normal = normal_of(t.corners);
  t.solid = true;
  for (int k = 0; k < 3; ++k) {
    const Vec3<double>&p = t.corners[k], &q = t.corners[(k + 1) % 3];
    const int beyond = grid.neighbour(triangle, k);
    if (beyond < 0) {
      t.limits[k] = Vec3<double>::zero();
      continue;
    }
    const std::array<Vec3<double>, 3> others = grid.corners(beyond);
    const Vec3<double> n = normal_of(others.data());
    const bool convex = dot(cross(t.normal, n), q - p) > 0;  // mesh.h (1)
    t.limits[k] = limit(p, q, convex ? n : t.normal);
  }
  return t;
}

bool core_terrain(const Core& a, const Pose& X_TA, const TerrainTriangle& t, double margin, Manifold& m) {
  const double infinity = std::numeric_limits<double>::infinity();
  double least = -infinity;
  if (core_triangle(a, X_TA, t.corners, margin, m)) {
    if (may_press_along(t, m.normal)) return true;
    const bool apart = m.distance > 0;
    if (apart && !t.solid) {
      if (dot(m.normal, t.normal) < 0) return false;
      least = 0;  // A is in front of the triangle: points with a negative gap belong to an overhang
    }
  } else if (!t.solid) {
    return false;
  }
  return face_over_face(a, X_TA, t, least, margin, m);
}

void join_coplanar(std::size_t first, ManifoldList& list) {
  const std::span<Manifold> all = list.all();
  for (std::size_t i = first; i < all.size(); ++i) name_by_triangle(all[i]);
  std::size_t kept = first;
  for (std::size_t i = first; i < all.size(); ++i) {
    std::size_t with = first;
    while (with < kept && !can_be_joined(all[with], all[i])) ++with;
    if (with < kept) {
      join(all[i], all[with]);
      continue;
    }
    if (kept != i) all[kept] = all[i];
    ++kept;
  }
  list.shrink_to(kept);
}

}  // namespace linchpin

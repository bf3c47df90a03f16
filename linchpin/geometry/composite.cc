#include "linchpin/geometry/composite.h"

#include <algorithm>
#include <limits>

#include "linchpin/geometry/bounds.h"
#include "linchpin/geometry/manifold_reduce.h"
#include "linchpin/geometry/terrain.h"

namespace linchpin {
namespace {

Pose times_inverse_left(const Pose& X, const Pose& Y) {  // X^-1 Y
  return {transpose(X.R) * Y.R, transpose_times(X.R, Y.p - X.p)};
}

void to_world(const Pose& X_WT, Manifold& m) {
  m.normal = X_WT.R * m.normal;
  for (int k = 0; k < m.count; ++k) m.points[k].p = X_WT * m.points[k].p;
}

// Calls visit(triangle) for those whose boxes overlap `box`, in rising order of triangles for a grid, in the tree's for a
// mesh.
template <class Visit>
void for_triangles_near(const TriangleMesh& mesh, const Aabb& box, const Visit& visit) {
  mesh.bvh.for_overlapping(box, [&](std::uint32_t t) { visit(int(t)); });
}
template <class Visit>
void for_triangles_near(const HeightGrid& grid, const Aabb& box, const Visit& visit) {
  if (!overlaps(grid.box, box)) return;
  const auto clamped = [](double x, int last) { return int(std::clamp(x, 0.0, double(last))); };
  const int last_i = grid.cell_columns() - 1, last_j = grid.cell_rows() - 1;
  const int i0 = clamped((box.lower.x - grid.x_of(0)) / grid.spacing_x, last_i),
            i1 = clamped((box.upper.x - grid.x_of(0)) / grid.spacing_x, last_i),
            j0 = clamped((box.lower.y - grid.y_of(0)) / grid.spacing_y, last_j),
            j1 = clamped((box.upper.y - grid.y_of(0)) / grid.spacing_y, last_j);
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const int cell = j * grid.cell_columns() + i;
      if (grid.levels[0].ranges[std::size_t(cell)].high < box.lower.z) continue;  // solid below
      visit(2 * cell);
      visit(2 * cell + 1);
    }
}

// Convex A on terrain.
template <class Terrain>
void collide_terrain(const Shape& a, const Pose& X_WA, const Terrain& terrain, const Pose& X_WT, double margin,
                     ManifoldList& out) {
  const Pose X_TA = times_inverse_left(X_WT, X_WA);
  const std::size_t first = out.size();
  for_triangles_near(terrain, inflated(bounds(a, X_TA), margin), [&](int t) {
    Manifold& m = out.next();
    if (!convex_terrain(a, X_TA, terrain_triangle(terrain, t), margin, m)) return;
    m.piece_a = 0;
    m.piece_b = std::uint32_t(t);
    out.keep();
  });
  const auto by_piece = [](const Manifold& m, const Manifold& n) { return m.piece_b < n.piece_b; };
  std::span<Manifold> found = out.all().subspan(first);
  if (!std::is_sorted(found.begin(), found.end(), by_piece)) std::sort(found.begin(), found.end(), by_piece);
  join_coplanar(first, out);
  found = out.all().subspan(first);
  for (Manifold& m : found) to_world(X_WT, m);
}

// The corners of terrain over or under the plane of a half-space A. Which side of the terrain is solid does not matter.
template <class Corners>
void collide_corners(const Pose& X_WA, const Corners& corners, const Pose& X_WT, double margin, ManifoldList& out) {
  Manifold& m = out.next();
  m.normal = -X_WA.R.z;
  m.piece_a = m.piece_b = 0;
  ContactPoint candidates[most_candidates];
  std::size_t count = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3<double> p = X_WT * corners[i];
    const double gap = dot(X_WA.R.z, p - X_WA.p);
    if (!(gap <= margin)) continue;
    if (count == most_candidates) {  // the best so far make room
      reduce({candidates, count}, m);
      count = std::size_t(m.count);
      std::copy_n(m.points, count, candidates);
    }
    candidates[count++] = {fma(-gap / 2, X_WA.R.z, p), gap, std::uint32_t(i) & 0xffffu};
  }
  if (count == 0) return;
  reduce({candidates, count}, m);
  out.keep();
}

struct GridCorners {
  const HeightGrid& grid;
  std::size_t size() const { return grid.heights.size(); }
  Vec3<double> operator[](std::size_t i) const {
    return grid.point(int(i % std::size_t(grid.columns)), int(i / std::size_t(grid.columns)));
  }
};

// Calls f(part number, part, its pose in the world) for the parts of a compound whose boxes are within `margin` of a box.
template <class F>
void for_parts_near(const Compound& c, const Pose& X_WS, const Aabb& box, const F& f) {
  for (std::size_t i = 0; i < c.parts->size(); ++i) {
    const PlacedShape& part = (*c.parts)[i];
    const Pose X_WP = X_WS * part.X_SP;
    f(std::uint32_t(i), part.shape, X_WP, distance_squared(bounds(part.shape, X_WP), box));
  }
}

}  // namespace

int collide_pieces(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                   ManifoldList& out) {
  const std::size_t first = out.size();
  if (const Compound* c = std::get_if<Compound>(&a)) {
    for_parts_near(*c, X_WA, bounds(b, X_WB), [&](std::uint32_t i, const Shape& part, const Pose& X_WP, double squared) {
      if (!(squared <= margin * margin)) return;
      const std::size_t before = out.size();
      collide(part, X_WP, b, X_WB, margin, out);
      for (Manifold& m : out.all().subspan(before)) m.piece_a = i;
    });
  } else if (const Compound* d = std::get_if<Compound>(&b)) {
    for_parts_near(*d, X_WB, bounds(a, X_WA), [&](std::uint32_t i, const Shape& part, const Pose& X_WP, double squared) {
      if (!(squared <= margin * margin)) return;
      const std::size_t before = out.size();
      collide(a, X_WA, part, X_WP, margin, out);
      for (Manifold& m : out.all().subspan(before)) m.piece_b = i;
    });
  } else if (is_terrain(a)) {
    collide_pieces(b, X_WB, a, X_WA, margin, out);
    for (Manifold& m : out.all().subspan(first)) swap_sides(m);
  } else if (const Mesh* mesh = std::get_if<Mesh>(&b)) {
    if (std::holds_alternative<HalfSpace>(a))
      collide_corners(X_WA, mesh->mesh->vertices, X_WB, margin, out);
    else
      collide_terrain(a, X_WA, *mesh->mesh, X_WB, margin, out);
  } else {
    const HeightGrid& grid = *std::get<HeightField>(b).grid;
    if (std::holds_alternative<HalfSpace>(a))
      collide_corners(X_WA, GridCorners{grid}, X_WB, margin, out);
    else
      collide_terrain(a, X_WA, grid, X_WB, margin, out);
  }
  return int(out.size() - first);
}

}  // namespace linchpin

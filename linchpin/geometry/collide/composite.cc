#include "linchpin/geometry/collide/composite.h"

#include <algorithm>
#include <cmath>

#include "linchpin/geometry/collide/convex_table.h"
#include "linchpin/geometry/collide/terrain.h"
#include "linchpin/geometry/pairs/manifold_reduce.h"
#include "linchpin/geometry/shapes/bounds.h"

namespace linchpin {
namespace {

bool is_terrain(const Shape& s) { return std::holds_alternative<Mesh>(s) || std::holds_alternative<HeightField>(s); }

// X^-1 Y
Pose from(const Pose& X, const Pose& Y) { return {transpose(X.R) * Y.R, transpose_times(X.R, Y.p - X.p)}; }

void to_world(const Pose& X_WT, Manifold& m) {
  m.normal = X_WT.R * m.normal;
  for (int k = 0; k < m.count; ++k) m.points[k].p = X_WT * m.points[k].p;
}

// Calls visit(triangle) for the triangles whose boxes overlap `box`. In a height field, a box below the surface
// overlaps the triangles above it.
template <class Visit>
void for_triangles_near(const TriangleMesh& mesh, const Aabb& box, const Visit& visit) {
  mesh.bvh.for_overlapping(box, [&](std::uint32_t t) { visit(int(t)); });
}
template <class Visit>
void for_triangles_near(const HeightGrid& grid, const Aabb& box, const Visit& visit) {
  if (!overlaps(grid.box, box)) return;
  const auto cell_at = [](double x, int last) { return int(std::clamp(x, 0.0, double(last))); };
  const int last_i = grid.cell_columns() - 1, last_j = grid.cell_rows() - 1;
  const int i0 = cell_at((box.lower.x - grid.x_of(0)) / grid.spacing_x, last_i),
            i1 = cell_at((box.upper.x - grid.x_of(0)) / grid.spacing_x, last_i),
            j0 = cell_at((box.lower.y - grid.y_of(0)) / grid.spacing_y, last_j),
            j1 = cell_at((box.upper.y - grid.y_of(0)) / grid.spacing_y, last_j);
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const int cell = j * grid.cell_columns() + i;
      if (grid.levels[0].ranges[cell].high < box.lower.z) continue;
      visit(2 * cell);
      visit(2 * cell + 1);
    }
}

// The contacts of a core, piece `piece_a` of A, with terrain B, in B's frame T.
template <class Terrain>
void core_on_terrain(const Core& a, const Pose& X_TA, const Aabb& box, std::uint32_t piece_a, const Terrain& terrain,
                     double margin, ManifoldList& out) {
  for_triangles_near(terrain, inflated(box, margin), [&](int t) {
    Manifold& m = out.next();
    if (!core_terrain(a, X_TA, terrain_triangle(terrain, t), margin, m)) return;
    m.piece_a = piece_a;
    m.piece_b = std::uint32_t(t);
    out.keep();
  });
}

void settle(std::size_t first, const Pose& X_WT, ManifoldList& out) {
  std::span<Manifold> found = out.all().subspan(first);
  std::sort(found.begin(), found.end(), [](const Manifold& m, const Manifold& n) {
    return m.piece_a != n.piece_a ? m.piece_a < n.piece_a : m.piece_b < n.piece_b;
  });
  join_coplanar(first, out);
  for (Manifold& m : out.all().subspan(first)) to_world(X_WT, m);
}

template <class Terrain>
void collide_terrain(const Shape& a, const Pose& X_WA, const Terrain& terrain, const Pose& X_WT, double margin,
                     ManifoldList& out) {
  const Pose X_TA = from(X_WT, X_WA);
  const std::size_t first = out.size();
  core_on_terrain(core_of(a), X_TA, bounds(a, X_TA), 0, terrain, margin, out);
  settle(first, X_WT, out);
}

// Two surfaces, triangle by triangle; both normals must be admissible.
template <class TerrainA, class TerrainB>
void collide_terrains(const TerrainA& a, const Pose& X_WA, const TerrainB& b, const Pose& X_WB, double margin,
                      ManifoldList& out) {
  const Pose X_BA = from(X_WB, X_WA);
  const std::size_t first = out.size();
  for_triangles_near(a, inflated(turned(b.box, from(X_WA, X_WB)), margin), [&](int t) {
    const TerrainTriangle triangle = terrain_triangle(a, t);
    Aabb box = Aabb::none();
    for (const Vec3<double>& corner : triangle.corners) box = merge(box, X_BA * corner);
    const std::size_t before = out.size();
    core_on_terrain(core_of_triangle(triangle.corners), X_BA, box, std::uint32_t(t), b, margin, out);
    std::size_t kept = before;
    for (std::size_t i = before; i < out.size(); ++i)
      if (may_press_along(triangle, -transpose_times(X_BA.R, out[i].normal))) out[kept++] = out[i];
    out.shrink_to(kept);
  });
  settle(first, X_WB, out);
}

// The vertices of terrain B that are near or below the plane of a half-space A. The solid side of B does not matter.
template <class Corners>
void collide_corners(const Pose& X_WA, const Corners& corners, const Pose& X_WB, double margin, ManifoldList& out) {
  Manifold& m = out.next();
  m.normal = -X_WA.R.z;
  m.piece_a = m.piece_b = 0;
  ContactPoint candidates[most_candidates];
  std::size_t count = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3<double> p = X_WB * corners[i];
    const double gap = dot(X_WA.R.z, p - X_WA.p);
    if (!(gap <= margin)) continue;
    if (count == most_candidates) {  // reduce them to make room
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
const std::vector<Vec3<double>>& corners_of(const TriangleMesh& mesh) { return mesh.vertices; }
GridCorners corners_of(const HeightGrid& grid) { return {grid}; }

// Calls f with the data of a Mesh or HeightField.
template <class F>
void with_terrain(const Shape& shape, const F& f) {
  if (const Mesh* mesh = std::get_if<Mesh>(&shape))
    f(*mesh->mesh);
  else
    f(*std::get<HeightField>(shape).grid);
}

// B is terrain, A is any shape but a compound.
void collide_with_terrain(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                          ManifoldList& out) {
  with_terrain(b, [&](const auto& ground) {
    if (std::holds_alternative<HalfSpace>(a))
      collide_corners(X_WA, corners_of(ground), X_WB, margin, out);
    else if (is_terrain(a))
      with_terrain(a, [&](const auto& other) { collide_terrains(other, X_WA, ground, X_WB, margin, out); });
    else
      collide_terrain(a, X_WA, ground, X_WB, margin, out);
  });
}

// Calls f(index, part, X_WP) for the parts of a compound whose boxes are within `margin` of a box.
template <class F>
void for_parts_near(const Compound& c, const Pose& X_WS, const Aabb& box, double margin, const F& f) {
  for (std::size_t i = 0; i < c.parts->size(); ++i) {
    const PlacedShape& part = (*c.parts)[i];
    const Pose X_WP = X_WS * part.X_SP;
    if (distance_squared(bounds(part.shape, X_WP), box) <= margin * margin) f(std::uint32_t(i), part.shape, X_WP);
  }
}

}  // namespace

int collide_pieces(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                   ManifoldList& out) {
  const std::size_t first = out.size();
  if (const Compound* c = std::get_if<Compound>(&a)) {
    for_parts_near(*c, X_WA, bounds(b, X_WB), margin, [&](std::uint32_t i, const Shape& part, const Pose& X_WP) {
      const std::size_t before = out.size();
      collide(part, X_WP, b, X_WB, margin, out);
      for (Manifold& m : out.all().subspan(before)) m.piece_a = i;
    });
  } else if (const Compound* d = std::get_if<Compound>(&b)) {
    for_parts_near(*d, X_WB, bounds(a, X_WA), margin, [&](std::uint32_t i, const Shape& part, const Pose& X_WP) {
      const std::size_t before = out.size();
      collide(a, X_WA, part, X_WP, margin, out);
      for (Manifold& m : out.all().subspan(before)) m.piece_b = i;
    });
  } else if (is_terrain(b)) {
    collide_with_terrain(a, X_WA, b, X_WB, margin, out);
  } else {
    collide_with_terrain(b, X_WB, a, X_WA, margin, out);
    for (Manifold& m : out.all().subspan(first)) swap_sides(m);
  }
  return int(out.size() - first);
}

}  // namespace linchpin

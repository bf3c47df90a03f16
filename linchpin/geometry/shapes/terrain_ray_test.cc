#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/ray.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

HeightField hills() {
  std::vector<double> heights;
  for (int j = 0; j < 21; ++j)
    for (int i = 0; i < 31; ++i) heights.push_back(0.4 * std::sin(0.7 * i) * std::cos(0.9 * j));
  return {std::make_shared<const HeightGrid>(make_height_grid(31, 21, 0.2, 0.3, heights, -1).value())};
}
Mesh same_as_mesh(const HeightGrid& grid) {
  Triangles t;
  for (int j = 0; j < grid.rows; ++j)
    for (int i = 0; i < grid.columns; ++i) t.vertices.push_back(grid.point(i, j));
  for (int j = 0; j + 1 < grid.rows; ++j)
    for (int i = 0; i + 1 < grid.columns; ++i) {
      const int v = j * grid.columns + i;
      t.triangles.push_back({v, v + 1, v + grid.columns + 1});
      t.triangles.push_back({v, v + grid.columns + 1, v + grid.columns});
    }
  return {std::make_shared<const TriangleMesh>(make_mesh(t.vertices, t.triangles).value())};
}

// The t at which the line o + t u meets a triangle, by Cramer's rule in the coordinates of its edges; infinity if it
// does not.
double meets(const Vec3<double>& o, const Vec3<double>& u, const std::array<Vec3<double>, 3>& c) {
  const Vec3<double> e = c[1] - c[0], f = c[2] - c[0], p = o - c[0];
  const double d = dot(e, cross(f, u));
  const double a = dot(p, cross(f, u)) / d, b = dot(e, cross(p, u)) / d, t = -dot(e, cross(f, p)) / d;
  return a >= 0 && b >= 0 && a + b <= 1 && t >= 0 ? t : std::numeric_limits<double>::infinity();
}

TEST(TerrainRay, MeetsTheNearestTriangle) {
  RandomSpatial random(1);
  const HeightField field = hills();
  const Mesh mesh = same_as_mesh(*field.grid);
  int hits = 0;
  for (int round = 0; round < 3000; ++round) {
    const Ray ray{random.vector(3), random.vector(2), 4};
    double expected = std::numeric_limits<double>::infinity();
    for (int k = 0; k < field.grid->triangle_count(); ++k)
      expected = std::min(expected, meets(ray.origin, ray.direction, field.grid->corners(k)));
    if (expected > ray.limit) expected = std::numeric_limits<double>::infinity();
    const Transform<double> X = random.pose(5);
    const Ray moved{X * ray.origin, X.R * ray.direction, ray.limit};
    const std::optional<RayHit> on_field = cast(moved, field, X), on_mesh = cast(moved, mesh, X);
    ASSERT_EQ(on_field.has_value(), std::isfinite(expected)) << round;
    ASSERT_EQ(on_mesh.has_value(), std::isfinite(expected)) << round;
    if (!on_field) continue;
    ++hits;
    EXPECT_NEAR(on_field->t, expected, 1e-11);
    EXPECT_NEAR(on_mesh->t, expected, 1e-11);
    EXPECT_NEAR(norm(on_mesh->normal - on_field->normal), 0, 1e-12);
    EXPECT_NEAR(norm(on_mesh->normal), 1, 1e-14);
    EXPECT_LT(dot(on_mesh->normal, moved.direction), 0);
    EXPECT_EQ(on_mesh->piece, on_field->piece);
  }
  EXPECT_GT(hits, 700);
}

// Rays straight down onto corners and edges, where triangles meet: none passes through.
TEST(TerrainRay, NothingSlipsThroughBetweenTriangles) {
  const HeightField field = hills();
  const HeightGrid& grid = *field.grid;
  const Mesh mesh = same_as_mesh(grid);
  for (int j = 0; j < grid.rows; ++j)
    for (int i = 0; i < grid.columns; ++i)
      for (const double along : {0.0, 0.5, 1.0 / 3})
        for (const Vec3<double>& to :
             {grid.point(std::min(i + 1, grid.columns - 1), j), grid.point(i, std::min(j + 1, grid.rows - 1))}) {
          const Vec3<double> p = grid.point(i, j) + along * (to - grid.point(i, j));
          const Ray down{{p.x, p.y, 3}, {0, 0, -1}};
          for (const Shape& ground : {Shape(field), Shape(mesh)}) {
            const std::optional<RayHit> hit = cast(down, ground, Transform<double>::identity());
            ASSERT_TRUE(hit) << i << " " << j << " " << along;
            EXPECT_NEAR(hit->t, 3 - p.z, 1e-13);
          }
        }
}

// A ray that starts on the terrain's rim and leaves it hits where it starts; one that starts a little farther does not.
// The slope is 1 in both directions, so that all numbers are exact.
TEST(TerrainRay, FromTheRimOutwards) {
  std::vector<double> heights;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) heights.push_back(i + j);
  const HeightField field{std::make_shared<const HeightGrid>(make_height_grid(5, 5, 1, 1, heights, -6).value())};
  const Mesh mesh = same_as_mesh(*field.grid);
  for (const Shape& ground : {Shape(field), Shape(mesh)})
    for (const Vec3<double>& out :
         {Vec3<double>{1, 0, 0}, Vec3<double>{-1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, -1, 0}}) {
      const Vec3<double> rim{2 * out.x, 2 * out.y, 2 * (out.x + out.y)};
      const std::optional<RayHit> hit = cast({rim, out}, ground, Transform<double>::identity());
      ASSERT_TRUE(hit);
      EXPECT_EQ(hit->t, 0);
      EXPECT_FALSE(cast({rim + 1e-9 * out, out}, ground, Transform<double>::identity()));
      const std::optional<RayHit> inwards = cast({rim + 3 * out, -out}, ground, Transform<double>::identity());
      ASSERT_TRUE(inwards);
      EXPECT_EQ(inwards->t, 3);
    }
}

}  // namespace
}  // namespace linchpin

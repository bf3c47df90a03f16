#include "linchpin/geometry/pieces/solid_distance.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// The distance from a box in closed form, from the excess along each of its axes.
TEST(SolidDistance, OfABox) {
  RandomSpatial random(1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> half{random.magnitude(0.01, 1), random.magnitude(0.01, 1), random.magnitude(0.01, 1)};
    const Transform<double> X = random.pose();
    const Triangles box = box_mesh(half, X);
    const TriangleMesh mesh = make_mesh(box.vertices, box.triangles).value();
    const Vec3<double> p = random.vector(2);
    const Vec3<double> out{std::max(0.0, std::abs(p.x) - half.x), std::max(0.0, std::abs(p.y) - half.y),
                           std::max(0.0, std::abs(p.z) - half.z)};
    const double in = std::min({half.x - std::abs(p.x), half.y - std::abs(p.y), half.z - std::abs(p.z)});
    const auto [distance, triangle] = distance_from_solid(mesh, X * p);
    EXPECT_NEAR(distance, in > 0 ? -in : norm(out), 1e-14);
    EXPECT_NEAR(distance_from_triangle(mesh, triangle, X * p), std::abs(distance), 1e-14);
  }
}

// Inside and outside of a ring. Near its inner edges, neighbouring triangles disagree about the sign.
TEST(SolidDistance, OfATorus) {
  RandomSpatial random(2);
  const Triangles torus = torus_mesh(1, 0.3, 48, 48);
  const TriangleMesh mesh = make_mesh(torus.vertices, torus.triangles).value();
  for (int i = 0; i < 300; ++i) {
    const Vec3<double> p = random.vector(1.5);
    const double exact = std::hypot(std::hypot(p.x, p.y) - 1, p.z) - 0.3;
    EXPECT_NEAR(distance_from_solid(mesh, p).distance, exact,
                0.004);  // error of the chords: (R + 2 r)(1 - cos(pi/48)) = 0.0034
  }
  EXPECT_NEAR(distance_from_solid(mesh, {0, 0, 0}).distance, 0.7, 0.002);
}

}  // namespace
}  // namespace linchpin

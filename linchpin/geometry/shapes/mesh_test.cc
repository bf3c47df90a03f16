#include "linchpin/geometry/shapes/mesh.h"

#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

const Transform<double> identity = Transform<double>::identity();

TriangleMesh mesh_of(const Triangles& t) {
  auto mesh = make_mesh(t.vertices, t.triangles);
  EXPECT_TRUE(mesh.ok()) << mesh.error().message;
  return mesh.value();
}
int count(const TriangleMesh& mesh, Fold fold) {
  int n = 0;
  for (const auto& folds : mesh.folds)
    for (const Fold f : folds) n += f == fold;
  return n;
}
// Two triangles at the edge from (0,0,0) to (0,1,0); the third corner of the second one has this height.
Triangles fold_mesh(double height) {
  return {{{0, 0, 0}, {0, 1, 0}, {-1, 0.5, 0}, {1, 0.5, height}}, {{0, 1, 2}, {0, 3, 1}}};
}

TEST(TriangleMesh, BoxIsClosedWithConvexEdgesAndFlatDiagonals) {
  RandomSpatial random(1);
  for (const double scale : {1e-3, 1.0, 1e3})
    for (int i = 0; i < 20; ++i) {
      const Transform<double> X = random.pose(scale);
      const TriangleMesh mesh = mesh_of(box_mesh({scale, 0.5 * scale, 0.1 * scale}, X));
      EXPECT_TRUE(mesh.closed);
      EXPECT_EQ(count(mesh, Fold::convex), 24);  // twelve edges, from both sides
      EXPECT_EQ(count(mesh, Fold::flat), 12);    // six diagonals
      for (std::size_t t = 0; t < 12; ++t) {
        const auto [a, b, c] = mesh.corners(int(t));
        EXPECT_GT(dot(mesh.normals[t], a - X.p), 0);
        EXPECT_NEAR(norm(mesh.normals[t]), 1, 1e-15);
        EXPECT_LT(std::abs(dot(mesh.normals[t], b - a)) + std::abs(dot(mesh.normals[t], c - a)), 1e-14 * scale);
      }
    }
}

// Each triangle has its own three vertices, as in an STL file.
TEST(TriangleMesh, RepeatedVerticesAreJoined) {
  const Triangles box = box_mesh({1, 2, 3}, identity);
  Triangles apart;
  for (const auto& t : box.triangles) {
    const int n = int(apart.vertices.size());
    for (const int i : t) apart.vertices.push_back(box.vertices[i]);
    apart.triangles.push_back({n, n + 1, n + 2});
  }
  apart.vertices.push_back({100, 100, 100});  // not used by any triangle
  const TriangleMesh mesh = mesh_of(apart);
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_TRUE(mesh.closed);
  EXPECT_EQ(mesh.box.upper.x, 1);
  EXPECT_EQ(mesh.box.lower.z, -3);
  const TriangleMesh zeros =
      mesh_of({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}, {0, 1, -0.0}, {-1, 0, 0}}, {{0, 1, 2}, {3, 4, 5}}});
  EXPECT_EQ(zeros.vertices.size(), 4u);
}

TEST(TriangleMesh, NeighboursKnowEachOther) {
  const TriangleMesh mesh = mesh_of(torus_mesh(1, 0.3, 20, 12));
  EXPECT_TRUE(mesh.closed);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto u = std::size_t(mesh.neighbours[t][k]);
      bool back = false;
      for (std::size_t l = 0; l < 3; ++l)
        back |= mesh.neighbours[u][l] == int(t) && mesh.folds[u][l] == mesh.folds[t][k] &&
                mesh.triangles[u][l] == mesh.triangles[t][(k + 1) % 3] &&
                mesh.triangles[u][(l + 1) % 3] == mesh.triangles[t][k];
      EXPECT_TRUE(back);
    }
  EXPECT_GT(count(mesh, Fold::concave), 0);  // inside of the ring
  EXPECT_GT(count(mesh, Fold::convex), 0);
}

// The hierarchy finds the same triangles as a loop over all.
TEST(TriangleMesh, BoxesOfTrianglesAreFound) {
  RandomSpatial random(2);
  const TriangleMesh mesh = mesh_of(torus_mesh(1, 0.3, 20, 12));
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> p = random.vector(1.3);
    const Aabb box = Aabb::about(p, {0.2, 0.1, 0.3});
    std::set<int> found, expected;
    mesh.bvh.for_overlapping(box, [&](std::uint32_t t) { found.insert(int(t)); });
    for (int t = 0; t < int(mesh.triangles.size()); ++t) {
      const auto [a, b, c] = mesh.corners(t);
      if (overlaps(merge(merge({a, a}, b), c), box)) expected.insert(t);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(TriangleMesh, FoldsByTheSignOfTheHeight) {
  const auto fold = [](double height) { return mesh_of(fold_mesh(height)).folds[0][0]; };
  EXPECT_EQ(fold(-0.1), Fold::convex);
  EXPECT_EQ(fold(0.1), Fold::concave);
  EXPECT_EQ(fold(-1e-6), Fold::convex);
  EXPECT_EQ(fold(0), Fold::flat);
  EXPECT_EQ(fold(1e-9), Fold::flat);
  // the tolerance of floats is 1e-7 of the extent, wherever the mesh is
  for (const double scale : {1e-3, 1.0, 1e3})
    for (const Vec3<double>& away : {Vec3<double>{0, 0, 0}, Vec3<double>{64, 0, 0}, Vec3<double>{0, -64, 64}}) {
      const auto fold_at = [&](double height) {
        Triangles t = fold_mesh(height);
        for (Vec3<double>& v : t.vertices) v = scale * (v + away);
        return mesh_of(t).folds[0][0];
      };
      const double tolerance = 1e-7 * std::sqrt(5);
      EXPECT_EQ(fold_at(-1.2 * tolerance), Fold::convex) << scale;
      EXPECT_EQ(fold_at(1.2 * tolerance), Fold::concave) << scale;
      EXPECT_EQ(fold_at(-0.8 * tolerance), Fold::flat) << scale;
      EXPECT_EQ(fold_at(0.8 * tolerance), Fold::flat) << scale;
    }
  const TriangleMesh mesh = mesh_of(fold_mesh(0));
  EXPECT_FALSE(mesh.closed);
  EXPECT_EQ(count(mesh, Fold::border), 4);
  // folded back onto itself: not flat, although all corners are in one plane
  Triangles back = fold_mesh(0);
  back.vertices[3] = {-1, 0.4, 0};
  EXPECT_NE(mesh_of(back).folds[0][0], Fold::flat);
}

TEST(TriangleMesh, RefusesByNumber) {
  const auto says = [](const Triangles& t, const std::string& part) {
    const auto mesh = make_mesh(t.vertices, t.triangles);
    ASSERT_FALSE(mesh.ok()) << part;
    EXPECT_NE(mesh.error().message.find(part), std::string::npos) << mesh.error().message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  says({}, "no triangles");
  says({{{0, 0, 0}, {1, 0, 0}, {0, nan, 0}}, {{0, 1, 2}}}, "vertex 2 is (0, nan, 0)");
  says({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 1, 3}}}, "triangle 1 has corner 3; the vertices are 0 to 2");
  says({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, -1, 2}}}, "triangle 0 has corner -1");
  says({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}}, {{0, 1, 3}, {0, 1, 2}}},
       "triangle 1 (vertices 0, 1, 2) has no area");
  says({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}}, {{0, 1, 2}, {1, 3, 2}}},
       "triangle 1 (vertices 1, 3, 2) has no area");
  says({{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}}, {{0, 1, 3}, {1, 0, 2}, {0, 1, 4}}},
       "triangles 0, 1 and 2 share one edge, the edge of vertices 0 and 1 at (0, 0, 0) and (0, 1, 0)");
  says({{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}}, {{0, 1, 3}, {0, 1, 2}}},
       "triangles 0 and 1 are oriented against each other");
}

}  // namespace
}  // namespace linchpin

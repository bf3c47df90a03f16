#include "linchpin/geometry/collide/composite.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/geometry/pieces/convex_pieces.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {
namespace {

Compound compound_of(std::vector<PlacedShape> parts) {
  return {std::make_shared<const std::vector<PlacedShape>>(std::move(parts))};
}
Transform<double> at(double x, double y, double z) { return {Mat3<double>::identity(), {x, y, z}}; }

// Two weights on a bar.
Compound dumbbell() {
  return compound_of({{Sphere{0.3}, at(0, 0, -1)}, {Cylinder{0.1, 1}, at(0, 0, 0)}, {Sphere{0.3}, at(0, 0, 1)}});
}

TEST(Compound, TouchesPartByPart) {
  const Transform<double> X{{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, {0, 0, 0.301}};  // lying along x
  ManifoldList list;
  ASSERT_EQ(collide(dumbbell(), X, HalfSpace{}, Transform<double>::identity(), 0.01, list), 2);
  EXPECT_EQ(list[0].piece_a, 0u);
  EXPECT_EQ(list[1].piece_a, 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(list[i].distance, 0.001, 1e-15);
    EXPECT_NEAR(std::abs(list[i].points[0].p.x), 1, 1e-15);
  }
  ManifoldList back;
  ASSERT_EQ(collide(HalfSpace{}, Transform<double>::identity(), dumbbell(), X, 0.01, back), 2);
  EXPECT_EQ(back[1].piece_b, 2u);
  EXPECT_EQ(back[1].normal.z, -1);
}

// Shapes of one piece have the number 0, in either order, whatever the list held before.
TEST(Compound, SimpleShapesArePieceZero) {
  RandomSpatial random(3);
  std::vector<Shape> kinds = one_of_each_kind(random);
  kinds.push_back(HalfSpace{});
  ManifoldList list;
  for (const Shape& a : kinds)
    for (const Shape& b : kinds) {
      const bool two_planes = std::holds_alternative<HalfSpace>(a) && std::holds_alternative<HalfSpace>(b);
      list.clear();
      list.next().piece_a = list.next().piece_b = 5;
      ASSERT_EQ(collide(a, at(0, 0, 0.1), b, at(0, 0, 0), 0.1, list), two_planes ? 0 : 1);
      for (const Manifold& m : list.all()) EXPECT_TRUE(m.piece_a == 0 && m.piece_b == 0);
    }
}

TEST(Compound, DistanceIsTheLeastOfItsParts) {
  RandomSpatial random(1);
  const Compound c = dumbbell();
  for (int round = 0; round < 300; ++round) {
    const Transform<double> X_WA = random.pose(2), X_WB = random.pose(2);
    const Shape others[] = {Box{{0.2, 0.3, 0.4}}, Ellipsoid{{0.2, 0.3, 0.4}}, HalfSpace{}};
    const Shape& b = others[round % 3];
    double least = 1e9;
    for (const PlacedShape& part : *c.parts)
      least = std::min(least, signed_distance(part.shape, X_WA * part.X_SP, b, X_WB)->distance);
    EXPECT_NEAR(signed_distance(c, X_WA, b, X_WB)->distance, least, 1e-14);
  }
}

TEST(Compound, PairsOfPartsComeInOrder) {
  RandomSpatial random(2);
  for (int round = 0; round < 100; ++round) {
    ManifoldList list;
    collide(dumbbell(), random.pose(0.4), dumbbell(), random.pose(0.4), 0.2, list);
    const auto before = [](const Manifold& m, const Manifold& n) {
      return m.piece_a != n.piece_a ? m.piece_a < n.piece_a : m.piece_b < n.piece_b;
    };
    for (std::size_t i = 1; i < list.size(); ++i) EXPECT_TRUE(before(list[i - 1], list[i]));
  }
}

// A table of five boxes, moving as convex pieces of its mesh, over another table that stands still as a mesh.
TEST(Compound, PiecesOfAMeshMoveOverAMesh) {
  Triangles t = box_mesh({0.5, 0.5, 0.05}, at(0, 0, 0.55));
  for (const double x : {-0.4, 0.4})
    for (const double y : {-0.4, 0.4}) append(t, box_mesh({0.05, 0.05, 0.2}, at(x, y, 0.2)));
  const TriangleMesh mesh = make_mesh(t.vertices, t.triangles).value();
  const Compound pieces = convex_pieces(mesh, {}).value().compound;
  ASSERT_EQ(pieces.parts->size(), 5u);
  const Shape still = Mesh{std::make_shared<const TriangleMesh>(mesh)};
  ManifoldList list;
  ASSERT_EQ(collide(pieces, at(0.1, 0.05, 0.6 + 1e-3), still, Transform<double>::identity(), 0.01, list), 4);
  for (const Manifold& m : list.all()) {
    EXPECT_NEAR(m.distance, 1e-3, 1e-14);
    EXPECT_NEAR(m.normal.z, 1, 1e-14);
    EXPECT_GE(m.count, 4);
  }
}

TEST(Compound, TwoHalfSpacesHaveNoDistance) {
  EXPECT_FALSE(signed_distance(HalfSpace{}, at(0, 0, 1), HalfSpace{}, at(0, 0, 0)));
}

}  // namespace
}  // namespace linchpin

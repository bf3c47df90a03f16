#include "linchpin/geometry/collide/terrain.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "linchpin/geometry/collide/collide.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {
namespace {

using geometry_testing::Vector;

Mesh mesh_of(const Triangles& t) {
  return {std::make_shared<const TriangleMesh>(make_mesh(t.vertices, t.triangles).value())};
}
HeightField field_of(int columns, int rows, double spacing, const std::vector<double>& heights, double floor = -10) {
  return {
      std::make_shared<const HeightGrid>(make_height_grid(columns, rows, spacing, spacing, heights, floor).value())};
}

// A plane of 2 n^2 triangles over [-size, size]^2 at z = `height`, with inner corners moved at random.
template <class Height>
Triangles plain(int n, double size, RandomSpatial& random, const Height& height) {
  Triangles out;
  const double step = 2 * size / n;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const bool inner = i > 0 && j > 0 && i < n && j < n;
      const double x = -size + step * (i + (inner ? random.even(0.2) : 0)),
                   y = -size + step * (j + (inner ? random.even(0.2) : 0));
      out.vertices.push_back({x, y, height(x, y)});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int v = j * (n + 1) + i;
      out.triangles.push_back({v, v + 1, v + n + 2});
      out.triangles.push_back({v, v + n + 2, v + n + 1});
    }
  return out;
}
double level(double, double) { return 0; }

Shape random_hull(RandomSpatial& random, double size) {
  std::vector<Vector> points;
  for (int k = 0; k < 24; ++k) points.push_back(size * random.direction());
  return ConvexHull{std::make_shared<const Hull>(convex_hull(points).value())};
}
std::vector<Shape> convex_shapes(RandomSpatial& random) {
  return {Sphere{0.3},    Capsule{0.2, 0.3},          Box{{0.2, 0.3, 0.4}},    Cylinder{0.3, 0.2},
          Cone{0.3, 0.3}, Ellipsoid{{0.2, 0.3, 0.4}}, random_hull(random, 0.4)};
}

double least_gap(const ManifoldList& list) {
  double least = std::numeric_limits<double>::infinity();
  for (const Manifold& m : list.all())
    for (int k = 0; k < m.count; ++k) least = std::min(least, m.points[k].gap);
  return least;
}

// The distance of a point from a triangle, by trying the face, the edges and the corners.
double point_triangle(const Vector& p, const std::array<Vector, 3>& c) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const Vector a = c[k], e = c[(k + 1) % 3] - a;
    const double t = std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0);
    least = std::min(least, norm(p - (a + t * e)));
  }
  const Vector n = geometry_testing::unit(cross(c[1] - c[0], c[2] - c[0]));
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    const Vector a = c[k], e = c[(k + 1) % 3] - a;
    inside = inside && dot(cross(e, p - a), n) >= 0;
  }
  return inside ? std::min(least, std::abs(dot(n, p - c[0]))) : least;
}

TEST(Terrain, NormalsOfANeighbourAreDropped) {
  // Two triangles that meet at the y axis. The right one slopes down (a ridge) or up (a valley).
  const auto fold = [](double slope) {
    Triangles t;
    t.vertices = {{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, slope}};
    t.triangles = {{0, 1, 2}, {1, 0, 3}};
    const TriangleMesh mesh = make_mesh(t.vertices, t.triangles).value();
    return std::pair{terrain_triangle(mesh, 0), terrain_triangle(mesh, 1)};
  };
  const auto tilted = [](double angle) { return Vector{std::sin(angle), 0, std::cos(angle)}; };
  const double angle = std::atan(0.5);
  const auto flat = fold(0), valley = fold(0.5), ridge = fold(-0.5);
  EXPECT_TRUE(may_press_along(flat.first, tilted(0)));
  EXPECT_FALSE(may_press_along(flat.first, tilted(0.1)));
  EXPECT_TRUE(may_press_along(flat.first, tilted(-0.5)));  // at a border the normal is not limited
  EXPECT_FALSE(may_press_along(valley.first, tilted(0.1)));
  EXPECT_TRUE(may_press_along(valley.first, tilted(0)));
  EXPECT_TRUE(may_press_along(valley.second, tilted(-angle)));
  EXPECT_FALSE(may_press_along(valley.second, tilted(-angle - 0.01)));
  EXPECT_TRUE(may_press_along(ridge.first, tilted(0)));
  EXPECT_TRUE(may_press_along(ridge.first, tilted(0.5 * angle)));
  EXPECT_TRUE(may_press_along(ridge.second, tilted(0.5 * angle)));
  EXPECT_TRUE(may_press_along(ridge.first, tilted(angle)));
  EXPECT_FALSE(may_press_along(ridge.first, tilted(angle + 0.01)));
  EXPECT_FALSE(may_press_along(ridge.second, tilted(-0.01)));
  EXPECT_FALSE(may_press_along(flat.first, {0, 0, -1}));
  // The tolerance is a sine of 1e-6.
  EXPECT_TRUE(may_press_along(ridge.first, tilted(angle + 0.9e-6)));
  EXPECT_FALSE(may_press_along(ridge.first, tilted(angle + 1.1e-6)));
}

// A plane of triangles acts as a half-space: one manifold, its normal straight up at all edges, the same distance.
TEST(Terrain, APlainOfTrianglesIsAHalfSpace) {
  RandomSpatial random(1);
  const Shape mesh = mesh_of(plain(12, 2, random, level));
  const Shape field = field_of(13, 13, 1.0 / 3, std::vector<double>(13 * 13, 0.0));
  const std::vector<Shape> shapes = convex_shapes(random);
  ManifoldList list, half_space;
  for (int round = 0; round < 600; ++round) {
    const Shape& a = shapes[std::size_t(round) % shapes.size()];
    Transform<double> X = random.pose(1);
    if (round % 3 == 0) X.R = geometry_testing::random_quarter_turns(random);
    X.p.z = 0;
    half_space.clear();
    collide(a, X, HalfSpace{}, Transform<double>::identity(), std::numeric_limits<double>::infinity(), half_space);
    X.p.z = random.even(0.02) - half_space[0].distance;  // a gap, or a depth, of up to 20 mm
    const double margin = 0.03;
    half_space.clear();
    collide(a, X, HalfSpace{}, Transform<double>::identity(), margin, half_space);
    const Transform<double> X_WT = random.pose(3);
    for (const Shape* ground : {&mesh, &field}) {
      list.clear();
      ASSERT_EQ(collide(a, X_WT * X, *ground, X_WT, margin, list), 1) << round;
      const Manifold& m = list[0];
      EXPECT_NEAR(norm(m.normal - X_WT.R.z), 0, 1e-9) << round;
      EXPECT_NEAR(m.distance, half_space[0].distance, 1e-12) << round;
      EXPECT_NEAR(least_gap(list), m.distance, 1e-12) << round;
      for (int k = 0; k < m.count; ++k) {
        const Vector b = transpose_times(X_WT.R, on_b(m, m.points[k]) - X_WT.p);
        EXPECT_NEAR(b.z, 0, 1e-12) << round;
      }
    }
  }
}

// A box that lies on many triangles stands on its four corners.
TEST(Terrain, ABoxStandsOnItsCorners) {
  RandomSpatial random(2);
  const Shape mesh = mesh_of(plain(20, 2, random, level));
  const Box box{{0.5, 0.4, 0.3}};
  for (int round = 0; round < 50; ++round) {
    const double t = random.even(3), gap = random.even(1e-3);
    const Transform<double> X{{{std::cos(t), std::sin(t), 0}, {-std::sin(t), std::cos(t), 0}, {0, 0, 1}},
                              {random.even(), random.even(), 0.3 + gap}};
    ManifoldList list;
    ASSERT_EQ(collide(box, X, mesh, Transform<double>::identity(), 0.01, list), 1);
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.4, 0.4}) {
        const Vector corner = X * Vector{x, y, -0.3};
        double nearest = 1;
        for (int k = 0; k < list[0].count; ++k)
          nearest = std::min(nearest, norm(on_a(list[0], list[0].points[k]) - corner));
        EXPECT_LT(nearest, 1e-12);
      }
  }
}

// Hills: the distance of a ball is that of its centre from the nearest triangle, minus its radius.
TEST(Terrain, BallsOverHills) {
  RandomSpatial random(3);
  const auto hills = [](double x, double y) { return 0.5 * std::sin(2 * x) * std::cos(3 * y); };
  const Triangles t = plain(16, 2, random, hills);
  const Mesh mesh = mesh_of(t);
  std::vector<double> heights;
  for (int j = 0; j < 17; ++j)
    for (int i = 0; i < 17; ++i) heights.push_back(hills(-2 + 0.25 * i, -2 + 0.25 * j));
  const HeightField field = field_of(17, 17, 0.25, heights);
  const Sphere ball{0.1};
  for (int round = 0; round < 400; ++round) {
    const double x = random.even(1.6), y = random.even(1.6);
    const Transform<double> X{random.rotation(), {x, y, hills(x, y) + 0.1 + random.unit()}};
    double to_mesh = 10, to_field = 10;
    for (int k = 0; k < int(mesh.mesh->triangles.size()); ++k)
      to_mesh = std::min(to_mesh, point_triangle(X.p, mesh.mesh->corners(k)));
    for (int k = 0; k < field.grid->triangle_count(); ++k)
      to_field = std::min(to_field, point_triangle(X.p, field.grid->corners(k)));
    const Transform<double> X_WT = random.pose(5);
    for (const auto& [ground, expected] : {std::pair{Shape(mesh), to_mesh}, std::pair{Shape(field), to_field}}) {
      const std::optional<Nearest> near = signed_distance(ball, X_WT * X, ground, X_WT);
      ASSERT_TRUE(near);
      EXPECT_NEAR(near->distance, expected - 0.1, 1e-12);
      EXPECT_NEAR(norm(near->on_a - near->on_b), std::abs(near->distance), 1e-12);
    }
  }
}

TEST(Terrain, AValleyHoldsFromBothSides) {
  Triangles t;
  t.vertices = {{0, -1, 0}, {0, 1, 0}, {-1, 0, 1}, {1, 0, 1}};
  t.triangles = {{0, 1, 2}, {1, 0, 3}};
  const double r = 0.2;
  const Transform<double> X{Mat3<double>::identity(), {0, 0, r * std::sqrt(2) + 1e-3}};
  ManifoldList list;
  ASSERT_EQ(collide(Sphere{r}, X, mesh_of(t), Transform<double>::identity(), 0.01, list), 2);
  EXPECT_NEAR(norm(list[0].normal - std::sqrt(0.5) * Vector{1, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(norm(list[1].normal - std::sqrt(0.5) * Vector{-1, 0, 1}), 0, 1e-12);
  EXPECT_EQ(list[1].piece_b, 1u);
  EXPECT_NEAR(list[0].distance, 1e-3 * std::sqrt(0.5), 1e-12);
}

TEST(Terrain, ARidgeIsTouchedOnce) {
  Triangles t;
  t.vertices = {{0, -1, 0}, {0, 1, 0}, {-1, 0, -1}, {1, 0, -1}};
  t.triangles = {{0, 1, 2}, {1, 0, 3}};
  const Transform<double> X{Mat3<double>::identity(), {0.02, 0, 0.2}};
  ManifoldList list;
  ASSERT_EQ(collide(Sphere{0.2}, X, mesh_of(t), Transform<double>::identity(), 0.01, list), 1);
  EXPECT_NEAR(list[0].distance, std::hypot(0.02, 0.2) - 0.2, 1e-15);
  EXPECT_EQ(list[0].count, 1);
}

TEST(Terrain, BehindASurfaceAndBelowGround) {
  RandomSpatial random(4);
  const Shape mesh = mesh_of(plain(4, 1, random, level));
  const Shape field = field_of(5, 5, 0.5, std::vector<double>(25, 0.0), -2);
  const Shape ball = Sphere{0.1};
  ManifoldList list;
  const auto at = [](double z) { return Transform<double>{Mat3<double>::identity(), {0.13, 0.07, z}}; };
  const Transform<double> here = Transform<double>::identity();
  EXPECT_EQ(collide(ball, at(-0.15), mesh, here, 0.1, list), 0);  // behind the surface, without touching it
  ASSERT_EQ(collide(ball, at(-0.05), mesh, here, 0.1, list), 1);  // partly through it: pushed back to the front
  EXPECT_NEAR(list[0].distance, -0.15, 1e-15);
  EXPECT_NEAR(list[0].normal.z, 1, 1e-15);
  list.clear();
  ASSERT_EQ(collide(ball, at(-0.5), field, here, 0.1, list), 1);  // buried
  EXPECT_NEAR(list[0].distance, -0.6, 1e-15);
  EXPECT_NEAR(list[0].normal.z, 1, 1e-15);
}

// A closed mesh of a box, from outside, is that box.
TEST(Terrain, AMeshOfABoxIsABox) {
  RandomSpatial random(5);
  const Box box{{0.5, 0.4, 0.3}};
  const Shape mesh = mesh_of(box_mesh(box.half, Transform<double>::identity()));
  const std::vector<Shape> shapes = convex_shapes(random);
  int apart = 0;
  for (int round = 0; round < 700; ++round) {
    const Shape& a = shapes[std::size_t(round) % shapes.size()];
    const Transform<double> X_WA = random.pose(1), X_WB = random.pose(0.3);
    const std::optional<Nearest> expected = signed_distance(a, X_WA, box, X_WB);
    if (!(expected->distance > 0)) continue;
    ++apart;
    const std::optional<Nearest> near = signed_distance(a, X_WA, mesh, X_WB),
                                 back = signed_distance(mesh, X_WB, a, X_WA);
    ASSERT_TRUE(near && back);
    EXPECT_NEAR(near->distance, expected->distance, 1e-11) << round;
    EXPECT_NEAR(norm(near->normal - expected->normal), 0, 1e-5) << round;
    EXPECT_EQ(near->distance, back->distance);
    EXPECT_NEAR(norm(near->normal + back->normal), 0, 0);
  }
  EXPECT_GT(apart, 300);
}

TEST(Terrain, TwoMeshesOfBoxesAreTwoBoxes) {
  RandomSpatial random(6);
  const Box a{{0.5, 0.4, 0.3}}, b{{0.2, 0.3, 0.6}};
  const Shape mesh_a = mesh_of(box_mesh(a.half, Transform<double>::identity())),
              mesh_b = mesh_of(box_mesh(b.half, Transform<double>::identity()));
  int apart = 0;
  for (int round = 0; round < 200; ++round) {
    const Transform<double> X_WA = random.pose(1), X_WB = random.pose(0.3);
    const std::optional<Nearest> expected = signed_distance(a, X_WA, b, X_WB);
    if (!(expected->distance > 0)) continue;
    ++apart;
    const std::optional<Nearest> near = signed_distance(mesh_a, X_WA, mesh_b, X_WB);
    ASSERT_TRUE(near);
    EXPECT_NEAR(near->distance, expected->distance, 1e-11) << round;
  }
  EXPECT_GT(apart, 80);
}

// A pyramid of triangles on its tip has one point, on its base four; out of reach it has none.
TEST(Terrain, CornersOverAHalfSpace) {
  const Mesh pyramid = mesh_of({{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, -2}},
                                {{0, 1, 2}, {0, 2, 3}, {1, 0, 4}, {2, 1, 4}, {3, 2, 4}, {0, 3, 4}}});
  const Transform<double> here = Transform<double>::identity();
  const auto at = [](double z) { return Transform<double>{Mat3<double>::identity(), {0.3, 0.4, z}}; };
  ManifoldList list;
  ASSERT_EQ(collide(pyramid, at(2.01), HalfSpace{}, here, 0.02, list), 1);
  ASSERT_EQ(list[0].count, 1);
  EXPECT_NEAR(list[0].distance, 0.01, 1e-15);
  EXPECT_LT(norm(on_a(list[0], list[0].points[0]) - Vector{0.3, 0.4, 0.01}), 1e-15);
  EXPECT_LT(norm(on_b(list[0], list[0].points[0]) - Vector{0.3, 0.4, 0}), 1e-15);
  EXPECT_EQ(collide(pyramid, at(2.03), HalfSpace{}, here, 0.02, list), 0);
  list.clear();
  const Transform<double> upside_down{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, -0.01}};
  ASSERT_EQ(collide(pyramid, upside_down, HalfSpace{}, here, 0.02, list), 1);
  EXPECT_EQ(list[0].count, 4);
  EXPECT_NEAR(list[0].distance, -0.01, 1e-15);
}

TEST(Terrain, OverAHalfSpace) {
  RandomSpatial random(7);
  const Box box{{0.5, 0.4, 0.3}};
  const Shape mesh = mesh_of(box_mesh(box.half, Transform<double>::identity()));
  for (int round = 0; round < 100; ++round) {
    const Transform<double> X_WA = random.pose(1), X_WB = random.pose(1);
    const double expected = signed_distance(box, X_WA, HalfSpace{}, X_WB)->distance;
    const std::optional<Nearest> near = signed_distance(mesh, X_WA, HalfSpace{}, X_WB),
                                 back = signed_distance(HalfSpace{}, X_WB, mesh, X_WA);
    EXPECT_NEAR(near->distance, expected, 1e-14);
    EXPECT_NEAR(back->distance, expected, 1e-14);
    // The normal points from B towards A: out of the half-space, or into it. The mesh's point is a corner of the box,
    // the other one is in the plane below it.
    EXPECT_LE(norm(near->normal - X_WB.R.z), 1e-15);
    EXPECT_LE(norm(back->normal + X_WB.R.z), 1e-15);
    EXPECT_NEAR(dot(X_WB.R.z, near->on_a - X_WB.p), expected, 1e-14);
    EXPECT_NEAR(dot(X_WB.R.z, near->on_b - X_WB.p), 0, 1e-14);
    EXPECT_NEAR(dot(X_WB.R.z, back->on_b - X_WB.p), expected, 1e-14);
    const Vector corner = transpose_times(X_WA.R, near->on_a - X_WA.p);
    EXPECT_NEAR(std::abs(corner.x), box.half.x, 1e-14);
    EXPECT_NEAR(std::abs(corner.y), box.half.y, 1e-14);
    EXPECT_NEAR(std::abs(corner.z), box.half.z, 1e-14);
  }
}

// The lower 16 bits of a contact's feature number what it touches of the triangle. Below solid ground, where the
// triangle is within the box's face, that is a corner each.
TEST(Terrain, ACornerHasTheNumberOfItsPlaceInTheTriangle) {
  const HeightField field = field_of(2, 2, 1, {0, 0.1, 0.2, 0.1});
  for (int t = 0; t < 2; ++t) {
    const TerrainTriangle triangle = terrain_triangle(*field.grid, t);
    Manifold m;
    const Transform<double> X{Mat3<double>::identity(), {0, 0, -5}};
    ASSERT_TRUE(core_terrain(core_of(Box{{3, 3, 1}}), X, triangle, 0.01, m));
    ASSERT_EQ(m.count, 3);
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t number = m.points[k].feature & 0xffff;
      ASSERT_LT(number, 3u);
      EXPECT_LE(norm(on_b(m, m.points[k]) - triangle.corners[number]), 1e-14) << "triangle " << t;
    }
  }
}

// A ball over a triangle meets its face, and still does when it has sunk into the ground, where the triangle's plane
// decides: the number stays the same.
TEST(Terrain, AFaceKeepsItsNumberBelowGround) {
  const HeightField field = field_of(2, 2, 1, {0, 0.1, 0.2, 0.1});
  for (int t = 0; t < 2; ++t) {
    const TerrainTriangle triangle = terrain_triangle(*field.grid, t);
    const Vector middle = (1.0 / 3) * (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]);
    std::vector<std::uint32_t> numbers;
    for (const double height : {0.15, 0.1, 0.05, -0.05, -0.5, -3.0}) {
      Manifold m;
      ASSERT_TRUE(core_terrain(core_of(Sphere{0.1}), {Mat3<double>::identity(), middle + height * triangle.normal},
                               triangle, 0.1, m));
      ASSERT_EQ(m.count, 1);
      EXPECT_NEAR(m.distance, height - 0.1, 1e-14);
      EXPECT_NEAR(norm(m.normal - triangle.normal), 0, 1e-14);
      numbers.push_back(m.points[0].feature);
    }
    EXPECT_EQ(numbers, std::vector<std::uint32_t>(6, numbers[0])) << "triangle " << t;
  }
}

// A feature is the same in each step as long as the same features meet (manifold.h), so a point on one triangle keeps
// its number when the shape reaches other triangles of the plane, or leaves them.
TEST(Terrain, NumbersDoNotDependOnOtherTriangles) {
  const auto on_triangle = [](std::uint32_t t) {
    Manifold m{};
    m.normal = {0, 0, 1};
    m.piece_b = t;
    m.count = 2;
    for (int k = 0; k < 2; ++k) m.points[k] = {{double(t), double(k), 0}, 0, 0x30000u + std::uint32_t(k)};
    return m;
  };
  const auto features_on = [&](std::uint32_t wanted, const std::vector<std::uint32_t>& touched) {
    ManifoldList list;
    for (const std::uint32_t t : touched) {
      list.next() = on_triangle(t);
      list.keep();
    }
    join_coplanar(0, list);
    EXPECT_EQ(list.size(), 1u);
    std::vector<std::uint32_t> features(2);
    for (int k = 0; k < list[0].count; ++k)
      if (list[0].points[k].p.x == wanted) features[std::size_t(list[0].points[k].p.y)] = list[0].points[k].feature;
    return features;
  };
  const std::vector<std::uint32_t> alone = features_on(7, {7});
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_EQ(alone[0] >> 16, 3u);  // the part of A is kept
  EXPECT_EQ(features_on(7, {3, 7}), alone);
  EXPECT_EQ(features_on(7, {3, 5, 7}), alone);
  EXPECT_EQ(features_on(7, {7, 9}), alone);
}

// Points that are joined have different numbers, whichever numbers they had on their triangles. Of 65536 second ones,
// some must meet a number of the first triangle.
TEST(Terrain, JoinedPointsHaveDifferentNumbers) {
  const auto on_triangle = [](std::uint32_t t, int count, std::uint32_t number) {
    Manifold m{};
    m.normal = {0, 0, 1};
    m.piece_b = t;
    m.count = count;
    for (int k = 0; k < count; ++k) m.points[k] = {{double(t), double(k), 0}, 0, 0x30000u + ((number + k) & 0xffffu)};
    return m;
  };
  ManifoldList list;
  for (std::uint32_t number = 0; number < 0x10000u; ++number) {
    list.clear();
    list.next() = on_triangle(0, 3, 0);
    list.keep();
    list.next() = on_triangle(1, 2, number);
    list.keep();
    join_coplanar(0, list);
    ASSERT_EQ(list.size(), 1u);
    ASSERT_EQ(list[0].count, 5);
    for (int k = 0; k < 5; ++k) {
      ASSERT_EQ(list[0].points[k].feature >> 16, 3u);
      for (int l = 0; l < k; ++l) ASSERT_NE(list[0].points[k].feature, list[0].points[l].feature) << number;
    }
  }
}

// What was in the memory of a list, be it far away or NaN, is not part of what is found.
TEST(Terrain, WhatAListHeldBeforeDoesNotMatter) {
  RandomSpatial random(9);
  const Shape mesh = mesh_of(plain(8, 1, random, level)), field = field_of(9, 9, 0.25, std::vector<double>(81, 0.0));
  const std::vector<Shape> shapes = convex_shapes(random);
  for (int round = 0; round < 200; ++round) {
    const Shape& a = shapes[std::size_t(round) % shapes.size()];
    const Shape& ground = round % 2 ? mesh : field;
    const Transform<double> X{geometry_testing::random_quarter_turns(random),
                              {random.even(0.5), random.even(0.5), 0.2}};
    ManifoldList fresh;
    collide(a, X, ground, Transform<double>::identity(), 0.05, fresh);
    for (const double stale : {1e15, std::nan("")}) {
      ManifoldList used;
      for (int i = 0; i < 100; ++i) {
        Manifold& m = used.next();
        m.normal = {stale, stale, stale};
        m.distance = stale;
        m.count = most_points;
        m.piece_a = m.piece_b = 77;
        for (ContactPoint& c : m.points) c = {{stale, stale, stale}, stale, 77};
        used.keep();
      }
      used.clear();
      collide(a, X, ground, Transform<double>::identity(), 0.05, used);
      ASSERT_EQ(used.size(), fresh.size()) << round;
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        const Manifold &m = fresh[i], &n = used[i];
        ASSERT_EQ(n.count, m.count) << round;
        EXPECT_EQ(n.distance, m.distance);
        EXPECT_EQ(n.piece_a, m.piece_a);
        EXPECT_EQ(n.piece_b, m.piece_b);
        EXPECT_EQ(norm(n.normal - m.normal), 0);
        for (int k = 0; k < m.count; ++k) {
          EXPECT_EQ(norm(n.points[k].p - m.points[k].p), 0);
          EXPECT_EQ(n.points[k].gap, m.points[k].gap);
          EXPECT_EQ(n.points[k].feature, m.points[k].feature);
        }
      }
    }
  }
}

TEST(Terrain, PosesThatAreNone) {
  RandomSpatial random(8);
  const Shape mesh = mesh_of(plain(4, 1, random, level)), field = field_of(5, 5, 0.5, std::vector<double>(25, 0.0));
  Transform<double> X = Transform<double>::identity();
  X.p.x = std::nan("");
  ManifoldList list;
  for (const Shape& a : convex_shapes(random))
    for (const Shape* ground : {&mesh, &field}) {
      EXPECT_EQ(collide(a, X, *ground, Transform<double>::identity(), 0.1, list), 0);
      EXPECT_EQ(collide(a, Transform<double>::identity(), *ground, X, 0.1, list), 0);
    }
}

}  // namespace
}  // namespace linchpin

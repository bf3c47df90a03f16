#include "linchpin/geometry/shapes/solid.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/mesh_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

// Volume, its first moment along z, and its second moments, integrated slice by slice along z.
struct Integrals {
  double volume = 0, z = 0, xx = 0, yy = 0, zz = 0;
};
struct Slice {
  double area, xx, yy;  // of the section at one height: its area and second moments
};
// Gauss' rule of three points, exact for polynomials of degree 5; those here have at most 4 between the heights given.
template <class Section>
Integrals integrate(const std::vector<double>& heights, const Section& section) {
  const double node[] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weight[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  Integrals sum;
  for (std::size_t i = 0; i + 1 < heights.size(); ++i) {
    const double middle = (heights[i] + heights[i + 1]) / 2, half = (heights[i + 1] - heights[i]) / 2;
    for (int k = 0; k < 3; ++k) {
      const double z = middle + half * node[k], w = half * weight[k];
      const Slice s = section(z);
      sum.volume += w * s.area;
      sum.z += w * s.area * z;
      sum.xx += w * s.xx;
      sum.yy += w * s.yy;
      sum.zz += w * s.area * z * z;
    }
  }
  return sum;
}
Slice disc(double radius_squared) {
  const double second = pi * radius_squared * radius_squared / 4;
  return {pi * radius_squared, second, second};
}

Integrals integrals(const Sphere& s) {
  return integrate({-s.radius, s.radius}, [&](double z) { return disc(s.radius * s.radius - z * z); });
}
Integrals integrals(const Cylinder& c) {
  return integrate({-c.half_length, c.half_length}, [&](double) { return disc(c.radius * c.radius); });
}
Integrals integrals(const Capsule& c) {
  const double l = c.half_length, r = c.radius;
  return integrate({-l - r, -l, l, l + r}, [&](double z) {
    const double beyond = std::max(0.0, std::abs(z) - l);
    return disc(r * r - beyond * beyond);
  });
}
Integrals integrals(const Box& b) {
  const double area = 4 * b.half.x * b.half.y;
  return integrate({-b.half.z, b.half.z}, [&](double) {
    return Slice{area, area * b.half.x * b.half.x / 3, area * b.half.y * b.half.y / 3};
  });
}

Integrals integrals(const Ellipsoid& e) {
  return integrate({-e.radii.z, e.radii.z}, [&](double z) {
    const Slice s = disc(1 - z * z / (e.radii.z * e.radii.z));  // of the unit disc, stretched
    const double area = e.radii.x * e.radii.y;
    return Slice{area * s.area, area * e.radii.x * e.radii.x * s.xx, area * e.radii.y * e.radii.y * s.yy};
  });
}
Integrals integrals(const Cone& c) {
  return integrate({-c.half_length, c.half_length}, [&](double z) {
    const double r = c.radius * (c.half_length - z) / (2 * c.half_length);
    return disc(r * r);
  });
}

Solid solid_of(const Shape& shape) {
  const auto result = solid(shape);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.value();
}
void expect_same(const Solid& a, const Solid& b, double relative) {
  EXPECT_NEAR(a.volume, b.volume, relative * b.volume);
  const double size = std::cbrt(b.volume) + norm(b.centre);
  EXPECT_LE(distance(a.centre, b.centre), relative * size);
  EXPECT_LE(distance(a.moments, b.moments), relative * (b.moments.xx + b.moments.yy + b.moments.zz));
}
Shape hull_shape(const std::vector<Vec3<double>>& points) {
  return ConvexHull{std::make_shared<const Hull>(convex_hull(points).value())};
}
Shape mesh_shape(const Triangles& t) {
  const auto mesh = make_mesh(t.vertices, t.triangles);
  EXPECT_TRUE(mesh.ok()) << mesh.error().message;
  return Mesh{std::make_shared<const TriangleMesh>(mesh.value())};
}
Shape compound(std::vector<PlacedShape> parts) {
  return Compound{std::make_shared<const std::vector<PlacedShape>>(std::move(parts))};
}

template <class S>
void expect_integrals(const S& shape) {
  const Integrals i = integrals(shape);
  const double z = i.z / i.volume, zz = i.zz - i.volume * z * z;
  const Solid expected{i.volume, {0, 0, z}, Sym3<double>::diagonal(i.yy + zz, i.xx + zz, i.xx + i.yy)};
  expect_same(solid_of(shape), expected, 2e-14);
}

TEST(Solid, AreTheIntegrals) {
  for (const double r : {0.01, 0.7, 30.0}) {
    expect_integrals(Sphere{r});
    for (const double l : {0.003, 1.0, 50.0}) {
      expect_integrals(Capsule{r, l});
      expect_integrals(Cylinder{r, l});
      expect_integrals(Box{{r, l, 0.4}});
      expect_integrals(Ellipsoid{{r, 0.4, l}});
      expect_integrals(Cone{r, l});
    }
  }
}

TEST(Solid, TextbookNumbers) {
  const Solid sphere = solid_of(Sphere{3}), box = solid_of(Box{{1, 2, 3}}), cone = solid_of(Cone{2, 1.5});
  EXPECT_NEAR(sphere.volume, 36 * pi, 1e-13);
  EXPECT_NEAR(sphere.moments.yy / sphere.volume, 0.4 * 9, 1e-14);
  EXPECT_NEAR(box.volume, 48, 1e-14);
  EXPECT_LT(distance((1 / box.volume) * box.moments, Sym3<double>::diagonal(13.0 / 3, 10.0 / 3, 5.0 / 3)), 1e-14);
  EXPECT_NEAR(cone.volume, 4 * pi, 1e-14);
  EXPECT_EQ(cone.centre.z, -0.75);
  EXPECT_NEAR(solid_of(Capsule{3, 0.5}).volume, 45 * pi, 1e-13);
  expect_same(solid_of(Capsule{0.3, 0}), solid_of(Sphere{0.3}), 1e-15);
}

// A hull and a mesh of a box are the box, wherever it lies.
TEST(Solid, BoxAsHullAndAsMesh) {
  RandomSpatial random(1);
  for (int i = 0; i < 50; ++i) {
    const double scale = random.magnitude(1e-3, 1e3);
    const Vec3<double> half = {scale * random.magnitude(0.1, 1), scale * random.magnitude(0.1, 1), scale};
    const Transform<double> X = random.pose(scale);
    const Solid expected = solid_of(compound({{Box{half}, X}}));
    EXPECT_NEAR(expected.volume, solid_of(Box{half}).volume, 1e-15 * expected.volume);
    EXPECT_LT(distance(expected.centre, X.p), 1e-15 * scale);
    const Triangles box = box_mesh(half, X);
    // rounding errors are relative to the distance from the origin, ten times the smallest length
    expect_same(solid_of(hull_shape(box.vertices)), expected, 1e-13);
    expect_same(solid_of(mesh_shape(box)), expected, 1e-13);
  }
}

// Counts the points of a lattice that are inside: an independent integration, accurate to the lattice's step.
TEST(Solid, HullAgainstCountedPoints) {
  RandomSpatial random(2);
  for (int i = 0; i < 3; ++i) {
    std::vector<Vec3<double>> points;
    for (int k = 0; k < 12; ++k) points.push_back(random.vector());
    const Hull hull = convex_hull(points).value();
    const Solid s = solid_of(hull_shape(points));
    double count = 0;
    Vec3<double> first = Vec3<double>::zero();
    Sym3<double> about = Sym3<double>::zero();
    const int n = 60;
    for (int a = 0; a < n * n * n; ++a) {
      const Vec3<double> p{(a % n + 0.5) * 2 / n - 1, (a / n % n + 0.5) * 2 / n - 1, (a / n / n + 0.5) * 2 / n - 1};
      bool inside = true;
      for (const Hull::Face& f : hull.faces) inside = inside && dot(f.normal, p) <= f.offset;
      if (!inside) continue;
      ++count;
      first += p;
      about += cross_square(p - s.centre);
    }
    const double cell = 8.0 / (n * n * n);
    EXPECT_NEAR(count * cell, s.volume, 0.01 * s.volume);
    EXPECT_LT(distance((1 / count) * first, s.centre), 0.005);
    EXPECT_LT(distance(cell * about, s.moments), 0.015 * (s.moments.xx + s.moments.yy + s.moments.zz));
  }
}

// Meshes of a torus converge with the square of the step.
TEST(Solid, TorusMeshConverges) {
  const double R = 1, r = 0.3, V = 2 * pi * pi * R * r * r;
  const Sym3<double> moments =
      V * Sym3<double>::diagonal(R * R / 2 + 5.0 / 8 * r * r, R * R / 2 + 5.0 / 8 * r * r, R * R + 0.75 * r * r);
  double last = 1;
  for (const int n : {12, 24, 48}) {
    const Solid s = solid_of(mesh_shape(torus_mesh(R, r, n, n)));
    const double error = larger(std::abs(s.volume / V - 1), distance(s.moments, moments) / moments.zz);
    EXPECT_LT(error, last / 3.5);
    EXPECT_LT(norm(s.centre), 1e-15);
    last = error;
  }
  EXPECT_LT(last, 0.02);
}

// A cavity is a closed surface with normals pointing into it.
TEST(Solid, MeshWithACavity) {
  const Transform<double> X = Transform<double>::identity();
  Triangles shell = box_mesh({1, 1, 1}, X), inner = box_mesh({0.5, 0.5, 0.5}, X);
  for (auto& t : inner.triangles) std::swap(t[1], t[2]);
  append(shell, inner);
  const Solid s = solid_of(mesh_shape(shell)), out = solid_of(Box{{1, 1, 1}}), in = solid_of(Box{{0.5, 0.5, 0.5}});
  EXPECT_NEAR(s.volume, out.volume - in.volume, 1e-14);
  EXPECT_LT(distance(s.moments, out.moments - in.moments), 1e-14);
}

// A compound of two halves is the whole; parts that overlap count twice.
TEST(Solid, CompoundOfParts) {
  RandomSpatial random(3);
  const Transform<double> X = random.pose();
  const Transform<double> left{Mat3<double>::identity(), {-0.5, 0, 0}}, right{Mat3<double>::identity(), {0.5, 0, 0}};
  const Box half{{0.5, 0.7, 0.3}}, whole{{1, 0.7, 0.3}};
  expect_same(solid_of(compound({{half, X * left}, {half, X * right}})), solid_of(compound({{whole, X}})), 1e-14);
  const Solid twice = solid_of(compound({{half, X}, {half, X}})), once = solid_of(compound({{half, X}}));
  EXPECT_DOUBLE_EQ(twice.volume, 2 * once.volume);
  EXPECT_LT(distance(twice.moments, 2.0 * once.moments), 1e-15);
}

// Over each triangle the height is linear and the integrands have degree 4 at most: Gauss' three points along each of
// two directions of a triangle's collapsed square (degree 5) are exact.
TEST(Solid, HeightFieldAgainstGauss) {
  RandomSpatial random(4);
  const int columns = 5, rows = 4;
  const double floor = -0.4;
  std::vector<double> heights;
  for (int i = 0; i < columns * rows; ++i) heights.push_back(random.even(0.3));
  const HeightGrid grid = make_height_grid(columns, rows, 0.2, 0.5, heights, floor).value();
  const double node[] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weight[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const auto integral = [&](const std::function<double(double, double, double)>& column) {  // of x, y and the height
    double sum = 0;
    for (int t = 0; t < grid.triangle_count(); ++t) {
      const auto [a, b, c] = grid.corners(t);
      const double twice_area = cross(b - a, c - a).z;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double u = (1 + node[i]) / 2, v = (1 + node[j]) / 2;
          const Vec3<double> p = a + u * (b - a) + (u * v) * (c - b);
          sum += twice_area * u * weight[i] * weight[j] / 4 * column(p.x, p.y, p.z);
        }
    }
    return sum;
  };
  const auto depth = [&](double h) { return h - floor; };
  const auto square = [&](double h) { return (h * h - floor * floor) / 2; };
  const double V = integral([&](double, double, double h) { return depth(h); });
  const Vec3<double> c = {integral([&](double x, double, double h) { return x * depth(h); }) / V,
                          integral([&](double, double y, double h) { return y * depth(h); }) / V,
                          integral([&](double, double, double h) { return square(h); }) / V};
  const double xx = integral([&](double x, double, double h) { return x * x * depth(h); }) - V * c.x * c.x;
  const double yy = integral([&](double, double y, double h) { return y * y * depth(h); }) - V * c.y * c.y;
  const double zz =
      integral([&](double, double, double h) { return (h * h * h - floor * floor * floor) / 3; }) - V * c.z * c.z;
  const double xy = integral([&](double x, double y, double h) { return x * y * depth(h); }) - V * c.x * c.y;
  const double xz = integral([&](double x, double, double h) { return x * square(h); }) - V * c.x * c.z;
  const double yz = integral([&](double, double y, double h) { return y * square(h); }) - V * c.y * c.z;
  const Solid s = solid_of(HeightField{std::make_shared<const HeightGrid>(grid)});
  expect_same(s, {V, c, {yy + zz, xx + zz, xx + yy, -xy, -xz, -yz}}, 1e-13);
}

TEST(Solid, FlatHullWeighsNothing) {
  const Solid s = solid_of(hull_shape({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(s.volume, 0);
  EXPECT_LT(distance(s.centre, {0.5, 0.5, 0}), 1e-15);
}

TEST(Solid, WhatHasNoMassSaysWhy) {
  const auto says = [](const Shape& shape, const std::string& part) {
    const auto result = solid(shape);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  };
  says(HalfSpace{}, "unbounded");
  says(ConvexHull{}, "no data");
  says(Mesh{}, "no data");
  says(HeightField{}, "no data");
  says(Compound{}, "no data");
  Triangles open = box_mesh({1, 1, 1}, Transform<double>::identity()), inverted = open;
  open.triangles.pop_back();
  says(mesh_shape(open), "not closed: triangle");
  for (auto& t : inverted.triangles) std::swap(t[1], t[2]);
  says(mesh_shape(inverted), "inside out: its volume is -8 m^3");
  says(compound({{Sphere{1}}, {HalfSpace{}}}), "part 1: ");
}

TEST(Solid, MomentsGrowWithTheFifthPowerOfTheSize) {
  const Shape small[] = {Sphere{0.5}, Box{{0.1, 0.2, 0.3}}, Capsule{0.2, 0.7}, Cylinder{0.3, 0.1}, Cone{0.1, 0.4}};
  const Shape large[] = {Sphere{1.5}, Box{{0.3, 0.6, 0.9}}, Capsule{0.6, 2.1}, Cylinder{0.9, 0.3}, Cone{0.3, 1.2}};
  for (int i = 0; i < 5; ++i) {
    const Solid s = solid_of(small[i]), l = solid_of(large[i]);
    EXPECT_NEAR(l.volume, 27 * s.volume, 1e-13);
    EXPECT_LT(distance(l.moments, 243.0 * s.moments), 1e-13);
    EXPECT_LE(s.moments.zz, s.moments.xx + s.moments.yy);
    EXPECT_LE(s.moments.xx, s.moments.yy + s.moments.zz);
  }
}

}  // namespace
}  // namespace linchpin

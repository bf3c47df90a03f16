#include "linchpin/geometry/shapes/ray.h"

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/geometry/shapes/ray_testing.h"

namespace linchpin {
namespace {

const Transform<double> here = Transform<double>::identity();

TEST(Ray, HitsAreOnTheSurfaceAndNothingIsNearer) {
  RandomSpatial random(31);
  int hits = 0;
  for (int i = 0; i < 7000; ++i) hits += random_cast_is_right(random, i % bounded_kinds);
  EXPECT_GT(hits, 2000);
}

TEST(Ray, ClosedForms) {
  const auto expect = [](const char* what, const Ray& ray, const Shape& shape, double t, const Vec3<double>& normal) {
    const std::optional<RayHit> hit = cast(ray, shape, here);
    ASSERT_TRUE(hit.has_value()) << what;
    EXPECT_NEAR(hit->t, t, 1e-15 * (1 + t)) << what;
    EXPECT_LE(distance(hit->normal, normal), 1e-15) << what;
    EXPECT_EQ(hit->piece, 0u);
  };
  const double half = std::sqrt(0.5);
  expect("a sphere", {{-3, 0, 0}, {2, 0, 0}}, Sphere{1}, 1, {-1, 0, 0});
  expect("a sphere off its centre", {{-3, 0.6, 0}, {1, 0, 0}}, Sphere{1}, 2.2, {-0.8, 0.6, 0});
  expect("a capsule's cap", {{0, 0, 5}, {0, 0, -1}}, Capsule{1, 2}, 2, {0, 0, 1});
  expect("a capsule's side", {{0, 5, 1}, {0, -1, 0}}, Capsule{1, 2}, 4, {0, 1, 0});
  expect("a box", {{5, 0.5, 0}, {-2, 0, 0}}, Box{{1, 2, 3}}, 2, {1, 0, 0});
  expect("a cylinder's end", {{0.5, 0, -5}, {0, 0, 1}}, Cylinder{1, 2}, 3, {0, 0, -1});
  expect("a cylinder's side", {{5, 0, 0}, {-1, 0, 0}}, Cylinder{1, 2}, 4, {1, 0, 0});
  expect("an ellipsoid", {{0, 0, 9}, {0, 0, -1}}, Ellipsoid{{1, 2, 3}}, 6, {0, 0, 1});
  expect("a cone's base", {{0.5, 0, -5}, {0, 0, 1}}, Cone{1, 0.5}, 4.5, {0, 0, -1});
  expect("a cone's side", {{5, 0, 0}, {-1, 0, 0}}, Cone{1, 0.5}, 4.5, {half, 0, half});
  expect("a cone's side from above", {{0.5, 0, 5}, {0, 0, -1}}, Cone{1, 0.5}, 5, {half, 0, half});
  expect("a cone's apex", {{0, 0, 5}, {0, 0, -1}}, Cone{1, 0.5}, 4.5, {0, 0, 1});
  expect("along a cone's side", {{-1, 0, 1}, {1, 0, -1}}, Cone{1, 0.5}, 0.75, {-half, 0, half});
  expect("a half-space", {{1, 2, 3}, {0, 1, -2}}, HalfSpace{}, 1.5, {0, 0, 1});
  expect("a flat hull", {{0.5, 0.5, 3}, {0, 0, -1}}, ConvexHull{flat_rectangle(1, 2)}, 3, {0, 0, 1});
  expect("a flat hull from below", {{0.5, 0.5, -3}, {0, 0, 1}}, ConvexHull{flat_rectangle(1, 2)}, 3, {0, 0, -1});
  expect("a flat hull in its plane", {{-4, 0.5, 0}, {1, 0, 0}}, ConvexHull{flat_rectangle(1, 2)}, 3, {-1, 0, 0});
}

TEST(Ray, TouchesAndMisses) {
  const auto hits = [](const Ray& ray, const Shape& shape) { return cast(ray, shape, here).has_value(); };
  const double more = 1 + 1e-9;
  EXPECT_TRUE(hits({{-3, 1, 0}, {1, 0, 0}}, Sphere{1}));
  EXPECT_FALSE(hits({{-3, more, 0}, {1, 0, 0}}, Sphere{1}));
  EXPECT_TRUE(hits({{-3, 1, 0.5}, {1, 0, 0}}, Box{{1, 1, 1}}));
  EXPECT_FALSE(hits({{-3, more, 0.5}, {1, 0, 0}}, Box{{1, 1, 1}}));
  EXPECT_TRUE(hits({{1, 0, 9}, {0, 0, -1}}, Cylinder{1, 1}));
  EXPECT_FALSE(hits({{more, 0, 9}, {0, 0, -1}}, Cylinder{1, 1}));
  EXPECT_TRUE(hits({{-3, 0, 3}, {1, 0, 0}}, Capsule{1, 2}));
  EXPECT_FALSE(hits({{-3, 0, 3 * more}, {1, 0, 0}}, Capsule{1, 2}));
  EXPECT_TRUE(hits({{-9, 2, 0}, {1, 0, 0}}, Ellipsoid{{1, 2, 3}}));
  EXPECT_FALSE(hits({{-9, 2 * more, 0}, {1, 0, 0}}, Ellipsoid{{1, 2, 3}}));
  EXPECT_FALSE(hits({{-9, 0, 0.5 * more}, {1, 0, 0}}, Cone{1, 0.5}));
  EXPECT_TRUE(hits({{-9, 0, 0.499999}, {1, 0, 0}}, Cone{1, 0.5}));
  EXPECT_FALSE(hits({{0, 0, 9}, {1, 0, 0}}, HalfSpace{}));
  EXPECT_TRUE(hits({{0, 0, 0}, {1, 0, 0}}, HalfSpace{}));
  EXPECT_FALSE(hits({{1.1, 0.5, 3}, {0, 0, -1}}, ConvexHull{flat_rectangle(1, 2)}));
  EXPECT_FALSE(hits({{-4, 0.5, 1e-9}, {1, 0, 0}}, ConvexHull{flat_rectangle(1, 2)}));
  // behind, and beyond the limit
  EXPECT_FALSE(hits({{3, 0, 0}, {1, 0, 0}}, Sphere{1}));
  EXPECT_TRUE(hits({{-3, 0, 0}, {1, 0, 0}, 2}, Sphere{1}));
  EXPECT_FALSE(hits({{-3, 0, 0}, {1, 0, 0}, 1.999}, Sphere{1}));
  EXPECT_FALSE(hits({{-3, 0, 0}, {0.5, 0, 0}, 3.999}, Sphere{1}));
}

TEST(Ray, FromInsideHitsAtOnce) {
  RandomSpatial random(32);
  for (int i = 0; i < 700; ++i) {
    const Shape shape = random_shape(random, i % bounded_kinds, 0.5, 2);
    const Transform<double> X = random.pose();
    const Vec3<double> direction = random.magnitude(1e-3, 1e3) * random.direction();
    const std::optional<RayHit> hit = cast({X.p, direction, 0}, shape, X);
    ASSERT_TRUE(hit.has_value()) << i % bounded_kinds;
    EXPECT_EQ(hit->t, 0);
    EXPECT_LE(distance(hit->normal, (-1 / norm(direction)) * direction), 1e-15);
  }
}

TEST(Ray, WithoutDirectionOrWithNaNHitsNothing) {
  RandomSpatial random(33);
  const double nan = std::nan("");
  for (int kind = 0; kind <= bounded_kinds; ++kind) {
    const Shape shape = kind < bounded_kinds ? random_shape(random, kind, 1, 2) : Shape(HalfSpace{});
    EXPECT_FALSE(cast({{0, 0, 0}, {0, 0, 0}}, shape, here));
    EXPECT_FALSE(cast({{0, 0, 0}, {0, nan, 1}}, shape, here));
    EXPECT_FALSE(cast({{0, 0, 0}, {0, infinity, 1}}, shape, here));
    EXPECT_FALSE(cast({{0, nan, 0}, {0, 0, 1}}, shape, here));
    EXPECT_FALSE(cast({{0, 0, 0}, {0, 0, 1}, nan}, shape, here));
    EXPECT_FALSE(cast({{0, 0, 0}, {0, 0, 1}, -1}, shape, here));
    Transform<double> X = here;
    X.p.x = nan;
    EXPECT_FALSE(cast({{0, 0, 9}, {0, 0, -1}}, shape, X));
    X = here;
    X.R.y.y = nan;
    EXPECT_FALSE(cast({{0, 0, 9}, {0, 1, -1}}, shape, X));
    // lengths whose squares overflow or underflow
    EXPECT_TRUE(cast({{0, 0, 9}, {0, 0, -1e-200}}, shape, here));
    EXPECT_TRUE(cast({{0, 0, 9}, {0, 0, -1e200}}, shape, here));
  }
}

// The quadratic loses no digits far away: a ball of 1 mm seen from 1 km.
TEST(Ray, FromFarAwayIsAsSharpAsItsOrigin) {
  RandomSpatial random(34);
  for (int i = 0; i < 500; ++i) {
    const double radius = 1e-3, far = 1e3;
    const Vec3<double> u = random.direction(), aside = cross(u, random.direction());
    const Vec3<double> p = (0.7 * radius / norm(aside)) * aside;  // passes the centre at 0.7 of the radius
    const std::optional<RayHit> hit = cast({p - far * u, u}, Sphere{radius}, here);
    ASSERT_TRUE(hit.has_value());
    // The origin is known to 1e3 eps = 2e-13 m; that moves the hit by little more.
    EXPECT_NEAR(hit->t, far - radius * std::sqrt(1 - 0.49), 2e-12);
  }
}

TEST(Ray, HullsAreHitWhereTheirBoxesAre) {
  RandomSpatial random(35);
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> half{random.magnitude(0.01, 10), random.magnitude(0.01, 10), random.magnitude(0.01, 10)};
    const Transform<double> X = random.pose();
    const Ray ray{random.vector(15), random.direction()};
    const auto box = cast(ray, Box{half}, X), hull = cast(ray, ConvexHull{box_hull(half)}, X);
    ASSERT_EQ(box.has_value(), hull.has_value());
    if (!box) continue;
    EXPECT_NEAR(box->t, hull->t, 1e-13);
    EXPECT_LE(distance(box->normal, hull->normal), 1e-14);
  }
}

// A flat hull anywhere in its frame: a rectangle with half sides 1 and 2 along the axes of X_SR. A ray towards the
// point (a, b) of its plane hits it if |a| <= 1 and |b| <= 2, on the side that the ray comes from.
TEST(Ray, FlatHullsAreHitBetweenTheirSides) {
  RandomSpatial random(37);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Transform<double> X_SR = random.pose(3), X = random.pose();
    std::vector<Vec3<double>> corners;
    for (const double x : {-1.0, 1.0})
      for (const double y : {-2.0, 2.0}) corners.push_back(X_SR * Vec3<double>{x, y, 0});
    const Shape flat = ConvexHull{std::make_shared<const Hull>(convex_hull(corners).value())};
    const double a = random.even(2), b = random.even(4);
    const double height = (i % 2 ? 1 : -1) * random.magnitude(0.1, 3);
    const Vec3<double> aim{a, b, 0}, from{random.even(3), random.even(3), height};
    const Transform<double> X_WR = X * X_SR;
    const auto hit = cast({X_WR * from, X_WR.R * (aim - from)}, flat, X);
    if (std::abs(std::abs(a) - 1) < 1e-12 || std::abs(std::abs(b) - 2) < 1e-12) continue;  // rounding decides
    ASSERT_EQ(hit.has_value(), std::abs(a) < 1 && std::abs(b) < 2) << a << ", " << b;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->t, 1, 1e-13);  // lengths of about 5 over heights of 0.1 and more
    EXPECT_LE(distance(hit->normal, (height > 0 ? 1 : -1) * X_WR.R.z), 1e-14);
  }
  EXPECT_GT(hits, 300);
}

TEST(Ray, CompoundsAreHitAtTheirNearestPart) {
  RandomSpatial random(36);
  for (int i = 0; i < 500; ++i) {
    const std::vector<PlacedShape> parts = random_parts(random, 5, i, 0.3);
    const Transform<double> X = random.pose(2);
    const Ray ray{random.vector(6), random.direction()};
    const auto hit = cast(ray, Compound{std::make_shared<const std::vector<PlacedShape>>(parts)}, X);
    std::optional<RayHit> expected;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto one = cast(ray, parts[k].shape, X * parts[k].X_SP);
      if (one && (!expected || one->t < expected->t)) expected = RayHit{one->t, one->normal, std::uint32_t(k)};
    }
    ASSERT_EQ(hit.has_value(), expected.has_value());
    if (!hit) continue;
    EXPECT_NEAR(hit->t, expected->t, 1e-13);
    EXPECT_LE(distance(hit->normal, expected->normal), 1e-13);
    if (hit->t > 0) {
      EXPECT_EQ(hit->piece, expected->piece);
    }
  }
}

}  // namespace
}  // namespace linchpin

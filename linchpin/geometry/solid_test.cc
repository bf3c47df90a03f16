#include "linchpin/geometry/solid.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

// Volume and second moments of volume, integrated slice by slice along z.
struct Integrals {
  double volume = 0, xx = 0, yy = 0, zz = 0;
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

void expect_near(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  EXPECT_NEAR(a.xx, b.xx, tolerance);
  EXPECT_NEAR(a.yy, b.yy, tolerance);
  EXPECT_NEAR(a.zz, b.zz, tolerance);
  EXPECT_NEAR(a.xy, b.xy, tolerance);
  EXPECT_NEAR(a.xz, b.xz, tolerance);
  EXPECT_NEAR(a.yz, b.yz, tolerance);
}

template <class S>
void expect_integrals(const S& shape, double mass) {
  const Integrals i = integrals(shape);
  EXPECT_NEAR(volume(shape), i.volume, 1e-14 * i.volume);
  const double density = mass / i.volume;
  const Sym3<double> expected =
      Sym3<double>::diagonal(density * (i.yy + i.zz), density * (i.xx + i.zz), density * (i.xx + i.yy));
  expect_near(moments_of_inertia(shape, mass), expected, 2e-14 * (expected.xx + expected.yy + expected.zz));
}

TEST(Shape, MassPropertiesAreTheIntegrals) {
  for (const double r : {0.01, 0.7, 30.0}) {
    expect_integrals(Sphere{r}, 2.5);
    for (const double l : {0.003, 1.0, 50.0}) {
      expect_integrals(Capsule{r, l}, 0.3);
      expect_integrals(Cylinder{r, l}, 7);
      expect_integrals(Box{{r, l, 0.4}}, 1.5);
    }
  }
}

TEST(Shape, TextbookNumbers) {
  expect_near(moments_of_inertia(Sphere{2}, 5), Sym3<double>::diagonal(8, 8, 8), 1e-14);
  expect_near(moments_of_inertia(Box{{1, 2, 3}}, 3), Sym3<double>::diagonal(13, 10, 5), 1e-14);
  expect_near(moments_of_inertia(Cylinder{2, 3}, 1), Sym3<double>::diagonal(4, 4, 2), 1e-14);
  EXPECT_NEAR(volume(Box{{1, 2, 3}}), 48, 1e-14);
  EXPECT_NEAR(volume(Sphere{3}), 36 * pi, 1e-13);
  EXPECT_NEAR(volume(Cylinder{2, 0.5}), 4 * pi, 1e-14);
  EXPECT_NEAR(volume(Capsule{3, 0.5}), 45 * pi, 1e-13);
}

TEST(Shape, CapsuleWithoutLengthIsASphere) {
  EXPECT_DOUBLE_EQ(volume(Capsule{0.3, 0}), volume(Sphere{0.3}));
  expect_near(moments_of_inertia(Capsule{0.3, 0}, 2), moments_of_inertia(Sphere{0.3}, 2), 1e-16);
}

// The caps become a vanishing part of it: the relative difference falls with r/l.
TEST(Shape, LongCapsuleTendsToACylinder) {
  for (const double l : {1e2, 1e4, 1e6}) {
    const Sym3<double> capsule = moments_of_inertia(Capsule{1, l}, 1), cylinder = moments_of_inertia(Cylinder{1, l}, 1);
    EXPECT_NEAR(volume(Capsule{1, l}) / volume(Cylinder{1, l}), 1, 1 / l);
    EXPECT_NEAR(capsule.xx / cylinder.xx, 1, 3 / l);
    EXPECT_NEAR(capsule.zz / cylinder.zz, 1, 1 / l);
  }
}

TEST(Shape, MomentsGrowWithTheMassAndTheSquareOfTheSize) {
  const Shape small[] = {Sphere{0.5}, Box{{0.1, 0.2, 0.3}}, Capsule{0.2, 0.7}, Cylinder{0.3, 0.1}};
  const Shape large[] = {Sphere{1.5}, Box{{0.3, 0.6, 0.9}}, Capsule{0.6, 2.1}, Cylinder{0.9, 0.3}};
  for (int i = 0; i < 4; ++i) {
    const Sym3<double> I = moments_of_inertia(small[i], 2);
    expect_near(moments_of_inertia(large[i], 10), 45.0 * I, 1e-13);
    EXPECT_NEAR(volume(large[i]), 27 * volume(small[i]), 1e-13);
    EXPECT_LE(I.zz, I.xx + I.yy);
    EXPECT_LE(I.xx, I.yy + I.zz);
  }
}

}  // namespace
}  // namespace linchpin

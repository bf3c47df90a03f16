#include "linchpin/spatial/vec.h"

#include <array>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double eps = 2.3e-16;  // entries below are at most 1, sums have three terms, each rounded once or twice

TEST(Vec3, ArithmeticByHand) {
  const Vec3<double> a{1, 2, 3}, b{4, -5, 6};
  EXPECT_EQ(distance(a + b, {5, -3, 9}), 0);
  EXPECT_EQ(distance(a - b, {-3, 7, -3}), 0);
  EXPECT_EQ(distance(-a, {-1, -2, -3}), 0);
  EXPECT_EQ(distance(2.0 * a, {2, 4, 6}), 0);
  EXPECT_EQ(distance(fma(2.0, a, b), {6, -1, 12}), 0);
  EXPECT_EQ(distance(Vec3<double>::zero(), {0, 0, 0}), 0);
  Vec3<double> c = a;
  c += b;
  EXPECT_EQ(distance(c, {5, -3, 9}), 0);
  c -= a;
  EXPECT_EQ(distance(c, b), 0);
}

TEST(Vec3, ProductsByHand) {
  const Vec3<double> a{1, 2, 3}, b{4, -5, 6};
  EXPECT_EQ(dot(a, b), 12);
  EXPECT_EQ(distance(cross(a, b), {27, 6, -13}), 0);
  EXPECT_EQ(norm(Vec3<double>{2, -3, 6}), 7);
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(distance(cross(x, y), z), 0);
  EXPECT_EQ(distance(cross(y, z), x), 0);
  EXPECT_EQ(distance(cross(z, x), y), 0);
}

// |a x b|^2 = |a|^2 |b|^2 - (a.b)^2, and a x b is across both.
TEST(Vec3, CrossProductObeysLagrange) {
  RandomSpatial random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3<double> a = random.vector(), b = random.vector(), c = cross(a, b);
    EXPECT_NEAR(dot(c, c), dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b), 20 * eps);
    EXPECT_NEAR(dot(a, c), 0, 10 * eps);
    EXPECT_NEAR(dot(b, c), 0, 10 * eps);
  }
}

TEST(Mat3, ColumnsAreImagesOfTheAxes) {
  const Mat3<double> R{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
  EXPECT_EQ(distance(R * Vec3<double>{1, 0, 0}, {1, 2, 3}), 0);
  EXPECT_EQ(distance(R * Vec3<double>{0, 1, 0}, {4, 5, 6}), 0);
  EXPECT_EQ(distance(R * Vec3<double>{0, 0, 1}, {7, 8, 10}), 0);
  EXPECT_EQ(distance(R * Vec3<double>{1, -1, 2}, {11, 13, 17}), 0);
  EXPECT_EQ(distance(transpose_times(R, Vec3<double>{1, -1, 2}), {5, 11, 19}), 0);
  EXPECT_EQ(distance(transpose(R), Mat3<double>{{1, 4, 7}, {2, 5, 8}, {3, 6, 10}}), 0);
  EXPECT_EQ(distance(R + R, Mat3<double>{{2, 4, 6}, {8, 10, 12}, {14, 16, 20}}), 0);
}

TEST(Mat3, ProductActsAsOneAfterTheOther) {
  RandomSpatial random(2);
  for (int i = 0; i < 1000; ++i) {
    const Mat3<double> P{random.vector(), random.vector(), random.vector()};
    const Mat3<double> Q{random.vector(), random.vector(), random.vector()};
    const Vec3<double> v = random.vector();
    EXPECT_LE(distance((P * Q) * v, P * (Q * v)), 30 * eps);
    EXPECT_LE(distance(transpose_times(P, v), transpose(P) * v), 5 * eps);
    EXPECT_LE(distance(P * Mat3<double>::identity(), P), 0);
  }
}

TEST(Sym3, ActsAsTheFullMatrix) {
  RandomSpatial random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vec3<double> a = random.vector(), b = random.vector(), v = random.vector();
    const Sym3<double> S{a.x, a.y, a.z, b.x, b.y, b.z};
    EXPECT_LE(distance(S * v, full(S) * v), 5 * eps);
    EXPECT_LE(distance(full(S + S), full(S) + full(S)), 0);
    EXPECT_LE(distance(S - S, Sym3<double>::zero()), 0);
    EXPECT_LE(distance(full(2.0 * S), full(S) + full(S)), 0);
  }
  EXPECT_EQ(distance(full(Sym3<double>::diagonal(1, 2, 3)), Mat3<double>{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}), 0);
}

// Not only for rotations: rotate() is a product of three matrices for any R.
TEST(Sym3, RotateIsTheProductOfThreeMatrices) {
  RandomSpatial random(4);
  for (int i = 0; i < 1000; ++i) {
    const Mat3<double> R{random.vector(), random.vector(), random.vector()};
    const Vec3<double> a = random.vector(), b = random.vector();
    const Sym3<double> S{a.x, a.y, a.z, b.x, b.y, b.z};
    EXPECT_LE(distance(full(rotate(R, S)), R * full(S) * transpose(R)), 50 * eps);
  }
}

// (v.v) 1 - v v' takes u to v x (u x v).
TEST(Sym3, CrossSquareIsTheDoubleCrossProduct) {
  RandomSpatial random(5);
  for (int i = 0; i < 1000; ++i) {
    const Vec3<double> v = random.vector(), u = random.vector();
    EXPECT_LE(distance(cross_square(v) * u, cross(v, cross(u, v))), 20 * eps);
  }
}

// Scalar constants with packs of states: each lane has the bits of the scalar computation, for every product.
template <class P>
void expect_lanes_equal_alone() {
  using S = typename Scalar<P>::Real;
  constexpr int n = Scalar<P>::lanes;
  RandomSpatial random(6);
  const auto vector = [&] {
    const Vec3<double> v = random.vector();
    return Vec3<S>{S(v.x), S(v.y), S(v.z)};
  };
  const auto lane = [](const Vec3<P>& v, int i) { return Vec3<S>{v.x[i], v.y[i], v.z[i]}; };
  const auto same = [](const Vec3<S>& a, const Vec3<S>& b) {
    return same_finite_bits(std::array{a.x, a.y, a.z}, std::array{b.x, b.y, b.z});
  };
  for (int trial = 0; trial < 100; ++trial) {
    const Mat3<S> R{vector(), vector(), vector()};
    const Vec3<S> c = vector(), d = vector();
    const Sym3<S> I{c.x, c.y, c.z, d.x, d.y, d.z};
    Vec3<P> v, u;
    for (int i = 0; i < n; ++i) {
      const Vec3<S> one = vector(), two = vector();
      for (const auto& [pack, x] :
           {std::pair{&v.x, one.x}, {&v.y, one.y}, {&v.z, one.z}, {&u.x, two.x}, {&u.y, two.y}, {&u.z, two.z}})
        pack->numbers()[i] = x;
    }
    const Vec3<P> turned = R * v, back = transpose_times(R, v), across = cross(c, v), pair = cross(v, u),
                  momentum = I * v, sum = fma(c.x, v, u), mixed = c + v, scaled = c.x * v;
    const P projected = dot(v, u), onto = dot(c, v);
    for (int i = 0; i < n; ++i) {
      const Vec3<S> vi = lane(v, i), ui = lane(u, i);
      EXPECT_TRUE(same(lane(turned, i), R * vi));
      EXPECT_TRUE(same(lane(back, i), transpose_times(R, vi)));
      EXPECT_TRUE(same(lane(across, i), cross(c, vi)));
      EXPECT_TRUE(same(lane(pair, i), cross(vi, ui)));
      EXPECT_TRUE(same(lane(momentum, i), I * vi));
      EXPECT_TRUE(same(lane(sum, i), fma(c.x, vi, ui)));
      EXPECT_TRUE(same(lane(mixed, i), c + vi));
      EXPECT_TRUE(same(lane(scaled, i), c.x * vi));
      EXPECT_EQ(projected[i], dot(vi, ui));
      EXPECT_EQ(onto[i], dot(c, vi));
    }
  }
}
TEST(Vec3, LanesHaveTheBitsOfNumbers) {
  expect_lanes_equal_alone<Double4>();
  expect_lanes_equal_alone<Double8>();
  expect_lanes_equal_alone<Float16>();
}

}  // namespace
}  // namespace linchpin

#include "linchpin/spatial/quaternion.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double rounding = 2e-15;  // entries at most 1, some ten roundings

double length(const Quaternion<double>& q) { return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
// q and -q are one rotation.
double distance(const Quaternion<double>& a, const Quaternion<double>& b) {
  const double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return larger(std::abs(a.w - sign * b.w),
                linchpin::distance(Vec3<double>{a.x, a.y, a.z}, sign * Vec3<double>{b.x, b.y, b.z}));
}
Quaternion<double> about(const Vec3<double>& unit_axis, double angle) {
  const double s = std::sin(angle / 2);
  return {std::cos(angle / 2), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
}
// The coordinate axes, the diagonals, and some in between: the directions where a conversion changes its branch.
std::vector<Vec3<double>> directions() {
  std::vector<Vec3<double>> out;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x || y || z) {
          const Vec3<double> v{double(x), double(y), double(z)};
          out.push_back((1 / norm(v)) * v);
        }
  RandomSpatial random(1);
  for (int i = 0; i < 200; ++i) out.push_back(random.direction());
  return out;
}

TEST(Quaternion, ProductIsHamiltons) {
  const Quaternion<double> one{1, 0, 0, 0}, i{0, 1, 0, 0}, j{0, 0, 1, 0}, k{0, 0, 0, 1};
  const auto equal = [](const Quaternion<double>& a, const Quaternion<double>& b) {
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
  };
  EXPECT_TRUE(equal(i * j, k));
  EXPECT_TRUE(equal(j * k, i));
  EXPECT_TRUE(equal(k * i, j));
  EXPECT_TRUE(equal(j * i, {0, 0, 0, -1}));
  EXPECT_TRUE(equal(i * i, {-1, 0, 0, 0}));
  EXPECT_TRUE(equal(one * k, k));
  EXPECT_TRUE(equal(Quaternion<double>::identity(), one));
  EXPECT_TRUE(equal(Quaternion<double>{1, 2, 3, 4} * Quaternion<double>{5, 6, 7, 8}, {-60, 12, 30, 24}));
}

TEST(Quaternion, TurnsAsRodriguesSays) {
  for (const Vec3<double>& axis : directions())
    for (const double angle : {0.0, 1e-9, 0.3, pi / 2, 2.5, pi, 4.0, -1.0})
      EXPECT_LE(distance(to_rotation(about(axis, angle)), rotation_about(axis, angle)), rounding);
}

TEST(Quaternion, ProductIsOneTurnAfterTheOther) {
  RandomSpatial random(2);
  for (int i = 0; i < 1000; ++i) {
    const Quaternion<double> a = random.unit_quaternion(), b = random.unit_quaternion();
    EXPECT_LE(distance(to_rotation(a * b), to_rotation(a) * to_rotation(b)), rounding);
  }
}

// Calls expect(q, p) for unit quaternions q and p = s q of lengths from 1e-100 to 1e100.
template <class Expect>
void for_any_length(std::uint64_t seed, const Expect& expect) {
  RandomSpatial random(seed);
  for (int i = 0; i < 1000; ++i) {
    const Quaternion<double> q = random.unit_quaternion();
    const double s = random.magnitude(1e-100, 1e100);
    expect(q, Quaternion<double>{s * q.w, s * q.x, s * q.y, s * q.z});
  }
}

TEST(Quaternion, ToRotationDoesNotSeeTheLength) {
  for_any_length(3, [](const Quaternion<double>& q, const Quaternion<double>& p) {
    const Mat3<double> R = to_rotation(p);
    EXPECT_LE(distance(R, to_rotation(q)), rounding);
    EXPECT_LE(distance(R * transpose(R), Mat3<double>::identity()), rounding);
    EXPECT_NEAR(determinant(R), 1, rounding);
  });
}

TEST(Quaternion, NormalizedHasLengthOneAndTheSameDirection) {
  for_any_length(4, [](const Quaternion<double>& q, const Quaternion<double>& p) {
    const Quaternion<double> n = normalized(p);
    EXPECT_NEAR(length(n), 1, 5e-16);
    EXPECT_LE(distance(n, q), rounding);
    EXPECT_GE(n.w * q.w, 0);  // not the other one of the pair
  });
}

TEST(Quaternion, FromRotationUndoesToRotation) {
  RandomSpatial random(5);
  for (int i = 0; i < 10000; ++i) {
    const Quaternion<double> q = random.unit_quaternion(), back = from_rotation(to_rotation(q));
    EXPECT_LE(distance(back, q), rounding);
    EXPECT_NEAR(length(back), 1, 5e-16);
    EXPECT_GE(back.w, 0);
  }
}

// w = 0: the antisymmetric part of the matrix vanishes.
TEST(Quaternion, FromRotationKnowsHalfTurns) {
  for (const Vec3<double>& axis : directions())
    for (const double angle : {pi, pi - 1e-9, pi + 1e-9, pi - 1e-15, pi - 1e-3}) {
      const Mat3<double> R = rotation_about(axis, angle);
      EXPECT_LE(distance(from_rotation(R), about(axis, angle)), rounding) << angle;
      EXPECT_LE(distance(to_rotation(from_rotation(R)), R), rounding) << angle;
    }
  // Exactly, on the coordinate axes.
  const Quaternion<double> x = from_rotation({{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}),
                           y = from_rotation({{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}),
                           z = from_rotation({{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}});
  EXPECT_EQ(distance(x, {0, 1, 0, 0}), 0);
  EXPECT_EQ(distance(y, {0, 0, 1, 0}), 0);
  EXPECT_EQ(distance(z, {0, 0, 0, 1}), 0);
  EXPECT_EQ(distance(from_rotation(Mat3<double>::identity()), {1, 0, 0, 0}), 0);
}

// Matrices rounded to six digits, as in files: the quaternion is within that rounding error.
TEST(Quaternion, FromRotationCleansRoughMatrices) {
  RandomSpatial random(6);
  for (int i = 0; i < 1000; ++i) {
    const Mat3<double> R = random.rotation();
    const double e = 5e-7;
    const Mat3<double> rough{R.x + random.vector(e), R.y + random.vector(e), R.z + random.vector(e)};
    const Mat3<double> clean = to_rotation(from_rotation(rough));
    EXPECT_LE(distance(clean, R), 4 * e);
    EXPECT_LE(distance(clean * transpose(clean), Mat3<double>::identity()), rounding);
  }
}

TEST(ExpRotation, IsTheTurnByItsLengthAboutItself) {
  RandomSpatial random(7);
  for (int i = 0; i < 10000; ++i) {
    const Vec3<double> axis = random.direction();
    const double angle = random.magnitude(1e-12, 20);
    const Quaternion<double> q = exp_rotation(angle * axis);
    // Includes the relative rounding error of the angle itself, 1e-16.
    EXPECT_LE(distance(q, about(axis, angle)), rounding * (1 + angle / 2));
    EXPECT_NEAR(length(q), 1, 1e-15);
  }
  EXPECT_EQ(distance(exp_rotation(Vec3<double>{0, 0, 0}), {1, 0, 0, 0}), 0);
}

// The series and the closed form meet at |v| = 1e-4, with all digits on both sides.
TEST(ExpRotation, HasAllDigitsOnBothSidesOfTheSwitch) {
  for (const double angle : {1e-300, 1e-160, 1e-20, 1e-8, 1e-5, 0.99e-4, 0.9999999e-4, 1.0000001e-4, 1.01e-4, 1e-3}) {
    const Quaternion<double> q = exp_rotation(Vec3<double>{0, angle, 0});
    const long double exact = std::sin((long double)(angle) / 2);
    EXPECT_LE(std::abs(q.y - exact), 3e-16L * exact) << angle;
    EXPECT_LE(std::abs(q.w - std::cos((long double)(angle) / 2)), 1.2e-16L) << angle;
  }
}

TEST(LogRotation, UndoesExp) {
  RandomSpatial random(8);
  for (int i = 0; i < 10000; ++i) {
    const Vec3<double> axis = random.direction();
    const double angle = i % 2 ? random.magnitude(1e-300, 3) : 3.14 * random.unit();
    const Vec3<double> v = angle * axis, back = log_rotation(exp_rotation(v));
    EXPECT_LE(distance(back, v), rounding * angle);  // relative: tiny turns keep their digits
  }
  EXPECT_EQ(distance(log_rotation({1, 0, 0, 0}), {0, 0, 0}), 0);
  EXPECT_EQ(distance(log_rotation({-1, 0, 0, 0}), {0, 0, 0}), 0);
}

TEST(LogRotation, UndoesExpNearHalfTurns) {
  for (const Vec3<double>& axis : directions())
    for (const double less : {1e-3, 1e-6, 1e-9, 1e-12, 1e-14}) {
      const Vec3<double> v = (pi - less) * axis;
      EXPECT_LE(distance(log_rotation(exp_rotation(v)), v), 4 * rounding) << less;
    }
}

// At the half turn itself both directions are right; beyond it the other way round is shorter.
TEST(LogRotation, IsAtMostHalfATurn) {
  for (const Vec3<double>& axis : directions()) {
    const Vec3<double> half = log_rotation({0, axis.x, axis.y, axis.z});
    EXPECT_NEAR(norm(half), pi, rounding);
    EXPECT_LE(distance(half, pi * axis), rounding);
    for (const double angle : {3.5, 4.0, 6.0, 2 * pi - 1e-6}) {
      const Vec3<double> v = log_rotation(about(axis, angle));
      EXPECT_LE(distance(v, (angle - 2 * pi) * axis), 2 * rounding) << angle;
    }
  }
}

TEST(LogRotation, DoesNotSeeTheSign) {
  RandomSpatial random(9);
  for (int i = 0; i < 1000; ++i) {
    const Quaternion<double> q = random.unit_quaternion();
    EXPECT_EQ(distance(log_rotation(q), log_rotation({-q.w, -q.x, -q.y, -q.z})), 0);
  }
}

TEST(Quaternion, LanesHaveTheBitsOfNumbers) {
  RandomSpatial random(10);
  for (int trial = 0; trial < 100; ++trial) {
    Quaternion<Double4> a, b;
    Quaternion<double> alone_a[4], alone_b[4];
    for (int i = 0; i < 4; ++i) {
      alone_a[i] = random.unit_quaternion();
      alone_b[i] = random.unit_quaternion();
      a.w.v[i] = alone_a[i].w, a.x.v[i] = alone_a[i].x, a.y.v[i] = alone_a[i].y, a.z.v[i] = alone_a[i].z;
      b.w.v[i] = alone_b[i].w, b.x.v[i] = alone_b[i].x, b.y.v[i] = alone_b[i].y, b.z.v[i] = alone_b[i].z;
    }
    const Mat3<Double4> R = to_rotation(a * b);
    for (int i = 0; i < 4; ++i) {
      const Mat3<double> alone = to_rotation(alone_a[i] * alone_b[i]);
      const Mat3<double> lane{
          {R.x.x[i], R.x.y[i], R.x.z[i]}, {R.y.x[i], R.y.y[i], R.y.z[i]}, {R.z.x[i], R.z.y[i], R.z.z[i]}};
      EXPECT_EQ(distance(lane, alone), 0);  // NaN if anything is
      EXPECT_EQ(std::memcmp(&lane, &alone, sizeof lane), 0);
    }
  }
}

}  // namespace
}  // namespace linchpin

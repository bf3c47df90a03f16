#include "linchpin/spatial/spatial.h"

#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// Numbers here are at most about 10, and come from sums of some ten terms.
constexpr double rounding = 50 * 2.3e-16 * 10;

double distance(const Transform<double>& a, const Transform<double>& b) {
  return larger(distance(a.R, b.R), distance(a.p, b.p));
}
double distance(const Motion<double>& a, const Motion<double>& b) {
  return larger(distance(a.w, b.w), distance(a.v, b.v));
}
double distance(const Force<double>& a, const Force<double>& b) {
  return larger(distance(a.n, b.n), distance(a.f, b.f));
}

void expect_near(const RigidInertia<double>& a, const RigidInertia<double>& b) {
  EXPECT_NEAR(a.mass, b.mass, rounding);
  EXPECT_LE(distance(a.h, b.h), rounding);
  EXPECT_LE(distance(a.I, b.I), rounding);
}

struct PointMass {
  double mass;
  Vec3<double> r;
};
// A body of point masses, for which Newton's laws give the expected results.
std::vector<PointMass> random_points(RandomSpatial& random, int count) {
  std::vector<PointMass> points;
  for (int i = 0; i < count; ++i) {
    const double mass = 0.1 + random.unit();
    points.push_back({mass, random.vector()});
  }
  return points;
}
RigidInertia<double> inertia_of(const std::vector<PointMass>& points) {
  RigidInertia<double> I = RigidInertia<double>::zero();
  for (const PointMass& point : points) {
    const double m = point.mass;
    const auto [x, y, z] = point.r;
    I = I + RigidInertia<double>{
                m,
                {m * x, m * y, m * z},
                {m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), -m * x * y, -m * x * z, -m * y * z}};
  }
  return I;
}
Vec3<double> velocity_of(const Motion<double>& m, const Vec3<double>& r) { return m.v + cross(m.w, r); }

TEST(Transform, MovesPointsAsWritten) {
  const Transform<double> X{rotation_about({0, 0, 1}, std::numbers::pi / 2), {1, 2, 3}};
  EXPECT_LE(distance(X * Vec3<double>{5, 0, 0}, {1, 7, 3}), 1e-15);
  EXPECT_LE(distance(X * Vec3<double>{0, 5, 1}, {-4, 2, 4}), 1e-15);
  EXPECT_EQ(distance(Transform<double>::identity() * Vec3<double>{5, 6, 7}, {5, 6, 7}), 0);
}

TEST(Transform, CompositionActsAsOneAfterTheOther) {
  RandomSpatial random(1);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X = random.pose(), Y = random.pose(), Z = random.pose();
    const Vec3<double> r = random.vector();
    EXPECT_LE(distance((X * Y) * r, X * (Y * r)), rounding);
    EXPECT_LE(distance((X * Y) * Z, X * (Y * Z)), rounding);
  }
}

TEST(Transform, InverseUndoes) {
  RandomSpatial random(2);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X = random.pose(), Y = random.pose(), I = Transform<double>::identity();
    EXPECT_LE(distance(X * inverse(X), I), rounding);
    EXPECT_LE(distance(inverse(X) * X, I), rounding);
    EXPECT_LE(distance(inverse(X * Y), inverse(Y) * inverse(X)), rounding);
  }
}

// The velocity of a point of the body is the same vector, in whichever frame the motion is given.
TEST(Motion, PointsMoveTheSameInEveryFrame) {
  RandomSpatial random(3);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X_AB = random.pose();
    const Motion<double> m_A = random.motion(), m_B = motion_to_child(X_AB, m_A);
    const Vec3<double> r_B = random.vector(), r_A = X_AB * r_B;
    EXPECT_LE(distance(X_AB.R * velocity_of(m_B, r_B), velocity_of(m_A, r_A)), rounding);
    EXPECT_LE(distance(X_AB.R * m_B.w, m_A.w), rounding);
  }
}

// A force at a point has its moment about each origin.
TEST(Force, HasTheMomentOfItsLineInEveryFrame) {
  RandomSpatial random(4);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X_AB = random.pose();
    const Vec3<double> r_B = random.vector(), f_B = random.vector(), r_A = X_AB * r_B, f_A = X_AB.R * f_B;
    EXPECT_LE(distance(force_to_parent(X_AB, Force<double>{cross(r_B, f_B), f_B}), Force<double>{cross(r_A, f_A), f_A}),
              rounding);
  }
}

TEST(Force, PowerIsTheSameInEveryFrame) {
  RandomSpatial random(5);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X_AB = random.pose();
    const Motion<double> m_A = random.motion();
    const Force<double> f_B = random.force();
    EXPECT_NEAR(dot(force_to_parent(X_AB, f_B), m_A), dot(f_B, motion_to_child(X_AB, m_A)), rounding);
  }
}

TEST(Motion, AndForceGoThroughTwoFramesAsThroughTheirProduct) {
  RandomSpatial random(6);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X = random.pose(), Y = random.pose();
    const Motion<double> m = random.motion();
    const Force<double> f = random.force();
    EXPECT_LE(distance(motion_to_child(X * Y, m), motion_to_child(Y, motion_to_child(X, m))), rounding);
    EXPECT_LE(distance(force_to_parent(X * Y, f), force_to_parent(X, force_to_parent(Y, f))), rounding);
  }
}

TEST(Motion, ArithmeticIsThatOfItsParts) {
  RandomSpatial random(7);
  const Motion<double> a = random.motion(), b = random.motion();
  EXPECT_EQ(distance(a + b, Motion<double>{a.w + b.w, a.v + b.v}), 0);
  EXPECT_EQ(distance(a - b, Motion<double>{a.w - b.w, a.v - b.v}), 0);
  EXPECT_EQ(distance(3.0 * a, Motion<double>{3.0 * a.w, 3.0 * a.v}), 0);
  EXPECT_EQ(distance(a + Motion<double>::zero(), a), 0);
  const Force<double> f = random.force(), g = random.force();
  EXPECT_EQ(distance(f + g, Force<double>{f.n + g.n, f.f + g.f}), 0);
  EXPECT_EQ(distance(f - g, Force<double>{f.n - g.n, f.f - g.f}), 0);
  Force<double> sum = f;
  sum += g;
  EXPECT_EQ(distance(sum, f + g), 0);
  EXPECT_EQ(distance(f + Force<double>::zero(), f), 0);
}

TEST(RigidInertia, AboutCentreIsThatOfItsPoints) {
  RandomSpatial random(8);
  for (int i = 0; i < 100; ++i) {
    std::vector<PointMass> points = random_points(random, 7);
    const RigidInertia<double> whole = inertia_of(points);
    const Vec3<double> centre = (1 / whole.mass) * whole.h;
    for (PointMass& point : points) point.r = point.r - centre;
    const RigidInertia<double> told = RigidInertia<double>::about_centre(whole.mass, centre, inertia_of(points).I);
    expect_near(told, whole);
  }
}

TEST(RigidInertia, ToParentIsThatOfThePointsSeenFromThere) {
  RandomSpatial random(9);
  for (int i = 0; i < 200; ++i) {
    const Transform<double> X_AB = random.pose();
    std::vector<PointMass> points = random_points(random, 7);
    const RigidInertia<double> moved = inertia_to_parent(X_AB, inertia_of(points));
    for (PointMass& point : points) point.r = X_AB * point.r;
    const RigidInertia<double> direct = inertia_of(points);
    expect_near(moved, direct);
  }
}

TEST(RigidInertia, MomentumIsTheSumOverItsPoints) {
  RandomSpatial random(10);
  for (int i = 0; i < 200; ++i) {
    const std::vector<PointMass> points = random_points(random, 7);
    const Motion<double> m = random.motion();
    Force<double> sum = Force<double>::zero();
    double energy = 0;
    for (const auto& [mass, r] : points) {
      const Vec3<double> v = velocity_of(m, r), p = mass * v;
      sum += Force<double>{cross(r, p), p};
      energy += 0.5 * mass * dot(v, v);
    }
    const Force<double> momentum = inertia_of(points) * m;
    EXPECT_LE(distance(momentum, sum), rounding);
    EXPECT_NEAR(0.5 * dot(momentum, m), energy, rounding);
  }
}

TEST(RigidInertia, MomentumIsTheSameInEveryFrame) {
  RandomSpatial random(11);
  for (int i = 0; i < 200; ++i) {
    const Transform<double> X_AB = random.pose();
    const RigidInertia<double> I_B = inertia_of(random_points(random, 5));
    const Motion<double> m_A = random.motion();
    EXPECT_LE(distance(force_to_parent(X_AB, I_B * motion_to_child(X_AB, m_A)), inertia_to_parent(X_AB, I_B) * m_A),
              rounding);
  }
}

}  // namespace
}  // namespace linchpin

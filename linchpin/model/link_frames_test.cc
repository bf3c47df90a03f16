#include "linchpin/model/link_frames.h"

#include <string>

#include <gtest/gtest.h>

#include "linchpin/model/spec.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double eps = 2.3e-16, pi = std::numbers::pi;

// X = Rz(phi) Tz(t) Rx(alpha) Tx(a) Rz(theta) Tz(d), multiplied out. Rotations agree to a few rounding errors (plus the
// neglected angle between axes that count as parallel, 1e-15), positions to a few rounding errors of their summands,
// which may be eight times the position itself.
::testing::AssertionResult gives_back(const CommonNormal& n, const Transform<double>& X) {
  const Transform<double> Y = screw_z(n.phi, n.t) * screw_x(n.alpha, n.a) * screw_z(n.theta, n.d);
  const double rotation = distance(Y.R, X.R), place = distance(Y.p, X.p);
  const double size = norm(X.p) + std::abs(n.t) + std::abs(n.d);
  if (rotation <= 1.5e-15 && place <= 3 * eps * size + 1e-15 * norm(X.p)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "rotation off by " << rotation << ", place by " << place << " of " << size
                                       << "; alpha " << n.alpha << ", a " << n.a << ", t " << n.t << ", d " << n.d;
}
double sine_between(const Transform<double>& X) { return std::hypot(X.R.z.x, X.R.z.y); }

TEST(Screws, AreTurnsAndSlidesByHand) {
  const Transform<double> z = screw_z(pi / 2, 3), x = screw_x(pi / 2, 3);
  EXPECT_LE(distance(z * Vec3<double>{1, 0, 0}, {0, 1, 3}), eps);
  EXPECT_LE(distance(z * Vec3<double>{0, 1, 0}, {-1, 0, 3}), eps);
  EXPECT_LE(distance(x * Vec3<double>{0, 1, 0}, {3, 0, 1}), eps);
  EXPECT_LE(distance(x * Vec3<double>{0, 0, 1}, {3, -1, 0}), eps);
  const Transform<double> turned = screw_z(0.7, -2), as_spec{rotation_z(0.7), {0, 0, -2}};
  EXPECT_EQ(distance(turned.R, as_spec.R), 0);
  EXPECT_EQ(distance(turned.p, as_spec.p), 0);
  EXPECT_EQ(distance(screw_x(0.7, -2).R, rotation_x(0.7)), 0);
}

TEST(CommonNormal, GivesBackRandomPoses) {
  RandomSpatial random(1);
  for (int i = 0; i < 100000; ++i) {
    const Transform<double> X = random.pose(random.magnitude(1e-6, 1e6));
    const auto n = common_normal(X);
    ASSERT_TRUE(!n || gives_back(*n, X)) << "pose " << i;
    // Feet are at most |p| / sine away, so only poses with a sine below 1/8, here with some slack, may be refused.
    ASSERT_TRUE(n.has_value() || sine_between(X) < 1.0 / 7) << "pose " << i << ", sine " << sine_between(X);
  }
}

// The feet are the nearest points of the axes: the line between them is normal to both.
TEST(CommonNormal, IsAcrossBothAxes) {
  RandomSpatial random(2);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X = random.pose();
    const auto n = common_normal(X);
    if (!n) continue;
    ++found;
    const Vec3<double> ours{0, 0, n->t}, theirs = X * Vec3<double>{0, 0, -n->d};
    const Vec3<double> between = theirs - ours;
    EXPECT_NEAR(between.z, 0, 20 * eps * (1 + std::abs(n->t)));
    EXPECT_NEAR(dot(between, X.R.z), 0, 20 * eps * (1 + std::abs(n->d)));
    EXPECT_NEAR(norm(between), std::abs(n->a), 20 * eps * (1 + std::abs(n->d)));
  }
  EXPECT_GT(found, 900);
}

TEST(CommonNormal, ParallelAxesKeepOurOrigin) {
  RandomSpatial random(3);
  for (int i = 0; i < 10000; ++i) {
    const Transform<double> X{rotation_z(random.even(4)), random.vector()};
    const auto n = common_normal(X);
    ASSERT_TRUE(n.has_value());
    EXPECT_EQ(n->alpha, 0);
    EXPECT_EQ(n->t, 0);
    EXPECT_TRUE(gives_back(*n, X));
  }
}

TEST(CommonNormal, AntiparallelAxesKeepOurOrigin) {
  RandomSpatial random(4);
  for (int i = 0; i < 10000; ++i) {
    Transform<double> X{rotation_z(random.even(4)), random.vector()};
    X.R = {X.R.x, -X.R.y, -X.R.z};
    const auto n = common_normal(X);
    ASSERT_TRUE(n.has_value());
    EXPECT_EQ(n->alpha, pi);
    EXPECT_EQ(n->t, 0);
    EXPECT_TRUE(gives_back(*n, X));
  }
}

TEST(CommonNormal, CoincidentAxesHaveNoLength) {
  for (const double z : {0.0, 1.0, -3.0, 1e-9})
    for (const double angle : {0.0, 0.3, -2.0, pi}) {
      Transform<double> X{rotation_z(angle), {0, 0, z}};
      for (int i = 0; i < 2; ++i) {
        const auto n = common_normal(X);
        ASSERT_TRUE(n.has_value());
        EXPECT_EQ(n->a, 0);
        EXPECT_TRUE(gives_back(*n, X));
        X.R = {X.R.x, -X.R.y, -X.R.z};  // and the other way round
      }
    }
  const auto n = common_normal(Transform<double>::identity());
  ASSERT_TRUE(n.has_value());
  for (const double number : {n->phi, n->t, n->alpha, n->a, n->theta, n->d}) EXPECT_EQ(number, 0);
}

TEST(CommonNormal, AxesThatMeetHaveNoLength) {
  RandomSpatial random(5);
  for (int i = 0; i < 10000; ++i) {
    Transform<double> X = random.pose();
    const double t = random.even(), d = random.even();
    X.p = Vec3<double>{0, 0, t} + d * X.R.z;
    const auto n = common_normal(X);
    ASSERT_TRUE(n.has_value() || sine_between(X) < 1.0 / 7);
    if (!n) continue;
    EXPECT_NEAR(n->a, 0, 10 * eps);
    // The accuracy of the meeting point depends on the angle between the axes.
    EXPECT_NEAR(n->t, t, 20 * eps / sine_between(X));
    EXPECT_NEAR(n->d, d, 20 * eps / sine_between(X));
    EXPECT_TRUE(gives_back(*n, X));
  }
}

// Origins that coincide: no angle is too small, since nothing is far away.
TEST(CommonNormal, CommonOriginIsFineAtEveryAngle) {
  RandomSpatial random(6);
  for (int i = 0; i < 10000; ++i) {
    const Transform<double> X{rotation_z(random.even(4)) * rotation_x(random.magnitude(1e-17, 3)), {0, 0, 0}};
    const auto n = common_normal(X);
    ASSERT_TRUE(n.has_value());
    EXPECT_TRUE(gives_back(*n, X));
  }
}

// It either returns nothing, or the split is accurate and the feet are near.
TEST(CommonNormal, NearlyParallelAxesAreRefusedOrAccurate) {
  RandomSpatial random(7);
  int refused = 0, given = 0;
  for (int i = 0; i < 200000; ++i) {
    const double angle = random.magnitude(1e-16, 1);
    Mat3<double> R = rotation_z(random.even(4)) * rotation_x(angle) * rotation_z(random.even(4));
    if (i % 2) R = {R.x, -R.y, -R.z};
    const Transform<double> X{R, i % 3 ? random.vector() : Vec3<double>{0, 0, random.even()}};
    const auto n = common_normal(X);
    ++(n ? given : refused);
    if (!n) {
      EXPECT_GT(angle, 5e-16) << "parallel to rounding is parallel";
      continue;
    }
    ASSERT_TRUE(gives_back(*n, X)) << "angle " << angle;
    EXPECT_LE(std::abs(n->d), 8 * norm(X.p));
    EXPECT_LE(std::abs(n->t), 8 * norm(X.p));
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(given, 1000);
}

// The same in another unit of length.
TEST(CommonNormal, DoesNotDependOnTheUnit) {
  RandomSpatial random(8);
  for (int i = 0; i < 1000; ++i) {
    const Transform<double> X = random.pose(), small{X.R, 0x1p-40 * X.p};
    const auto n = common_normal(X), m = common_normal(small);
    ASSERT_EQ(n.has_value(), m.has_value());
    if (!n) continue;
    EXPECT_EQ(0x1p-40 * n->a, m->a);
    EXPECT_EQ(0x1p-40 * n->t, m->t);
    EXPECT_EQ(0x1p-40 * n->d, m->d);
    EXPECT_EQ(n->phi, m->phi);
    EXPECT_EQ(n->theta, m->theta);
  }
}

}  // namespace
}  // namespace linchpin

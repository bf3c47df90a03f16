#include "linchpin/dynamics/maximal/body_inverse.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// The matrix times a velocity is the momentum I w + h x v, m v - h x w; its inverse leads back.
TEST(BodyInverse, LeadsFromMomentumBackToVelocity) {
  RandomSpatial random(1);
  for (int i = 0; i < 200; ++i) {
    const Vec3<double> half{random.magnitude(0.1, 1), random.magnitude(0.1, 1), random.magnitude(0.1, 1)};
    const double mass = random.magnitude(0.01, 100), xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
    const Sym3<double> moments =
        Sym3<double>::diagonal(mass * (yy + zz) / 3, mass * (xx + zz) / 3, mass * (xx + yy) / 3);
    const RigidInertia<double> inertia =
        RigidInertia<double>::about_centre(mass, random.vector(), rotate(random.rotation(), moments));
    const Vec3<double> w = random.vector(), v = random.vector();
    const Force<double> momentum{inertia.I * w + cross(inertia.h, v), inertia.mass * v - cross(inertia.h, w)};
    const Force<double> by_matrix = [&] {
      const Motion<double> product = to_matrix(inertia) * Force<double>{w, v};
      return Force<double>{product.w, product.v};
    }();
    EXPECT_LE(norm(by_matrix.n - momentum.n) + norm(by_matrix.f - momentum.f), 1e-14 * mass);
    const std::optional<Matrix36> inverse = inverse_of(inertia);
    ASSERT_TRUE(inverse.has_value());
    const Motion<double> back = *inverse * momentum;
    // Rounding times the ratio of the moments with and without the centre's offset, which is up to some 1000.
    EXPECT_LE(norm(back.w - w) + norm(back.v - v), 1e-11);
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t l = 0; l < k; ++l) EXPECT_EQ((*inverse)[6 * k + l], (*inverse)[6 * l + k]);
  }
}

// By hand: the centre of mass on the x axis at c; J the moment about it.
TEST(BodyInverse, OfABodyOffItsOriginIsThatOfTheTextbook) {
  const double m = 2, c = 0.5, J = 0.25;
  const std::optional<Matrix36> inverse =
      inverse_of(RigidInertia<double>::about_centre(m, {c, 0, 0}, Sym3<double>::diagonal(J, J, J)));
  ASSERT_TRUE(inverse.has_value());
  Matrix36 expected{};
  for (std::size_t k = 0; k < 3; ++k) {
    expected[7 * k] = 1 / J;
    expected[7 * (k + 3)] = 1 / m + (k == 0 ? 0 : c * c / J);
  }
  expected[6 * 2 + 4] = expected[6 * 4 + 2] = -c / J;  // a push along y turns about z, backwards at the origin
  expected[6 * 1 + 5] = expected[6 * 5 + 1] = c / J;
  for (std::size_t k = 0; k < 36; ++k) EXPECT_NEAR((*inverse)[k], expected[k], 1e-14) << k;
}

TEST(BodyInverse, ExistsIfTheBodyResistsEveryMotion) {
  const Vec3<double> centre{1, 2, 3};
  const auto exists = [&](double mass, const Sym3<double>& moments) {
    return inverse_of(RigidInertia<double>::about_centre(mass, centre, moments)).has_value();
  };
  EXPECT_TRUE(exists(1, Sym3<double>::diagonal(1, 1, 1)));
  EXPECT_TRUE(exists(1, Sym3<double>::diagonal(1, 1, 1e-6)));
  EXPECT_FALSE(exists(0, Sym3<double>::diagonal(1, 1, 1)));
  EXPECT_FALSE(exists(1, Sym3<double>::zero()));
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(exists(1, Sym3<double>::diagonal(k != 0, k != 1, k != 2))) << k;
  EXPECT_FALSE(exists(NAN, Sym3<double>::diagonal(1, 1, 1)));
  EXPECT_FALSE(exists(1, Sym3<double>::diagonal(1, NAN, 1)));
}

}  // namespace
}  // namespace linchpin

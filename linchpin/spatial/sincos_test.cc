// Against the C library's sine of long double. sincos_kernel_test.cc has the same tests compiled for the machine, as
// kernels are; here there are no fused products.
#include "linchpin/spatial/sincos.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/spatial/fused_testing.h"

#ifndef LINCHPIN_SINCOS_SUITE
#define LINCHPIN_SINCOS_SUITE Sincos
#endif

namespace linchpin {
namespace {

template <class S>
struct SinCos {
  S sine, cosine;
};
template <class S>
SinCos<S> of(S x) {
  SinCos<S> r;
  sincos(x, r.sine, r.cosine);
  return r;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double unit() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>((state_ ^ (state_ >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// All magnitudes alike from 1e-12 to the largest, of both signs; and as near to multiples of pi/4 as numbers of this
// type come, where sine or cosine nearly vanishes or k is about to change.
template <class S>
std::vector<S> angles(double largest) {
  Random random(1);
  std::vector<S> out{S(0)};
  for (int i = 0; i < 100000; ++i) {
    const double x = largest * std::pow(largest * 1e12, -random.unit());
    out.push_back(S(i % 2 ? x : -x));
  }
  for (int i = 0; i < 30000; ++i) {
    const double most = largest / (std::numbers::pi / 4);
    const double k = std::floor(i % 2 ? most * random.unit() : std::pow(most, random.unit()));
    const S x = S((long double)(k) * (std::numbers::pi_v<long double> / 4));
    for (const S near : {x, std::nextafter(x, S(0)), -x}) out.push_back(near);
  }
  return out;
}

// Where the sum is as large as 1 and rounds at each of its steps: two units in the last place of 1. Without fused
// products k pi/2 is itself rounded, to half a unit in the last place of |x|.
template <class S>
void expect_accurate(double largest) {
  const double eps = std::numeric_limits<S>::epsilon();
  double worst = 0;
  for (const S x : angles<S>(largest)) {
    const SinCos<S> r = of(x);
    const double allowed = 2 * eps + (fused ? 0 : 0.5 * eps * std::abs(double(x)));
    const double s = std::abs(double((long double)(r.sine) - std::sin((long double)(x))));
    const double c = std::abs(double((long double)(r.cosine) - std::cos((long double)(x))));
    ASSERT_LE(s, allowed) << "sine of " << x;
    ASSERT_LE(c, allowed) << "cosine of " << x;
    worst = larger(worst, larger(s, c) / eps);
  }
  ::testing::Test::RecordProperty("worst_in_units_of_the_last_place", std::to_string(worst));
}

TEST(LINCHPIN_SINCOS_SUITE, DoublesAreAccurateUpTo1e9) { expect_accurate<double>(1e9); }
// In float, k pi/2 loses accuracy earlier: 1e4 is 1600 turns.
TEST(LINCHPIN_SINCOS_SUITE, FloatsAreAccurateUpTo1e4) { expect_accurate<float>(1e4); }

// Near zero the sine has as many digits as the angle.
TEST(LINCHPIN_SINCOS_SUITE, SmallAnglesKeepAllTheirDigits) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const double x = 0.78 * std::pow(1e-300, random.unit());
    const long double exact = std::sin((long double)(x));
    EXPECT_LE(std::abs(of(x).sine - exact), 2.3e-16L * exact) << x;  // one unit of the last place at most
  }
  EXPECT_EQ(of(5e-324).sine, 5e-324);
  EXPECT_EQ(of(-5e-324).sine, -5e-324);
}

TEST(LINCHPIN_SINCOS_SUITE, ZeroIsExact) {
  EXPECT_EQ(of(0.0).sine, 0);
  EXPECT_EQ(of(0.0).cosine, 1);
  EXPECT_EQ(of(0.0f).sine, 0);
  EXPECT_EQ(of(0.0f).cosine, 1);
}

// The result is a point of the unit circle, however large the angle.
TEST(LINCHPIN_SINCOS_SUITE, SquaresAddUpToOneWhereverThereIsAnAnswer) {
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    const double x = 1e15 * std::pow(1e-15, random.unit() * random.unit());
    const SinCos<double> r = of(x);
    // Beyond 1e9, k is no longer the nearest, and the polynomials are used a little outside their range.
    ASSERT_NEAR(r.sine * r.sine + r.cosine * r.cosine, 1, x <= 1e9 ? 1e-15 : 1e-13) << x;
  }
}

TEST(LINCHPIN_SINCOS_SUITE, IsOddAndEven) {
  for (const double x : angles<double>(1e9)) {
    if (x == 0) continue;
    const SinCos<double> plus = of(x), minus = of(-x);
    ASSERT_EQ(minus.sine, -plus.sine) << x;
    ASSERT_EQ(minus.cosine, plus.cosine) << x;
  }
}

template <class S>
void expect_nan(S x) {
  for (const S angle : {x, -x}) {
    EXPECT_TRUE(std::isnan(of(angle).sine)) << angle << " gives " << of(angle).sine;
    EXPECT_TRUE(std::isnan(of(angle).cosine)) << angle << " gives " << of(angle).cosine;
  }
}

TEST(LINCHPIN_SINCOS_SUITE, NoAngleGivesNan) {
  expect_nan(std::numeric_limits<double>::quiet_NaN());
  expect_nan(std::numeric_limits<double>::infinity());
  expect_nan(std::numeric_limits<double>::max());
  expect_nan(1e300);
  expect_nan(std::numeric_limits<float>::quiet_NaN());
  expect_nan(std::numeric_limits<float>::infinity());
  expect_nan(std::numeric_limits<float>::max());
}

// All of them, not only most: a result that is wrong by chance is worse than none.
TEST(LINCHPIN_SINCOS_SUITE, EveryAngleWithoutDigitsGivesNan) {
  Random random(4);
  for (int i = 0; i < 100000; ++i) {
    expect_nan(1.0000001e15 * std::pow(i % 2 ? 1e290 : 1e3, random.unit()));
    expect_nan(float(6.000002e6 * std::pow(i % 2 ? 1e30 : 1e2, random.unit())));
  }
}

TEST(LINCHPIN_SINCOS_SUITE, AnglesWithDigitsGiveNumbers) {
  Random random(5);
  for (int i = 0; i < 10000; ++i) {
    EXPECT_LE(std::abs(of(9.99e14 * std::pow(1e-3, random.unit())).sine), 1 + 1e-13);
    EXPECT_LE(std::abs(of(float(5.99e6 * std::pow(1e-2, random.unit()))).cosine), 1.001f);
  }
}

template <class P>
void expect_lanes_equal_alone(double largest) {
  using S = typename Scalar<P>::Real;
  constexpr std::size_t n = std::size_t(Scalar<P>::lanes);
  std::vector<S> x = angles<S>(largest);
  for (const S odd : {S(-0.0), std::numeric_limits<S>::denorm_min(), std::numeric_limits<S>::infinity(),
                      std::numeric_limits<S>::quiet_NaN(), S(1e20), S(7.3e6), S(1e15)})
    for (const S value : {odd, -odd}) x.insert(x.begin(), value);
  const auto same = [](S a, S b) {
    using Bits = std::conditional_t<sizeof(S) == 8, std::uint64_t, std::uint32_t>;
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  };
  for (std::size_t at = 0; at + n <= x.size(); at += n) {
    P sine, cosine;
    sincos(P::load(x.data() + at), sine, cosine);
    for (std::size_t i = 0; i < n; ++i) {
      const SinCos<S> alone = of(x[at + i]);
      ASSERT_TRUE(same(sine[int(i)], alone.sine)) << "lane " << i << ", sine of " << x[at + i];
      ASSERT_TRUE(same(cosine[int(i)], alone.cosine)) << "lane " << i << ", cosine of " << x[at + i];
    }
  }
}
TEST(LINCHPIN_SINCOS_SUITE, LanesHaveTheBitsOfNumbers) {
  expect_lanes_equal_alone<Pack<double, 2>>(1e15);
  expect_lanes_equal_alone<Double4>(1e15);
  expect_lanes_equal_alone<Double8>(1e15);
  expect_lanes_equal_alone<Pack<float, 8>>(6e6);
  expect_lanes_equal_alone<Float16>(6e6);
}

TEST(LINCHPIN_SINCOS_SUITE, RoundsToTheNearestAndTiesToEven) {
  const struct {
    double x, rounded;
  } cases[] = {{0, 0}, {0.5, 0}, {0.75, 1}, {1.5, 2}, {2.5, 2}, {-0.5, 0}, {-1.5, -2}, {-2.25, -2}, {1e15 + 0.5, 1e15}};
  for (const auto& [x, rounded] : cases) EXPECT_EQ(round_to_even(x), rounded) << x;
  for (const float x : {0.5f, 1.5f, 2.5f, -3.5f, 1000000.5f}) EXPECT_EQ(round_to_even(x), std::nearbyint(x)) << x;
}

}  // namespace
}  // namespace linchpin

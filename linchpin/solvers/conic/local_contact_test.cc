#include "linchpin/solvers/conic/local_contact.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/residual.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Contact {
  double W[9], b[3], mu;
};
std::string show(const Contact& c) {
  std::ostringstream out;
  out.precision(17);
  out << "W";
  for (const double x : c.W) out << " " << x;
  out << " b " << c.b[0] << " " << c.b[1] << " " << c.b[2] << " mu " << c.mu;
  return out.str();
}

// How far r is from the law, by the judge, relative to the largest that enters: |q|, |M| |z|, s |z|, all in its units.
double error(const Contact& c, const double* r) {
  const Problem p{Matrix::dense(3, {c.W, c.W + 9}), {c.b, c.b + 3}, {{BlockKind::cone, 0, 3, c.mu}}, {}, {}};
  ResidualWorkspace ws;
  const double e = residual(p, std::vector<double>(r, r + 3), ws).absolute, s = ws.scale[0];
  double size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double row = std::abs(c.b[i]);
    for (std::size_t j = 0; j < 3; ++j) row += std::abs(c.W[3 * i + j] * r[j]);
    size = largest({size, row / s, s * std::abs(r[i])});
  }
  return size > 0 ? e / size : e;
}

enum class Mode { apart, stick, slide };
Mode mode(const Contact& c, const double* r) {
  if (r[0] == 0 && r[1] == 0 && r[2] == 0) return Mode::apart;
  return std::hypot(r[1], r[2]) < (1 - 1e-9) * c.mu * r[0] ? Mode::stick : Mode::slide;
}

// W = G G' + skew, in any units, and b in others. The third column of G is `smallest` times as large as the others.
Contact random_contact(double smallest, double skew, Dice& dice) {
  Contact c;
  Square G(9);
  for (double& g : G) g = dice.near_zero(1);
  for (std::size_t k = 0; k < 3; ++k) G[3 * k + 2] *= smallest;
  const double unit = std::pow(10, dice.near_zero(9)), speed = std::pow(10, dice.near_zero(9));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += G[3 * i + k] * G[3 * j + k];
      c.W[3 * i + j] = unit * sum;
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double s = skew * std::sqrt(c.W[4 * i] * c.W[4 * j]) * dice.near_zero(1);
      c.W[3 * i + j] += s;
      c.W[3 * j + i] -= s;
    }
  c.b[0] = (dice.chance(0.3) ? 1 : -1) * speed * dice.between(0.01, 1);
  c.b[1] = speed * dice.near_zero(1);
  c.b[2] = speed * dice.near_zero(1);
  c.mu = dice.chance(0.05) ? 0 : dice.between(0.001, 5);
  return c;
}

// b for which this impulse makes it stick.
void plant_stick(const double* r, Contact& c) {
  for (std::size_t i = 0; i < 3; ++i) c.b[i] = -(c.W[3 * i] * r[0] + c.W[3 * i + 1] * r[1] + c.W[3 * i + 2] * r[2]);
}

// A few operations, a root found to the last digits and cancellations within W, which cost a digit or two: 57 eps is
// the worst that was met of contacts that are not nearly singular.
constexpr double exactness = 1e-13;

void expect_law(int count, double smallest, double skew, std::uint64_t seed) {
  Dice dice(seed);
  int modes[3] = {}, refused = 0, broken = 0;
  std::string first;
  for (int i = 0; i < count; ++i) {
    const Contact c = random_contact(smallest, skew, dice);
    double r[3] = {std::nan(""), std::nan(""), std::nan("")};
    const bool solved = solve_contact(c.W, c.b, c.mu, r);
    refused += !solved;
    if (solved) ++modes[int(mode(c, r))];
    if (solved && error(c, r) <= exactness) continue;
    broken += solved;
    if (first.empty()) first = (solved ? "error " + std::to_string(error(c, r)) : "refused") + ": " + show(c);
  }
  EXPECT_EQ(refused, 0) << "of " << count << ", seed " << seed << ", first " << first;
  EXPECT_EQ(broken, 0) << "of " << count << ", seed " << seed << ", first " << first;
  for (int m = 0; m < 3; ++m) EXPECT_GT(modes[m], count / 50) << "mode " << m << " seed " << seed;
}

TEST(LocalContact, ObeysTheLaw) { expect_law(8000, 1, 0, 1); }
TEST(LocalContact, ObeysTheLawIfSlightlyUnsymmetric) { expect_law(4000, 1, 1e-3, 2); }
TEST(LocalContact, ObeysTheLawIfSomewhatSingular) { expect_law(3000, 1e-3, 0, 3); }
// Condition up to 1e12 and more. Planar mechanisms are such: nothing moves across the plane.
TEST(LocalContact, ObeysTheLawIfNearlySingular) { expect_law(3000, 1e-6, 0, 4); }

// As the condition grows so does r of a random b; physics gives b = -W r of moderate r, which is harder on a residual.
// Elimination with pivots has an error of some eps whatever the condition. Up to 1e8: beyond that rounding of W decides
// whether it sticks at all.
TEST(LocalContact, FindsPlantedSticks) {
  for (const double smallest : {1.0, 1e-2, 1e-4}) {
    double worst = 0;
    std::string which;
    Dice dice(6);
    for (int i = 0; i < 500; ++i) {
      Contact c = random_contact(smallest, 0, dice);
      if (c.mu == 0) c.mu = 1;
      const double angle = dice.near_zero(3), limit = 0.9 * c.mu * dice.between(0, 1);
      double r[3] = {1, limit * std::cos(angle), limit * std::sin(angle)};
      plant_stick(r, c);
      if (c.b[0] >= 0) continue;
      ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r)) << show(c);
      const double e = error(c, r);
      if (!(e <= worst) && !std::isnan(worst)) which = show(c);
      worst = larger(worst, e);
    }
    EXPECT_LE(worst, exactness) << "smallest " << smallest << ": " << which;
  }
}

// Pressed so lightly, or with so little friction, that lambda is beyond 1e12 |W|: its limit is taken, good to 1e-12.
TEST(LocalContact, HardlyAnyFriction) {
  Dice dice(7);
  int slides = 0;
  for (int i = 0; i < 2000; ++i) {
    Contact c = random_contact(1, 0, dice);
    c.mu = std::pow(10, -dice.between(0, 16));
    c.b[0] = -std::abs(c.b[0]) * std::pow(10, -dice.between(0, 16));
    double r[3];
    ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r)) << show(c);
    EXPECT_LE(error(c, r), 4e-12) << show(c);  // 4: |b_T| and W have two directions each
    slides += mode(c, r) == Mode::slide;
  }
  EXPECT_GT(slides, 1900);
}

TEST(LocalContact, BlockOnTheGroundByHand) {
  // mass 2, g dt = 0.1, mu = 1/2
  Contact c{{0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, {-0.1, 0.006, 0.008}, 0.5};
  double r[3];
  const auto expect = [&](double normal, double x, double y) {  // a few roundings of numbers below 1
    ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r));
    EXPECT_NEAR(r[0], normal, 4 * epsilon);
    EXPECT_NEAR(r[1], x, 4 * epsilon);
    EXPECT_NEAR(r[2], y, 4 * epsilon);
  };
  expect(0.2, -0.012, -0.016);  // sticks
  c.b[1] = 0.3, c.b[2] = 0.4;
  expect(0.2, -0.06, -0.08);  // slides
  c.mu = 0;
  expect(0.2, 0, 0);
  c.b[0] = 0.1;
  expect(0, 0, 0);  // opens
}

TEST(LocalContact, AtRest) {
  for (const double mu : {0.0, 0.5}) {
    const Contact c{{1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1}, {0, 0, 0}, mu};
    double r[3] = {7, 7, 7};
    ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r));
    EXPECT_EQ(r[0], 0);
    EXPECT_EQ(r[1], 0);
    EXPECT_EQ(r[2], 0);
    Contact pressed = c;
    pressed.b[0] = -1;  // W_TN moves the tangents
    ASSERT_TRUE(solve_contact(pressed.W, pressed.b, mu, r));
    EXPECT_LE(error(pressed, r), exactness) << "mu " << mu;
    EXPECT_EQ(mode(pressed, r), mu > 0 ? Mode::stick : Mode::slide);
  }
}

// Nothing moves along the second tangent: whatever r is there, it does not matter, and the contact may stick.
TEST(LocalContact, SticksWhereNothingMovesAcross) {
  for (const double across : {1e-3, 1e-9, 1e-13, 1e-15, 1e-18, 0.0}) {
    const Contact c{{1, 0, 0, 0, 1, 0, 0, 0, across}, {-1, 0.1, 0}, 0.5};  // r = (1, -0.1, 0)
    double r[3];
    ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r)) << "across " << across;
    EXPECT_LE(error(c, r), exactness) << "across " << across << " r " << r[0] << " " << r[1] << " " << r[2];
    Contact slides = c;  // r = (1, -0.5, 0)
    slides.b[1] = 2;
    ASSERT_TRUE(solve_contact(slides.W, slides.b, c.mu, r)) << "across " << across;
    EXPECT_LE(error(slides, r), exactness) << "across " << across << " r " << r[0] << " " << r[1] << " " << r[2];
  }
}

// S has one number, at any of its four places, and a rounding error beside it: the impulse along the column of the
// number makes the row of it stop, and the other row is at rest.
TEST(LocalContact, SticksByTheOneCouplingThatThereIs) {
  for (std::size_t row = 1; row < 3; ++row)
    for (std::size_t column = 1; column < 3; ++column) {
      Contact c{{1, 0, 0, 0, 0, 0, 0, 0, 0}, {-1, 0, 0}, 0.5};
      c.W[3 * row + column] = 2;
      c.W[3 * (3 - row) + column] = 1e-17;
      c.b[row] = -0.4;
      double r[3];
      ASSERT_TRUE(solve_contact(c.W, c.b, c.mu, r)) << show(c);
      EXPECT_EQ(r[0], 1) << show(c);
      EXPECT_NEAR(r[column], 0.2, 1e-15) << show(c);
      EXPECT_EQ(r[3 - column], 0) << show(c);
    }
}

TEST(LocalContact, RefusesWhatCannotPush) {
  for (const double W_NN : {0.0, -1.0, std::nan("")}) {
    const Contact c{{W_NN, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0.1, 0.2}, 0.5};
    double r[3] = {7, 8, 9};
    EXPECT_FALSE(solve_contact(c.W, c.b, c.mu, r)) << W_NN;
    EXPECT_EQ(r[0], 7);
    EXPECT_EQ(r[1], 8);
    EXPECT_EQ(r[2], 9);
  }
  // It need not push where it opens.
  const Contact opens{{0, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0.1, 0.2}, 0.5};
  double r[3] = {7, 8, 9};
  EXPECT_TRUE(solve_contact(opens.W, opens.b, opens.mu, r));
  EXPECT_EQ(r[0], 0);
}

// Of a contact that is pressed (one that opens does not look at the rest).
TEST(LocalContact, RefusesWhatIsNotFinite) {
  std::string taken, touched;  // which number was what
  for (int at = 0; at < 12; ++at)
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      Contact c{{1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1}, {-1, 0.1, 0.2}, 0.5};
      (at < 9 ? c.W[at] : c.b[at - 9]) = bad;
      if (c.b[0] >= 0) continue;
      const std::string what =
          (at < 9 ? " W[" + std::to_string(at) : " b[" + std::to_string(at - 9)) + "]=" + std::to_string(bad);
      double r[3] = {7, 8, 9};
      if (solve_contact(c.W, c.b, c.mu, r))
        taken += what;
      else if (!(r[0] == 7 && r[1] == 8 && r[2] == 9))
        touched += what;
    }
  EXPECT_EQ(taken, "");
  EXPECT_EQ(touched, "") << "refused, but r is not left alone";
}

}  // namespace
}  // namespace linchpin

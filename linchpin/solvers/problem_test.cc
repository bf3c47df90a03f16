#include "linchpin/solvers/problem.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/solvers/lemke.h"
#include "linchpin/solvers/testing.h"

namespace linchpin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// One block of each kind: free 0-1, nonnegative 2, box 3-4, cone 5-7.
Problem one_of_each() {
  Problem p;
  Square M = zero_square(8);
  for (int i = 0; i < 8; ++i) entry(M, 8, i, i) = 1;
  p.M = Matrix::dense(8, std::move(M));
  p.q.assign(8, -1.0);
  p.blocks = {{BlockKind::free, 0, 2, 0},
              {BlockKind::nonnegative, 2, 1, 0},
              {BlockKind::box, 3, 2, 0},
              {BlockKind::cone, 5, 3, 0.5}};
  p.lower = {0, 0, 0, -infinity, -1, 0, 0, 0};
  p.upper = {0, 0, 0, 1, infinity, 0, 0, 0};
  return p;
}

testing::AssertionResult has_fault(const std::function<void(Problem&)>& change, const std::string& text) {
  Problem p = one_of_each();
  change(p);
  const std::optional<Error> fault = find_fault(p);
  if (!fault) return testing::AssertionFailure() << "no fault found where there is \"" << text << "\"";
  if (fault->message == text) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the fault is \"" << fault->message << "\", not \"" << text << "\"";
}

TEST(Problem, NamesOfKinds) {
  EXPECT_EQ(name(BlockKind::free), "free");
  EXPECT_EQ(name(BlockKind::nonnegative), "nonnegative");
  EXPECT_EQ(name(BlockKind::box), "box");
  EXPECT_EQ(name(BlockKind::cone), "cone");
}

TEST(Problem, FindsNoFaultWhereThereIsNone) {
  EXPECT_FALSE(find_fault(one_of_each()));
  EXPECT_FALSE(find_fault(Problem{}));
  Problem equal = one_of_each();  // a box of no width, a cone without friction
  equal.lower[3] = equal.upper[3];
  equal.blocks[3].mu = 0;
  EXPECT_FALSE(find_fault(equal));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(20), {}, dice);
    const Problem p = plant(layout, Matrix::dense(layout.size, random_psd(layout.size, 3, dice)), 0.3, dice).problem;
    EXPECT_FALSE(find_fault(p)) << "seed " << seed << ": " << find_fault(p)->message;
  }
}

TEST(Problem, FaultsOfNumbers) {
  EXPECT_TRUE(has_fault([](Problem& p) { p.M = Matrix::dense(1, {1}); }, "M has 1 rows, q has 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q.push_back(0); }, "M has 8 rows, q has 9"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.M.dense()[63] = std::nan(""); }, "M has entries that are not finite"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.M.dense()[0] = -infinity; }, "M has entries that are not finite"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q[7] = std::nan(""); }, "q of row 7 is nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q[0] = infinity; }, "q of row 0 is inf"));
}

TEST(Problem, FaultsOfBlocks) {
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[1].start = 1; }, "block 1 has 1 rows from row 1; the rows so far end at 2"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[1].start = 3; }, "block 1 has 1 rows from row 3; the rows so far end at 2"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[0].start = -1; },
                        "block 0 has 2 rows from row -1; the rows so far end at 0"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[2].size = 0; }, "block 2 has 0 rows from row 3; the rows so far end at 3"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[0].size = -2; }, "block 0 has -2 rows from row 0; the rows so far end at 0"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].size = 2; }, "block 3 is a cone of 2 rows instead of 3"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = -0.5; }, "block 3 is a cone with mu = -0.5"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = std::nan(""); }, "block 3 is a cone with mu = nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = infinity; }, "block 3 is a cone with mu = inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[2].size = 7; }, "block 2 ends at row 10 of 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks.pop_back(); }, "the blocks end at row 5 of 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks.clear(), p.lower.clear(), p.upper.clear(); },
                        "the blocks end at row 0 of 8"));
}

TEST(Problem, FaultsOfBounds) {
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower.clear(); },
                        "block 2 is a box, and there are 0 lower and 8 upper bounds for 8 rows"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper.pop_back(); },
                        "block 2 is a box, and there are 8 lower and 7 upper bounds for 8 rows"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[4] = 2, p.upper[4] = 1; }, "bounds of row 4 are 2 and 1"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[3] = std::nan(""); }, "bounds of row 3 are nan and 1"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper[4] = std::nan(""); }, "bounds of row 4 are -1 and nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[4] = infinity; }, "bounds of row 4 are inf and inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper[3] = -infinity; }, "bounds of row 3 are -inf and -inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[2].kind = BlockKind::free; }, "there are bounds but no box"));
}

TEST(Problem, LinearComplementarityIsOneBlock) {
  const Problem p = linear_complementarity(Matrix::dense(2, {1, 2, 3, 4}), {5, 6});
  ASSERT_EQ(p.blocks.size(), 1u);
  EXPECT_EQ(p.blocks[0].kind, BlockKind::nonnegative);
  EXPECT_EQ(p.blocks[0].start, 0);
  EXPECT_EQ(p.blocks[0].size, 2);
  EXPECT_EQ(p.q, (std::vector<double>{5, 6}));
  EXPECT_FALSE(find_fault(p));
  EXPECT_TRUE(linear_complementarity({}, {}).blocks.empty());
  EXPECT_FALSE(find_fault(linear_complementarity({}, {})));
}

TEST(Polyhedral, SizesAndBlocks) {
  for (const int nf : {4, 6, 8, 16}) {
    const Polyhedral p = polyhedral(one_of_each(), nf);
    EXPECT_EQ(p.directions, nf);
    EXPECT_EQ(p.problem.size(), 5 + nf + 2);
    EXPECT_EQ(p.problem.M.kind(), Matrix::Kind::dense);
    EXPECT_EQ(p.problem.M.size(), 5 + nf + 2);
    EXPECT_FALSE(find_fault(p.problem)) << find_fault(p.problem)->message;
    ASSERT_EQ(p.problem.blocks.size(), 4u);
    EXPECT_EQ(p.problem.blocks[2].kind, BlockKind::box);
    EXPECT_EQ(p.problem.blocks[3].kind, BlockKind::nonnegative);
    EXPECT_EQ(p.problem.blocks[3].start, 5);
    EXPECT_EQ(p.problem.blocks[3].size, nf + 2);
    EXPECT_EQ(p.problem.lower[3], -infinity);
    EXPECT_EQ(p.problem.upper[3], 1);
    EXPECT_EQ(p.problem.lower[4], -1);
    EXPECT_EQ(p.problem.upper[4], infinity);
  }
}

// Four directions, along +t1, +t2, -t1, -t2, of a contact between two rows of other kinds; from 000 eq. (10)-(16):
//     w_n     = W_nn n + W_nT D beta + q_n
//     w_beta  = D'W_Tn n + D'W_TT D beta + e sigma + D'q_T
//     w_sigma = mu n - e'beta
TEST(Polyhedral, OneContactByHand) {
  Problem p;
  // clang-format off
  p.M = Matrix::dense(5, {9, 1, 2,  3,  8,  //
                          4, 5, .5, .2, 7,  //
                          3, .7, 2, .1, 6,  //
                          2, .3, .4, 1, 5,  //
                          1, 6, 7,  8,  4});
  p.q = {-1, -2, 0.3, 0.4, -5};
  p.blocks = {{BlockKind::free, 0, 1, 0}, {BlockKind::cone, 1, 3, 0.6}, {BlockKind::nonnegative, 4, 1, 0}};
  const Problem lcp = polyhedral(p, 4).problem;
  const double expected[8][8] = {
      //free n   +t1  +t2  -t1  -t2  s   other
      {9,   1,   2,   3,   -2,  -3,  0,  8},   // free
      {4,   5,   .5,  .2,  -.5, -.2, 0,  7},   // normal
      {3,   .7,  2,   .1,  -2,  -.1, 1,  6},   // +t1
      {2,   .3,  .4,  1,   -.4, -1,  1,  5},   // +t2
      {-3,  -.7, -2,  -.1, 2,   .1,  1,  -6},  // -t1
      {-2,  -.3, -.4, -1,  .4,  1,   1,  -5},  // -t2
      {0,   .6,  -1,  -1,  -1,  -1,  0,  0},   // sigma
      {1,   6,   7,   8,   -7,  -8,  0,  4},   // other
  };
  // clang-format on
  const double q[8] = {-1, -2, 0.3, 0.4, -0.3, -0.4, 0, -5};
  ASSERT_EQ(lcp.size(), 8);
  // cosine and sine of multiples of pi / 2 are off by at most 2 eps; numbers are at most 9, two terms each
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(lcp.q[i], q[i], 50 * epsilon) << "row " << i;
    for (std::size_t j = 0; j < 8; ++j)
      EXPECT_NEAR(lcp.M.dense()[i * 8 + j], expected[i][j], 50 * epsilon) << "row " << i << " column " << j;
  }
}

TEST(Polyhedral, MapsBack) {
  const Problem conic = one_of_each();
  const Polyhedral p = polyhedral(conic, 6);
  const std::vector<double> z{1, 2, 3, 4, 5, /* normal */ 6, /* beta */ 7, 8, 9, 10, 11, 12, /* sigma */ 13};
  std::vector<double> back(8, std::nan(""));
  to_conic(conic, p, z, back);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(back[i], z[i]);
  // Directions every 60 degrees: cosines 1, 1/2, -1/2, -1, -1/2, 1/2; six terms of up to 12, each rounded
  const double h = std::sqrt(3) / 2;
  EXPECT_NEAR(back[6], 7 + 4 - 4.5 - 10 - 5.5 + 6, 100 * epsilon);
  EXPECT_NEAR(back[7], h * (8 + 9 - 11 - 12), 100 * epsilon);
}

TEST(Polyhedral, VelocitiesAreThoseOfTheCone) {
  // Whatever beta is: w of the polyhedral problem is D'w of the conic one at the impulses that it stands for.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const BlockLayout layout = random_layout(1 + dice.below(12), {}, dice);
    const int n = layout.size, nf = 4 + 2 * dice.below(4);
    Square M = random_psd(n, n, dice);
    add_skew(M, n, 1, dice);
    const Problem conic = problem_of(layout, Matrix::dense(n, std::move(M)), random_q(n, dice));
    const Polyhedral p = polyhedral(conic, nf);
    const std::vector<double> z = random_q(p.problem.size(), dice);
    std::vector<double> r(conic.q.size()), u(conic.q.size()), w(z.size());
    to_conic(conic, p, z, r);
    conic.M.multiply(r, u, {});
    p.problem.M.multiply(z, w, {});
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += conic.q[i];
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += p.problem.q[i];
    std::size_t at = 0;
    const double tolerance = 1e-12;  // sums of up to 15 x 10 terms of the order of 10
    for (const Block& b : conic.blocks) {
      const std::size_t s = std::size_t(b.start);
      if (b.kind != BlockKind::cone) {
        for (int k = 0; k < b.size; ++k) EXPECT_NEAR(w[at++], u[s + std::size_t(k)], tolerance) << "seed " << seed;
        continue;
      }
      const std::size_t normal = at, sigma = at + std::size_t(nf) + 1;
      EXPECT_NEAR(w[normal], u[s], tolerance) << "seed " << seed;
      double left = b.mu * z[normal];
      for (int k = 0; k < nf; ++k) {
        const double angle = 2 * std::numbers::pi / nf * k;
        const std::size_t row = normal + 1 + std::size_t(k);
        EXPECT_NEAR(w[row], std::cos(angle) * u[s + 1] + std::sin(angle) * u[s + 2] + z[sigma], tolerance)
            << "seed " << seed;
        left -= z[row];
      }
      EXPECT_NEAR(w[sigma], left, tolerance) << "seed " << seed;
      at = sigma + 1;
    }
  }
}

TEST(Polyhedral, ChecksTheNumberOfDirections) {
  for (const int bad : {-4, 0, 2, 3, 5, 7}) EXPECT_THROW(polyhedral(one_of_each(), bad), CheckFailed) << bad;
  for (const int good : {4, 6, 100}) EXPECT_NO_THROW(polyhedral(one_of_each(), good)) << good;
}

TEST(Polyhedral, ChecksSizesOnTheWayBack) {
  const Problem conic = one_of_each();
  const Polyhedral p = polyhedral(conic, 4);
  std::vector<double> z(p.problem.q.size()), back(8);
  EXPECT_NO_THROW(to_conic(conic, p, z, back));
  back.pop_back();
  EXPECT_THROW(to_conic(conic, p, z, back), CheckFailed);
  back.resize(8);
  z.push_back(0);
  EXPECT_THROW(to_conic(conic, p, z, back), CheckFailed);
}

// A block of 2 kg pushed along the ground with this velocity, one contact below its centre: M = 1/m.
constexpr double mass = 2, weight = mass * 9.81 * 0.01, mu = 0.5;  // weight: over the step
Problem block_on_the_ground(double vx, double vy) {
  return {Matrix::dense(3, {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass}),
          {-weight / mass, vx, vy},
          {{BlockKind::cone, 0, 3, mu}},
          {},
          {}};
}
std::vector<double> solve_polyhedral(const Problem& conic, int nf) {
  const Polyhedral p = polyhedral(conic, nf);
  LemkeWorkspace ws;
  std::vector<double> z(p.problem.q.size()), r(conic.q.size());
  EXPECT_EQ(lemke(p.problem, {}, ws, z).stop, Stop::finished);
  to_conic(conic, p, z, r);
  return r;
}

// Friction of the polygon is at the corner nearest to the cone's, at most half a side away (pi / nf of angle), or,
// where that would turn the motion, on a side between two corners: never further than a whole side, 2 sin(pi / nf).
TEST(Polyhedral, TendsToTheCone) {
  double worst[3] = {};
  const int nf[3] = {4, 8, 16};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const double angle = dice.near_zero(std::numbers::pi), speed = dice.between(2, 10) * mu * weight / mass;
    const double vx = speed * std::cos(angle), vy = speed * std::sin(angle);
    for (int k = 0; k < 3; ++k) {
      const std::vector<double> r = solve_polyhedral(block_on_the_ground(vx, vy), nf[k]);
      EXPECT_NEAR(r[0], weight, 1e-14) << "seed " << seed;  // rounding of a few operations on numbers below 1
      const double error = std::hypot(r[1] + mu * weight * vx / speed, r[2] + mu * weight * vy / speed) / (mu * weight);
      EXPECT_LE(error, 2 * std::sin(std::numbers::pi / nf[k])) << "seed " << seed << " nf " << nf[k];
      worst[k] = std::max(worst[k], error);
    }
  }
  for (int k = 0; k < 3; ++k) EXPECT_GE(worst[k], 0.5 * std::sin(std::numbers::pi / nf[k])) << "an exact polygon?";
  EXPECT_LE(worst[1], 0.6 * worst[0]);  // half of it, as sines go
  EXPECT_LE(worst[2], 0.6 * worst[1]);
}

TEST(Polyhedral, ExactAlongItsDirectionsAndWhereItSticks) {
  for (const int nf : {4, 8, 16})
    for (int k = 0; k < nf; ++k) {
      const double angle = 2 * std::numbers::pi * k / nf, x = std::cos(angle), y = std::sin(angle);
      // Along a direction: the opposite one is there too, since they come in pairs.
      const std::vector<double> slides = solve_polyhedral(block_on_the_ground(x, y), nf);
      EXPECT_NEAR(slides[1], -mu * weight * x, 1e-14) << "nf " << nf << " direction " << k;
      EXPECT_NEAR(slides[2], -mu * weight * y, 1e-14) << "nf " << nf << " direction " << k;
      // Within the polygon, whose sides are at cos(pi / 4) of the circle or further out: it stops.
      const double v = 0.7 * mu * weight / mass;
      const std::vector<double> sticks = solve_polyhedral(block_on_the_ground(v * x, v * y), nf);
      EXPECT_NEAR(sticks[1], -mass * v * x, 1e-14) << "nf " << nf << " direction " << k;
      EXPECT_NEAR(sticks[2], -mass * v * y, 1e-14) << "nf " << nf << " direction " << k;
    }
}

}  // namespace
}  // namespace linchpin

#include "linchpin/solvers/problem/polyhedral.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/pivoting/lemke.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

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
    const ProblemLayout layout = random_layout(1 + dice.below(12), {}, dice);
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
      worst[k] = larger(worst[k], error);
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

// ---- turned directions, planar problems, guesses ----

// A contact whose tangents are turned by some angle is the same contact: the polygon turned back stands where it stood.
TEST(Polyhedral, TurnsWithItsContact) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const int contacts = 1 + dice.below(3), n = 3 * contacts, nf = 4 + 2 * dice.below(5);
    ProblemLayout layout;
    std::vector<double> turn;
    Square R = zero_square(n);  // new components = R old
    for (int c = 0; c < contacts; ++c) {
      layout.blocks.push_back({BlockKind::cone, 3 * c, 3, dice.between(0, 1)});
      turn.push_back(dice.near_zero(4));
      const double angle = turn.back();
      entry(R, n, 3 * c, 3 * c) = 1;
      entry(R, n, 3 * c + 1, 3 * c + 1) = entry(R, n, 3 * c + 2, 3 * c + 2) = std::cos(angle);
      entry(R, n, 3 * c + 1, 3 * c + 2) = std::sin(angle);
      entry(R, n, 3 * c + 2, 3 * c + 1) = -std::sin(angle);
    }
    layout.size = n;
    const Problem conic = problem_of(layout, Matrix::dense(n, random_psd(n, n, dice)), random_q(n, dice));
    Problem other = conic;
    std::vector<double>& M = other.M.dense();
    std::fill(M.begin(), M.end(), 0.0);
    std::fill(other.q.begin(), other.q.end(), 0.0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        other.q[i] += entry(R, n, i, j) * conic.q[j];
        for (int k = 0; k < n; ++k)
          for (int l = 0; l < n; ++l)
            entry(M, n, i, j) += entry(R, n, i, k) * conic.M.dense()[k * n + l] * entry(R, n, j, l);
      }
    PolyhedralFriction turned, plain;
    Problem a, b;
    turned.pose(conic, nf, turn, a);
    plain.pose(other, nf, {}, b);
    for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-14);  // sums of numbers near 1
    for (std::size_t i = 0; i < a.M.dense().size(); ++i) EXPECT_NEAR(a.M.dense()[i], b.M.dense()[i], 1e-13);
  }
}

TEST(Polyhedral, DirectionsAreOppositeToTheLastBit) {
  for (const int nf : {2, 4, 6, 8, 10, 16}) {
    const double angle = 0.7;
    PolyhedralFriction friction;
    Problem out;
    friction.pose({Matrix::dense(3, {0, 0, 0, 0, 0, 0, 0, 0, 0}), {0, 0.3, -1.7}, {{BlockKind::cone, 0, 3, 1}}, {}, {}},
                  nf, std::span(&angle, 1), out);
    for (int k = 0; k < nf / 2; ++k) EXPECT_EQ(out.q[1 + k], -out.q[1 + k + nf / 2]);
  }
}

// A planar problem by two directions, along any turn: the tangent across does not move, nor does it matter.
TEST(Polyhedral, TwoDirectionsAreEnoughInThePlane) {
  for (const double angle : {0.0, 0.4, 2.0}) {
    const double c = std::cos(angle), s = std::sin(angle);
    for (const double speed : {0.3 * mu * weight / mass, 5 * mu * weight / mass}) {
      const Problem conic = block_on_the_ground(speed * c, speed * s);
      PolyhedralFriction friction;
      Problem out;
      friction.pose(conic, 2, std::span(&angle, 1), out);
      ASSERT_EQ(out.size(), 4);
      LemkeWorkspace ws;
      std::vector<double> z(4), r(3);
      ASSERT_EQ(lemke(out, {}, ws, z).stop, Stop::finished);
      friction.to_conic(z, r);
      const double expected = std::min(mass * speed, mu * weight);
      EXPECT_NEAR(r[1], -expected * c, 1e-15);
      EXPECT_NEAR(r[2], -expected * s, 1e-15);
    }
  }
}

TEST(Polyhedral, ChecksTurnsAndPlanarDirections) {
  const Problem conic = one_of_each();
  PolyhedralFriction friction;
  Problem out;
  const std::vector<double> one(1), two(2);
  EXPECT_NO_THROW(friction.pose(conic, 2, one, out));
  EXPECT_THROW(friction.pose(conic, 4, two, out), CheckFailed);
  EXPECT_THROW(friction.pose(conic, 3, one, out), CheckFailed);
  EXPECT_THROW(friction.pose(conic, 0, {}, out), CheckFailed);
}

// Impulses within the polygon come back as they were; outside, shortened to it. Rows of other kinds are untouched.
TEST(Polyhedral, GuessesFromTheCone) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const Problem conic = one_of_each();  // mu 0.5 at rows 5 to 7
    const int nf = 4 + 2 * dice.below(7);
    const double turn = dice.near_zero(4);
    PolyhedralFriction friction;
    Problem out;
    friction.pose(conic, nf, std::span(&turn, 1), out);
    std::vector<double> r = random_q(8, dice), w = random_q(8, dice), z(out.q.size()), back(8);
    r[5] = dice.between(0, 1);
    const double angle = dice.near_zero(4), inside = dice.chance(0.5) ? 0.99 * std::cos(std::numbers::pi / nf) : 1;
    r[6] = inside * 0.5 * r[5] * std::cos(angle);
    r[7] = inside * 0.5 * r[5] * std::sin(angle);
    friction.from_conic(r, w, z);
    friction.to_conic(z, back);
    double sum = 0, least = 1;
    int used = 0;
    for (int k = 0; k < nf; ++k) {
      const double beta = z[6 + k], along = turn + 2 * std::numbers::pi * k / nf;
      sum += beta;
      used += beta > 0;
      least = smaller(least, z.back() + w[6] * std::cos(along) + w[7] * std::sin(along));  // (3)
    }
    EXPECT_LE(used, 2);
    EXPECT_LE(sum, 0.5 * r[5] * (1 + 4 * epsilon));
    EXPECT_NEAR(least, 0, 1e-14) << "sigma is the least";
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(back[i], r[i]);
    if (inside < 1) {
      EXPECT_NEAR(back[6], r[6], 1e-14) << "seed " << seed << " nf " << nf;
      EXPECT_NEAR(back[7], r[7], 1e-14) << "seed " << seed << " nf " << nf;
    } else {  // the same way, up to the chord's depth shorter
      EXPECT_NEAR(back[6] * r[7] - back[7] * r[6], 0, 1e-14);
      EXPECT_GE(std::hypot(back[6], back[7]), (std::cos(std::numbers::pi / nf) - 1e-12) * 0.5 * r[5]);
    }
    friction.from_conic(r, {}, z);
    EXPECT_EQ(z.back(), 0);
  }
}

// The matrix may come in any form, and what was in `out` before does not matter.
TEST(Polyhedral, OfAnyMatrixIntoAnything) {
  const Problem factored = stack_of_boxes(2, 1), dense = with_matrix(factored, Matrix::Kind::dense);
  PolyhedralFriction friction;
  Problem a = one_of_each(), b = factored;
  friction.pose(factored, 6, {}, a);
  friction.pose(dense, 6, {}, b);
  EXPECT_EQ(a.M.dense(), b.M.dense());
  EXPECT_EQ(a.q, b.q);
  EXPECT_TRUE(a.lower.empty());
  EXPECT_FALSE(find_fault(a));
  EXPECT_FALSE(find_fault(b));
}

}  // namespace
}  // namespace linchpin

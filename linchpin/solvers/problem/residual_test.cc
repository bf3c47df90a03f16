#include "linchpin/solvers/problem/residual.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Residual judge(const Problem& problem, const std::vector<double>& z) {
  ResidualWorkspace ws;
  return residual(problem, z, ws);
}

// Onto the cone |x_T| <= mu x_N: in the half plane of the normal and x_T the cone is the wedge between the normal and
// (1, mu), so the nearest point is x itself, 0, or on that edge.
void nearest_in_cone(long double mu, long double* x) {
  const long double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (x[0] >= 0 && t <= mu * x[0]) return;
  const long double length = std::sqrt(1 + mu * mu), along = std::max(0.0L, (x[0] + mu * t) / length);
  const long double tangent = along * mu / length;
  x[0] = along / length;
  x[1] = t > 0 ? x[1] / t * tangent : 0;
  x[2] = t > 0 ? x[2] / t * tangent : 0;
}

// |z - P(z - w~)| in units s: (1) of residual.h, written out.
long double natural_map(const Problem& p, const std::vector<double>& z, const std::vector<double>& s) {
  const std::size_t n = z.size();
  Square M(n * n);
  p.M.to_dense(M.data(), int(n));
  std::vector<long double> Z(n), w(n);
  for (std::size_t i = 0; i < n; ++i) {
    w[i] = p.q[i];
    for (std::size_t j = 0; j < n; ++j) w[i] += (long double)(M[i * n + j]) * z[j];
    w[i] /= s[i];
    Z[i] = (long double)(s[i]) * z[i];
  }
  long double sum = 0;
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      const std::size_t i = std::size_t(b.start);
      long double x[3] = {Z[i] - w[i] - b.mu * std::sqrt(w[i + 1] * w[i + 1] + w[i + 2] * w[i + 2]),
                          Z[i + 1] - w[i + 1], Z[i + 2] - w[i + 2]};
      nearest_in_cone(b.mu, x);
      for (std::size_t k = 0; k < 3; ++k) sum += (Z[i + k] - x[k]) * (Z[i + k] - x[k]);
      continue;
    }
    for (std::size_t i = std::size_t(b.start); i < std::size_t(b.start + b.size); ++i) {
      long double x = Z[i] - w[i];
      if (b.kind == BlockKind::nonnegative && x < 0) x = 0;
      if (b.kind == BlockKind::box && x < (long double)(s[i]) * p.lower[i]) x = (long double)(s[i]) * p.lower[i];
      if (b.kind == BlockKind::box && x > (long double)(s[i]) * p.upper[i]) x = (long double)(s[i]) * p.upper[i];
      sum += (Z[i] - x) * (Z[i] - x);
    }
  }
  return std::sqrt(sum);
}
double norm(const std::vector<double>& x, const std::vector<double>& s) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] / s[i] * (x[i] / s[i]);
  return std::sqrt(sum);
}

// Rounding of w = M z + q, relative to |q| as the judge measures, in the given units.
double rounding(const Problem& p, const std::vector<double>& z, const std::vector<double>& s) {
  const std::size_t n = z.size();
  Square M(n * n);
  p.M.to_dense(M.data(), int(n));
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = std::abs(p.q[i]);
    for (std::size_t j = 0; j < n; ++j) row += std::abs(M[i * n + j] * z[j]);
    sum += (row / s[i] + s[i] * std::abs(z[i])) * (row / s[i] + s[i] * std::abs(z[i]));
  }
  return double(n + 8) * epsilon * std::sqrt(sum);
}

Planted random_planted(const BlockMix& mix, Dice& dice) {
  const ProblemLayout layout = random_layout(1 + dice.below(20), mix, dice);
  const int n = layout.size;
  Square M = random_psd(n, 1 + dice.below(n), dice);
  if (dice.chance(0.5)) add_skew(M, n, 1, dice);
  return plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice);
}

constexpr BlockMix each_kind[] = {{true, false, false, false},
                                  {false, true, false, false},
                                  {false, false, true, false},
                                  {false, false, false, true},
                                  {}};

TEST(Residual, VanishesAtPlantedSolutions) {
  for (std::size_t kind = 0; kind < 5; ++kind)
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Dice dice(seed);
      const Planted planted = random_planted(each_kind[kind], dice);
      ResidualWorkspace ws;
      const Residual r = residual(planted.problem, planted.z, ws);
      const std::vector<double> ones(planted.z.size(), 1.0);
      EXPECT_LE(r.plain_absolute, rounding(planted.problem, planted.z, ones)) << "kind " << kind << " seed " << seed;
      EXPECT_LE(r.absolute, rounding(planted.problem, planted.z, ws.scale)) << "kind " << kind << " seed " << seed;
    }
}

// With M = 1 there is one solution, that of cones too. Elsewhere the residual is positive, and by how much can be told:
// every piece of the map has slope 1 or 0 in z and in w, so e cannot be much smaller than the step away from it.
TEST(Residual, IsPositiveElsewhere) {
  for (std::size_t kind = 0; kind < 5; ++kind)
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Dice dice(seed);
      const ProblemLayout layout = random_layout(1 + dice.below(20), each_kind[kind], dice);
      const int n = layout.size;
      Square M = zero_square(n);
      for (int i = 0; i < n; ++i) entry(M, n, i, i) = 1;
      const Planted planted = plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice);
      for (const double step : {1e-6, 1e-3, 1.0}) {
        std::vector<double> z = planted.z;
        const std::size_t i = std::size_t(dice.below(n));
        z[i] += dice.chance(0.5) ? step : -step;
        const Residual r = judge(planted.problem, z);
        // 1/10: the cone's map is steep by up to 1 + mu, mu <= 1.2, and its inverse no steeper than a few
        EXPECT_GE(r.absolute, 0.1 * step) << "kind " << kind << " seed " << seed << " step " << step;
        EXPECT_GE(r.plain_absolute, 0.1 * step) << "kind " << kind << " seed " << seed << " step " << step;
        EXPECT_FALSE(r.within(1e-9)) << "kind " << kind << " seed " << seed << " step " << step;
      }
    }
}

TEST(Residual, IsTheNaturalMap) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Problem p = random_planted({}, dice).problem;
    const std::vector<double> z = random_q(p.size(), dice), ones(z.size(), 1.0);
    ResidualWorkspace ws;
    const Residual r = residual(p, z, ws);
    const double plain = double(natural_map(p, z, ones)), scaled = double(natural_map(p, z, ws.scale));
    EXPECT_NEAR(r.plain_absolute, plain, rounding(p, z, ones)) << "seed " << seed;
    EXPECT_NEAR(r.absolute, scaled, rounding(p, z, ws.scale)) << "seed " << seed;
    const double plain_q = norm(p.q, ones), scaled_q = norm(p.q, ws.scale);  // 0 where every block is degenerate
    EXPECT_NEAR(r.plain_relative * (plain_q > 0 ? plain_q : 1), plain, 2 * rounding(p, z, ones)) << "seed " << seed;
    EXPECT_NEAR(r.relative * (scaled_q > 0 ? scaled_q : 1), scaled, 2 * rounding(p, z, ws.scale)) << "seed " << seed;
    double sum = 0;  // parts make up the whole; the worst is the largest
    for (const double part : ws.part) {
      sum += part * part;
      EXPECT_LE(part, r.worst) << "seed " << seed;
    }
    EXPECT_NEAR(std::sqrt(sum), r.absolute, 40 * epsilon * r.absolute) << "seed " << seed;
    EXPECT_EQ(ws.part[r.worst_row], r.worst) << "seed " << seed;
    // w is left behind
    Square M(z.size() * z.size());
    p.M.to_dense(M.data(), p.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      double w = p.q[i];
      for (std::size_t j = 0; j < z.size(); ++j) w += M[i * z.size() + j] * z[j];
      EXPECT_NEAR(ws.w[i], w, rounding(p, z, ones)) << "seed " << seed << " row " << i;
    }
  }
}

TEST(Residual, MatrixKindsGiveTheSame) {
  const Problem factored = stack_of_boxes(4, 1);
  Dice dice(1);
  const std::vector<double> z = random_q(factored.size(), dice);
  const Residual a = judge(factored, z), b = judge(with_matrix(factored, Matrix::Kind::dense), z),
                 c = judge(with_matrix(factored, Matrix::Kind::block_sparse), z);
  // z is random: nothing cancels, so figures are good to the rounding of sums of some 50 terms
  for (const Residual* r : {&b, &c}) {
    EXPECT_NEAR(r->absolute, a.absolute, 100 * epsilon * a.absolute);
    EXPECT_NEAR(r->plain_absolute, a.plain_absolute, 100 * epsilon * a.plain_absolute);
    EXPECT_EQ(r->worst_row, a.worst_row);
  }
}

// A block of mass 2 on the ground, pushed; g dt = 0.1.
TEST(Residual, BlockOnTheGround) {
  const double m = 2, mu = 0.5;
  Problem p{Matrix::dense(3, {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}),
            {-0.1, 0.03, 0.04},
            {{BlockKind::cone, 0, 3, mu}},
            {},
            {}};
  // |v_T| = 0.05 = mu g dt: at the very limit it stops; the numbers are below 1, so is their rounding below 4 eps
  EXPECT_LE(judge(p, {0.2, -0.06, -0.08}).absolute, 4 * epsilon);
  p.q = {-0.1, 0.006, 0.008};  // sticks
  EXPECT_LE(judge(p, {0.2, -0.012, -0.016}).absolute, 4 * epsilon);
  EXPECT_LE(judge(p, {0.2, -0.012, -0.016}).plain_absolute, 4 * epsilon);
  EXPECT_FALSE(judge(p, {0.2, -0.06, -0.08}).within(1e-3));  // not at the limit of friction
  p.q = {-0.1, 0.3, 0.4};                                    // slides on with w_T = (0.27, 0.36)
  EXPECT_LE(judge(p, {0.2, -0.06, -0.08}).absolute, 4 * epsilon);
  EXPECT_LE(judge(p, {0.2, -0.06, -0.08}).plain_absolute, 4 * epsilon);
  EXPECT_FALSE(judge(p, {0.2, 0.06, 0.08}).within(1e-3));   // pushed along
  EXPECT_FALSE(judge(p, {0.2, -0.08, 0.06}).within(1e-3));  // across
  EXPECT_FALSE(judge(p, {0.2, 0, 0}).within(1e-3));         // no friction
  p.q = {0.1, 0.3, 0.4};                                    // jumps
  EXPECT_EQ(judge(p, {0, 0, 0}).absolute, 0);
  EXPECT_EQ(judge(p, {0, 0, 0}).plain_absolute, 0);
  p.blocks[0].mu = 0;
  p.q = {-0.1, 0.3, 0.4};
  EXPECT_LE(judge(p, {0.2, 0, 0}).absolute, 4 * epsilon);
  EXPECT_FALSE(judge(p, {0.2, -0.06, -0.08}).within(1e-3));
}

TEST(Residual, SlidingIsCoulombsAndNotTheRelaxation) {
  // w = (0.15, 0.3, 0), z = (0.2, -0.1, 0): z . w = 0 and w in the dual cone, so the relaxation is content. Coulomb is
  // not: the contact pushes while it opens.
  const Problem p{
      Matrix::dense(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-0.05, 0.4, 0}, {{BlockKind::cone, 0, 3, 0.5}}, {}, {}};
  EXPECT_FALSE(judge(p, {0.2, -0.1, 0}).within(0.1));
  EXPECT_LE(judge(p, {0.05, -0.025, 0}).absolute, 4 * epsilon);
}

TEST(Residual, BoxBoundsByHand) {
  const auto box = [](double q, double l, double u) {
    return Problem{Matrix::dense(1, {4}), {q}, {{BlockKind::box, 0, 1, 0}}, {l}, {u}};
  };
  EXPECT_EQ(judge(box(-2, 0, 1), {0.5}).absolute, 0);  // inside, w = 0
  EXPECT_EQ(judge(box(2, 0, 1), {0}).absolute, 0);     // at l, w = 2
  EXPECT_EQ(judge(box(-8, 0, 1), {1}).absolute, 0);    // at u, w = -4
  EXPECT_EQ(judge(box(8, -infinity, 1), {-2}).absolute, 0);
  EXPECT_EQ(judge(box(-8, 1, infinity), {2}).absolute, 0);
  EXPECT_EQ(judge(box(-100, 3, 3), {3}).absolute, 0);  // no width: w may be anything
  // Off: s = 2. Inside with w = 2: z - w = -1.5 is cut to 0, so plain 0.5; scaled 2 (0.5) against 2 / 2.
  EXPECT_EQ(judge(box(0, 0, 1), {0.5}).plain_absolute, 0.5);
  EXPECT_EQ(judge(box(0, 0, 1), {0.5}).absolute, 1);
  EXPECT_EQ(judge(box(4, 0, 1), {1}).plain_absolute, 1);       // at u with w = 8
  EXPECT_EQ(judge(box(-4, 0, 1), {1.5}).plain_absolute, 1.5);  // beyond u, w = 2: -0.5 is cut to 0
  EXPECT_EQ(judge(box(-8, 0, 1), {1.5}).plain_absolute, 0.5);  // beyond u, w = -2: 3.5 is cut to 1
}

TEST(Residual, FreeAndNonnegativeRowsByHand) {
  Problem p{Matrix::dense(2, {4, 0, 0, 9}),
            {-8, -9},
            {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}},
            {},
            {}};
  EXPECT_EQ(judge(p, {2, 1}).absolute, 0);
  const Residual r = judge(p, {-1, 2});  // w = (-12, 9), s = (2, 3): e = (-6, min(6, 3)); plain (-12, min(2, 9))
  EXPECT_NEAR(r.absolute, std::sqrt(36 + 9), 1e-14);
  EXPECT_NEAR(r.relative, std::sqrt(45.0 / (16 + 9)), 1e-15);
  EXPECT_NEAR(r.plain_absolute, std::sqrt(144 + 4), 1e-14);
  EXPECT_NEAR(r.plain_relative, std::sqrt(148.0 / (64 + 81)), 1e-15);
  EXPECT_EQ(r.worst_row, 0);
  EXPECT_EQ(r.worst, 6);
}

TEST(Residual, WithinAsksForBothFigures) {
  Residual r;
  EXPECT_TRUE(r.within(0));
  r.relative = 1e-5;
  EXPECT_TRUE(r.within(1e-5));
  EXPECT_FALSE(r.within(9e-6));
  r.plain_relative = 1e-3;
  EXPECT_FALSE(r.within(1e-5));
  EXPECT_TRUE(r.within(1e-3));
  r.relative = std::nan("");
  EXPECT_FALSE(r.within(1));
  r.relative = 0;
  r.plain_relative = std::nan("");
  EXPECT_FALSE(r.within(1));
}

// Units and order of blocks. Rounding of the scaled figure stays what it is in those units.
TEST(Residual, UnitsAndOrderDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    Problem p = random_planted({}, dice).problem;
    if (seed % 3 == 0)  // rows without a diagonal, coupled to others: the first block keeps its own
      for (const Block& b : p.blocks)
        if (b.start > 0 && b.kind != BlockKind::cone && dice.chance(0.5))
          for (int i = b.start; i < b.start + b.size; ++i) p.M.dense()[i * p.size() + i] = 0;
    const std::vector<double> z = random_q(p.size(), dice);
    ResidualWorkspace ws;
    const Residual r = residual(p, z, ws);
    const double allowed = rounding(p, z, ws.scale), q = norm(p.q, ws.scale) > 0 ? norm(p.q, ws.scale) : 1;

    const int count = int(p.blocks.size());
    std::vector<double> units, other_z = z;
    for (const Block& b : p.blocks) {
      units.push_back(std::pow(10, dice.near_zero(4)));
      for (int i = b.start; i < b.start + b.size; ++i) other_z[i] /= units.back();
    }
    const Residual u = judge(rescaled(p, units), other_z);
    EXPECT_NEAR(u.absolute, r.absolute, 4 * allowed) << "seed " << seed;
    EXPECT_NEAR(u.relative, r.relative, 8 * allowed / q) << "seed " << seed;
    EXPECT_NEAR(u.worst, r.worst, 4 * allowed) << "seed " << seed;

    const std::vector<int> order = random_order(count, dice);
    std::vector<double> permuted_z;
    std::vector<int> from;
    for (const int b : order)
      for (int k = 0; k < p.blocks[b].size; ++k) {
        from.push_back(p.blocks[b].start + k);
        permuted_z.push_back(z[from.back()]);
      }
    ResidualWorkspace permuted_ws;
    const Residual o = residual(permuted(p, order), permuted_z, permuted_ws);
    EXPECT_NEAR(o.absolute, r.absolute, 4 * allowed) << "seed " << seed;
    EXPECT_NEAR(o.relative, r.relative, 8 * allowed / q) << "seed " << seed;
    EXPECT_NEAR(o.plain_absolute, r.plain_absolute, 4 * rounding(p, z, std::vector<double>(z.size(), 1.0)))
        << "seed " << seed;
    // the same row, or one that is as bad: of a matrix of rank 1 all free rows are
    EXPECT_NEAR(ws.part[from[o.worst_row]], r.worst, 4 * allowed) << "seed " << seed;
    for (std::size_t i = 0; i < from.size(); ++i)
      EXPECT_EQ(permuted_ws.scale[i], ws.scale[from[i]]) << "seed " << seed << " row " << i;
  }
}

TEST(Residual, NamesTheWorstContact) {
  const Problem p = stack_of_boxes(3, 1);
  for (int contact = 0; contact < int(p.blocks.size()); ++contact) {
    // Contacts at rest without force are content with q = 0, but for one that is pulled.
    Problem quiet = p;
    std::fill(quiet.q.begin(), quiet.q.end(), 0.0);
    quiet.q[3 * contact] = -1;
    const Residual r = judge(quiet, std::vector<double>(quiet.q.size()));
    EXPECT_EQ(r.worst_row, 3 * contact);
    EXPECT_NEAR(r.worst, r.absolute, 4 * epsilon * r.absolute);
    EXPECT_NEAR(r.relative, 1, 4 * epsilon);
    EXPECT_EQ(r.plain_absolute, 1);
  }
}

TEST(Residual, NothingThatIsNotFiniteIsWithin) {
  const double largest = std::numeric_limits<double>::max();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(6, {}, dice);
    const int n = layout.size;
    Square M = random_psd(n, n, dice);
    const Planted dense = plant(layout, Matrix::dense(n, M), 0.3, dice);
    // Without the blocks off the diagonal, and without any block at all: nothing else hears of it.
    std::vector<int> start;
    std::vector<Triplet> triplets;
    for (const Block& b : layout.blocks) {
      start.push_back(b.start);
      for (int r = b.start; r < b.start + b.size; ++r)
        for (int c = b.start; c < b.start + b.size; ++c) triplets.push_back({r, c, entry(M, n, r, c)});
    }
    start.push_back(n);
    const Planted sparse = plant(layout, Matrix::sparse(block_sparse(start, start, triplets)), 0.3, dice);
    const Planted empty = plant(layout, Matrix::sparse(block_sparse(start, start, {})), 0.3, dice);
    for (const Planted* p : {&dense, &sparse, &empty})
      for (int i = 0; i < n; ++i)
        for (const double bad : {std::nan(""), infinity, -infinity}) {
          std::vector<double> z = p->z;
          z[i] = bad;
          const Residual r = judge(p->problem, z);
          EXPECT_FALSE(r.within(largest)) << "seed " << seed << " row " << i << " is " << bad;
        }
  }
}

// The row that is not a number is the worst, whatever comes after it.
TEST(Residual, NaNIsTheWorst) {
  const std::vector<int> start{0, 1, 2, 3};
  const std::vector<Triplet> ones{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}};
  const Problem p = linear_complementarity(Matrix::sparse(block_sparse(start, start, ones)), {-1, -1, -1});
  for (int row = 0; row < 3; ++row) {
    std::vector<double> z{1, 5, 1};
    z[row] = std::nan("");
    const Residual r = judge(p, z);
    EXPECT_TRUE(std::isnan(r.absolute));
    EXPECT_EQ(r.worst_row, row);
    EXPECT_TRUE(std::isnan(r.worst)) << "row " << row;
  }
}

TEST(Residual, WithoutQ) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    Problem p = random_planted({.box = false}, dice).problem;
    std::fill(p.q.begin(), p.q.end(), 0.0);
    const Residual zero = judge(p, std::vector<double>(p.q.size()));
    EXPECT_EQ(zero.absolute, 0) << "seed " << seed;
    EXPECT_EQ(zero.plain_absolute, 0) << "seed " << seed;
    EXPECT_TRUE(zero.within(0)) << "seed " << seed;
    const Residual other = judge(p, random_q(p.size(), dice));
    EXPECT_EQ(other.relative, other.absolute) << "seed " << seed;
    EXPECT_EQ(other.plain_relative, other.plain_absolute) << "seed " << seed;
  }
}

TEST(Residual, WithoutRows) {
  const Residual r = judge({}, {});
  EXPECT_EQ(r.absolute, 0);
  EXPECT_EQ(r.relative, 0);
  EXPECT_EQ(r.plain_absolute, 0);
  EXPECT_EQ(r.plain_relative, 0);
  EXPECT_EQ(r.worst_row, -1);
  EXPECT_EQ(r.worst, 0);
  EXPECT_TRUE(r.within(0));
}

TEST(Residual, ScalesOfRowsByHand) {
  Problem p;
  // free; nonnegative; cone; then a row coupled by its column only, one coupled to nothing, one coupled to it alone
  Square M = zero_square(8);
  entry(M, 8, 0, 0) = 4;
  entry(M, 8, 1, 1) = -9;                                               // the size counts
  entry(M, 8, 2, 2) = 1, entry(M, 8, 3, 3) = 2, entry(M, 8, 4, 4) = 9;  // mean 4
  entry(M, 8, 0, 5) = 10, entry(M, 8, 5, 1) = -12, entry(M, 8, 5, 6) = 1e9;
  p.M = Matrix::dense(8, std::move(M));
  p.q.assign(8, 1.0);
  p.blocks = {{BlockKind::free, 0, 1, 0},
              {BlockKind::nonnegative, 1, 1, 0},
              {BlockKind::cone, 2, 3, 1},
              {BlockKind::free, 5, 3, 0}};
  ResidualWorkspace ws;
  row_scales(p, ws);
  // row 5: 10 / 2 from the column, 12 / 3 from the row; its coupling to row 6 does not count, nor row 6's to it
  const std::vector<double> expected{2, 3, 2, 2, 2, 5, 1, 1};
  EXPECT_EQ(ws.scale, expected);
  row_scales(with_matrix(p, Matrix::Kind::block_sparse), ws);
  EXPECT_EQ(ws.scale, expected);
}

TEST(Residual, ScaleOfAConeWithoutDiagonal) {
  // The three rows share the largest coupling of any: 6 / 2.
  const Problem p{Matrix::dense(4, {0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 2, 0, -1, 0, 4}),
                  {-1, 0, 0, 1},
                  {{BlockKind::cone, 0, 3, 1}, {BlockKind::free, 3, 1, 0}},
                  {},
                  {}};
  ResidualWorkspace ws;
  row_scales(p, ws);
  EXPECT_EQ(ws.scale, (std::vector<double>{3, 3, 3, 2}));
}

TEST(Residual, ZeroDiagonalsAreSolvedLikeOthers) {
  // z = (1, 3) as in Lemke's equality that only a pair can meet; no diagonal at all, so that s = 1.
  const Problem p{Matrix::dense(2, {0, 1, -1, 0}),
                  {-3, 1},
                  {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}},
                  {},
                  {}};
  EXPECT_EQ(judge(p, {1, 3}).absolute, 0);
  const Residual r = judge(p, {1, 2});
  EXPECT_EQ(r.absolute, 1);
  EXPECT_EQ(r.plain_absolute, 1);
  EXPECT_EQ(r.worst_row, 0);
  // M = 0: rows are solved or not whatever z does
  const Problem none = linear_complementarity(Matrix::dense(2, {0, 0, 0, 0}), {1, -1});
  EXPECT_EQ(judge(none, {0, 5}).absolute, 1);
}

TEST(Residual, WorkspaceDoesNotMatter) {
  ResidualWorkspace used;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Dice dice(seed);
    const Problem p = random_planted({}, dice).problem;
    const std::vector<double> z = random_q(p.size(), dice);
    const Residual a = residual(p, z, used), b = judge(p, z);
    EXPECT_EQ(a.absolute, b.absolute);
    EXPECT_EQ(a.relative, b.relative);
    EXPECT_EQ(a.plain_absolute, b.plain_absolute);
    EXPECT_EQ(a.worst_row, b.worst_row);
    for (std::vector<double>* x : {&used.w, &used.scale, &used.part, &used.work, &used.row})
      std::fill(x->begin(), x->end(), std::nan(""));
  }
}

TEST(Residual, ChecksTheSizeOfZ) {
  ResidualWorkspace ws;
  EXPECT_THROW(residual(linear_complementarity(Matrix::dense(1, {1}), {1}), std::vector<double>(2), ws), CheckFailed);
}

// ---- the whole range of double ----

// z, w and q in other units: with the factor 2^k for all of them the relative figures stay as they are.
Problem in_units(const Problem& problem, int k) {
  Problem other = problem;
  for (auto* numbers : {&other.q, &other.lower, &other.upper})
    for (double& x : *numbers) x = std::ldexp(x, k);
  return other;
}

TEST(Residual, IsRightAtBothEndsOfTheRange) {
  constexpr double tolerance = 1e-10;
  for (std::size_t kind = 0; kind < 5; ++kind)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Dice dice(seed);
      const Planted planted = random_planted(each_kind[kind], dice);
      if (largest(planted.problem.q) == 0) continue;  // the figures are absolute
      for (const double wrong : {0.0, 1e-3}) {
        std::vector<double> z = planted.z;
        for (double& x : z) x += wrong * dice.near_zero(1);
        const Residual r = judge(planted.problem, z);
        for (const int k : {-960, -700, -570, -510, -400, 400, 510, 570, 700, 960}) {
          std::vector<double> other = z;
          for (double& x : other) x = std::ldexp(x, k);
          const Residual far = judge(in_units(planted.problem, k), other);
          EXPECT_EQ(far.within(tolerance), r.within(tolerance)) << "kind " << kind << " seed " << seed << " 2^" << k;
          EXPECT_NEAR(far.relative, r.relative, 1e-12 * (1 + r.relative)) << kind << " " << seed << " 2^" << k;
          EXPECT_NEAR(far.plain_relative, r.plain_relative, 1e-12 * (1 + r.plain_relative)) << kind << " " << seed;
        }
      }
    }
}

// M in other units, and with it z: the scaled figure stays.
TEST(Residual, TakesAnySizeOfM) {
  for (std::size_t kind = 0; kind < 5; ++kind)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Dice dice(seed);
      const Planted planted = random_planted(each_kind[kind], dice);
      std::vector<double> z = planted.z;
      for (double& x : z) x += 1e-3 * dice.near_zero(1);
      if (largest(planted.problem.q) == 0) continue;
      const Residual r = judge(planted.problem, z);
      for (const int k : {-900, -600, -300, 300, 600, 900}) {
        Problem p = planted.problem;
        for (double& x : p.M.dense()) x = std::ldexp(x, k);
        std::vector<double> other = z;
        for (auto* numbers : {&other, &p.lower, &p.upper})
          for (double& x : *numbers) x = std::ldexp(x, -k);
        EXPECT_NEAR(judge(p, other).relative, r.relative, 1e-12 * (1 + r.relative)) << kind << " " << seed << " " << k;
      }
    }
}

TEST(Residual, OfTinyAndHugeProblemsIsNotMistaken) {
  // z = 0 does not solve w = z - q with q < 0, however small q is, and neither does a z that is off by a tenth.
  for (const double size : {5e-324, 1e-320, 1e-300, 1e-170, 1e-150, 1.0, 1e150, 1e160, 1e200, 1e308}) {
    const Problem p = linear_complementarity(Matrix::dense(1, {1}), {-size});
    EXPECT_DOUBLE_EQ(judge(p, {0}).relative, 1) << size;
    EXPECT_DOUBLE_EQ(judge(p, {0}).plain_relative, 1) << size;
    EXPECT_LE(judge(p, {size}).relative, 1e-18) << size;
    EXPECT_LE(judge(p, {size}).plain_relative, 1e-18) << size;
    if (size < 1e-300) continue;
    EXPECT_NEAR(judge(p, {0.9 * size}).relative, 0.1, 1e-14) << size;
    EXPECT_NEAR(judge(p, {0.9 * size}).plain_relative, 0.1, 1e-14) << size;
  }
  // A cone whose diagonal overflows in the mean, and a row whose coupling to one with a tiny diagonal overflows.
  Problem cone{
      Matrix::dense(3, {1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308}), {-1e308, 0, 0}, {{BlockKind::cone, 0, 3, 1}}, {}, {}};
  EXPECT_TRUE(judge(cone, {1, 0, 0}).within(1e-10));
  EXPECT_FALSE(judge(cone, {0.9, 0, 0}).within(1e-2));
  const Problem coupled = linear_complementarity(Matrix::dense(2, {1e-300, 1e300, 1e300, 0}), {-1, -1});
  EXPECT_FALSE(judge(coupled, {0, 0}).within(1e-2));
}

// Solutions of matrices that are singular but for their last bits are large; extended precision could not tell them
// from numbers nearby.
TEST(Residual, TellsLargeSolutionsFromOthers) {
  for (const int bits : {20, 40, 50, 52}) {
    const double e = std::ldexp(1.0, -bits);
    const Problem p = linear_complementarity(Matrix::dense(2, {1, -1, -1, 1 + e}), {-1, 0});
    EXPECT_TRUE(judge(p, {1 / e + 1, 1 / e}).within(1e-10)) << bits;
    EXPECT_FALSE(judge(p, {1 / e + 1, 1 / e + 1}).within(0.1)) << bits;
    EXPECT_FALSE(judge(p, {1 / e, 1 / e}).within(0.1)) << bits;
  }
}

}  // namespace
}  // namespace linchpin

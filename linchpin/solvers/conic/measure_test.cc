#include "linchpin/solvers/conic/measure.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr double last_place = std::numeric_limits<double>::epsilon();

// What both figures may differ by: w is a sum of n terms, formed here of scaled numbers and there of plain ones. The
// larger of the two in its own units, relative to |q| as both are.
double rounding(const Problem& p, const std::vector<double>& z, const ResidualWorkspace& ws) {
  const std::size_t n = z.size();
  Square M(n * n);
  p.M.to_dense(M.data(), int(n));
  double scaled = 0, plain = 0, scaled_q = 0, plain_q = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = std::abs(p.q[i]);
    for (std::size_t j = 0; j < n; ++j) row += std::abs(M[i * n + j] * z[j]);
    const double s = ws.scale[i], a = row / s + s * std::abs(z[i]), b = row + std::abs(z[i]);
    scaled += a * a;
    plain += b * b;
    scaled_q += p.q[i] / s * (p.q[i] / s);
    plain_q += p.q[i] * p.q[i];
  }
  const double relative = scaled_q > 0 ? scaled / scaled_q : scaled,
               plain_relative = plain_q > 0 ? plain / plain_q : plain;
  return double(n + 10) * last_place * std::sqrt(larger(relative, plain_relative));
}

// measure() and the judge at z. `scaled` is one for many problems: what the last one left does not matter.
void expect_agreement(const Problem& p, const std::vector<double>& z, ScaledProblem& scaled, const std::string& what) {
  scaled.assign(p);
  std::vector<double> r(scaled.stride, std::nan("")), u(scaled.stride, std::nan(""));
  scaled.scale(z, r.data());
  double norm = std::nan("");
  const double found = measure(scaled, r.data(), u.data(), &norm);
  EXPECT_EQ(found, measure(scaled, r.data(), u.data())) << what;
  ResidualWorkspace ws;
  const Residual truth = residual(p, z, ws);
  const double allowed = rounding(p, z, ws);
  EXPECT_NEAR(found, larger(truth.relative, truth.plain_relative), allowed) << what;
  EXPECT_NEAR(norm, truth.absolute, allowed * (scaled.q_norm > 0 ? scaled.q_norm : 1)) << what;
  double error = 0, cell_error = 0;  // of u, in the judge's units, and of its rows one cell at a time
  for (std::size_t i = 0; i < z.size(); ++i) error = larger(error, std::abs(u[i] - ws.w[i] / ws.scale[i]));
  for (std::size_t c = 0; c < scaled.cells.size(); ++c) {
    double cell[3];
    row_velocity(scaled, int(c), r.data(), cell);
    for (int k = 0; k < scaled.cells[c].size; ++k)
      cell_error = larger(cell_error, std::abs(cell[k] - u[scaled.cells[c].start + k]));
  }
  EXPECT_LE(error, allowed * (scaled.q_norm > 0 ? scaled.q_norm : 1)) << what;
  EXPECT_LE(cell_error, allowed * (scaled.q_norm > 0 ? scaled.q_norm : 1)) << what;
  std::vector<double> back(z.size());
  scaled.unscale(r.data(), back);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(back[i], z[i], 2 * last_place * std::abs(z[i])) << what;
}

TEST(Measure, IsTheJudgesOnDenseProblems) {
  ScaledProblem scaled;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(30), {}, dice);
    const int n = layout.size;
    Square M = random_psd(n, 1 + dice.below(n), dice);
    if (dice.chance(0.5)) add_skew(M, n, 1, dice);
    if (dice.chance(0.2))
      for (int i = 0; i < n; ++i) entry(M, n, i, i) = 0;  // scales from couplings, or none
    const Planted planted = plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice);
    const std::string what = "seed " + std::to_string(seed);
    expect_agreement(planted.problem, random_q(n, dice), scaled, what);
    EXPECT_FALSE(scaled.sparse) << what;
    expect_agreement(planted.problem, planted.z, scaled, what + " solved");
    std::vector<double> units;
    for (std::size_t b = 0; b < layout.blocks.size(); ++b) units.push_back(std::pow(10, dice.near_zero(2)));
    expect_agreement(rescaled(planted.problem, units), random_q(n, dice), scaled, what + " in other units");
  }
}

TEST(Measure, IsTheJudgesOnSparseProblems) {
  ScaledProblem scaled;
  int sparse = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Dice dice(seed);
    const SceneOptions options{.mass_ratio = seed % 2 ? 1.0 : 100.0};
    const Problem p = seed % 3 == 0   ? pile_of_spheres(40, seed, options)
                      : seed % 3 == 1 ? stack_of_boxes(12, seed, options)
                                      : separate_boxes(6, seed, options);
    for (const Matrix::Kind kind : {Matrix::Kind::factored, Matrix::Kind::dense, Matrix::Kind::block_sparse}) {
      const std::string what = "seed " + std::to_string(seed) + " kind " + std::to_string(int(kind));
      expect_agreement(with_matrix(p, kind), random_q(p.size(), dice), scaled, what);
      EXPECT_EQ(scaled.sparse, kind != Matrix::Kind::dense) << what;
      sparse += scaled.sparse;
    }
  }
  EXPECT_EQ(sparse, 24);
}

// Blocks of every kind, cells of one and three rows, in a sparse matrix without symmetry.
TEST(Measure, IsTheJudgesOnSparseMixes) {
  ScaledProblem scaled;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(60, {}, dice);
    const int n = layout.size;
    std::vector<int> start;
    for (const Block& b : layout.blocks) start.push_back(b.start);
    start.push_back(n);
    std::vector<Triplet> triplets;
    for (int i = 0; i < n; ++i) triplets.push_back({i, i, dice.between(0.5, 2)});
    for (int k = 0; k < n; ++k) triplets.push_back({dice.below(n), dice.below(n), dice.near_zero(1)});
    const Planted planted = plant(layout, Matrix::sparse(block_sparse(start, start, triplets)), 0.3, dice);
    const std::string what = "seed " + std::to_string(seed);
    expect_agreement(planted.problem, random_q(n, dice), scaled, what);
    EXPECT_TRUE(scaled.sparse) << what;
    expect_agreement(planted.problem, planted.z, scaled, what + " solved");
  }
}

// The same scaled problem for a product, a sparse matrix of another pattern, and the product again.
TEST(Measure, IsTheJudgesWhateverCameBefore) {
  Dice dice(1);
  const Problem product = stack_of_boxes(12, 1);
  Problem other = product;
  std::vector<int> start;
  std::vector<Triplet> ones;
  for (int i = 0; i < product.size(); ++i) ones.push_back({i, i, 1});
  for (int i = 0; i <= product.size(); i += 3) start.push_back(i);
  other.M = Matrix::sparse(block_sparse(start, start, ones));
  const std::vector<double> z = random_q(product.size(), dice);
  ScaledProblem scaled;
  expect_agreement(product, z, scaled, "product");
  expect_agreement(other, z, scaled, "diagonal");
  expect_agreement(product, z, scaled, "product again");
}

TEST(Measure, WithoutQAndWithoutRows) {
  ScaledProblem scaled;
  Dice dice(1);
  Problem p = stack_of_boxes(2, 1);
  std::fill(p.q.begin(), p.q.end(), 0.0);
  expect_agreement(p, random_q(p.size(), dice), scaled, "no q");
  expect_agreement(p, std::vector<double>(p.q.size()), scaled, "nothing at all");
  scaled.assign({});
  EXPECT_EQ(measure(scaled, nullptr, nullptr), 0);
}

TEST(Measure, NaNGoesThrough) {
  ScaledProblem scaled;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Dice dice(seed);
    const Problem problem = plant_random(8, {}, random_full_psd, 0.3, dice).problem;
    scaled.assign(problem);
    std::vector<double> r(scaled.stride, 0.0), u(r.size());
    r[dice.below(problem.size())] = std::nan("");
    EXPECT_TRUE(std::isnan(measure(scaled, r.data(), u.data()))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace linchpin

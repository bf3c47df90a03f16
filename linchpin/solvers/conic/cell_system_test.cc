#include "linchpin/solvers/conic/cell_system.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

// W + R of a pile large enough for float factors.
struct Pile {
  explicit Pile(double size_of_R) {
    p.assign(with_matrix(pile_of_spheres(450, 1), Matrix::Kind::block_sparse));
    EXPECT_TRUE(p.sparse);
    system.prepare(p, true);
    Dice dice(5);
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
      system.unit_L(c) = true;
      for (int k = 0; k < 9; ++k) system.R(c)[k] = size_of_R * ((k % 4 == 0 ? 1 : 0) + dice.near_zero(0.3));
    }
    for (int i = 0; i < p.stride; ++i) b.push_back(i < p.n ? dice.near_zero(1) : 0);
  }
  // |b - W x - R x| / |b| after solve().
  double left_over() {
    std::vector<double> x = b, w(b.size());
    system.solve(p, x.data());
    p.multiply(x.data(), w.data());
    double sum = 0, all = 0;
    for (std::size_t c = 0; c < p.cells.size(); ++c)
      for (int i = 0; i < 3; ++i) {
        const std::size_t at = std::size_t(p.cells[c].start);
        double r = b[at + std::size_t(i)] - w[at + std::size_t(i)];
        for (int j = 0; j < 3; ++j) r -= system.R(c)[3 * i + j] * x[at + std::size_t(j)];
        sum += r * r;
        all += b[at + std::size_t(i)] * b[at + std::size_t(i)];
      }
    return std::sqrt(sum / all);
  }
  ScaledProblem p;
  CellSystem system;
  std::vector<double> b;
};

TEST(CellSystem, RoughSolutionsAreAsGoodAsTheySay) {
  for (const double size_of_R : {10.0, 0.1, 1e-3}) {
    Pile pile(size_of_R);
    ASSERT_TRUE(pile.system.factor(pile.p, true));
    const double rough = pile.left_over();
    EXPECT_LE(rough, 1e-4) << size_of_R;
    EXPECT_GT(rough, 1e-13) << size_of_R << ": double, it seems";
    EXPECT_EQ(pile.left_over(), rough);  // the same factors, the same bits
    ASSERT_TRUE(pile.system.factor(pile.p));
    EXPECT_LE(pile.left_over(), 1e-11) << size_of_R;
  }
}

// W of a pile is singular. With so small an R float factors fail, and double ones replace them, now and for the next
// factorisations; then float is tried again.
TEST(CellSystem, DoubleTakesOverNearSingularMatrices) {
  Pile pile(1e-9);
  ASSERT_TRUE(pile.system.factor(pile.p, true));
  EXPECT_LE(pile.left_over(), 1e-5);
  ASSERT_TRUE(pile.system.factor(pile.p, true));
  const double next = pile.left_over();
  ASSERT_TRUE(pile.system.factor(pile.p));
  EXPECT_EQ(pile.left_over(), next);
}

TEST(CellSystem, SingularIsNotANumber) {
  Pile pile(0);
  for (std::size_t c = 0; c < pile.p.cells.size(); ++c) pile.system.R(c)[0] = std::nan("");
  EXPECT_FALSE(pile.system.factor(pile.p, true));
}

}  // namespace
}  // namespace linchpin

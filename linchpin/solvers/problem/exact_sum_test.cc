#include "linchpin/solvers/problem/exact_sum.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/solvers/problem/generate.h"

namespace linchpin {
namespace {

TEST(ExactSum, LosesNothing) {
  ExactSum sum;
  EXPECT_EQ(sum.sign(), 0);
  for (const double x : {1e200, 1.0, -1e200, 1e-200, -1.0}) sum.add(x);
  EXPECT_TRUE(sum.exact());
  EXPECT_EQ(sum.sign(), 1);
  EXPECT_EQ(sum.value(), 1e-200);
  sum.add(-1e-200);
  EXPECT_EQ(sum.sign(), 0);
  EXPECT_EQ(sum.value(), 0);
}

// 0.1 * 10 - 1 is not 0: 0.1 is rounded up.
TEST(ExactSum, ProductsAreExact) {
  ExactSum sum;
  sum.add_product(0.1, 10);
  sum.add(-1);
  EXPECT_EQ(sum.sign(), 1);
  EXPECT_EQ(sum.value(), 0x1p-54);
  ExactSum thirds;
  for (int i = 0; i < 3; ++i) thirds.add_product(1.0 / 3, 1);
  thirds.add(-1);
  EXPECT_EQ(thirds.sign(), -1);
}

// Every number is added and, in another order, subtracted; one unit in the last place too many decides the sign.
TEST(ExactSum, SumsInAnyOrderCancel) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    std::vector<double> a, b;
    for (int i = 0; i < 20; ++i) {
      a.push_back(std::ldexp(dice.near_zero(1), dice.below(200) - 100));
      b.push_back(std::ldexp(dice.near_zero(1), dice.below(200) - 100));
    }
    ExactSum sum;
    for (int i = 0; i < 20; ++i) sum.add_product(a[i], b[i]);
    for (int i = 19; i >= 0; --i) sum.add_product(-b[i], a[i]);
    EXPECT_TRUE(sum.exact());
    EXPECT_EQ(sum.sign(), 0) << seed;
    sum.add(-0x1p-300);
    EXPECT_EQ(sum.sign(), -1) << seed;
  }
}

TEST(ExactSum, SaysWhereItIsNotExact) {
  ExactSum small, large, sum;
  small.add_product(1e-160, 1e-160);
  EXPECT_FALSE(small.exact());
  large.add_product(1e200, 1e200);
  EXPECT_FALSE(large.exact());
  sum.add(1e308);
  sum.add(1e308);
  EXPECT_FALSE(sum.exact());
}

}  // namespace
}  // namespace linchpin

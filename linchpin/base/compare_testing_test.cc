#include "linchpin/base/compare_testing.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"

namespace linchpin {
namespace {

using Numbers = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Two indices, as Eigen's matrices have.
struct Grid {
  int rows() const { return 2; }
  int cols() const { return int(numbers.size()) / 2; }
  double operator()(int i, int j) const { return numbers[std::size_t(i * cols() + j)]; }
  Numbers numbers;
};

// NaN in every place, and nothing after it may hide it.
TEST(CompareTesting, OneNaNAmongManyNumbersIsSeen) {
  for (std::size_t at = 0; at < 5; ++at) {
    Numbers x{5, -7, 0, 2, 1};
    EXPECT_EQ(largest(x), 7);
    EXPECT_EQ(largest_difference(x, Numbers(5)), 7);
    EXPECT_TRUE(same_finite_bits(x, x));
    x[at] = nan;
    EXPECT_TRUE(std::isnan(largest(x))) << at;
    EXPECT_TRUE(std::isnan(largest_difference(x, Numbers(5)))) << at;
    EXPECT_TRUE(std::isnan(largest_difference(Numbers(5), x))) << at;
    EXPECT_TRUE(std::isnan(largest_difference(x, x))) << at;
    EXPECT_FALSE(same_finite_bits(x, x)) << at;
  }
  EXPECT_TRUE(std::isnan(largest_difference(Numbers{5, nan, 0}, Numbers(3))));
  EXPECT_TRUE(std::isnan(largest(Numbers{nan, nan})));
}

TEST(CompareTesting, InfinityIsNoSizeAndNoAgreement) {
  EXPECT_TRUE(std::isnan(largest(Numbers{1, infinity, 2})));
  EXPECT_TRUE(std::isnan(largest(Numbers{1, -infinity, 2})));
  EXPECT_TRUE(std::isnan(largest_difference(Numbers{infinity, 0}, Numbers{1, 0})));
  EXPECT_TRUE(std::isnan(largest_difference(Numbers{infinity, 0}, Numbers{infinity, 0})));
  EXPECT_FALSE(same_finite_bits(Numbers{infinity}, Numbers{infinity}));
  EXPECT_EQ(largest_difference(Numbers{1e308}, Numbers{-1e308}), infinity) << "finite numbers far apart";
}

TEST(CompareTesting, SizesMustAgree) {
  EXPECT_THROW(largest_difference(Numbers{1, 2}, Numbers{1, 2, 3}), std::exception);
  EXPECT_THROW(largest_difference(Numbers{1, 2, 3}, Numbers{1, 2}), std::exception);
  EXPECT_FALSE(same_finite_bits(Numbers{1, 2}, Numbers{1, 2, 3}));
  EXPECT_FALSE(same_finite_bits(Numbers{1, 2, 3}, Numbers{1, 2}));
  EXPECT_EQ(largest_difference(Numbers{}, Numbers{}), 0);
  EXPECT_EQ(largest(Numbers{}), 0);
}

TEST(CompareTesting, BitsDifferWhereNumbersAreEqual) {
  EXPECT_FALSE(same_finite_bits(Numbers{0.0}, Numbers{-0.0}));
  EXPECT_FALSE(same_finite_bits(Numbers{1.0}, Numbers{std::nextafter(1.0, 2.0)}));
  EXPECT_TRUE(same_finite_bits(std::array{1.5f, 2.5f}, std::vector{1.5f, 2.5f}));
}

TEST(CompareTesting, TakesMatricesListsAndOtherTypes) {
  const Grid a{{1, 2, 3, 4, 5, 6}};
  Grid b = a;
  b.numbers[4] = -5;
  EXPECT_EQ(largest(a), 6);
  EXPECT_EQ(largest_difference(a, b), 10);
  EXPECT_THROW(largest_difference(a, Grid{{1, 2, 3, 4}}), std::exception);
  b.numbers[0] = nan;
  EXPECT_TRUE(std::isnan(largest_difference(a, b)));
  EXPECT_EQ(largest({1, -3, 2}), 3);
  EXPECT_TRUE(std::isnan(largest({1, nan, 2})));
  EXPECT_EQ(largest_difference(std::vector{1.0f}, std::vector{1.5L}), 0.5L);
}

}  // namespace
}  // namespace linchpin

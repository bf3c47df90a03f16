#include "linchpin/base/larger.h"

#include <gtest/gtest.h>

namespace linchpin {
namespace {

TEST(Larger, KeepsNaNInBothPlaces) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(larger(2.0, 3.0), 3);
  EXPECT_EQ(larger(3.0, 2.0), 3);
  EXPECT_EQ(smaller(2.0, 3.0), 2);
  EXPECT_EQ(smaller(3.0, 2.0), 2);
  EXPECT_EQ(smaller(-3.0, 2.0), -3);
  EXPECT_TRUE(std::isnan(larger(nan, 1.0)));
  EXPECT_TRUE(std::isnan(larger(1.0, nan)));
  EXPECT_TRUE(std::isnan(smaller(nan, 1.0)));
  EXPECT_TRUE(std::isnan(smaller(1.0, nan)));
  EXPECT_EQ(larger(1.0f, 1 + 1e-12), 1 + 1e-12) << "in the wider type";
}

}  // namespace
}  // namespace linchpin

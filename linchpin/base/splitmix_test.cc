#include "linchpin/base/splitmix.h"

#include <gtest/gtest.h>

namespace linchpin {
namespace {

// The first numbers for the seeds 0 and 1234567, as Vigna's program (2015) prints them.
TEST(SplitMix, IsThePublishedGenerator) {
  SplitMix zero(0);
  for (const std::uint64_t expected : {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu})
    EXPECT_EQ(zero.next(), expected);
  SplitMix other(1234567);
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u})
    EXPECT_EQ(other.next(), expected);
}

// The upper 53 bits as a fraction: every number below 1, and all of the interval.
TEST(SplitMix, UnitNumbersFillTheInterval) {
  SplitMix numbers(1), same(1);
  double least = 1, most = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = numbers.unit();
    EXPECT_EQ(x, double(same.next() >> 11) / 9007199254740992.0);
    least = x < least ? x : least;
    most = x > most ? x : most;
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 1e-3);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 1 - 1e-3);
}

}  // namespace
}  // namespace linchpin

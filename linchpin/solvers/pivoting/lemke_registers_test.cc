// This file is compiled for the plain machine, so these are the operations lane by lane; the AVX-512 ones are those of
// the kernels on a machine that has them.
#include "linchpin/solvers/pivoting/lemke_registers.h"

#include <cmath>

#include <gtest/gtest.h>

namespace linchpin::lemke_detail {
namespace {

struct alignas(64) Eight {
  double x[lanes];
};
Lanes lanes_of(const Eight& e) { return at(e.x); }

constexpr Eight mixed{{3, -1, 4, -1.5, 5, -9, 2, 6}}, others{{2, -1, 5, -1, 3, 8, -2, 6}};

TEST(LemkeRegisters, PaddingIsToWholeRegisters) {
  EXPECT_EQ(padded(0), 0);
  EXPECT_EQ(padded(1), 8);
  EXPECT_EQ(padded(8), 8);
  EXPECT_EQ(padded(9), 16);
}

TEST(LemkeRegisters, ComparesLaneByLane) {
  Lanes larger = lanes_of(mixed), smaller = larger;
  keep_larger(larger, lanes_of(others));
  keep_smaller(smaller, lanes_of(others));
  const Lanes size = absolute(lanes_of(mixed));
  for (int i = 0; i < lanes; ++i) {
    EXPECT_EQ(larger[i], std::fmax(mixed.x[i], others.x[i])) << i;
    EXPECT_EQ(smaller[i], std::fmin(mixed.x[i], others.x[i])) << i;
    EXPECT_EQ(size[i], std::abs(mixed.x[i])) << i;
  }
  EXPECT_EQ(at_most(lanes_of(mixed), lanes_of(others)), 0b10101110u);  // the lane 0 is the lowest bit; 6 <= 6
  EXPECT_EQ(bits(lanes_of(mixed) == lanes_of(others)), 0b10000010u);
}

// Wherever the extreme number stands.
TEST(LemkeRegisters, FindsTheExtremesOfAllLanes) {
  for (int place = 0; place < lanes; ++place) {
    Eight low{{7, 7, 7, 7, 7, 7, 7, 7}}, high{{-7, -7, -7, -7, -7, -7, -7, -7}};
    low.x[place] = 2;
    high.x[place] = -3;
    EXPECT_EQ(smallest(lanes_of(low)), 2) << place;
    EXPECT_EQ(largest(lanes_of(high)), -3) << place;
    Lanes all = lanes_of(low);
    spread_smallest(all);
    for (int i = 0; i < lanes; ++i) EXPECT_EQ(all[i], 2) << place << " " << i;
  }
}

TEST(LemkeRegisters, AddsProductsAndInverts) {
  Lanes by_number = lanes_of(mixed), by_lane = by_number;
  add_product(by_number, 0.5, lanes_of(others));
  add_product(by_lane, lanes_of(mixed), lanes_of(others));
  const Lanes inverse = reciprocal(lanes_of(mixed));
  for (int i = 0; i < lanes; ++i) {
    EXPECT_EQ(by_number[i], mixed.x[i] + 0.5 * others.x[i]) << i;
    EXPECT_EQ(by_lane[i], mixed.x[i] + mixed.x[i] * others.x[i]) << i;
    EXPECT_NEAR(inverse[i] * mixed.x[i], 1, 5e-16) << i;
  }
}

// Parts of a register: memory beyond them is neither read into the result nor written.
TEST(LemkeRegisters, TakesPartsOfARegister) {
  for (int count = 0; count <= lanes + 2; ++count) {
    const Lanes first = first_of(mixed.x, count);
    Eight put = others;
    put_first(put.x, count, lanes_of(mixed));
    for (int i = 0; i < lanes; ++i) {
      EXPECT_EQ(first[i], i < count ? mixed.x[i] : 0) << count << " " << i;
      EXPECT_EQ(put.x[i], i < count ? mixed.x[i] : others.x[i]) << count << " " << i;
    }
  }
  for (const unsigned set : {0u, 0b1u, 0b10000000u, 0b01101001u, 0xffu}) {
    const Lanes kept = only(mixed.x, set), either = chosen(set, lanes_of(mixed), lanes_of(others));
    Eight packed = others;
    const int count = compress(packed.x, lanes_of(mixed), set);
    int before = 0;
    for (int i = 0; i < lanes; ++i) {
      const bool in = (set & (1u << i)) != 0;
      EXPECT_EQ(kept[i], in ? mixed.x[i] : 0) << set << " " << i;
      EXPECT_EQ(either[i], in ? mixed.x[i] : others.x[i]) << set << " " << i;
      if (in) {
        EXPECT_EQ(packed.x[before++], mixed.x[i]) << set << " " << i;
      }
    }
    EXPECT_EQ(count, before) << set;
  }
}

}  // namespace
}  // namespace linchpin::lemke_detail

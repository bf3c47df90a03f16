#include "linchpin/geometry/scene/islands.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

std::vector<int> list(std::span<const int> s) { return {s.begin(), s.end()}; }

TEST(Islands, TwoPilesOnOneFloor) {
  const std::vector<std::uint8_t> fixed{1, 0, 0, 0, 0, 0, 1};
  const std::vector<BodyPair> pairs{{5, 3}, {0, 1}, {3, 0}, {1, 4}, {0, 6}, {4, 6}, {2, 2}};
  Islands islands;
  find_islands(fixed, pairs, islands);
  EXPECT_EQ(islands.count, 3);
  EXPECT_EQ(islands.of_body, (std::vector<int>{-1, 0, 1, 2, 0, 2, -1}));
  EXPECT_EQ(list(islands.bodies_of(0)), (std::vector<int>{1, 4}));
  EXPECT_EQ(list(islands.bodies_of(1)), (std::vector<int>{2}));
  EXPECT_EQ(list(islands.bodies_of(2)), (std::vector<int>{3, 5}));
  EXPECT_EQ(list(islands.pairs_of(0)), (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(list(islands.pairs_of(1)), (std::vector<int>{6}));
  EXPECT_EQ(list(islands.pairs_of(2)), (std::vector<int>{0, 2}));
}

TEST(Islands, NothingAndNobody) {
  Islands islands;
  EXPECT_EQ(islands.count, 0);  // before any search
  find_islands({}, {}, islands);
  EXPECT_EQ(islands.count, 0);
  const std::vector<std::uint8_t> fixed{1, 1};
  const std::vector<BodyPair> pairs{{0, 1}};
  find_islands(fixed, pairs, islands);
  EXPECT_EQ(islands.count, 0);
  EXPECT_EQ(islands.of_body, (std::vector<int>{-1, -1}));
  EXPECT_TRUE(islands.pairs.empty());
  const std::vector<BodyPair> wrong{{0, 2}};
  EXPECT_THROW(find_islands(fixed, wrong, islands), CheckFailed);
}

// Compared with labels that are propagated along the pairs until nothing changes.
TEST(Islands, AreTheConnectedPartsInAnyOrderOfPairs) {
  RandomSpatial random(5);
  const auto below = [&](int n) { return int(n * random.unit()); };
  Islands islands, again;
  for (int round = 0; round < 300; ++round) {
    const int bodies = 1 + below(40), count = below(50);
    std::vector<std::uint8_t> fixed;
    for (int i = 0; i < bodies; ++i) fixed.push_back(random.unit() < 0.2);
    std::vector<BodyPair> pairs;
    for (int i = 0; i < count; ++i) {
      const int a = below(bodies), b = below(bodies);
      pairs.push_back({a, b});
    }
    std::vector<int> label;
    for (int i = 0; i < bodies; ++i) label.push_back(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (const BodyPair& p : pairs) {
        int &a = label[p.a], &b = label[p.b];
        if (fixed[p.a] || fixed[p.b] || a == b) continue;
        a = b = std::min(a, b);
        changed = true;
      }
    }
    find_islands(fixed, pairs, islands);
    std::vector<int> firsts;
    for (int i = 0; i < bodies; ++i)
      if (!fixed[i] && label[i] == i) firsts.push_back(i);
    ASSERT_EQ(islands.count, int(firsts.size()));
    for (int i = 0; i < bodies; ++i) {
      const int island = islands.of_body[i];
      ASSERT_EQ(island < 0, fixed[i] != 0);
      if (island >= 0) {
        ASSERT_EQ(firsts[island], label[i]);
      }
    }
    std::size_t listed = 0, joined = 0;
    for (int i = 0; i < islands.count; ++i) {
      const auto members = islands.bodies_of(i), edges = islands.pairs_of(i);
      ASSERT_TRUE(std::is_sorted(members.begin(), members.end()) && std::is_sorted(edges.begin(), edges.end()));
      listed += members.size();
      joined += edges.size();
      for (const int m : members) ASSERT_EQ(islands.of_body[m], i);
      for (const int e : edges) {
        const BodyPair& p = pairs[e];
        ASSERT_TRUE(islands.of_body[p.a] == i || islands.of_body[p.b] == i);
      }
    }
    ASSERT_EQ(listed, std::size_t(bodies) - std::size_t(std::count(fixed.begin(), fixed.end(), 1)));
    ASSERT_EQ(joined, std::size_t(std::count_if(pairs.begin(), pairs.end(),
                                                [&](const BodyPair& p) { return !fixed[p.a] || !fixed[p.b]; })));
    std::reverse(pairs.begin(), pairs.end());
    find_islands(fixed, pairs, again);
    ASSERT_EQ(islands.of_body, again.of_body);
    ASSERT_EQ(islands.bodies, again.bodies);
  }
}

TEST(Islands, ALongChainIsOne) {
  const int n = 100000;
  const std::vector<std::uint8_t> fixed(n, 0);
  std::vector<BodyPair> pairs;
  for (int i = n - 1; i > 0; --i) pairs.push_back({i, i - 1});
  Islands islands;
  find_islands(fixed, pairs, islands);
  EXPECT_EQ(islands.count, 1);
  EXPECT_EQ(islands.pairs_of(0).size(), pairs.size());
}

}  // namespace
}  // namespace linchpin

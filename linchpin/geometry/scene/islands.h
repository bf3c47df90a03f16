// Islands: the connected components of the graph of bodies and contact pairs.
//
// Fixed bodies do not connect others: two piles on one floor are two islands. Islands are numbered in the order of
// their lowest body; bodies and pairs of an island are listed in rising order. The order of the pairs in the input
// affects their indices only.
//
// Union-find, linking to the lower root, with path halving: O((n + pairs) log n) at worst, almost linear in practice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace linchpin {

struct BodyPair {
  int a, b;
};

// Keeps its memory: another call for as many bodies and pairs does not allocate.
struct Islands {
  int count = 0;
  std::vector<int> of_body;  // the island, -1 for a fixed body
  // The bodies of island i are bodies[body_begin[i]] to bodies[body_begin[i + 1] - 1]; its pairs likewise.
  std::vector<int> bodies, body_begin;
  std::vector<int> pairs, pair_begin;  // indices of pairs; a pair of two fixed bodies is in no island

  std::span<const int> bodies_of(int island) const { return part(bodies, body_begin, island); }
  std::span<const int> pairs_of(int island) const { return part(pairs, pair_begin, island); }

 private:
  static std::span<const int> part(const std::vector<int>& all, const std::vector<int>& begin, int island) {
    const int first = begin[island], count = begin[island + 1] - first;
    return std::span<const int>(all).subspan(first, count);
  }
};

// fixed: one entry per body, nonzero if the body does not move.
void find_islands(std::span<const std::uint8_t> fixed, std::span<const BodyPair> pairs, Islands& out);

}  // namespace linchpin

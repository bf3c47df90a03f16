// Which bodies move together: the connected parts of the graph of bodies and contact pairs.
//
// Fixed bodies join nobody: two piles on one floor are two islands. Islands are numbered by their lowest body; bodies
// and pairs of an island are listed in rising order. The result does not depend on the order of the pairs, but that
// pairs are told by their place in the input.
//
// Union-find with the lower root on top and paths halved: O((n + pairs) log n) at worst, next to linear in practice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace linchpin {

struct BodyPair {
  int a, b;
};

// Keeps its memory: finding again for as many bodies and pairs allocates nothing.
struct Islands {
  int count = 0;
  std::vector<int> of_body;  // the island, -1 for a fixed body
  // Island i has bodies[body_begin[i]] to bodies[body_begin[i + 1] - 1], and its pairs likewise.
  std::vector<int> bodies, body_begin;
  std::vector<int> pairs, pair_begin;  // indices; pairs of two fixed bodies are in none

  std::span<const int> bodies_of(int island) const { return part(bodies, body_begin, island); }
  std::span<const int> pairs_of(int island) const { return part(pairs, pair_begin, island); }

 private:
  static std::span<const int> part(const std::vector<int>& all, const std::vector<int>& begin, int island) {
    const std::size_t i = std::size_t(island), first = std::size_t(begin[i]);
    return {all.data() + first, std::size_t(begin[i + 1]) - first};
  }
};

// fixed[i] != 0: body i does not move; as many entries as bodies.
void find_islands(std::span<const std::uint8_t> fixed, std::span<const BodyPair> pairs, Islands& out);

}  // namespace linchpin

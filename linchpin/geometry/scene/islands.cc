#include "linchpin/geometry/scene/islands.h"

#include <algorithm>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

// The root of the tree of `body`, with path halving.
int root(std::vector<int>& parent, int body) {
  for (;;) {
    int& above = parent[body];
    if (above == body) return body;
    above = parent[above];
    body = above;
  }
}

// Lists the items 0, 1, ... by group_of(i), each group in rising order. Items with a negative group are left out.
template <class GroupOf>
void group(int items, int groups, const GroupOf& group_of, std::vector<int>& members, std::vector<int>& begin) {
  begin.assign(groups + 2, 0);
  for (int i = 0; i < items; ++i)
    if (group_of(i) >= 0) ++begin[group_of(i) + 2];
  for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
  members.resize(begin.back());
  // begin[g + 1] is the next position of group g; in the end it is the beginning of group g + 1.
  for (int i = 0; i < items; ++i)
    if (group_of(i) >= 0) members[begin[group_of(i) + 1]++] = i;
  begin.pop_back();
}

}  // namespace

void find_islands(std::span<const std::uint8_t> fixed, std::span<const BodyPair> pairs, Islands& out) {
  const int bodies = int(fixed.size());
  const auto is_fixed = [&](int body) { return fixed[body] != 0; };
  std::vector<int>& parent = out.of_body;
  parent.resize(fixed.size());
  for (int i = 0; i < bodies; ++i) parent[i] = i;
  for (const BodyPair& pair : pairs) {
    check(pair.a >= 0 && pair.a < bodies && pair.b >= 0 && pair.b < bodies, "a pair of bodies ", pair.a, " and ",
          pair.b, ", there are ", bodies);
    if (is_fixed(pair.a) || is_fixed(pair.b)) continue;
    const int a = root(parent, pair.a), b = root(parent, pair.b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  // A parent has a lower index than its children, so its entry is already the number of its island.
  out.count = 0;
  for (int i = 0; i < bodies; ++i) {
    int& island = out.of_body[i];
    island = is_fixed(i) ? -1 : island == i ? out.count++ : out.of_body[island];
  }
  // Reserves memory for the largest possible number of islands, which changes from step to step.
  out.body_begin.reserve(fixed.size() + 2);
  out.pair_begin.reserve(fixed.size() + 2);
  out.bodies.reserve(fixed.size());
  out.pairs.reserve(pairs.size());
  const auto island_of_body = [&](int i) { return out.of_body[i]; };
  const auto island_of_pair = [&](int i) {
    const BodyPair& pair = pairs[i];
    return std::max(island_of_body(pair.a), island_of_body(pair.b));
  };
  group(bodies, out.count, island_of_body, out.bodies, out.body_begin);
  group(int(pairs.size()), out.count, island_of_pair, out.pairs, out.pair_begin);
}

}  // namespace linchpin

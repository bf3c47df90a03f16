#include "linchpin/dynamics/loops/loop_order.h"

#include <algorithm>
#include <functional>
#include <set>

namespace linchpin {

LoopOrder::LoopOrder(const Model& model, const ConstraintPlan& constraints)
    : where(constraints.constraints().size()),
      order_at(constraints.constraints().size(), -1),
      meets_at(model.links().size()),
      carried(model.links().size()),
      meetings(model.links().size()) {
  find_paths(model, constraints);
  find_order();
}

int LoopOrder::block_of(int first, int second) {
  const auto key = std::pair(first, second);
  const auto [at, is_new] = block_index.try_emplace(key, int(block_sizes.size()));
  if (is_new) block_sizes.push_back(where[first].rows * where[second].rows);
  return at->second;
}

// For each constraint the links between its sides, and the link where they meet.
void LoopOrder::find_paths(const Model& model, const ConstraintPlan& constraints) {
  const std::span<const Link> links = model.links();
  for (std::size_t d = 0; d < where.size(); ++d) {
    Eliminated& e = where[d];
    e.first_row = constraints.first_row(int(d));
    e.rows = constraints.first_row(int(d) + 1) - e.first_row;
    std::set<int, std::greater<>> open;  // links that carry it, outermost first
    for (int s = constraints.first_side(e.first_row); s < constraints.first_side(e.first_row + 1); ++s)
      open.insert(constraints.sides()[s].link);
    // A frame on the world has no side in the plan; the other sides then meet at the world.
    const auto& what = constraints.constraints()[d].what;
    const bool on_world = std::visit(
        [&](const auto& w) {
          if constexpr (requires { w.a; }) {
            const auto link = [&](const Attachment& end) { return model.bodies()[end.body].link; };
            return link(w.a) == 0 || link(w.b) == 0;
          } else {
            return std::ranges::any_of(w.terms, [&](const Coupling::Term& t) { return links[t.link].parent == 0; });
          }
        },
        what);
    if (on_world) open.insert(0);
    while (open.size() > 1) {
      const int link = *open.begin();
      open.erase(open.begin());
      carried[link].push_back({int(d), 0, 0, 0});
      open.insert(links[link].parent);
    }
    e.link = *open.begin();
    if (e.link != 0) carried[e.link].push_back({int(d), 0, -1, 0});
  }
  for (std::size_t i = 1; i < carried.size(); ++i)
    for (Carried& item : carried[i]) {
      item.K = K_rows;
      K_rows += where[item.constraint].rows;
      item.SK = SK_numbers;
      SK_numbers += 2 * links[i].nv * where[item.constraint].rows;
    }
  for (std::size_t i = 1; i < carried.size(); ++i)
    for (Carried& item : carried[i]) {
      if (where[item.constraint].link == int(i)) continue;
      const std::vector<Carried>& above = carried[links[i].parent];
      const auto at = std::ranges::find(above, item.constraint, &Carried::constraint);
      item.parent_K = at != above.end() ? at->K : -1;  // none on the world, which does not move
    }
}

// Links from the tips inward; at each link the constraint that couples with the fewest others comes first.
void LoopOrder::find_order() {
  std::vector<std::set<int>> meets(where.size());
  for (std::size_t i = 1; i < carried.size(); ++i)
    for (const Carried& x : carried[i])
      for (const Carried& y : carried[i])
        if (x.constraint != y.constraint && where[x.constraint].link != int(i) && where[y.constraint].link != int(i))
          meets[x.constraint].insert(y.constraint);
  for (std::size_t d = 0; d < where.size(); ++d) meets_at[where[d].link].push_back(int(d));
  int next = 0;
  for (std::size_t i = meets_at.size(); i-- > 0;) {
    std::vector<int> waiting = meets_at[i];
    meets_at[i].clear();
    while (!waiting.empty()) {
      const auto best = std::ranges::min_element(waiting, {}, [&](int d) { return meets[d].size(); });
      const int d = *best;
      waiting.erase(best);
      meets_at[i].push_back(d);
      order_at[d] = next++;
      Eliminated& e = where[d];
      e.later.assign(meets[d].begin(), meets[d].end());
      e.own_block = block_of(d, d);
      for (const int o : e.later) {
        e.blocks.push_back(block_of(d, o));
        meets[o].erase(d);
        for (const int other : e.later)  // fill
          if (other != o) meets[o].insert(other);
      }
    }
  }
  for (std::size_t i = 1; i < carried.size(); ++i)
    for (std::size_t x = 0; x < carried[i].size(); ++x)
      for (std::size_t y = 0; y < carried[i].size(); ++y) {
        const int d = carried[i][x].constraint, o = carried[i][y].constraint;
        const bool open = where[d].link != int(i) && where[o].link != int(i);
        if (open && order_at[d] <= order_at[o]) meetings[i].push_back({x, y, block_of(d, o)});
      }
}

}  // namespace linchpin

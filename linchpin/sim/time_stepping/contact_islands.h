// Islands of trees: joined by contacts, springs and loops. Internal to sim/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/scene/islands.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// An island with more contacts than this, some of them with gaps, is a crowd: one or another contact closes in nearly
// every step. To treat each closing by itself would cost many times the step, so crowds close their gaps by rows, which
// is of first order (jumps.h, landings.h).
inline constexpr int crowd = 24;

class ContactIslands {
 public:
  explicit ContactIslands(const StepPlan& plan);

  // Joins trees by the contacts that are not idle; `idle` may be empty. Counts the contacts of each island.
  void find(std::span<const Contact> contacts, std::span<const char> idle);

  // Of the last find().
  int count() const { return islands_.count; }
  std::span<const int> trees_of(int island) const { return islands_.bodies_of(island); }
  int island_of(int tree) const { return islands_.of_body[tree]; }
  int island_of(const Contact& c) const { return island_of(plan_.trees.of_link[c.link_a != 0 ? c.link_a : c.link_b]); }
  int contacts_of(int island) const { return contacts_of_[island]; }

 private:
  const StepPlan& plan_;
  std::vector<BodyPair> always_joined_, joined_;  // pairs of trees: by loops and springs, and by contacts too
  std::vector<std::uint8_t> never_fixed_;
  Islands islands_;
  std::vector<int> contacts_of_;  // per island
};

}  // namespace linchpin

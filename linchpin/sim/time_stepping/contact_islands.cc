#include "linchpin/sim/time_stepping/contact_islands.h"

#include "linchpin/dynamics/loops/constraint_rows.h"

namespace linchpin {

ContactIslands::ContactIslands(const StepPlan& plan) : plan_(plan), never_fixed_(plan.trees.count, 0) {
  const auto join = [&](int link_a, int link_b) {
    const int a = plan.trees.of_link[link_a], b = plan.trees.of_link[link_b];
    if (a >= 0 && b >= 0 && a != b) always_joined_.push_back({a, b});
  };
  for (const Spring& s : plan.model.springs())
    join(plan.model.bodies()[s.a.body].link, plan.model.bodies()[s.b.body].link);
  const ConstraintPlan constraints(plan.model, plan.model.constraints());
  for (int r = 0; r < constraints.rows(); ++r)
    for (int s = constraints.first_side(r) + 1; s < constraints.first_side(r + 1); ++s)
      join(constraints.sides()[s - 1].link, constraints.sides()[s].link);
}

void ContactIslands::find(std::span<const Contact> contacts, std::span<const char> idle) {
  const auto is_idle = [&](std::size_t i) { return !idle.empty() && idle[i] != 0; };
  joined_.assign(always_joined_.begin(), always_joined_.end());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (const Contact& c = contacts[i]; !is_idle(i) && c.link_a != 0 && c.link_b != 0)
      joined_.push_back({plan_.trees.of_link[c.link_a], plan_.trees.of_link[c.link_b]});
  find_islands(never_fixed_, joined_, islands_);
  contacts_of_.assign(islands_.count, 0);
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (!is_idle(i)) ++contacts_of_[island_of(contacts[i])];
}

}  // namespace linchpin

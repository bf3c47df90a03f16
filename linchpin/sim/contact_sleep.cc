// Islands that have hardly moved for long stand still, until something comes near or pushes.
#include <algorithm>

#include "linchpin/sim/contact_stepper_parts.h"

namespace linchpin {

// Islands are trees that contacts, loops or springs join; one sleeps when all of it has been still for long enough and
// nobody pushes it. Whatever wakes comes near first, and so becomes one of them.
void ContactStepper::Parts::find_sleepers(const Departure& from, Arrival& at, StepReport& report) {
  at.still.resize(trees.count, 0.0);
  joined.clear();
  const auto join = [&](int link_a, int link_b) {
    if (link_a != 0 && link_b != 0) joined.push_back({trees.of_link[link_a], trees.of_link[link_b]});
  };
  for (const Contact& c : set.contacts) join(c.link_a, c.link_b);
  for (const Spring& s : model.springs()) join(model.bodies()[s.a.body].link, model.bodies()[s.b.body].link);
  if (const ClosedChain* chain = dynamics.chain()) {
    const std::span<const ConstraintPlan::Side> sides = chain->constraints.sides();
    for (int r = 0; r < chain->constraints.rows(); ++r)
      for (int s = chain->constraints.first_side(r) + 1; s < chain->constraints.first_side(r + 1); ++s)
        join(sides[s - 1].link, sides[s].link);
  }
  linchpin::find_islands(never_fixed, joined, islands);
  const auto pushed = [&](int tree) {
    for (std::size_t i = 1; i < model.links().size(); ++i) {
      if (trees.of_link[i] != tree) continue;
      const Link& link = model.links()[i];
      for (int k = link.v; k < link.v + link.nv && !from.inputs.tau.empty(); ++k)
        if (from.inputs.tau[k] != 0) return true;
      for (const Actuator& a : model.actuators())
        if (a.v >= link.v && a.v < link.v + link.nv) return true;
    }
    return !from.inputs.f_ext.empty();
  };
  for (int i = 0; i < islands.count; ++i) {
    const std::span<const int> members = islands.bodies_of(i);
    const bool sleeps =
        std::ranges::all_of(members, [&](int tree) { return at.still[tree] >= options.sleep_after && !pushed(tree); });
    for (const int tree : members) {
      asleep[tree] = sleeps;
      report.asleep += sleeps;
    }
  }
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    if (asleep[trees.of_link[i]]) std::fill_n(at.v.begin() + link.v, link.nv, 0.0);
  }
  velocities(model, kin, at.v, vel);
}

// Contacts among sleepers have no rows.
void ContactStepper::Parts::drop_sleepers() {
  if (options.sleep_after == 0) return;
  const auto sleeps = [&](int link) { return link == 0 || asleep[trees.of_link[link]] != 0; };
  std::erase_if(set.contacts, [&](const Contact& c) { return sleeps(c.link_a) && sleeps(c.link_b); });
  bounces.resize(set.contacts.size());
}

void ContactStepper::Parts::count_stillness(Arrival& at) const {
  for (double& time : at.still) time += dt;
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    for (int k = link.v; k < link.v + link.nv; ++k)
      if (std::abs(at.v[k]) > options.sleep_speed) at.still[trees.of_link[i]] = 0;
  }
}

// Nothing moves those who sleep: no row of an island that is awake touches them.
void ContactStepper::Parts::keep_sleepers() {
  if (options.sleep_after == 0) return;
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    if (asleep[trees.of_link[i]]) std::fill_n(v_after.begin() + link.v, link.nv, 0.0);
  }
}

}  // namespace linchpin

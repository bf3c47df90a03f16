#include "linchpin/sim/time_stepping/sleep.h"

#include <algorithm>
#include <cmath>

namespace linchpin {

Sleep::Sleep(const StepPlan& plan) : plan_(plan), asleep_(plan.trees.count), never_fixed_(plan.trees.count, 0) {}

void Sleep::wake_all() { std::ranges::fill(asleep_, 0); }

void Sleep::join_trees(const ClosedChain* chain, std::span<const Contact> contacts) {
  joined_.clear();
  const auto join = [&](int link_a, int link_b) {
    if (link_a != 0 && link_b != 0) joined_.push_back({plan_.trees.of_link[link_a], plan_.trees.of_link[link_b]});
  };
  const auto link_of = [&](int body) { return plan_.model.bodies()[body].link; };
  for (const Contact& c : contacts) join(c.link_a, c.link_b);
  for (const Spring& s : plan_.model.springs()) join(link_of(s.a.body), link_of(s.b.body));
  if (!chain) return;
  const std::span<const ConstraintPlan::Side> sides = chain->constraints.sides();
  for (int r = 0; r < chain->constraints.rows(); ++r)
    for (int s = chain->constraints.first_side(r) + 1; s < chain->constraints.first_side(r + 1); ++s)
      join(sides[s - 1].link, sides[s].link);
}

bool Sleep::is_pushed(int tree, const Inputs& inputs) const {
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    if (plan_.trees.of_link[i] != tree) continue;
    const Link& link = plan_.model.links()[i];
    for (int k = link.v; k < link.v + link.nv && !inputs.tau.empty(); ++k)
      if (inputs.tau[k] != 0) return true;
    for (const Actuator& a : plan_.model.actuators())
      if (a.v >= link.v && a.v < link.v + link.nv) return true;
  }
  return !inputs.f_ext.empty();
}

int Sleep::find(const Inputs& inputs, const ClosedChain* chain, std::span<const Contact> contacts, Arrival& at,
                Placed& placed) {
  at.still.resize(plan_.trees.count, 0.0);
  join_trees(chain, contacts);
  find_islands(never_fixed_, joined_, islands_);
  int count = 0;
  for (int i = 0; i < islands_.count; ++i) {
    const std::span<const int> members = islands_.bodies_of(i);
    const bool sleeps = std::ranges::all_of(
        members, [&](int tree) { return at.still[tree] >= plan_.options.sleep_after && !is_pushed(tree, inputs); });
    for (const int tree : members) asleep_[tree] = sleeps;
    if (sleeps) count += int(members.size());
  }
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    if (asleep_[plan_.trees.of_link[i]]) std::fill_n(at.v.begin() + link.v, link.nv, 0.0);
  }
  velocities(plan_.model, placed.kin, at.v, placed.vel);
  return count;
}

void Sleep::drop_contacts(std::vector<Contact>& contacts) const {
  const auto sleeps = [&](int link) { return link == 0 || asleep_[plan_.trees.of_link[link]] != 0; };
  std::erase_if(contacts, [&](const Contact& c) { return sleeps(c.link_a) && sleeps(c.link_b); });
}

void Sleep::count_rest(Arrival& at) const {
  for (double& time : at.still) time += plan_.dt;
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    for (int k = link.v; k < link.v + link.nv; ++k)
      if (std::abs(at.v[k]) > plan_.options.sleep_speed) at.still[plan_.trees.of_link[i]] = 0;
  }
}

}  // namespace linchpin

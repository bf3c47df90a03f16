#include "linchpin/sim/time_stepping/midpoint.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace linchpin {
namespace {

// m or rad: coordinates that move less within half of the interval are taken not to move. Far below the tolerances of
// positions, and above what is left of velocities at rest.
constexpr double rest = 1e-12;

// The contact as it moves with its bodies for a time t: the point with the mean of both, the normal with B.
Contact carried(const Contact& c, const Placed& placed, double t) {
  const auto velocity = [&](int link) {
    const Motion<double>& m = placed.vel.link[link];
    return m.v + cross(m.w, c.point - placed.kin.X_WL[link].p);
  };
  Contact moved = c;
  moved.point = c.point + (0.5 * t) * (velocity(c.link_a) + velocity(c.link_b));
  return moved;
}

}  // namespace

Midpoint::Midpoint(const StepPlan& plan)
    : plan_(plan),
      q_(plan.model.nq()),
      step_(plan.model.nv()),
      ahead_(plan.model.links().size(), 0),
      moved_(plan.model, plan.plan),
      there_(plan.contacts) {
  if (plan.model.constraints().empty()) return;
  const ConstraintPlan constraints(plan.model, plan.model.constraints());
  loops_.emplace(constraints);
  driven_ = std::ranges::any_of(plan.model.constraints(), is_driven);
  drift_end_.resize(constraints.rows());
  loop_velocity_.resize(constraints.rows());
  loop_change_.resize(constraints.rows());
}

void Midpoint::find(const Interval& interval, const Solved& solved) {
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  moves_ = false;
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    ahead_[i] = !solved.tree_jumps[plan_.trees.of_link[i]];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      step_[k] = ahead_[i] ? 0.5 * interval.h * v[k] : 0;
      moves_ = moves_ || !(std::abs(step_[k]) <= rest);
    }
  }
  std::ranges::copy(q, q_.begin());
  integrate(plan_.model, step_, q_);
}

void Midpoint::place_rows(const Interval& interval, const Solved& solved) {
  contacts_.assign(interval.contacts.begin(), interval.contacts.end());
  placed_ = &interval.placed;
  if (moves_) {
    place(plan_.model, plan_.plan, q_, interval.start.v, moved_);
    placed_ = &moved_;
    follow(interval, solved.lasts);
  }
  if (interval.chain) place_loops(interval);
}

void Midpoint::follow(const Interval& interval, std::span<const char> lasts) {
  const auto is_ahead_of_start = [&](const Contact& c) { return ahead_[c.link_a] || ahead_[c.link_b]; };
  const auto shapes = [](const auto& x) { return std::tie(x.key.shape_a, x.key.shape_b); };
  followed_.assign(interval.set.found.pairs.size(), 0);
  bool any = false;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    if (interval.idle.contacts[i] || !is_ahead_of_start(c)) continue;
    if (!lasts[i]) {
      c = carried(c, interval.placed, 0.5 * interval.h);
      continue;
    }
    // Contacts are in the order of pairs.
    while (std::tuple(interval.set.found.pairs[pair].a, interval.set.found.pairs[pair].b) !=
           std::tuple(int(c.key.shape_a), int(c.key.shape_b)))
      if (++pair == followed_.size()) pair = 0;
    followed_[pair] = 1;
    any = true;
  }
  if (!any) return;
  follow_contacts(plan_.contacts, interval.set, followed_, placed_->kin, placed_->vel, there_);
  auto from = there_.contacts.begin();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    if (interval.idle.contacts[i] || !is_ahead_of_start(c) || !lasts[i]) continue;
    if (from == there_.contacts.end() || from->key != c.key) {
      const auto found = std::ranges::equal_range(there_.contacts, shapes(c), {}, shapes);
      from = std::ranges::find(found, c.key, &Contact::key);
      if (from == found.end()) {
        c = carried(c, interval.placed, 0.5 * interval.h);
        from = there_.contacts.end();
        continue;
      }
    }
    const double gap = c.gap;
    c = *from++;
    c.gap = gap;
  }
}

// Prescribed rates are those of the end: extrapolated ones would differ by O(h^2) in each step, and the projection, in
// place of the drive, would do that part of its work.
void Midpoint::place_loops(const Interval& interval) {
  const ClosedChain& chain = *interval.chain;
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  const auto evaluate = [&](double time) {
    evaluate_rows(plan_.model, chain.constraints, placed_->kin, placed_->vel, q_, v, time, *loops_);
  };
  if (driven_) evaluate(interval.time + interval.h);
  drift_end_ = loops_->drift;
  evaluate(interval.time + 0.5 * interval.h);
  if (!driven_) drift_end_ = loops_->drift;
  row_velocities(chain.constraints, chain.rows, interval.placed.vel, q, v, loop_velocity_);
  row_velocities(chain.constraints, *loops_, placed_->vel, q_, v, loop_change_);
  for (std::size_t r = 0; r < loop_change_.size(); ++r) {
    const double J_m_v = loop_change_[r] - loops_->drift[r], J_0_v = loop_velocity_[r] - chain.rows.drift[r];
    loop_change_[r] = J_m_v - J_0_v + drift_end_[r] - loops_->drift[r];
  }
}

}  // namespace linchpin

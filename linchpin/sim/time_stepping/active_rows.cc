#include "linchpin/sim/time_stepping/active_rows.h"

#include <algorithm>
#include <cmath>

#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {
namespace {

// Relative error of a velocity: bodies that touch and fall together approach each other by rounding only.
constexpr double rounding = 1e-13;

double speed_at(const Contact& c, const Kinematics<double>& kin, const Velocities& vel) {
  const auto speed = [&](int link) {
    const Motion<double>& m = vel.link[link];
    return norm(m.v) + norm(m.w) * norm(c.point - kin.X_WL[link].p);
  };
  return speed(c.link_a) + speed(c.link_b);
}

// The free motion along straight lines does not tell whether a contact holds bodies on a curved path. One that carried
// a force gets a row; if that carries no impulse, release() undoes it.
bool holds(const Contact& c, const StepPlan& plan, std::span<const RowMemory> memory) {
  return c.gap <= plan.touch_gap() && carried_force(c, memory);
}

}  // namespace

ActiveRows::ActiveRows(const StepPlan& plan)
    : plan_(plan),
      always_(plan.trees.count, 0),
      limit_closes_(plan.joints.limits.size()),
      never_fixed_(plan.trees.count, 0),
      v_mean_(plan.model.nv()),
      vel_mean_(plan.model) {
  const auto link_of = [&](int body) { return plan.model.bodies()[body].link; };
  for (const Spring& s : plan.model.springs()) mark(link_of(s.a.body), link_of(s.b.body), always_);
  for (const int k : plan.joints.frictional) mark(plan.joints.link[k], 0, always_);
  for (const int k : plan.damper_rows) mark(plan.joints.link[k], 0, always_);
  const ConstraintPlan constraints(plan.model, plan.model.constraints());
  for (const ConstraintPlan::Side& side : constraints.sides()) mark(side.link, 0, always_);
}

void ActiveRows::clear_required() { required_.clear(); }
void ActiveRows::require(const Contact& contact) { required_.push_back(contact.key); }
bool ActiveRows::is_required(const Contact& contact) const {
  return std::ranges::find(required_, contact.key) != required_.end();
}

void ActiveRows::mark(int link_a, int link_b, std::vector<char>& trees) const {
  for (const int link : {link_a, link_b})
    if (link != 0) trees[plan_.trees.of_link[link]] = 1;
}

bool ActiveRows::all_marked(int link_a, int link_b, const std::vector<char>& trees) const {
  const auto marked = [&](int link) { return link == 0 || trees[plan_.trees.of_link[link]]; };
  return marked(link_a) && marked(link_b);
}

bool ActiveRows::any_marked(int link_a, int link_b, const std::vector<char>& trees) const {
  const auto marked = [&](int link) { return link != 0 && trees[plan_.trees.of_link[link]]; };
  return marked(link_a) || marked(link_b);
}

bool ActiveRows::all_loaded(const Interval& interval) {
  const std::span<const RowMemory> memory = interval.start.memory;
  const auto& limits = plan_.joints.limits;
  if (interval.contacts.empty() && limits.empty()) return true;
  loaded_ = always_;
  for (const RowMemory& row : memory)
    if (const int i = limit_of(row); i >= 0 && i < int(limits.size())) mark(link_of(limits[i]), 0, loaded_);
  for (std::size_t i = 0; i < interval.contacts.size(); ++i) {
    const Contact& c = interval.contacts[i];
    if (c.gap <= plan_.touch_gap() && !all_marked(c.link_a, c.link_b, loaded_) && carried_force(c, memory))
      mark(c.link_a, c.link_b, loaded_);
  }
  return std::ranges::all_of(interval.contacts,
                             [&](const Contact& c) { return all_marked(c.link_a, c.link_b, loaded_); }) &&
         std::ranges::all_of(limits, [&](const JointLimit& limit) {
           return all_marked(link_of(limit), 0, loaded_) || !is_near(limit, interval);
         });
}

// Of the free motion, by which positions move.
void ActiveRows::find_mean_motion(const Interval& interval, const FreeMotion& free) {
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i)
    vel_mean_.link[i] = 0.5 * (interval.placed.vel.link[i] + free.vel.link[i]);
  for (std::size_t k = 0; k < v_mean_.size(); ++k) {
    const double theta = plan_.weights.coordinate[k];
    v_mean_[k] = (1 - theta) * interval.start.v[k] + theta * free.v[k];
  }
}

// A tree that is loaded loads its island.
void ActiveRows::load_islands(std::span<const Contact> contacts, std::span<const char> idle) {
  joined_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (const Contact& c = contacts[i]; !idle[i] && c.link_a != 0 && c.link_b != 0)
      joined_.push_back({plan_.trees.of_link[c.link_a], plan_.trees.of_link[c.link_b]});
  if (joined_.empty()) return;
  find_islands(never_fixed_, joined_, islands_);
  for (int i = 0; i < islands_.count; ++i) {
    const std::span<const int> members = islands_.bodies_of(i);
    if (std::ranges::any_of(members, [&](int tree) { return loaded_[tree]; }))
      for (const int tree : members) loaded_[tree] = 1;
  }
}

void ActiveRows::choose(const Interval& interval, const FreeMotion& free, IdleRows& idle) {
  const std::span<const Contact> contacts = interval.contacts;
  const Placed& placed = interval.placed;
  const double h = interval.h;
  find_mean_motion(interval, free);
  loaded_ = always_;
  closes_.assign(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (idle.contacts[i]) continue;
    const Contact& c = contacts[i];
    const double slack = rounding * speed_at(c, placed.kin, vel_mean_);
    closes_[i] =
        is_required(c) || holds(c, plan_, interval.start.memory) ||
        !(plan_.gap_to_close(c.gap) + h * (relative_velocity(c, placed.kin, vel_mean_).x + slack) >= 0);  // (1)
    if (closes_[i]) mark(c.link_a, c.link_b, loaded_);
  }
  for (std::size_t i = 0; i < plan_.joints.limits.size(); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    const double rate = rate_of(limit, interval.start.q, v_mean_);
    limit_closes_[i] = !(plan_.gap_to_close(gap_of(limit, interval.start.q)) + h * rate >= 0) ||
                       (limit.speed != unlimited && -rate > limit.speed);
    if (limit_closes_[i]) mark(link_of(limit), 0, loaded_);
  }
  load_islands(contacts, idle.contacts);
  for (std::size_t i = 0; i < contacts.size(); ++i)  // (2)
    idle.contacts[i] =
        idle.contacts[i] || (!closes_[i] && !any_marked(contacts[i].link_a, contacts[i].link_b, loaded_));
  for (std::size_t i = 0; i < plan_.joints.limits.size(); ++i)
    idle.limits[i] = !limit_closes_[i] && !any_marked(link_of(plan_.joints.limits[i]), 0, loaded_);
}

bool ActiveRows::find_released(const Interval& interval, const Solved& solved) {
  const StepRows& rows = solved.rows;
  if (rows.owner.empty()) return false;
  const auto may_be_idle = [&](const RowOwner& owner) {
    if (owner.kind == RowOwner::Kind::contact) return !is_required(interval.contacts[owner.index]);
    return owner.kind == RowOwner::Kind::limit && !solved.choice.limit_active[owner.index];
  };
  released_ = solved.tree_has_rows;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const Block& block = rows.rows.blocks[b];
    const auto impulses = std::span(solved.impulses).subspan(block.start, block.size);
    if (may_be_idle(rows.owner[b]) && std::ranges::all_of(impulses, [](double z) { return z == 0; })) continue;
    for (int s = rows.rows.first_side[block.start]; s < rows.rows.first_side[block.start + block.size]; ++s)
      released_[plan_.trees.of_link[rows.rows.sides[s].link]] = 0;
  }
  return std::ranges::find(released_, 1) != released_.end();
}

// A tree at a stop that it approaches may have v+ away from it without an impulse. It moves by v+; on the free path, by
// the mean of v and v+, it would pass the stop.
void ActiveRows::keep_at_limits(const Interval& interval, const FreeMotion& free) {
  find_mean_motion(interval, free);
  for (const JointLimit& limit : plan_.joints.limits) {
    const double end =
        plan_.gap_to_close(gap_of(limit, interval.start.q)) + interval.h * rate_of(limit, interval.start.q, v_mean_);
    if (end < -plan_.options.position_tolerance) released_[plan_.trees.of_link[link_of(limit)]] = 0;
  }
}

void ActiveRows::release(const Interval& interval, const FreeMotion& free, IdleRows& idle, Solved& solved) {
  keep_at_limits(interval, free);
  for (const auto& [kind, i] : solved.rows.owner) {
    if (kind == RowOwner::Kind::contact &&
        any_marked(interval.contacts[i].link_a, interval.contacts[i].link_b, released_))
      idle.contacts[i] = 1;
    if (kind == RowOwner::Kind::limit && any_marked(link_of(plan_.joints.limits[i]), 0, released_)) idle.limits[i] = 1;
  }
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const int tree = plan_.trees.of_link[i];
    if (!released_[tree]) continue;
    const Link& link = plan_.model.links()[i];
    solved.tree_has_rows[tree] = 0;
    solved.tree_jumps[tree] = 0;
    std::copy_n(free.q_forces.begin() + link.q, link.nq, solved.q_forces.begin() + link.q);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      solved.v[k] = free.v[k];
      const double theta = solved.theta[k] = plan_.weights.coordinate[k];
      solved.v_mean[k] = (1 - theta) * interval.start.v[k] + theta * free.v[k];
    }
    solved.vel.link[i] = free.vel.link[i];
  }
}

}  // namespace linchpin

#include "linchpin/sim/time_stepping/jumps.h"

#include <algorithm>
#include <cmath>

#include "linchpin/sim/time_stepping/landings.h"

namespace linchpin {
namespace {

// rad: if normals turn farther within an interval, it does not resolve the path.
constexpr double largest_angle = 0.3;
// Touch gaps: the most of (3), and of the slack (2) of a contact that carried no force. 1e-5 m.
constexpr double new_touch = 1000;

// The slack of (2), m. u: relative velocity in the contact's frame.
double slack_of(const StepPlan& plan, const Contact& c, const Velocities& vel, const Vec3<double>& u, double h) {
  const double thickness = std::min(plan.thickness[c.key.shape_a], plan.thickness[c.key.shape_b]);
  const double size = std::min(plan.radius[c.key.shape_a], plan.radius[c.key.shape_b]);
  const double turn = norm(vel.link[c.link_a].w - vel.link[c.link_b].w), slip = std::hypot(u.y, u.z);
  const double angle = std::min(h * (turn + slip / thickness), largest_angle);
  return 4 * h * angle * angle * (slip + (turn == 0 ? 0 : turn * size));  // the size may be infinite
}

}  // namespace

Closing closing_of(const StepPlan& plan, const Contact& c, const Velocities& vel, const Vec3<double>& u, double h,
                   std::span<const RowMemory> memory) {
  const double gap = plan.gap_to_close(c.gap), end = gap + h * u.x;
  const double least = std::max(plan.options.position_tolerance, h * struck_speed);
  if (gap == 0 && end >= -least) return {.lasts = true, .closes = false};
  const bool carried = carried_force(c, memory);
  const double most_new = new_touch * plan.touch_gap();
  double slack = slack_of(plan, c, vel, u, h);
  if (!carried) slack = std::min(slack, most_new);
  slack = std::max(slack, std::min(0.5 * norm(plan.model.gravity()) * h * h, most_new));        // (3)
  return {.lasts = (carried || end >= -slack) && gap <= std::max(2 * plan.touch_gap(), slack),  // (2)
          .closes = end < -std::max(least, slack)};                                             // (1), (2)
}

void Jumps::mark(int link_a, int link_b, Solved& solved) const {
  for (const int link : {link_a, link_b})
    if (link != 0) solved.tree_jumps[plan_.trees.of_link[link]] = 1;
}

void Jumps::find(const Interval& interval, Solved& solved) {
  const double h = interval.h;
  const Placed& placed = interval.placed;
  solved.tree_jumps.assign(plan_.trees.count, 0);
  solved.lasts.assign(interval.contacts.size(), 0);
  if (plan_.is_position_level) {
    std::ranges::fill(solved.tree_jumps, 1);
    return;
  }
  bool any = false;
  for (std::size_t i = 0; i < interval.contacts.size(); ++i) {
    const Contact& c = interval.contacts[i];
    if (interval.idle.contacts[i]) continue;
    const Closing closing =
        closing_of(plan_, c, placed.vel, relative_velocity(c, placed.kin, placed.vel), h, interval.start.memory);
    solved.lasts[i] = closing.lasts || plan_.gap_to_close(c.gap) == 0;
    if (!closing.closes) continue;
    mark(c.link_a, c.link_b, solved);
    any = true;
  }
  for (std::size_t i = 0; i < plan_.joints.limits.size(); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    const double end =
        plan_.gap_to_close(gap_of(limit, interval.start.q)) + h * rate_of(limit, interval.start.q, interval.start.v);
    if (interval.idle.limits[i] || !(end < -plan_.options.position_tolerance)) continue;
    mark(plan_.joints.link[limit.coordinate], 0, solved);
    any = true;
  }
  if (any) spread(interval, solved);
  if (int(interval.contacts.size()) > crowd) mark_crowds(interval, solved);
}

bool Jumps::add_closed(const Interval& interval, Solved& solved) {
  const StepRows& rows = solved.rows;
  bool any = false;
  const auto jumps = [&](int link) { return link == 0 || solved.tree_jumps[plan_.trees.of_link[link]] != 0; };
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const auto& [kind, index] = rows.owner[b];
    if (solved.impulses[rows.rows.blocks[b].start] == 0) continue;
    if (kind == RowOwner::Kind::contact) {
      const Contact& c = interval.contacts[index];
      if (solved.lasts[index] || (jumps(c.link_a) && jumps(c.link_b))) continue;
      mark(c.link_a, c.link_b, solved);
    } else if (kind == RowOwner::Kind::limit) {
      const JointLimit& limit = plan_.joints.limits[index];
      const int link = plan_.joints.link[limit.coordinate];
      if (plan_.gap_to_close(gap_of(limit, interval.start.q)) == 0 || jumps(link)) continue;
      if (std::abs(rows.rows.offset[rows.rows.blocks[b].start]) >= limit.speed) continue;  // the row limits the speed
      mark(link, 0, solved);
    } else {
      continue;
    }
    any = true;
  }
  if (any) spread(interval, solved);
  return any;
}

// A tree that jumps makes its island jump.
void Jumps::spread(const Interval& interval, Solved& solved) {
  islands_.find(interval.contacts, interval.idle.contacts);
  for (int i = 0; i < islands_.count(); ++i) {
    const std::span<const int> members = islands_.trees_of(i);
    if (std::ranges::any_of(members, [&](int tree) { return solved.tree_jumps[tree]; }))
      for (const int tree : members) solved.tree_jumps[tree] = 1;
  }
}

void Jumps::mark_crowds(const Interval& interval, Solved& solved) {
  islands_.find(interval.contacts, interval.idle.contacts);
  open_.assign(islands_.count(), 0);
  for (std::size_t i = 0; i < interval.contacts.size(); ++i)
    if (!interval.idle.contacts[i] && !solved.lasts[i]) open_[islands_.island_of(interval.contacts[i])] = 1;
  for (int i = 0; i < islands_.count(); ++i)
    if (open_[i] && islands_.contacts_of(i) > crowd)
      for (const int tree : islands_.trees_of(i)) solved.tree_jumps[tree] = 1;
}

}  // namespace linchpin

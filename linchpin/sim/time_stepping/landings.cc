#include "linchpin/sim/time_stepping/landings.h"

#include <algorithm>

#include "linchpin/sim/time_stepping/jumps.h"

namespace linchpin {
namespace {

// Speeds change within the interval: what needs up to so many times its length at the first speed may still touch.
constexpr double margin = 2;

bool is_fast(const StepPlan& plan, double gap, double rate, double h) {
  return -rate > plan.options.impact_speed && gap + margin * h * rate < 0;
}

}  // namespace

void Landings::clear() { any_ = any_fast_ = touch_ = false; }

void Landings::find(std::span<const Contact> contacts, const Placed& placed, const Arrival& start, double h) {
  clear();
  const std::size_t limits = plan_.joints.limits.size();
  contacts_.assign(contacts.size(), none);
  limits_.assign(limits, none);
  touching_.assign(contacts.size() + limits, 0);
  bool touching = false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    const Vec3<double> u = relative_velocity(c, placed.kin, placed.vel);
    const bool touches = c.gap <= plan_.touch_gap();
    if (touches && !(u.x < -struck_speed)) continue;
    const Closing closing = closing_of(plan_, c, placed.vel, u, h, start.memory);
    if (closing.lasts && !closing.closes) continue;
    touching = touching || touches;
    if (touches)
      touching_[i] = 1;
    else
      contacts_[i] = linchpin::is_fast(plan_, c.gap, u.x, h) ? fast : slow;
  }
  for (std::size_t i = 0; i < limits; ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    const double gap = gap_of(limit, start.q), rate = rate_of(limit, start.q, start.v);
    const bool lands_now = gap <= plan_.touch_gap() && -rate > plan_.options.impact_speed;
    touching = touching || lands_now;
    touching_[contacts.size() + i] = lands_now;
    if (gap > plan_.touch_gap() && linchpin::is_fast(plan_, gap, rate, h)) limits_[i] = fast;
  }
  if (int(contacts.size()) > crowd) leave_out_crowds(contacts);
  const auto is_any = [](std::span<const char> list, char least) {
    return std::ranges::any_of(list, [&](char x) { return x >= least; });
  };
  any_ = is_any(contacts_, slow);
  any_fast_ = is_any(contacts_, fast) || is_any(limits_, fast);
  touch_ = touching && is_any(touching_, 1);
}

void Landings::leave_out_crowds(std::span<const Contact> contacts) {
  islands_.find(contacts, {});
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (islands_.contacts_of(islands_.island_of(contacts[i])) > crowd) contacts_[i] = touching_[i] = none;
  for (std::size_t i = 0; i < limits_.size(); ++i)
    if (in_crowd(plan_.trees.of_link[plan_.joints.link[plan_.joints.limits[i].coordinate]]))
      limits_[i] = touching_[contacts.size() + i] = none;
}

}  // namespace linchpin

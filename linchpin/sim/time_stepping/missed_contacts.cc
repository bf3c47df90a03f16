#include "linchpin/sim/time_stepping/missed_contacts.h"

#include <algorithm>
#include <tuple>

#include "linchpin/sim/time_stepping/touch.h"

namespace linchpin {
namespace {

// Contacts are in rising order of their keys except for the feature.
bool is_known(std::span<const Contact> contacts, const Contact& c) {
  const auto pieces = [](const Contact& x) {
    return std::tie(x.key.shape_a, x.key.shape_b, x.key.piece_a, x.key.piece_b);
  };
  const auto group = std::ranges::equal_range(contacts, pieces(c), {}, pieces);
  return std::ranges::find(group, c.key.feature, [](const Contact& x) { return x.key.feature; }) != group.end();
}

}  // namespace

std::optional<double> find_missed_contacts(const StepPlan& plan, const Interval& interval, const Solved& solved,
                                           const ContactSet& set, ContactSet& wider) {
  const Placed& placed = interval.placed;
  const double h = interval.h;
  if (!find_more_contacts(plan.model, plan.contacts, placed.kin, placed.vel, solved.vel, h, set, wider)) return {};
  bool missed = false;
  double end = h;
  for (const Contact& c : wider.contacts) {
    const double u = relative_velocity(c, placed.kin, solved.vel).x;
    if (c.gap <= plan.touch_gap() || !(c.gap + h * u < 0) || is_known(set.contacts, c)) continue;
    missed = true;
    const bool bounces = c.restitution > 0 && u < -plan.options.impact_speed;
    if (bounces || is_far(plan, c)) end = std::min(end, c.gap / -u);
  }
  if (!missed) return {};
  return end;
}

}  // namespace linchpin

#include "linchpin/sim/time_stepping/landings.h"

#include <algorithm>

namespace linchpin {
namespace {

// Speeds change within the interval: what needs up to so many times its length at the first speed may still touch.
constexpr double margin = 2;

bool lands(const StepPlan& plan, double gap, double rate, double h) {
  return -rate > plan.options.impact_speed && (gap <= plan.touch_gap() || gap + margin * h * rate < 0);
}

}  // namespace

void Landings::clear() { any_ = touch_ = false; }

void Landings::find(std::span<const Contact> contacts, const Placed& placed, std::span<const double> q,
                    std::span<const double> v, double h) {
  clear();
  contacts_.assign(contacts.size(), 0);
  limits_.assign(plan_.joints.limits.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    if (c.restitution != 0 || !lands(plan_, c.gap, relative_velocity(c, placed.kin, placed.vel).x, h)) continue;
    contacts_[i] = 1;
    any_ = true;
  }
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    if (!lands(plan_, gap_of(limit, q), rate_of(limit, q, v), h)) continue;
    limits_[i] = 1;
    any_ = true;
  }
  if (!any_) return;
  if (int(contacts.size()) > crowd) {
    islands_.find(contacts, {});
    any_ = false;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (contacts_[i] && islands_.contacts_of(islands_.island_of(contacts[i])) > crowd) contacts_[i] = 0;
      any_ = any_ || contacts_[i];
    }
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const int link = plan_.joints.link[plan_.joints.limits[i].coordinate];
      if (limits_[i] && islands_.contacts_of(islands_.island_of(plan_.trees.of_link[link])) > crowd) limits_[i] = 0;
      any_ = any_ || limits_[i];
    }
  }
  for (std::size_t i = 0; i < contacts.size(); ++i)
    touch_ = touch_ || (contacts_[i] && contacts[i].gap <= plan_.touch_gap());
  for (std::size_t i = 0; i < limits_.size(); ++i)
    touch_ = touch_ || (limits_[i] && gap_of(plan_.joints.limits[i], q) <= plan_.touch_gap());
}

}  // namespace linchpin

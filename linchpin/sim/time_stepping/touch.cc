#include "linchpin/sim/time_stepping/touch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace linchpin {
namespace {

// A gap beyond this share of the smaller shape's half extent is far: within it the surface still resembles its tangent
// plane.
constexpr double far_share = 0.25;

bool may_split_at(const StepPlan& plan, const Contact& c) {
  return (c.restitution != 0 || is_far(plan, c)) && c.gap > plan.touch_gap();
}

}  // namespace

double touch_time(double gap, double u, double a, double h) {
  const double never = 2 * h;
  const double D = u * u - 2 * a * gap;
  if (!(D >= 0)) return never;
  const double t = u < 0 ? 2 * gap / (-u + std::sqrt(D)) : a < 0 ? (-u - std::sqrt(D)) / a : never;
  return t >= 0 && t <= h ? t : never;
}

bool is_far(const StepPlan& plan, const Contact& c) {
  return c.gap > far_share * std::min(plan.radius[c.key.shape_a], plan.radius[c.key.shape_b]);
}

bool meets_impact(const StepPlan& plan, const Placed& placed, std::span<const Contact> contacts) {
  return std::ranges::any_of(contacts, [&](const Contact& c) {
    return c.restitution > 0 && c.gap <= plan.touch_gap() &&
           relative_velocity(c, placed.kin, placed.vel).x < -plan.options.impact_speed;
  });
}

bool may_touch(const StepPlan& plan, std::span<const Contact> contacts) {
  return std::ranges::any_of(contacts, [&](const Contact& c) { return may_split_at(plan, c); });
}

double first_touch(const StepPlan& plan, const Interval& interval, const FreeMotion& free, const Landings& landings,
                   std::span<const ContactKey> required, std::vector<char>& contact_idle) {
  const double h = interval.h;
  double first = h;
  for (int i = 0; i < int(plan.joints.limits.size()); ++i) {
    if (!landings.is_fast_limit(i)) continue;
    const JointLimit& limit = plan.joints.limits[i];
    const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
    const double gap = gap_of(limit, q), u = rate_of(limit, q, v), a = (rate_of(limit, q, free.v) - u) / h;
    if (gap > plan.touch_gap()) first = std::min(first, touch_time(gap, u, a, h));
  }
  for (std::size_t i = 0; i < interval.contacts.size(); ++i) {
    const Contact& c = interval.contacts[i];
    const bool lands = landings.lands(int(i)), may_bounce = may_split_at(plan, c);
    if (!(lands || may_bounce) || std::ranges::find(required, c.key) != required.end()) continue;
    const double u = relative_velocity(c, interval.placed.kin, interval.placed.vel).x;
    const double u_end = relative_velocity(c, interval.placed.kin, free.vel).x;
    const double a = (u_end - u) / h, t = touch_time(c.gap, u, a, h);
    const bool splits = may_bounce && (is_far(plan, c) || u + a * std::min(t, h) < -plan.options.impact_speed);
    contact_idle[i] = splits || lands;
    if (splits || landings.is_fast(int(i))) first = std::min(first, t);
  }
  return first;
}

}  // namespace linchpin

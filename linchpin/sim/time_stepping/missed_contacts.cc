#include "linchpin/sim/time_stepping/missed_contacts.h"

#include <algorithm>
#include <tuple>

#include "linchpin/sim/time_stepping/touch.h"

namespace linchpin {
namespace {

bool is_known(std::span<const Contact> contacts, const Contact& c) {
  const auto shapes = [](const Contact& x) { return std::tie(x.key.shape_a, x.key.shape_b); };
  const auto pair = std::ranges::equal_range(contacts, shapes(c), {}, shapes);
  return std::ranges::find(pair, c.key, &Contact::key) != pair.end();
}

// Adds c if the motion closes it.
void add_if_missed(const StepPlan& plan, const Interval& interval, const Solved& solved, const Contact& c, bool lands,
                   MissedContacts& out) {
  const Kinematics<double>& kin = interval.placed.kin;
  const double h = interval.h, u_mean = relative_velocity(c, kin, solved.vel_mean).x;
  // Contacts that end the interval by their touch end it at a gap of rounding.
  if (!(plan.gap_to_close(c.gap) + h * u_mean < -plan.options.position_tolerance)) return;
  out.any = true;
  const double u = relative_velocity(c, kin, interval.placed.vel).x, u_end = relative_velocity(c, kin, solved.vel).x;
  // Trees with rows move along straight lines (3), others along parabolas (4).
  const double t = u_mean == u_end ? c.gap / -u_mean : touch_time(c.gap, u, 2 * (u_mean - u) / h, h);
  const bool bounces = c.restitution > 0 && u + (u_end - u) * t / h < -plan.options.impact_speed;
  if (c.gap > plan.touch_gap() && (bounces || lands || is_far(plan, c)))
    out.end = std::min(out.end, t);
  else
    out.contacts.push_back(c);
}

}  // namespace

void find_missed_contacts(const StepPlan& plan, const Interval& interval, const ContactSet& set,
                          const Landings& landings, Solved& solved, ContactSet& wider, MissedContacts& out) {
  const Kinematics<double>& kin = interval.placed.kin;
  out.any = out.is_wider = false;
  out.contacts.clear();
  out.end = interval.h;
  if (set.scene.near.empty() && !moves_beyond_reach(plan.contacts, kin, solved.vel, interval.h, set)) return;
  find_mean_motion(interval, plan.trees.of_link, solved);
  for (std::size_t i = 0; i < set.contacts.size(); ++i)
    if (interval.idle.contacts[i]) add_if_missed(plan, interval, solved, set.contacts[i], landings.lands(int(i)), out);
  out.is_wider =
      find_more_contacts(plan.model, plan.contacts, kin, interval.placed.vel, solved.vel_mean, interval.h, set, wider);
  if (!out.is_wider) return;
  for (const Contact& c : wider.contacts)
    if (!is_known(set.contacts, c)) add_if_missed(plan, interval, solved, c, false, out);
}

}  // namespace linchpin

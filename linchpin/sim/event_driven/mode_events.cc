#include "linchpin/sim/event_driven/mode_events.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linchpin {
namespace {

// Places within a substep at which contacts are searched, as parts of it.
constexpr std::array places_within{0.2, 0.4, 0.6, 0.8};

void take_least(const Watch& what, double margin, bool violated, EventCheck& check) {
  const double value = violated ? margin : std::max(margin, 0.0);  // so that a violated condition is the least
  if (value >= check.margin) return;
  check.what = what;
  check.margin = value;
  check.violated = violated;
}

// Of an open contact or limit with this gap and rate. known: the mode has it, as open.
void add_gap(Watch what, double gap, double rate, bool known, double touch_gap, EventCheck& check) {
  if (gap < 0 && rate < -approach_rest) return take_least(what, gap, true, check);
  if (known || !(gap < -touch_gap && rate <= approach_rest)) return take_least(what, gap, false, check);
  what.touch_gap = touch_gap;
  take_least(what, gap + touch_gap, true, check);
}

}  // namespace

ModeEvents::ModeEvents(const StepPlan& plan, ModeDynamics& dynamics)
    : plan_(plan),
      dynamics_(dynamics),
      admissible_(dynamics),
      found_(plan.contacts),
      placed_(plan.model, plan.plan),
      q_(plan.model.nq()),
      v_(plan.model.nv()) {}

void ModeEvents::check_touch(const Mode& mode, std::span<const Contact> known, std::span<const double> q,
                             std::span<const double> v, const Placed& placed, double h, const Watch& watch,
                             EventCheck& check) {
  if (!find_contacts(plan_.model, plan_.contacts, placed.kin, placed.vel, h, found_)) return;
  for (const Contact& c : found_.contacts) {
    const auto same = std::ranges::find(known, c.key, &Contact::key);
    const bool is_known = same != known.end();
    if (watch.kind == Watch::Kind::touch && watch.key == c.key) check.watched = c.gap + watch.touch_gap;
    if (is_known && mode.contacts[std::size_t(same - known.begin())].hold != Hold::open) continue;
    add_gap({.kind = Watch::Kind::touch, .key = c.key}, c.gap, relative_velocity(c, placed.kin, placed.vel).x, is_known,
            plan_.touch_gap(), check);
  }
  for (std::size_t i = 0; i < plan_.joints.limits.size(); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    const auto same = std::ranges::find(mode.limits, int(i), &ModeLimit::limit);
    const double gap = gap_of(limit, q);
    if (watch.kind == Watch::Kind::limit_touch && watch.index == int(i)) check.watched = gap + watch.touch_gap;
    if (same != mode.limits.end() && same->closed) continue;
    add_gap({.kind = Watch::Kind::limit_touch, .index = int(i)}, gap, rate_of(limit, q, v), same != mode.limits.end(),
            plan_.touch_gap(), check);
  }
}

double ModeEvents::first_touch_within(const SubstepStart& start, ModeSubstep& substep, double h) {
  if (start.set.found.pairs.empty() && plan_.joints.limits.empty()) return 1;
  for (const double theta : places_within) {
    substep.place_within(start, h, theta, q_, v_);
    place(plan_.model, plan_.plan, q_, v_, placed_);
    EventCheck check{.margin = std::numeric_limits<double>::infinity()};
    // Contacts of the mode keep their keys, or are in touch without approach.
    known_.clear();
    for (const ModeContact& m : start.mode.contacts) known_.push_back(m.at);
    check_touch(start.mode, known_, q_, v_, placed_, h, {}, check);
    if (check.violated) return theta;
  }
  return 1;
}

EventCheck ModeEvents::at_end(const SubstepStart& start, ModeSubstep& substep, double h, const Watch& watch) {
  const Mode& mode = start.mode;
  ModeForces& end = substep.end();
  EventCheck check{.margin = std::numeric_limits<double>::infinity()};
  if (!end.all_found) return {.what = {.kind = Watch::Kind::lost}, .margin = -1, .violated = true};  // (d)
  const Placed& placed = dynamics_.placed();
  check_touch(mode, end.contacts, substep.q(), substep.v(), placed, h, watch, check);  // (a)
  const auto add_speed = [&](Watch::Kind kind, std::size_t i, double speed) {          // (b)
    if (watch.kind == kind && watch.index == int(i)) check.watched = speed;
    take_least({.kind = kind, .index = int(i)}, speed, speed < 0, check);
  };
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const ModeContact& m = mode.contacts[i];
    if (m.hold != Hold::sliding || end.contacts[i].mu == 0) continue;
    add_speed(Watch::Kind::slip_end, i, dot(end.u[i], m.slide) + (m.incipient ? slip_rest : 0));
  }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    if (mode.dry[i].sign == 0) continue;
    add_speed(Watch::Kind::dry_end, i,
              mode.dry[i].sign * substep.v()[std::size_t(plan_.joints.frictional[i])] +
                  (mode.dry[i].incipient ? slip_rest : 0));
  }
  const ModeFault fault = worst_condition(mode, end);  // (c)
  if (fault.kind == ModeFault::Kind::none) return check;
  const bool slides_already = fault.kind == ModeFault::Kind::reverses || fault.kind == ModeFault::Kind::dry_reverses;
  if (slides_already) return check;  // (b) sees it
  if (watch.kind == Watch::Kind::condition && end.is_consistent)
    check.watched = margin_of(watch.fault, watch.index, mode, end) + mode_tolerance;
  Watch what{.kind = Watch::Kind::condition, .index = fault.index};
  if (!end.is_consistent) {
    take_least(what, -1, true, check);
    return check;
  }
  if (fault.margin >= -mode_tolerance || end.is_unique) {
    what.fault = fault.kind;
    take_least(what, fault.margin + mode_tolerance, fault.margin < -mode_tolerance, check);
    return check;
  }
  // Redundant contacts: are there other forces with the same accelerations?
  const double margin = admissible_.find(mode, end);
  const bool is_admissible = margin >= -mode_tolerance;
  if (is_admissible) {
    other_ = mode;
    AdmissibleForces::keep(end, other_);
    check.is_replaced = true;
  }
  take_least(what, margin + mode_tolerance, !is_admissible, check);
  return check;
}

}  // namespace linchpin

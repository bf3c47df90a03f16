#include "linchpin/sim/event_driven/mode_start.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// m: contacts that would rise by less have landed. A thousand times the rounding of gaps of bodies of metres.
constexpr double least_rise = 1e-13;
// m/s: no contact that separates faster than this has landed, whatever its acceleration.
constexpr double most_landing_speed = 1e-3;
// Impacts at one moment: restitution leaves other contacts approaching, a few times. And the part of the fastest
// velocity that an impact may leave, by its solver's tolerance.
constexpr int most_impacts_at_once = 100;
constexpr double impact_tolerance = 1e-8;
double fastest_of(std::span<const double> v) {
  double most = 1;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

ModeStart::ModeStart(Dynamics& dynamics, const StepPlan& plan, ModeDynamics& mode_dynamics)
    : dynamics_(dynamics),
      plan_(plan),
      mode_dynamics_(mode_dynamics),
      choice_(mode_dynamics),
      others_(mode_dynamics),
      plain_(plan.model, plan.plan, plan.options, std::vector<double>(plan.model.nv(), 0.0)),
      impact_solver_(plan, 0, 0),
      solved_(plan.model),
      impulse_(dynamics, plan, plain_, problem_, solved_),
      projection_(dynamics, plan, mode_dynamics),
      placed_(plan.model, plan.plan),
      set_(plan.contacts),
      forces_(plan.model),
      without_mode_(plan),
      asleep_(plan.trees.count, 0) {}

bool ModeStart::find_set(double left, const Arrival& at, StepReport& report) {
  place(plan_.model, plan_.plan, at.q, at.v, placed_);
  if (!find_contacts(plan_.model, plan_.contacts, placed_.kin, placed_.vel, left, set_)) {
    report.status = StepStatus::not_finite;
    report.reason = "the distance that a body travels within the step is beyond the range of numbers";
    return false;
  }
  if (int(set_.contacts.size()) > plan_.options.most_contacts) {
    report.status = StepStatus::runaway;
    report.reason = "more contacts than most_contacts: shapes lie within each other, or speeds are too high for dt";
    return false;
  }
  return true;
}

bool ModeStart::approaches(const Arrival& at, double rest) const {
  for (const Contact& c : set_.contacts)
    if (c.gap <= plan_.touch_gap() && relative_velocity(c, placed_.kin, placed_.vel).x < -rest) return true;
  for (const JointLimit& limit : plan_.joints.limits)
    if (gap_of(limit, at.q) <= plan_.touch_gap() && rate_of(limit, at.q, at.v) < -rest) return true;
  return false;
}

bool ModeStart::solve_impacts(double time, double left, const Inputs& inputs, Arrival& at, ContactSums& sums,
                              StepReport& report) {
  double rest = approach_rest;
  for (int i = 0; i < most_impacts_at_once && approaches(at, rest); ++i) {
    if (ClosedChain* chain = dynamics_.chain())
      evaluate_rows(plan_.model, chain->constraints, placed_.kin, placed_.vel, at.q, at.v, time, chain->rows);
    const Interval interval{inputs, at, placed_, dynamics_.chain(), set_, idle_, time, 0};
    const ImpactReport impact = impact_solver_.solve(interval, plain_, problem_, solved_);
    ++report.impacts;
    report.problems += impact.problems;
    report.iterations += impact.iterations;
    report.declared_fallbacks += impact.fallbacks;
    report.loose += impact.loose;
    report.residual = larger(report.residual, impact.residual);
    report.least_release = smaller(report.least_release, impact.release);
    if (!impact.ok()) {
      report.status = StepStatus::unsolved;
      report.reason = "an impact was not solved to its tolerance";
      return false;
    }
    report.impact_loss += energy_lost(plan_, solved_.rows, solved_.impulses, solved_.rates, 0, report);
    sums.add(solved_.rows, set_.contacts, solved_.impulses, solved_.rates);
    add_loop_impulses(plan_, solved_.rows, solved_.impulses, asleep_, at.reactions);
    rest = std::max(rest, impact_tolerance * fastest_of(at.v));
    std::ranges::copy(solved_.v, at.v.begin());
    if (!find_set(left, at, report)) return false;
  }
  return true;
}

void ModeStart::list_touching(const Arrival& at) {
  mode_.contacts.clear();
  mode_.limits.clear();
  for (const Contact& c : set_.contacts) {
    if (c.gap > plan_.touch_gap()) continue;
    const Vec3<double> u = relative_velocity(c, placed_.kin, placed_.vel);
    if (u.x > most_landing_speed) continue;
    ModeContact m{.at = c};
    const double slip = std::hypot(u.y, u.z);
    if (slip > slip_rest) {
      m.hold = Hold::sliding;
      m.incipient = false;
      m.slide = (1 / slip) * (u.y * c.t1 + u.z * c.t2);
    }
    mode_.contacts.push_back(m);
  }
  for (int i = 0; i < int(plan_.joints.limits.size()); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    if (gap_of(limit, at.q) <= plan_.touch_gap() && rate_of(limit, at.q, at.v) <= most_landing_speed)
      mode_.limits.push_back({i});
  }
  mode_.dry.clear();
  for (const int k : plan_.joints.frictional) {
    const double v = at.v[k];
    const bool slips = std::abs(v) > slip_rest;
    mode_.dry.push_back({.sign = !slips ? 0 : v > 0 ? 1 : -1, .incipient = !slips});
  }
}

// Landing, by b of the rows: the accelerations without contacts.
void ModeStart::drop_separating(const Arrival& at) {
  const auto separates = [](double speed, double acceleration) {
    return speed > approach_rest && !(speed * speed <= -2 * acceleration * least_rise);
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mode_.contacts.size(); ++i) {
    const double speed = relative_velocity(mode_.contacts[i].at, placed_.kin, placed_.vel).x;
    if (separates(speed, forces_.b[std::size_t(forces_.contact_row[i])])) continue;
    mode_.contacts[kept++] = mode_.contacts[i];
  }
  mode_.contacts.resize(kept);
  kept = 0;
  for (std::size_t i = 0; i < mode_.limits.size(); ++i) {
    const double speed = rate_of(plan_.joints.limits[mode_.limits[i].limit], at.q, at.v);
    if (separates(speed, forces_.b[std::size_t(forces_.limit_row[i])])) continue;
    mode_.limits[kept++] = mode_.limits[i];
  }
  mode_.limits.resize(kept);
}

// What an event has released starts as released.
void ModeStart::adopt(const Mode& released) {
  for (ModeContact& m : mode_.contacts) {
    const auto same =
        std::ranges::find_if(released.contacts, [&](const ModeContact& other) { return other.at.key == m.at.key; });
    if (same == released.contacts.end()) continue;
    if (same->hold == Hold::open) {
      m.hold = Hold::open;
    } else if (same->hold == Hold::sliding && m.incipient && same->incipient) {
      m.hold = Hold::sliding;
      m.slide = same->slide;
    }
  }
  for (ModeLimit& l : mode_.limits) {
    const auto same = std::ranges::find(released.limits, l.limit, &ModeLimit::limit);
    if (same != released.limits.end()) l.closed = same->closed;
  }
  for (std::size_t i = 0; i < mode_.dry.size(); ++i)
    if (mode_.dry[i].incipient && released.dry[i].incipient) mode_.dry[i].sign = released.dry[i].sign;
}

// A state that begins far beyond its limits: each coordinate goes back to its own. The metric of the mass matrix would
// move all others with it, light ones far.
void ModeStart::bring_within_limits(Arrival& at, StepReport& report) {
  const auto is_beyond = [&](const JointLimit& limit) { return gap_of(limit, at.q) < -plan_.touch_gap(); };
  if (dynamics_.chain() || std::ranges::none_of(plan_.joints.limits, is_beyond)) return;
  const double before = dynamics_.stored(at.q, at.v);
  for (const JointLimit& limit : plan_.joints.limits) bring_within(limit, at.q);
  report.projected += dynamics_.stored(at.q, at.v) - before;
}

bool ModeStart::begin(double time, double left, const Inputs& inputs, const Mode* released, Arrival& at,
                      ContactSums& sums, StepReport& report) {
  bring_within_limits(at, report);
  for (int jumps = 0;; ++jumps) {
    if (!find_set(left, at, report) || !solve_impacts(time, left, inputs, at, sums, report)) return false;
    list_touching(at);
    if (mode_.contacts.empty() && mode_.limits.empty() && mode_.dry.empty()) return true;
    const auto evaluate = [&] { mode_dynamics_.evaluate(time, at.q, at.v, inputs, mode_, set_, true, forces_); };
    evaluate();
    without_mode_.reserve(mode_.contacts.size(), forces_.rows.owner.size());
    const std::size_t listed = mode_.contacts.size() + mode_.limits.size();
    drop_separating(at);
    if (mode_.contacts.size() + mode_.limits.size() < listed) evaluate();
    if (released) adopt(*released);
    const ModeFault fault = choice_.choose(mode_, forces_);
    if (fault.kind == ModeFault::Kind::none) {
      report.ambiguous += others_.any_is_consistent(mode_, forces_);
      break;
    }
    if (jumps < 3 && impulse_.solve(time, inputs, placed_, mode_, forces_, at, sums, report)) continue;
    if (!report.ok()) return false;
    report.status = StepStatus::no_mode;
    report.reason = "no contact mode is consistent with the state";
    without_mode_.find(mode_, forces_, fault);
    report.body = without_mode_.body();
    return false;
  }
  projection_.project(time, inputs, set_, true, mode_, forces_, at, report);
  return true;
}

void ModeStart::keep(double time, const Inputs& inputs, Arrival& at, StepReport& report) {
  projection_.project(time, inputs, set_, false, mode_, forces_, at, report);
}

}  // namespace linchpin

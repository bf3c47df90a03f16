#include "linchpin/sim/time_stepping/contact_stepper.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linchpin/base/larger.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/active_rows.h"
#include "linchpin/sim/time_stepping/displacement.h"
#include "linchpin/sim/time_stepping/impact_solver.h"
#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/missed_contacts.h"
#include "linchpin/sim/time_stepping/penetration.h"
#include "linchpin/sim/time_stepping/sleep.h"
#include "linchpin/sim/time_stepping/touch.h"
#include "linchpin/sim/time_stepping/turn_limit.h"

namespace linchpin {
namespace {

// Intervals are not halved below this fraction of dt: five halvings; a problem that is not solved then will not be.
constexpr double most_halved = 32;
// Searches for missed contacts before the interval is halved: one is enough nearly always, hardly ever are there two.
constexpr int most_searches = 16;
// The free motion over a shorter interval touches at its end, up to the change of forces: two rounds nearly always.
constexpr int most_touch_rounds = 8;
// Intervals of a step. Bodies that turn so fast that they need more have run away.
constexpr int most_intervals = 10000;
// Intervals of a step that end where sliding goes back. In a pile there may be many; there motion is of first order.
constexpr int most_slip_splits = 4;
// Corrections at the end of one interval. They are steps of Newton's method: each squares the error. Those that had to
// be scaled down, because a body would have turned far, do not count.
constexpr int most_corrections = 3, most_scaled_corrections = 20;
// No mechanism is faster than this, m/s or rad/s.
constexpr double runaway_speed = 1e8;

double deepest_penetration(std::span<const Contact> contacts) {
  double depth = 0;
  for (const Contact& c : contacts) depth = larger(depth, -c.gap);
  return depth;
}

}  // namespace

struct ContactStepper::Parts {
  Parts(Dynamics& d, const SimulationOptions& o);

  StepReport step(const Departure& from, Arrival& at);

 private:
  // Stages of an interval that starts at `at`. Those that can fail return false, with the reason in the report.
  void place_links(double time, bool first, const Arrival& at);
  void evaluate_loop_rows(double time, const Arrival& at);
  bool find_contacts(double reach_time, StepReport& report);
  void put_to_sleep(const Inputs& inputs, Arrival& at, StepReport& report);
  void find_landings(const Arrival& at, bool may_land, double h);
  bool solve_impact(const Inputs& inputs, bool lands, Arrival& at, StepReport& report, bool& applied);
  double choose_rows(const Inputs& inputs, const Arrival& at, bool may_split, double h);
  bool solve(const Inputs& inputs, bool may_split, double& h, Arrival& at, StepReport& report);
  bool is_final(const Interval& interval, bool may_split, double& h, Arrival& at, StepReport& report);
  void apply(const Interval& interval, Arrival& at, StepReport& report);
  void move(const Interval& interval, Arrival& at);
  bool look_at_end(double time, double h, Arrival& at);
  void correct_bent_paths(const Inputs& inputs, double time, double h, Arrival& at, StepReport& report);
  void correct_springs(const Inputs& inputs, double time, double h, Arrival& at, StepReport& report);

  bool check_count(StepReport& report) const;
  bool check_speeds(const Arrival& at, StepReport& report) const;
  Interval interval_of(const Inputs& inputs, const Arrival& at, double h) {
    return {inputs, at, placed_, dynamics_.chain(), set_, idle_, time_, h};
  }

  Dynamics& dynamics_;
  const StepPlan plan_;
  Variant plain_;  // the mechanism as it is, for impacts and corrections
  IntervalSolver interval_solver_;
  ImpactSolver impact_solver_;
  PenetrationCorrection penetration_;
  SpringCorrection springs_;
  Displacement displacement_;
  ActiveRows active_;
  Sleep sleep_;
  ContactSums sums_;

  // Results of the stages, kept for their memory.
  Placed placed_;
  ContactSet set_, wider_;
  IdleRows idle_;
  FreeMotion free_;
  MissedContacts missed_;
  Solved solved_;
  ProblemWorkspace problem_;
  Landings landings_;  // of set_, at the start of the interval
  std::vector<double> step_;
  int slip_splits_ = 0;    // of this step
  bool may_land_ = false;  // contacts may land in this interval
  double time_ = 0;        // at the start of the interval, s
  bool bends_ = false;     // of solved_: paths of contacts bend (turn_limit.h)

 public:
  std::vector<ContactReport> reports;
};

ContactStepper::Parts::Parts(Dynamics& d, const SimulationOptions& o)
    : dynamics_(d),
      plan_(d.model, o),
      plain_(plan_.model, plan_.plan, plan_.options, std::vector<double>(plan_.model.nv(), 0.0)),
      interval_solver_(plan_),
      impact_solver_(plan_, struck_speed, plan_.options.impact_speed),
      penetration_(plan_),
      springs_(plan_),
      displacement_(plan_.model, plan_.plan),
      active_(plan_),
      sleep_(plan_),
      placed_(plan_.model, plan_.plan),
      set_(plan_.contacts),
      wider_(plan_.contacts),
      free_(plan_.model),
      solved_(plan_.model),
      landings_(plan_),
      step_(plan_.model.nv()) {}

StepReport ContactStepper::Parts::step(const Departure& from, Arrival& at) {
  const Inputs& inputs = from.inputs;
  StepReport report;
  report.unresolved = plan_.unresolved_energy;
  at.start_from(from.state);
  if (!all_finite(at.q) || !all_finite(at.v) || !all_finite(inputs.tau) || !all_finite(inputs.f_ext))
    return not_finite(plan_.model, from, {}, at);
  sleep_.wake_all();
  slip_splits_ = 0;
  std::ranges::fill(at.reactions, 0);  // the sum of impulses, until the end of the step
  double left = plan_.dt;
  for (int part = 0; left > 0; ++part) {
    // Speeds may diverge within a step that is split.
    if (part > 0 && !(all_finite(at.q) && all_finite(at.v))) return not_finite(plan_.model, from, {}, at);
    if (part > 0 && !check_speeds(at, report)) return report;
    const double time = from.state.time + plan_.dt - left;
    time_ = time;
    place_links(time, part == 0, at);
    if (!find_contacts(left, report)) return report;
    if (part == 0) {
      report.penetration = deepest_penetration(set_.contacts);
      put_to_sleep(inputs, at, report);
      sums_.start(set_.contacts);
    } else if (plan_.may_sleep()) {
      sleep_.drop_contacts(set_.contacts);
    }
    const bool may_split = part < plan_.options.max_splits;
    find_landings(at, may_split && part < most_landings, left);
    const bool bounces = meets_impact(plan_, placed_, set_.contacts), impact = bounces || landings_.touch();
    if (impact && may_split) {
      bool applied = true;
      if (!solve_impact(inputs, !bounces, at, report, applied)) return report;
      if (applied) continue;
      find_landings(at, false, left);
    }
    if (!may_split && (impact || may_touch(plan_, set_.contacts))) report.unsplit = 1;
    if (part == most_intervals) {
      fail(StepStatus::runaway, "bodies turn too fast for dt: a step would take more than 10000 intervals", report);
      return report;
    }
    active_.clear_required();
    double h = choose_rows(inputs, at, may_split, left);
    if (!check_count(report) || !solve(inputs, may_split, h, at, report)) return report;
    springs_.find_targets(solved_, placed_.kin, h);
    apply(interval_of(inputs, at, h), at, report);
    left = h < left ? left - h : 0;
    if (springs_.any()) correct_springs(inputs, time + h, h, at, report);
    if (bends_ || penetration_.passes_angle(at.q)) correct_bent_paths(inputs, time + h, h, at, report);
  }
  sums_.report(plan_.model, plan_.dt, reports);
  for (double& reaction : at.reactions) reaction /= plan_.dt;
  if (plan_.may_sleep()) sleep_.count_rest(at);
  const StepReport end = arrived(plan_.model, from, at);
  if (!end.ok()) return end;
  report.overrun = overrun_of(plan_.joints.limits, at.q);
  check_speeds(at, report);
  return report;
}

void ContactStepper::Parts::place_links(double time, bool first, const Arrival& at) {
  ++dynamics_.evaluations;
  ClosedChain* chain = dynamics_.chain();
  if (chain && first) {  // the chain has been placed at the start of the step
    placed_.kin = chain->kin;
    placed_.vel = chain->vel;
  } else {
    place(plan_.model, plan_.plan, at.q, at.v, placed_);
  }
  evaluate_loop_rows(time, at);
}

void ContactStepper::Parts::evaluate_loop_rows(double time, const Arrival& at) {
  if (ClosedChain* chain = dynamics_.chain())
    evaluate_rows(plan_.model, chain->constraints, placed_.kin, placed_.vel, at.q, at.v, time, chain->rows);
}

bool ContactStepper::Parts::find_contacts(double reach_time, StepReport& report) {
  if (linchpin::find_contacts(plan_.model, plan_.contacts, placed_.kin, placed_.vel, reach_time, set_)) return true;
  const auto far = std::ranges::find_if_not(set_.reach, [](double reach) { return std::isfinite(reach); });
  for (int body = 1; body < int(plan_.model.bodies().size()) && report.body < 0; ++body)
    if (plan_.model.bodies()[body].link == int(far - set_.reach.begin())) report.body = body;
  return fail(
      StepStatus::not_finite,
      "the distance that a body travels within the step is beyond the range of numbers: its place, its speed or "
      "its shapes are too large",
      report);
}

bool ContactStepper::Parts::check_count(StepReport& report) const {
  if (std::ranges::count(idle_.contacts, 0) <= plan_.options.most_contacts) return true;
  return fail(StepStatus::runaway,
              "more contacts than most_contacts: shapes lie within each other, or speeds are too high for dt", report);
}

void ContactStepper::Parts::put_to_sleep(const Inputs& inputs, Arrival& at, StepReport& report) {
  if (!plan_.may_sleep()) return;
  report.asleep = sleep_.find(inputs, dynamics_.chain(), set_.contacts, at, placed_);
  sleep_.drop_contacts(set_.contacts);
}

void ContactStepper::Parts::find_landings(const Arrival& at, bool may_land, double h) {
  may_land_ = may_land;
  if (may_land)
    landings_.find(set_.contacts, placed_, at, h);
  else
    landings_.clear();
}

// lands: the impact is only of contacts that land. If one of those has no lever, the impact is not applied.
bool ContactStepper::Parts::solve_impact(const Inputs& inputs, bool lands, Arrival& at, StepReport& report,
                                         bool& applied) {
  const Interval interval = interval_of(inputs, at, 0);
  const ImpactReport impact = impact_solver_.solve(interval, plain_, problem_, solved_);
  report.problems += impact.problems;
  report.iterations += impact.iterations;
  report.declared_fallbacks += impact.fallbacks;
  applied = !lands || (impact.ok() && !impact_solver_.lacks_lever(solved_));
  if (!applied) return true;
  ++report.impacts;
  report.loose += impact.loose;
  report.residual = larger(report.residual, impact.residual);
  report.least_release = smaller(report.least_release, impact.release);
  if (!impact.ok()) return fail(StepStatus::unsolved, "an impact was not solved to its tolerance", report);
  report.impact_loss += energy_lost(plan_, solved_.rows, solved_.impulses, solved_.rates, 0, report);
  sums_.add(solved_.rows, set_.contacts, solved_.impulses, solved_.rates);
  add_loop_impulses(plan_, solved_.rows, solved_.impulses, sleep_.trees(), at.reactions);
  std::ranges::copy(solved_.v, at.v.begin());
  return true;
}

// Decides which contacts and limits get rows, and returns the length of the interval: h, or less if a contact that
// bounces or is far touches earlier, or bodies turn too far.
double ContactStepper::Parts::choose_rows(const Inputs& inputs, const Arrival& at, bool may_split, double h) {
  h = turn_limit(plan_, set_, set_.motion, h);
  free_.h = -1;
  idle_.limits.assign(plan_.joints.limits.size(), 0);
  idle_.contacts.assign(set_.contacts.size(), 0);
  const auto leave_out_landings = [&] {
    for (int i = 0; i < int(set_.contacts.size()); ++i)
      idle_.contacts[i] = landings_.lands(i) && !active_.is_required(set_.contacts[i]);
  };
  leave_out_landings();
  const bool splits = landings_.any_fast() || (may_split && may_touch(plan_, set_.contacts));
  if (!splits && active_.all_loaded(interval_of(inputs, at, h))) return h;
  for (int round = 0;; ++round) {
    const Interval interval = interval_of(inputs, at, h);
    interval_solver_.find_free_motion(interval, free_);
    leave_out_landings();
    const double touch =
        splits ? first_touch(plan_, interval, free_, landings_, active_.required(), idle_.contacts) : h;
    if (touch >= h || round == most_touch_rounds) {
      active_.choose(interval, free_, idle_);
      return h;
    }
    h = touch;
  }
}

// Fills solved_. The interval becomes shorter if a problem resists (half of it is another problem), or if a contact
// that was missed splits it. A result that is not applied is overwritten by the next attempt; the report counts only
// its effort.
bool ContactStepper::Parts::solve(const Inputs& inputs, bool may_split, double& h, Arrival& at, StepReport& report) {
  for (int attempts = 0;;) {
    const Interval interval = interval_of(inputs, at, h);
    const char* failure = interval_solver_.solve(interval, free_, sleep_.trees(), problem_, solved_);
    solved_.effort.add_to(report);
    if (!failure) {
      if (is_final(interval, may_split, h, at, report)) break;
      if (!report.ok()) return false;
      if (++attempts % most_searches == 0) failure = "contacts come into reach within a step without end";
    }
    if (failure) {
      if (h <= plan_.dt / most_halved) {
        solved_.quality.add_to(report);
        return fail(StepStatus::unsolved, failure, report);
      }
      ++report.halved;
      h = choose_rows(inputs, at, may_split, h / 2);
    }
  }
  solved_.quality.add_to(report);
  return true;
}

// Whether the result can be applied. Otherwise sets up another attempt: with contacts that were missed, over a shorter
// interval.
bool ContactStepper::Parts::is_final(const Interval& interval, bool may_split, double& h, Arrival& at,
                                     StepReport& report) {
  bends_ = false;
  if (active_.find_released(interval, solved_)) {
    if (free_.h != interval.h) interval_solver_.find_free_motion(interval, free_);
    active_.release(interval, free_, idle_, solved_);
  }
  if (solved_.slip_end < interval.h && slip_splits_ < most_slip_splits) {
    ++slip_splits_;
    h = choose_rows(interval.inputs, at, may_split, solved_.slip_end);
    return false;
  }
  find_missed_contacts(plan_, interval, set_, landings_, solved_, wider_, missed_);
  if (missed_.any) {
    if (missed_.is_wider) {
      std::swap(set_, wider_);
      put_to_sleep(interval.inputs, at, report);  // a new contact may wake an island
      find_landings(at, may_land_, interval.h);
    }
    for (const Contact& c : missed_.contacts) active_.require(c);
    h = choose_rows(interval.inputs, at, may_split, may_split ? missed_.end : interval.h);
    check_count(report);
    return false;
  }
  if (!set_.found.pairs.empty()) {
    const double limit = turn_limit(plan_, set_, wider_.motion, interval.h);
    if (limit < 0.9 * interval.h) {  // not for a last bit of it
      h = choose_rows(interval.inputs, at, may_split, limit);
      return false;
    }
    bends_ = bends(plan_, interval, set_, solved_, wider_.motion);
  }
  return true;
}

// Applies the solution: updates velocities, positions, the warm start of the next step, and the account.
void ContactStepper::Parts::apply(const Interval& interval, Arrival& at, StepReport& report) {
  count_work(plan_, interval, solved_, report);
  const StepRows& rows = solved_.rows;
  if (rows.rows.size() > 0) {
    report.contact_loss += energy_lost(plan_, rows, solved_.impulses, solved_.rates, interval.h, report);
    sums_.add(rows, interval_solver_.contacts(), solved_.impulses, solved_.rates);
    add_loop_impulses(plan_, rows, solved_.impulses, sleep_.trees(), at.reactions);
    remember(rows, set_.contacts, solved_.impulses, interval.h, at.memory);
    at.fresh = solved_.iterated;
    at.loose_steps = solved_.loose ? at.loose_steps + 1 : 0;
  } else {
    at.memory.clear();
  }
  report.contacts =
      int(std::ranges::count(rows.owner, RowOwner::Kind::contact, [](const RowOwner& owner) { return owner.kind; }));
  std::optional<std::span<const double>> shift;
  if (penetration_.is_needed(interval)) {
    SolveEffort effort;
    shift = penetration_.find(interval, solved_, plain_, problem_, effort);
    effort.add_to(report);
  }
  move(interval, at);
  if (shift) report.projected += displacement_.apply(*shift, at.q, at.v);
}

// (3) and (4). Trees of (4) have moved half of the way, by v, to where forces were evaluated.
void ContactStepper::Parts::move(const Interval& interval, Arrival& at) {
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    const bool jumps = solved_.tree_jumps[plan_.trees.of_link[i]];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const double theta = solved_.theta[k];
      step_[k] = interval.h * (jumps ? solved_.v[k] : theta * solved_.v[k] + (0.5 - theta) * at.v[k]);
    }
  }
  std::ranges::copy(solved_.q_forces, at.q.begin());
  integrate(plan_.model, step_, at.q);
  remember_acceleration(plan_, solved_.tree_jumps, at.v, solved_.v, interval.h, interval.h == plan_.dt, at.vdot);
  std::ranges::copy(solved_.v, at.v.begin());
}

// Places links and finds contacts at the end of an interval of length h.
bool ContactStepper::Parts::look_at_end(double time, double h, Arrival& at) {
  place_links(time, false, at);
  if (!linchpin::find_contacts(plan_.model, plan_.contacts, placed_.kin, placed_.vel, h, set_)) return false;
  if (plan_.may_sleep()) sleep_.drop_contacts(set_.contacts);
  idle_.contacts.assign(set_.contacts.size(), 0);
  return true;
}

void ContactStepper::Parts::correct_springs(const Inputs& inputs, double time, double h, Arrival& at,
                                            StepReport& report) {
  for (int round = 0; round < most_corrections; ++round) {
    if (!look_at_end(time, h, at) || !springs_.is_needed(placed_)) return;
    SolveEffort effort;
    const auto shift = penetration_.find(interval_of(inputs, at, 0), solved_, plain_, problem_, effort, &springs_);
    effort.add_to(report);
    if (!shift) return;
    displacement_.apply(*shift, at.q, at.v);
    if (!springs_.needs_another()) return;
  }
}

// (6) for the contacts at the end of an interval of length h.
void ContactStepper::Parts::correct_bent_paths(const Inputs& inputs, double time, double h, Arrival& at,
                                               StepReport& report) {
  for (int round = 0, scaled = 0;;) {
    if (!look_at_end(time, h, at)) return;
    const Interval here = interval_of(inputs, at, 0);
    if (!penetration_.is_needed(here)) return;
    const bool is_last = round == most_corrections || scaled == most_scaled_corrections;
    SolveEffort effort;
    const auto shift = is_last ? std::nullopt : penetration_.find(here, solved_, plain_, problem_, effort);
    effort.add_to(report);
    if (!shift) {
      report.penetration = larger(report.penetration, deepest_penetration(set_.contacts));
      return;
    }
    ++(penetration_.is_scaled() ? scaled : round);
    report.projected += displacement_.apply(*shift, at.q, at.v);
  }
}

bool ContactStepper::Parts::check_speeds(const Arrival& at, StepReport& report) const {
  const auto fast = std::ranges::find_if(at.v, [](double v) { return std::abs(v) > runaway_speed; });
  if (fast == at.v.end()) return true;
  const int k = int(fast - at.v.begin());
  for (const Joint& joint : plan_.model.joints())
    if (k >= joint.v && k < joint.v + joint.nv) report.body = joint.child;
  return fail(StepStatus::runaway, "a speed beyond 1e8 m/s or rad/s: the motion has run away", report);
}

ContactStepper::ContactStepper(Dynamics& dynamics, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dynamics, options)) {}
ContactStepper::~ContactStepper() = default;
ContactStepper::ContactStepper(ContactStepper&&) noexcept = default;
StepReport ContactStepper::step(const Departure& from, Arrival& to) { return parts_->step(from, to); }
std::span<const ContactReport> ContactStepper::contacts() const { return parts_->reports; }

}  // namespace linchpin

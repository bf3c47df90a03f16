#include "linchpin/sim/event_driven/event_driven.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linchpin/base/larger.h"
#include "linchpin/sim/event_driven/event_location.h"
#include "linchpin/sim/event_driven/mode_start.h"
#include "linchpin/sim/step_size_control.h"
#include "linchpin/sim/time_stepping/contact_stepper.h"

namespace linchpin {
namespace {

// Of one substep: the largest turn of a near pair, rad, and approach, in sums of half thicknesses.
constexpr double most_turn = 0.5, most_approach = 2.5;
// Events in a row without time passing.
constexpr int most_at_once = 100;
// Conditions with margins below this are released together with the one that ended the mode: bodies with two feet tip
// over both of them.
constexpr double released_together = 1e-8;
// No mechanism is faster than this, m/s or rad/s.
constexpr double fastest = 1e8;

SimulationOptions as_time_stepping(SimulationOptions options) {
  options.stepper = Stepper::time_stepping;
  return options;
}

}  // namespace

struct EventDrivenStepper::Parts {
  Parts(Dynamics& d, const SimulationOptions& o);

  StepReport step(const Departure& from, Arrival& at);

 private:
  bool advance(const Departure& from, Arrival& at, StepReport& report);
  double limit_length(double h) const;
  void release(const EventCheck& event);
  bool can_be_handed_over(const StepReport& report) const;
  StepReport hand_over(const Departure& from, Arrival& at, const StepReport& so_far);
  void update_slides(const EventCheck& event);
  bool has_stopped() const;

  Dynamics& dynamics_;
  const SimulationOptions options_;
  const StepPlan plan_;
  ModeDynamics mode_dynamics_;
  ModeStart start_;
  ModeSubstep substep_;
  ModeEvents events_;
  EventLocation location_;
  ContactSums sums_;
  Mode released_;
  std::vector<ModeFault> faults_;
  ContactStepper other_;  // takes over
  bool gave_up_ = false;

 public:
  std::vector<ContactReport> reports;
  std::span<const ContactReport> without_mode() const { return start_.without_mode().contacts(); }
};

EventDrivenStepper::Parts::Parts(Dynamics& d, const SimulationOptions& o)
    : dynamics_(d),
      options_(o),
      plan_(d.model, o),
      mode_dynamics_(d, plan_),
      start_(d, plan_, mode_dynamics_),
      substep_(d, plan_, mode_dynamics_),
      events_(plan_, mode_dynamics_),
      location_(plan_.dt, substep_, events_),
      other_(d, as_time_stepping(o)) {
  for (const Joint& joint : d.model.joints())
    for (const DofSpec& dof : d.model.dofs().subspan(joint.v, joint.nv))
      check(dof.velocity_limit == unlimited, "joint '", joint.name, "' has a velocity limit of ", dof.velocity_limit,
            ", which event_driven does not have; take time_stepping, or no limit");
}

StepReport EventDrivenStepper::Parts::step(const Departure& from, Arrival& at) {
  StepReport report;
  report.substeps = 0;
  at.start_from(from.state);
  at.memory.clear();
  at.vdot.clear();
  at.substep = from.state.substep;
  if (!all_finite(at.q) || !all_finite(at.v) || !all_finite(from.inputs.tau) || !all_finite(from.inputs.f_ext))
    return not_finite(plan_.model, from, {}, at);
  std::ranges::fill(at.reactions, 0);  // the sum of impulses, until the end of the step
  gave_up_ = false;
  if (!advance(from, at, report)) return can_be_handed_over(report) ? hand_over(from, at, report) : report;
  sums_.report(plan_.model, plan_.dt, reports);
  for (double& reaction : at.reactions) reaction /= plan_.dt;
  report.overrun = overrun_of(plan_.joints.limits, at.q);
  const StepReport end = arrived(plan_.model, from, at);
  return end.ok() ? report : end;
}

// Too many events; several contacts for which no mode was found, since their modes are too many to try all; sliding in
// space that is so slow that its direction needs more than max_substeps.
bool EventDrivenStepper::Parts::can_be_handed_over(const StepReport& report) const {
  if (gave_up_) return true;
  if (report.status == StepStatus::no_mode) return start_.without_mode().contacts().size() > 1;
  const auto slides = [](const ModeContact& m) { return m.hold == Hold::sliding && m.at.mu > 0; };
  return report.status == StepStatus::step_too_small && !plan_.contacts.plane &&
         std::ranges::any_of(start_.mode().contacts, slides);
}

StepReport EventDrivenStepper::Parts::hand_over(const Departure& from, Arrival& at, const StepReport& so_far) {
  at.substep = 0;
  if (ClosedChain* chain = dynamics_.chain()) place_chain(from.state.q, from.state.v, from.state.time, *chain);
  StepReport report = other_.step(from, at);
  if (!report.ok() && !so_far.ok()) return so_far;
  report.handed_over = 1;
  report.events = so_far.events;
  reports.assign(other_.contacts().begin(), other_.contacts().end());
  return report;
}

bool EventDrivenStepper::Parts::advance(const Departure& from, Arrival& at, StepReport& report) {
  const double dt = plan_.dt, shortest = 16 * std::numeric_limits<double>::epsilon() * dt;
  const Inputs& inputs = from.inputs;
  StepSizeControl control;
  double done = 0, proposed = from.state.substep > 0 ? from.state.substep : dt;
  int at_once = 0;
  bool begins = true, first = true;
  const Mode* released = nullptr;
  while (true) {
    const double time = from.state.time + done;
    if (begins || first) {
      if (first) {
        if (!start_.find_set(dt, at, report)) return false;
        for (const Contact& c : start_.set().contacts) report.penetration = larger(report.penetration, -c.gap);
        sums_.start(start_.set().contacts);
      }
      if (!start_.begin(time, dt - done, inputs, released, at, sums_, report)) return false;
      first = begins = false;
      released = nullptr;
    }
    if (!start_.find_set(dt - done, at, report)) return false;
    report.contacts = 0;
    for (const ModeContact& m : start_.mode().contacts) report.contacts += m.hold != Hold::open;
    const SubstepStart start{time, at, inputs, start_.mode(), start_.set()};
    substep_.begin(start);
    if (!all_finite(substep_.first().vdot)) {
      report = not_finite(plan_.model, from, substep_.first().vdot, at);
      return false;
    }
    double h = 0, error = 0, parts = 1;
    while (true) {  // until the error is within the tolerances
      const double limit = limit_length(dt - done);
      parts = parts_of(dt - done, std::min(proposed, limit));
      h = (dt - done) / parts;
      if (report.substeps + report.rejected >= options_.max_substeps) {
        fail(StepStatus::step_too_small,
             "more than max_substeps substeps: the model is stiff, or the tolerance too tight", report);
        return false;
      }
      if (!(h > shortest) && parts > 1) {
        fail(StepStatus::step_too_small, "no substep meets the tolerance", report);
        return false;
      }
      substep_.take(start, h);
      error = dormand_prince_error(dynamics_, at, h, options_, substep_.stages());
      if (error <= 1) break;
      ++report.rejected;
      proposed = control.after_failure(h, error);
    }
    // Does the mode end within this substep?
    double violated = h * events_.first_touch_within(start, substep_, h);
    EventCheck event;
    if (violated < h) {
      substep_.take(start, violated);
      event = events_.at_end(start, substep_, violated);
      if (!event.violated) substep_.take(start, h);
    }
    if (!event.violated) {
      violated = h;
      event = events_.at_end(start, substep_, h);
    }
    double length = h;
    if (event.violated) {
      length = location_.find(start, violated, event);
    }
    ++report.substeps;
    substep_.apply(length, at, report, sums_);
    if (length < h) {
      done = std::min(done + length, dt);
    } else {
      const double next = control.after_success(h, error);
      if (h >= 0.5 * proposed) proposed = next;
      done = parts == 1 ? dt : done + h;
    }
    for (const double v : at.v)
      if (!(std::abs(v) < fastest)) {
        fail(StepStatus::runaway, "a speed beyond 1e8 m/s or rad/s: the motion has run away", report);
        return false;
      }
    const double now = from.state.time + done;
    if (event.violated || has_stopped()) {
      ++report.events;
      at_once = length > event_resolution * dt ? 0 : at_once + 1;
      if (report.events > plan_.options.max_splits || at_once > most_at_once) {
        gave_up_ = true;
        return false;
      }
      release(event);
      released = &released_;
      begins = true;
      if (done >= dt) {  // the new mode begins here, so that no step ends in an impact that has not happened
        if (!start_.begin(now, dt, inputs, released, at, sums_, report)) return false;
        break;
      }
      continue;
    }
    update_slides(event);
    start_.keep(now, inputs, at, report);
    if (done >= dt) break;
  }
  at.substep = proposed;
  return true;
}

double EventDrivenStepper::Parts::limit_length(double h) const {
  for (const ShapePair& pair : start_.set().found.pairs) {
    const MovingSphere& a = start_.set().motion[plan_.contacts.scene.shapes()[pair.a].frame];
    const MovingSphere& b = start_.set().motion[plan_.contacts.scene.shapes()[pair.b].frame];
    const double turn = norm(a.w - b.w), closing = closing_speed(a, b);
    if (turn > 0) h = std::min(h, most_turn / turn);
    const double thick = plan_.thickness[pair.a] + plan_.thickness[pair.b];
    if (closing > 0 && std::isfinite(thick)) h = std::min(h, most_approach * thick / closing);
  }
  return h;
}

// released_ becomes the mode with the conditions released that have ended it.
void EventDrivenStepper::Parts::release(const EventCheck& event) {
  released_ = start_.mode();
  const ModeForces& end = substep_.end();
  for (std::size_t i = 0; i < released_.contacts.size(); ++i) released_.contacts[i].at = end.contacts[i];
  if (event.what.kind != Watch::Kind::condition || !end.is_consistent) return;
  conditions_below(start_.mode(), end, released_together, faults_);
  for (const ModeFault& fault : faults_) {
    const bool slips = fault.kind == ModeFault::Kind::slips || fault.kind == ModeFault::Kind::dry_slips;
    const bool pulls = fault.kind == ModeFault::Kind::pulls || fault.kind == ModeFault::Kind::limit_pulls;
    // A contact that pulls opens, whatever its friction.
    if (pulls || (slips && (fault.kind == ModeFault::Kind::dry_slips ||
                            released_.contacts[std::size_t(fault.index)].hold != Hold::open)))
      pivot(fault, end, released_);
  }
}

// After a substep: directions of sliding, and contacts where they are now.
void EventDrivenStepper::Parts::update_slides(const EventCheck& event) {
  Mode& mode = start_.mode();
  const ModeForces& end = substep_.end();
  if (event.is_replaced) mode = events_.replacement();
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    m.at = end.contacts[i];
    const Vec3<double> slip = end.u[i] - dot(end.u[i], m.at.normal) * m.at.normal;
    if (m.hold != Hold::sliding || !(norm(slip) > slip_rest)) continue;
    m.slide = (1 / norm(slip)) * slip;
    m.incipient = false;
  }
  for (std::size_t i = 0; i < mode.dry.size(); ++i)
    if (mode.dry[i].sign != 0 && std::abs(substep_.v()[std::size_t(plan_.joints.frictional[i])]) > slip_rest)
      mode.dry[i].incipient = false;
  std::erase_if(mode.contacts,
                [&](const ModeContact& m) { return m.hold == Hold::open && m.at.gap > plan_.touch_gap(); });
  std::erase_if(mode.limits, [&](const ModeLimit& l) {
    return !l.closed && gap_of(plan_.joints.limits[l.limit], substep_.q()) > plan_.touch_gap();
  });
}

// In space a sliding velocity may reach zero without a change of its sign.
bool EventDrivenStepper::Parts::has_stopped() const {
  const ModeForces& end = substep_.end();
  const Mode& mode = start_.mode();
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const ModeContact& m = mode.contacts[i];
    if (m.hold != Hold::sliding || m.incipient || end.contacts[i].mu == 0) continue;
    if (norm(end.u[i] - dot(end.u[i], end.contacts[i].normal) * end.contacts[i].normal) < slip_rest) return true;
  }
  return false;
}

EventDrivenStepper::EventDrivenStepper(Dynamics& dynamics, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dynamics, options)) {}
EventDrivenStepper::~EventDrivenStepper() = default;
EventDrivenStepper::EventDrivenStepper(EventDrivenStepper&&) noexcept = default;

StepReport EventDrivenStepper::step(const Departure& from, Arrival& to) { return parts_->step(from, to); }
std::span<const ContactReport> EventDrivenStepper::contacts() const { return parts_->reports; }
std::span<const ContactReport> EventDrivenStepper::without_mode() const { return parts_->without_mode(); }

}  // namespace linchpin

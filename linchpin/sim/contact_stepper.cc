#include <algorithm>

#include "linchpin/geometry/shapes/bounds.h"
#include "linchpin/sim/contact_stepper_parts.h"

namespace linchpin {
namespace {

// Steps are not halved below this part of dt.
constexpr double most_halved = 32;
// Times that contacts are looked for again before a step is halved: one will do, hardly ever two.
constexpr int most_searches = 16;

constexpr double runaway_speed = 1e8;  // m/s or rad/s: no mechanism

}  // namespace

ContactStepper::Parts::Parts(Dynamics& d, const SimulationOptions& o)
    : dynamics(d),
      model(d.model),
      options(o.contact),
      dt(o.dt),
      trees(model),
      contact_plan(model),
      joint_plan(model),
      armature(model.nv(), 0.0),
      soft((implicit_armature(model, dt, true, armature), model), options.method, armature),
      bare(model, options.method, std::vector<double>(model.nv(), 0.0)),
      kin(bare.plan),
      kin_middle(bare.plan),
      vel(model),
      vel_after(model),
      set(contact_plan),
      wider(contact_plan),
      hasty(joint_plan.limits.size(), 0),
      q_eval(model.nq()),
      q_moved(model.nq()),
      step_v(model.nv()),
      v_after(model.nv()),
      tau(model.nv()),
      vdot(model.nv()),
      shift(model.nv()),
      zero(model.nv(), 0.0),
      has_rows(trees.count),
      asleep(trees.count),
      never_fixed(trees.count, 0) {
  check(
      options.directions != 2 || contact_plan.plane,
      "two directions of friction are for models that move in one plane, and this one does not: take 4 or more, or 0");
  if (!joint_plan.bounded_servos.empty()) {
    implicit_armature(model, dt, false, armature);
    firm = std::make_unique<Variant>(model, options.method, armature);
  }
  for (const SceneShape& shape : contact_plan.scene.shapes()) {
    const Aabb box = bounds(shape.shape, Transform<double>::identity());
    radius.push_back(0.5 * norm(box.upper - box.lower));
  }
}

StepReport ContactStepper::Parts::step(const Departure& from, Arrival& to) {
  StepReport report;
  std::ranges::copy(from.state.q, to.q.begin());
  std::ranges::copy(from.state.v, to.v.begin());
  if (!all_finite(to.q) || !all_finite(to.v) || !all_finite(from.inputs.tau) || !all_finite(from.inputs.f_ext))
    return not_finite(model, from, {}, to);
  if (!all_finite(from.inputs.controls)) {
    report.status = StepStatus::not_finite;
    report.reason = "a control is not finite";
    return report;
  }
  to.memory.assign(from.state.memory.begin(), from.state.memory.end());
  to.fresh = from.state.fresh;
  to.loose_steps = from.state.loose_steps;
  to.still.assign(from.state.still.begin(), from.state.still.end());
  std::ranges::fill(asleep, 0);
  sums.clear();
  double left = dt;
  for (int part = 0; left > 0; ++part) {
    place(from.state.time + dt - left, to.q, to.v);
    linchpin::find_contacts(model, contact_plan, kin, vel, left, set);
    if (too_many_contacts(report)) return report;
    if (part == 0)
      for (const Contact& c : set.contacts) report.penetration = std::max(report.penetration, -c.gap);
    bounces.assign(set.contacts.size(), 0);
    if (part == 0 && options.sleep_after > 0) find_sleepers(from, to, report);
    drop_sleepers();
    const bool may_split = part < options.max_splits;
    if (may_split && meets_impact()) {
      ++report.impacts;
      if (!solve_impacts(to, report)) return report;
      continue;
    }
    double h = may_split ? find_touch(from, to, left) : left;
    if (!solve(from, may_split, h, to, report)) return report;
    move(from, h, to, report);
    left = h < left ? left - h : 0;
  }
  finish_reports();
  if (options.sleep_after > 0) count_stillness(to);
  StepReport end = arrived(model, from, to);
  if (!end.ok()) return end;
  for (std::size_t k = 0; k < to.v.size(); ++k)
    if (std::abs(to.v[k]) > runaway_speed) {
      report.status = StepStatus::runaway;
      report.reason = "a speed beyond 1e8 m/s or rad/s: the motion has run away";
      for (const Joint& joint : model.joints())
        if (int(k) >= joint.v && int(k) < joint.v + joint.nv) report.body = joint.child;
      return report;
    }
  return report;
}

bool ContactStepper::Parts::too_many_contacts(StepReport& report) const {
  if (set.contacts.size() <= std::size_t(options.most_contacts)) return false;
  report.status = StepStatus::runaway;
  report.reason = "more contacts than most_contacts: shapes lie within each other, or speeds are too high for dt";
  return true;
}

void ContactStepper::Parts::place(double time, std::span<const double> q, std::span<const double> v) {
  kinematics<double>(bare.plan, q, kin);
  velocities(model, kin, v, vel);
  if (ClosedChain* chain = dynamics.chain()) place_chain(q, v, time, *chain);
  ++dynamics.evaluations;
}

// v_after of a part of the step, which may become shorter.
bool ContactStepper::Parts::solve(const Departure& from, bool may_split, double& h, Arrival& at, StepReport& report) {
  const double residual = report.residual;
  const int loose_before = report.loose, painleve = report.painleve;
  for (int searches = 0;;) {
    if (solve_settled(from, h, at, report)) {
      if (!find_missed(from, may_split, h, at, report)) return true;
      if (too_many_contacts(report)) return false;
      if (++searches % most_searches == 0) unsolved(report, "contacts come into reach within a step without end");
    }
    if (report.status != StepStatus::done) {  // a problem that resists is another one in half the time
      if (report.status != StepStatus::unsolved || h <= dt / most_halved) return false;
      report.status = StepStatus::done;
      report.reason = "";
      ++report.halved;
      h /= 2;
    }
    report.residual = residual;  // what is thrown away is no part of the step
    report.loose = loose_before;
    report.painleve = painleve;
  }
}

// By rows, and with more of them where what comes out asks for it.
bool ContactStepper::Parts::solve_settled(const Departure& from, double h, const Arrival& at, StepReport& report) {
  servos_are_soft = true;
  std::ranges::fill(hasty, 0);
  find_hasty(at, at.v, h, 0.99);  // what was at its limit is likely to be there still
  for (bool settled = false; !settled;) {
    if (!solve_rows(from, at, h, servos_are_soft, report)) return false;
    settled = true;
    if (servos_are_soft && firm && !within_servo_limits(from.inputs, at.q, h))
      settled = servos_are_soft = false;                        // now as rows
    if (find_hasty(at, v_after, h, 1 + 1e-9)) settled = false;  // the same
  }
  return true;
}

// What has been solved happens.
void ContactStepper::Parts::move(const Departure& from, double h, Arrival& at, StepReport& report) {
  count_work(from.inputs, at.q, at.v, h, servos_are_soft, report);
  if (rows.rows.size() > 0) {
    report.contact_loss += add_losses(h, report);
    collect();
    remember(rows, set.contacts, impulses, h, at.memory);
    at.fresh = fresh;
    at.loose_steps = loose ? at.loose_steps + 1 : 0;
  } else {
    at.memory.clear();
  }
  report.contacts = 0;
  for (const RowOwner& owner : rows.owner) report.contacts += owner.kind == RowOwner::Kind::contact;
  const bool sunk = is_sunk(at.q) && put_back(at, h, report);
  // (3) and (4); place_middle() has moved the trees of (4) half of the way.
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const double part = has_rows[trees.of_link[i]] ? h : 0.5 * h;
    for (int k = link.v; k < link.v + link.nv; ++k) step_v[k] = part * v_after[k];
  }
  std::ranges::copy(q_eval, at.q.begin());
  integrate(model, step_v, at.q);
  std::ranges::copy(v_after, at.v.begin());
  if (!sunk) return;
  report.projected -= dynamics.stored(at.q, at.v);
  integrate(model, shift, at.q);  // (6)
  report.projected += dynamics.stored(at.q, at.v);
}

ContactStepper::ContactStepper(Dynamics& dynamics, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dynamics, options)) {}
ContactStepper::~ContactStepper() = default;
ContactStepper::ContactStepper(ContactStepper&&) noexcept = default;
StepReport ContactStepper::step(const Departure& from, Arrival& to) { return parts_->step(from, to); }
std::span<const ContactReport> ContactStepper::contacts() const { return parts_->reports; }

}  // namespace linchpin

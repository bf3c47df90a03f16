#include "linchpin/sim/position_level/position_level.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linchpin/base/larger.h"
#include "linchpin/sim/position_level/held_forces.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/interval_solver.h"

namespace linchpin {
namespace {

bool is_zero(const std::array<double, 3>& x) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

}  // namespace

struct PositionLevelStepper::Parts {
  Parts(Dynamics& d, const SimulationOptions& o)
      : dynamics_(d),
        higher_order_(*o.stepper == Stepper::higher_order),
        plan_(d.model, o),
        interval_solver_(plan_),
        held_(plan_),
        stages_(d, std::max<int>(1, int(explicit_method(o.order).size()))),
        placed_(plan_.model, plan_.plan),
        stage_placed_(plan_.model, plan_.plan),
        set_(plan_.contacts),
        free_(plan_.model),
        solved_(plan_.model),
        asleep_(plan_.trees.count, 0),
        step_(plan_.model.nv()) {}

  StepReport step(const Departure& from, Arrival& at);

 private:
  bool find_contacts(StepReport& report);
  void begin_second_phase(const Arrival& at);
  Inputs release(const Inputs& inputs);
  void add_held_impulses();
  void account_for_restitution(StepReport& report) const;
  void mark_first_phase(const Arrival& before, std::vector<RowMemory>& memory) const;
  StepReport move(const Departure& from, Arrival& at);
  void hold_impulses(const Arrival& at);

  Dynamics& dynamics_;
  const bool higher_order_;
  const StepPlan plan_;
  IntervalSolver interval_solver_;
  HeldForces held_;
  Stages stages_;
  ContactSums sums_;

  Placed placed_, stage_placed_;
  ContactSet set_;
  IdleRows idle_;
  FreeMotion free_;  // never known: every contact has a row
  Solved solved_;
  ProblemWorkspace problem_;
  std::vector<char> asleep_;  // none is
  std::vector<double> step_;
  std::vector<RowMemory> memory_;
  // Per contact: its second phase.
  struct SecondPhase {
    Vec3<double> first = Vec3<double>::zero();  // z1, N s, in the contact's frame
    double first_work = 0;                      // of z1, J
    Vec3<double> held = Vec3<double>::zero();   // z_c + r of (5), N s
  };
  std::vector<SecondPhase> second_;
  std::vector<Rebound> rebound_;  // per contact, for the interval; empty if there is none

 public:
  std::vector<ContactReport> reports;
};

bool PositionLevelStepper::Parts::find_contacts(StepReport& report) {
  if (!linchpin::find_contacts(plan_.model, plan_.contacts, placed_.kin, placed_.vel, plan_.dt, set_))
    return fail(StepStatus::not_finite,
                "the distance that a body travels within the step is beyond the range of numbers", report);
  for (const Contact& c : set_.contacts) report.penetration = larger(report.penetration, -c.gap);
  if (int(set_.contacts.size()) > plan_.options.most_contacts)
    return fail(StepStatus::runaway,
                "more contacts than most_contacts: shapes lie within each other, or speeds are too high for dt",
                report);
  return true;
}

// (4), and the first problem of (5), for contacts that closed in the last step.
void PositionLevelStepper::Parts::begin_second_phase(const Arrival& at) {
  const double e_T = plan_.options.tangential_restitution, h = plan_.dt;
  second_.assign(set_.contacts.size(), {});
  rebound_.clear();
  for (std::size_t i = 0; i < set_.contacts.size(); ++i) {
    const Contact& c = set_.contacts[i];
    const RowMemory* m = memory_of(c, at.memory);
    if (!m || is_zero(m->approach)) continue;
    const Vec3<double> u = relative_velocity(c, placed_.kin, placed_.vel);
    SecondPhase& phase = second_[i];
    phase.first = {h * m->force[0], h * m->force[1], h * m->force[2]};
    phase.first_work = 0.5 * (phase.first.x * (m->approach[0] + u.x) + phase.first.y * (m->approach[1] + u.y) +
                              c.across * phase.first.z * (m->approach[2] + u.z));
    rebound_.resize(set_.contacts.size());
    rebound_[i].is_on = true;
    if (plan_.options.restitution == Restitution::newton)
      rebound_[i].offset = {c.restitution * m->approach[0], e_T * m->approach[1], e_T * m->approach[2]};  // (4)
  }
}

// (5): holds z_c + r as forces over the step, from the solution of its first problem.
Inputs PositionLevelStepper::Parts::release(const Inputs& inputs) {
  const double e_T = plan_.options.tangential_restitution;
  held_.clear();
  for (std::size_t b = 0; b < solved_.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved_.rows.owner[b];
    if (kind != RowOwner::Kind::contact || !rebound_[index].is_on) continue;
    const Contact& c = set_.contacts[index];
    const Block& block = solved_.rows.rows.blocks[b];
    const double* z = solved_.impulses.data() + block.start;
    SecondPhase& phase = second_[index];
    phase.held = {z[0] + c.restitution * (phase.first.x + z[0]), 0, 0};
    if (block.kind == BlockKind::cone) {
      phase.held.y = z[1] + e_T * (phase.first.y + z[1]);
      phase.held.z = z[2] + e_T * (phase.first.z + z[2]);
    }
    const Vec3<double>& p = phase.held;
    held_.add_contact(c, placed_.kin, (1 / plan_.dt) * (p.x * c.normal + p.y * c.t1 + (c.across * p.z) * c.t2));
  }
  return held_.with(inputs, placed_.kin);
}

void PositionLevelStepper::Parts::add_held_impulses() {
  for (std::size_t b = 0; b < solved_.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved_.rows.owner[b];
    if (kind != RowOwner::Kind::contact) continue;
    const Block& block = solved_.rows.rows.blocks[b];
    const Vec3<double>& p = second_[index].held;
    solved_.impulses[block.start] += p.x;
    if (block.kind != BlockKind::cone) continue;
    solved_.impulses[block.start + 1] += p.y;
    solved_.impulses[block.start + 2] += p.z;
  }
}

// Takes what restitution gave back out of contact_loss, and what was added to the energy into its own figures.
void PositionLevelStepper::Parts::account_for_restitution(StepReport& report) const {
  double lost_before = 0, given = 0;
  for (std::size_t b = 0; b < solved_.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved_.rows.owner[b];
    if (kind != RowOwner::Kind::contact) continue;
    const Block& block = solved_.rows.rows.blocks[b];
    double work = 0;
    for (int r = block.start; r < block.start + block.size; ++r)
      work += 0.5 * solved_.impulses[r] * (solved_.rates.before[r] + solved_.rates.after[r]);
    if (!rebound_.empty() && rebound_[index].is_on) {
      lost_before -= second_[index].first_work;
      given += work;
    } else if (set_.contacts[index].gap < 0 && work > 0) {
      report.pushed_out += work;
    }
  }
  if (!(given > 0)) return;
  const double back = std::min(given, std::max(lost_before, 0.0));
  report.restituted += back;
  report.contact_loss += back;
  report.restitution_gain += given - back;
}

// Stores u- of the contacts that closed, for the second phase. `before`: with the memory of the last step.
void PositionLevelStepper::Parts::mark_first_phase(const Arrival& before, std::vector<RowMemory>& memory) const {
  for (std::size_t b = 0; b < solved_.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved_.rows.owner[b];
    if (kind != RowOwner::Kind::contact || solved_.impulses[solved_.rows.rows.blocks[b].start] <= 0) continue;
    const Contact& c = set_.contacts[index];
    if ((c.restitution == 0 && plan_.options.tangential_restitution == 0) || carried_force(c, before.memory)) continue;
    const Vec3<double> u = relative_velocity(c, placed_.kin, placed_.vel);
    if (!(-u.x > plan_.options.impact_speed)) continue;
    const auto found = std::ranges::find(memory, memory_key(c), &RowMemory::key);
    if (found != memory.end()) found->approach = {u.x, u.y, u.z};
  }
}

// z / h of contacts, limits and dry friction; all other forces are evaluated by the stages.
void PositionLevelStepper::Parts::hold_impulses(const Arrival& at) {
  const double h = plan_.dt;
  held_.clear();
  for (std::size_t b = 0; b < solved_.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved_.rows.owner[b];
    const Block& block = solved_.rows.rows.blocks[b];
    const double* z = solved_.impulses.data() + block.start;
    if (kind == RowOwner::Kind::contact) {
      const Contact& c = set_.contacts[index];
      Vec3<double> p = z[0] * c.normal;
      if (block.kind == BlockKind::cone) p = p + z[1] * c.t1 + (c.across * z[2]) * c.t2;
      held_.add_contact(c, placed_.kin, (1 / h) * p);
    } else if (kind == RowOwner::Kind::limit) {
      const JointLimit& limit = plan_.joints.limits[index];
      const Link& link = plan_.model.links()[plan_.joints.link[limit.coordinate]];
      for (int k = link.v; k < link.v + link.nv; ++k) {
        std::ranges::fill(step_, 0);
        step_[k] = 1;
        held_.add_coordinate(k, z[0] / h * rate_of(limit, at.q, step_));
      }
    } else if (kind == RowOwner::Kind::dry_friction) {
      held_.add_coordinate(index, z[0] / h);
    }
  }
}

// (3), or the Runge-Kutta method.
StepReport PositionLevelStepper::Parts::move(const Departure& from, Arrival& at) {
  if (!higher_order_) {
    std::ranges::copy(solved_.v, at.v.begin());
    linchpin::move(plan_.model, from.state.q, plan_.dt, at.v, step_, at.q);
    for (double& reaction : at.reactions) reaction /= plan_.dt;
    return arrived(plan_.model, from, at);
  }
  hold_impulses(at);
  StepReport report = integrate_with(held_, plan_, dynamics_, from, stages_, stage_placed_, at);
  std::size_t i = 0;
  for (const RowOwner& owner : solved_.rows.owner) {
    if (owner.kind != RowOwner::Kind::contact) continue;
    const HeldForces::Work& work = held_.work()[i++];
    report.friction_gain += std::max(work.friction, 0.0);
    if (set_.contacts[owner.index].gap < 0) report.pushed_out += std::max(work.normal, 0.0);
  }
  report.contact_loss = -held_.total_work();
  return report;
}

StepReport PositionLevelStepper::Parts::step(const Departure& from, Arrival& at) {
  const Inputs& inputs = from.inputs;
  StepReport report;
  report.unresolved = plan_.unresolved_energy;
  at.start_from(from.state);
  at.vdot.clear();
  if (!all_finite(at.q) || !all_finite(at.v) || !all_finite(inputs.tau) || !all_finite(inputs.f_ext))
    return not_finite(plan_.model, from, {}, at);
  ++dynamics_.evaluations;
  place(plan_.model, plan_.plan, at.q, at.v, placed_);
  ClosedChain* chain = dynamics_.chain();
  if (chain)
    evaluate_rows(plan_.model, chain->constraints, placed_.kin, placed_.vel, at.q, at.v, from.state.time, chain->rows);
  if (!find_contacts(report)) return report;
  sums_.start(set_.contacts);
  idle_.limits.assign(plan_.joints.limits.size(), 0);
  idle_.contacts.assign(set_.contacts.size(), 0);
  begin_second_phase(at);

  Interval interval{inputs, at, placed_, chain, set_, idle_, from.state.time, plan_.dt};
  interval.rebound = rebound_;
  const auto solve = [&](const Interval& posed) {
    const char* failure = interval_solver_.solve(posed, free_, asleep_, problem_, solved_);
    solved_.effort.add_to(report);
    solved_.quality.add_to(report);
    return failure ? fail(StepStatus::unsolved, failure, report) : true;
  };
  if (!solve(interval)) return report;
  if (!rebound_.empty() && plan_.options.restitution == Restitution::poisson) {
    const Inputs with_release = release(inputs);
    Interval second{with_release, at, placed_, chain, set_, idle_, from.state.time, plan_.dt};
    second.rebound = rebound_;
    if (!solve(second)) return report;
    add_held_impulses();
  }
  if (!higher_order_) count_work(plan_, interval, solved_, report);
  std::ranges::fill(at.reactions, 0);
  if (solved_.rows.rows.size() > 0) {
    StepReport rows_only;  // higher_order has its own account
    const double loss =
        energy_lost(plan_, solved_.rows, solved_.impulses, solved_.rates, plan_.dt, higher_order_ ? rows_only : report);
    report.cone_violation = larger(report.cone_violation, rows_only.cone_violation);
    if (!higher_order_) report.contact_loss = loss;
    if (!higher_order_) account_for_restitution(report);
    sums_.add(solved_.rows, interval_solver_.contacts(), solved_.impulses, solved_.rates);
    add_loop_impulses(plan_, solved_.rows, solved_.impulses, asleep_, at.reactions);
    remember(solved_.rows, set_.contacts, solved_.impulses, plan_.dt, memory_);
    if (!higher_order_) mark_first_phase(at, memory_);
    at.memory.assign(memory_.begin(), memory_.end());
    at.fresh = solved_.iterated;
    at.loose_steps = solved_.loose ? at.loose_steps + 1 : 0;
  } else {
    at.memory.clear();
  }
  report.contacts = int(std::ranges::count(solved_.rows.owner, RowOwner::Kind::contact, &RowOwner::kind));
  sums_.report(plan_.model, plan_.dt, reports);
  const StepReport moved = move(from, at);
  if (!moved.ok()) return moved;
  report.overrun = overrun_of(plan_.joints.limits, at.q);
  if (higher_order_) {
    report.work = moved.work;
    report.dissipated = moved.dissipated;
    report.contact_loss = moved.contact_loss;
    report.pushed_out = moved.pushed_out;
    report.friction_gain = moved.friction_gain;
  }
  return report;
}

PositionLevelStepper::PositionLevelStepper(Dynamics& dynamics, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(dynamics, options)) {}
PositionLevelStepper::~PositionLevelStepper() = default;
PositionLevelStepper::PositionLevelStepper(PositionLevelStepper&&) noexcept = default;
StepReport PositionLevelStepper::step(const Departure& from, Arrival& to) { return parts_->step(from, to); }
std::span<const ContactReport> PositionLevelStepper::contacts() const { return parts_->reports; }

}  // namespace linchpin

#include "linchpin/sim/time_stepping/interval_rows.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

void add_springs(const StepPlan& plan, const Interval& interval, StepRows& out) {
  for (int s = 0; s < int(plan.model.springs().size()); ++s) {
    const std::size_t before = out.rows.blocks.size();
    add_spring_row(plan.model, interval.placed.kin, s, interval.h, out.rows);
    if (out.rows.blocks.size() > before) out.add_owner(RowOwner::Kind::spring, s);
  }
}

void add_contacts(const StepPlan& plan, const Interval& interval, StepRows& out) {
  for (int i = 0; i < int(interval.contacts.size()); ++i) {
    if (interval.idle.contacts[i]) continue;
    const Contact& c = interval.contacts[i];
    add_contact(c, interval.placed.kin, plan.gap_to_close(c.gap) / interval.h, out.rows);  // (2) of contact_stepper.h
    out.add_owner(RowOwner::Kind::contact, i);
  }
}

void add_limits(const StepPlan& plan, const Interval& interval, const RowChoice& choice, StepRows& out) {
  const std::span<const double> q = interval.start.q;
  for (int i = 0; i < int(plan.joints.limits.size()); ++i) {
    const JointLimit& limit = plan.joints.limits[i];
    if (!choice.limit_active[i] && (interval.idle.limits[i] || !is_near(limit, interval))) continue;
    const double speed = std::min(plan.gap_to_close(gap_of(limit, q)) / interval.h, limit.speed);
    add_limit(plan, interval.placed, i, q, speed, out);
  }
}

void add_dry_friction(const StepPlan& plan, const Interval& interval, StepRows& out) {
  for (const int k : plan.joints.frictional) {
    add_friction_row(plan.model, plan.joints, interval.placed.kin, interval.placed.vel, k, interval.h, out.rows);
    out.add_owner(RowOwner::Kind::dry_friction, k);
  }
}

void add_bounded_servos(const StepPlan& plan, const Interval& interval, StepRows& out) {
  for (const int a : plan.joints.bounded_servos) {
    const double u = control_of(plan.model, interval.inputs.controls, a);
    const double q = interval.start.q[plan.model.actuators()[a].q];
    add_servo_row(plan.model, plan.joints, interval.placed.kin, interval.placed.vel, a, u, q, interval.h, out.rows);
    out.add_owner(RowOwner::Kind::servo, a);
  }
}

}  // namespace

bool is_near(const JointLimit& limit, const Interval& interval) {
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  return gap_of(limit, q) < 2 * interval.h * std::abs(rate_of(limit, q, v)) + limit_margin;
}

void add_limit(const StepPlan& plan, const Placed& placed, int limit, std::span<const double> q, double speed,
               StepRows& out) {
  add_limit_row(plan.model, plan.joints, placed.kin, placed.vel, plan.joints.limits[limit], q, speed, out.rows);
  out.add_owner(RowOwner::Kind::limit, limit);
}

bool mark_violated_limits(const StepPlan& plan, const Interval& interval, std::span<const double> v,
                          std::span<const double> v_mean, double share, RowChoice& choice) {
  const std::span<const double> q = interval.start.q;
  bool found = false;
  for (std::size_t i = 0; i < plan.joints.limits.size(); ++i) {
    const JointLimit& limit = plan.joints.limits[i];
    const bool too_fast = limit.speed != unlimited && -rate_of(limit, q, v) > share * limit.speed;
    const bool passed = -interval.h * rate_of(limit, q, v_mean) > plan.gap_to_close(gap_of(limit, q)) &&
                        (interval.idle.limits[i] || !is_near(limit, interval));
    if (choice.limit_active[i] || !(too_fast || passed)) continue;
    choice.limit_active[i] = 1;
    found = true;
  }
  return found;
}

bool within_servo_limits(const StepPlan& plan, const Interval& interval, std::span<const double> v) {
  return std::ranges::all_of(plan.joints.bounded_servos, [&](int a) {
    const Actuator& actuator = plan.model.actuators()[a];
    const double u = control_of(plan.model, interval.inputs.controls, a);
    const double f = servo_force(actuator, u, interval.start.q[actuator.q], v[actuator.v], interval.h);
    return f >= actuator.lower && f <= actuator.upper;
  });
}

void gather_rows(const StepPlan& plan, const Interval& interval, const RowChoice& choice, StepRows& out) {
  out.clear();
  if (interval.chain) add_loop_rows(interval.chain->constraints, interval.chain->rows, out);
  add_springs(plan, interval, out);
  add_contacts(plan, interval, out);
  add_limits(plan, interval, choice, out);
  add_dry_friction(plan, interval, out);
  if (choice.servos_as_rows) add_bounded_servos(plan, interval, out);
}

}  // namespace linchpin

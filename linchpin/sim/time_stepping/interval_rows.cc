#include "linchpin/sim/time_stepping/interval_rows.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

bool slides(const Vec3<double>& u) { return std::hypot(u.y, u.z) > slip_speed; }

void add_springs(const StepPlan& plan, const Interval& interval, const Midpoint& middle, StepRows& out) {
  for (int s = 0; s < int(plan.model.springs().size()); ++s) {
    const Spring& spring = plan.model.springs()[s];
    const auto is_ahead = [&](const Attachment& end) { return middle.is_ahead(plan.model.bodies()[end.body].link); };
    const double ahead = is_ahead(spring.a) || is_ahead(spring.b) ? 0.5 * interval.h : 0;
    if (add_spring_row(plan.model, interval.placed.kin, interval.placed.vel, middle.placed().kin, middle.placed().vel,
                       s, plan.weights.spring[s], interval.h, out.rows))
      out.add_owner(RowOwner::Kind::spring, s);
    if (!plan.is_trapezoidal) continue;
    const StepPlan::Sway sway = plan.sway_of(s, interval.placed.kin, interval.h);
    if (sway.stiffness == 0) continue;
    add_sway_rows(plan.model, middle.placed().kin, middle.placed().vel, s, ahead, sway.theta, sway.stiffness,
                  interval.h, out.rows);
    out.add_owner(RowOwner::Kind::sway, s);
  }
}

void add_dampers(const StepPlan& plan, const Interval& interval, const Midpoint& middle, StepRows& out) {
  for (const int k : plan.damper_rows) {
    const double factor = plan.damper_factor(k, interval.h);
    if (factor == 0) continue;
    add_damper_row(plan.model, plan.joints, middle.placed().kin, middle.placed().vel, k, interval.start.v[k], factor,
                   out.rows);
    out.add_owner(RowOwner::Kind::damper, k);
  }
}

// (1) to (4).
Vec3<double> offsets(const StepPlan& plan, const Interval& interval, const Midpoint& middle, const Solved& solved,
                     int i) {
  const Contact &c = interval.contacts[i], &m = middle.contacts()[i];
  const double gap = plan.gap_to_close(c.gap), h = interval.h;
  if (!interval.rebound.empty() && interval.rebound[i].is_on) return interval.rebound[i].offset;
  if (!middle.is_ahead(c.link_a) && !middle.is_ahead(c.link_b)) return {gap / h, 0, 0};  // (1)
  const Vec3<double> u = relative_velocity(c, interval.placed.kin, interval.placed.vel);
  const Vec3<double> u_m = relative_velocity(m, middle.placed().kin, middle.placed().vel);
  if (!solved.lasts[i]) return {2 * gap / h + u.x, 0, 0};  // (2)
  const double normal = u_m.x - u.x + 0.5 * std::max(c.gap - plan.touch_gap(), 0.0) / h;
  if (slides(u) && !solved.choice.slip_ends[i]) return {normal, u_m.y, u_m.z};  // (3)
  const Vec3<double> tangential = u.y * c.t1 + u.z * c.t2;
  return {normal, u_m.y - dot(m.t1, tangential), u_m.z - dot(m.t2, tangential)};  // (4)
}

void add_contacts(const StepPlan& plan, const Interval& interval, const Midpoint& middle, Solved& solved) {
  StepRows& out = solved.rows;
  for (int i = 0; i < int(interval.contacts.size()); ++i) {
    if (interval.idle.contacts[i] || solved.choice.no_lever[i]) continue;
    const Contact& c = middle.contacts()[i];
    const Vec3<double> offset = offsets(plan, interval, middle, solved, i);
    const bool ahead = middle.is_ahead(c.link_a) || middle.is_ahead(c.link_b);
    if (ahead && !solved.lasts[i])
      add_normal(c, middle.placed().kin, offset.x, out.rows);  // (2): if it closes, it is solved again by (1)
    else
      add_contact(c, middle.placed().kin, offset, out.rows);
    out.add_owner(RowOwner::Kind::contact, i);
  }
}

// The speed at which a limit may be approached, (1) of joint_rows.h: (1), (2) or (4) here, and its own speed limit.
double approach_speed(const StepPlan& plan, const Interval& interval, const Midpoint& middle, const JointLimit& limit) {
  const std::span<const double> q = interval.start.q, v = interval.start.v;
  const double gap = plan.gap_to_close(gap_of(limit, q)), h = interval.h, rate = rate_of(limit, q, v);
  const double theta = plan.weights.coordinate[limit.coordinate];
  const bool ahead = middle.is_ahead(plan.joints.link[limit.coordinate]);
  const double by_position = !ahead    ? gap / h
                             : gap > 0 ? (gap / h + (1 - theta) * rate) / theta
                                       : rate_of(limit, middle.q(), v) - rate;
  return std::min(by_position, limit.speed);
}

void add_limits(const StepPlan& plan, const Interval& interval, const Midpoint& middle, const RowChoice& choice,
                StepRows& out) {
  for (int i = 0; i < int(plan.joints.limits.size()); ++i) {
    const JointLimit& limit = plan.joints.limits[i];
    if (!choice.limit_active[i] && (interval.idle.limits[i] || !is_near(limit, interval))) continue;
    add_limit(plan, middle.placed(), i, middle.q(), approach_speed(plan, interval, middle, limit), out);
  }
}

void add_dry_friction(const StepPlan& plan, const Interval& interval, const Midpoint& middle, const RowChoice& choice,
                      StepRows& out) {
  for (std::size_t i = 0; i < plan.joints.frictional.size(); ++i) {
    const int k = plan.joints.frictional[i];
    const double v = interval.start.v[k];
    const bool mean = middle.is_ahead(plan.joints.link[k]) && std::abs(v) > slip_speed && !choice.dry_slip_ends[i];
    add_friction_row(plan.model, plan.joints, middle.placed().kin, middle.placed().vel, k, mean ? v : 0, interval.h,
                     out.rows);  // (3), (4)
    out.add_owner(RowOwner::Kind::dry_friction, k);
  }
}

void add_bounded_servos(const StepPlan& plan, const Interval& interval, const Midpoint& middle, StepRows& out) {
  for (const int a : plan.joints.bounded_servos) {
    const Actuator& actuator = plan.model.actuators()[a];
    const double u = control_of(plan.model, interval.inputs.controls, a);
    add_servo_row(plan.model, plan.joints, middle.placed().kin, middle.placed().vel, a, u, interval.start.q[actuator.q],
                  interval.start.v[actuator.v], plan.weights.coordinate[actuator.v], interval.h, out.rows);
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
    const double u = control_of(plan.model, interval.inputs.controls, a), theta = plan.weights.coordinate[actuator.v];
    const double v_theta = (1 - theta) * interval.start.v[actuator.v] + theta * v[actuator.v];
    const double f = servo_force(actuator, u, interval.start.q[actuator.q], v_theta, theta * interval.h);
    return f >= actuator.lower && f <= actuator.upper;
  });
}

bool mark_ended_slip(const StepPlan& plan, const Interval& interval, const Midpoint& middle, Solved& solved) {
  RowChoice& choice = solved.choice;
  bool found = false;
  // The sliding velocity changes linearly from `before`, against itself by `back`.
  const auto mark = [&](char& ends, double before, double back) {
    ends = 1;
    found = true;
    solved.slip_end = std::min(solved.slip_end, interval.h * before / (before + back));
  };
  for (std::size_t b = 0; b < solved.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved.rows.owner[b];
    const Block& block = solved.rows.rows.blocks[b];
    const double* before = solved.rates.before.data() + block.start;
    const double* after = solved.rates.after.data() + block.start;
    if (kind == RowOwner::Kind::contact && block.kind == BlockKind::cone && !choice.slip_ends[index]) {
      const Contact& c = interval.contacts[index];
      const bool mean = (middle.is_ahead(c.link_a) || middle.is_ahead(c.link_b)) && solved.lasts[index] &&
                        slides(relative_velocity(c, interval.placed.kin, interval.placed.vel));
      const double along = before[1] * after[1] + before[2] * after[2], slip = std::hypot(before[1], before[2]);
      if (mean && solved.impulses[block.start] > 0 && !(along > 0)) mark(choice.slip_ends[index], slip, -along / slip);
    } else if (kind == RowOwner::Kind::dry_friction && solved.rows.rows.offset[block.start] != 0) {
      const auto i = std::ranges::find(plan.joints.frictional, index) - plan.joints.frictional.begin();
      if (!(before[0] * after[0] > 0)) mark(choice.dry_slip_ends[i], std::abs(before[0]), std::abs(after[0]));
    }
  }
  return found;
}

// Friction at its bound that pushes along the sliding at the start: it opposes sliding the other way.
bool slips_back(const StepPlan& plan, const Solved& solved) {
  constexpr double bound = 1 - 1e-6;  // far above the error of a solution
  for (std::size_t b = 0; b < solved.rows.owner.size(); ++b) {
    const auto& [kind, index] = solved.rows.owner[b];
    const Block& block = solved.rows.rows.blocks[b];
    const double* z = solved.impulses.data() + block.start;
    const double* before = solved.rates.before.data() + block.start;
    if (kind == RowOwner::Kind::contact && block.kind == BlockKind::cone && solved.choice.slip_ends[index]) {
      if (std::hypot(z[1], z[2]) >= bound * block.mu * z[0] && z[1] * before[1] + z[2] * before[2] > 0) return true;
    } else if (kind == RowOwner::Kind::dry_friction) {
      const auto i = std::ranges::find(plan.joints.frictional, index) - plan.joints.frictional.begin();
      const double most = solved.rows.rows.upper[block.start];
      if (solved.choice.dry_slip_ends[i] && std::abs(z[0]) >= bound * most && z[0] * before[0] > 0) return true;
    }
  }
  return false;
}

void gather_rows(const StepPlan& plan, const Interval& interval, const Midpoint& middle, Solved& solved) {
  StepRows& out = solved.rows;
  const RowChoice& choice = solved.choice;
  out.clear();
  if (interval.chain) add_loop_rows(interval.chain->constraints, *middle.loops(), middle.loop_changes(), out);
  add_springs(plan, interval, middle, out);
  add_dampers(plan, interval, middle, out);
  add_contacts(plan, interval, middle, solved);
  add_limits(plan, interval, middle, choice, out);
  add_dry_friction(plan, interval, middle, choice, out);
  if (choice.servos_as_rows) add_bounded_servos(plan, interval, middle, out);
}

}  // namespace linchpin

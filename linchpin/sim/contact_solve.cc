// The rows of a part of a step, their problem and its solution: (1), (2) and (6) of contact_stepper.h.
#include <algorithm>

#include "linchpin/sim/contact_stepper_parts.h"

namespace linchpin {
namespace {

// What the solvers may leave it at. A problem that stays loose spoils the guess of the next one. So they are not to
// stop at what is just acceptable unless the last problem ended there as well: then trying hard is likely to be in vain.
// After 4, 16, 64, ... such steps in a row one is given all that they have: if that does it, those after it are easy.
double good_enough(const ContactOptions& o, int loose_steps) {
  if (loose_steps == 0) return std::min(o.acceptable, 100 * o.tolerance);
  int power = 4;
  while (power < loose_steps) power *= 4;
  return loose_steps == power ? 0 : o.acceptable;
}

}  // namespace

void ContactStepper::Parts::add_limit(int limit, std::span<const double> q, double offset, StepRows& to) const {
  add_limit_row(model, joint_plan, kin, vel, joint_plan.limits[limit], q, offset, to.rows);
  to.add_owner(RowOwner::Kind::limit, limit);
}

// Limits that a step has to do with, as far as the speeds tell that it begins with.
bool ContactStepper::Parts::is_near(const JointLimit& limit, std::span<const double> q, std::span<const double> v,
                                    double h) const {
  return gap_of(limit, q) < 2 * h * std::abs(rate_of(limit, q, v)) + limit_margin;
}

// Marks limits that are approached faster than this share of what is allowed, or that would be passed without having been
// near: v is how it moves, before or after. Are there new ones?
bool ContactStepper::Parts::find_hasty(const Arrival& at, std::span<const double> v, double h, double share) {
  bool found = false;
  for (std::size_t i = 0; i < joint_plan.limits.size(); ++i) {
    const JointLimit& limit = joint_plan.limits[i];
    const double closing = -rate_of(limit, at.q, v);
    const bool too_fast = limit.speed != unlimited && closing > share * limit.speed;
    const bool passed = h * closing > gap_of(limit, at.q) && !is_near(limit, at.q, at.v, h);
    if (hasty[i] || !(too_fast || passed)) continue;
    hasty[i] = 1;
    found = true;
  }
  return found;
}

// In the order that their memory is kept in, but that loops and springs come first.
void ContactStepper::Parts::gather_rows(const Inputs& inputs, std::span<const double> q, std::span<const double> v,
                                        double h, bool servos) {
  rows.clear();
  if (ClosedChain* chain = dynamics.chain()) add_loop_rows(chain->constraints, chain->rows, rows);
  for (int s = 0; s < int(model.springs().size()); ++s) {
    const std::size_t before = rows.rows.blocks.size();
    add_spring_row(model, kin, s, h, rows.rows);
    if (rows.rows.blocks.size() > before) rows.add_owner(RowOwner::Kind::spring, s);
  }
  for (int i = 0; i < int(set.contacts.size()); ++i) {
    if (bounces[i]) continue;
    const Contact& c = set.contacts[i];
    add_contact(c, kin, open(c.gap) / h, rows.rows);  // (2)
    rows.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(joint_plan.limits.size()); ++i) {
    const JointLimit& limit = joint_plan.limits[i];
    if (hasty[i] || is_near(limit, q, v, h)) add_limit(i, q, std::min(open(gap_of(limit, q)) / h, limit.speed), rows);
  }
  for (const int k : joint_plan.frictional) {
    add_friction_row(model, joint_plan, kin, vel, k, h, rows.rows);
    rows.add_owner(RowOwner::Kind::dry_friction, k);
  }
  if (servos) return;
  for (const int a : joint_plan.bounded_servos) {
    const Actuator& actuator = model.actuators()[a];
    const double u = control_of(model, inputs.controls, std::size_t(a));
    add_servo_row(model, joint_plan, kin, vel, a, u, q[actuator.q], h, rows.rows);
    rows.add_owner(RowOwner::Kind::servo, a);
  }
}

void ContactStepper::Parts::find_row_trees() {
  std::ranges::fill(has_rows, 0);
  for (const RowSide& side : rows.rows.sides) has_rows[trees.of_link[side.link]] = 1;
}

// Where forces are evaluated: (4) in the middle for trees without rows.
void ContactStepper::Parts::place_middle(std::span<const double> q, std::span<const double> v, double h) {
  std::ranges::copy(q, q_eval.begin());
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const double part = has_rows[trees.of_link[i]] ? 0 : 0.5 * h;
    for (int k = link.v; k < link.v + link.nv; ++k) step_v[k] = part * v[k];
  }
  integrate(model, step_v, q_eval);
}

void ContactStepper::Parts::gather_forces(const Inputs& inputs, std::span<const double> q, std::span<const double> v,
                                          double h, bool servos) {
  if (inputs.tau.empty())
    std::ranges::fill(tau, 0);
  else
    std::ranges::copy(inputs.tau, tau.begin());
  add_implicit_forces(model, joint_plan, q, v, inputs.controls, h, servos, q_moved, step_v, tau);
}

// v_after and impulses from (1) and (2).
bool ContactStepper::Parts::solve_rows(const Departure& from, const Arrival& at, double h, bool servos,
                                       StepReport& report) {
  gather_rows(from.inputs, at.q, at.v, h, servos);
  find_row_trees();
  gather_forces(from.inputs, at.q, at.v, h, servos);
  place_middle(at.q, at.v, h);
  Variant& with = servos || !firm ? soft : *firm;
  const std::size_t n = std::size_t(rows.rows.size());
  impulses.resize(n);
  if (n == 0 && !in_maximal_coordinates(options.method)) {  // there hinges are still to be solved
    aba<double>(with.plan, q_eval, at.v, tau, from.inputs.f_ext, with.aba, vdot);
    for (std::size_t k = 0; k < v_after.size(); ++k) v_after[k] = at.v[k] + h * vdot[k];
    keep_sleepers();
    return true;
  }
  const bool moved = !has_rows_in_place(options.method) && std::ranges::find(has_rows, 0) != has_rows.end();
  if (moved) {
    kinematics<double>(bare.plan, q_eval, kin_middle);
    velocities(model, kin_middle, at.v, vel_after);
  }
  const Motive motive{
      with.model,        with.plan, moved ? kin_middle : kin, moved ? vel_after : vel, q_eval, at.v, tau,
      from.inputs.f_ext, h};
  with.formulation->pose(motive, rows.rows, problem);
  if (has_rows_in_place(options.method)) report.painleve = std::max(report.painleve, painleve_contacts());
  const bool round = options.directions == 0 || cone_count(problem.blocks) == 0;
  SolverOptions how{
      .tolerance = options.tolerance,
      .acceptable = good_enough(options, at.loose_steps),
      // Impulses that have just been found have also undone what was left over before; the next ones have not.
      .guess_tolerance = (at.fresh ? 1e-3 : 0.1) * options.tolerance,
      // They have been found as well as can be: if that did not last for a step, something moves, and it will not the next time.
      .aim = (at.fresh ? 1e-2 : 1e-5) * options.tolerance};
  z.assign(problem.size(), 0.0);
  if (has_rows_in_place(options.method)) how.warm_start = guess_impulses(rows, set.contacts, at.memory, h, z);
  Problem* posed = &problem;
  if (!round) {
    friction.pose(problem, options.directions, {}, flat_problem);
    flat.resize(flat_problem.size());
    friction.from_conic(z, {}, flat);
    posed = &flat_problem;
  }
  const SolveReport solved = solver.solve(*posed, options.solver, how, round ? z : flat);
  if (!round) friction.to_conic(flat, z);
  loose = solved.status != Status::solved;
  ++report.problems;
  report.iterations += solved.iterations;
  report.declared_fallbacks += solved.tries > 1;
  report.residual = std::max({report.residual, solved.residual.relative, solved.residual.plain_relative});
  if (solved.status == Status::bad_input) return unsolved(report, "the solver does not take the problem of this step");
  if (solved.status != Status::solved) {
    if (!solved.residual.within(options.acceptable))
      return unsolved(report, "the contact problem was not solved to an acceptable residual");
    ++report.loose;
  }
  fresh = solved.iterations > 0;
  with.formulation->lift(motive, rows.rows, z, v_after, impulses);
  keep_sleepers();
  return true;
}

// Contacts whose sliding no finite force is consistent with [Painleve 1895]: the friction that sliding calls for raises
// the normal force that it is proportional to,
//     n' L n - mu n' L t <= 0,   t the direction of sliding, L the contact's own block of J M^-1 J'
// What comes out is then a jump of velocity without a collision.
int ContactStepper::Parts::painleve_contacts() {
  int count = 0;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const Block& block = rows.rows.blocks[b];
    if (block.kind != BlockKind::cone) continue;
    const Contact& c = set.contacts[rows.owner[b].index];
    if (c.gap > touching(options)) continue;
    const Vec3<double> u = relative_velocity(c, kin, vel);
    const double slip = length(u.y, c.across * u.z);
    if (!(slip > slip_speed)) continue;
    double L[9];
    problem.M.diagonal(block.start, 3, L);
    if (L[0] - block.mu * (L[1] * u.y + L[2] * c.across * u.z) / slip <= 0) ++count;
  }
  return count;
}

bool ContactStepper::Parts::within_servo_limits(const Inputs& inputs, std::span<const double> q, double h) const {
  for (const int a : joint_plan.bounded_servos) {
    const Actuator& actuator = model.actuators()[a];
    const double u = control_of(model, inputs.controls, std::size_t(a));
    const double f = servo_force(actuator, u, q[actuator.q], v_after[actuator.v], h);
    if (!(f >= actuator.lower && f <= actuator.upper)) return false;
  }
  return true;
}

bool ContactStepper::Parts::is_sunk(std::span<const double> q) const {
  for (const Contact& c : set.contacts)
    if (c.gap < -options.position_tolerance) return true;
  return std::ranges::any_of(joint_plan.limits,
                             [&](const JointLimit& limit) { return gap_of(limit, q) < -options.position_tolerance; });
}

// (6) is a step of its own without forces and without time, from rest, with gaps for velocities.
bool ContactStepper::Parts::put_back(const Arrival& at, double h, StepReport& report) {
  velocities(model, kin, v_after, vel_after);
  lifted.clear();
  if (ClosedChain* chain = dynamics.chain()) add_loop_rows(chain->constraints, chain->rows, lifted);
  std::ranges::fill(lifted.rows.offset, 0);  // loops have a projection of their own, and are not to be opened here
  for (int i = 0; i < int(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    add_normal(c, kin, c.gap + h * relative_velocity(c, kin, vel_after).x, lifted.rows);
    lifted.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(joint_plan.limits.size()); ++i) {
    const JointLimit& limit = joint_plan.limits[i];
    const double gap = gap_of(limit, at.q) + h * rate_of(limit, at.q, v_after);
    if (gap <= limit_margin) add_limit(i, at.q, gap, lifted);
  }
  velocities(model, kin, zero, vel_after);
  const Motive motive{bare.model, bare.plan, kin, vel_after, at.q, zero, {}, {}, 0};
  bare.formulation->pose(motive, lifted.rows, problem);
  z.assign(problem.size(), 0.0);
  lift_impulses.resize(lifted.rows.size());
  // Positions need not be exact: what is left over is seen by the next step. Nor is it lost if this one finds nothing.
  const SolveReport solved = solver.solve(problem, SolverId::automatic, {.tolerance = 1e-6, .acceptable = 1e-2}, z);
  ++report.problems;
  report.iterations += solved.iterations;
  if (!solved.residual.within(1e-2) || solved.status == Status::bad_input) return false;
  bare.formulation->lift(motive, lifted.rows, z, shift, lift_impulses);
  return true;
}

}  // namespace linchpin

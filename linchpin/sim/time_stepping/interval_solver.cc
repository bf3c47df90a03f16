#include "linchpin/sim/time_stepping/interval_solver.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {
namespace {

// The residual at which solvers may stop. A problem that stays loose spoils the warm start of the next one, so solvers
// stop at `acceptable` only if the last problem ended there too: then more effort is likely to be in vain. After 4, 16,
// 64, ... loose steps in a row one problem gets full effort: if it is solved, the following ones are easy.
double good_enough(const ContactOptions& o, int loose_steps) {
  if (loose_steps == 0) return std::min(o.acceptable, 100 * o.tolerance);
  int power = 4;
  while (power < loose_steps) power *= 4;
  return loose_steps == power ? 0 : o.acceptable;
}

// Options of the solver, given the last step. Impulses that were found anew in the last step are accurate: they are
// kept only as long as their residual stays far below the tolerance. If the last step needed no iterations, errors have
// accumulated, and a new solution is worth more digits.
SolverOptions solver_options(const ContactOptions& o, const Arrival& last) {
  return {.tolerance = o.tolerance,
          .acceptable = good_enough(o, last.loose_steps),
          .guess_tolerance = (last.fresh ? 1e-3 : 0.1) * o.tolerance,
          .aim = (last.fresh ? 1e-2 : 1e-5) * o.tolerance};
}

// Contacts in a Painleve configuration [Painleve 1895]: no finite force is consistent with their sliding, because the
// friction of the sliding raises the normal force that it is proportional to,
//     n' W n - mu n' W t <= 0,   t the direction of sliding, W the contact's own block of the Delassus matrix
// The solution is then a jump of velocity without a collision.
int count_painleve(const StepPlan& plan, const Interval& interval, const StepRows& rows, const Problem& problem) {
  int count = 0;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const Block& block = rows.rows.blocks[b];
    if (block.kind != BlockKind::cone) continue;
    const Contact& c = interval.contacts[rows.owner[b].index];
    if (c.gap > plan.touch_gap()) continue;
    const Vec3<double> u = relative_velocity(c, interval.placed.kin, interval.placed.vel);
    const double across = c.across * u.z, slip = std::sqrt(u.y * u.y + across * across);
    if (!(slip > slip_speed)) continue;
    double W[9];
    problem.M.diagonal(block.start, 3, W);
    if (W[0] - block.mu * (W[1] * u.y + W[2] * c.across * u.z) / slip <= 0) ++count;
  }
  return count;
}

// Trees that sleep do not move: no row of an island that is awake touches them.
void keep_asleep(const StepPlan& plan, std::span<const char> tree_asleep, std::span<double> v) {
  if (!plan.may_sleep()) return;
  for (std::size_t i = 1; i < plan.model.links().size(); ++i) {
    const Link& link = plan.model.links()[i];
    if (tree_asleep[plan.trees.of_link[i]]) std::fill_n(v.begin() + link.v, link.nv, 0.0);
  }
}

std::span<const double> implicit_armature_of(const StepPlan& plan, bool with_bounded_servos,
                                             std::vector<double>& armature) {
  armature.assign(plan.model.nv(), 0.0);
  implicit_armature(plan.model, plan.dt, with_bounded_servos, armature);
  return armature;
}

}  // namespace

IntervalSolver::IntervalSolver(const StepPlan& plan)
    : plan_(plan),
      soft_(plan.model, plan.plan, plan.options.method, implicit_armature_of(plan, true, armature_)),
      forces_(plan.model),
      vdot_(plan.model.nv()),
      step_(plan.model.nv()),
      middle_(plan.model, plan.plan) {
  if (plan.joints.bounded_servos.empty()) return;
  firm_ = std::make_unique<Variant>(plan.model, plan.plan, plan.options.method,
                                    implicit_armature_of(plan, false, armature_));
}

const char* IntervalSolver::solve(const Interval& interval, const FreeMotion& free, std::span<const char> tree_asleep,
                                  ProblemWorkspace& ws, Solved& out) {
  out.effort = {};
  out.quality = {};
  out.choice.servos_as_rows = false;
  out.choice.limit_active.assign(plan_.joints.limits.size(), 0);
  // Joints that move at their speed limit are likely to do so still: their rows are there from the first round on.
  mark_violated_limits(plan_, interval, interval.start.v, interval.start.v, 0.99, out.choice);
  for (bool settled = false; !settled;) {
    if (const char* reason = solve_rows(interval, free, tree_asleep, ws, out)) return reason;
    find_mean_velocities(interval, out);
    settled = true;
    if (!out.choice.servos_as_rows && !within_servo_limits(plan_, interval, out.v)) {
      out.choice.servos_as_rows = true;
      settled = false;
    }
    // 1e-9 above the limit: a row holds its limit up to rounding only.
    if (mark_violated_limits(plan_, interval, out.v, out.v_mean, 1 + 1e-9, out.choice)) settled = false;
  }
  link_velocities_at(plan_.model, interval.placed, out.v, out.vel);
  return nullptr;
}

void IntervalSolver::find_mean_velocities(const Interval& interval, Solved& out) const {
  if (plan_.joints.limits.empty()) return;  // only limits are checked against them
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    const bool has_rows = out.tree_has_rows[plan_.trees.of_link[i]];
    for (int k = link.v; k < link.v + link.nv; ++k)
      out.v_mean[k] = has_rows ? out.v[k] : 0.5 * (interval.start.v[k] + out.v[k]);
  }
}

void IntervalSolver::find_trees_with_rows(Solved& out) const {
  out.tree_has_rows.assign(plan_.trees.count, 0);
  for (const RowSide& side : out.rows.rows.sides) out.tree_has_rows[plan_.trees.of_link[side.link]] = 1;
}

// Forces are evaluated at the start for trees with rows, and at the middle, (4) of contact_stepper.h, for all others.
void IntervalSolver::place_forces(const Interval& interval, Solved& out) {
  std::ranges::copy(interval.start.q, out.q_forces.begin());
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    const double part = out.tree_has_rows[plan_.trees.of_link[i]] ? 0 : 0.5 * interval.h;
    for (int k = link.v; k < link.v + link.nv; ++k) step_[k] = part * interval.start.v[k];
  }
  integrate(plan_.model, step_, out.q_forces);
}

const char* IntervalSolver::solve_rows(const Interval& interval, const FreeMotion& free,
                                       std::span<const char> tree_asleep, ProblemWorkspace& ws, Solved& out) {
  const bool servos_as_forces = !out.choice.servos_as_rows;
  const std::span<const double> v = interval.start.v, f_ext = interval.inputs.f_ext;
  gather_rows(plan_, interval, out.choice, out.rows);
  find_trees_with_rows(out);
  out.impulses.resize(out.rows.rows.size());
  // In maximal coordinates the hinges are still to be solved for.
  const bool is_free = out.rows.rows.size() == 0 && !in_maximal_coordinates(plan_.options.method);
  if (is_free && servos_as_forces && free.h == interval.h) {
    std::ranges::copy(free.q_forces, out.q_forces.begin());
    std::ranges::copy(free.v, out.v.begin());
    keep_asleep(plan_, tree_asleep, out.v);
    return nullptr;
  }
  const std::span<const double> tau =
      forces_.gather(plan_, interval.inputs, interval.start.q, v, interval.h, servos_as_forces);
  place_forces(interval, out);
  Variant& mechanism = servos_as_forces || !firm_ ? soft_ : *firm_;
  if (is_free) {
    free_velocity(mechanism, out.q_forces, v, tau, f_ext, interval.h, vdot_, out.v);
    keep_asleep(plan_, tree_asleep, out.v);
    return nullptr;
  }
  // Formulations whose problem has other rows than these need the poses where forces are evaluated.
  const bool elsewhere =
      !has_rows_in_place(plan_.options.method) && std::ranges::find(out.tree_has_rows, 0) != out.tree_has_rows.end();
  if (elsewhere) place(plan_.model, plan_.plan, out.q_forces, v, middle_);
  const Placed& placed = elsewhere ? middle_ : interval.placed;
  const Motive motive{mechanism.model, mechanism.plan, placed.kin, placed.vel, out.q_forces, v, tau, f_ext, interval.h};
  mechanism.formulation->pose(motive, out.rows.rows, ws.problem);
  if (const char* reason = solve_problem(interval, ws, out)) return reason;
  mechanism.formulation->lift(motive, out.rows.rows, ws.z, out.v, out.impulses);
  keep_asleep(plan_, tree_asleep, out.v);
  return nullptr;
}

// ws.z from ws.problem, by the friction cone itself or by a polyhedral one.
const char* IntervalSolver::solve_problem(const Interval& interval, ProblemWorkspace& ws, Solved& out) {
  const ContactOptions& options = plan_.options;
  SolverOptions how = solver_options(options, interval.start);
  ws.z.assign(ws.problem.size(), 0.0);
  if (has_rows_in_place(options.method)) {
    out.quality.painleve = std::max(out.quality.painleve, count_painleve(plan_, interval, out.rows, ws.problem));
    how.warm_start = guess_impulses(out.rows, interval.contacts, interval.start.memory, interval.h, ws.z);
  }
  const bool polyhedral = options.directions != 0 && cone_count(ws.problem.blocks) != 0;
  if (polyhedral) {
    friction_.pose(ws.problem, options.directions, {}, flat_problem_);
    flat_z_.resize(flat_problem_.size());
    friction_.from_conic(ws.z, {}, flat_z_);
  }
  const SolveReport solved =
      ws.solver.solve(polyhedral ? flat_problem_ : ws.problem, options.solver, how, polyhedral ? flat_z_ : ws.z);
  if (polyhedral) friction_.to_conic(flat_z_, ws.z);
  out.loose = solved.status != Status::solved;
  out.iterated = solved.iterations > 0;
  ++out.effort.problems;
  out.effort.iterations += solved.iterations;
  out.effort.fallbacks += solved.tries > 1;
  out.quality.residual = larger(out.quality.residual, larger(solved.residual.relative, solved.residual.plain_relative));
  if (solved.status == Status::bad_input) return "the solver does not take the problem of this step";
  if (out.loose && !solved.residual.within(options.acceptable))
    return "the contact problem was not solved to an acceptable residual";
  out.quality.loose += out.loose;
  return nullptr;
}

}  // namespace linchpin

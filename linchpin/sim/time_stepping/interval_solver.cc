#include "linchpin/sim/time_stepping/interval_solver.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {
namespace {

// Intervals are halved down to this part of dt where velocity products do not settle.
constexpr double shortest_for_products = 32;
constexpr const char* without_lever = "contacts without lever";  // the rows are to be gathered again
constexpr const char* turns_too_far = "bodies turn too far within the interval: velocity products do not settle";

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

std::vector<double> armature_without_bounded_servos(const StepPlan& plan) {
  std::vector<double> armature(plan.model.nv());
  implicit_factors(plan.model, plan.weights.coordinate, plan.dt, false, armature);
  implicit_armature(plan.model, armature, armature);
  return armature;
}

// Whether gather_rows() may find any, or the formulation needs poses without rows.
bool may_have_rows(const StepPlan& plan, const Interval& interval, const RowChoice& choice) {
  const auto has_row = [&](int i) {
    return choice.limit_active[i] || (!interval.idle.limits[i] && is_near(plan.joints.limits[i], interval));
  };
  if (interval.chain || !plan.model.springs().empty() || !plan.damper_rows.empty() || !plan.joints.frictional.empty() ||
      choice.servos_as_rows || moves_freely_by_itself(plan.options.method))
    return true;
  if (std::ranges::find(interval.idle.contacts, 0) != interval.idle.contacts.end()) return true;
  for (int i = 0; i < int(plan.joints.limits.size()); ++i)
    if (has_row(i)) return true;
  return false;
}

}  // namespace

IntervalSolver::IntervalSolver(const StepPlan& plan)
    : plan_(plan),
      soft_(plan.model, plan.plan, plan.options, plan.armature),
      jumps_(plan),
      middle_(plan),
      forces_(plan.model),
      mean_(plan),
      tau_(plan.model.nv()),
      vel_(plan.model) {
  if (plan.joints.bounded_servos.empty()) return;
  firm_ = std::make_unique<Variant>(plan.model, plan.plan, plan.options, armature_without_bounded_servos(plan));
}

const char* IntervalSolver::solve(const Interval& interval, const FreeMotion& free, std::span<const char> tree_asleep,
                                  ProblemWorkspace& ws, Solved& out) {
  out.effort = {};
  out.quality = {};
  out.choice.servos_as_rows = false;
  out.choice.limit_active.assign(plan_.joints.limits.size(), 0);
  out.choice.slip_ends.assign(interval.contacts.size(), 0);
  out.choice.no_lever.assign(interval.contacts.size(), 0);
  out.choice.dry_slip_ends.assign(plan_.joints.frictional.size(), 0);
  // Joints that move at their speed limit are likely to do so still: their rows are there from the first round on.
  mark_violated_limits(plan_, interval, interval.start.v, interval.start.v, 0.99, out.choice);
  out.slip_end = interval.h;
  jumps_.find(interval, out);
  middle_.find(interval, out);
  bool has_place = false;
  has_tried_ = false;
  for (bool settled = false; !settled;) {
    if (!has_place && may_have_rows(plan_, interval, out.choice)) {
      middle_.place_rows(interval, out);
      has_place = true;
    }
    const char* const reason = solve_rows(interval, free, tree_asleep, has_place, ws, out);
    if (reason == without_lever) continue;
    if (reason) return reason;
    find_mean_velocities(interval, out);
    settled = true;
    if (out.rows.rows.size() > 0) {
      link_velocities_at(plan_.model, middle_.placed(), out.v, vel_);
      out.rates.fill(out.rows.rows, middle_.placed().vel, vel_);
    }
    if (!out.choice.servos_as_rows && !within_servo_limits(plan_, interval, out.v)) {
      out.choice.servos_as_rows = true;
      settled = false;
    }
    // 1e-9 above the limit: a row holds its limit up to rounding only.
    if (mark_violated_limits(plan_, interval, out.v, out.v_mean, 1 + 1e-9, out.choice)) settled = false;
    if (mark_ended_slip(plan_, interval, middle_, out)) settled = false;
    if (jumps_.add_closed(interval, out)) {
      middle_.find(interval, out);
      middle_.place_rows(interval, out);
      settled = false;
    }
    if (!settled && out.rows.rows.size() > 0) {
      remember(out.rows, interval.contacts, out.impulses, interval.h, tried_);
      has_tried_ = true;
    }
  }
  if (!slips_back(plan_, out)) out.slip_end = interval.h;
  link_velocities_at(plan_.model, interval.placed, out.v, out.vel);
  return nullptr;
}

// Marks contacts with rows that have no lever. Returns whether there are any. Only methods with the rows in place know.
bool IntervalSolver::mark_without_lever(const Problem& problem, Solved& out) const {
  if (!has_rows_in_place(plan_.options.method)) return false;
  bool found = false;
  for (std::size_t b = 0; b < out.rows.owner.size(); ++b) {
    const auto& [kind, index] = out.rows.owner[b];
    const int row = out.rows.rows.blocks[b].start;
    if (kind != RowOwner::Kind::contact) continue;
    double W;
    problem.M.diagonal(row, 1, &W);
    if (!(W * plan_.mass < least_mobility)) continue;  // (1) of step_plan.h
    out.choice.no_lever[index] = 1;
    found = true;
  }
  return found;
}

void IntervalSolver::find_mean_velocities(const Interval& interval, Solved& out) const {
  out.theta = plan_.weights.coordinate;
  for (std::size_t b = 0; b < out.rows.owner.size(); ++b) {
    if (out.rows.owner[b].kind != RowOwner::Kind::servo) continue;
    const int r = out.rows.rows.blocks[b].start;
    const double z = out.impulses[r];
    if (z <= out.rows.rows.lower[r] || z >= out.rows.rows.upper[r])
      out.theta[plan_.model.actuators()[out.rows.owner[b].index].v] = 0.5;
  }
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    const bool jumps = out.tree_jumps[plan_.trees.of_link[i]];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const double theta = jumps ? 1 : out.theta[k];
      out.v_mean[k] = (1 - theta) * interval.start.v[k] + theta * out.v[k];
    }
  }
}

void IntervalSolver::find_trees_with_rows(Solved& out) const {
  out.tree_has_rows.assign(plan_.trees.count, 0);
  for (const RowSide& side : out.rows.rows.sides) out.tree_has_rows[plan_.trees.of_link[side.link]] = 1;
}

const char* IntervalSolver::solve_rows(const Interval& interval, const FreeMotion& free,
                                       std::span<const char> tree_asleep, bool with_rows, ProblemWorkspace& ws,
                                       Solved& out) {
  const bool servos_as_forces = !out.choice.servos_as_rows;
  out.rows.clear();
  if (with_rows) gather_rows(plan_, interval, middle_, out);
  find_trees_with_rows(out);
  out.impulses.resize(out.rows.rows.size());
  std::ranges::copy(middle_.q(), out.q_forces.begin());
  const bool is_free = out.rows.rows.size() == 0 && !moves_freely_by_itself(plan_.options.method);
  // Shorter intervals than these are taken as they are; the energy balance judges them.
  const bool may_shorten = interval.h > plan_.dt / shortest_for_products;
  if (is_free && servos_as_forces && free.h == interval.h) {
    if (free.diverges && may_shorten) return turns_too_far;
    std::ranges::copy(free.q_forces, out.q_forces.begin());
    std::ranges::copy(free.v, out.v.begin());
    keep_asleep(plan_, tree_asleep, out.v);
    return nullptr;
  }
  Variant& mechanism = servos_as_forces || !firm_ ? soft_ : *firm_;
  if (is_free) {
    const std::span<const double> v = interval.start.v;
    const std::span<const double> tau =
        forces_.gather(plan_, interval.inputs, interval.start.q, v, interval.h, servos_as_forces);
    find_free_velocity(interval, mechanism, middle_.q(), tau, servos_as_forces, mean_, out.v);
  } else if (const char* reason = solve_for_mean_forces(interval, mechanism, servos_as_forces, ws, out)) {
    return reason;
  }
  if (mean_.diverges() && may_shorten) return turns_too_far;
  keep_asleep(plan_, tree_asleep, out.v);
  return nullptr;
}

// Solves with forces at the mean velocity, in one round or more ((1) of forces.h).
const char* IntervalSolver::solve_for_mean_forces(const Interval& interval, Variant& mechanism, bool servos_as_forces,
                                                  ProblemWorkspace& ws, Solved& out) {
  const std::span<const double> v = interval.start.v;
  std::ranges::copy(forces_.gather(plan_, interval.inputs, interval.start.q, v, interval.h, servos_as_forces),
                    tau_.begin());
  mean_.begin(interval, mechanism, middle_.q(), servos_as_forces, out.tree_jumps);
  for (std::size_t k = 0; k < tau_.size(); ++k) tau_[k] += mean_.damping()[k];
  const Placed& placed = middle_.placed();
  const Motive motive{.model = mechanism.model,
                      .plan = mechanism.plan,
                      .kin = placed.kin,
                      .vel = placed.vel,
                      .q = middle_.q(),
                      .v = v,
                      .tau = tau_,
                      .f_ext = interval.inputs.f_ext,
                      .dt = interval.h,
                      .v_products = mean_.v_predicted()};
  mechanism.formulation->pose(motive, out.rows.rows, ws.problem);
  if (mark_without_lever(ws.problem, out)) return without_lever;
  for (int rounds = 1;; ++rounds) {
    if (const char* reason = solve_problem(interval, rounds > 1, ws, out)) return reason;
    mechanism.formulation->lift(motive, out.rows.rows, ws.z, out.v, out.impulses);
    if (!mean_.needs_another(interval, out.v, out.tree_jumps, rounds)) return nullptr;
    if (!mean_.assume_and_find_change(interval, mechanism, out.v, out.tree_jumps)) return nullptr;
    for (std::size_t k = 0; k < tau_.size(); ++k) tau_[k] += mean_.added()[k];
    mechanism.formulation->repose(motive, mean_.added(), out.rows.rows, ws.problem);
  }
}

// ws.z from ws.problem, by the friction cone itself or by a polyhedral one. again: ws.z is the solution of a problem
// that is nearly the same. The solution of an earlier round is a guess: only islands whose rows have changed need more.
const char* IntervalSolver::solve_problem(const Interval& interval, bool again, ProblemWorkspace& ws, Solved& out) {
  const ContactOptions& options = plan_.options;
  SolverOptions how = solver_options(options, interval.start);
  if (again || has_tried_) how.guess_tolerance = options.tolerance;
  if (again) {
    how.warm_start = true;
  } else {
    ws.z.assign(ws.problem.size(), 0.0);
    if (has_rows_in_place(options.method)) {
      out.quality.painleve = std::max(out.quality.painleve, count_painleve(plan_, interval, out.rows, ws.problem));
      const std::span<const RowMemory> memory = has_tried_ ? tried_ : interval.start.memory;
      how.warm_start = guess_impulses(out.rows, interval.contacts, memory, interval.h, ws.z);
    }
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

// Where a step is split: touches of contacts that bounce, or that are far, and the impacts there.
#include <algorithm>
#include <tuple>

#include "linchpin/sim/contact_stepper_parts.h"

namespace linchpin {
namespace {

// A gap beyond this share of the smaller shape is far: (2) is not trusted across it.
constexpr double far_share = 0.25;

// The smallest root of gap + u t + a t^2 / 2 = 0 in (0, h], or more than h.
double touch_time(double gap, double u, double a, double h) {
  const double never = 2 * h;
  const double D = u * u - 2 * a * gap;
  if (!(D >= 0)) return never;
  const double t = u < 0 ? 2 * gap / (-u + std::sqrt(D)) : a < 0 ? (-u - std::sqrt(D)) / a : never;
  return t >= 0 && t <= h ? t : never;
}

}  // namespace

bool ContactStepper::Parts::is_far(const Contact& c) const {
  return c.gap > far_share * std::min(radius[c.key.shape_a], radius[c.key.shape_b]);
}

bool ContactStepper::Parts::meets_impact() const {
  for (const Contact& c : set.contacts)
    if (c.restitution > 0 && c.gap <= touching(options) && relative_velocity(c, kin, vel).x < -options.impact_speed)
      return true;
  return false;
}

// The earliest touch of a contact that bounces, or is far, within h; marks those that do.
double ContactStepper::Parts::find_touch(const Departure& from, const Arrival& at, double h) {
  bool free_known = false;
  double first = h;
  for (std::size_t i = 0; i < set.contacts.size(); ++i) {
    const Contact& c = set.contacts[i];
    const bool far = is_far(c);
    if ((c.restitution == 0 && !far) || c.gap <= touching(options)) continue;
    if (!free_known) {  // how all would move without contact
      gather_forces(from.inputs, at.q, at.v, h, true);
      aba<double>(soft.plan, at.q, at.v, tau, from.inputs.f_ext, soft.aba, vdot);
      for (std::size_t k = 0; k < v_after.size(); ++k) v_after[k] = at.v[k] + h * vdot[k];
      velocities(model, kin, v_after, vel_after);
      free_known = true;
    }
    const double u = relative_velocity(c, kin, vel).x, u_end = relative_velocity(c, kin, vel_after).x;
    const double a = (u_end - u) / h, t = touch_time(c.gap, u, a, h);
    if (t > h) continue;
    if (!far && u + a * t >= -options.impact_speed) continue;  // too slow to bounce
    bounces[i] = 1;
    first = std::min(first, t);
  }
  return first;
}

// Contacts were looked for as far as links get at the speeds they had. What impulses or strong forces have made faster in
// this very step may get farther, and must not pass through what is there. Is there such a contact? Then all that are
// now in reach are the set, and h ends at its touch where that is to bounce or is far, if it may.
bool ContactStepper::Parts::find_missed(const Departure& from, bool may_split, double& h, Arrival& at,
                                        StepReport& report) {
  link_velocities(model, kin, vel.axis, v_after, vel_after.link);
  if (!find_more_contacts(model, contact_plan, kin, vel, vel_after, h, set, wider)) return false;
  const auto known = [&](const Contact& c) {
    const auto pieces = [](const Contact& x) {
      return std::tie(x.key.shape_a, x.key.shape_b, x.key.piece_a, x.key.piece_b);
    };
    const auto group = std::ranges::equal_range(set.contacts, pieces(c), {}, pieces);
    return std::ranges::find(group, c.key.feature, [](const Contact& x) { return x.key.feature; }) != group.end();
  };
  bool missed = false;
  double end = h;
  for (const Contact& c : wider.contacts) {
    const double u = relative_velocity(c, kin, vel_after).x;
    if (c.gap <= touching(options) || !(c.gap + h * u < 0) || known(c)) continue;
    missed = true;
    if (is_far(c) || (c.restitution > 0 && u < -options.impact_speed)) end = std::min(end, c.gap / -u);
  }
  if (!missed) return false;
  std::swap(set, wider);
  bounces.assign(set.contacts.size(), 0);
  if (options.sleep_after > 0) {  // it may wake someone
    report.asleep = 0;
    find_sleepers(from, at, report);
  }
  drop_sleepers();
  if (may_split) h = find_touch(from, at, end);
  return true;
}

bool ContactStepper::Parts::solve_impacts(Arrival& at, StepReport& report) {
  rows.clear();
  if (ClosedChain* chain = dynamics.chain()) add_loop_rows(chain->constraints, chain->rows, rows);
  for (int i = 0; i < int(set.contacts.size()); ++i) {
    if (set.contacts[i].gap > touching(options)) continue;
    add_contact(set.contacts[i], kin, 0, rows.rows);
    rows.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(joint_plan.limits.size()); ++i)
    if (gap_of(joint_plan.limits[i], at.q) <= touching(options)) add_limit(i, at.q, 0, rows);
  const std::size_t n = std::size_t(rows.rows.size());
  const Motive motive{bare.model, bare.plan, kin, vel, at.q, at.v, {}, {}, 0};
  bare.formulation->pose(motive, rows.rows, problem);
  z.assign(problem.size(), 0.0);
  impulses.resize(n);
  w_before.resize(n);
  linchpin::row_velocities(rows.rows, vel, w_before);
  // The problem's last blocks are those of the rows, but for free ones.
  restitution.assign(problem.blocks.size(), 0.0);
  approach.assign(problem.size(), 0.0);
  for (std::size_t p = problem.blocks.size(), b = rows.rows.blocks.size(); b-- > 0;) {
    const Block& row = rows.rows.blocks[b];
    if (row.kind == BlockKind::free) continue;
    do --p;
    while (problem.blocks[p].kind == BlockKind::free);
    if (rows.owner[b].kind == RowOwner::Kind::contact) restitution[p] = set.contacts[rows.owner[b].index].restitution;
    for (int k = 0; k < row.size; ++k) approach[problem.blocks[p].start + k] = w_before[row.start + k];
  }
  const ImpactReport impact_report = solve_impact({problem, restitution, approach},
                                                  {.restitution = options.restitution,
                                                   .directions = options.directions,
                                                   .solver = options.solver,
                                                   .tolerance = options.tolerance},
                                                  solver.solver(), impact, z);
  report.problems += impact_report.problems;
  report.iterations += impact_report.iterations;
  report.declared_fallbacks += impact_report.fallbacks;
  report.residual = std::max(report.residual, impact_report.residual);
  report.least_release = std::min(report.least_release, impact_report.release);
  if (impact_report.status != Status::solved) return unsolved(report, "an impact was not solved to its tolerance");
  bare.formulation->lift(motive, rows.rows, z, v_after, impulses);
  report.impact_loss += add_losses(0, report);
  collect();
  std::ranges::copy(v_after, at.v.begin());
  return true;
}

}  // namespace linchpin

#include "linchpin/sim/time_stepping/impact_solver.h"

#include <algorithm>
#include <tuple>

#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {

void ImpactSolver::find_struck_islands(const Interval& interval) {
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  fastest_ = 0;
  const auto strikes = [&](double rate) {
    fastest_ = std::max(fastest_, -rate);
    return -rate > struck_speed_;
  };
  apart_.resize(interval.contacts.size());
  for (std::size_t i = 0; i < apart_.size(); ++i) apart_[i] = interval.contacts[i].gap > plan_.touch_gap();
  islands_.find(interval.contacts, apart_);
  struck_.assign(islands_.count(), 0);
  for (std::size_t i = 0; i < apart_.size(); ++i) {
    const Contact& c = interval.contacts[i];
    if (!apart_[i] && strikes(relative_velocity(c, interval.placed.kin, interval.placed.vel).x))
      struck_[islands_.island_of(c)] = 1;
  }
  for (const JointLimit& limit : plan_.joints.limits)
    if (gap_of(limit, q) <= plan_.touch_gap() && strikes(rate_of(limit, q, v)))
      struck_[islands_.island_of(plan_.trees.of_link[plan_.joints.link[limit.coordinate]])] = 1;
  bounces_ = fastest_ > bounce_speed_;
}

bool ImpactSolver::lacks_lever(const Solved& solved) const {
  const double most = plan_.mass / least_mobility * fastest_;  // (1) of step_plan.h
  for (std::size_t b = 0; b < solved.rows.owner.size(); ++b)
    if (solved.rows.owner[b].kind == RowOwner::Kind::contact &&
        !(solved.impulses[solved.rows.rows.blocks[b].start] <= most))
      return true;
  return false;
}

void ImpactSolver::gather_rows(const Interval& interval, StepRows& out) {
  const std::span<const double> q = interval.start.q;
  out.clear();
  if (interval.chain) add_loop_rows(interval.chain->constraints, interval.chain->rows, {}, out);
  for (int i = 0; i < int(interval.contacts.size()); ++i) {
    if (apart_[i] || !struck_[islands_.island_of(interval.contacts[i])]) continue;
    add_contact(interval.contacts[i], interval.placed.kin, Vec3<double>::zero(), out.rows);
    out.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(plan_.joints.limits.size()); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    if (gap_of(limit, q) > plan_.touch_gap()) continue;
    if (struck_[islands_.island_of(plan_.trees.of_link[plan_.joints.link[limit.coordinate]])])
      add_limit(plan_, interval.placed, i, q, 0, out);
  }
}

// Restitution and velocity of approach for the blocks of the problem; zero for those that are not of these rows. Free
// blocks have neither: they are bilateral constraints, or unknowns of the formulation.
void ImpactSolver::describe_blocks(const Interval& interval, const StepRows& rows, std::span<const int> block_of,
                                   const Problem& problem) {
  row_velocity_.resize(rows.rows.size());
  row_velocities(rows.rows, interval.placed.vel, row_velocity_);
  restitution_.assign(problem.blocks.size(), 0.0);
  approach_.assign(problem.size(), 0.0);
  for (std::size_t b = 0; b < rows.rows.blocks.size(); ++b) {
    const Block& row = rows.rows.blocks[b];
    if (row.kind == BlockKind::free) continue;
    if (rows.owner[b].kind == RowOwner::Kind::contact && bounces_)
      restitution_[block_of[b]] = interval.contacts[rows.owner[b].index].restitution;
    const int start = problem.blocks[block_of[b]].start;
    for (int k = 0; k < row.size; ++k) approach_[start + k] = row_velocity_[row.start + k];
  }
}

ImpactReport ImpactSolver::solve(const Interval& interval, Variant& mechanism, ProblemWorkspace& ws, Solved& out) {
  find_struck_islands(interval);
  gather_rows(interval, out.rows);
  const Motive motive{mechanism.model,
                      mechanism.plan,
                      interval.placed.kin,
                      interval.placed.vel,
                      interval.start.q,
                      interval.start.v,
                      {},
                      {},
                      0};
  const std::span<const int> block_of = mechanism.formulation->pose(motive, out.rows.rows, ws.problem);
  describe_blocks(interval, out.rows, block_of, ws.problem);
  ws.z.assign(ws.problem.size(), 0.0);
  const ImpactReport report = solve_impact({ws.problem, restitution_, approach_},
                                           {.restitution = plan_.options.restitution,
                                            .directions = plan_.options.directions,
                                            .solver = plan_.options.solver,
                                            .tolerance = plan_.options.tolerance,
                                            .acceptable = plan_.options.acceptable},
                                           ws.solver.solver(), impact_, ws.z);
  if (!report.ok()) return report;
  out.impulses.resize(out.rows.rows.size());
  mechanism.formulation->lift(motive, out.rows.rows, ws.z, out.v, out.impulses);
  link_velocities_at(plan_.model, interval.placed, out.v, out.vel);
  out.rates.fill(out.rows.rows, interval.placed.vel, out.vel);
  return report;
}

}  // namespace linchpin

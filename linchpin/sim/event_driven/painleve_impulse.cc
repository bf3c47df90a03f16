#include "linchpin/sim/event_driven/painleve_impulse.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/contact/actuators.h"

namespace linchpin {
namespace {

// tau of (1), as a part of dt; and velocities that change by more than this many times tau forces / M are an impulse.
constexpr double impulse_time = 1e-6, impulse_factor = 1e3;

}  // namespace

bool PainleveImpulse::solve(double time, const Inputs& inputs, const Placed& placed, const Mode& mode,
                            const ModeForces& forces, Arrival& at, ContactSums& sums, StepReport& report) {
  const double tau = impulse_time * plan_.dt;
  StepRows& rows = solved_.rows;
  rows.clear();
  if (ClosedChain* chain = dynamics_.chain()) {
    evaluate_rows(plan_.model, chain->constraints, placed.kin, placed.vel, at.q, at.v, time, chain->rows);
    add_loop_rows(chain->constraints, chain->rows, {}, rows);
  }
  contacts_.clear();
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const Contact& c = mode.contacts[i].incipient ? forces.contacts[i] : forces.in_motion[i];
    contacts_.push_back(c);
    add_contact(c, placed.kin, Vec3<double>::zero(), rows.rows);
    rows.add_owner(RowOwner::Kind::contact, int(i));
  }
  for (const ModeLimit& l : mode.limits)
    add_limit_row(plan_.model, plan_.joints, placed.kin, placed.vel, plan_.joints.limits[l.limit], at.q, 0, rows.rows),
        rows.add_owner(RowOwner::Kind::limit, l.limit);
  if (rows.rows.size() == 0) return false;
  tau_.assign(at.v.size(), 0.0);
  if (!inputs.tau.empty()) std::ranges::copy(inputs.tau, tau_.begin());
  if (plan_.joints.passive) add_passive_forces(plan_.model, at.q, at.v, tau_);
  if (!plan_.model.actuators().empty()) add_actuator_forces(plan_.model, at.q, at.v, inputs.controls, tau_);
  const Motive motive{plan_.model, plan_.plan, placed.kin, placed.vel, at.q, at.v, tau_, inputs.f_ext, tau};
  plain_.formulation->pose(motive, rows.rows, problem_.problem);
  problem_.z.assign(problem_.problem.size(), 0.0);
  const SolveReport solved =
      problem_.solver.solve(problem_.problem, plan_.options.solver, {.tolerance = plan_.options.tolerance}, problem_.z);
  ++report.problems;
  report.iterations += solved.iterations;
  if (solved.status != Status::solved) return false;
  // Only the impulses: the forces over tau are left out.
  change_.resize(at.v.size());
  solved_.impulses.assign(index(rows.rows.size()), 0.0);
  zero_.assign(problem_.z.size(), 0.0);
  plain_.formulation->lift(motive, rows.rows, zero_, change_, solved_.impulses);
  plain_.formulation->lift(motive, rows.rows, problem_.z, solved_.v, solved_.impulses);
  for (std::size_t k = 0; k < at.v.size(); ++k) solved_.v[k] += at.v[k] - change_[k];
  double jump = 0;
  for (std::size_t k = 0; k < at.v.size(); ++k) jump = std::max(jump, std::abs(solved_.v[k] - at.v[k]));
  double free = 1;
  for (const double b : forces.b) free = std::max(free, std::abs(b));
  if (!(jump > impulse_factor * tau * free)) return false;
  ++report.painleve;
  link_velocities_at(plan_.model, placed, solved_.v, solved_.vel);
  solved_.rates.fill(rows.rows, placed.vel, solved_.vel);
  report.impact_loss += energy_lost(plan_, rows, solved_.impulses, solved_.rates, 0, report);
  sums.add(rows, contacts_, solved_.impulses, solved_.rates);
  add_loop_impulses(plan_, rows, solved_.impulses, asleep_, at.reactions);
  std::ranges::copy(solved_.v, at.v.begin());
  return true;
}

}  // namespace linchpin

#include "linchpin/sim/event_driven/mode_substep.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// d_i of (1).
constexpr std::array<double, 7> dense_weights{-12715105075.0 / 11282082432,  0,
                                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                              69997945.0 / 29380423};

// (1) for one coordinate: its change d over the substep, and its rates by stage.
double dense_change(double d, const double* rates, std::size_t stride, double h, double theta) {
  double sum = 0;
  for (std::size_t i = 0; i < dense_weights.size(); ++i) sum += dense_weights[i] * rates[i * stride];
  const double s = h * rates[0] - d, e = d - h * rates[6 * stride] - s, rest = 1 - theta;
  return theta * (d + rest * (s + theta * (e + rest * h * sum)));
}

}  // namespace

ModeSubstep::ModeSubstep(Dynamics& dynamics, const StepPlan& plan, ModeDynamics& mode_dynamics)
    : dynamics_(dynamics),
      plan_(plan),
      mode_dynamics_(mode_dynamics),
      stages_(dynamics, dormand_prince_stages),
      forces_(dormand_prince_stages, ModeForces(plan.model)),
      asleep_(plan.trees.count, 0),
      step_(plan.model.nv()) {}

void ModeSubstep::evaluate(const SubstepStart& start, std::size_t i) {
  const std::size_t nv = stages_.v.size();
  ModeForces& forces = forces_[i];
  velocity_in_algebra(dynamics_, stages_.u, stages_.v, std::span(stages_.udot).subspan(i * nv, nv));
  mode_dynamics_.evaluate(stages_.time, stages_.q, stages_.v, start.inputs, start.mode, start.set, false, forces);
  mode_dynamics_.solve(start.mode, forces);
  mode_dynamics_.lift(forces);
  mode_dynamics_.evaluate_power(start.inputs, forces);
  std::ranges::copy(forces.vdot, stages_.vdot.begin() + std::ptrdiff_t(i * nv));
}

void ModeSubstep::begin(const SubstepStart& start) {
  stages_.time = start.time;
  std::ranges::fill(stages_.u, 0);
  std::ranges::copy(start.at.q, stages_.q.begin());
  std::ranges::copy(start.at.v, stages_.v.begin());
  evaluate(start, 0);
}

void ModeSubstep::take(const SubstepStart& start, double h) {
  const RungeKuttaTable table = dormand_prince_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    place_stage(dynamics_, start.time, start.at.q, start.at.v, h, table[i], stages_);
    evaluate(start, i + 1);
  }
}

void ModeSubstep::place_within(const SubstepStart& start, double h, double theta, std::span<double> q,
                               std::span<double> v) {
  const std::size_t nv = stages_.v.size();
  for (std::size_t k = 0; k < nv; ++k) {
    step_[k] = dense_change(stages_.u[k], &stages_.udot[k], nv, h, theta);
    v[k] = start.at.v[k] + dense_change(stages_.v[k] - start.at.v[k], &stages_.vdot[k], nv, h, theta);
  }
  std::ranges::copy(start.at.q, q.begin());
  integrate(plan_.model, step_, q);
}

void ModeSubstep::count_impulses(double h, Arrival& at, StepReport& report, ContactSums& sums) {
  const ModeForces& last = end();
  const std::span<const double> weights = dormand_prince_table().back();
  impulses_.assign(last.z.size(), 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (forces_[j].z.size() != impulses_.size()) continue;
    for (std::size_t r = 0; r < impulses_.size(); ++r) impulses_[r] += h * weights[j] * forces_[j].z[r];
  }
  rates_.after.resize(impulses_.size());
  row_velocities(last.rows.rows, mode_dynamics_.placed().vel, rates_.after);
  contacts_.assign(last.contacts.begin(), last.contacts.end());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    const int row = last.contact_row[i];
    if (row >= 0 && c.mu > 0) {
      const double* p = impulses_.data() + row;
      report.cone_violation = larger(report.cone_violation, std::hypot(p[1], p[2] / c.across) - c.mu * p[0]);
    }
    c.across = 1;  // rows of a mode are not scaled by it
  }
  sums.add(last.rows, contacts_, impulses_, rates_);
  add_loop_impulses(plan_, last.rows, impulses_, asleep_, at.reactions);
}

void ModeSubstep::apply(double h, Arrival& at, StepReport& report, ContactSums& sums) {
  const std::span<const double> weights = dormand_prince_table().back();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    report.work += h * weights[j] * forces_[j].power.input;
    report.dissipated -= h * weights[j] * forces_[j].power.damping;
    report.contact_loss += h * weights[j] * forces_[j].lost;
  }
  if (end().rows.rows.size() > 0) count_impulses(h, at, report, sums);
  std::ranges::copy(stages_.q, at.q.begin());
  std::ranges::copy(stages_.v, at.v.begin());
}

}  // namespace linchpin

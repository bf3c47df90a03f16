#include "linchpin/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

namespace linchpin {

RunMonitor::RunMonitor(const Model& model, double energy_tolerance)
    : model_(model), plan_(model), kin_(plan_), vel_(model) {
  check(energy_tolerance >= 0, "energy_tolerance is ", energy_tolerance, "; it must be at least 0");
  certificate_.energy_tolerance = energy_tolerance;
}

Energy RunMonitor::energy_of(const State& state) {
  kinematics<double>(plan_, state.q, kin_);
  velocities(model_, kin_, state.v, vel_);
  return energy(model_, kin_, vel_, state.q, state.v);
}

void RunMonitor::start(const State& state) {
  at_start_ = energy_of(state);
  const double tolerance = certificate_.energy_tolerance;
  certificate_ = {};
  certificate_.energy_tolerance = tolerance;
  certificate_.energy.start = certificate_.energy.stored = at_start_.total();
  certificate_.energy.exchanged = at_start_.kinetic;
  certificate_.finite = std::isfinite(at_start_.total());
}

void RunMonitor::add(const State& after, const StepReport& report) {
  Certificate& c = certificate_;
  c.evaluations += report.evaluations;
  c.rejected += report.rejected;
  if (!report.ok()) {
    if (c.status == StepStatus::done) {
      c.status = report.status;
      c.reason = report.reason;
      c.body = report.body;
      c.constraint = report.constraint;
    }
    if (report.status == StepStatus::not_finite) c.finite = false;
    return;
  }
  ++c.steps;
  c.substeps += report.substeps;
  c.loop_error = std::max(c.loop_error, report.loop_error);
  c.loop_speed = std::max(c.loop_speed, report.loop_speed);
  const Energy now = energy_of(after);
  EnergyBalance& e = c.energy;
  e.stored = now.total();
  e.work += report.work;
  e.dissipated += report.dissipated;
  e.projected += report.projected;
  e.largest_defect = std::max(e.largest_defect, std::abs(e.defect()));
  e.exchanged = std::max({e.exchanged, now.kinetic, std::abs(now.gravity - at_start_.gravity),
                          std::abs(now.springs - at_start_.springs), std::abs(e.work), std::abs(e.dissipated)});
  if (!std::isfinite(e.stored) || !std::isfinite(e.work) || !std::isfinite(e.dissipated)) c.finite = false;
}

}  // namespace linchpin

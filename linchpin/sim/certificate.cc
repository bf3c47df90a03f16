#include "linchpin/sim/certificate.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

// Of what is stored: where less than that moves, it is rounding that does.
constexpr double at_rest = 1e-9;

}  // namespace

Energy EnergyMeter::operator()(const State& state) {
  kinematics<double>(plan_, state.q, kin_);
  velocities(model_, kin_, state.v, vel_);
  return energy(model_, kin_, vel_, state.q, state.v);
}

RunMonitor::RunMonitor(const Model& model, const CertificateLimits& limits) : energy_of_(model) {
  check(limits.energy >= 0, "the energy defect's limit is ", limits.energy, "; it must be at least 0");
  check(limits.penetration >= 0, "the limit of penetration is ", limits.penetration, " m; it must be at least 0");
  certificate_.limits = limits;
}

void RunMonitor::start(const State& state) {
  at_start_ = energy_of_(state);
  const CertificateLimits limits = certificate_.limits;
  certificate_ = {};
  certificate_.limits = limits;
  certificate_.energy.start = certificate_.energy.stored = at_start_.total();
  certificate_.energy.exchanged = at_start_.kinetic;
  certificate_.finite = std::isfinite(at_start_.total());
}

void RunMonitor::resume(const Energy& at_start, const Certificate& so_far) {
  at_start_ = at_start;
  certificate_ = so_far;
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
  c.residual = std::max(c.residual, report.residual);
  c.cone_violation = std::max(c.cone_violation, report.cone_violation);
  c.penetration = std::max(c.penetration, report.penetration);
  c.most_contacts = std::max(c.most_contacts, report.contacts);
  c.problems += report.problems;
  c.iterations += report.iterations;
  c.loose += report.loose;
  c.halved += report.halved;
  c.declared_fallbacks += report.declared_fallbacks;
  c.impacts += report.impacts;
  c.painleve += report.painleve > 0;
  c.impact_loss += report.impact_loss;
  c.contact_loss += report.contact_loss;
  c.least_release = std::min(c.least_release, report.least_release);
  const Energy now = energy_of_(after);
  EnergyBalance& e = c.energy;
  e.stored = now.total();
  e.work += report.work;
  e.dissipated += report.dissipated;
  e.projected += report.projected;
  e.lost += report.impact_loss + report.contact_loss;
  e.largest_defect = std::max(e.largest_defect, std::abs(e.defect()));
  e.exchanged = std::max({e.exchanged, now.kinetic, std::abs(now.gravity - at_start_.gravity),
                          std::abs(now.springs - at_start_.springs), std::abs(e.work), std::abs(e.dissipated),
                          std::abs(e.lost), at_rest * (std::abs(now.gravity) + std::abs(now.springs))});
  if (!std::isfinite(e.stored) || !std::isfinite(e.work) || !std::isfinite(e.dissipated)) c.finite = false;
}

}  // namespace linchpin

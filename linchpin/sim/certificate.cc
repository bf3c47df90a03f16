#include "linchpin/sim/certificate.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/base/names.h"

namespace linchpin {
namespace {

// Of what is stored: where less than that moves, it is rounding that does.
constexpr double rest_share = 1e-9;

constexpr EnumNames<Verdict::failed> verdicts{"verdict", {"passed", "passed_loosely", "failed"}};

}  // namespace

std::string_view to_string(Verdict verdict) { return verdicts.of(verdict); }

Verdict Certificate::verdict() const {
  const bool kept = finite && !not_finite() && status == StepStatus::done && energy.within(limits.energy) &&
                    energy.is_small(energy.largest_projection, limits.projection) &&
                    penetration <= limits.penetration && overrun <= limits.overrun;
  if (!kept) return Verdict::failed;
  return loose > 0 || unsplit > 0 || handed_over > 0 ? Verdict::passed_loosely : Verdict::passed;
}

const char* Certificate::not_finite() const {
  struct Figure {
    double value;
    const char* name;
  };
  for (const Figure& figure : std::initializer_list<Figure>{{residual, "the residual of a contact problem"},
                                                            {cone_violation, "friction beyond its cone"},
                                                            {penetration, "the penetration"},
                                                            {overrun, "the place of a joint beyond its range"},
                                                            {least_release, "the restitution of an impact"},
                                                            {loop_error, "the error of a constraint"},
                                                            {loop_speed, "the velocity error of a constraint"},
                                                            {energy.stored, "the energy"},
                                                            {energy.work, "the work done"},
                                                            {energy.dissipated, "the energy taken by damping"},
                                                            {energy.lost, "the energy lost in contact"},
                                                            {energy.projected, "the energy added by projection"},
                                                            {energy.created, "the energy created"},
                                                            {energy.largest_defect, "the energy defect"},
                                                            {energy.exchanged, "the energy exchanged"}})
    if (!std::isfinite(figure.value)) return figure.name;
  return nullptr;
}

std::optional<double> dt_for_energy(const Certificate& c, const SimulationOptions& options) {
  const double defect = c.energy.relative_defect();
  const bool adaptive = options.stepper == Stepper::dormand_prince || options.stepper == Stepper::event_driven;
  Certificate else_passed = c;
  else_passed.limits.energy = unlimited;
  if (adaptive || c.passed() || !else_passed.passed() || !(defect > c.limits.energy && defect < 0.5)) return {};
  return options.dt * std::pow(0.5 * c.limits.energy / defect, 1.0 / order_of(options));
}

Energy EnergyMeter::operator()(const State& state) {
  kinematics<double>(plan_, state.q, kin_);
  velocities(model_, kin_, state.v, vel_);
  return energy(model_, kin_, vel_, state.q, state.v);
}

RunMonitor::RunMonitor(const Model& model, const CertificateLimits& limits) : energy_of_(model) {
  check(limits.energy >= 0, "the energy defect's limit is ", limits.energy, "; it must be at least 0");
  check(limits.projection >= 0, "the limit of what projections add is ", limits.projection, "; it must be at least 0");
  check(limits.penetration >= 0, "the limit of penetration is ", limits.penetration, " m; it must be at least 0");
  check(limits.overrun >= 0, "the limit of joints beyond their range is ", limits.overrun, "; it must be at least 0");
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
  c.loop_error = larger(c.loop_error, report.loop_error);
  c.loop_speed = larger(c.loop_speed, report.loop_speed);
  c.residual = larger(c.residual, report.residual);
  c.cone_violation = larger(c.cone_violation, report.cone_violation);
  c.penetration = larger(c.penetration, report.penetration);
  c.overrun = larger(c.overrun, report.overrun);
  c.most_contacts = std::max(c.most_contacts, report.contacts);
  c.problems += report.problems;
  c.iterations += report.iterations;
  c.loose += report.loose;
  c.halved += report.halved;
  c.declared_fallbacks += report.declared_fallbacks;
  c.impacts += report.impacts;
  c.unsplit += report.unsplit;
  c.painleve += report.painleve > 0;
  c.events += report.events;
  c.ambiguous += report.ambiguous;
  c.handed_over += report.handed_over;
  c.least_release = smaller(c.least_release, report.least_release);
  const Energy now = energy_of_(after);
  EnergyBalance& e = c.energy;
  e.stored = now.total();
  e.work += report.work;
  e.projected += report.projected;
  e.unresolved = larger(e.unresolved, report.unresolved);
  const auto take = [&](double amount, double& sum) { (amount < 0 ? e.created : sum) += std::abs(amount); };
  take(report.dissipated, e.dissipated);
  take(report.impact_loss, c.impact_loss);
  take(report.contact_loss, c.contact_loss);
  c.restituted += report.restituted;
  c.restitution_gain += report.restitution_gain;
  c.pushed_out += report.pushed_out;
  c.friction_gain += report.friction_gain;
  e.lost = c.impact_loss + c.contact_loss - c.restituted;
  e.largest_defect = larger(e.largest_defect, std::abs(e.defect()));
  e.largest_projection = larger(e.largest_projection, std::abs(e.projected));
  for (const double x : {now.kinetic, now.gravity - at_start_.gravity, now.springs - at_start_.springs, e.work,
                         e.dissipated, e.lost, rest_share * (std::abs(now.gravity) + std::abs(now.springs))})
    e.exchanged = larger(e.exchanged, std::abs(x));
  if (c.not_finite()) c.finite = false;
}

}  // namespace linchpin

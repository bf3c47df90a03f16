#include "apps/run_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/terminal_text.h"
#include "linchpin/record/certificate_json.h"

namespace linchpin {
namespace {

// The body whose joint is not finite, or moves fastest.
std::string fastest_body(const Model& model, const State& state) {
  const Joint* fastest = nullptr;
  double most = -1;
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.nv; ++k) {
      const double speed = std::abs(state.v[joint.v + k]);
      if (speed <= most) continue;
      fastest = &joint;
      if (!std::isfinite(speed)) return model.bodies()[joint.child].name;
      most = speed;
    }
  return fastest ? model.bodies()[fastest->child].name : "world";
}

// What a run that passed has kept, and what not quite.
std::string what_was_kept(const Certificate& c) {
  const std::string energy = std::isinf(c.limits.energy) ? "energy reported, not judged (--energy-tolerance)"
                                                         : fmt::format("energy defect within {:.1e}", c.limits.energy);
  const std::string loose = why_loosely(c);
  return fmt::format("all {} steps finite and done; {}{}{}", c.steps, energy, loose.empty() ? "" : "; ", loose);
}

}  // namespace

std::string verdict(const RunOutcome& outcome) {
  if (outcome.stopped) return "INTERRUPTED";
  if (!outcome.certificate.passed() || (outcome.early && outcome.early->status == "failed")) return "FAILED";
  if (outcome.early) return "UNFINISHED";
  return outcome.certificate.verdict() == Verdict::passed_loosely ? "PASSED LOOSELY" : "PASSED";
}

std::string trouble(const Model& model, const RunOutcome& outcome) {
  const Certificate& c = outcome.certificate;
  if (outcome.stopped) return fmt::format("stopped by the user at t = {:.6g} s", outcome.time);
  const std::string why = why_not_passed(model, c, outcome.without_mode);
  if (c.status != StepStatus::done) return fmt::format("stopped at t = {:.6g} s: {}", outcome.time, why);
  if (!c.finite)
    return fmt::format("stopped at t = {:.6g} s: {} (fastest is body '{}')", outcome.time, why,
                       fastest_body(model, outcome.end));
  if (why.empty() && outcome.early) return outcome.early->reason;
  return why;
}

std::vector<std::string> ignored(const Model& model, Stepper stepper) {
  return has_contact(stepper) ? std::vector<std::string>() : ignored_by_smooth_steppers(model);
}

Json certificate_json(const Model& model, const RunOutcome& outcome) {
  Json json = Json::parse(certificate_json(model, outcome.certificate, outcome.early, outcome.without_mode));
  if (outcome.stopped) {
    json["passed"] = false;
    json["verdict"] = json["status"] = "interrupted";
  }
  if (const std::string why = trouble(model, outcome); !why.empty()) json["reason"] = why;
  json["constraints"]["rows"] = outcome.mobility.rows;
  json["constraints"]["rank_at_start"] = outcome.mobility.rank;
  json["constraints"]["freedom_at_start"] = outcome.mobility.freedom;
  json["time"] = outcome.time;
  return json;
}

void print_summary(const ModelArgument& argument, const Schedule& schedule, const SimulationOptions& options,
                   const RunOutcome& outcome, const Strips& strips, std::FILE* out) {
  const Model& model = argument.model;
  const Certificate& c = outcome.certificate;
  const EnergyBalance& e = c.energy;
  fmt::print(out, "{}: {} degrees of freedom, {} bodies, {:.4g} kg\n", printable(argument.text), model.nv(),
             model.bodies().size() - 1, model.total_mass());
  if (const Mobility& m = outcome.mobility; m.rows > 0)
    fmt::print(out, "{} constraint{} with {} rows, {} of them independent at the start: {} degree{} of freedom left\n",
               model.constraints().size(), model.constraints().size() == 1 ? "" : "s", m.rows, m.rank, m.freedom,
               m.freedom == 1 ? "" : "s");
  fmt::print(out, "{} (order {}), dt {:g} s: {:g} s in {} steps, {} evaluations", to_string(*options.stepper),
             order_of(options), options.dt, outcome.time, c.steps, c.evaluations);
  if (c.substeps > c.steps || c.rejected > 0) fmt::print(out, ", {} substeps, {} rejected", c.substeps, c.rejected);
  if (schedule.rest > 0) fmt::print(out, " (the last one {:.3g} s)", schedule.rest);
  fmt::print(out, "\n");
  if (outcome.steps > 0 && outcome.seconds > 0)
    fmt::print(out, "{:.3g} times real time, {:.3g} us a step\n", outcome.motion / outcome.seconds,
               1e6 * outcome.seconds / double(outcome.steps));
  const std::string curves = strips.text();
  fmt::print(out, "\n{}{}", curves, curves.empty() ? "" : "\n");
  fmt::print(out, "  energy at start   {: .10g} J\n", e.start);
  fmt::print(out, "  energy at end     {: .10g} J\n", e.stored);
  if (e.work != 0) fmt::print(out, "  work done         {: .10g} J\n", e.work);
  if (e.dissipated != 0) fmt::print(out, "  dissipated        {: .10g} J\n", e.dissipated);
  if (c.impact_loss != 0) fmt::print(out, "  lost in impacts   {: .10g} J\n", c.impact_loss);
  if (c.contact_loss != 0) fmt::print(out, "  lost in contact   {: .10g} J\n", c.contact_loss);
  if (c.restituted != 0) fmt::print(out, "  given back        {: .10g} J by restitution\n", c.restituted);
  if (c.restitution_gain > 1e-9 * e.exchanged)
    fmt::print(out, "  added             {: .3e} J by the law of restitution (Kane's paradox)\n", c.restitution_gain);
  if (c.pushed_out > 1e-9 * e.exchanged)
    fmt::print(out, "  added             {: .3e} J by pushing bodies out of penetration\n", c.pushed_out);
  if (c.friction_gain > 1e-9 * e.exchanged)
    fmt::print(out, "  added             {: .3e} J by friction, which need not dissipate under this stepper\n",
               c.friction_gain);
  if (e.creates())
    fmt::print(out, "  created           {: .10g} J by damping, contacts or impacts, which can only take energy\n",
               e.created);
  if (e.projected != 0) fmt::print(out, "  by projection     {: .3e} J\n", e.projected);
  fmt::print(out, "  largest defect    {: .3e} J, {:.1e} of the {:.4g} J exchanged\n", e.largest_defect,
             e.relative_defect(), e.exchanged);
  if (e.relative_defect() > c.limits.energy && e.within(c.limits.energy))
    fmt::print(out, "  (dt does not resolve less than {:.2g} J, a fall of ten steps: the defect is judged by that)\n",
               e.unresolved);
  if (outcome.mobility.rows > 0)
    fmt::print(out, "  constraints kept to {:.1e} m or rad, {:.1e} m/s or rad/s\n", c.loop_error, c.loop_speed);
  if (c.problems > 0) {
    fmt::print(out, "  contacts          at most {}, {} problems ({}), {} iterations, {} impacts\n", c.most_contacts,
               c.problems, to_string(options.contact.method), c.iterations, c.impacts);
    if (c.loose > 0)
      fmt::print(out, "  {} of them solved not to {:.1e}, only to the acceptable {:.1e}\n", c.loose,
                 options.contact.tolerance, options.contact.acceptable);
    fmt::print(out, "  residual {:.1e}, friction beyond its cone {:.1e} N s, penetration {:.1e} m\n", c.residual,
               c.cone_violation, c.penetration);
  }
  if (c.overrun > 1e-9) fmt::print(out, "  joints beyond their range by at most {:.1e} rad or m\n", c.overrun);
  if (c.ambiguous > 0)
    fmt::print(out, "  {} contact modes were chosen while another one was consistent too (docs/event_driven.md)\n",
               c.ambiguous);
  const std::vector<std::string> left_out = ignored(model, *options.stepper);
  if (!left_out.empty()) {
    fmt::print(out, "\nIgnored by smooth steppers:\n");
    for (std::size_t i = 0; i < left_out.size() && i < 3; ++i) fmt::print(out, "  {}\n", printable(left_out[i]));
    if (left_out.size() > 3) fmt::print(out, "  and {} more (--json FILE lists all)\n", left_out.size() - 3);
  }
  const std::string why = trouble(model, outcome);
  fmt::print(out, "\ncertificate: {}  {}\n", verdict(outcome), why.empty() ? what_was_kept(c) : printable(why));
  if (const std::optional<double> dt = dt_for_energy(c, options))
    fmt::print(out, "By the order of {}, --dt {:.1g} would do.\n", to_string(*options.stepper), *dt);
}

}  // namespace linchpin

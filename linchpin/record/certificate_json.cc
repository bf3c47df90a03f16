#include "linchpin/record/certificate_json.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "linchpin/model/signal_names.h"

namespace linchpin {
namespace {

std::string short_number(double x) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.2e", x);
  return digits;
}

nlohmann::ordered_json json_of(const Model& model, std::span<const ContactReport> contacts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ContactReport& c : contacts)
    list.push_back({{"a", shape_name(model, c.shape_a)},
                    {"b", shape_name(model, c.shape_b)},
                    {"point", {c.point.x, c.point.y, c.point.z}},
                    {"normal", {c.normal.x, c.normal.y, c.normal.z}}});
  return list;
}

}  // namespace

std::string touching_pairs(const Model& model, std::span<const ContactReport> contacts) {
  const auto same = [](const ContactReport& a, const ContactReport& b) {
    return a.shape_a == b.shape_a && a.shape_b == b.shape_b;
  };
  std::string text;
  for (auto first = contacts.begin(); first != contacts.end();) {
    const auto past = std::find_if(first, contacts.end(), [&](const ContactReport& c) { return !same(c, *first); });
    text +=
        (text.empty() ? "" : ", ") + shape_name(model, first->shape_a) + " and " + shape_name(model, first->shape_b);
    if (past - first > 1) text += " (" + std::to_string(past - first) + " points)";
    first = past;
  }
  return text;
}

std::string why_not_passed(const Model& model, const Certificate& c, std::span<const ContactReport> without_mode) {
  if (c.status != StepStatus::done) {
    std::string why = c.reason;
    const std::string touching = touching_pairs(model, without_mode);
    if (c.body >= 0)
      why += " (body '" + model.bodies()[c.body].name + "'" + (touching.empty() ? "" : "; in touch: " + touching) + ")";
    else if (!touching.empty())
      why += " (in touch: " + touching + ")";
    else if (c.constraint >= 0)
      why += " (constraint '" + model.constraints()[c.constraint].name + "')";
    return why;
  }
  if (const char* figure = c.not_finite()) return std::string(figure) + " is not finite";
  if (!c.finite) return "the energy is not finite";
  if (c.penetration > c.limits.penetration)
    return "shapes penetrate by " + short_number(c.penetration) + " m, above the limit " +
           short_number(c.limits.penetration) + " m";
  if (c.overrun > c.limits.overrun)
    return "a joint is " + short_number(c.overrun) + " rad or m beyond its range, above the limit " +
           short_number(c.limits.overrun);
  if (!c.energy.is_small(c.energy.largest_projection, c.limits.projection))
    return "corrections of positions added or took " + short_number(c.energy.largest_projection) + " J, " +
           short_number(c.energy.largest_projection / c.energy.exchanged) +
           " of the energy exchanged, above the limit " + short_number(c.limits.projection) + ": take a smaller dt";
  if (!c.passed())
    return "energy defect " + short_number(c.energy.largest_defect) + " J, " +
           short_number(c.energy.relative_defect()) + " of the energy exchanged, above the limit " +
           short_number(c.limits.energy) + ": take a smaller dt or another stepper";
  return "";
}

std::string why_loosely(const Certificate& c) {
  if (c.verdict() != Verdict::passed_loosely) return "";
  std::string why;
  if (c.loose > 0)
    why = std::to_string(c.loose) + " of " + std::to_string(c.problems) +
          " contact problems were not solved to the tolerance; the largest residual is " + short_number(c.residual);
  if (c.unsplit > 0)
    why += (why.empty() ? "" : "; ") + ("in " + std::to_string(c.unsplit)) + " of " + std::to_string(c.steps) +
           " steps there were more impacts than max_splits, the others had no restitution";
  if (c.handed_over > 0)
    why += (why.empty() ? "" : "; ") + (std::to_string(c.handed_over) + " of ") + std::to_string(c.steps) +
           " steps were taken by time_stepping (too many events or substeps, or no contact mode)";
  return why;
}

std::string certificate_json(const Model& model, const Certificate& c, const std::optional<EarlyEnd>& early,
                             std::span<const ContactReport> without_mode) {
  using Json = nlohmann::ordered_json;
  const bool cut = early && c.passed();
  const EnergyBalance& e = c.energy;
  const Json certificate = {
      {"passed", c.passed() && !cut},
      {"verdict", cut ? early->status : to_string(c.verdict())},
      {"status", cut ? early->status : to_string(c.status)},
      {"reason", cut          ? early->reason
                 : c.passed() ? why_loosely(c)
                              : why_not_passed(model, c, without_mode)},
      {"finite", c.finite},
      {"body", c.body >= 0 ? Json(model.bodies()[c.body].name) : Json(nullptr)},
      {"constraint", c.constraint >= 0 ? Json(model.constraints()[c.constraint].name) : Json(nullptr)},
      {"constraints", {{"loop_error", c.loop_error}, {"loop_speed", c.loop_speed}}},
      {"contact",
       {{"residual", c.residual},
        {"cone_violation", c.cone_violation},
        {"penetration", c.penetration},
        {"penetration_limit", c.limits.penetration},
        {"overrun", c.overrun},
        {"overrun_limit", c.limits.overrun},
        {"most_contacts", c.most_contacts},
        {"problems", c.problems},
        {"loose", c.loose},
        {"halved", c.halved},
        {"iterations", c.iterations},
        {"declared_fallbacks", c.declared_fallbacks},
        {"impacts", c.impacts},
        {"unsplit_steps", c.unsplit},
        {"painleve_steps", c.painleve},
        {"events", c.events},
        {"ambiguous_modes", c.ambiguous},
        {"handed_over_steps", c.handed_over},
        {"impact_loss", c.impact_loss},
        {"contact_loss", c.contact_loss},
        {"least_release", c.least_release},
        {"restituted", c.restituted},
        {"restitution_gain", c.restitution_gain},
        {"pushed_out", c.pushed_out},
        {"friction_gain", c.friction_gain},
        {"without_mode", json_of(model, without_mode)}}},
      {"steps", c.steps},
      {"evaluations", c.evaluations},
      {"substeps", c.substeps},
      {"rejected", c.rejected},
      {"energy",
       {{"start", e.start},
        {"stored", e.stored},
        {"work", e.work},
        {"dissipated", e.dissipated},
        {"lost", e.lost},
        {"projected", e.projected},
        {"created", e.created},
        {"defect", e.defect()},
        {"largest_defect", e.largest_defect},
        {"largest_projection", e.largest_projection},
        {"exchanged", e.exchanged},
        {"unresolved", e.unresolved},
        {"relative_defect", e.relative_defect()},
        {"tolerance", c.limits.energy}}}};
  return certificate.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace linchpin

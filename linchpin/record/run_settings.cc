#include "linchpin/record/run_settings.h"

#include "linchpin/io/json_archive.h"

namespace linchpin {
namespace json_archive {

template <>
struct NamedEnum<Stepper> {
  static constexpr int count = stepper_count;
  static std::string_view name(Stepper stepper) { return to_string(stepper); }
};
template <>
struct NamedEnum<Method> {
  static constexpr int count = method_count;
  static std::string_view name(Method method) { return to_string(method); }
};
template <>
struct NamedEnum<SolverId> {
  static constexpr int count = int(SolverId::enumeration) + 1;
  static std::string_view name(SolverId id) { return info(id).name; }
};
template <>
struct NamedEnum<Restitution> {
  static constexpr int count = 2;
  static std::string_view name(Restitution r) { return r == Restitution::poisson ? "poisson" : "newton"; }
};

}  // namespace json_archive

using json_archive::Field;

template <class Archive>
void fields(Archive& archive, Field<Archive, ContactOptions> o) {
  archive("method", o.method);
  archive("solver", o.solver);
  archive("directions", o.directions);
  archive("tolerance", o.tolerance);
  archive("acceptable", o.acceptable);
  archive("restitution", o.restitution);
  archive("impact_speed", o.impact_speed);
  archive("max_splits", o.max_splits);
  archive("position_tolerance", o.position_tolerance);
  archive("most_contacts", o.most_contacts);
  archive("sleep_after", o.sleep_after);
  archive("sleep_speed", o.sleep_speed);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, SimulationOptions> o) {
  archive("stepper", o.stepper);
  archive("dt", o.dt);
  archive("relative_tolerance", o.relative_tolerance);
  archive("absolute_tolerance", o.absolute_tolerance);
  archive("max_substeps", o.max_substeps);
  archive("max_iterations", o.max_iterations);
  archive("loop_tolerance", o.loop_tolerance);
  archive("contact", o.contact);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, CertificateLimits> limits) {
  archive("energy", limits.energy);
  archive("penetration", limits.penetration);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, HeldInputs> inputs) {
  archive("tau", inputs.tau);
  archive("f_ext", inputs.f_ext);
  archive("controls", inputs.controls);
}
template <class Archive>
void fields(Archive& archive, Field<Archive, RunSettings> settings) {
  archive("source", settings.source);
  archive("time", settings.time);
  archive("every", settings.every);
  archive("simulation", settings.simulation);
  archive("limits", settings.limits);
  archive("inputs", settings.inputs);
}

namespace {

std::string fault_of(const RunSettings& settings) {
  if (!settings.simulation.stepper) return "simulation.stepper: is missing";
  if (settings.every < 1) return message("every: ", settings.every, " must be at least 1");
  if (!(settings.limits.energy >= 0)) return message("limits.energy: ", settings.limits.energy, " must be at least 0");
  if (!(settings.limits.penetration >= 0))
    return message("limits.penetration: ", settings.limits.penetration, " must be at least 0");
  try {
    check_options(settings.simulation);
  } catch (const CheckFailed& failed) {  // the file's mistake here, not the caller's
    return std::string("simulation: ") + failed.what();
  }
  return {};
}

}  // namespace

std::string settings_to_json(const RunSettings& settings) { return json_archive::written(settings).dump(); }

Result<RunSettings> settings_from_json(std::string_view text) {
  try {
    RunSettings settings;
    json_archive::read(json_archive::parsed(text), json_archive::Place{}, settings);
    if (std::string fault = fault_of(settings); !fault.empty()) return Error{std::move(fault)};
    return settings;
  } catch (const json_archive::Fault& fault) {
    return Error{fault.message};
  }
}

}  // namespace linchpin

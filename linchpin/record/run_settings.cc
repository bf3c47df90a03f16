#include "linchpin/record/run_settings.h"

#include "linchpin/io/json_archive.h"

namespace linchpin {
namespace json_archive {

template <>
inline constexpr int enum_count<Stepper> = stepper_count;
template <>
inline constexpr int enum_count<Method> = method_count;
template <>
inline constexpr int enum_count<SolverId> = int(SolverId::enumeration) + 1;
template <>
inline constexpr int enum_count<Restitution> = 2;

}  // namespace json_archive

using json_archive::Member;

// In this file only: JSON names of enums that have no to_string() of their own.
static std::string_view to_string(SolverId id) { return info(id).name; }
static std::string_view to_string(Restitution r) { return r == Restitution::poisson ? "poisson" : "newton"; }

constexpr auto members(const ContactOptions*) {
  return std::tuple{Member{"method", &ContactOptions::method},
                    Member{"solver", &ContactOptions::solver},
                    Member{"directions", &ContactOptions::directions},
                    Member{"tolerance", &ContactOptions::tolerance},
                    Member{"acceptable", &ContactOptions::acceptable},
                    Member{"restitution", &ContactOptions::restitution},
                    Member{"impact_speed", &ContactOptions::impact_speed},
                    Member{"max_splits", &ContactOptions::max_splits},
                    Member{"position_tolerance", &ContactOptions::position_tolerance},
                    Member{"most_contacts", &ContactOptions::most_contacts},
                    Member{"sleep_after", &ContactOptions::sleep_after},
                    Member{"sleep_speed", &ContactOptions::sleep_speed}};
}
constexpr auto members(const SimulationOptions*) {
  return std::tuple{Member{"stepper", &SimulationOptions::stepper},
                    Member{"dt", &SimulationOptions::dt},
                    Member{"relative_tolerance", &SimulationOptions::relative_tolerance},
                    Member{"absolute_tolerance", &SimulationOptions::absolute_tolerance},
                    Member{"max_substeps", &SimulationOptions::max_substeps},
                    Member{"max_iterations", &SimulationOptions::max_iterations},
                    Member{"loop_tolerance", &SimulationOptions::loop_tolerance},
                    Member{"contact", &SimulationOptions::contact}};
}
constexpr auto members(const CertificateLimits*) {
  return std::tuple{Member{"energy", &CertificateLimits::energy},
                    Member{"penetration", &CertificateLimits::penetration}};
}
constexpr auto members(const HeldInputs*) {
  return std::tuple{Member{"tau", &HeldInputs::tau}, Member{"f_ext", &HeldInputs::f_ext},
                    Member{"controls", &HeldInputs::controls}};
}
constexpr auto members(const RunSettings*) {
  return std::tuple{Member{"source", &RunSettings::source}, Member{"time", &RunSettings::time},
                    Member{"every", &RunSettings::every},   Member{"simulation", &RunSettings::simulation},
                    Member{"limits", &RunSettings::limits}, Member{"inputs", &RunSettings::inputs}};
}

// Called by the reader.
static std::string fault_of(const RunSettings& settings) {
  if (!settings.simulation.stepper) return "simulation.stepper is missing";
  if (settings.every < 1) return message("every: ", settings.every, " must be at least 1");
  if (!(settings.limits.energy >= 0)) return message("limits.energy: ", settings.limits.energy, " must be at least 0");
  if (!(settings.limits.penetration >= 0))
    return message("limits.penetration: ", settings.limits.penetration, " must be at least 0");
  try {
    check_options(settings.simulation);
  } catch (const CheckFailed& failed) {  // here it is a fault of the file, not of the caller
    return std::string("simulation: ") + failed.what();
  }
  return {};
}

std::string settings_to_json(const RunSettings& settings) { return json_archive::written(settings).dump(); }

Result<RunSettings> settings_from_json(std::string_view text) { return json_archive::from_text<RunSettings>(text); }

}  // namespace linchpin

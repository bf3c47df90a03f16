#include "linchpin/record/run_settings.h"

#include <cmath>

#include "linchpin/contact/contact_set.h"
#include "linchpin/io/json_archive.h"

namespace linchpin {
namespace json_archive {

template <>
inline constexpr int enum_count<Stepper> = stepper_count;
template <>
inline constexpr int enum_count<Method> = method_count;
template <>
inline constexpr int enum_count<SolverId> = solver_count;
template <>
inline constexpr int enum_count<Restitution> = 2;

}  // namespace json_archive

using json_archive::Member;

// In this file only: JSON names of enums that have no to_string() of their own.
static std::string_view to_string(SolverId id) { return info(id).name; }
static std::string_view to_string(Restitution r) { return r == Restitution::poisson ? "poisson" : "newton"; }

// Without `threads`, which change no bit.
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
                    Member{"gap_floor", &ContactOptions::gap_floor},
                    Member{"tangential_restitution", &ContactOptions::tangential_restitution},
                    Member{"numerical_damping", &ContactOptions::numerical_damping},
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
                    Member{"order", &SimulationOptions::order},
                    Member{"contact", &SimulationOptions::contact}};
}
constexpr auto members(const CertificateLimits*) {
  return std::tuple{Member{"energy", &CertificateLimits::energy},
                    Member{"projection", &CertificateLimits::projection},
                    Member{"penetration", &CertificateLimits::penetration},
                    Member{"overrun", &CertificateLimits::overrun}};
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

constexpr int most_directions = 1000;  // that of `simulate --directions`; the size of problems grows with it

// Called by the reader.
static std::string fault_of(const RunSettings& settings) {
  if (!settings.simulation.stepper) return "simulation.stepper is missing";
  if (!(settings.time >= 0) || !std::isfinite(settings.time))
    return message("time: ", settings.time, " s must be finite and at least 0");
  if (settings.every < 1) return message("every: ", settings.every, " must be at least 1");
  if (!(settings.limits.energy >= 0)) return message("limits.energy: ", settings.limits.energy, " must be at least 0");
  if (!(settings.limits.penetration >= 0))
    return message("limits.penetration: ", settings.limits.penetration, " must be at least 0");
  if (!(settings.limits.projection >= 0))
    return message("limits.projection: ", settings.limits.projection, " must be at least 0");
  if (!(settings.limits.overrun >= 0))
    return message("limits.overrun: ", settings.limits.overrun, " must be at least 0");
  try {
    check_options(settings.simulation);
  } catch (const CheckFailed& failed) {  // here it is a fault of the file, not of the caller
    return std::string("simulation: ") + failed.what();
  }
  if (settings.simulation.contact.directions > most_directions)
    return message("simulation.contact.directions: ", settings.simulation.contact.directions, " must be at most ",
                   most_directions);
  return {};
}

std::string fault_for(const RunSettings& settings, const Model& model) {
  const SimulationOptions& options = settings.simulation;
  if (has_contact(*options.stepper)) {
    if (options.contact.directions == 2 && !motion_plane(model))
      return "simulation.contact.directions: 2 is for models that move in one plane, and this one does not";
    if (options.contact.method != Method::os)  // which takes every model
      if (const auto made = make_formulation(options.contact.method, model, Plan<double>(model)); !made)
        return message("simulation.contact.method: ", made.error().message);
  }
  if (!settings.inputs) return {};
  const auto fault_of_list = [](const char* name, const std::vector<double>& list, std::size_t count,
                                const char* of) -> std::string {
    if (!list.empty() && list.size() != count)
      return message("inputs.", name, " has ", list.size(), " numbers; the model needs none or ", count, ", ", of);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!std::isfinite(list[i])) return message("inputs.", name, "[", i, "]: ", list[i], " is not finite");
    return {};
  };
  std::string fault = fault_of_list("tau", settings.inputs->tau, std::size_t(model.nv()), "one for each velocity");
  if (fault.empty())
    fault = fault_of_list("f_ext", settings.inputs->f_ext, 6 * model.bodies().size(), "six for each body");
  if (fault.empty())
    fault = fault_of_list("controls", settings.inputs->controls, model.actuators().size(), "one for each actuator");
  return fault;
}

std::string settings_to_json(const RunSettings& settings) { return json_archive::written(settings).dump(); }

Result<RunSettings> settings_from_json(std::string_view text) { return json_archive::from_text<RunSettings>(text); }

}  // namespace linchpin

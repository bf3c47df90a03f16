// Settings of a run other than its model: all that is needed to repeat it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// Inputs that are the same in every step; empty lists are zeros, or the default controls of the actuators.
struct HeldInputs {
  std::vector<double> tau, f_ext, controls;
  Inputs view() const { return {tau, f_ext, controls}; }
};

struct RunSettings {
  std::string source;            // the model as the user gave it: "@stack"
  SimulationOptions simulation;  // with a stepper
  CertificateLimits limits;
  double time = 0;                                  // end of the run, s
  long long every = 1;                              // steps between frames
  std::optional<HeldInputs> inputs = HeldInputs{};  // nullopt: they changed from step to step and were not stored
};

// As JSON, complete and exact; an Error names the field.
std::string settings_to_json(const RunSettings& settings);
Result<RunSettings> settings_from_json(std::string_view text);

// Why these settings cannot be used with this model (inputs of another length, a formulation that does not take the
// model), with the name of the field; empty if they can.
std::string fault_for(const RunSettings& settings, const Model& model);

}  // namespace linchpin

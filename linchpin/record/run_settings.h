// What a run was asked to be, beside its model: all that it takes to do it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// Inputs of every step alike; empty lists are zeros, or the actuators' own controls.
struct HeldInputs {
  std::vector<double> tau, f_ext, controls;
  Inputs view() const { return {tau, f_ext, controls}; }
};

struct RunSettings {
  std::string source;            // what the user called the model: "@stack"
  SimulationOptions simulation;  // with a stepper
  CertificateLimits limits;
  double time = 0;                                  // until when, s
  long long every = 1;                              // steps between frames
  std::optional<HeldInputs> inputs = HeldInputs{};  // nothing: they changed from step to step, and were not kept
};

// As JSON, whole and exact; an Error names the field.
std::string settings_to_json(const RunSettings& settings);
Result<RunSettings> settings_from_json(std::string_view text);

}  // namespace linchpin

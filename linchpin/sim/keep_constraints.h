// For models with constraints: the check at the start of a step, and the projection at its end. Internal to sim/.
#pragma once

#include <optional>

#include "linchpin/sim/steppers.h"

namespace linchpin {

// A report `not_assembled` if the state violates its constraints, else empty. A small error is allowed (a state that
// was written to a file and read back); the first projection removes it.
std::optional<StepReport> refused_start(Dynamics& dynamics, const State& state, const SimulationOptions& options);

// Projects `to`, the state at `time`, onto the constraints: positions, then velocities. Adds the errors and the change
// of energy to the report; sets the status constraints_unmet if it fails.
void project(Dynamics& dynamics, double time, const SimulationOptions& options, Arrival& to, StepReport& report);

}  // namespace linchpin

// Where a model has constraints: whether a step may begin, and the way back onto them when it is done. Internal to sim/.
#pragma once

#include <optional>

#include "linchpin/sim/steppers.h"

namespace linchpin {

// The report of a step that may not begin, for the state is off its constraints. Some error is normal (a state that has
// been written to a file and read back) and goes with the first projection.
std::optional<StepReport> refused_start(Dynamics& dynamics, const State& state, const SimulationOptions& options);

// Brings `to`, reached at `time`, back onto the constraints: positions, then velocities. What that did is added to the
// report; where it cannot be done the report says so.
void project(Dynamics& dynamics, double time, const SimulationOptions& options, Arrival& to, StepReport& report);

}  // namespace linchpin

// What a run is asked to be on the command line: the options that `simulate` and its like share, as typed, and what
// they mean for a model.
//
//     RunRequest request;
//     add_run_options(*verb, request);
//     ...
//     const ModelArgument argument = model_from(request.model);
//     Simulation simulation(argument.model, simulation_options_of(request, argument.model));
//     State state = start_of(request, argument.model);
#pragma once

#include <string>
#include <vector>

#include "apps/options.h"
#include "linchpin/model/state.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// As typed; empty is not said.
struct RunRequest {
  std::string model;
  std::string time = "5", dt = "1e-3", stepper, seed, energy_tolerance;
  std::string method, solver, directions, restitution, tolerance, sleep;
  std::vector<std::string> positions, velocities;
};

// All of these but MODEL and --time, which not every verb has.
void add_run_options(Verb verb, RunRequest& request);

// The settings of a recorded run are in the recording: UsageError if an option is given besides `with` and those
// allowed.
void refuse_others(const Verb& verb, const std::string& with, const std::vector<std::string>& allowed);

// How far and how fine.
struct Schedule {
  double time = 0, dt = 0;
  long long whole = 0;  // steps of dt
  double rest = 0;      // a shorter one at the end, s
  long long every = 1;  // steps between rows of output
  long long steps() const { return whole + (rest > 0 ? 1 : 0); }
};

// Whole steps of dt until `time`, and a shorter one where they do not meet it.
Schedule schedule_until(double time, double dt);
// Steps between rows where nobody says: at most 1000 rows, and of large models fewer.
long long row_spacing(const Schedule& schedule, const Model& model);

// Each of these is a UsageError where the request makes no sense. every: as typed, or empty for at most 1000 rows.
Schedule schedule_of(const RunRequest& request, const std::string& every, const Model& model);
SimulationOptions simulation_options_of(const RunRequest& request, const Model& model);  // the stepper is always there
CertificateLimits limits_of(const RunRequest& request);
State start_of(const RunRequest& request, const Model& model);  // with the model's constraints closed

}  // namespace linchpin

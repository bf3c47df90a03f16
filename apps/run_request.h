// The options of a run on the command line, which `simulate` and `view` share: as typed, and as settings for a model.
//
//     RunRequest request;
//     add_run_options(verb, request);
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

// As typed; if not given, empty or the default.
struct RunRequest {
  std::string model;
  std::string time = "5", dt = "1e-3", stepper, seed, energy_tolerance;
  std::string method, threads, solver, directions, restitution, tolerance, sleep, order, gap_floor;
  std::string tangential_restitution, numerical_damping, relative_tolerance, absolute_tolerance;
  std::vector<std::string> positions, velocities;
};

// All of these but MODEL and --time, which not every verb has.
void add_run_options(Verb verb, RunRequest& request);

// The settings of a recorded run are in the recording: UsageError if an option is given besides `with` and those
// allowed.
void refuse_others(const Verb& verb, const std::string& with, const std::vector<std::string>& allowed);

// The steps of a run.
struct Schedule {
  double time = 0, dt = 0;
  long long whole = 0;  // steps of dt
  double rest = 0;      // a shorter one at the end, s
  long long every = 1;  // steps between rows of output
  long long steps() const { return whole + (rest > 0 ? 1 : 0); }
};

// Whole steps of dt up to `time`, and a shorter last one if they do not end there.
Schedule schedule_until(double time, double dt);
// The default number of steps between rows: for at most 1000 rows, and fewer of large models.
long long row_spacing(const Schedule& schedule, const Model& model);

// Each throws a UsageError if the request is invalid. every: as typed, or empty for row_spacing().
Schedule schedule_of(const RunRequest& request, const std::string& every, const Model& model);
SimulationOptions simulation_options_of(const RunRequest& request, const Model& model);  // always with a stepper
CertificateLimits limits_of(const RunRequest& request);
State start_of(const RunRequest& request, const Model& model);  // satisfies the model's constraints

}  // namespace linchpin

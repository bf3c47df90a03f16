// The outcome of a run and its reports: one line if it failed, the certificate as JSON, the summary.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "apps/constraint_text.h"
#include "apps/json_output.h"
#include "apps/model_argument.h"
#include "apps/run_output.h"
#include "apps/run_request.h"
#include "linchpin/record/certificate_json.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {

struct RunOutcome {
  Certificate certificate;
  double time = 0;                     // reached, s
  double seconds = 0;                  // spent in steps, without those of a run that this one resumes
  double motion = 0;                   //   simulated time of these steps, s
  long long steps = 0;                 //   their number
  bool stopped = false;                // by the user
  std::optional<EarlyEnd> early = {};  // of a recorded run that did not reach its end
  Mobility mobility;                   // at the start
  State end;
  std::vector<ContactReport> without_mode;  // Simulation::contacts_without_mode() of the step that failed
};

// PASSED, PASSED LOOSELY, FAILED, INTERRUPTED or UNFINISHED.
std::string verdict(const RunOutcome& outcome);

// The reason for a failure or an interruption, in one line; empty if the run succeeded.
std::string trouble(const Model& model, const RunOutcome& outcome);

// The elements of the model that this stepper ignores, one line each.
std::vector<std::string> ignored(const Model& model, Stepper stepper);

Json certificate_json(const Model& model, const RunOutcome& outcome);

void print_summary(const ModelArgument& argument, const Schedule& schedule, const SimulationOptions& options,
                   const RunOutcome& outcome, const Strips& strips, std::FILE* out);

}  // namespace linchpin

// How a run ended, and what is printed: one line if it failed, the certificate as JSON, the summary.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "apps/constraint_text.h"
#include "apps/json_output.h"
#include "apps/model_argument.h"
#include "apps/run_output.h"
#include "apps/run_request.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {

struct RunOutcome {
  Certificate certificate;
  double time = 0;       // reached, s
  double seconds = 0;    // spent in steps; those of a run that this one resumes do not count
  double motion = 0;     //   s that these took it through
  long long steps = 0;   //   how many
  bool stopped = false;  // by the user
  Mobility mobility;     // at the start
  State end;
};

// Why it is no success, in a line; empty when it is.
std::string trouble(const Model& model, const RunOutcome& outcome);

// What the model has and this stepper does not act upon.
std::vector<std::string> ignored(const Model& model, Stepper stepper);

Json certificate_json(const Model& model, const RunOutcome& outcome);

void print_summary(const ModelArgument& argument, const Schedule& schedule, const SimulationOptions& options,
                   const RunOutcome& outcome, const Strips& strips, std::FILE* out);

}  // namespace linchpin

// A run from the command line: its steps, the files it writes and the summary.
#pragma once

#include <string>

#include "apps/run_request.h"

namespace linchpin {

// As typed; an empty path writes nothing.
struct SimulateRequest {
  RunRequest run;
  std::string every, csv, json, picture, contacts, record, resume, verify;
  std::string page;  // one HTML file that shows the run
  bool time_said = false;
  bool quiet = false;
  bool strict = false;  // a run that passes loosely ends with status 1
};

// Returns the exit status.
int simulate(const SimulateRequest& request);

}  // namespace linchpin

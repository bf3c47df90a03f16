// Steps through a schedule and passes each step to the outputs.
#pragma once

#include <optional>

#include "apps/picture.h"
#include "apps/progress.h"
#include "apps/run_output.h"
#include "apps/run_report.h"
#include "apps/run_request.h"
#include "linchpin/live/page_data.h"
#include "linchpin/record/recording_writer.h"

namespace linchpin {

inline constexpr int picture_exposures = 12;  // enough to see the way, few enough to tell them apart

// The outputs of a run.
struct Audience {
  RowWriter rows;
  ContactWriter contacts;
  Strips strips;
  std::optional<Picture> picture;
  std::optional<RecordingWriter> recording;
  long long record_every = 1;  // steps between frames
  Progress progress;
  std::optional<PageRecording> page = {};
  long long page_every = 1;  // steps between its frames
};

// The beginning of a new run, or of the rest of a recorded one.
struct Beginning {
  State state;
  long long step = 0;                      // number of steps done before
  std::optional<Certificate> so_far = {};  // of these steps
  Energy at_start{0, 0, 0};                // energies before the first of them
  HeldInputs inputs = {};                  // of all steps
};

// The schedule has the remaining steps. Throws a UsageError if the recording cannot be written.
RunOutcome run_schedule(const Model& model, const Schedule& schedule, const SimulationOptions& options,
                        const CertificateLimits& limits, Beginning beginning, Audience& audience);

}  // namespace linchpin

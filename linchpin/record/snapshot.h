// A snapshot: one moment of a run with all its data, to be recorded or displayed.
//
//     SnapshotTaker take(model);
//     const Snapshot& snapshot = take(step, state, simulation, report, monitor.certificate());
#pragma once

#include <vector>

#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

struct Snapshot {
  long long step = 0;  // number of steps so far
  State state;
  Energy energy{0, 0, 0};
  StepReport report;                    // of the step that led here; default at the start
  Certificate certificate;              // of the run up to here
  std::vector<ContactReport> contacts;  // of the step that led here
  std::vector<double> reactions;        // of the model's constraints in that step: Simulation::reactions()
};

// Takes snapshots of one run. The result is valid until the next call; nothing is allocated once its lists have grown.
class SnapshotTaker {
 public:
  explicit SnapshotTaker(const Model& model) : meter_(model) {}  // must outlive it
  explicit SnapshotTaker(const Model&&) = delete;

  // To be called directly after a step.
  const Snapshot& operator()(long long step, const State& state, const Simulation& simulation, const StepReport& report,
                             const Certificate& certificate);
  // A start: no step led here, so there are no contacts and no report, and reactions are zero, whatever the simulation
  // did before.
  const Snapshot& start(const State& state, const Simulation& simulation, const Certificate& certificate);

 private:
  EnergyMeter meter_;
  Snapshot snapshot_;
};

}  // namespace linchpin

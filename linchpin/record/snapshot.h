// One moment of a run, whole: what a recording keeps and a page shows.
//
//     SnapshotTaker take(model);
//     const Snapshot& snapshot = take(step, state, simulation, report, monitor.certificate());
#pragma once

#include <vector>

#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

struct Snapshot {
  long long step = 0;  // how many led here
  State state;
  Energy energy{0, 0, 0};
  StepReport report;                    // of the step that led here; the first one is as made
  Certificate certificate;              // of the run up to here
  std::vector<ContactReport> contacts;  // of the step that led here
  std::vector<double> reactions;        // of the model's constraints, as Simulation::reactions() has them
};

// Takes snapshots of one run. What it returns is its own, until the next one; nothing is allocated once lists have grown.
class SnapshotTaker {
 public:
  explicit SnapshotTaker(const Model& model) : meter_(model) {}

  // After a step, and before the simulation does anything else. inputs are those of that step.
  const Snapshot& operator()(long long step, const State& state, Simulation& simulation, const StepReport& report,
                             const Certificate& certificate, const Inputs& inputs = {});

 private:
  EnergyMeter meter_;
  Snapshot snapshot_;
};

}  // namespace linchpin

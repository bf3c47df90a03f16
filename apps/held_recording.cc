// held_recording FILE SECONDS: records @pendulum:links=2 with a moment of 3 N m held at its first joint, as a program
// does that uses linchpin's library. For command_test.sh.
#include <cstdio>
#include <cstdlib>

#include "linchpin/model/scenes.h"
#include "linchpin/record/recording_writer.h"

int main(int count, char** words) {
  using namespace linchpin;
  if (count != 3) return 2;
  const ModelSpec spec = scene("@pendulum:links=2").value();
  const Model model = compile(spec).value();
  RunSettings settings;
  settings.source = "@pendulum:links=2";
  settings.simulation.stepper = default_stepper(model);
  settings.time = std::strtod(words[2], nullptr);
  settings.every = 10;
  settings.inputs = HeldInputs{{3, 0}, {}, {}};
  const Inputs inputs = settings.inputs->view();
  RecordingWriter writer = RecordingWriter::create(words[1], spec, model, settings).value();
  Simulation simulation(model, settings.simulation);
  RunMonitor monitor(model, settings.limits);
  SnapshotTaker take(model);
  State state = make_state(model);
  monitor.start(state);
  StepReport report;
  std::optional<Error> fault = writer.add(take(0, state, simulation, report, monitor.certificate()), 1e-3);
  for (long long step = 1; !fault && report.ok() && state.time < settings.time - 1e-9; ++step) {
    report = simulation.step(state, inputs);
    monitor.add(state, report);
    if (step % settings.every == 0)
      fault = writer.add(take(step, state, simulation, report, monitor.certificate()), 1e-3);
  }
  if (!fault) fault = writer.finish(RunEnd::done);
  if (fault) std::fprintf(stderr, "%s\n", fault->message.c_str());
  return fault || !report.ok() ? 1 : 0;
}

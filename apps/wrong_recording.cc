// wrong_recording FILE: for tests of simulate --verify. Writes a recording whose settings say rk4, but whose run was
// made by explicit_euler; the first frames are the same, since both start at rest.
#include <cstdio>

#include "linchpin/model/scenes.h"
#include "linchpin/record/recording_writer.h"

using namespace linchpin;

int main(int count, char** words) {
  if (count != 2) return 2;
  const ModelSpec spec = scene("@pendulum:links=2").value();
  const Model model = compile(spec).value();
  RunSettings settings;
  settings.source = "@pendulum:links=2";
  settings.simulation.stepper = Stepper::rk4;
  settings.time = 0.01;
  Result<RecordingWriter> made = RecordingWriter::create(words[1], spec, model, settings);
  if (!made) return std::fprintf(stderr, "%s\n", made.error().message.c_str()), 2;
  RecordingWriter writer = std::move(made).value();
  SimulationOptions other = settings.simulation;
  other.stepper = Stepper::explicit_euler;
  Simulation simulation(model, other);
  RunMonitor monitor(model, settings.limits);
  SnapshotTaker take(model);
  State state = make_state(model);
  monitor.start(state);
  bool good = !writer.add(take(0, state, simulation, {}, monitor.certificate()), other.dt);
  for (int step = 1; step <= 10; ++step) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    good = good && !writer.add(take(step, state, simulation, report, monitor.certificate()), other.dt);
  }
  return good && !writer.finish(RunEnd::done) ? 0 : 2;
}

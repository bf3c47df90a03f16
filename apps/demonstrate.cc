// `linchpin` without arguments: the dual-arm robot takes a wheel off its hub; the run is written as a page and a
// recording.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/reproduce/workshop_tasks.h"
#include "apps/run_report.h"
#include "linchpin/live/page_data.h"
#include "linchpin/live/viewer_page.h"
#include "linchpin/record/recording_writer.h"

namespace linchpin {
namespace {

constexpr const char* scene_name = "@workshop";
constexpr const char* page_name = "linchpin-first-run.html";
constexpr const char* recording_name = "linchpin-first-run.h5";
constexpr int frame_rate = 60;  // a second

Schedule schedule_for(const WheelTimes& times, double dt) {
  Schedule schedule;
  schedule.time = times.end;
  schedule.dt = dt;
  schedule.whole = std::lround(times.end / dt);
  schedule.every = std::max(1l, std::lround(1 / (frame_rate * dt)));
  return schedule;
}

RecordingWriter new_recording(const ModelArgument& argument, const SimulationOptions& options,
                              const Schedule& schedule) {
  RunSettings settings;
  settings.source = argument.text;
  settings.simulation = options;
  settings.time = schedule.time;
  settings.every = schedule.every;
  settings.inputs.reset();  // servo set points and gravity compensation change at each step
  Result<RecordingWriter> made = RecordingWriter::create(recording_name, argument.spec, argument.model, settings);
  if (!made) throw UsageError(made.error().message);
  return std::move(made).value();
}

void must_do(const std::optional<Error>& fault) {
  if (fault) throw UsageError(fault->message);
}

}  // namespace

int demonstrate() {
  const ModelArgument argument = model_from(scene_name);
  const Workshop shop = make_workshop();
  WheelTimes times{};
  const std::vector<WorkKey> keys = wheel_keys(true, times);
  WorkOptions options;
  const Schedule schedule = schedule_for(times, options.dt);
  const bool with_page = !viewer_page().empty();
  OutputFile page("the first run's page", with_page ? page_name : "");
  RecordingWriter recording = new_recording(argument, options.simulation(), schedule);
  PageRecording frames(shop.model, options.simulation(), scene_name);
  SnapshotTaker take(shop.model);
  Strips strips(shop.model, schedule.steps());
  RunOutcome outcome;
  options.watch = [&](long step, const State& state, const Simulation& simulation, const StepReport& report,
                      const Certificate& certificate) {
    if (step == 0) outcome.mobility = mobility_at(shop.model, state);
    outcome.end = state;
    outcome.time = outcome.motion = state.time;
    outcome.steps = step;
    const bool due = step % schedule.every == 0 || step == schedule.whole || !report.ok();
    if (!due && !strips.due(step)) return;
    const Snapshot& snapshot = take(step, state, simulation, report, certificate);
    if (strips.due(step)) strips.add(state, snapshot.energy);
    if (!due) return;
    frames.add(snapshot);
    must_do(recording.add(snapshot, schedule.dt));
  };

  fmt::print(
      "The dual-arm robot of paper 000, 26 joints, takes a wheel of 4 kg off its hub, held by friction alone:\n\n");
  std::fflush(stdout);
  Progress progress(true);
  const auto start = std::chrono::steady_clock::now();
  const WorkRun run = work(shop, keys, shop.wheel, options, [&](double fraction) {
    progress.show(fraction, fmt::format("t = {:.2f} s", fraction * schedule.time));
    return !interrupted();
  });
  progress.clear();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.certificate = run.certificate;
  outcome.stopped = interrupted();
  const bool good = trouble(shop.model, outcome).empty();
  must_do(recording.finish(outcome.stopped ? RunEnd::stopped : good ? RunEnd::done : RunEnd::failed));
  print_summary(argument, schedule, options.simulation(), outcome, strips, stdout);
  if (outcome.stopped) return exit_failed;

  if (with_page) {
    page.write(page_with_recording(viewer_page(), frames.blob(run.certificate)));
    page.commit();
    fmt::print("\nLook at it: open ./{} in a browser, or `linchpin view {}` (both files replace older ones).\n",
               page_name, recording_name);
  } else {
    fmt::print(
        "\nRecorded in ./{} (replaces an older one). This program was built without the viewer's page, which shows "
        "it:\n"
        "`linchpin view {}` says how to get it.\n",
        recording_name, recording_name);
  }
  fmt::print("Try next: linchpin view @stack, linchpin simulate @stand --time 2, linchpin help\n");
  return good ? exit_done : exit_failed;
}

}  // namespace linchpin

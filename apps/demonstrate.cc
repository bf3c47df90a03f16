// `linchpin` without arguments: the dual-arm robot takes a wheel off its hub, and leaves something to look at.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/reproduce/workshop_tasks.h"
#include "apps/run_report.h"
#include "linchpin/record/page_data.h"
#include "linchpin/record/viewer_page.h"

namespace linchpin {
namespace {

constexpr const char* page_name = "linchpin-first-run.html";
constexpr const char* scene_name = "@workshop";
constexpr int frame_rate = 60;  // a second

}  // namespace

int demonstrate() {
  const bool with_page = !viewer_page().empty();
  OutputFile page("the first run's page", with_page ? page_name : "");
  fmt::print("The dual-arm robot of paper 000, 26 joints, takes a wheel of 4 kg off its hub: held by friction alone.\n\n");
  std::fflush(stdout);

  const ModelArgument argument = model_from(scene_name);
  const Workshop shop = make_workshop();
  WheelTimes times{};
  const std::vector<WorkKey> keys = wheel_keys(true, times);
  WorkOptions options;
  const long every = std::max(1l, std::lround(1 / (frame_rate * options.dt)));
  Schedule schedule;
  schedule.time = times.end;
  schedule.dt = options.dt;
  schedule.whole = std::lround(times.end / options.dt);

  PageRecording frames(shop.model, options.simulation(), scene_name);
  SnapshotTaker take(shop.model);
  Strips strips(shop.model, schedule.whole);
  RunOutcome outcome;
  options.watch = [&](long step, const State& state, Simulation& simulation, const StepReport& report,
                      const Certificate& certificate, const Inputs& inputs) {
    if (step == 0) outcome.mobility = mobility_at(shop.model, state);
    outcome.end = state;
    outcome.time = state.time;
    const bool due = step % every == 0 || step == schedule.whole || !report.ok();
    if (!due && !strips.due(step)) return;
    const Snapshot& snapshot = take(step, state, simulation, report, certificate, inputs);
    if (due) frames.add(snapshot);
    if (strips.due(step)) strips.add(state, snapshot.energy);
  };
  Progress progress(true);
  const auto start = std::chrono::steady_clock::now();
  const WorkRun run = work(shop, keys, shop.wheel, options, [&](double fraction) {
    progress.show(fraction, "the wheel");
    return !interrupted();
  });
  progress.clear();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.certificate = run.certificate;
  outcome.stopped = interrupted();
  print_summary(argument, schedule, options.simulation(), outcome, strips, stdout);
  if (outcome.stopped) return exit_failed;

  if (with_page) {
    page.write(page_with_recording(viewer_page(), frames.blob(run.certificate)));
    page.commit();
    fmt::print("\nLook at it: open ./{} in a browser (it was written over if it was there).\n", page_name);
  } else {
    fmt::print("\nThis program was built without the viewer's page, so there is none to look at: `linchpin view` says why.\n");
  }
  fmt::print("Try next: linchpin view @stack, linchpin simulate @stand --time 2, linchpin help\n");
  return trouble(shop.model, outcome).empty() ? exit_done : exit_failed;
}

}  // namespace linchpin

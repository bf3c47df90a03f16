#include "apps/run_schedule.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "apps/command.h"

namespace linchpin {
namespace {

void must_do(const std::optional<Error>& fault) {
  if (fault) throw UsageError("--record " + fault->message);
}

RunEnd end_of(const RunOutcome& outcome) {
  if (outcome.stopped) return RunEnd::stopped;
  return outcome.certificate.passed() ? RunEnd::done : RunEnd::failed;
}

// Frames for a recording and a page: every so many steps, and the last one.
class FrameRecorder {
 public:
  FrameRecorder(const Model& model, Audience& audience)
      : take_(model),
        writer_(audience.recording),
        page_(audience.page),
        every_(audience.record_every),
        page_every_(audience.page_every) {}
  void add(long long step, bool last, double dt, const State& state, const Simulation& simulation,
           const StepReport& report, const Certificate& certificate) {
    const bool records = writer_ && (last || step % every_ == 0), shows = page_ && (last || step % page_every_ == 0);
    if (!records && !shows) return;
    const Snapshot& snapshot = take_(step, state, simulation, report, certificate);
    if (records) must_do(writer_->add(snapshot, dt));
    if (shows) page_->add(snapshot);
  }
  void finish(RunEnd end) {
    if (writer_) must_do(writer_->finish(end));
  }

 private:
  SnapshotTaker take_;
  std::optional<RecordingWriter>& writer_;
  std::optional<PageRecording>& page_;
  long long every_, page_every_;
};

}  // namespace

RunOutcome run_schedule(const Model& model, const Schedule& schedule, const SimulationOptions& options,
                        const CertificateLimits& limits, Beginning beginning, Audience& audience) {
  using Clock = std::chrono::steady_clock;
  State& state = beginning.state;
  const Inputs inputs = beginning.inputs.view();
  Simulation simulation(model, options);
  RunMonitor monitor(model, limits);
  EnergyMeter meter(model);
  FrameRecorder recorder(model, audience);
  const long long between = std::max(1LL, (schedule.steps() + picture_exposures - 2) / (picture_exposures - 1));
  const auto note = [&](long long step, bool last) {
    if (audience.picture && (last || step % between == 0)) audience.picture->expose(state);
    const bool due = last || step % schedule.every == 0;
    if (due && audience.contacts.wanted()) audience.contacts.add(state.time, simulation.contacts());
    const bool row = audience.rows.wanted() && due;
    const bool point = last || audience.strips.due(step);
    if (!row && !point) return;
    const Energy e = meter(state);
    if (row) audience.rows.add(state, simulation.reactions(), e, monitor.certificate().energy);
    if (point) audience.strips.add(state, e);
  };
  RunOutcome outcome;
  const double from = state.time;
  outcome.mobility = mobility_at(model, state);
  if (beginning.so_far)
    monitor.resume(beginning.at_start, *beginning.so_far);
  else
    monitor.start(state);
  const long long steps = schedule.steps();
  note(0, false);
  if (beginning.step == 0) recorder.add(0, false, options.dt, state, simulation, {}, monitor.certificate());
  for (long long step = 1; step <= steps && !outcome.stopped; ++step) {
    double dt = options.dt;
    if (step == steps && schedule.rest > 0) {
      SimulationOptions shorter = options;
      dt = shorter.dt = schedule.rest;
      simulation = Simulation(model, shorter);
    }
    const auto start = Clock::now();
    const StepReport report = simulation.step(state, inputs);
    outcome.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    monitor.add(state, report);
    const long long count = beginning.step + step;
    outcome.steps = step;
    if (!report.ok()) {
      const std::span<const ContactReport> without_mode = simulation.contacts_without_mode();
      outcome.without_mode.assign(without_mode.begin(), without_mode.end());
      if ((step - 1) % schedule.every != 0) note(step - 1, true);  // the last good state
      recorder.add(count - 1, true, dt, state, simulation, report, monitor.certificate());
      break;
    }
    if (interrupted()) outcome.stopped = true;
    const bool last = step == steps || outcome.stopped || !monitor.certificate().finite;
    recorder.add(count, last, dt, state, simulation, report, monitor.certificate());
    if (!monitor.certificate().finite) break;
    note(step, last);
    if (audience.progress.due())
      audience.progress.show(double(step) / double(steps), fmt::format("t = {:.3g} s, energy {:.6g} J", state.time,
                                                                       monitor.certificate().energy.stored));
  }
  audience.progress.clear();
  outcome.certificate = monitor.certificate();
  outcome.time = state.time;
  outcome.motion = state.time - from;
  outcome.end = std::move(state);
  recorder.finish(end_of(outcome));
  return outcome;
}

}  // namespace linchpin

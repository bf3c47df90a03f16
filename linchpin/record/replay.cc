#include "linchpin/record/replay.h"

#include <bit>
#include <cstdint>
#include <optional>

#include "linchpin/record/signals.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

bool same_bits(double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); }

struct Difference {
  std::string what;
  double recorded, again;
};

// Finds the first number in which two snapshots differ.
class Comparison {
 public:
  explicit Comparison(const Model& model) : signals_(model) {}

  const std::optional<Difference>& operator()(const Snapshot& recorded, const Snapshot& again) {
    found_.reset();
    compare("time", recorded.state.time, again.state.time);
    compare("status of the step", double(int(recorded.report.status)), double(int(again.report.status)));
    signals_.values(recorded, recorded_);
    signals_.values(again, again_);
    for (std::size_t i = 0; i < recorded_.size(); ++i) compare(signals_.names()[i], recorded_[i], again_[i]);
    compare_contacts(recorded.contacts, again.contacts);
    compare_memory(recorded.state, again.state);
    return found_;
  }

 private:
  template <class Name>
  void compare(const Name& what, double recorded, double again) {
    if (found_ || same_bits(recorded, again)) return;
    found_ = Difference{what, recorded, again};
  }
  void compare_contacts(const std::vector<ContactReport>& recorded, const std::vector<ContactReport>& again) {
    compare("number of contacts", double(recorded.size()), double(again.size()));
    for (std::size_t i = 0; i < recorded.size() && !found_; ++i) {
      const ContactReport &a = recorded[i], &b = again[i];
      const auto field = [&](const std::string& name, double x, double y) {
        if (!same_bits(x, y)) compare(message("contact[", i, "].", name), x, y);
      };
      const auto vector = [&](const std::string& name, const Vec3<double>& x, const Vec3<double>& y) {
        field(name + ".x", x.x, y.x);
        field(name + ".y", x.y, y.y);
        field(name + ".z", x.z, y.z);
      };
      field("shape_a", a.shape_a, b.shape_a);
      field("shape_b", a.shape_b, b.shape_b);
      field("gap", a.gap, b.gap);
      vector("point", a.point, b.point);
      vector("normal", a.normal, b.normal);
      vector("force", a.force, b.force);
      field("normal_force", a.normal_force, b.normal_force);
      field("friction", a.friction, b.friction);
      field("mu", a.mu, b.mu);
      field("state", int(a.state), int(b.state));
    }
  }
  // The parts of the state, other than positions and velocities, that the next step depends on.
  void compare_memory(const State& recorded, const State& again) {
    compare("substep", recorded.substep, again.substep);
    compare("fresh", recorded.fresh, again.fresh);
    compare("loose_steps", recorded.loose_steps, again.loose_steps);
    compare("number of rows in memory", double(recorded.memory.size()), double(again.memory.size()));
    for (std::size_t i = 0; i < recorded.memory.size() && !found_; ++i) {
      for (std::size_t k = 0; k < 5; ++k)
        if (recorded.memory[i].key[k] != again.memory[i].key[k])
          compare(message("memory[", i, "].key[", k, "]"), recorded.memory[i].key[k], again.memory[i].key[k]);
      for (std::size_t k = 0; k < 3 && !found_; ++k)
        if (!same_bits(recorded.memory[i].force[k], again.memory[i].force[k]))
          compare(message("memory[", i, "].force[", k, "]"), recorded.memory[i].force[k], again.memory[i].force[k]);
      for (std::size_t k = 0; k < 3 && !found_; ++k)
        if (!same_bits(recorded.memory[i].approach[k], again.memory[i].approach[k]))
          compare(message("memory[", i, "].approach[", k, "]"), recorded.memory[i].approach[k],
                  again.memory[i].approach[k]);
    }
    compare("number of accelerations", double(recorded.vdot.size()), double(again.vdot.size()));
    for (std::size_t i = 0; i < recorded.vdot.size() && !found_; ++i)
      compare(message("vdot[", i, "]"), recorded.vdot[i], again.vdot[i]);
    compare("number of trees at rest", double(recorded.still.size()), double(again.still.size()));
    for (std::size_t i = 0; i < recorded.still.size() && !found_; ++i)
      compare(message("still[", i, "]"), recorded.still[i], again.still[i]);
  }

  Signals signals_;
  std::vector<double> recorded_, again_;
  std::optional<Difference> found_;
};

// Steps of dt, the last one possibly shorter, and a failed one, take at least this time. Without this check a wrong
// number would keep us stepping for ever.
std::optional<Error> check_step_count(const Recording& recording, long long frame, long long steps) {
  const std::vector<double>& times = recording.times();
  const double passed = frame > 0 ? times[frame] - times[frame - 1] : 0, dt = recording.settings().simulation.dt;
  if (double(steps) <= passed / dt * (1 + 1e-6) + 2) return {};
  return Error{message(recording.file().string(), ": frames/step[", frame, "]: ", steps, " steps of ", dt, " s in ",
                       passed, " s")};
}

// Of the recorded time; 1 if the recording has no duration, because its first step failed.
double fraction_at(const Recording& recording, double time) {
  const double first = recording.times().front(), last = recording.times().back();
  return last > first ? (time - first) / (last - first) : 1;
}

}  // namespace

Result<Replay> replay(const Recording& recording, const std::function<bool(double)>& go_on) {
  const RunSettings& settings = recording.settings();
  if (!settings.inputs)
    return Error{recording.file().string() + ": its inputs changed from step to step and were not recorded"};
  const Model& model = recording.model();
  const Inputs inputs = settings.inputs->view();
  Simulation usual(model, settings.simulation);
  RunMonitor monitor(model, settings.limits);
  SnapshotTaker take(model);
  Comparison differ(model);
  Snapshot recorded;
  if (std::optional<Error> fault = recording.read(0, recorded)) return std::move(*fault);
  State state = recorded.state;
  monitor.start(state);
  StepReport report;
  Replay result;
  for (long long frame = 0, step = recorded.step; frame < recording.frames(); ++frame) {
    if (frame > 0)
      if (std::optional<Error> fault = recording.read(frame, recorded)) return std::move(*fault);
    // The frame of a failed step counts only the steps before it; the failed one is repeated too.
    const long long target = recorded.step + (recorded.report.ok() ? 0 : 1);
    const double dt = recording.step_sizes()[frame];
    if (std::optional<Error> fault = check_step_count(recording, frame, target - step)) return std::move(*fault);
    std::optional<Simulation> shorter;
    for (; step < target; ++step) {
      if (go_on && step % 64 == 0 && !go_on(fraction_at(recording, state.time))) return result;
      if (step + 1 == target && dt != settings.simulation.dt) {
        SimulationOptions options = settings.simulation;
        options.dt = dt;
        shorter.emplace(model, options);
      }
      report = (shorter ? *shorter : usual).step(state, inputs);
      monitor.add(state, report);
      if (!report.ok()) break;
    }
    const Snapshot& again = take(recorded.step, state, shorter ? *shorter : usual, report, monitor.certificate());
    result.frames = frame + 1;
    if (const std::optional<Difference>& difference = differ(recorded, again)) {
      result.same = false;
      result.frame = frame;
      result.time = recorded.state.time;
      result.what = difference->what;
      result.recorded = difference->recorded;
      result.again = difference->again;
      return result;
    }
  }
  return result;
}

}  // namespace linchpin

#include "apps/reproduce/swing_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "linchpin/model/scenes.h"

namespace linchpin {

Model swing_model(int links) { return compile(scene(fmt::format("@swing:links={}", links)).value()).value(); }

SwingRun run_swing(const Model& model, const SwingOptions& options, const std::function<bool(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  const int last = int(model.bodies().size()) - 1;
  const Vec3<double> centre = model.bodies()[last].geometry.front().X_BG.p;
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  SwingRun run;
  const auto look = [&](const State& state) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
    const Vec3<double> at = body_pose(model, kin, last) * centre;
    run.samples.push_back({state.time, at.z, point_velocity(model, kin, vel, last, centre).v.z, state});
  };

  Simulation simulation(
      model, {.stepper = Stepper::time_stepping,
              .dt = options.dt,
              .contact = {.method = options.method, .solver = options.solver, .directions = options.directions}});
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  look(state);
  const long steps = std::lround(options.time / options.dt);
  const long every = std::max(1L, std::lround(options.sample / options.dt));
  run.step_time.reserve(steps);
  for (long i = 1; i <= steps; ++i) {
    const Clock::time_point start = Clock::now();
    const StepReport report = simulation.step(state);
    run.step_time.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    run.in_contact.push_back(report.contacts > 0 || report.impacts > 0);
    monitor.add(state, report);
    if (!report.ok()) break;
    for (const ContactReport& c : report.impacts > 0 ? simulation.contacts() : std::span<const ContactReport>{}) {
      if (!(c.normal_force > 0)) continue;
      const bool world = c.body_a == 0 || c.body_b == 0;
      const bool up = std::abs(c.normal.z) > 0.5;
      run.touches.push_back({state.time,
                             !world ? SwingTouch::link
                             : up   ? SwingTouch::floor
                                    : SwingTouch::wall,
                             std::max(c.body_a, c.body_b)});
    }
    if (i % every != 0) continue;
    look(state);
    if (!progress(double(i) / double(steps))) break;
  }
  run.certificate = monitor.certificate();
  return run;
}

const SwingSample& sample_at(const SwingRun& run, double time) {
  const auto after = std::ranges::lower_bound(run.samples, time - 1e-9, {}, &SwingSample::time);
  return after == run.samples.end() ? run.samples.back() : *after;
}

}  // namespace linchpin

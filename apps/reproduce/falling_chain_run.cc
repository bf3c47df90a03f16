#include "apps/reproduce/falling_chain_run.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {

ChainRun run_falling_chain(const std::string& name, const Model& model, const SimulationOptions& options, double time) {
  const int last = int(model.bodies().size()) - 1;
  const Vec3<double> p{-0.5, 0, 0}, q{0.5, 0, 0};  // P on the first rod, Q on the last
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  ChainRun run{.name = name, .samples = {}, .certificate = {}};
  double x = 0;
  const auto look = [&](const State& state) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
    const double centre = centre_of_mass(model, kin, vel).position.x;
    if (run.samples.empty()) x = centre;
    run.samples.push_back({state.time, centre - x, (body_pose(model, kin, 1) * p).z,
                           (body_pose(model, kin, last) * q).z, point_velocity(model, kin, vel, 1, p).v.z,
                           point_velocity(model, kin, vel, last, q).v.z});
  };
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  look(state);
  for (long i = std::lround(time / options.dt); i > 0; --i) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    if (!report.ok()) break;
    look(state);
  }
  run.certificate = monitor.certificate();
  return run;
}

double largest_drift(const ChainRun& run) {
  double most = 0;
  for (const ChainSample& s : run.samples) most = larger(most, std::abs(s.drift));
  return most;
}

// An end lands where its velocity along the normal jumps upwards near the floor.
Touchdown touchdown_of(const ChainRun& run) {
  constexpr double near = 0.02, jump = 0.5;  // m, m/s: within 1 ms free motion changes velocities by far less
  const auto landing = [&](double ChainSample::*gap, double ChainSample::*speed) {
    std::size_t i = 1;
    while (i < run.samples.size() &&
           !(run.samples[i].*gap < near && run.samples[i].*speed - run.samples[i - 1].*speed > jump))
      ++i;
    return i;
  };
  const std::size_t p = landing(&ChainSample::gap_p, &ChainSample::speed_p);
  const std::size_t q = landing(&ChainSample::gap_q, &ChainSample::speed_q);
  return {std::min(p, q), std::max(p, q), q < p};
}

double first_gap(const ChainRun& run, const Touchdown& touch, std::size_t sample) {
  return touch.q_first ? run.samples[sample].gap_q : run.samples[sample].gap_p;
}
double first_speed(const ChainRun& run, const Touchdown& touch, std::size_t sample) {
  return touch.q_first ? run.samples[sample].speed_q : run.samples[sample].speed_p;
}

}  // namespace linchpin

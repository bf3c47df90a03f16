// hybrid/figure7: 002 Figure 7, the drift of the energy of a pendulum of 8 rods by Euler's method and by Runge-Kutta.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "apps/reproduce/falling_chain_run.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

struct EnergyRun {
  Stepper stepper;
  std::string name;
  Series drift;        // |energy - energy at the start|, J
  double largest = 0;  // J
  bool done = true;    // all steps
};

EnergyRun run_pendulum(const Model& model, Stepper stepper, const std::string& name, double time) {
  EnergyRun run{stepper, name, {name, {}, true, false}};
  Simulation simulation(model, {.stepper = stepper, .dt = falling_chain_dt});
  EnergyMeter energy(model);
  State state = make_state(model);
  state.q[0] = std::numbers::pi / 2;  // all rods horizontal
  const double start = energy(state).total();
  for (long i = std::lround(time / falling_chain_dt); i > 0; --i) {
    if (!simulation.step(state).ok()) {
      run.done = false;
      break;
    }
    const double drift = std::abs(energy(state).total() - start);
    run.largest = larger(run.largest, drift);
    run.drift.points.emplace_back(state.time, drift);
  }
  return run;
}

double drift_at(const EnergyRun& run, double time) {
  const std::size_t i = std::size_t(std::lround(time / falling_chain_dt)) - 1;
  double most = 0;
  for (std::size_t k = 0; k <= i && k < run.drift.points.size(); ++k) most = larger(most, run.drift.points[k].second);
  return most;
}

}  // namespace

Reproduction reproduce_hybrid_figure7(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const double time = options.quick ? 2 : 5;
  const Model model = compile(scene("@planar_chain:links=8").value()).value();
  std::vector<EnergyRun> runs;
  const std::pair<Stepper, const char*> which[] = {{Stepper::explicit_euler, "Euler"},
                                                   {Stepper::position_level, "Euler as used with contact"},
                                                   {Stepper::time_stepping, "time_stepping"},
                                                   {Stepper::rk4, "Runge-Kutta of order 4"}};
  for (const auto& [stepper, name] : which) {
    if (!progress(double(runs.size()) / double(std::size(which)), name)) return {};
    runs.push_back(run_pendulum(model, stepper, name, time));
  }
  const EnergyRun &euler = runs[0], &used = runs[1], &ours = runs[2], &rk4 = runs[3];
  const double at = 2;  // s: the pendulum has swung through and back
  const double ratio = drift_at(euler, at) / drift_at(rk4, at), used_ratio = drift_at(used, at) / drift_at(rk4, at);

  Reproduction result;
  result.claims = {
      {"Euler's method drifts a million times as much as Runge-Kutta's",
       "\"errors of magnitude O(10^6) higher than the explicit Runge-Kutta integration\"",
       fmt::format("until {:g} s {:.1e} J against {:.1e} J: {:.0e} times; {:.0e} times with the new velocities in "
                   "q+ = q + h v+, as 002 (3) needs",
                   at, drift_at(euler, at), drift_at(rk4, at), ratio, used_ratio),
       ratio > 1e5 && used_ratio > 1e5},
      {"Runge-Kutta's drift is small", "\"O(10^-6)\" in the figure",
       fmt::format("{:.0e} J until {:g} s", drift_at(rk4, at), at), drift_at(rk4, at) < 1e-5},
      {"our default stepper lies between", "-",
       fmt::format("time_stepping, of order 2: {:.0e} J until {:g} s", drift_at(ours, at), at),
       drift_at(ours, at) < 1e-2 * drift_at(euler, at)},
      {"all runs end", "-", fmt::format("{:g} s in steps of 1 ms", time),
       euler.done && used.done && ours.done && rk4.done},
  };
  Table table{"Largest change of the energy, J", "l", {"method"}};
  std::vector<double> times{0.5, 1, 2};
  if (!options.quick) times.insert(times.end(), {3, 5});
  for (const double t : times) {
    table.columns.push_back(fmt::format("until {:g} s", t));
    table.align += "r";
  }
  for (const EnergyRun& run : runs) {
    table.rows.push_back({run.name});
    for (const double t : times) table.rows.back().push_back(fmt::format("{:.1e}", drift_at(run, t)));
  }
  Plot plot{.title = "Figure 7: drift of the energy, dt = 1 ms",
            .x_label = "s",
            .y_label = "J",
            .log_y = true,
            .note = "Eight rods of 1 m and 1 kg, let go at rest from a horizontal position."};
  for (const EnergyRun& run : runs) plot.series.push_back(run.drift);
  result.account = {
      Paragraph{"@planar_chain with 8 rods, hung at one end, from rest in a horizontal position; no contact. The paper "
                "does not state the length of its run. The motion is chaotic: every drift grows with time."},
      plot, table};
  return result;
}

}  // namespace linchpin

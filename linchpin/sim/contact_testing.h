// What tests of contact over time share: a scene run under the eyes of a monitor.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/scenes.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/testing.h"

namespace linchpin {

struct Finished {
  State state;
  Certificate certificate;
};

template <class Look>
Finished run(const Model& model, double time, const SimulationOptions& options, const Look& look) {
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  const long steps = std::lround(time / options.dt);
  for (long i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    EXPECT_TRUE(report.ok()) << report.reason << " at t = " << state.time;
    if (!report.ok()) break;
    look(state, simulation, report);
  }
  return {state, monitor.certificate()};
}
inline Finished run(const Model& model, double time, const SimulationOptions& options = {}) {
  return run(model, time, options, [](const State&, const Simulation&, const StepReport&) {});
}

inline double fastest(const State& state) { return largest(state.v); }

inline std::vector<Method> all_methods() {
  return {Method::os,          Method::rmc,          Method::mc,         Method::nmc_os,    Method::nmc,
          Method::multipliers, Method::hybrid_dense, Method::hybrid_aba, Method::hybrid_dca};
}

}  // namespace linchpin

// Runs of @falling_chain, the system of 002 figures 7 and 8, and of @planar_chain, for the reproductions of 002 s.4.1.
#pragma once

#include <string>
#include <vector>

#include "linchpin/sim/certificate.h"

namespace linchpin {

inline constexpr double falling_chain_dt = 1e-3;  // s, as in the paper

struct ChainSample {
  double time;
  double drift;             // m: of the centre of mass along x; 0 in the exact motion, as no force acts along x
  double gap_p, gap_q;      // m: of the two ends P and Q, negative for penetration
  double speed_p, speed_q;  // m/s: of P and Q along the floor's normal
};

struct ChainRun {
  std::string name;
  std::vector<ChainSample> samples;  // the start, then every step
  Certificate certificate;
};

// Runs a model with bodies rod_1 .. rod_n, as those of @falling_chain, from its own start.
ChainRun run_falling_chain(const std::string& name, const Model& model, const SimulationOptions& options, double time);

// Largest |drift|, m.
double largest_drift(const ChainRun& run);
// The first and the second end to reach the floor, and when: indices of samples; the number of samples if never.
struct Touchdown {
  std::size_t first, second;
  bool q_first;
};
Touchdown touchdown_of(const ChainRun& run);
// The gap of the end that lands first.
double first_gap(const ChainRun& run, const Touchdown& touch, std::size_t sample);
double first_speed(const ChainRun& run, const Touchdown& touch, std::size_t sample);

}  // namespace linchpin

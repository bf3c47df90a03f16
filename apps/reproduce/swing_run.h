// Runs of @swing, the pendulum of 000 s.8, for the reproductions of its Table 2, Figure 5 and Figure 6.
#pragma once

#include <functional>
#include <vector>

#include "linchpin/sim/certificate.h"

namespace linchpin {

inline constexpr double swing_dt = 1e-4;    // s, as in the paper
inline constexpr int swing_directions = 4;  // of friction: nf of its Table 2

Model swing_model(int links);

struct SwingOptions {
  Method method = Method::os;
  SolverId solver = SolverId::automatic;
  int directions = swing_directions;  // 0: the cone
  double dt = swing_dt, time = 1;     // s
  double sample = 2e-3;               // s between samples: a whole number of steps
};

// The last link's centre: its height, and its velocity along the floor's normal.
struct SwingSample {
  double time, height, speed;
  State state;
};

// A contact that pushed during a step with impacts.
struct SwingTouch {
  double time;
  enum With { floor, wall, link } with;
  int body;  // the link, the lower of two
};

struct SwingRun {
  std::vector<SwingSample> samples;  // the start is the first
  std::vector<SwingTouch> touches;   // in their order
  std::vector<double> step_time;     // s: computing time of each step, without its samples
  std::vector<char> in_contact;      // by step: 1 if there were contacts or impacts
  Certificate certificate;
  // All steps done and finite, penetration and energy within their limits, every problem solved to its tolerance.
  bool clean() const { return certificate.verdict() == Verdict::passed; }
};

// progress is called with the fraction done; false stops the run.
SwingRun run_swing(const Model& model, const SwingOptions& options, const std::function<bool(double)>& progress);

const SwingSample& sample_at(const SwingRun& run, double time);

}  // namespace linchpin

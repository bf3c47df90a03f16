// The time of computing the operational-space inertia, for the reproductions of 001.
#pragma once

#include <vector>

#include "bench/timing.h"
#include "linchpin/dynamics/compliance/compliance.h"

namespace linchpin {

struct OsimMeasured {
  int n = 0, m = 0;                           // velocity coordinates, nodes
  double ours = 0, inversion = 0, dense = 0;  // us
  double difference = 0;                      // of the two inverse inertias, relative
};
OsimMeasured measure_osim(const Model& model, const std::vector<Node>& nodes, const TimingOptions& timing);

// The frames left_hand and right_hand.
std::vector<Node> both_hands(const Model& model);

}  // namespace linchpin

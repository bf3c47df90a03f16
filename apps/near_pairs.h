// The pairs of shapes that touch or nearly touch at a state: the first thing to check if a robot jumps at the start.
#pragma once

#include <string>
#include <vector>

#include "linchpin/model/state.h"

namespace linchpin {

struct NearPair {
  std::string a, b;                           // "body/geometry"
  double distance = 0;                        // m, signed: the least over its points
  int points = 0;                             // contact points within the margin, of all manifolds
  Vec3<double> at{0, 0, 0}, normal{0, 0, 1};  // of the nearest point, W; from b towards a
};

// The pairs that may touch and are nearer than the margin (m), the deepest first.
std::vector<NearPair> near_pairs(const Model& model, const State& state, double margin);

}  // namespace linchpin

// The steps of constraint_forest.h (2) to (4) on runs of nodes of one shape: what forest_factors.cc calls.
#pragma once

#include <span>

#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {

// Numbers of a rigid body's twist (angular over linear) that joints hold: all of them, all but the turn about z or the
// slide along z, the origin's three. Joints that have their axis along z and armature or none hold no others.
inline constexpr unsigned held_sets[] = {0b111111, 0b111011, 0b011111, 0b111000};

constexpr bool has_held_kernel(int size, unsigned held) {
  if (size != 6) return false;
  for (const unsigned set : held_sets)
    if (set == held) return true;
  return false;
}

// The lane that row i of a held set is about: the i-th of it.
constexpr int lane_of(unsigned set, int i) {
  for (int k = 0;; ++k)
    if (set >> k & 1 && i-- == 0) return k;
}

// All that a kernel works on.
struct ForestWork {
  std::span<const ConstraintForest::Node> nodes;
  const double* softness;
  double *numbers, *pending;
  int stride;
  double *f, *scratch;  // f of solve(): `stride` numbers for each node
};

// Loops over nodes [first, end) of one shape: inward in their order, outward against it.
struct ForestKernels {
  // The node that failed, or -1. Leaves D^-1 f and l0 in the last lanes of rows, for outward(); without `keep` only what
  // that needs.
  int (*factor)(const ForestWork&, int first, int end, const double* F, const double* r, bool keep);
  void (*outward)(const ForestWork&, int first, int end, const double* r, double* y, double* l);
  // Another right-hand side, from f.
  void (*solve_in)(const ForestWork&, int first, int end, const double* r, double* l);
  void (*solve_out)(const ForestWork&, int first, int end, double* y, double* l);
  // Eight of them; y holds f on the way inward, r may be null.
  void (*solve8_in)(const ForestWork&, int first, int end, const double* r, double* y, double* l);
  void (*solve8_out)(const ForestWork&, int first, int end, double* y, double* l);
};

const ForestKernels& kernels_for(const ConstraintForest::Node& node, int stride);

}  // namespace linchpin

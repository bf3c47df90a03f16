// The steps (2) to (4) of constraint_forest.h on runs of nodes of one shape, for forest_factors.cc.
#pragma once

#include <span>

#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {

// Components of a rigid body's twist (angular, linear) that joints hold: all, all but the rotation about z or the
// translation along z, the three linear ones. Joints with their axis along z, with or without armature, hold no others.
inline constexpr unsigned held_sets[] = {0b111111, 0b111011, 0b011111, 0b111000};

constexpr bool has_held_kernel(int size, unsigned held) {
  if (size != 6) return false;
  for (const unsigned set : held_sets)
    if (set == held) return true;
  return false;
}

// The component held by row i of a held set.
constexpr int lane_of(unsigned set, int i) {
  for (int k = 0;; ++k)
    if (set >> k & 1 && i-- == 0) return k;
}

// The data of a kernel.
struct ForestWork {
  std::span<const ConstraintForest::Node> nodes;
  const double* softness;
  double *numbers, *pending;
  int stride;
  double *f, *scratch;  // f of solve(): `stride` numbers for each node
};

// Loops over nodes [first, end) of one shape: inward in their order, outward in reverse order.
struct ForestKernels {
  // Returns the node that failed, or -1. Leaves D^-1 f and l0 in the last lanes of the rows for outward(); without
  // `keep` it writes only the numbers that outward() needs.
  int (*factor)(const ForestWork&, int first, int end, const double* F, const double* r, bool keep);
  void (*outward)(const ForestWork&, int first, int end, const double* r, double* y, double* l);
  // One more right-hand side, given in f.
  void (*solve_in)(const ForestWork&, int first, int end, const double* r, double* l);
  void (*solve_out)(const ForestWork&, int first, int end, double* y, double* l);
  // Eight right-hand sides; y holds f in the inward pass, r may be null.
  void (*solve8_in)(const ForestWork&, int first, int end, const double* r, double* y, double* l);
  void (*solve8_out)(const ForestWork&, int first, int end, double* y, double* l);
};

const ForestKernels& kernels_for(const ConstraintForest::Node& node, int stride);

}  // namespace linchpin

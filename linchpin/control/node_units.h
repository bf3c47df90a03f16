// How much a row of a node gives way, as a unit to judge others by. For this room's own files.
//
// A row's own compliance r' C r is no unit: of a stretched arm, along itself, it is rounding alone. What its node gives
// way by on average, in turning and in moving, is one, unless the node cannot turn, or cannot move, at all; then what
// its reach makes of the other is large enough to tell rounding from motion.
#pragma once

#include <cmath>

#include "linchpin/control/frame_task.h"

namespace linchpin {

// The distance from the world along the links to the node, at zero.
inline double reach_of(const Model& model, const Node& node) {
  const Body& body = model.bodies()[node.body];
  double sum = norm((body.X_LB * node.X_BN).p);
  for (int i = body.link; i != 0; i = model.links()[i].parent) sum += norm(model.links()[i].X_PF.p);
  return sum > 0 ? sum : 1;
}

struct NodeUnits {
  double turning = 0, moving = 0;
  double of(const Row& row) const { return dot(row.n, row.n) * turning + dot(row.f, row.f) * moving; }
};
// C: the node's own 6 x 6 block of a matrix whose rows are `stride` numbers apart.
inline NodeUnits node_units(const double* C, std::size_t stride, double reach) {
  // a billionth of the reach is no lever: squared
  constexpr double no_lever = 1e-18;
  const double turning = (C[0] + C[stride + 1] + C[2 * stride + 2]) / 3;
  const double moving = (C[3 * stride + 3] + C[4 * stride + 4] + C[5 * stride + 5]) / 3;
  return {turning + no_lever * moving / (reach * reach), moving + no_lever * turning * (reach * reach)};
}

}  // namespace linchpin

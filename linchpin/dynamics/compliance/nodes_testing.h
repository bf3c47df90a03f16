// For tests: nodes in random frames on random bodies.
#pragma once

#include <algorithm>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

// From eight numbers between -1 and 1.
inline Node node_from(const Model& model, const double* r) {
  const int bodies = int(model.bodies().size());
  const Quaternion<double> turn = normalized(Quaternion<double>{r[0], r[1], r[2], r[3] + 1.5});
  return {std::min(bodies - 1, int((r[4] + 1) / 2 * bodies)), {to_rotation(turn), {r[5], r[6], r[7]}}};
}

}  // namespace linchpin

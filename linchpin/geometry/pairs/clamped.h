// A number clamped to [-limit, limit]. Private to the room.
#pragma once

#include "linchpin/spatial/scalar.h"

namespace linchpin {

// Compiles to two instructions without a branch, and NaN stays NaN; both depend on the order of the comparisons.
LINCHPIN_INLINE double clamped(double x, double limit) {
  const double below = limit < x ? limit : x;
  return below < -limit ? -limit : below;
}

}  // namespace linchpin

// A number brought into [-limit, limit]. Private to the room.
#pragma once

#include "linchpin/spatial/scalar.h"

namespace linchpin {

// Two instructions and no branch, and NaN stays NaN: the order of the comparisons matters for both.
LINCHPIN_INLINE double clamped(double x, double limit) {
  const double below = limit < x ? limit : x;
  return below < -limit ? -limit : below;
}

}  // namespace linchpin

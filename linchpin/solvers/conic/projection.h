// The nearest point of each block's set, and what else is said of one block at a time. For this room's own files.
#pragma once

#include <algorithm>
#include <cmath>

namespace linchpin {

// Onto the second-order cone |x_T| <= mu x_N, in place.
inline void project_cone(double mu, double* x) {
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (x[0] >= 0 && tangent <= mu * x[0]) return;  // x[0]: mu may be 0, and the cone a half-line
  if (mu * tangent <= -x[0]) {
    x[0] = x[1] = x[2] = 0;
    return;
  }
  const double normal = (x[0] + mu * tangent) / (1 + mu * mu);
  const double shrink = mu * normal / tangent;
  x[0] = normal;
  x[1] *= shrink;
  x[2] *= shrink;
}

inline double tangential(const double* w) { return std::sqrt(w[1] * w[1] + w[2] * w[2]); }

}  // namespace linchpin

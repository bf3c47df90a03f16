// Projection onto the friction cone, and the tangential length. For this room's own files.
#pragma once

#include <algorithm>
#include <cmath>

namespace linchpin {

// Projects x onto the second-order cone |x_T| <= mu x_N.
inline void project_cone(double mu, double* x) {
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (x[0] >= 0 && tangent <= mu * x[0]) return;  // x[0] >= 0: with mu = 0 the cone is a half-line
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

// |w_T|
inline double tangential(const double* w) { return std::sqrt(w[1] * w[1] + w[2] * w[2]); }

}  // namespace linchpin

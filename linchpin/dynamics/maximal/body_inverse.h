// The inverse of the 6 x 6 inertia of a free rigid body.
#pragma once

#include <array>
#include <optional>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

using Matrix36 = std::array<double, 36>;  // 6 x 6, row by row, angular over linear

Matrix36 to_matrix(const RigidInertia<double>& inertia);
// Empty if the inertia is singular: no mass, a point mass, a rod without thickness.
std::optional<Matrix36> inverse_of(const RigidInertia<double>& inertia);
// inverse times momentum
inline Motion<double> operator*(const Matrix36& A, const Force<double>& F) {
  const double x[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  double y[6] = {};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 6; ++k) y[i] += A[6 * i + k] * x[k];
  return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

}  // namespace linchpin

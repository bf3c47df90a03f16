#include "linchpin/dynamics/maximal/body_inverse.h"

#include <algorithm>
#include <cmath>

#include "linchpin/algebra/rank.h"

namespace linchpin {

// [I, h x; (h x)', m]
Matrix36 to_matrix(const RigidInertia<double>& inertia) {
  const Sym3<double>& I = inertia.I;
  const Vec3<double>& h = inertia.h;
  const double m = inertia.mass;
  return {I.xx, I.xy, I.xz, 0,    -h.z, h.y,   //
          I.xy, I.yy, I.yz, h.z,  0,    -h.x,  //
          I.xz, I.yz, I.zz, -h.y, h.x,  0,     //
          0,    h.z,  -h.y, m,    0,    0,     //
          -h.z, 0,    h.x,  0,    m,    0,     //
          h.y,  -h.x, 0,    0,    0,    m};
}

// By the Cholesky factor, linear directions first. The remaining moments are then about the centre of mass and show
// whether the body has a moment of inertia about every axis.
std::optional<Matrix36> inverse_of(const RigidInertia<double>& inertia) {
  constexpr std::size_t order[6] = {3, 4, 5, 0, 1, 2};
  const Matrix36 A = to_matrix(inertia);
  double L[6][6] = {}, X[6][6] = {};
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = j; i < 6; ++i) {
      double sum = A[6 * order[i] + order[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > rank::inertia_rounding * A[7 * order[j]])) return {};
      L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
    }
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = j; i < 6; ++i) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) sum -= L[i][k] * X[k][j];
      X[i][j] = sum / L[i][i];
    }
  Matrix36 inverse{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = std::max(i, j); k < 6; ++k) inverse[6 * order[i] + order[j]] += X[k][i] * X[k][j];
  return inverse;
}

}  // namespace linchpin

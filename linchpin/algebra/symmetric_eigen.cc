#include "linchpin/algebra/symmetric_eigen.h"

#include <algorithm>
#include <cmath>

namespace linchpin {

void jacobi_eigenvectors(int n, std::span<double> A, std::span<double> V) {
  const auto a = [&](int i, int j) -> double& { return A[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  const auto v = [&](int i, int j) -> double& { return V[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) v(i, j) = i == j;
  // Sweeps converge quadratically; the matrices here take four to eight. The limit of thirty ends the loop if
  // entries are not finite. Entries below the rounding error of the largest are left: rotating them away would create
  // others.
  for (int sweep = 0; sweep < 30; ++sweep) {
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(a(i, i)));
    bool turned = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (!(std::abs(a(p, q)) > 1e-16 * largest)) continue;
        turned = true;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double kp = a(k, p), kq = a(k, q);
          a(k, p) = c * kp - s * kq;
          a(k, q) = s * kp + c * kq;
        }
        for (int k = 0; k < n; ++k) {
          const double pk = a(p, k), qk = a(q, k);
          a(p, k) = c * pk - s * qk;
          a(q, k) = s * pk + c * qk;
        }
        for (int k = 0; k < n; ++k) {
          const double kp = v(k, p), kq = v(k, q);
          v(k, p) = c * kp - s * kq;
          v(k, q) = s * kp + c * kq;
        }
        a(p, q) = a(q, p) = 0;
      }
    if (!turned) return;
  }
}

}  // namespace linchpin

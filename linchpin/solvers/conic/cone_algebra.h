// The algebra of the cone x_0 >= |x_T|, eight cones at a time, and the bounds of single rows, for the interior solvers.
// (x o y) = (x . y, x_0 y_T + y_0 x_T) vanishes for x, y in the cone if x is perpendicular to y. A contact's impulse in
// these terms is r^ = P r, P = diag(mu, 1, 1). For this room's own kernel files.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "linchpin/algebra/tile.h"
#include "linchpin/solvers/conic/cones.h"
#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

// x o y
LINCHPIN_INLINE Cones product(const Cones& a, const Cones& b) {
  return {dot(a, b), fma(a.n, b.x, b.n * a.x), fma(a.n, b.y, b.n * a.y)};
}
// x_0^2 - |x_T|^2, as a product: the difference would cancel near the boundary.
LINCHPIN_INLINE Double8 determinant(const Cones& x) {
  const Double8 t = tangential(x);
  return (x.n - t) * (x.n + t);
}
// A(x)^-1 for repeated use: gives y with x o y = b.
struct Quotient {
  Cones x;
  Double8 per_det, per_x0;
  // 1e-300: only keeps a vanishing determinant from giving infinities.
  explicit LINCHPIN_INLINE Quotient(const Cones& x_)
      : x(x_), per_det(1.0 / max(determinant(x), Double8(1e-300))), per_x0(1.0 / x.n) {}
  LINCHPIN_INLINE Cones operator()(const Cones& b) const {
    const Double8 y0 = (x.n * b.n - x.x * b.x - x.y * b.y) * per_det;
    return {y0, (b.x - y0 * x.x) * per_x0, (b.y - y0 * x.y) * per_x0};
  }
};
// The largest a <= most such that x + a d stays in the cone.
LINCHPIN_INLINE Double8 step_within(const Cones& x, const Cones& d, double most = 1) {
  const Double8 A = d.n * d.n - d.x * d.x - d.y * d.y, half_B = x.n * d.n - x.x * d.x - x.y * d.y;
  const Double8 C = max(determinant(x), Double8(0.0)),
                root = sqrt(half_B * half_B - A * C);  // NaN: never leaves the cone
  const Double8 s = select(half_B > 0.0, -half_B - root, root - half_B), one = s / A, other = C / s, axis = -x.n / d.n;
  Double8 a(most);
  for (const Double8& way : {one, other, select(Double8(0.0) > d.n, axis, a)})
    a = select(way > 0.0, min(a, way), a);  // false for NaN
  return a;
}
// The largest a <= most such that x + a d >= 0.
inline double step_above(double x, double d, double most = 1) { return d < 0 ? std::min(most, -x / d) : most; }

// The bounds of a row, and the distances of r from them.
struct Bounds {
  double lower, upper;
  bool has_lower, has_upper, fixed;

  double above_lower(double r) const { return r - lower; }
  double below_upper(double r) const { return upper - r; }
};
// Of a cell that is a row, or a frictionless contact: its normal row.
inline Bounds bounds(const ScaledProblem& p, const Cell& c) {
  if (c.kind != BlockKind::box) return {0, HUGE_VAL, c.kind != BlockKind::free, false, false};
  const double l = p.lower[c.start], h = p.upper[c.start];
  return {l, h, std::isfinite(l), std::isfinite(h), l == h};
}
// R of a row with the forces u and v of its lower and upper bound. A free row gets a tiny R: free rows may be
// redundant, as those of loops are, and W alone would be singular. 1e-12 is below all tolerances (the diagonal of W is
// 1) and far above the rounding error of a redundant pivot (docs/interior_point.md).
inline double row_R(const Bounds& b, double r, double u, double v) {
  if (!b.has_lower && !b.has_upper) return 1e-12;
  return (b.has_lower ? u / b.above_lower(r) : 0) + (b.has_upper ? v / b.below_upper(r) : 0);
}

// Stores R of eight cells, given number by number, to the first `count` cells: nine numbers each.
LINCHPIN_INLINE void store_squares(const Double8 (&R)[9], int count, double* to) {
  Double8 x[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) x[i] = R[i];
  transpose(x);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    if (i >= count) break;
    x[i].store(to + 9 * i);
    to[9 * i + 8] = R[8][i];
  }
}

// T = A(r^)^-1 A(u^) of eight cones, whose columns are stored in 72 numbers, and R = P B T P, number by number. B = 1 -
// e s' subtracts the slope of s from the normal part: law.taken_from(x) = x_0 - s'(x).
template <class Law>
LINCHPIN_INLINE void find_squares(const Cones& r, const Cones& u, const Double8& mu, const Law& law, double* columns,
                                  Double8 (&R)[9]) {
  const Double8 zero(0.0);
  const Quotient per_r(r);
  const Cones T[3] = {per_r(u), per_r({u.x, u.n, zero}), per_r({u.y, zero, u.n})};
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
    T[j].n.store(columns + 24 * j);
    T[j].x.store(columns + 24 * j + 8);
    T[j].y.store(columns + 24 * j + 16);
    const Double8 right = j == 0 ? mu : Double8(1.0);
    R[j] = mu * law.taken_from(T[j]) * right;
    R[3 + j] = T[j].x * right;
    R[6 + j] = T[j].y * right;
  }
}
// y - T x, with the stored columns of T.
LINCHPIN_INLINE Cones less_product(Cones y, const double* T, const Cones& x) {
  y = y - x.n * Cones{Double8::load(T), Double8::load(T + 8), Double8::load(T + 16)};
  y = y - x.x * Cones{Double8::load(T + 24), Double8::load(T + 32), Double8::load(T + 40)};
  return y - x.y * Cones{Double8::load(T + 48), Double8::load(T + 56), Double8::load(T + 64)};
}

// The g-th group of cones in a vector, and r^ = P r of it.
LINCHPIN_INLINE Cones cones(const ScaledProblem& p, std::size_t g, const std::vector<double>& x) {
  return Cones::load(&x[p.cones[g].start], p.cones[g].count);
}
LINCHPIN_INLINE Cones hat(const ScaledProblem& p, std::size_t g, const std::vector<double>& r) {
  Cones x = cones(p, g, r);
  x.n = x.n * Double8::load(&p.mu[8 * g]);
  return x;
}

// The typical size of r^ and u^: root mean square of |P^-1 q| over the cells.
inline double typical_size(const ScaledProblem& p) {
  double sum = 0;
  for (const Cell& c : p.cells)
    for (int k = 0; k < c.size; ++k) {
      const double mu = c.kind == BlockKind::cone && k == 0 && !frictionless(c) ? c.mu : 1;
      const double q = p.q[c.start + k] / mu;
      sum += q * q;
    }
  return sum > 0 ? std::sqrt(sum / double(p.cells.size())) : 1;
}

}  // namespace linchpin

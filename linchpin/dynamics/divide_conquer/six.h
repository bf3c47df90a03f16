// Six-vectors and positive semidefinite matrices in registers of eight, for (3) to (6) of divide_and_conquer.h. For
// kernel files only.
#pragma once

#include <cmath>

#include "linchpin/algebra/rank.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/spatial/matrix6.h"

namespace linchpin {

LINCHPIN_INLINE Double8 six(const Vec3<double>& a, const Vec3<double>& b) {
  return Double8(Double8::Vector{a.x, a.y, a.z, b.x, b.y, b.z, 0, 0});
}
LINCHPIN_INLINE Double8 six(const Force<double>& F) { return six(F.n, F.f); }
LINCHPIN_INLINE Double8 six(const Motion<double>& A) { return six(A.w, A.v); }
LINCHPIN_INLINE Force<double> force(const Double8& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
LINCHPIN_INLINE Motion<double> motion(const Double8& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// sum + A' x, which is sum + A x for a symmetric A.
LINCHPIN_INLINE Double8 plus_transposed(const Double8& sum, const Matrix6<double>& A, const Double8& x) {
  Double8 y = sum;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) y = fma(Double8(x[k]), A.row[k], y);
  return y;
}
// A x
LINCHPIN_INLINE Double8 product(const Matrix6<double>& A, const Double8& x) {
  double y[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    const Double8 z = A.row[i] * x;
    y[i] = ((z[0] + z[1]) + (z[2] + z[3])) + (z[4] + z[5]);
  }
  return Double8(Double8::Vector{y[0], y[1], y[2], y[3], y[4], y[5], 0, 0});
}
LINCHPIN_INLINE Matrix6<double> transposed(const Matrix6<double>& A) {
  Matrix6<double> out;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i)
    out.row[i] =
        Double8(Double8::Vector{A.row[0][i], A.row[1][i], A.row[2][i], A.row[3][i], A.row[4][i], A.row[5][i], 0, 0});
  return out;
}

LINCHPIN_INLINE Matrix6<double> matrix(const ArticulatedInertia<double>& x) {
  using V = Double8::Vector;
  return {{Double8(V{x.A.xx, x.A.xy, x.A.xz, x.Bx.x, x.Bx.y, x.Bx.z, 0, 0}),
           Double8(V{x.A.xy, x.A.yy, x.A.yz, x.By.x, x.By.y, x.By.z, 0, 0}),
           Double8(V{x.A.xz, x.A.yz, x.A.zz, x.Bz.x, x.Bz.y, x.Bz.z, 0, 0}),
           Double8(V{x.Bx.x, x.By.x, x.Bz.x, x.C.xx, x.C.xy, x.C.xz, 0, 0}),
           Double8(V{x.Bx.y, x.By.y, x.Bz.y, x.C.xy, x.C.yy, x.C.yz, 0, 0}),
           Double8(V{x.Bx.z, x.By.z, x.Bz.z, x.C.xz, x.C.yz, x.C.zz, 0, 0})}};
}
// Adds the upper half of M.
LINCHPIN_INLINE void add_matrix(const Matrix6<double>& M, ArticulatedInertia<double>& x) {
  const Double8* r = M.row;
  x.A += Sym3<double>{r[0][0], r[1][1], r[2][2], r[0][1], r[0][2], r[1][2]};
  x.Bx += Vec3<double>{r[0][3], r[0][4], r[0][5]};
  x.By += Vec3<double>{r[1][3], r[1][4], r[1][5]};
  x.Bz += Vec3<double>{r[2][3], r[2][4], r[2][5]};
  x.C += Sym3<double>{r[3][3], r[4][4], r[5][5], r[3][4], r[3][5], r[4][5]};
}

// J of (4): (X^-1 + Y)^-1 for positive semidefinite X and Y. Row k of G' is what is left of row k of X, scaled.
LINCHPIN_INLINE Matrix6<double> parallel(const Matrix6<double>& X, const Matrix6<double>& Y) {
  Matrix6<double> Gt, GtY, S;
  Double8 R[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) R[i] = X.row[i];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const double pivot = R[k][k];
    const double scale = pivot > rank::flat_inertia * X.row[k][k] ? 1 / std::sqrt(pivot) : 0;
    Gt.row[k] = R[k] * scale;
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) R[i] = fma(Double8(-(R[i][k] * scale)), Gt.row[k], R[i]);
  }
  const Matrix6<double> G = transposed(Gt);
  constexpr Matrix6<double>* null = nullptr;
  multiply<false, false, 3>(Gt, Y, null, 6, 6, GtY);
  multiply<false, false, 3>(GtY, G, null, 6, 6, S);
  // (1 + S)^-1 G' by L D L' of 1 + S: all pivots are at least 1.
  Double8 Z[6];
  double per_D[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    R[i] = S.row[i];
    R[i].v[i] += 1;
    Z[i] = Gt.row[i];
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    per_D[k] = 1 / R[k][k];
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const Double8 l(-(R[i][k] * per_D[k]));
      R[i] = fma(l, R[k], R[i]);
      Z[i] = fma(l, Z[k], Z[i]);
    }
  }
  Matrix6<double> J;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    Double8 sum = Double8(Z[0][i] * per_D[0]) * Z[0];
#pragma GCC unroll 6
    for (int k = 1; k < 6; ++k) sum = fma(Double8(Z[k][i] * per_D[k]), Z[k], sum);
    J.row[i] = sum;
  }
  return J;
}

}  // namespace linchpin

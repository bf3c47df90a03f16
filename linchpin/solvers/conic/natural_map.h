// The natural map of a scaled problem and its derivative, cell by cell. For this room's own files.
//
//     F(r) = r - P(x),   x = r - rho u~,   u = W r + q,   u~ = u with mu |u_T| added to a cone's normal          (1)
//     dF = (1 - G) dr + rho G B du,   G = P'(x),   B = 1 + mu e_N (0, u_T / |u_T|)                                (2)
//
// P is smooth except at the borders between its pieces, where the derivative of either piece will do (semismooth).
// On the cone's surface, with e = x_T / |x_T|, n = (x_N + mu |x_T|) / (1 + mu^2) the projection's normal part and
// g = mu n / |x_T| (the factor by which x_T shrinks):
//     G = 1/(1 + mu^2) (1, mu e)(1, mu e)' + g (0, t)(0, t)',   t perpendicular to e                                (3)
//
// Alart and Curnier's map of a cone has the same zeros: with x = r - rho u, without mu |u_T|,
//     F_N = r_N - max(x_N, 0),   F_T = r_T - P_disc(x_T), the disc of radius mu max(x_N, 0)                      (4)
// It is not the gradient of a function, so line searches use (1). But its pieces are less curved, since sliding does
// not enter F_N: near a solution full Newton steps on (4) converge where those on (1) do not yet.
#pragma once

#include <cmath>

#include "linchpin/solvers/conic/projection.h"
#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

// The piece of P that a cell is on.
enum class Piece : char { inactive, linear, surface };  // G = 0, G = 1, or (3)

// F of a cell; u is its part of W r + q.
inline Piece natural_map(const Cell& c, const ScaledProblem& p, double rho, const double* r, const double* u,
                         double* F) {
  if (c.kind == BlockKind::cone) {
    const double step[3] = {rho * (u[0] + c.mu * tangential(u)), rho * u[1], rho * u[2]};
    double x[3] = {r[0] - step[0], r[1] - step[1], r[2] - step[2]};
    const double tangent = tangential(x);
    if (x[0] >= 0 && tangent <= c.mu * x[0]) {  // not r - (r - step): a large r would cancel the velocity
      for (int k = 0; k < 3; ++k) F[k] = step[k];
      return Piece::linear;
    }
    const Piece piece = c.mu * tangent <= -x[0] ? Piece::inactive : Piece::surface;
    project_cone(c.mu, x);
    for (int k = 0; k < 3; ++k) F[k] = r[k] - x[k];
    return piece;
  }
  if (c.kind == BlockKind::free) {
    F[0] = rho * u[0];
    return Piece::linear;
  }
  const double x = r[0] - rho * u[0];
  const double l = c.kind == BlockKind::box ? p.lower[c.start] : 0;
  const double h = c.kind == BlockKind::box ? p.upper[c.start] : HUGE_VAL;
  if (x <= l || x >= h) {
    F[0] = r[0] - (x <= l ? l : h);
    return Piece::inactive;
  }
  F[0] = rho * u[0];
  return Piece::linear;
}

// The derivative dF = R dr + L du of a cone that is not inactive; 3x3, row by row.
inline void cone_derivative(double mu, double rho, const double* r, const double* u, Piece piece, double* L,
                            double* R) {
  const double speed = tangential(u);
  const double d[2] = {speed > 0 ? u[1] / speed : 0, speed > 0 ? u[2] / speed : 0};
  double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (piece == Piece::surface) {
    const double x[3] = {r[0] - rho * (u[0] + mu * speed), r[1] - rho * u[1], r[2] - rho * u[2]};
    const double tangent = tangential(x), c = 1 / (1 + mu * mu);
    const double e[2] = {x[1] / tangent, x[2] / tangent};
    const double g = mu * (x[0] + mu * tangent) * c / tangent;
    const double along = c * mu * mu - g;
    G[0] = c;
    G[1] = G[3] = c * mu * e[0];
    G[2] = G[6] = c * mu * e[1];
    G[4] = g + along * e[0] * e[0];
    G[5] = G[7] = along * e[0] * e[1];
    G[8] = g + along * e[1] * e[1];
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R[3 * i + j] = (i == j ? 1 : 0) - G[3 * i + j];
    L[3 * i] = rho * G[3 * i];
    for (int j = 0; j < 2; ++j) L[3 * i + 1 + j] = rho * (G[3 * i + 1 + j] + G[3 * i] * mu * d[j]);
  }
}

// (4) for a cone, (1) for other cells.
inline Piece alart_curnier_map(const Cell& c, const ScaledProblem& p, const double* r, const double* u, double* F) {
  if (c.kind != BlockKind::cone) return natural_map(c, p, 1, r, u, F);
  const double x[3] = {r[0] - u[0], r[1] - u[1], r[2] - u[2]};
  if (x[0] <= 0) {
    for (int k = 0; k < 3; ++k) F[k] = r[k];
    return Piece::inactive;
  }
  for (int k = 0; k < 3; ++k) F[k] = u[k];
  const double tangent = tangential(x), radius = c.mu * x[0];
  if (tangent <= radius) return Piece::linear;
  for (int k = 1; k < 3; ++k) F[k] = r[k] - radius / tangent * x[k];
  return Piece::surface;
}

// Its derivative on the surface of a cone, as cone_derivative(). On the linear piece dF = du.
inline void alart_curnier_derivative(double mu, const double* r, const double* u, double* L, double* R) {
  for (int k = 0; k < 3; ++k) L[k] = R[k] = 0;
  L[0] = 1;
  const double x[3] = {r[0] - u[0], r[1] - u[1], r[2] - u[2]};
  const double tangent = tangential(x), e[2] = {x[1] / tangent, x[2] / tangent}, g = mu * x[0] / tangent;
  for (int i = 0; i < 2; ++i) {  // dF_T = dr_T - mu e dx_N - g (1 - e e') dx_T
    double *l = L + 3 * (i + 1), *d = R + 3 * (i + 1);
    l[0] = mu * e[i];
    d[0] = -mu * e[i];
    for (int j = 0; j < 2; ++j) {
      l[1 + j] = g * ((i == j ? 1 : 0) - e[i] * e[j]);
      d[1 + j] = (i == j ? 1 : 0) - l[1 + j];
    }
  }
}

}  // namespace linchpin

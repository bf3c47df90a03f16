// The exact solution of a single contact: r with w = W r + b that obeys Coulomb's law (problem.h).
//
//     apart   b_N >= 0:                                r = 0
//     stick   r = -W^-1 b, if |r_T| <= mu r_N
//     slide   w_N = 0 and w_T = -lambda r_T, lambda > 0. Eliminating r_N = -(b_N + W_NT r_T) / W_NN gives
//                 (S + lambda 1) r_T = -(b_T - W_TN b_N / W_NN),   S = W_TT - W_TN W_NT / W_NN                  (1)
//             and lambda is the root of g(lambda) = |r_T| - mu r_N.                                              (2)
// As lambda grows, r_T vanishes and g tends to mu b_N / W_NN < 0; at 0 g is positive, or the contact would stick. So
// (2) has a root, which Newton's method finds between bounds of opposite sign, and r_N = |r_T| / mu is nonnegative.
#pragma once

#include <algorithm>
#include <cmath>

namespace linchpin {

// False if W_NN is not positive or a number is not finite; r is then unchanged.
inline bool solve_contact(const double* W, const double* b, double mu, double* r) {
  if (b[0] >= 0) {
    r[0] = r[1] = r[2] = 0;
    return true;
  }
  if (!(W[0] > 0)) return false;
  const double inverse = 1 / W[0];
  const double S[4] = {W[4] - W[3] * W[1] * inverse, W[5] - W[3] * W[2] * inverse, W[7] - W[6] * W[1] * inverse,
                       W[8] - W[6] * W[2] * inverse};
  const double t[2] = {W[3] * b[0] * inverse - b[1], W[6] * b[0] * inverse - b[2]};
  double x = 0, y = 0, normal = 0, slope = 0;
  const auto g = [&](double lambda) {  // (1), (2) and g'
    const double a = S[0] + lambda, d = S[3] + lambda, det = a * d - S[1] * S[2], over = 1 / det;
    x = (d * t[0] - S[1] * t[1]) * over;
    y = (a * t[1] - S[2] * t[0]) * over;
    normal = -(b[0] + W[1] * x + W[2] * y) * inverse;
    const double dx = -(d * x - S[1] * y) * over, dy = -(a * y - S[2] * x) * over;
    const double length = std::sqrt(x * x + y * y);
    slope = (length > 0 ? (x * dx + y * dy) / length : 0) + mu * (W[1] * dx + W[2] * dy) * inverse;
    return length - mu * normal;
  };
  const auto take = [&](double n) {
    if (!std::isfinite(n + x + y)) return false;
    r[0] = n;
    r[1] = x;
    r[2] = y;
    return true;
  };
  const double size = std::abs(S[0]) + std::abs(S[3]) + W[0];
  if (!std::isfinite(size + std::abs(S[1]) + std::abs(S[2]) + std::abs(t[0]) + std::abs(t[1]) + std::abs(W[1]) +
                     std::abs(W[2])))
    return false;
  // Stick: S r_T = t by elimination with the largest pivot first. If S is singular, the direction without a second
  // pivot gets no impulse, provided that it needs none.
  {
    int i = 0, j = 0;
    for (int k = 0; k < 4; ++k)
      if (std::abs(S[k]) > std::abs(S[2 * i + j])) i = k / 2, j = k % 2;
    const double pivot = S[2 * i + j], l = pivot != 0 ? S[2 * (1 - i) + j] / pivot : 0;
    const double rest = S[2 * (1 - i) + 1 - j] - l * S[2 * i + 1 - j], rest_t = t[1 - i] - l * t[i];
    const bool no_second = std::abs(rest) <= 1e-15 * size;  // a few units of rounding
    if (!no_second || std::abs(rest_t) <= 1e-14 * (std::abs(t[0]) + std::abs(t[1]))) {
      double xy[2] = {0, 0};
      xy[1 - j] = no_second ? 0 : rest_t / rest;
      xy[j] = pivot != 0 ? (t[i] - S[2 * i + 1 - j] * xy[1 - j]) / pivot : 0;
      x = xy[0];
      y = xy[1];
      normal = -(b[0] + W[1] * x + W[2] * y) * inverse;
      if (std::sqrt(x * x + y * y) <= mu * normal) return take(normal);
    }
  }
  double low = 0, high = HUGE_VAL;
  // First lambda: |r_T| is about |t| / (lambda + size) and must become about mu |b_N| / W_NN.
  double lambda =
      std::max(1e-3 * size, std::sqrt(t[0] * t[0] + t[1] * t[1]) * W[0] / std::max(-mu * b[0], 1e-300) - 0.5 * size);
  if (!(lambda < 1e12 * size)) {  // hardly any friction: the limit lambda -> infinity
    const double n = -b[0] * inverse, length = std::sqrt(t[0] * t[0] + t[1] * t[1]);
    x = length > 0 ? mu * n * t[0] / length : 0;
    y = length > 0 ? mu * n * t[1] / length : 0;
    return take(n);
  }
  for (int i = 0; i < 100; ++i) {
    const double value = g(lambda);
    if (!std::isfinite(value)) {  // S + lambda 1 is singular
      lambda *= 1.5;
      continue;
    }
    (value > 0 ? low : high) = lambda;
    double next = lambda - value / slope;
    if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 4 * lambda;
    if (std::abs(next - lambda) <= 1e-15 * lambda || value == 0) break;
    lambda = next;
  }
  const double left = g(lambda);
  // On the cone to the last digit, unless the root is inside it: then the contact sticks up to rounding.
  return take(mu > 0 && left >= -1e-6 * mu * std::abs(normal) ? std::sqrt(x * x + y * y) / mu : normal);
}

}  // namespace linchpin

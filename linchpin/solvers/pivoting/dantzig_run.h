// Shared by all parts of Dantzig's method: the state of one run, and its tolerances. For dantzig*.cc only.
//
// M, q, z, w and bounds are scaled: the diagonal of M and the largest |q_i| are about 1. Vectors are padded to whole
// registers with zeros. Numbers (1) to (4) are those of dantzig.h.
#pragma once

#include "linchpin/base/infinity.h"
#include "linchpin/solvers/pivoting/dantzig.h"
#include "linchpin/spatial/pack.h"

namespace linchpin::dantzig_detail {

// The row depends on those inside if s of (4) is below this. Redundant contacts have s = 0, up to the rounding of
// updates.
inline constexpr double dependent = 1e-9;
// A law violated by less is rounding: a few hundred epsilon, far below any tolerance of residual.h.
inline constexpr double lawful = 2e-13;

struct Run {
  const Problem& problem;
  DantzigWorkspace& ws;
  int n = 0, stride = 0;
  int inside = 0;   // |A|
  int updates = 0;  // of the inverse since it was computed
  double unit = 1;  // of q
  int events = 0, limit = 0;

  const double* column(int j) const { return ws.columns.data() + std::size_t(j) * std::size_t(stride); }
  double* inverse_row(int k) const { return ws.inverse.data() + std::size_t(k) * std::size_t(stride); }
  bool is_inside(int i) const { return ws.position[i] >= 0; }
};

// y += a x; `count` is a multiple of 8.
inline void add_multiple(double a, const double* x, int count, double* y) {
  for (int i = 0; i < count; i += 8) fma(Double8(a), Double8::load(x + i), Double8::load(y + i)).store(y + i);
}

inline double dot(const double* x, const double* y, int count) {
  Double8 sum(0.0);
  for (int i = 0; i < count; i += 8) sum = fma(Double8::load(x + i), Double8::load(y + i), sum);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

}  // namespace linchpin::dantzig_detail

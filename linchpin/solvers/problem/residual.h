// The residual of a problem at z. It is independent of all solvers, and decides what counts as solved: for status,
// tests, benchmarks and certificates.
//
// The natural map of the problem is zero at its solutions and nowhere else:
//     e = z - P(z - w~),   w = M z + q,   w~ = w, with mu |w_T| added to a cone's normal                      (1)
// P is the projection onto each block's set. (1) adds impulses to velocities, so it depends on units. It is therefore
// measured in two ways, and a problem is solved when both are small:
//
// scaled   each row in its own unit, s_i = sqrt|M_ii| (the three rows of a cone share the mean): z_i s_i and w_i / s_i
//          both have the unit sqrt(energy), and e is formed from those. It does not depend on the units of any row.
//          A row with a zero diagonal takes s_i from its largest coupling to a row that has one, |M_ij| / s_j or
//          |M_ji| / s_j; failing that, 1. relative: |e| / |q|, both scaled.
// plain    e as in (1), rho = 1 (the figure that others use: models/problems/README.md); relative: |e| / |q|.
//
// If impulses are so large that rounding of M z could hide q, w is computed in extended precision, and a bound on its
// rounding error is added to the figures; if that bound would matter, w is summed without rounding (exact_sum.h). So no
// z is too large to be judged. Extended precision is also used for numbers whose squares
// are outside the range of double, so the relative figures are right for all finite numbers; an absolute one that
// double cannot hold is infinite.
//
// If q = 0, z = 0 is a solution and the relative figures equal the absolute ones.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

struct Residual {
  double absolute = 0, relative = 0;              // scaled
  double plain_absolute = 0, plain_relative = 0;  // rho = 1
  int worst_row = -1;  // with the largest part of `absolute` (a cone's first row); -1 if there is no row
  double worst = 0;    // its part of `absolute`

  // Whether both relative figures are at most `tolerance`; false for NaN.
  bool within(double tolerance) const { return relative <= tolerance && plain_relative <= tolerance; }
};

struct ResidualWorkspace {
  std::vector<double> w;      // after residual(): M z + q
  std::vector<double> scale;  // s, by row
  std::vector<double> part;   // each row's part of `absolute`; a cone's in its first row
  std::vector<double> work, row;
  std::vector<long double> extended_w, extended_work;
};

// Computes only ws.scale: iterative solvers work in these units.
void row_scales(const Problem& problem, ResidualWorkspace& ws);

Residual residual(const Problem& problem, std::span<const double> z, ResidualWorkspace& ws);

}  // namespace linchpin

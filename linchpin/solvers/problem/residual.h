// The judge: how far z is from solving a problem. Knows no solver, and is what status, tests, benchmarks and
// certificates use.
//
// The natural map of the problem vanishes at solutions and nowhere else:
//     e = z - P(z - w~),   w = M z + q,   w~ = w, with mu |w_T| added to a cone's normal                      (1)
// P the projection onto each block's set. As it stands it adds impulses to velocities, so it depends on units. The
// judge measures it in two ways, and a problem is solved when both are small:
//
// scaled   each row in units of its own, s_i = sqrt|M_ii| (the three rows of a cone share the mean): z_i s_i and
//          w_i / s_i both have the unit sqrt(energy), and e is formed from those. A change of units of any row changes nothing. A
//          row without a diagonal takes s_i from its largest coupling to a row that has one, |M_ij| / s_j or |M_ji| /
//          s_j; failing that, 1. relative: |e| / |q|, both so scaled.
// plain    e as in (1), rho = 1 (the figure by which others compare: models/problems/README.md); relative: |e| / |q|.
//
// w is computed in extended precision where impulses are so large that rounding M z could hide q, and what extended
// precision may lose is added to the figures: no z is too large to be judged.
//
// Where q = 0, z = 0 is a solution and relative figures equal the absolute ones.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

struct Residual {
  double absolute = 0, relative = 0;              // scaled
  double plain_absolute = 0, plain_relative = 0;  // rho = 1
  int worst_row = -1;                             // of the scaled measure (a cone's first row); -1 if there is no row
  double worst = 0;                               // its part of `absolute`

  // Both relative figures at most `tolerance`; never for NaN.
  bool within(double tolerance) const { return relative <= tolerance && plain_relative <= tolerance; }
};

struct ResidualWorkspace {
  std::vector<double> w;      // after residual(): M z + q
  std::vector<double> scale;  // s, by row
  std::vector<double> part;   // each row's part of `absolute`; a cone's in its first row
  std::vector<double> work, row;
  std::vector<long double> extended_w, extended_work;
};

// Only the scales, into ws.scale: solvers may work in these units.
void row_scales(const Problem& problem, ResidualWorkspace& ws);

Residual residual(const Problem& problem, std::span<const double> z, ResidualWorkspace& ws);

}  // namespace linchpin

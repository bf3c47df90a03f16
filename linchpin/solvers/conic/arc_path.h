// A path-following method for hard contact problems: follows a path of solutions from a problem that is solved to the
// given one, also where the path turns back.
//
// With r^, u^, P, e and o as in interior_point.h, sigma going from 1 to 0, and m, d chosen so that some point solves
// the first problem:
//     G_1 = P^-1 (W r + q) - u^ + s(u^) e - sigma^2 d = 0,      s(x) = sqrt((1 - k) |x_T|^2 + k x_0^2)              (1)
//     G_2 = r^ o u^ - sigma^2 m e = 0                                                                             (2)
// s replaces |u^_T|, which has a kink where sliding stops. The two are equal on the cone's surface, and inside s is
// between |x_T| and x_0. So at sigma = 0 contacts that stick or slide obey Coulomb's law, and contacts that are apart,
// r = 0, have w_N = mu (u^_0 - s) > 0. For every k, r solves the original problem.
//
// The path turns back in sigma again and again (docs/arc_path.md). At a turning point the derivative J of (1), (2) by
// (r, u^) is singular, and a method that only decreases sigma oscillates there. Steps therefore follow the path's
// tangent t, and the sign of det J selects its direction [Smale 1976]: sigma decreases where det J > 0, as at the
// start, and increases where det J < 0. A step is
//     x(h) = x + c + h t + h^2/2 z                                                                                (3)
// with t and z the path's first and second derivative and c Newton's step back to it, c and z perpendicular to t: three
// solutions with one factorisation. h is the largest for which the point stays near the path,
//     |G_2| <= near sigma^2 m,  |G_1| <= near sigma sqrt(m)      for each contact.                                  (4)
// That is a wide neighbourhood, and a step may end near another path. It then follows that one by the same rule.
//
// A path that is lost, or whose products have not decreased for many iterations, is abandoned. Another one starts at
// the pair of r^, u^ with the same difference and larger products, which is further inside the cones:
//     r^, u^ = (sqrt(x^2 + 4 m e) +- x) / 2,    x = r^ - u^ before,    by the cone's algebra                        (5)
// The first path starts in the same way, from x = 0 or from a guess.
//
// The last digits come from full steps of Newton's method near a solution (whole_steps.h).
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/conic/cone_system.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct ArcPathWorkspace : ConeWorkspace {
  struct Point : ConePoint {
    double sigma = 1;
  };
  struct Step : ConeStep {
    std::vector<double> w;  // W r
    double sigma = 0;
  };
  using ConeWorkspace::ConeWorkspace;
  Point at, next;
  Step correction, tangent, bend;  // c, t, z of (3)
  std::vector<double> defect;      // d of (1)
};

Outcome arc_path(const Problem& problem, const SolverOptions& options, ArcPathWorkspace& ws, std::span<double> z);

}  // namespace linchpin

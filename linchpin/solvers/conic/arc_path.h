// Hard contact problems: follows a path of solutions from a problem that is solved to the one that is asked for,
// wherever the path turns.
//
// With r^, u^, P, e and o as in interior_point.h, sigma going from 1 to 0, and m, d chosen so that some point solves the
// first problem:
//     G_1 = P^-1 (W r + q) - u^ + s(u^) e - sigma^2 d = 0,      s(x) = sqrt((1 - k) |x_T|^2 + k x_0^2)              (1)
//     G_2 = r^ o u^ - sigma^2 m e = 0                                                                             (2)
// s takes the place of |u^_T|, which has a kink where sliding stops. It is the same on the cone's surface, and between
// |x_T| and x_0 inside; so at sigma = 0 contacts that stick or slide obey Coulomb's law, and those that are apart,
// r = 0, have w_N = mu (u^_0 - s) > 0. Whatever k is, r solves the problem itself.
//
// The path turns back in sigma again and again (docs/arc_path.md), and where it does the derivative J of (1), (2) by
// (r, u^) is singular: a method that only lets sigma fall goes to and fro there. So steps go along the path's own
// tangent t, and which of its two ways is the right one is what det J says [Smale 1976]: sigma falls where det J > 0,
// as at the beginning, and grows where det J < 0. A step is
//     x(h) = x + c + h t + h^2/2 z                                                                                (3)
// with t and z the path's first and second derivative, c Newton's step back to it, c and z perpendicular to t: three
// solutions by one factorisation. h is the longest at which the point stays near the path,
//     |G_2| <= near sigma^2 m,  |G_1| <= near sigma sqrt(m)      for each contact.                                  (4)
// That is wide; a step may well end on another path. It goes on from there by the same rule.
//
// A path that is lost, or that has not come to smaller products for long, is left: another one begins at the pair of
// r^, u^ that has the same difference as these and larger products, a point that knows of these but is further inside:
//     r^, u^ = (sqrt(x^2 + 4 m e) +- x) / 2,    x = r^ - u^ before,    by the cone's algebra                         (5)
// The first path begins so too, from x = 0 or from a guess.
//
// The last digits are not this solver's: near a solution whole steps of Newton's method (whole_steps.h) are tried.
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

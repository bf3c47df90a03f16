// A primal-dual interior-point method for contacts. All iterates are strictly inside their cones; the number of
// iterations is small and hardly depends on the problem.
//
// With r^ = (mu r_N, r_T) and u^ = (w_N / mu + |w_T|, w_T), Coulomb's law of a contact says that both lie in the cone
// x_0 >= |x_T| and r^ . u^ = 0, that is r^ o u^ = 0 in the cone's algebra, (x o y) = (x . y, x_0 y_T + y_0 x_T). Each
// iteration takes a Newton step towards r^ o u^ = target (1, 0, 0), with the target shrinking to 0:
//     P^-1 (W dr) - B du^ = -primal,      primal = P^-1 (W r + q) - u^ + |u^_T| e,  P = diag(mu, 1, 1)             (1)
//     A(u^) P dr + A(r^) du^ = target e - r^ o u^ - (dr^ o du^ of the predictor)                                 (2)
// with A(x) y = x o y, and B = 1 - e (0, u^_T / |u^_T|) from the derivative of |u^_T|. That term makes it Coulomb's law
// and not the convex relaxation. Eliminating du^ gives W dr + P B A(r^)^-1 A(u^) P dr = ..., one factorisation for
// predictor and corrector [Mehrotra]. The direction is that of Alizadeh, Haeberly and Overton, which needs no scaling
// and keeps its accuracy near the boundary. Nonnegative rows are the same with numbers for cones; free rows have no
// (2); a box row has one for each finite bound.
//
// Near a solution the end of the full step, inside the cones or not, and of some more steps with the same factors, is
// measured as well: it is often a solution already. A contact that touches without pressing has r^ = u^ = 0 there, and
// (2) only halves them in each iteration. So once the contacts no longer change between apart, sticking and sliding,
// full steps of Newton's method are tried from the iterate (whole_steps.h).
//
// Coulomb's law has a kink where sliding stops, and Newton's direction may then point out of the cones. An iterate that
// cannot move is put back a little inside.
//
// The law is not monotone, and the iterates may stall. Then they start again from another point, or with a factor of
// |u^_T| in (1) that grows from 0, the convex relaxation, to 1 (docs/interior_point.md: Other ways).
//
// A guess, such as the solution of the last time step, lies on the boundary, where no step is possible. With
// options.warm_start the first way starts at the guess moved inside by a tenth of the typical size. That saves a third
// to a half of the iterations if forces have changed much, and nothing if the guess is better than that.
#pragma once

#include <span>

#include "linchpin/solvers/conic/cone_system.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

struct InteriorPointWorkspace : ConeWorkspace {
  using ConeWorkspace::ConeWorkspace;
  ConePoint at, beyond;  // the iterate; a point near a solution, perhaps outside of the cones
  ConeStep predictor, step, step_beyond;
};

Outcome interior_point(const Problem& problem, const SolverOptions& options, InteriorPointWorkspace& ws,
                       std::span<double> z);

}  // namespace linchpin

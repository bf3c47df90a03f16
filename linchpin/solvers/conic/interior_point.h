// A primal-dual interior-point method for contacts: every iterate strictly inside its cones, a fixed small number of
// iterations whatever the problem.
//
// With r^ = (mu r_N, r_T) and u^ = (w_N / mu + |w_T|, w_T), Coulomb's law of a contact says that both lie in the cone
// x_0 >= |x_T| and r^ . u^ = 0, that is r^ o u^ = 0 in the cone's algebra, (x o y) = (x . y, x_0 y_T + y_0 x_T). Each
// iteration takes a Newton step towards r^ o u^ = target (1, 0, 0), target shrinking to 0:
//     P^-1 (W dr) - B du^ = -primal,      primal = P^-1 (W r + q) - u^ + |u^_T| e,  P = diag(mu, 1, 1)             (1)
//     A(u^) P dr + A(r^) du^ = target e - r^ o u^ - (dr^ o du^ of the predictor)                                 (2)
// with B = 1 - e (0, u^_T / |u^_T|) from the derivative of |u^_T| (what makes it Coulomb's law and not the convex
// relaxation's) and A(x) y = x o y. Without du^ this is W dr + P B A(r^)^-1 A(u^) P dr = ..., one factorisation for
// predictor and corrector
// [Mehrotra]; the direction is that of Alizadeh, Haeberly and Overton, which needs no scaling and keeps its digits near
// the boundary. Nonnegative rows are the same with numbers for cones; free rows have no (2); a box row has one for each
// finite bound.
//
// Near a solution the end of the whole step, inside the cones or not, and of some more steps with the same factors, is
// measured as well: often that is a solution already. A contact that touches without pressing has r^ = u^ = 0 there, and
// (2) only halves what is left of them. So once contacts seem to have found their pieces, whole steps of Newton's method
// are tried from the iterate (whole_steps.h).
//
// Coulomb's law has a kink where sliding stops, and Newton's direction may then point out of the cones; an iterate that
// cannot move is put back a little inside.
//
// The law is not monotone, and iterates may end nowhere. Then they begin again elsewhere, or with a factor of |u^_T| in
// (1) that grows from 0, the convex relaxation, to 1 (docs/interior_point.md: Other ways).
//
// A guess, such as the solution of the last step, lies on the boundary, where there is no way to go. With
// options.warm_start the first path begins at the guess put inside by a tenth of the typical size: that halves the
// iterations where contacts have come to push each other elsewhere, and is of no use nearer to a solution than that.
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

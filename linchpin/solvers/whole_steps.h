// Whole steps of Newton's method on Alart and Curnier's map, (4) of natural_map.h: no outer iteration, no line search,
// and an eps that only keeps pivots from zero. For this room's own files.
//
// From a point whose contacts are all on their pieces (apart, sticking, sliding) they arrive in one to four, whatever
// the point misses by, and a contact that is on two pieces at once, such as one that touches without pressing, does not
// hold them up. From any other point they are far off after the first. So they are worth a try, no more: newton begins
// with them at a guess, interior_point tries them from its iterates.
#pragma once

#include <vector>

#include "linchpin/solvers/cell_system.h"
#include "linchpin/solvers/natural_map.h"
#include "linchpin/solvers/scaled_problem.h"

namespace linchpin {

// Where they work: all with room for p.stride numbers. The system's cells and factors become theirs.
struct WholeStepsRoom {
  std::vector<double>&r, &u, &F, &dr, &best;
  CellSystem& system;
};
struct WholeStepsResult {
  int steps = 0;
  double figure = 0;  // what measure() says of r
};

// From r, of which measure() said `first` and left W r + q in u, until it says `enough` or less. r becomes the best
// point met.
WholeStepsResult whole_steps(const ScaledProblem& p, double first, double enough, int limit,
                             const WholeStepsRoom& room);

// Is a contact on another piece of that map than when this was last asked of `piece`, by cell? w is W r + q. Where none is
// the steps may be worth their price.
bool pieces_change(const ScaledProblem& p, const std::vector<double>& r, const std::vector<double>& w,
                   std::vector<Piece>& piece);

}  // namespace linchpin

// Whole steps of Newton's method on Alart and Curnier's map, (4) of natural_map.h: no outer iteration, no line search,
// and an eps that only keeps pivots from zero. For this room's own files.
//
// From a point whose contacts are all on their pieces (apart, sticking, sliding) they arrive in one to four, whatever
// the point misses by, and a contact that is on two pieces at once, such as one that touches without pressing, does not
// hold them up. From any other point they are far off after the first. So they are worth a try, no more: newton begins
// with them at a guess, interior_point tries them from its iterates.
#pragma once

#include <vector>

#include "linchpin/solvers/conic/cell_system.h"
#include "linchpin/solvers/conic/natural_map.h"
#include "linchpin/solvers/conic/scaled_problem.h"

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

// Steps that are allowed in one go; they arrive in one to four or not at all.
constexpr int most_whole_steps = 8;

// From r, of which measure() said `first` and left W r + q in u, until it says `enough` or less. r becomes the best
// point met.
WholeStepsResult whole_steps(const ScaledProblem& p, double first, double enough, int limit,
                             const WholeStepsRoom& room);

// Are they worth their price? From a point near enough, where the last iteration has moved no contact to another piece.
// Tried in vain they are tried again from other pieces only, or from much nearer: on the same ones that stick or are apart
// a whole step leads to where it led before.
class WorthATry {
 public:
  void begin(const ScaledProblem& p);
  // At the point r with w = W r + q, of which measure() says `figure`; once each iteration. Answered with yes it is taken
  // for tried.
  bool operator()(const ScaledProblem& p, const std::vector<double>& r, const std::vector<double>& w, double figure);

 private:
  std::vector<Piece> piece_, tried_;  // by cell: now, and when tried last
  double tried_at_ = 0;               // what measure() said then
};

}  // namespace linchpin

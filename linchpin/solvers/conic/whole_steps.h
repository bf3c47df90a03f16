// Full steps of Newton's method on Alart and Curnier's map, (4) of natural_map.h: no outer iteration, no line search,
// and an eps that only keeps pivots from zero. For this room's own files.
//
// From a point whose contacts are all on their final pieces (apart, sticking, sliding) they converge in one to four
// steps, however large its residual is. A contact that is on two pieces at once, such as one that touches without
// pressing, does not slow them down. From any other point they are far off after the first step. So they are worth a
// try: newton starts with them at a guess, interior_point and arc_path try them from their iterates.
#pragma once

#include <vector>

#include "linchpin/solvers/conic/cell_system.h"
#include "linchpin/solvers/conic/natural_map.h"
#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

// Their workspace: vectors of p.stride numbers, and a system whose cells and factors they overwrite.
struct WholeStepsRoom {
  std::vector<double>&r, &u, &F, &dr, &best;
  CellSystem& system;
};
struct WholeStepsResult {
  int steps = 0;
  double figure = 0;  // measure() of r
};

// The limit on steps from one point: they converge in one to four, or not at all.
constexpr int most_whole_steps = 8;

// Steps from r, where measure() gave `first` and wrote W r + q to u, until it gives at most `enough`. r becomes the
// best point met.
WholeStepsResult whole_steps(const ScaledProblem& p, double first, double enough, int limit,
                             const WholeStepsRoom& room);

// Decides whether full steps are worth a try: at a point near enough to a solution, if the last iteration has moved no
// contact to another piece. After a failure they are tried again from other pieces only, or from a much smaller
// residual: on the same pieces, if all stick or are apart, a full step leads to the same point as before.
class WorthATry {
 public:
  void begin(const ScaledProblem& p);
  // Asked once per iteration, at the point r with w = W r + q and figure = measure(). If it returns true, it assumes
  // that the steps are tried.
  bool operator()(const ScaledProblem& p, const std::vector<double>& r, const std::vector<double>& w, double figure);

 private:
  std::vector<Piece> piece_, tried_;  // by cell: now, and at the last try
  double tried_at_ = 0;               // measure() at the last try
};

}  // namespace linchpin

// The options of a solver, and the reason it gives when it stops.
//
// A solver is a function
//     Outcome lemke(const Problem&, const SolverOptions&, LemkeWorkspace&, std::span<double> z);
// With options.warm_start, z holds a guess on entry. Workspaces grow on first use and are kept: solving again at the same
// or a smaller size allocates nothing.
#pragma once

namespace linchpin {

struct SolverOptions {
  double tolerance = 1e-10;  // of both relative figures of the judge
  int max_iterations = 0;    // 0: the solver's own limit
  bool warm_start = false;   // z holds a guess, e.g. the solution of the last step
  // `auto` goes on to its next solver while the relative figures are above this, and newton gives up sooner below it; 0:
  // the tolerance. What is between the two is reported as not solved all the same.
  double acceptable = 0;
  // For guesses that come step after step (both 0: the tolerance is all there is to it). What is within the tolerance is
  // a solution, but what is left over adds up from step to step. So a guess is taken as it is only within
  // `guess_tolerance`, and one that is not is solved by newton further than asked, at the cost of a step or two, down to
  // `aim` if rounding allows. A mechanism at rest then needs no iteration for many steps.
  double guess_tolerance = 0, aim = 0;
  double enough_for_guess() const { return guess_tolerance > 0 ? guess_tolerance : tolerance; }
};

// Why a solver stopped.
enum class Stop {
  finished,  // by its own measure it is done
  iteration_limit,
  stalled,    // no progress, or numbers that are no longer finite
  ray,        // a pivoting method ran along an unbounded ray: there may be no solution
  exhausted,  // enumeration found no solution among all
};
struct Outcome {
  Stop stop = Stop::stalled;
  int iterations = 0;
};

}  // namespace linchpin

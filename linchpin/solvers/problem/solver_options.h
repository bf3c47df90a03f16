// The options of a solver, and its reason for stopping.
//
// A solver is a function
//     Outcome lemke(const Problem&, const SolverOptions&, LemkeWorkspace&, std::span<double> z);
// With options.warm_start, z holds a guess on entry. Workspaces grow on first use and are kept, so that solving again
// at the same or a smaller size allocates nothing.
#pragma once

namespace linchpin {

struct SolverOptions {
  // Of both relative figures of residual.h. interior_point reaches 1e-10 to 1e-13, newton 1e-15 (docs).
  double tolerance = 1e-10;
  int max_iterations = 0;   // 0: the solver's own limit
  bool warm_start = false;  // z holds a guess, e.g. the solution of the last step
  // `auto` tries its next solver while the relative figures are above this, and newton gives up sooner below it; 0: the
  // tolerance. A result between the two is still reported as not solved.
  double acceptable = 0;
  // For the guesses of a simulation (both 0: the tolerance). A residual within the tolerance is a solution, but
  // residuals add up from step to step. A guess is therefore accepted only within `guess_tolerance`; otherwise newton
  // solves beyond the tolerance, at the cost of a step or two, down to `aim` if rounding allows. A mechanism at rest
  // then needs no iteration for many steps.
  double guess_tolerance = 0, aim = 0;
  double enough_for_guess() const { return guess_tolerance > 0 ? guess_tolerance : tolerance; }
};

// Why a solver stopped.
enum class Stop {
  finished,  // converged by its own measure
  iteration_limit,
  stalled,       // no progress, or numbers that are not finite
  ray,           // a pivoting method met an unbounded ray: there may be no solution
  exhausted,     // enumeration tried all choices and found no solution
  out_of_range,  // a number in the solver's units, or of the solution, is outside the range of double
};
struct Outcome {
  Stop stop = Stop::stalled;
  int iterations = 0;
};

}  // namespace linchpin

// The loop that gauss_seidel and proximal share: sweeps until measure() is within the tolerance. For this room's own
// files.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

// The scaled problem, and the unknowns of a sweep.
struct SweepingWorkspace {
  ScaledProblem p;
  std::vector<double> r, u, best;
};

inline void begin_sweeping(const Problem& problem, const SolverOptions& options, SweepingWorkspace& ws,
                           std::span<const double> guess) {
  ws.p.assign(problem);
  ws.r.assign(ws.p.stride, 0.0);
  ws.u.assign(ws.p.stride, 0.0);
  if (options.warm_start) ws.p.scale(guess, ws.r.data());
}

// sweep() changes ws.r, and returns false if it cannot go on. z becomes the best of the measured points. Measuring
// costs as much as a sweep, so it is done after every sweep at first, later each time the sweeps have grown by an
// eighth.
template <class Sweep>
Outcome sweep_until_done(const SolverOptions& options, int own_limit, SweepingWorkspace& ws, Sweep sweep,
                         std::span<double> z) {
  ws.best = ws.r;
  Outcome outcome;
  const int limit = options.max_iterations > 0 ? options.max_iterations : own_limit;
  double best = HUGE_VAL;
  for (int next_look = 0;; ++outcome.iterations) {
    if (outcome.iterations >= next_look || outcome.iterations >= limit) {
      const double now = measure(ws.p, ws.r.data(), ws.u.data());
      if (now < best) {
        best = now;
        ws.best = ws.r;
      }
      const bool done = best <= options.tolerance, out_of_steps = outcome.iterations >= limit;
      if (done || out_of_steps || !std::isfinite(now)) {
        outcome.stop = done ? Stop::finished : out_of_steps ? Stop::iteration_limit : Stop::stalled;
        break;
      }
      next_look = outcome.iterations + std::max(1, outcome.iterations / 8);
    }
    if (!sweep()) {
      outcome.stop = Stop::stalled;
      break;
    }
  }
  ws.p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

#include "linchpin/solvers/gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/local_contact.h"
#include "linchpin/solvers/measure.h"

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }
constexpr int iteration_limit = 20000;

void copy_diagonal(GaussSeidelWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  ws.diagonal.assign(9 * p.cells.size(), 0.0);
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    if (!p.sparse) {
      for (int i = 0; i < cell.size; ++i)
        std::copy_n(&p.W[index(cell.start + i) * index(p.stride) + index(cell.start)], cell.size,
                    &ws.diagonal[9 * c + index(cell.size * i)]);
      continue;
    }
    for (int e = p.blocks.first[c]; e < p.blocks.first[c + 1]; ++e)
      if (p.blocks.column[index(e)] == int(c))
        std::copy_n(&p.blocks.values[p.blocks.value_start[index(e)]], cell.size * cell.size, &ws.diagonal[9 * c]);
  }
}

// One pass of (1). False where a row cannot be solved for.
bool sweep(GaussSeidelWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    double* r = &ws.r[index(cell.start)];
    double b[3];
    row_velocity(p, int(c), ws.r.data(), b);
    const double* D = &ws.diagonal[9 * c];
    if (cell.kind == BlockKind::cone) {
      for (int i = 0; i < 3; ++i) b[i] -= D[3 * i] * r[0] + D[3 * i + 1] * r[1] + D[3 * i + 2] * r[2];
      if (!solve_contact(D, b, cell.mu, r)) return false;
      continue;
    }
    if (!(D[0] > 0)) return false;
    const double x = r[0] - b[0] / D[0];
    if (cell.kind == BlockKind::free)
      r[0] = x;
    else if (cell.kind == BlockKind::nonnegative)
      r[0] = std::max(x, 0.0);
    else
      r[0] = std::min(std::max(x, p.lower[index(cell.start)]), p.upper[index(cell.start)]);
  }
  return true;
}

}  // namespace

Outcome gauss_seidel(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                     std::span<double> z) {
  ws.p.assign(problem);
  ws.r.assign(index(ws.p.stride), 0.0);
  ws.u.assign(index(ws.p.stride), 0.0);
  if (options.warm_start) ws.p.scale(z, ws.r.data());
  copy_diagonal(ws);
  ws.best = ws.r;
  Outcome outcome;
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  double best = HUGE_VAL;
  // looking whether it is done costs a sweep: at first each time, later every eighth of the sweeps so far
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
    if (!sweep(ws)) {
      outcome.stop = Stop::stalled;
      break;
    }
  }
  ws.p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

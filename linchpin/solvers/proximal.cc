#include "linchpin/solvers/proximal.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/measure.h"
#include "linchpin/solvers/projection.h"

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }
constexpr int iteration_limit = 50000;

double largest_diagonal(const ScaledProblem& p, std::size_t c) {
  const Cell& cell = p.cells[c];
  double most = 0;
  if (!p.sparse) {
    for (int i = cell.start; i < cell.start + cell.size; ++i)
      most = std::max(most, p.W[index(i) * index(p.stride) + index(i)]);
    return most;
  }
  for (int e = p.blocks.first[c]; e < p.blocks.first[c + 1]; ++e)
    if (p.blocks.column[index(e)] == int(c))
      for (int i = 0; i < cell.size; ++i)
        most = std::max(most, p.blocks.values[p.blocks.value_start[index(e)] + index(i * cell.size + i)]);
  return most;
}

// (1) for every cell, in place.
void sweep(ProximalWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    double *r = &ws.r[index(cell.start)], u[3];
    row_velocity(p, int(c), ws.r.data(), u);
    if (cell.kind == BlockKind::cone) {
      u[0] += cell.mu * tangential(u);
      for (int k = 0; k < 3; ++k) r[k] -= ws.rho[c] * u[k];
      project_cone(cell.mu, r);
      continue;
    }
    r[0] -= ws.rho[c] * u[0];
    if (cell.kind == BlockKind::nonnegative) r[0] = std::max(r[0], 0.0);
    if (cell.kind == BlockKind::box)
      r[0] = std::min(std::max(r[0], p.lower[index(cell.start)]), p.upper[index(cell.start)]);
  }
}

}  // namespace

Outcome proximal(const Problem& problem, const SolverOptions& options, ProximalWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  ws.r.assign(index(ws.p.stride), 0.0);
  ws.u.assign(index(ws.p.stride), 0.0);
  if (options.warm_start) ws.p.scale(z, ws.r.data());
  ws.rho.resize(ws.p.cells.size());
  for (std::size_t c = 0; c < ws.rho.size(); ++c) {
    const double d = largest_diagonal(ws.p, c);
    ws.rho[c] = d > 0 ? 1 / d : 1;
  }
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
    sweep(ws);
  }
  ws.p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

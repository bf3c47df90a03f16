#include "linchpin/solvers/conic/proximal.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/solvers/conic/projection.h"

namespace linchpin {
namespace {

constexpr int iteration_limit = 50000;  // sweeps; a baseline for comparison, slower than gauss_seidel

double largest_diagonal(const ScaledProblem& p, std::size_t c) {
  const Cell& cell = p.cells[c];
  double most = 0;
  if (!p.sparse) {
    for (int i = cell.start; i < cell.start + cell.size; ++i) most = std::max(most, p.W[index(i) * p.stride + i]);
    return most;
  }
  for (int e = p.blocks.first[c]; e < p.blocks.first[c + 1]; ++e)
    if (p.blocks.column[e] == int(c))
      for (int i = 0; i < cell.size; ++i)
        most = std::max(most, p.blocks.values[p.blocks.value_start[e] + index(i * cell.size + i)]);
  return most;
}

// (1) for every cell, in place.
void sweep(ProximalWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    double *r = &ws.r[cell.start], u[3];
    row_velocity(p, int(c), ws.r.data(), u);
    if (cell.kind == BlockKind::cone) {
      u[0] += cell.mu * tangential(u);
      for (int k = 0; k < 3; ++k) r[k] -= ws.rho[c] * u[k];
      project_cone(cell.mu, r);
      continue;
    }
    r[0] -= ws.rho[c] * u[0];
    if (cell.kind == BlockKind::nonnegative) r[0] = std::max(r[0], 0.0);
    if (cell.kind == BlockKind::box) r[0] = std::min(std::max(r[0], p.lower[cell.start]), p.upper[cell.start]);
  }
}

}  // namespace

Outcome proximal(const Problem& problem, const SolverOptions& options, ProximalWorkspace& ws, std::span<double> z) {
  begin_sweeping(problem, options, ws, z);
  ws.rho.resize(ws.p.cells.size());
  for (std::size_t c = 0; c < ws.rho.size(); ++c) {
    const double d = largest_diagonal(ws.p, c);
    ws.rho[c] = d > 0 ? 1 / d : 1;
  }
  const auto one_sweep = [&] {
    sweep(ws);
    return true;
  };
  return sweep_until_done(options, iteration_limit, ws, one_sweep, z);
}

}  // namespace linchpin

#include "linchpin/solvers/conic/gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/solvers/conic/local_contact.h"

namespace linchpin {
namespace {

constexpr int iteration_limit = 20000;  // sweeps; a baseline for comparison, which may take thousands

void copy_diagonal(GaussSeidelWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  ws.diagonal.assign(9 * p.cells.size(), 0.0);
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    if (!p.sparse) {
      for (int i = 0; i < cell.size; ++i)
        std::copy_n(&p.W[index(cell.start + i) * p.stride + cell.start], cell.size,
                    &ws.diagonal[9 * c + index(cell.size * i)]);
      continue;
    }
    for (int e = p.blocks.first[c]; e < p.blocks.first[c + 1]; ++e)
      if (p.blocks.column[e] == int(c))
        std::copy_n(&p.blocks.values[p.blocks.value_start[e]], cell.size * cell.size, &ws.diagonal[9 * c]);
  }
}

// One sweep of (1). False if a row cannot be solved for.
bool sweep(GaussSeidelWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    double* r = &ws.r[cell.start];
    double b[3];
    row_velocity(p, int(c), ws.r.data(), b);
    const double* D = &ws.diagonal[9 * c];
    if (cell.kind == BlockKind::cone) {
      for (int i = 0; i < 3; ++i) b[i] -= D[3 * i] * r[0] + D[3 * i + 1] * r[1] + D[3 * i + 2] * r[2];
      if (!solve_contact(D, b, cell.mu, r)) return false;
      continue;
    }
    if (!(D[0] > 0)) {
      if (cell.kind != BlockKind::nonnegative || !(b[0] >= 0)) return false;
      r[0] = 0;  // satisfied
      continue;
    }
    const double x = r[0] - b[0] / D[0];
    if (cell.kind == BlockKind::free)
      r[0] = x;
    else if (cell.kind == BlockKind::nonnegative)
      r[0] = std::max(x, 0.0);
    else
      r[0] = std::min(std::max(x, p.lower[cell.start]), p.upper[cell.start]);
  }
  return true;
}

}  // namespace

Outcome gauss_seidel(const Problem& problem, const SolverOptions& options, GaussSeidelWorkspace& ws,
                     std::span<double> z) {
  begin_sweeping(problem, options, ws, z);
  copy_diagonal(ws);
  return sweep_until_done(
      options, iteration_limit, ws, [&] { return sweep(ws); }, z);
}

}  // namespace linchpin

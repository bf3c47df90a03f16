#include "linchpin/solvers/pivoting/dantzig.h"

#include <algorithm>
#include <cmath>

#include "linchpin/algebra/powers_of_two.h"
#include "linchpin/base/check.h"
#include "linchpin/solvers/pivoting/dantzig_drive.h"
#include "linchpin/solvers/pivoting/dantzig_inside.h"
#include "linchpin/solvers/pivoting/dantzig_laws.h"
#include "linchpin/solvers/pivoting/dantzig_run.h"

namespace linchpin {
namespace {

using namespace dantzig_detail;

// In units of broken(): accepted if rounding allows no better; 100 times `lawful` is still below the default tolerance.
constexpr double nearly = 100;

// ---- the problem in its own units ----------------------------------------------------------------------------------

void make_room(Run& run) {
  DantzigWorkspace& ws = run.ws;
  const std::size_t n = std::size_t(padded(run.n) + 8);
  const auto reserve = [](AlignedArray<double>& a, std::size_t size) {
    if (a.size() < size) a = AlignedArray<double>(size);
  };
  reserve(ws.columns, n * n);
  reserve(ws.inverse, n * n);
  for (AlignedArray<double>* a :
       {&ws.scale, &ws.q, &ws.lower, &ws.upper, &ws.z, &ws.w, &ws.dz, &ws.dw, &ws.u, &ws.v, &ws.gathered})
    reserve(*a, n);
  if (ws.position.size() < n) {
    ws.lu.matrix(int(n));  // room for all rows: any number may be inside
    ws.active.resize(n);
    ws.position.resize(n);
    ws.at_upper.resize(n);
    ws.skipped.resize(n);
  }
}

// Units: z_i in s_i, w_i in 1 / s_i with s_i^2 M_ii about 1, powers of two, so that nothing is rounded. A row with a
// zero diagonal is all zero if M is semidefinite and symmetric; otherwise its other numbers give the unit.
void load(Run& run) {
  DantzigWorkspace& ws = run.ws;
  const int n = run.n;
  const double* M = run.problem.M.dense_view(ws.unpacked);
  for (int i = 0; i < n; ++i) {
    double size = std::abs(M[std::size_t(i) * n + i]);
    for (int j = 0; j < n && size == 0; ++j)
      size = std::max(std::abs(M[std::size_t(i) * n + j]), std::abs(M[std::size_t(j) * n + i]));
    ws.scale[i] = size > 0 ? power_of_two(-(exponent(size) >> 1)) : 1;
  }
  double most = 0;
  for (int i = 0; i < n; ++i) {
    ws.q[i] = run.problem.q[i] * ws.scale[i];
    most = std::max(most, std::abs(ws.q[i]));
    double* columns = ws.columns.data() + i;
    for (int j = 0; j < n; ++j)
      columns[std::size_t(j) * run.stride] = M[std::size_t(i) * n + j] * (ws.scale[i] * ws.scale[j]);
  }
  for (int j = 0; j < n; ++j)
    for (int i = n; i < run.stride; ++i) ws.columns[std::size_t(j) * run.stride + i] = 0;
  run.unit = most > 0 ? power_of_two(exponent(most)) : 1;
  for (int i = 0; i < n; ++i) ws.q[i] /= run.unit;
  for (int i = n; i < run.stride; ++i) ws.q[i] = ws.z[i] = ws.w[i] = 0;
}

void load_bounds(Run& run) {
  DantzigWorkspace& ws = run.ws;
  for (const Block& block : run.problem.blocks) {
    check(block.kind != BlockKind::cone, "dantzig: a cone at row ", block.start,
          "; it takes free, nonnegative and box");
    for (int i = block.start; i < block.start + block.size; ++i) {
      const bool box = block.kind == BlockKind::box;
      ws.lower[i] = box                             ? run.problem.lower[i] / (ws.scale[i] * run.unit)
                    : block.kind == BlockKind::free ? -infinity
                                                    : 0;
      ws.upper[i] = box ? run.problem.upper[i] / (ws.scale[i] * run.unit) : infinity;
    }
  }
}

void write(const Run& run, std::span<double> z) {
  const DantzigWorkspace& ws = run.ws;
  for (int i = 0; i < run.n; ++i) z[i] = std::clamp(ws.z[i], ws.lower[i], ws.upper[i]) * ws.scale[i] * run.unit;
}

// ---- sets ----------------------------------------------------------------------------------------------------------

// Puts each row at the bound that the sign of q suggests, or at its only one.
void start_cold(Run& run) {
  DantzigWorkspace& ws = run.ws;
  run.inside = run.updates = 0;
  for (int i = 0; i < run.n; ++i) {
    ws.position[i] = -1;
    ws.at_upper[i] = ws.upper[i] < infinity && (ws.lower[i] == -infinity || ws.q[i] < 0);
  }
}

void start_warm(Run& run, std::span<const double> guess) {
  DantzigWorkspace& ws = run.ws;
  run.inside = run.updates = 0;
  for (int i = 0; i < run.n; ++i) {
    const double z = guess[i] / (ws.scale[i] * run.unit);
    ws.position[i] = -1;
    ws.at_upper[i] = ws.upper[i] < infinity && (ws.lower[i] == -infinity || z >= ws.upper[i]);
    if (z > ws.lower[i] && z < ws.upper[i]) enter(run, i);
  }
}

// Moves rows inside whose z is beyond a bound to that bound. False if there is none.
bool leave_beyond_bounds(Run& run) {
  DantzigWorkspace& ws = run.ws;
  bool any = false;
  for (int k = run.inside - 1; k >= 0; --k) {
    const int a = ws.active[k];
    const bool above = ws.z[a] > ws.upper[a] + lawful, below = ws.z[a] < ws.lower[a] - lawful;
    if (!above && !below) continue;
    leave(run, a);
    ws.at_upper[a] = above;
    any = true;
  }
  return any;
}
// Repeats that until all are within bounds, as drives require.
void return_to_bounds(Run& run) {
  do solve_set(run);
  while (leave_beyond_bounds(run));
}

}  // namespace

Outcome dantzig(const Problem& problem, const SolverOptions& options, DantzigWorkspace& ws, std::span<double> z) {
  Run run{problem, ws};
  run.n = problem.size();
  run.stride = padded(run.n);
  check(z.size() == problem.q.size(), "dantzig: z has ", z.size(), " numbers, the problem ", problem.q.size());
  make_room(run);
  load(run);
  load_bounds(run);
  // A drive takes a few events, a solution some per row; more means cycling.
  run.limit = options.max_iterations > 0 ? options.max_iterations : 200 + 50 * run.n;
  bool warm = options.warm_start;
  if (warm)
    start_warm(run, z);
  else
    start_cold(run);
  return_to_bounds(run);

  for (int round = 0; round < 4; ++round) {
    End end = End::done;
    std::fill_n(ws.skipped.begin(), run.n, 0);
    for (int i = worst_row(run); i >= 0 && end == End::done; i = worst_row(run)) {
      end = drive_row(run, i);
      solve_inside(run, 1);
    }
    solve_afresh(run);
    const double by = broken(run);
    write(run, z);
    if (by <= 1 || (by <= nearly && round == 3)) return {Stop::finished, run.events};
    if (end == End::limit) return {Stop::iteration_limit, run.events};
    if (end == End::ray && !warm) return {Stop::ray, run.events};
    if (end == End::ray || end == End::stuck) {  // fails from here; try from the cold start
      if (!warm) return {Stop::stalled, run.events};
      warm = false;
      start_cold(run);
    } else {
      refresh(run);
      leave_beyond_bounds(run);  // by the z just computed, which may differ from those of the inverse
    }
    return_to_bounds(run);
  }
  return {Stop::stalled, run.events};
}

}  // namespace linchpin

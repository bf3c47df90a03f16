#include "linchpin/solvers/pivoting/lemke.h"

#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/solvers/pivoting/lemke_ray.h"
#include "linchpin/solvers/pivoting/lemke_registers.h"
#include "linchpin/solvers/pivoting/lemke_run.h"
#include "linchpin/solvers/pivoting/lemke_set.h"
#include "linchpin/solvers/pivoting/lemke_start.h"
#include "linchpin/solvers/pivoting/lemke_tableau.h"
#include "linchpin/solvers/pivoting/lemke_units.h"
#include "linchpin/solvers/pivoting/lemke_walk.h"

namespace linchpin {
namespace {

using namespace lemke_detail;

// In units of the violation that is_solution() accepts: returned if there is no better result; 100 times that is still
// below the default tolerance.
constexpr double nearly = 100;

// A path that has reached its end up to rounding may miss it, as z0 cannot be distinguished from 0, and end in a ray.
bool z0_is_negligible(const Run& run) {
  const int place = run.ws.place[run.z0()];
  return place >= 0 || std::abs(run.column(run.b())[~place]) < 1e-8;
}

}  // namespace

Outcome lemke(const Problem& problem, const SolverOptions& options, LemkeWorkspace& ws, std::span<double> z) {
  Run run{problem, ws};
  run.n = problem.size();
  check(z.size() == problem.q.size(), "lemke: z has ", z.size(), " numbers, the problem ", problem.q.size());
  ws.ray.clear();
  make_room(run);
  sort_rows(run, options.warm_start, z);
  if (!load_matrix(run) || !load_vectors(run)) {
    for (int i = 0; i < run.n; ++i) z[i] = run.in_order ? 0 : ws.reference[i];
    return {Stop::out_of_range, 0};
  }
  run.limit = options.max_iterations > 0 ? options.max_iterations : 1000 + 100 * run.rows;  // for all paths together

  std::fill_n(ws.flipped.begin(), run.pairs, 0);
  std::fill_n(ws.kept_row.begin(), run.frees, 1);
  for (int i = 0; i < padded(run.rows); ++i) ws.basic[i] = i >= run.pairs && i < run.rows;
  bool from_set = options.warm_start;
  if (options.warm_start) guess_set(run, z);
  if ((from_set || run.pairs == 0) && settle(run, dependent)) {
    write_solution(run, z);
    return {Stop::finished, run.pivots};
  }

  int rounds = 0, covers = options.warm_start ? -1 : 0;
  bool overflow = false;
  for (;;) {
    if (!make_tableau(run, from_set)) break;
    cover(run, covers);
    int entering = 0;
    const End end = walk(run, entering);
    overflow |= end == End::overflow;
    if (end == End::solution || (end == End::ray && z0_is_negligible(run))) {
      read_tableau(run);
      std::copy_n(ws.basic.data(), run.rows, ws.saved.data());
      std::copy_n(ws.flipped.begin(), run.pairs, ws.saved_flipped.begin());
      if ((tableau_is_exact(run) && is_solution(run)) || settle(run, singular)) {
        write_solution(run, z);
        return {Stop::finished, run.pivots};
      }
      std::copy_n(ws.saved.data(), run.rows, ws.basic.data());
      std::copy_n(ws.saved_flipped.begin(), run.pairs, ws.flipped.begin());
    } else if (end == End::ray && !from_set) {
      propose_ray(run, entering);
      if (ray_looks_like_proof(run)) break;
    }
    if (run.pivots >= run.limit) break;
    // Try again from a new tableau of the set, or from the start: after a failed warm start as a cold start, else with
    // another covering vector. If M is not semidefinite, one covering vector may lead to a ray and another to a
    // solution.
    from_set = end == End::solution && ++rounds < 3;
    if (from_set) continue;
    rounds = 0;
    if (++covers == 8) break;
    std::fill_n(ws.basic.begin(), run.pairs, 0);
    std::fill_n(ws.flipped.begin(), run.pairs, 0);
  }
  if (run.least_broken < infinity)
    std::copy_n(ws.best.data(), run.n, z.data());
  else
    for (int i = 0; i < run.n; ++i) z[i] = run.in_order ? 0 : ws.reference[i];
  if (run.least_broken < nearly) return {Stop::finished, run.pivots};
  if (!ws.ray.empty()) return {Stop::ray, run.pivots};
  const Stop other = overflow ? Stop::out_of_range : Stop::stalled;
  return {run.pivots >= run.limit ? Stop::iteration_limit : other, run.pivots};
}

}  // namespace linchpin

#include "bench/forest_timing.h"

#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {

namespace {
constexpr double slow = 0.1;  // s: once is enough, and accurate enough
}

bool GeneralLimits::allow(General solver, int count, long numbers) const {
  if (count > bodies) return false;
  switch (solver) {
    case General::lu:
      return count <= lu && numbers <= numbers_of_A;
    case General::llt_of_A:
    case General::cholmod_of_A:
      return numbers <= numbers_of_A;
    case General::dense_of_A:
      return long(25) * count * count <= numbers_of_A;
    case General::cg_of_A:
      return count <= cg;
    default:
      return true;
  }
}

const GeneralTimed* ForestTimed::best() const {
  const GeneralTimed* best = nullptr;
  for (const GeneralTimed& g : general)
    if (g.both && !(best && best->both->minimum <= g.both->minimum)) best = &g;
  return best;
}
const GeneralTimed* ForestTimed::find(General solver) const {
  for (const GeneralTimed& g : general)
    if (g.solver == solver) return &g;
  return nullptr;
}

ForestTimed time_forest(BlockSystem& system, std::span<const General> general, const GeneralLimits& limits,
                        const TimingOptions& timing, const ForestProgress& progress) {
  const ConstraintForest forest = forest_of(system);
  set_order(forest, system);
  ForestFactors factors(forest);
  load(system, factors);
  std::vector<double> y(system.F.size()), l(system.r.size()), y8(8 * y.size()), l8(8 * l.size()), r8(8 * l.size());
  ForestTimed found;
  found.bodies = system.bodies();
  found.numbers = system.total_size();
  found.numbers_below_diagonal = system.numbers_below_diagonal();
  factors.factor_and_solve(system.F, system.r, y, l);
  found.residual = system.residual(y, l);

  volatile double touched = 0;
  std::vector<Repeated> work{repeated([&] { factors.factor_and_solve(system.F, system.r, y, l, false); }),
                             repeated([&] { factors.factor(); }),
                             repeated([&] { factors.solve(system.F, system.r, y, l); }),
                             repeated([&] { factors.solve8(y8, r8, l8); }), repeated([&] {
                               double sum[4] = {};
                               const double* const at = factors.block(0);
                               for (std::size_t i = 0; i + 32 <= forest.numbers(); i += 32)
                                 for (std::size_t k = 0; k < 4; ++k) sum[k] += at[i + 8 * k];
                               touched = sum[0] + sum[1] + sum[2] + sum[3];
                             })};
  std::vector<std::unique_ptr<GeneralSolver>> solvers;
  std::vector<std::size_t> timed;  // of found.general
  std::vector<double> y_general(y.size()), l_general(l.size());
  const long numbers_of_A = nonzeros_of_A(system);
  for (const General kind : general) {
    if (!is_here(kind) || !limits.allow(kind, found.bodies, numbers_of_A)) continue;
    if (!progress(to_string(kind))) return {};
    GeneralTimed& g = found.general.emplace_back(GeneralTimed{.solver = kind, .both = {}, .reason = {}});
    std::unique_ptr<GeneralSolver> solver = make_general(kind, system);
    const double start = thread_seconds();
    if (!solver->factor()) {
      g.reason = "meets the zero block of the matrix, where it has no pivot";
      continue;
    }
    solver->solve(system.F, system.r, y_general, l_general);
    const double taken = thread_seconds() - start;
    g.residual = system.residual(y_general, l_general);
    g.nonzeros = solver->nonzeros();
    g.iterations = solver->iterations();
    if (!solver->converged()) {
      g.reason = "not reached: a residual of 1e-10";
      continue;
    }
    if (taken > slow) {
      g.both = Timing{taken, taken};
      continue;
    }
    timed.push_back(found.general.size() - 1);
    work.push_back(repeated([&, it = solver.get()] {
      it->factor();
      it->solve(system.F, system.r, y_general, l_general);
    }));
    solvers.push_back(std::move(solver));
  }
  if (!progress("times")) return {};
  const std::vector<Timing> t = time_together(work, timing);
  found.both = t[0];
  found.factor = t[1];
  found.solve = t[2];
  found.solve8 = {t[3].minimum / 8, t[3].median / 8};
  found.touch = t[4];
  for (std::size_t i = 0; i < timed.size(); ++i) found.general[timed[i]].both = t[5 + i];
  return found;
}

}  // namespace linchpin

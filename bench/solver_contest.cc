#include "bench/solver_contest.h"

#include <algorithm>
#include <string_view>

#include "linchpin/solvers/problem/generate.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {
namespace {

// From a dense matrix up to this many rows as well as from a sparse one, whoever's it is.
constexpr int largest_dense = 400;

// A witness for tests, hopeless beyond.
constexpr int largest_enumerated = 14;

bool has_cones(const Problem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                     [](const Block& block) { return block.kind == BlockKind::cone; });
}

// Without cones most solvers pivot: what they have done after a few iterations is worth nothing.
int first_limit(const Problem& problem) { return has_cones(problem) ? 20 : std::max(1000, 10 * problem.size()); }

std::string_view name_of(Matrix::Kind kind) {
  return kind == Matrix::Kind::dense ? "dense" : kind == Matrix::Kind::factored ? "factored" : "sparse";
}

}  // namespace

Reached reach(const Attempt& attempt, const Problem& problem, double target, double cap) {
  constexpr double short_call = 0.02;  // s
  Reached result;
  result.attempt = &attempt;
  ResidualWorkspace ws;
  std::vector<double> tolerances = attempt.tolerances;
  if (tolerances.empty()) tolerances.push_back(target);
  double spent = 0;
  for (const double tolerance : tolerances)
    for (int limit = attempt.first_limit; limit < 100'000'000; limit *= 4) {
      const double start = thread_seconds();
      const Call call = attempt.call(tolerance, limit);
      const double taken = thread_seconds() - start;
      spent += taken;
      const double now = residual(problem, *attempt.z, ws).plain_relative;
      if (now < result.residual) result.residual = now;
      if (now <= target) {
        result.reached = true;
        result.tolerance = tolerance;
        result.limit = limit;
        result.seconds = taken;
        if (taken > short_call) return result;
        const double again = thread_seconds();  // memory is there and caches are warm now
        attempt.call(tolerance, limit);
        result.seconds = std::min(taken, thread_seconds() - again);
        return result;
      }
      if (spent + 3 * taken > cap) {
        result.cut = true;
        result.seconds = spent;
        return result;
      }
      if (!call.limit) break;
    }
  result.seconds = spent;
  return result;
}

void add_ours(const Problem& problem, const std::vector<double>* guess, Contest& contest) {
  std::vector<Matrix::Kind> kinds{Matrix::Kind::block_sparse};
  if (problem.size() <= largest_dense) kinds.push_back(Matrix::Kind::dense);
  if (problem.M.kind() == Matrix::Kind::factored) kinds.push_back(Matrix::Kind::factored);
  if (!has_cones(problem)) kinds = {problem.M.kind()};
  for (const Matrix::Kind kind : kinds) {
    contest.problems.push_back(std::make_unique<Problem>(with_matrix(problem, kind)));
    const Problem* const stored = contest.problems.back().get();
    for (const SolverInfo& info : solvers()) {
      if (find_refusal(info, *stored)) continue;
      if (info.id == SolverId::enumeration && stored->size() > largest_enumerated) continue;
      contest.solvers.push_back(std::make_unique<Solver>());
      contest.answers.push_back(std::make_unique<std::vector<double>>(stored->q.size()));
      Solver* const solver = contest.solvers.back().get();
      std::vector<double>* const z = contest.answers.back().get();
      const SolverId id = info.id;
      contest.attempts.push_back(
          {.who = ours,
           .solver = std::string(info.name) + ", " + std::string(name_of(kind)),
           .tolerances = {},
           .call =
               [=](double tolerance, int limit) {
                 if (guess)
                   std::copy(guess->begin(), guess->end(), z->begin());
                 else
                   std::fill(z->begin(), z->end(), 0.0);
                 const SolveReport report = solver->solve(
                     *stored, id, {.tolerance = tolerance, .max_iterations = limit, .warm_start = !!guess}, *z);
                 return Call{report.stop == Stop::iteration_limit};
               },
           .z = z,
           .first_limit = first_limit(problem)});
    }
  }
}

#ifdef LINCHPIN_BENCH_PEERS
void add_siconos(const Problem& problem, Contest& contest) {
  for (const std::string& name : siconos_solvers(problem))
    for (const SiconosStorage storage : {SiconosStorage::sparse_blocks, SiconosStorage::dense}) {
      const bool dense = storage == SiconosStorage::dense;
      if (dense ? has_cones(problem) && problem.size() > largest_dense : !has_cones(problem)) continue;
      contest.siconos.push_back(std::make_unique<SiconosSolver>(problem, name, storage));
      contest.answers.push_back(std::make_unique<std::vector<double>>(problem.q.size()));
      SiconosSolver* const solver = contest.siconos.back().get();
      std::vector<double>* const z = contest.answers.back().get();
      contest.attempts.push_back(
          {.who = theirs,
           .solver = name + (dense ? ", dense" : ", sparse"),
           .tolerances = {1e-8, 1e-10, 1e-12, 1e-14},
           .call = [=](double tolerance, int limit) { return Call{solver->solve(tolerance, limit, *z).limit}; },
           .z = z,
           .first_limit = first_limit(problem)});
    }
}
#endif

}  // namespace linchpin

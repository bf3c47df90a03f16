#include "apps/reproduce/chain_problems.h"

#include <algorithm>
#include <cmath>

#include "bench/timing.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// |a - b| relative to the largest of b, in the maximum norm; 0 if b is 0.
double difference_in_largest(std::span<const double> a, std::span<const double> b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    most = larger(most, std::abs(a[i] - b[i]));
    size = larger(size, std::abs(b[i]));
  }
  return size > 0 ? most / size : most;
}

void solve_step(EngineChain& chain) {
  chain.place();
  chain.pose();
  chain.solve();
  chain.lift();
}

void compare_chains(const EngineChain& one, const EngineChain& other, ProblemDifference& worst) {
  const Problem &a = one.conic(), &b = other.conic();
  worst.matrix = larger(worst.matrix, difference_in_largest(a.M.dense(), b.M.dense()));
  worst.q = larger(worst.q, difference_in_largest(a.q, b.q));
  worst.impulses = larger(worst.impulses, difference_in_largest(one.impulses(), other.impulses()));
}

struct ProblemsOfRun {
  std::vector<Problem> conic, lcp;
};

ProblemsOfRun problems_in_contact(const Model& model, int steps) {
  EngineChain chain(model, Method::hybrid_aba, 2);
  ProblemsOfRun posed;
  for (int i = 0; i < steps; ++i) {
    solve_step(chain);
    if (chain.impulses()[0] > 0 || chain.impulses()[3] > 0) {
      posed.conic.push_back(chain.conic());
      posed.lcp.push_back(chain.lcp());
    }
    chain.move();
  }
  return posed;
}

void run_chain_solver(std::span<const Problem> problems, Solver& solver, SolverFigures& figures) {
  std::vector<double> z(problems.front().q.size());
  long iterations = 0;
  figures.not_solved = 0;
  const double begin = thread_seconds();
  for (const Problem& problem : problems) {
    const SolveReport report = solver.solve(problem, figures.solver, {.tolerance = 1e-10}, z);
    iterations += report.iterations;
    figures.not_solved += report.status != Status::solved;
    figures.residual = larger(figures.residual, larger(report.residual.relative, report.residual.plain_relative));
  }
  const double taken = 1e6 * (thread_seconds() - begin) / double(problems.size());
  figures.time = figures.problems == 0 ? taken : std::min(figures.time, taken);
  figures.problems = int(problems.size());
  figures.iterations = double(iterations) / double(problems.size());
}

}  // namespace

void compare_problems(const Model& model, Method method, int steps, int every, ProblemDifference& worst) {
  EngineChain aba(model, Method::hybrid_aba, 2), other(model, method, 2);
  for (int i = 0; i < steps; ++i) {
    solve_step(aba);
    if (i % every == 0) {
      other.start(aba.state());
      solve_step(other);
      compare_chains(other, aba, worst);
    }
    aba.move();
  }
}

std::vector<SolverFigures> compare_solvers(const Model& model, int steps, int rounds) {
  const ProblemsOfRun posed = problems_in_contact(model, steps);
  std::vector<SolverFigures> found;
  if (posed.conic.empty()) return found;
  for (const SolverId id : chain_solvers) found.push_back({.solver = id, .lcp = id == SolverId::lemke});
  Solver solver;
  for (int round = 0; round < rounds; ++round)
    for (SolverFigures& figures : found) run_chain_solver(figures.lcp ? posed.lcp : posed.conic, solver, figures);
  return found;
}

}  // namespace linchpin

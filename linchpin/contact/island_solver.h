// Solves a problem part by part: blocks that M does not couple, directly or through others, are problems of their own. A
// part that is one contact and nothing else has a closed form, which takes no longer than to judge a guess.
//
// Two piles on one floor have nothing to do with each other, and each is solved to its own scale, by the solver that its
// own size asks for. Parts are told by M's pattern (a dense M is one part), and come in the order of their first block,
// so that the result depends on nothing but the problem.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/solver.h"

namespace linchpin {

// What is told of several problems together: the worst of everything, iterations added up.
void add_to(SolveReport& all, const SolveReport& one);

class IslandSolver {
 public:
  // As Solver::solve(). The report's residual is the worst part's.
  SolveReport solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);
  int islands() const { return islands_; }  // of the last problem
  Solver& solver() { return solver_; }

 private:
  SolveReport solve_part(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);
  void find_islands(const Problem& problem);
  void take_out(const Problem& problem, int island);

  Solver solver_;
  int islands_ = 0;
  std::vector<Block> cells_;                             // cones, and the single rows of other blocks
  std::vector<int> parent_, island_of_, order_, first_;  // by cell; cells by island
  std::vector<int> place_;                               // of a cell in its part
  Problem part_;
  std::vector<double> part_z_;
  ResidualWorkspace judge_;
};

}  // namespace linchpin

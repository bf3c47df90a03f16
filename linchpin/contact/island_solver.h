// Solves a problem island by island: blocks that M does not couple, directly or through other blocks, are separate
// problems. An island of a single contact is solved in closed form, which costs no more than the check of a guess.
//
// Example: two piles on one floor. Each is solved to a tolerance relative to its own size, by the solver that suits
// this size. The islands follow from the sparsity pattern of M (a dense M is one island). They are solved in the order
// of their first block, so the result depends on the problem only.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/solver.h"

namespace linchpin {

// Merges the report of one problem into that of several: the worst status and residual, the sum of the iterations.
void add_to(SolveReport& all, const SolveReport& one);

class IslandSolver {
 public:
  // As Solver::solve(). The report's residual is that of the worst island.
  SolveReport solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);
  int islands() const { return islands_; }  // of the last problem
  Solver& solver() { return solver_; }

 private:
  SolveReport solve_part(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);
  void find_islands(const Problem& problem);
  void take_out(const Problem& problem, int island);

  Solver solver_;
  int islands_ = 0;
  // A cell is a cone, or a single row of another block.
  std::vector<Block> cells_;
  std::vector<int> parent_, island_of_;  // by cell: parent in the union-find forest, island
  std::vector<int> order_, first_;       // cells sorted by island; by island: its first place in order_
  std::vector<int> place_;               // by cell: its index in its island
  Problem part_;
  std::vector<double> part_z_;
  ResidualWorkspace judge_;
};

}  // namespace linchpin

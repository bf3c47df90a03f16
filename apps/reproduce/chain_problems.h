// The problems that the chain of engine_chain.h poses with contacts at both ends: how far those of the engines are
// apart, and what solvers need for them. For the reproduction of 002 figure 6.
#pragma once

#include <vector>

#include "apps/reproduce/engine_chain.h"

namespace linchpin {

// Largest differences of an engine from hybrid_aba at the same states, relative to the largest number: of the matrix
// and q of the conic problem, and of the impulses.
struct ProblemDifference {
  double matrix = 0, q = 0, impulses = 0;
};
// At every `every`-th of `steps` steps; with what was found before.
void compare_problems(const Model& model, Method method, int steps, int every, ProblemDifference& worst);

// One solver on the problems of all steps in which a contact pushes, each from z = 0, to a tolerance of 1e-10.
struct SolverFigures {
  SolverId solver;
  bool lcp = false;       // of (13), four rows a contact; otherwise of the cones, three rows
  double time = 0;        // us a problem, residual included
  double iterations = 0;  // a problem
  double residual = 0;    // the largest
  int problems = 0, not_solved = 0;
};
inline constexpr SolverId chain_solvers[] = {SolverId::lemke, SolverId::gauss_seidel, SolverId::proximal,
                                             SolverId::automatic};
// In the order of chain_solvers. lemke solves (13). Its row that bounds friction has a zero diagonal, for which
// Gauss-Seidel cannot solve, so the others get the cones, which in the plane are the same law.
std::vector<SolverFigures> compare_solvers(const Model& model, int steps, int rounds);

}  // namespace linchpin

// The list of solvers, and Solver::solve(), which runs one of them or the declared chain `auto`.
//
// Solvers do not grade themselves: their Outcome (solver_options.h) says why they stopped, and residual() decides whether
// z solves the problem.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/residual.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

enum class SolverId {
  automatic,
  lemke,
  dantzig,
  newton,
  interior_point,
  arc_path,
  gauss_seidel,
  proximal,
  enumeration
};

struct SolverInfo {
  SolverId id;
  std::string_view name;
  std::string_view summary;
  bool free, nonnegative, box, cone;  // the blocks it takes
  int largest;                        // rows; beyond that it refuses
};
std::span<const SolverInfo> solvers();
const SolverInfo* find_solver(std::string_view name);  // nullptr: no such name
const SolverInfo& info(SolverId id);
// Why this solver refuses the problem; nothing if it takes it.
std::optional<Error> find_refusal(const SolverInfo& solver, const Problem& problem);

enum class Status {
  solved,      // residual() is within the tolerance
  not_solved,  // it is not; `stop` says why the solver gave up
  unsolvable,  // a certificate was checked: no z solves the problem
  bad_input,   // no problem, or not one for this solver
};
std::string_view to_string(Status status);
std::string_view to_string(Stop stop);

constexpr int most_tries = 6;  // of `automatic`
struct SolveReport {
  Status status = Status::bad_input;
  SolverId solver = SolverId::automatic;  // the one that gave z; automatic, without tries: the guess will do
  Stop stop = Stop::stalled;
  int iterations = 0;  // of all solvers tried
  Residual residual;
  std::array<SolverId, most_tries> tried{};  // in order: `automatic` is a declared chain (docs/solvers.md)
  int tries = 0;
};

struct SolverWorkspaces;  // all solvers' workspaces
class Solver {
 public:
  Solver();
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  SolveReport solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);

 private:
  std::unique_ptr<SolverWorkspaces> ws_;
};

}  // namespace linchpin

// The list of solvers, and Solver::solve(), which runs one of them or the documented chain `auto` (docs/solvers.md).
//
// A solver's Outcome (solver_options.h) only says why it stopped; residual() decides whether z solves the problem.
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
  bool free, nonnegative, box, cone;  // the kinds of blocks it takes
  int largest;                        // number of rows; it refuses larger problems
};
std::span<const SolverInfo> solvers();
const SolverInfo* find_solver(std::string_view name);  // nullptr if there is no such name
const SolverInfo& info(SolverId id);
// The reason why this solver does not take the problem; nothing if it does.
std::optional<Error> find_refusal(const SolverInfo& solver, const Problem& problem);

enum class Status {
  solved,      // residual() is within the tolerance
  not_solved,  // it is not; `stop` says why the solver stopped
  unsolvable,  // a checked certificate proves that no z solves the problem
  bad_input,   // the problem is invalid, or this solver does not take it
};
std::string_view to_string(Status status);
std::string_view to_string(Stop stop);

constexpr int most_tries = 6;  // the longest chain of `automatic`
struct SolveReport {
  Status status = Status::bad_input;
  SolverId solver = SolverId::automatic;  // the one that gave z; `automatic` with no tries: z is the guess
  Stop stop = Stop::stalled;
  int iterations = 0;  // in total over all solvers tried
  Residual residual;
  std::array<SolverId, most_tries> tried{};  // in order
  int tries = 0;
};

struct SolverWorkspaces;  // the workspaces of all solvers
class Solver {
 public:
  Solver();
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  // With options.warm_start, z holds a guess on entry. Solving again a problem of the same size and pattern allocates
  // nothing.
  SolveReport solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z);

 private:
  std::unique_ptr<SolverWorkspaces> ws_;
};

}  // namespace linchpin

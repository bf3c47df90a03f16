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
  enumeration,
  closed_form
};
inline constexpr int solver_count = int(SolverId::closed_form) + 1;  // `automatic` included

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
  unsolvable,  // it is proved that no z solves the problem; `proof` says how
  bad_input,   // the problem is invalid, or this solver does not take it
};
// How it is proved that a problem has no solution.
enum class Proof {
  none,
  ray,          // a combination of rows contradicts itself, in exact arithmetic (unsolvable.h)
  enumeration,  // every choice of active rows contradicts itself (enumeration_proof.h)
};
std::string_view to_string(Status status);
std::string_view to_string(Stop stop);
std::string_view to_string(Proof proof);

constexpr int most_tries = 6;  // the longest chain of `automatic`
struct SolveReport {
  Status status = Status::bad_input;
  SolverId solver = SolverId::automatic;  // the one that gave z; `automatic` with no tries: z is the guess
  // Why it stopped; `exhausted` if the last solver tried was enumeration and found no solution.
  Stop stop = Stop::stalled;
  Proof proof = Proof::none;  // if the status is unsolvable
  // No z with all |z_i| up to this number solves the problem; infinity if it is unsolvable. Above 0 where a ray
  // excludes only some z: the problem is nearly unsolvable, and M nearly singular.
  double no_solution_within = 0;
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

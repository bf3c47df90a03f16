// What all solvers share: options, what a solver says when it stops, the list of solvers, and solve().
//
// A solver is a function
//     Outcome lemke(const Problem&, const SolverOptions&, LemkeWorkspace&, std::span<double> z);
// that never grades itself: its Outcome says why it stopped, and solve() lets residual() say whether z solves the
// problem. With options.warm_start, z on entry is the guess. Workspaces grow on first use and are then kept: solving
// again at the same or a smaller size allocates nothing.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "linchpin/solvers/problem.h"
#include "linchpin/solvers/residual.h"

namespace linchpin {

struct SolverOptions {
  double tolerance = 1e-10;  // of both relative figures of the judge
  int max_iterations = 0;    // 0: the solver's own limit
  bool warm_start = false;   // z holds a guess, e.g. the solution of the last step
  // `auto` goes on to its next solver while the relative figures are above this, and newton gives up sooner below it; 0:
  // the tolerance. What is between the two is reported as not solved all the same.
  double acceptable = 0;
  // For guesses that come step after step (both 0: the tolerance is all there is to it). What is within the tolerance is
  // a solution, but what is left over adds up from step to step. So a guess is taken as it is only within
  // `guess_tolerance`, and one that is not is solved by newton further than asked, at the cost of a step or two, down to
  // `aim` if rounding allows. A mechanism at rest then needs no iteration for many steps.
  double guess_tolerance = 0, aim = 0;
  double enough_for_guess() const { return guess_tolerance > 0 ? guess_tolerance : tolerance; }
};

// Why a solver stopped.
enum class Stop {
  finished,  // by its own measure it is done
  iteration_limit,
  stalled,    // no progress, or numbers that are no longer finite
  ray,        // a pivoting method ran along an unbounded ray: there may be no solution
  exhausted,  // enumeration found no solution among all
};
struct Outcome {
  Stop stop = Stop::stalled;
  int iterations = 0;
};

enum class SolverId { automatic, lemke, dantzig, newton, interior_point, arc_path, gauss_seidel, proximal, enumeration };

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
std::string_view name(Status status);
std::string_view name(Stop stop);

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

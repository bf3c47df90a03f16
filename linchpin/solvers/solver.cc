#include "linchpin/solvers/solver.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/names.h"
#include "linchpin/solvers/conic/arc_path.h"
#include "linchpin/solvers/conic/gauss_seidel.h"
#include "linchpin/solvers/conic/interior_point.h"
#include "linchpin/solvers/conic/newton.h"
#include "linchpin/solvers/conic/proximal.h"
#include "linchpin/solvers/pivoting/dantzig.h"
#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting/lemke.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {

struct SolverWorkspaces {
  ResidualWorkspace residual;
  LemkeWorkspace lemke;
  DantzigWorkspace dantzig;
  std::shared_ptr<CellProblem> cells = std::make_shared<CellProblem>();
  NewtonWorkspace newton{cells};
  InteriorPointWorkspace interior_point{cells};
  ArcPathWorkspace arc_path{cells};
  GaussSeidelWorkspace gauss_seidel;
  ProximalWorkspace proximal;
  EnumerationWorkspace enumeration;
  std::vector<double> guess, best;
};

namespace {

constexpr int any_size = std::numeric_limits<int>::max();

//  id, name, summary, takes free, nonnegative, box, cone, largest
constexpr SolverInfo table[] = {
    {SolverId::automatic, "auto", "chooses solvers by the size and blocks of the problem, and reports its choice", true,
     true, true, true, any_size},
    {SolverId::lemke, "lemke", "Lemke's method with lexicographic pivoting: exact, for small problems", true, true,
     true, false, 2000},
    {SolverId::dantzig, "dantzig", "Dantzig's principal pivoting: exact, for semidefinite matrices", true, true, true,
     false, 2000},
    {SolverId::newton, "newton", "nonsmooth Newton within a proximal-point iteration: tens to thousands of contacts",
     true, true, true, true, any_size},
    {SolverId::interior_point, "interior_point", "primal-dual interior-point method: few iterations on most problems",
     true, true, true, true, any_size},
    {SolverId::arc_path, "arc_path", "follows a path of solutions through its turning points: hard contact problems",
     true, true, true, true, any_size},
    {SolverId::gauss_seidel, "gauss_seidel", "block Gauss-Seidel (NSGS, PGS): the well-known baseline", true, true,
     true, true, any_size},
    {SolverId::proximal, "proximal", "fixed-point iteration on the proximal-point equation: another baseline", true,
     true, true, true, any_size},
    {SolverId::enumeration, "enumeration", "tries every combination of active rows: an independent check for tests",
     true, true, true, false, largest_enumeration},
};

// Limits of the chains of `automatic` (docs/solvers.md). Numbers of steps are iterations.
//
// Up to this many rows pivoting is as fast as other methods, and exact; its cost grows with the cube of the rows.
constexpr int largest_for_pivoting = 400;
// Rows that are not free: few enough to try all combinations if no other solver succeeds (matrices of no class at all).
constexpr int most_for_enumeration = 10;
// newton is the fastest solver if it soon finds out which contacts slide: with few contacts, or with a guess.
// interior_point is better at finding that out, and newton then adds the last digits.
constexpr int most_for_newton_first = 12;  // contacts, without a guess
constexpr int first_newton_steps = 30;
constexpr int first_newton_steps_from_guess = 14, newton_steps_from_inside = 60;
// interior_point takes 10 to 30 iterations if it converges easily; otherwise arc_path is sooner.
constexpr int first_interior_steps = 50;
// With many contacts newton converges in a few full steps or not soon, and interior_point often not at all.
constexpr int many_contacts = 100, first_newton_steps_of_many = 5;
// From a guess interior_point and arc_path only have to find which contacts have changed: within `known` they hand over
// to newton, which takes a step or two.
constexpr int interior_steps_from_guess = 100, path_steps_from_guess = 300;
constexpr double known = 1e-6;
// After a guess that did not help. Piles take some hundred iterations, a few up to thousands (docs/arc_path.md); in a
// simulation the step can be halved instead.
constexpr int path_steps_after_guess = 3000;

struct Kinds {
  bool free = false, nonnegative = false, box = false, cone = false;
  int cones = 0, choices = 0;  // choices: rows that are not free
};
Kinds kinds_of(const Problem& p) {
  Kinds k;
  for (const Block& b : p.blocks) {
    k.free = k.free || b.kind == BlockKind::free;
    k.nonnegative = k.nonnegative || b.kind == BlockKind::nonnegative;
    k.box = k.box || b.kind == BlockKind::box;
    k.cone = k.cone || b.kind == BlockKind::cone;
    k.cones += b.kind == BlockKind::cone;
    k.choices += b.kind == BlockKind::free ? 0 : b.size;
  }
  return k;
}

// The rule of `automatic`: the solvers to try, in order, until residual() is within the tolerance. For each: its
// starting point, its limit on iterations (0: its own), and the residual at which it hands over to the next one (0: the
// tolerance). The first solver starts from the guess if there is one, whatever `from` says.
enum class Start { anew, guess, best };  // best: the best point so far
struct Try {
  SolverId id;
  Start from = Start::anew;
  int iterations = 0;
  double hand_over = 0;
};
struct Chain {
  std::array<Try, most_tries> tries;
  int count;
};
Chain automatic_chain(const Problem& p, bool guessed) {
  const Kinds k = kinds_of(p);
  const bool alone = k.cones == 1 && p.blocks.size() == 1;
  using enum SolverId;
  using enum Start;
  if (alone) return {{{{gauss_seidel}, {newton}, {interior_point}, {newton, best}}}, 4};
  if (k.cones > most_for_newton_first && !guessed)
    return {{{{interior_point, anew, first_interior_steps},
              {arc_path},
              {newton, best},
              {interior_point},
              {newton, best},
              {newton}}},
            6};
  if (k.cone && guessed)
    return {{{{newton, guess, k.cones > many_contacts ? first_newton_steps_of_many : first_newton_steps_from_guess},
              k.cones > many_contacts ? Try{arc_path, guess, path_steps_from_guess, known}
                                      : Try{interior_point, guess, interior_steps_from_guess, known},
              {newton, best, newton_steps_from_inside},
              {arc_path, anew, path_steps_after_guess},
              {newton, best},
              {interior_point}}},
            6};
  if (k.cone)
    return {{{{newton, anew, first_newton_steps},
              {interior_point, anew, first_interior_steps},
              {arc_path},
              {newton, best},
              {interior_point},
              {newton}}},
            6};
  if (!k.box && k.choices <= most_for_enumeration)
    return {{{{lemke}, {interior_point}, {newton, best}, {enumeration}}}, 4};
  if (p.size() <= largest_for_pivoting) return {{{{lemke}, {interior_point}, {newton, best}, {newton}}}, 4};
  return {{{{newton, anew, first_newton_steps}, {interior_point}, {newton, best}, {lemke}}}, 4};
}

Outcome run(SolverId id, const Problem& p, const SolverOptions& o, SolverWorkspaces& ws, std::span<double> z) {
  switch (id) {
    case SolverId::lemke:
      return lemke(p, o, ws.lemke, z);
    case SolverId::dantzig:
      return dantzig(p, o, ws.dantzig, z);
    case SolverId::newton:
      return newton(p, o, ws.newton, z);
    case SolverId::interior_point:
      return interior_point(p, o, ws.interior_point, z);
    case SolverId::arc_path:
      return arc_path(p, o, ws.arc_path, z);
    case SolverId::gauss_seidel:
      return gauss_seidel(p, o, ws.gauss_seidel, z);
    case SolverId::proximal:
      return proximal(p, o, ws.proximal, z);
    case SolverId::enumeration:
      return enumeration(p, o, ws.enumeration, z);
    case SolverId::automatic:
      break;
  }
  check(false, "no solver has the id ", int(id));
  return {};
}

double figure(const Residual& r) { return std::max(r.relative, r.plain_relative); }

// Runs one solver and judges its z by residual().
void attempt(SolverId id, const Problem& p, const SolverOptions& o, double tolerance, SolverWorkspaces& ws,
             std::span<double> z, SolveReport& report) {
  const Outcome outcome = run(id, p, o, ws, z);
  if (!std::all_of(z.begin(), z.end(), [](double x) { return std::isfinite(x); }))
    std::fill(z.begin(), z.end(), 0.0);  // not an answer
  report.iterations += outcome.iterations;
  report.stop = outcome.stop;
  report.solver = id;
  report.tried[report.tries++] = id;
  report.residual = residual(p, z, ws.residual);
  report.status = report.residual.within(tolerance) ? Status::solved : Status::not_solved;
  if (report.status == Status::solved) return;
  if (id == SolverId::lemke && outcome.stop == Stop::ray && certifies_unsolvable(p, ws.lemke.ray))
    report.status = Status::unsolvable;
}

}  // namespace

std::span<const SolverInfo> solvers() { return table; }

const SolverInfo* find_solver(std::string_view name) {
  for (const SolverInfo& s : table)
    if (s.name == name) return &s;
  return nullptr;
}

const SolverInfo& info(SolverId id) {
  for (const SolverInfo& s : table)
    if (s.id == id) return s;
  fail_check("no solver has the id ", int(id));
}

std::optional<Error> find_refusal(const SolverInfo& solver, const Problem& problem) {
  const Kinds k = kinds_of(problem);
  const auto refuse = [&](BlockKind kind) {
    return Error{std::string(solver.name) + " takes no " + std::string(to_string(kind)) + " blocks"};
  };
  if (k.free && !solver.free) return refuse(BlockKind::free);
  if (k.nonnegative && !solver.nonnegative) return refuse(BlockKind::nonnegative);
  if (k.box && !solver.box) return refuse(BlockKind::box);
  if (k.cone && !solver.cone) return refuse(BlockKind::cone);
  const bool choices = solver.id == SolverId::enumeration;  // free rows are not enumerated
  int rows = 0;
  for (const Block& b : problem.blocks)
    if (!choices || b.kind != BlockKind::free) rows += b.size;
  if (rows > solver.largest)
    return Error{std::string(solver.name) + " takes at most " + std::to_string(solver.largest) +
                 (choices ? " rows that are not free" : " rows") + ", not " + std::to_string(rows)};
  return {};
}

std::string_view to_string(Status status) {
  static constexpr EnumNames<Status::bad_input> names{"status", {"solved", "not solved", "unsolvable", "bad input"}};
  return names.of(status);
}

std::string_view to_string(Stop stop) {
  static constexpr EnumNames<Stop::exhausted> names{"stop",
                                                    {"finished", "iteration limit", "stalled", "ray", "exhausted"}};
  return names.of(stop);
}

Solver::Solver() : ws_(std::make_unique<SolverWorkspaces>()) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveReport Solver::solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z) {
  SolveReport report;
  report.solver = id;
  if (find_fault(problem) || find_refusal(info(id), problem) || !(options.tolerance > 0)) return report;  // bad_input
  check(z.size() == problem.q.size(), "z has ", z.size(), " numbers for ", problem.size(), " rows");
  SolverWorkspaces& ws = *ws_;
  if (problem.q.empty()) {
    report.status = Status::solved;
    report.stop = Stop::finished;
    return report;
  }
  if (id != SolverId::automatic) {
    attempt(id, problem, options, options.tolerance, ws, z, report);
    return report;
  }
  if (options.warm_start) {
    report.residual = residual(problem, z, ws.residual);
    if (report.residual.within(options.enough_for_guess())) {
      report.status = Status::solved;
      report.stop = Stop::finished;
      return report;
    }
  }
  const Chain chain = automatic_chain(problem, options.warm_start);
  SolveReport best;
  ws.guess.assign(z.begin(), z.end());
  ws.best = ws.guess;
  double best_figure = HUGE_VAL;
  for (int i = 0; i < chain.count; ++i) {
    const Try& next = chain.tries[i];
    SolverOptions o = options;
    if (next.iterations > 0)
      o.max_iterations = o.max_iterations > 0 ? std::min(o.max_iterations, next.iterations) : next.iterations;
    o.warm_start = i == 0 ? options.warm_start : next.from != Start::anew;
    if (o.warm_start) std::ranges::copy(next.from == Start::best ? ws.best : ws.guess, z.begin());
    o.tolerance = std::max(o.tolerance, next.hand_over);
    attempt(next.id, problem, o, options.tolerance, ws, z, report);
    if (report.status != Status::not_solved) return report;
    const bool cut_short = next.hand_over > 0 || (next.iterations > 0 && report.stop == Stop::iteration_limit);
    if (!cut_short && report.residual.within(options.acceptable)) return report;
    if (const double now = figure(report.residual); now < best_figure) {
      best_figure = now;
      best = report;
      std::copy(z.begin(), z.end(), ws.best.begin());
    }
  }
  if (!(best_figure < HUGE_VAL)) return report;  // no solver gave finite numbers
  std::copy(ws.best.begin(), ws.best.end(), z.begin());
  best.tried = report.tried;
  best.tries = report.tries;
  best.iterations = report.iterations;
  return best;
}

}  // namespace linchpin

#include "linchpin/solvers/solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/algebra/powers_of_two.h"
#include "linchpin/base/names.h"
#include "linchpin/solvers/conic/arc_path.h"
#include "linchpin/solvers/conic/closed_form.h"
#include "linchpin/solvers/conic/gauss_seidel.h"
#include "linchpin/solvers/conic/interior_point.h"
#include "linchpin/solvers/conic/newton.h"
#include "linchpin/solvers/conic/proximal.h"
#include "linchpin/solvers/pivoting/dantzig.h"
#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting/enumeration_proof.h"
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
  EnumerationProofWorkspace proof;
  std::vector<double> guess, best;
  Problem other_units;  // the problem in the units of solve_in_other_units()
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
    {SolverId::closed_form, "closed_form", "one contact alone, without iteration", false, false, false, true,
     closed_form_rows},
};
static_assert(std::size(table) == solver_count);

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
  if (alone) return {{{{closed_form}, {newton}, {interior_point}, {newton, best}}}, 4};
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
    case SolverId::closed_form:
      return closed_form(p, o, ws.gauss_seidel, z);
    case SolverId::automatic:
      break;
  }
  check(false, "no solver has the id ", int(id));
  return {};
}

// The larger of the two that decide; infinite if one is NaN.
double figure(const Residual& r) {
  const bool nan = std::isnan(r.relative) || std::isnan(r.plain_relative);
  return nan ? HUGE_VAL : std::max(r.relative, r.plain_relative);
}

// Whether the solver that has just stopped, without a solution, proves that there is none.
void look_for_proof(SolverId id, Stop stop, const Problem& p, SolverWorkspaces& ws, SolveReport& report) {
  if (id == SolverId::lemke && stop == Stop::ray) {
    double& radius = report.no_solution_within;
    radius = std::max(radius, radius_without_solution(p, ws.lemke.ray));
    if (!std::isinf(radius) && round_to_integers(ws.lemke.ray))
      radius = std::max(radius, radius_without_solution(p, ws.lemke.ray));
    if (std::isinf(radius)) report.proof = Proof::ray;
  }
  if (id == SolverId::enumeration && stop == Stop::exhausted && enumeration_proves_unsolvable(p, ws.proof)) {
    report.no_solution_within = HUGE_VAL;
    report.proof = Proof::enumeration;
  }
  if (report.proof != Proof::none) report.status = Status::unsolvable;
}

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
  if (report.status != Status::solved) look_for_proof(id, outcome.stop, p, ws, report);
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
  static constexpr EnumNames<Stop::out_of_range> names{
      "stop", {"finished", "iteration limit", "stalled", "ray", "exhausted", "out of range"}};
  return names.of(stop);
}

std::string_view to_string(Proof proof) {
  static constexpr EnumNames<Proof::enumeration> names{"proof", {"none", "ray", "enumeration"}};
  return names.of(proof);
}

Solver::Solver() : ws_(std::make_unique<SolverWorkspaces>()) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

namespace {

// Runs the solver, or the chain of `automatic`, on a problem without faults.
SolveReport solve_valid(const Problem& problem, SolverId id, const SolverOptions& options, SolverWorkspaces& ws,
                        std::span<double> z) {
  SolveReport report;
  report.solver = id;
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
  best.no_solution_within = report.no_solution_within;
  if (report.stop == Stop::exhausted) best.stop = report.stop;
  return best;
}

// The largest exponent of two of a number; 0 if all are 0.
int largest_exponent(std::span<const double> numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::abs(x));
  return most > 0 ? std::ilogb(most) : 0;
}

// Numbers beyond 2^+-200 (1e60) in M or q: solvers square them, and some of their constants are absolute. They are
// solved in other units, M' = 2^a M, q' = 2^b q, z' = 2^(b - a) z, if they were not solved in their own.
struct Units {
  int a = 0, b = 0;
  bool change() const { return a != 0 || b != 0; }
};
Units other_units(const Problem& p) {
  constexpr int far = 200;
  const auto from_far = [](int exponent) { return std::abs(exponent) > far ? -exponent : 0; };
  Units units;
  units.b = from_far(largest_exponent(p.q));
  // A product H A^-1 H' keeps its units: they are those of its factors.
  if (p.M.kind() == Matrix::Kind::dense) units.a = from_far(largest_exponent(p.M.dense()));
  if (p.M.kind() == Matrix::Kind::block_sparse) units.a = from_far(largest_exponent(p.M.blocks().values));
  return units;
}

// Solves the problem in other units. `report`, of its own ones, is replaced if that solves it or proves that it has no
// solution, by the numbers of the problem itself.
void solve_in_other_units(const Problem& p, const Units& units, SolverId id, const SolverOptions& options,
                          SolverWorkspaces& ws, std::span<double> z, SolveReport& report) {
  Problem& other = ws.other_units;
  other = p;
  const auto times = [](std::span<double> numbers, int exponent) {
    for (double& x : numbers) x = std::ldexp(x, exponent);
  };
  times(other.q, units.b);
  times(other.lower, units.b - units.a);
  times(other.upper, units.b - units.a);
  if (p.M.kind() == Matrix::Kind::dense) times(other.M.dense(), units.a);
  if (p.M.kind() == Matrix::Kind::block_sparse) {
    BlockSparse blocks = p.M.blocks();
    times(blocks.values, units.a);
    other.M.assign(blocks);
  }
  std::vector<double> z_other(z.size());
  SolverOptions cold = options;
  cold.warm_start = false;
  SolveReport found = solve_valid(other, id, cold, ws, z_other);
  found.iterations += report.iterations;
  found.no_solution_within = report.no_solution_within;
  if (found.status == Status::unsolvable) {
    found.status = Status::not_solved;
    found.proof = Proof::none;
    look_for_proof(found.solver, found.stop, p, ws, found);
    found.residual = report.residual;
    if (found.status == Status::unsolvable) report = found;
    return;
  }
  if (found.status != Status::solved) return;
  bool in_range = true;
  for (double& x : z_other) {
    const double before = std::exchange(x, std::ldexp(x, units.a - units.b));
    in_range &= before == 0 || std::isnormal(x);
  }
  found.residual = residual(p, z_other, ws.residual);
  if (found.residual.within(options.tolerance)) {
    std::ranges::copy(z_other, z.begin());
    report = found;
  } else if (!in_range) {
    report.stop = Stop::out_of_range;
  }
}

}  // namespace

SolveReport Solver::solve(const Problem& problem, SolverId id, const SolverOptions& options, std::span<double> z) {
  SolveReport report;
  report.solver = id;
  if (find_fault(problem) || find_refusal(info(id), problem) || !(options.tolerance > 0)) return report;  // bad_input
  check(z.size() == problem.q.size(), "z has ", z.size(), " numbers for ", problem.size(), " rows");
  if (problem.q.empty()) {
    report.status = Status::solved;
    report.stop = Stop::finished;
    return report;
  }
  report = solve_valid(problem, id, options, *ws_, z);
  if (report.status != Status::not_solved) return report;
  if (const Units units = other_units(problem); units.change())
    solve_in_other_units(problem, units, id, options, *ws_, z, report);
  return report;
}

}  // namespace linchpin

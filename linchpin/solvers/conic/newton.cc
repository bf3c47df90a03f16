#include "linchpin/solvers/conic/newton.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/conic/whole_steps.h"

namespace linchpin {
namespace {

// Found on real contact problems (stacks, towers, rovers, capsules); none of the values is delicate. docs/newton.md.
//
// eps of (1), relative to the unit diagonal of W: its first value and its bounds.
constexpr double first_eps = 1e-2;
constexpr double largest_eps = 10, smallest_eps = 1e-13;
// After an outer step that fails eps is multiplied by `grow`; after a quick one it is divided by a factor that starts
// at first_shrink and is halved by each failure, down to smallest_shrink: eps shrinks more carefully after a failure.
constexpr double grow = 4;
constexpr double first_shrink = 10, smallest_shrink = 3;
constexpr int quick = 8;         // an outer step of at most this many Newton steps is quick
constexpr int inner_limit = 12;  // an outer step of more Newton steps has failed
// An outer step is done when |F_eps| is this share of |F| before it: more accuracy is wasted while eps is large.
constexpr double inner_accuracy = 0.1;
constexpr double inner_rounding = 1e-15;  // but never below this share of |q|, which rounding leaves
// Line search: steps are shortened at most twice, and |F_eps| is compared with the largest of the last six. A monotone
// line search gets stuck at the kinks of F: 290 factorisations instead of 30 on one stack of boxes.
constexpr int trials = 3, memory = 6;
constexpr double least_descent = 1e-4;  // the usual constant of Armijo's rule
constexpr int iteration_limit = 500;    // Newton steps; `auto` gives its first tries 5 to 60
// Stops after `patience` outer steps without a better point, once the best is below `near`.
constexpr int patience = 12;
constexpr double near = 1e-6;
// From a guess eps starts at this multiple of its residual, first_eps at most: near a solution a small eps does.
constexpr double near_share = 100;
// Once options.acceptable is reached, steps_between further Newton steps have to lower the residual by `worthwhile`.
constexpr int steps_between = 10;
constexpr double worthwhile = 0.1;
// Below the tolerance, on the way to options.aim: at most most_beyond outer steps of steps_beyond Newton steps each,
// the "step or two" of solver_options.h.
constexpr int steps_beyond = 2, most_beyond = 2;
// Full steps are tried from guesses within near_guess; they converge from 1e-4 (docs/newton.md) and fail at once from
// far.
constexpr double near_guess = 1e-2;
// A guess off by at most this many tolerances belongs to a mechanism at rest; one that is further off is solved to the
// tolerance only, for the next guess will be as far off.
constexpr double at_rest = 100;

double norm(const std::vector<double>& x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

void size_for(NewtonWorkspace& ws) {
  for (std::vector<double>* x :
       {&ws.r, &ws.u, &ws.F, &ws.dr, &ws.du, &ws.trial, &ws.trial_u, &ws.trial_F, &ws.centre, &ws.best})
    x->assign(ws.p.stride, 0.0);
  ws.piece.resize(ws.p.cells.size());
  ws.trial_piece.resize(ws.p.cells.size());
  ws.system.prepare(ws.p);
}

// F_eps at r, where u = W r + q + eps (r - centre).
double evaluate(const ScaledProblem& p, double eps, const std::vector<double>& r, const std::vector<double>& u,
                std::vector<double>& F, std::vector<Piece>& piece) {
  const double rho = 1 / (1 + eps);
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const std::size_t at = p.cells[c].start;
    piece[c] = natural_map(p.cells[c], p, rho, &r[at], &u[at], &F[at]);
  }
  return norm(F, p.n);
}

// The matrix of (2), cell by cell: dF = R dr + L du, du = (W + eps 1) dr; dF = dr in an inactive cell.
void derivatives(NewtonWorkspace& ws, double eps) {
  const double rho = 1 / (1 + eps);
  for (std::size_t c = 0; c < ws.p.cells.size(); ++c) {
    const Cell& cell = ws.p.cells[c];
    ws.system.active(c) = ws.piece[c] != Piece::inactive;
    ws.system.unit_L(c) = false;
    if (ws.piece[c] == Piece::inactive) continue;
    double *L = ws.system.L(c), *R = ws.system.R(c);
    if (cell.size == 1) {
      L[0] = rho;
      R[0] = eps * rho;
    } else {
      cone_derivative(cell.mu, rho, &ws.r[cell.start], &ws.u[cell.start], ws.piece[c], L, R);
      for (int k = 0; k < 9; ++k) R[k] += eps * L[k];
    }
  }
}

// Newton steps taken, and whether they arrived.
struct Inner {
  int steps = 0;
  bool done = false;
};

// dr by (2), and du = (W + eps 1) dr. False where the matrix is singular.
bool find_direction(NewtonWorkspace& ws, double eps) {
  const ScaledProblem& p = ws.p;
  derivatives(ws, eps);
  if (!ws.system.factor(p)) return false;
  for (int i = 0; i < p.n; ++i) ws.dr[i] = -ws.F[i];
  ws.system.solve(p, ws.dr.data());
  p.multiply(ws.dr.data(), ws.du.data());
  for (int i = 0; i < p.n; ++i) ws.du[i] += eps * ws.dr[i];
  return true;
}

// |F_eps| at r + a dr, which becomes ws.trial.
double try_step(NewtonWorkspace& ws, double eps, double a) {
  for (int i = 0; i < ws.p.n; ++i) {
    ws.trial[i] = ws.r[i] + a * ws.dr[i];
    ws.trial_u[i] = ws.u[i] + a * ws.du[i];
  }
  return evaluate(ws.p, eps, ws.trial, ws.trial_u, ws.trial_F, ws.trial_piece);
}

// The longest of a few steps that leaves |F_eps| below `ceiling`, else the one that leaves the least: ws.trial becomes
// its end. Returns |F_eps| there; HUGE_VAL where no step leads to finite numbers.
double line_search(NewtonWorkspace& ws, double eps, double ceiling) {
  double best_f = HUGE_VAL, best_a = 0, a = 1;
  for (int t = 0; t < trials; ++t, a /= 2) {
    const double now = try_step(ws, eps, a);
    if (now < best_f) {
      best_f = now;
      best_a = a;
    }
    if (now < (1 - least_descent * a) * ceiling) break;
  }
  if (best_f < HUGE_VAL && best_a != a) try_step(ws, eps, best_a);
  return best_f;
}

void accept_trial(NewtonWorkspace& ws) {
  std::swap(ws.r, ws.trial);
  std::swap(ws.u, ws.trial_u);
  std::swap(ws.F, ws.trial_F);
  std::swap(ws.piece, ws.trial_piece);
}

// Newton steps on (1) from ws.r, down to |F_eps| <= accuracy.
Inner newton_steps(NewtonWorkspace& ws, double eps, double accuracy, int limit) {
  const ScaledProblem& p = ws.p;
  Inner result;
  ws.centre = ws.r;
  p.multiply(ws.r.data(), ws.u.data());
  for (int i = 0; i < p.n; ++i) ws.u[i] += p.q[i];
  double f = evaluate(p, eps, ws.r, ws.u, ws.F, ws.piece);
  std::array<double, memory> recent;
  recent.fill(f);
  while (result.steps < limit && std::isfinite(f) && f > accuracy) {
    if (!find_direction(ws, eps)) return result;
    const double after = line_search(ws, eps, *std::max_element(recent.begin(), recent.end()));
    if (!(after < HUGE_VAL)) return result;
    accept_trial(ws);
    f = after;
    recent[result.steps % memory] = f;
    ++result.steps;
  }
  result.done = f <= accuracy;
  return result;
}

// Full steps from the guess ws.r, which becomes the best point met. They either converge or are soon far off: then
// contacts have to change their pieces on the way, or push against each other without any motion.
Inner steps_from_guess(NewtonWorkspace& ws, const SolverOptions& options, int limit) {
  const double first = measure(ws.p, ws.r.data(), ws.u.data());
  if (first <= options.enough_for_guess() || !(first <= near_guess)) return {};
  const bool moves = first > at_rest * options.tolerance;
  const double enough = moves || !(options.aim > 0) ? options.tolerance : options.aim;
  const WholeStepsResult result =
      whole_steps(ws.p, first, enough, limit, {ws.r, ws.u, ws.F, ws.dr, ws.best, ws.system});
  return {result.steps, result.figure < first && result.figure <= options.tolerance};
}

// The outer iteration (1) from ws.r.
struct OuterIteration {
  NewtonWorkspace& ws;
  const SolverOptions& options;
  int limit;
  Outcome outcome;

  double eps = first_eps, shrink = first_shrink;
  double now = 0, scaled = 0;  // measure() of ws.r, and its |F|
  double best = HUGE_VAL;      // the least `now`, at ws.best
  int since_best = 0;          // outer steps
  double enough = 0;           // below this the point is good enough
  int beyond = 0;              // outer steps since the tolerance was met
  double checked = HUGE_VAL;   // `best` when progress was checked last, after
  int checked_at = 0;          // this many Newton steps

  void run() {
    for (;;) {
      look();
      if (stops()) return;
      step();
    }
  }

  // Measures ws.r and keeps the best point.
  void look() {
    now = measure(ws.p, ws.r.data(), ws.u.data(), &scaled);
    const bool first = best == HUGE_VAL;
    enough = first ? options.enough_for_guess() : options.aim > 0 ? options.aim : options.tolerance;
    if (first && options.warm_start) eps = std::clamp(near_share * now, smallest_eps, first_eps);
    ++since_best;
    if (!(now < best)) return;
    best = now;
    ws.best = ws.r;
    since_best = 0;
  }

  bool good() const { return best <= options.tolerance; }

  // Whether to stop, and why.
  bool stops() {
    const bool done = best <= enough || beyond == most_beyond;
    beyond += good();
    const bool out_of_steps = outcome.iterations >= limit;
    if (!(stalls() || done || out_of_steps)) return false;
    outcome.stop = good() ? Stop::finished : out_of_steps ? Stop::iteration_limit : Stop::stalled;
    return true;
  }

  bool stalls() {
    if (!std::isfinite(now) || (since_best > patience && best < near)) return true;
    if (outcome.iterations < checked_at + steps_between) return false;
    const bool slow = best <= options.acceptable && best > worthwhile * checked;
    checked_at = outcome.iterations;
    checked = best;
    return slow;
  }

  // One outer step, and the eps of the next one.
  void step() {
    const double accuracy = std::max(inner_rounding * ws.p.q_norm, inner_accuracy * scaled);
    const int most = good() ? steps_beyond : inner_limit;
    const Inner inner = newton_steps(ws, eps, accuracy, std::min(most, limit - outcome.iterations));
    outcome.iterations += std::max(inner.steps, 1);
    if (!inner.done)
      back_up();
    else if (inner.steps <= quick)
      eps = std::max(eps / shrink, smallest_eps);
  }

  // After an outer step that failed: back to where it began, unless its end is nearer to a solution of the problem
  // itself.
  void back_up() {
    ws.trial = ws.centre;
    double after;
    measure(ws.p, ws.r.data(), ws.u.data(), &after);
    if (!(after < scaled)) ws.r = ws.trial;
    eps = std::min(eps * grow, largest_eps);
    shrink = std::max(shrink / 2, smallest_shrink);
  }
};

}  // namespace

Outcome newton(const Problem& problem, const SolverOptions& options, NewtonWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  size_for(ws);
  if (options.warm_start) ws.p.scale(z, ws.r.data());
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  const Inner whole = options.warm_start ? steps_from_guess(ws, options, std::min(limit, most_whole_steps)) : Inner{};
  if (whole.done) {
    ws.p.unscale(ws.r.data(), z);
    return {Stop::finished, whole.steps};
  }
  OuterIteration outer{ws, options, limit, {.iterations = whole.steps}};
  outer.run();
  ws.p.unscale(ws.best.data(), z);
  return outer.outcome;
}

}  // namespace linchpin

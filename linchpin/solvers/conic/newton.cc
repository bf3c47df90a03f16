#include "linchpin/solvers/conic/newton.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/conic/whole_steps.h"

namespace linchpin {
namespace {

// Numbers found on real contact problems (stacks, towers, rovers, capsules): what they share is that none is delicate.
constexpr double first_eps = 1e-2;  // W has a unit diagonal
constexpr double largest_eps = 10, smallest_eps = 1e-13;
constexpr double grow = 4;
constexpr double first_shrink = 10, smallest_shrink = 3;  // halved by each failure
constexpr int quick = 8;                                  // Newton steps after which an outer step counts as easy
constexpr int inner_limit = 12;
constexpr double inner_accuracy = 0.1;  // of |F| at the outer step's start: more is wasted while eps is large
constexpr int trials = 3, memory = 6;   // of the line search
constexpr int iteration_limit = 500;
constexpr int patience = 12;  // outer steps without a better point, once below `near`
constexpr double near = 1e-6;
constexpr double near_share = 100;
constexpr int steps_between = 10;
constexpr double worthwhile = 0.1;
constexpr int steps_beyond = 2, most_beyond = 2;  // outer steps for what is beyond the tolerance
// Whole steps from a guess: from within near_guess.
constexpr double near_guess = 1e-2;
constexpr int most_whole_steps = 8;
constexpr double at_rest = 100;  // tolerances that the guess may be off where nothing moves

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

// (2), cell by cell: dF = R dr + L du, du = (W + eps 1) dr; where a cell is inactive dF = dr.
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

struct Inner {
  int steps = 0;
  bool done = false;
};

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
  while (result.steps < limit && std::isfinite(f)) {
    if (f <= accuracy) {
      result.done = true;
      return result;
    }
    derivatives(ws, eps);
    if (!ws.system.factor(p)) return result;
    for (int i = 0; i < p.n; ++i) ws.dr[i] = -ws.F[i];
    ws.system.solve(p, ws.dr.data());
    p.multiply(ws.dr.data(), ws.du.data());
    for (int i = 0; i < p.n; ++i) ws.du[i] += eps * ws.dr[i];
    const double ceiling = *std::max_element(recent.begin(), recent.end());
    double best_f = HUGE_VAL, best_a = 0, a = 1;
    for (int t = 0; t < trials; ++t, a /= 2) {
      for (int i = 0; i < p.n; ++i) {
        ws.trial[i] = ws.r[i] + a * ws.dr[i];
        ws.trial_u[i] = ws.u[i] + a * ws.du[i];
      }
      const double now = evaluate(p, eps, ws.trial, ws.trial_u, ws.trial_F, ws.trial_piece);
      if (now < best_f) {
        best_f = now;
        best_a = a;
      }
      if (now < (1 - 1e-4 * a) * ceiling) break;
    }
    if (!(best_f < HUGE_VAL)) return result;
    if (best_a != a) {
      for (int i = 0; i < p.n; ++i) {
        ws.trial[i] = ws.r[i] + best_a * ws.dr[i];
        ws.trial_u[i] = ws.u[i] + best_a * ws.du[i];
      }
      evaluate(p, eps, ws.trial, ws.trial_u, ws.trial_F, ws.trial_piece);
    }
    std::swap(ws.r, ws.trial);
    std::swap(ws.u, ws.trial_u);
    std::swap(ws.F, ws.trial_F);
    std::swap(ws.piece, ws.trial_piece);
    f = best_f;
    recent[result.steps % memory] = f;
    ++result.steps;
  }
  result.done = f <= accuracy;
  return result;
}

// Whole steps from the guess ws.r, which ends as the best point met. They either arrive or are soon far away: then
// contacts have to change their pieces on the way, or push against each other without any motion.
Inner steps_from_guess(NewtonWorkspace& ws, const SolverOptions& options, int limit) {
  const double first = measure(ws.p, ws.r.data(), ws.u.data());
  // The guess of a mechanism that moves will be as far off the next time, whatever is left over now.
  const bool moves = first > at_rest * options.tolerance;
  const double enough = moves || !(options.aim > 0) ? options.tolerance : options.aim;
  if (first <= options.enough_for_guess() || !(first <= near_guess)) return {};
  const WholeStepsResult result =
      whole_steps(ws.p, first, enough, limit, {ws.r, ws.u, ws.F, ws.dr, ws.best, ws.system});
  return {result.steps, result.figure < first && result.figure <= options.tolerance};
}

}  // namespace

Outcome newton(const Problem& problem, const SolverOptions& options, NewtonWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  size_for(ws);
  if (options.warm_start) ws.p.scale(z, ws.r.data());
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  const Inner whole = options.warm_start ? steps_from_guess(ws, options, std::min(limit, most_whole_steps)) : Inner{};
  Outcome outcome{.iterations = whole.steps};
  if (whole.done) {
    outcome.stop = Stop::finished;
    ws.p.unscale(ws.r.data(), z);
    return outcome;
  }
  double eps = first_eps, shrink = first_shrink, best = HUGE_VAL;
  int checked_at = 0;
  double checked = HUGE_VAL;
  int beyond = 0;  // outer steps since the tolerance was met
  for (int since_best = 0;;) {
    double scaled;
    const double now = measure(ws.p, ws.r.data(), ws.u.data(), &scaled);
    const bool first = best == HUGE_VAL;
    if (now < best) {
      best = now;
      ws.best = ws.r;
      since_best = 0;
    } else {
      ++since_best;
    }
    const bool good = best <= options.tolerance;
    const double enough = first ? options.enough_for_guess() : options.aim > 0 ? options.aim : options.tolerance;
    const bool done = best <= enough || beyond == most_beyond;
    beyond += good;
    if (first && options.warm_start)  // a guess that is near needs no long way round
      eps = std::clamp(near_share * now, smallest_eps, first_eps);
    const bool out_of_steps = outcome.iterations >= limit;
    bool stalled = !std::isfinite(now) || (since_best > patience && best < near);
    if (outcome.iterations >= checked_at + steps_between) {  // what is acceptable is not worth a long way
      stalled = stalled || (best <= options.acceptable && best > worthwhile * checked);
      checked_at = outcome.iterations;
      checked = best;
    }
    if (done || out_of_steps || stalled) {
      outcome.stop = good ? Stop::finished : out_of_steps ? Stop::iteration_limit : Stop::stalled;
      break;
    }
    const double accuracy = std::max(1e-15 * ws.p.q_norm, inner_accuracy * scaled);
    const int most = good ? steps_beyond : inner_limit;
    const Inner inner = newton_steps(ws, eps, accuracy, std::min(most, limit - outcome.iterations));
    outcome.iterations += std::max(inner.steps, 1);
    if (inner.done) {
      if (inner.steps <= quick) eps = std::max(eps / shrink, smallest_eps);
    } else {
      // the centre again, unless the steps got nearer to the problem's own solution
      ws.trial = ws.centre;
      double after;
      measure(ws.p, ws.r.data(), ws.u.data(), &after);
      if (!(after < scaled)) ws.r = ws.trial;
      eps = std::min(eps * grow, largest_eps);
      shrink = std::max(shrink / 2, smallest_shrink);
    }
  }
  ws.p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

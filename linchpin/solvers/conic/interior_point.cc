#include "linchpin/solvers/conic/interior_point.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/solvers/conic/cone_algebra.h"
#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/conic/whole_steps.h"

namespace linchpin {
namespace {

constexpr int iteration_limit = 800;
constexpr int patience = 20, patience_near = 8;  // iterations without a better point; once below `near`
constexpr double near = 1e-6;
constexpr double smallest_target = 1e-6;  // of the mean of r^ . u^: how fast it may shrink
constexpr double short_step = 0.05;       // then centre first
constexpr double to_boundary = 0.99;      // how far of the way to the boundary a step may go
constexpr double no_step = 0.02;          // then back off the boundary
// Near a solution: whole steps, whatever cones they leave, if the first one could go this far inside of them.
constexpr double not_far = 1e-2, nearly_whole = 0.97;
constexpr int steps_beyond = 4;      // by the same factors
constexpr double usual_gain = 0.05;  // of each of them
constexpr double backing_off = 0.1;  // of sqrt(mean product)
constexpr int most_whole_steps = 8;  // whole_steps.h

// Ways to a solution, tried one after the other while the last one ended nowhere. Measured on piles: each alone leaves
// about a tenth of them open, hardly ever the same ones. More of them help, but what is left is arc_path's.
struct Path {
  double size = 1;          // of the first r^ and u^, in units of q
  double law = 1;           // 1: Coulomb's law from the start; 0: from its relaxation, which is convex,
  double law_per_step = 0;  // to Coulomb's in steps as large as this,
  double long_step = 0;     // one after each Newton step at least this long
  int most = iteration_limit;
};
constexpr Path paths[] = {{}, {.law = 0, .law_per_step = 0.03, .long_step = 0.3}, {.size = 10}};
// Before the others where there are many cells.
constexpr Path first_for_many{.size = 3, .law = 0, .law_per_step = 0.1, .long_step = 0.6};
constexpr std::size_t many = 400;
// Before all others where there is a guess: from its r and the u they make, put inside by `size`.
constexpr Path from_guess[] = {{.size = 0.1, .most = 40},
                               {.size = 1, .law = 0, .law_per_step = 0.2, .long_step = 0.3, .most = 60}};

// The derivative of law |u_T|.
struct Slip {
  Double8 x, y;
  LINCHPIN_INLINE Slip(double law, const Cones& u) {
    const Double8 speed = tangential(u), factor = select(speed > 0.0, law / speed, Double8(0.0));
    x = factor * u.x;
    y = factor * u.y;
  }
  LINCHPIN_INLINE Double8 taken_from(const Cones& t) const { return t.n - x * t.x - y * t.y; }
};
// ---- one iteration --------------------------------------------------------------------------------------------------

using Point = InteriorPointWorkspace::Point;
using Step = InteriorPointWorkspace::Step;

struct Iteration {
  InteriorPointWorkspace& ws;
  const ScaledProblem& p;
  double law;  // 1: Coulomb's; 0: its convex relaxation

  void start(double size) const {
    for (const Cell& c : p.cells) {
      double *r = &ws.at.r[c.start], *u = &ws.at.u[c.start];
      if (c.kind == BlockKind::cone) {
        r[0] = frictionless(c) ? size : size / c.mu;
        r[1] = r[2] = u[1] = u[2] = 0;
        u[0] = size;
        continue;
      }
      const Bounds b = bounds(p, c);
      u[0] = b.has_lower ? size : 0;
      ws.at.v[c.start] = b.has_upper ? size : 0;
      r[0] = b.has_lower && b.has_upper ? 0.5 * (b.lower + b.upper)
             : b.has_lower              ? b.lower + size
             : b.has_upper              ? b.upper - size
                                        : 0;
    }
  }

  // From a guess, put inside by `size`.
  void start_near(std::span<const double> guess, double size) const {
    p.scale(guess, ws.at.r.data());
    p.multiply(ws.at.r.data(), ws.at.Wr.data());
    for (const Cell& c : p.cells) {
      double *r = &ws.at.r[c.start], *u = &ws.at.u[c.start];
      for (int k = 0; k < c.size; ++k) u[k] = ws.at.Wr[c.start + k] + p.q[c.start + k];
      if (c.kind == BlockKind::cone) {
        if (frictionless(c)) {
          r[0] = std::max(r[0], 0.0) + size;
          u[0] = std::max(u[0], 0.0) + size;
          r[1] = r[2] = u[1] = u[2] = 0;
        } else {
          r[0] = std::max(r[0], tangential(r) / c.mu) + size / c.mu;
          u[0] = std::max(u[0] / c.mu, 0.0) + tangential(u) + size;
        }
        continue;
      }
      const Bounds b = bounds(p, c);
      ws.at.v[c.start] = b.has_upper ? std::max(-u[0], 0.0) + size : 0;
      u[0] = b.has_lower ? std::max(u[0], 0.0) + size : 0;
      const double gap = b.has_lower && b.has_upper ? std::min(size, 0.5 * (b.upper - b.lower)) : size;
      if (b.has_lower) r[0] = std::max(r[0], b.lower + gap);
      if (b.has_upper) r[0] = std::min(r[0], b.upper - gap);
    }
  }

  LINCHPIN_INLINE Cones hat(std::size_t g, const double* r) const { return linchpin::hat(p, g, r); }
  LINCHPIN_INLINE Cones cones(std::size_t g, const std::vector<double>& x) const {
    return Cones::load(&x[p.cones[g].start], p.cones[g].count);
  }

  // The mean of the products that are to vanish, after a step of length a.
  double mean_product(double a, const Step& step) const {
    const auto& [dr, du, dv] = step;
    double total = 0;
    int pairs = 0;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Cones r = hat(g, ws.at.r.data()) + Double8(a) * hat(g, dr.data());
      const Cones u = cones(g, ws.at.u) + Double8(a) * cones(g, du);
      total += sum(dot(r, u), p.cones[g].count);
      pairs += p.cones[g].count;
    }
    for (const int i : p.others) {
      const Cell& c = p.cells[i];
      const std::size_t at = c.start;
      const double r = ws.at.r[at] + a * dr[at], u = ws.at.u[at] + a * du[at];
      if (c.kind == BlockKind::cone) {
        total += r * u, ++pairs;
        continue;
      }
      const Bounds b = bounds(p, c);
      if (b.fixed) continue;
      if (b.has_lower) total += (r - b.lower) * u, ++pairs;
      if (b.has_upper) total += (b.upper - r) * (ws.at.v[at] + a * dv[at]), ++pairs;
    }
    return pairs > 0 ? total / pairs : 0;
  }

  // W dr + R dr = ...: L = 1, R = P B A(r^)^-1 A(u^) P, and what the right-hand sides need.
  bool factor() const {
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const auto [cell, start, count] = p.cones[g];
      const Cones u = cones(g, ws.at.u);
      const Double8 mu = Double8::load(&p.mu[8 * g]);
      const Slip d(law, u);
      Double8 R[9];
      find_squares(hat(g, ws.at.r.data()), u, mu, d, &ws.T[72 * g], R);
      store_squares(R, count, ws.system.R(cell));
      for (int k = 0; k < count; ++k) ws.system.active(cell + k) = ws.system.unit_L(cell + k) = true;
    }
    for (const int c : p.others) {
      const Cell& cell = p.cells[c];
      const std::size_t at = cell.start;
      double *L = ws.system.L(c), *R = ws.system.R(c);
      if (cell.kind == BlockKind::cone) {
        std::fill_n(L, 9, 0.0);
        std::fill_n(R, 9, 0.0);
        L[0] = R[4] = R[8] = 1;
        ws.system.active(c) = true;
        ws.system.unit_L(c) = false;
        R[0] = ws.at.u[at] / ws.at.r[at];
        continue;
      }
      const Bounds b = bounds(p, cell);
      ws.system.active(c) = !b.fixed;
      ws.system.unit_L(c) = true;
      R[0] = row_R(b, ws.at.r[at], ws.at.u[at], ws.at.v[at]);
    }
    return ws.system.factor(p, true);
  }

  // The step from a point for a target of the products, less the products of the step `corrected` where there is one. By
  // the factors and derivatives at ws.at, which may be another point, but near.
  void direction(const Point& from, double target, const Step* corrected, Step& step) const {
    auto& [dr, du, dv] = step;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const auto [cell, start, count] = p.cones[g];
      const Double8 mu = Double8::load(&p.mu[8 * g]);
      const Cones u = cones(g, from.u), w = cones(g, from.Wr);
      const Slip d(law, cones(g, ws.at.u));
      Cones b = Cones{Double8(target), Double8(0.0), Double8(0.0)} - product(hat(g, from.r.data()), u);
      if (corrected) b = b - product(hat(g, corrected->dr.data()), cones(g, corrected->du));
      const Cones t = Quotient(hat(g, ws.at.r.data()))(b);
      t.store(&du[start], count);
      const Cones primal{w.n / mu - u.n + law * tangential(u), w.x - u.x, w.y - u.y};
      const Cones rhs{mu * (d.taken_from(t) - primal.n), t.x - primal.x, t.y - primal.y};
      rhs.store(&dr[start], count);
    }
    for (const int c : p.others) {
      const Cell& cell = p.cells[c];
      const std::size_t at = cell.start;
      const double r = from.r[at], u = from.u[at], v = from.v[at], w = from.Wr[at];
      const double lower = corrected ? corrected->dr[at] * corrected->du[at] : 0;
      const double upper = corrected ? -corrected->dr[at] * corrected->dv[at] : 0;
      if (cell.kind == BlockKind::cone) {
        du[at] = (target - lower - r * u) / ws.at.r[at];
        dr[at] = -(w - u) + du[at];
        dr[at + 1] = dr[at + 2] = du[at + 1] = du[at + 2] = 0;
        continue;
      }
      const Bounds b = bounds(p, cell);
      du[at] = dv[at] = 0;
      if (b.has_lower) du[at] = (target - lower - (r - b.lower) * u) / (ws.at.r[at] - b.lower);
      if (b.has_upper) dv[at] = (target - upper - (b.upper - r) * v) / (b.upper - ws.at.r[at]);
      dr[at] = b.fixed ? 0 : -(w - u + v) + du[at] - dv[at];
    }
    ws.system.solve(p, dr.data());
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const auto [cell, start, count] = p.cones[g];
      const Cones x = hat(g, dr.data());
      const Cones y = less_product(cones(g, du), &ws.T[72 * g], x);
      y.store(&du[start], count);
    }
    for (const int c : p.others) {
      const Cell& cell = p.cells[c];
      const std::size_t at = cell.start;
      if (cell.kind == BlockKind::cone) {
        du[at] -= ws.at.u[at] / ws.at.r[at] * dr[at];
        continue;
      }
      const Bounds b = bounds(p, cell);
      if (b.has_lower && !b.fixed) du[at] -= ws.at.u[at] / (ws.at.r[at] - b.lower) * dr[at];
      if (b.has_upper && !b.fixed) dv[at] += ws.at.v[at] / (b.upper - ws.at.r[at]) * dr[at];
    }
  }

  // Is there a solution at the end of the whole step, be it inside the cones or not, or after a few more by the same
  // factors? Those are taken while three more, each to gain as much as the one before, would be enough. ws.beyond becomes
  // the last point; returns what it measures.
  double look_beyond(double tolerance) const {
    Point& x = ws.beyond;
    for (std::size_t i = 0; i < index(p.n); ++i) {
      x.r[i] = ws.at.r[i] + ws.step.dr[i];
      x.u[i] = ws.at.u[i] + ws.step.du[i];
      x.v[i] = ws.at.v[i] + ws.step.dv[i];
    }
    double before = 0, gain = usual_gain;
    for (int left = steps_beyond;; --left) {
      const double figure = measure(p, x.r.data(), x.Wr.data());
      if (left < steps_beyond) gain = figure / before;
      if (figure <= tolerance || left == 0 || !(figure * gain * gain * gain <= tolerance)) return figure;
      before = figure;
      direction(x, 0, nullptr, ws.step_beyond);
      for (std::size_t i = 0; i < index(p.n); ++i) {
        x.r[i] += ws.step_beyond.dr[i];
        x.u[i] += ws.step_beyond.du[i];
        x.v[i] += ws.step_beyond.dv[i];
      }
    }
  }

  // Moves r^ and u^ by d along the cones' axes.
  void back_off(double d) const {
    for (const Cell& c : p.cells) {
      const std::size_t at = c.start;
      if (c.kind == BlockKind::cone) {
        ws.at.r[at] += frictionless(c) ? d : d / c.mu;
        ws.at.u[at] += d;
        continue;
      }
      const Bounds b = bounds(p, c);
      if (b.fixed) continue;
      if (b.has_lower) ws.at.u[at] += d;
      if (b.has_upper) ws.at.v[at] += d;
      if (b.has_lower != b.has_upper) ws.at.r[at] += b.has_lower ? d : -d;
    }
  }

  double longest_step(const Step& step) const {
    const auto& [dr, du, dv] = step;
    double a = 1;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Double8 longest =
          min(step_within(hat(g, ws.at.r.data()), hat(g, dr.data())), step_within(cones(g, ws.at.u), cones(g, du)));
      for (int k = 0; k < p.cones[g].count; ++k) a = std::min(a, longest[k]);
    }
    for (const int i : p.others) {
      const Cell& cell = p.cells[i];
      const std::size_t at = cell.start;
      if (cell.kind == BlockKind::cone) {
        a = std::min({a, step_above(ws.at.r[at], dr[at]), step_above(ws.at.u[at], du[at])});
        continue;
      }
      const Bounds b = bounds(p, cell);
      if (b.fixed) continue;
      if (b.has_lower) a = std::min({a, step_above(ws.at.r[at] - b.lower, dr[at]), step_above(ws.at.u[at], du[at])});
      if (b.has_upper) a = std::min({a, step_above(b.upper - ws.at.r[at], -dr[at]), step_above(ws.at.v[at], dv[at])});
    }
    return a;
  }
};

}  // namespace

Outcome interior_point(const Problem& problem, const SolverOptions& options, InteriorPointWorkspace& ws,
                       std::span<double> z) {
  ws.p.assign(problem);
  const ScaledProblem& p = ws.p;
  const auto make_room = [&](auto&... x) { (x.assign(p.stride, 0.0), ...); };
  for (Point* x : {&ws.at, &ws.beyond}) make_room(x->r, x->u, x->v, x->Wr);
  for (Step* x : {&ws.predictor, &ws.step, &ws.step_beyond}) make_room(x->dr, x->du, x->dv);
  make_room(ws.best);
  ws.T.resize(72 * p.cones.size());
  ws.system.prepare(p, true);
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  Outcome outcome;
  double best = HUGE_VAL;
  const auto keep = [&](double figure, const Point& point) {
    if (!(figure < best)) return;
    best = figure;
    ws.best = point.r;
  };
  const auto try_whole_steps = [&](double now, int most) {
    ws.beyond.r = ws.at.r;
    ws.beyond.Wr = ws.at.Wr;
    const WholeStepsResult result =
        whole_steps(p, now, options.tolerance, std::min(most, most_whole_steps),
                    {ws.beyond.r, ws.beyond.Wr, ws.beyond.u, ws.step_beyond.dr, ws.step_beyond.du, ws.system});
    outcome.iterations += result.steps;
    keep(result.figure, ws.beyond);
    return best <= options.tolerance;
  };
  const auto follow = [&](const Path& path, bool guess = false) {
    Iteration step{ws, p, path.law};
    if (guess)
      step.start_near(z, path.size * typical_size(p));
    else
      step.start(path.size * typical_size(p));
    const int end = std::min(limit, outcome.iterations + path.most);
    double best_here = HUGE_VAL;
    ws.worth_a_try.begin(p);
    for (int since_best = 0;; ++outcome.iterations) {
      const double now = measure(p, ws.at.r.data(), ws.at.Wr.data());
      since_best = now < best_here ? 0 : since_best + 1;
      best_here = std::min(best_here, now);
      keep(now, ws.at);
      bool done = best <= options.tolerance;
      if (!done && outcome.iterations < end && ws.worth_a_try(p, ws.at.r, ws.at.Wr, now))
        done = try_whole_steps(now, end - outcome.iterations);
      const bool out_of_steps = outcome.iterations >= limit;
      if (done || outcome.iterations >= end || since_best > (best_here < near ? patience_near : patience) ||
          !std::isfinite(now) || !step.factor()) {
        outcome.stop = done ? Stop::finished : out_of_steps ? Stop::iteration_limit : Stop::stalled;
        return best < near || out_of_steps;
      }
      const double product = step.mean_product(0, ws.step);
      step.direction(ws.at, 0, nullptr, ws.predictor);
      double a = step.longest_step(ws.predictor);
      const double after = step.mean_product(a, ws.predictor);
      const double ratio = product > 0 ? std::max(after, 0.0) / product : 0;
      step.direction(ws.at, std::clamp(ratio * ratio * ratio, smallest_target, 1.0) * product, &ws.predictor, ws.step);
      a = step.longest_step(ws.step);
      if (a < short_step) {
        step.direction(ws.at, 0.5 * product, nullptr, ws.step);
        a = step.longest_step(ws.step);
      }
      if (step.law == 1 && a > nearly_whole && now < not_far) {
        const double there = step.look_beyond(options.tolerance);
        keep(there, ws.beyond);
        if (there <= options.tolerance) {
          outcome = {Stop::finished, outcome.iterations + 1};
          return true;
        }
      }
      if (a < no_step) {  // stuck at the boundary: Newton's direction points out of the cones
        step.back_off(backing_off * std::sqrt(std::max(product, 0.0)));
        continue;
      }
      if (a > path.long_step) step.law = std::min(1.0, step.law + path.law_per_step);
      if (a < 1) a *= to_boundary;
      for (std::size_t i = 0; i < index(p.n); ++i) {
        ws.at.r[i] += a * ws.step.dr[i];
        ws.at.u[i] += a * ws.step.du[i];
        ws.at.v[i] += a * ws.step.dv[i];
      }
    }
  };
  bool arrived = false;
  for (const Path& path : from_guess) arrived = arrived || (options.warm_start && follow(path, true));
  arrived = arrived || (p.cells.size() > many && follow(first_for_many));
  const bool has_cones =
      std::any_of(p.cells.begin(), p.cells.end(), [](const Cell& c) { return c.kind == BlockKind::cone; });
  for (const Path& path : paths) {
    if (arrived) break;
    arrived = follow(path) || !has_cones;
  }
  p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

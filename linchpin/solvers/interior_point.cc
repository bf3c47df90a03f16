#include "linchpin/solvers/interior_point.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/measure.h"
#include "linchpin/solvers/projection.h"

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }

constexpr int iteration_limit = 800;
constexpr int patience = 20, patience_near = 8;  // iterations without a better point; once below `near`
constexpr double near = 1e-6;
constexpr double smallest_target = 1e-6;  // of the mean of r^ . u^: how fast it may shrink
constexpr double short_step = 0.05;       // then centre first
constexpr double no_step = 0.02;          // then back off the boundary
// Near a solution: whole steps, whatever cones they leave, if the first one could go this far inside of them.
constexpr double not_far = 1e-2, nearly_whole = 0.97;
constexpr int steps_beyond = 4;      // by the same factors
constexpr double usual_gain = 0.05;  // of each of them
constexpr double backing_off = 0.1;  // of sqrt(mean product)

// Ways to a solution, tried one after the other while the last one ended nowhere. Measured on piles: each alone leaves
// about a tenth of them open, hardly ever the same ones, all of them together one in a hundred.
struct Path {
  double size = 1;            // of the first r^ and u^, in units of q
  double law = 1;             // 1: Coulomb's law from the start; 0: from its relaxation, which is convex,
  double law_per_step = 0;    // to Coulomb's in steps as large as this,
  double long_step = 0;       // one after each Newton step at least this long
  double to_boundary = 0.99;  // how far of the way to the boundary a step may go
};
constexpr Path paths[] = {{},
                          {.law = 0, .law_per_step = 0.03, .long_step = 0.3},
                          {.size = 10},
                          {.size = 100},
                          {.law = 0, .law_per_step = 0.3, .long_step = 0.3},
                          {.to_boundary = 0.5},
                          {.to_boundary = 0.7},
                          {.size = 10, .to_boundary = 0.8},
                          {.size = 0.1, .to_boundary = 0.5}};
// Before the others where there are many cells.
constexpr Path first_for_many{.law = 0, .law_per_step = 0.1, .long_step = 0.6};
constexpr std::size_t many = 400;
constexpr double no_friction = 1e-12;  // mu below this: tangential impulses are zero

bool frictionless(const Cell& c) { return c.mu < no_friction; }

// ---- the cone's algebra ---------------------------------------------------------------------------------------------

// x o y
void product(const double* x, const double* y, double* out) {
  out[0] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  out[1] = x[0] * y[1] + y[0] * x[1];
  out[2] = x[0] * y[2] + y[0] * x[2];
}
// A(x)^-1, to be applied more than once: y with x o y = b. The determinant as a product: x_0^2 - |x_T|^2 would lose what
// is left of it near the boundary.
struct Quotient {
  const double* x;
  double per_det, per_x0;
  explicit Quotient(const double* x_) : x(x_) {
    const double t = tangential(x);
    per_det = 1 / std::max((x[0] - t) * (x[0] + t), 1e-300);
    per_x0 = 1 / x[0];
  }
  void operator()(const double* b, double* y) const {
    y[0] = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) * per_det;
    y[1] = (b[1] - y[0] * x[1]) * per_x0;
    y[2] = (b[2] - y[0] * x[2]) * per_x0;
  }
};
// The derivative of law |u_T|.
struct Slip {
  double x = 0, y = 0;
  Slip(double law, const double* u) {
    const double speed = tangential(u);
    if (!(speed > 0)) return;
    x = law * u[1] / speed;
    y = law * u[2] / speed;
  }
};
// The largest a <= 1 such that x + a d stays in the cone.
double step_within(const double* x, const double* d) {
  const double t = tangential(x);
  const double A = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], half_B = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double C = std::max((x[0] - t) * (x[0] + t), 0.0);
  double a = 1;
  if (d[0] < 0) a = std::min(a, -x[0] / d[0]);
  const double D = half_B * half_B - A * C;
  if (D < 0) return a;
  const double s = -(half_B + std::copysign(std::sqrt(D), half_B));
  for (const double root : {s / A, C / s})
    if (root > 0) a = std::min(a, root);  // false for NaN
  return a;
}
double step_above(double x, double d) { return d < 0 ? std::min(1.0, -x / d) : 1.0; }

// ---- rows with bounds -----------------------------------------------------------------------------------------------

struct Bounds {
  double lower, upper;
  bool has_lower, has_upper, fixed;
};
Bounds bounds(const ScaledProblem& p, const Cell& c) {
  if (c.kind != BlockKind::box) return {0, HUGE_VAL, c.kind == BlockKind::nonnegative, false, false};
  const double l = p.lower[index(c.start)], h = p.upper[index(c.start)];
  return {l, h, std::isfinite(l), std::isfinite(h), l == h};
}

// ---- one iteration --------------------------------------------------------------------------------------------------

using Point = InteriorPointWorkspace::Point;
using Step = InteriorPointWorkspace::Step;

struct Iteration {
  InteriorPointWorkspace& ws;
  const ScaledProblem& p;
  double law;  // 1: Coulomb's; 0: its convex relaxation

  // Of r^ and u^: |P^-1 q| of a cell, root mean square.
  double typical_size() const {
    double sum = 0;
    for (const Cell& c : p.cells)
      for (int k = 0; k < c.size; ++k) {
        const double q = p.q[index(c.start + k)] / (c.kind == BlockKind::cone && k == 0 && !frictionless(c) ? c.mu : 1);
        sum += q * q;
      }
    return sum > 0 ? std::sqrt(sum / double(p.cells.size())) : 1;
  }

  void start(double size) const {
    for (const Cell& c : p.cells) {
      double *r = &ws.at.r[index(c.start)], *u = &ws.at.u[index(c.start)];
      if (c.kind == BlockKind::cone) {
        r[0] = frictionless(c) ? size : size / c.mu;
        r[1] = r[2] = u[1] = u[2] = 0;
        u[0] = size;
        continue;
      }
      const Bounds b = bounds(p, c);
      u[0] = b.has_lower ? size : 0;
      ws.at.v[index(c.start)] = b.has_upper ? size : 0;
      r[0] = b.has_lower && b.has_upper ? 0.5 * (b.lower + b.upper)
             : b.has_lower              ? b.lower + size
             : b.has_upper              ? b.upper - size
                                        : 0;
    }
  }

  // The mean of the products that are to vanish, after a step of length a.
  double mean_product(double a, const Step& step) const {
    const auto& [dr, du, dv] = step;
    double sum = 0;
    int pairs = 0;
    for (const Cell& c : p.cells) {
      const std::size_t at = index(c.start);
      if (c.kind == BlockKind::cone) {
        const double r0 = frictionless(c) ? 1 : c.mu;
        sum += r0 * (ws.at.r[at] + a * dr[at]) * (ws.at.u[at] + a * du[at]);
        for (std::size_t k = 1; k < 3 && !frictionless(c); ++k)
          sum += (ws.at.r[at + k] + a * dr[at + k]) * (ws.at.u[at + k] + a * du[at + k]);
        ++pairs;
        continue;
      }
      const Bounds b = bounds(p, c);
      if (b.fixed) continue;
      const double r = ws.at.r[at] + a * dr[at];
      if (b.has_lower) sum += (r - b.lower) * (ws.at.u[at] + a * du[at]), ++pairs;
      if (b.has_upper) sum += (b.upper - r) * (ws.at.v[at] + a * dv[at]), ++pairs;
    }
    return pairs > 0 ? sum / pairs : 0;
  }

  // W dr + R dr = ...: L = 1, R = P B A(r^)^-1 A(u^) P, and what the right-hand sides need.
  bool factor() const {
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
      const Cell& cell = p.cells[c];
      const std::size_t at = index(cell.start);
      double *L = ws.system.L(c), *R = ws.system.R(c);
      if (cell.kind != BlockKind::cone) {
        const Bounds b = bounds(p, cell);
        ws.system.active(c) = !b.fixed;
        L[0] = 1;
        R[0] = 0;
        ws.system.unit_L(c) = true;
        if (b.has_lower) R[0] += ws.at.u[at] / (ws.at.r[at] - b.lower);
        if (b.has_upper) R[0] += ws.at.v[at] / (b.upper - ws.at.r[at]);
        continue;
      }
      std::fill_n(L, 9, 0.0);
      std::fill_n(R, 9, 0.0);
      if (frictionless(cell)) {
        L[0] = R[4] = R[8] = 1;
        R[0] = ws.at.u[at] / ws.at.r[at];
        continue;
      }
      L[0] = L[4] = L[8] = 1;
      ws.system.unit_L(c) = true;
      const double r[3] = {cell.mu * ws.at.r[at], ws.at.r[at + 1], ws.at.r[at + 2]}, *u = &ws.at.u[at];
      const Slip d(law, u);
      double* T = &ws.T[9 * c];
      const Quotient per_r(r);
      for (int j = 0; j < 3; ++j) {  // column j of A(r)^-1 A(u)
        double e[3] = {0, 0, 0}, Au[3], y[3];
        e[j] = 1;
        product(u, e, Au);
        per_r(Au, y);
        for (int i = 0; i < 3; ++i) T[3 * i + j] = y[i];
      }
      for (int j = 0; j < 3; ++j) {
        const double right = j == 0 ? cell.mu : 1;
        R[j] = cell.mu * (T[j] - d.x * T[3 + j] - d.y * T[6 + j]) * right;
        R[3 + j] = T[3 + j] * right;
        R[6 + j] = T[6 + j] * right;
      }
    }
    return ws.system.factor(p);
  }

  // The step from a point for a target of the products, less the products of the step `corrected` where there is one. By
  // the factors and derivatives at ws.at, which may be another point, but near.
  void direction(const Point& from, double target, const Step* corrected, Step& step) const {
    auto& [dr, du, dv] = step;
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
      const Cell& cell = p.cells[c];
      const std::size_t at = index(cell.start);
      const double *r = &from.r[at], *u = &from.u[at], *w = &from.Wr[at];
      if (cell.kind != BlockKind::cone) {
        const Bounds b = bounds(p, cell);
        const double v = from.v[at];
        const double lower = corrected ? corrected->dr[at] * corrected->du[at] : 0;
        const double upper = corrected ? -corrected->dr[at] * corrected->dv[at] : 0;
        du[at] = dv[at] = 0;
        if (b.has_lower) du[at] = (target - lower - (r[0] - b.lower) * u[0]) / (ws.at.r[at] - b.lower);
        if (b.has_upper) dv[at] = (target - upper - (b.upper - r[0]) * v) / (b.upper - ws.at.r[at]);
        dr[at] = b.fixed ? 0 : -(w[0] - u[0] + v) + du[at] - dv[at];
        continue;
      }
      if (frictionless(cell)) {
        du[at] = (target - (corrected ? corrected->dr[at] * corrected->du[at] : 0) - r[0] * u[0]) / ws.at.r[at];
        dr[at] = -(w[0] - u[0]) + du[at];
        dr[at + 1] = dr[at + 2] = du[at + 1] = du[at + 2] = 0;
        continue;
      }
      const double mu = cell.mu, rh[3] = {mu * r[0], r[1], r[2]},
                   base[3] = {mu * ws.at.r[at], ws.at.r[at + 1], ws.at.r[at + 2]};
      const Slip d(law, &ws.at.u[at]);
      double ru[3], t[3], correction[3] = {0, 0, 0};
      product(rh, u, ru);
      if (corrected) {
        const double drh[3] = {mu * corrected->dr[at], corrected->dr[at + 1], corrected->dr[at + 2]};
        product(drh, &corrected->du[at], correction);
      }
      const double b[3] = {target - ru[0] - correction[0], -ru[1] - correction[1], -ru[2] - correction[2]};
      Quotient{base}(b, t);
      for (std::size_t k = 0; k < 3; ++k) du[at + k] = t[k];
      const double primal[3] = {w[0] / mu - u[0] + law * tangential(u), w[1] - u[1], w[2] - u[2]};
      dr[at] = mu * (-primal[0] + t[0] - d.x * t[1] - d.y * t[2]);
      dr[at + 1] = -primal[1] + t[1];
      dr[at + 2] = -primal[2] + t[2];
    }
    ws.system.solve(p, dr.data());
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
      const Cell& cell = p.cells[c];
      const std::size_t at = index(cell.start);
      if (cell.kind != BlockKind::cone) {
        const Bounds b = bounds(p, cell);
        if (b.has_lower && !b.fixed) du[at] -= ws.at.u[at] / (ws.at.r[at] - b.lower) * dr[at];
        if (b.has_upper && !b.fixed) dv[at] += ws.at.v[at] / (b.upper - ws.at.r[at]) * dr[at];
      } else if (frictionless(cell)) {
        du[at] -= ws.at.u[at] / ws.at.r[at] * dr[at];
      } else {
        const double drh[3] = {cell.mu * dr[at], dr[at + 1], dr[at + 2]}, *T = &ws.T[9 * c];
        for (std::size_t i = 0; i < 3; ++i)
          du[at + i] -= T[3 * i] * drh[0] + T[3 * i + 1] * drh[1] + T[3 * i + 2] * drh[2];
      }
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
      const std::size_t at = index(c.start);
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
    for (const Cell& cell : p.cells) {
      const std::size_t at = index(cell.start);
      if (cell.kind != BlockKind::cone) {
        const Bounds b = bounds(p, cell);
        if (b.fixed) continue;
        if (b.has_lower) a = std::min({a, step_above(ws.at.r[at] - b.lower, dr[at]), step_above(ws.at.u[at], du[at])});
        if (b.has_upper) a = std::min({a, step_above(b.upper - ws.at.r[at], -dr[at]), step_above(ws.at.v[at], dv[at])});
      } else if (frictionless(cell)) {
        a = std::min({a, step_above(ws.at.r[at], dr[at]), step_above(ws.at.u[at], du[at])});
      } else {
        const double rh[3] = {cell.mu * ws.at.r[at], ws.at.r[at + 1], ws.at.r[at + 2]},
                     drh[3] = {cell.mu * dr[at], dr[at + 1], dr[at + 2]};
        a = std::min({a, step_within(rh, drh), step_within(&ws.at.u[at], &du[at])});
      }
    }
    return a;
  }
};

}  // namespace

Outcome interior_point(const Problem& problem, const SolverOptions& options, InteriorPointWorkspace& ws,
                       std::span<double> z) {
  ws.p.assign(problem);
  const ScaledProblem& p = ws.p;
  const auto make_room = [&](auto&... x) { (x.assign(index(p.stride), 0.0), ...); };
  for (Point* x : {&ws.at, &ws.beyond}) make_room(x->r, x->u, x->v, x->Wr);
  for (Step* x : {&ws.predictor, &ws.step, &ws.step_beyond}) make_room(x->dr, x->du, x->dv);
  make_room(ws.best);
  ws.T.resize(9 * p.cells.size());
  ws.system.prepare(p);
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  Outcome outcome;
  double best = HUGE_VAL;
  const auto keep = [&](double figure, const Point& point) {
    if (!(figure < best)) return;
    best = figure;
    ws.best = point.r;
  };
  const auto follow = [&](const Path& path) {
    Iteration step{ws, p, path.law};
    step.start(path.size * step.typical_size());
    double best_here = HUGE_VAL;
    for (int since_best = 0;; ++outcome.iterations) {
      const double now = measure(p, ws.at.r.data(), ws.at.Wr.data());
      since_best = now < best_here ? 0 : since_best + 1;
      best_here = std::min(best_here, now);
      keep(now, ws.at);
      const bool done = best <= options.tolerance, out_of_steps = outcome.iterations >= limit;
      if (done || out_of_steps || since_best > (best_here < near ? patience_near : patience) || !std::isfinite(now) ||
          !step.factor()) {
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
      if (a < 1) a *= path.to_boundary;
      for (std::size_t i = 0; i < index(p.n); ++i) {
        ws.at.r[i] += a * ws.step.dr[i];
        ws.at.u[i] += a * ws.step.du[i];
        ws.at.v[i] += a * ws.step.dv[i];
      }
    }
  };
  bool arrived = p.cells.size() > many && follow(first_for_many);
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

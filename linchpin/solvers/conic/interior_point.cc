#include "linchpin/solvers/conic/interior_point.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/conic/measure.h"

namespace linchpin {
namespace {

constexpr int iteration_limit = 800;  // `auto` gives it 50 or 100; most problems take 5 to 20 (docs/interior_point.md)
// A way ends after this many iterations without a better point; patience_near once the best is below `near`.
constexpr int patience = 20, patience_near = 8;
constexpr double near = 1e-6;
// The target is at least this share of the mean product, so that products shrink by a factor of 1e6 an iteration at
// most.
constexpr double smallest_target = 1e-6;
// A step shorter than this is replaced by one towards the centre: half of the mean product, without correction.
constexpr double short_step = 0.05, centring_target = 0.5;
constexpr double to_boundary = 0.99;  // the share of the way to the boundary that a step may take
// Where a step can go no further than no_step, the iterate is moved inside by backing_off sqrt(mean product): 2.5 % of
// failures on random small scenes became less than 0.1 %.
constexpr double no_step = 0.02, backing_off = 0.1;
// Within not_far of a solution, and if a step could go nearly_whole of its length inside the cones, its very end is
// measured as well, and that of up to steps_beyond more steps by the same factors. Those gain a factor of 20 each:
// usual_gain is assumed of the first one.
constexpr double not_far = 1e-2, nearly_whole = 0.97;
constexpr int steps_beyond = 4;
constexpr double usual_gain = 0.05;

// Ways to a solution, tried one after the other until one arrives. Measured on piles: each alone leaves about a tenth
// of them unsolved, hardly ever the same ones. More ways help, but arc_path solves the rest sooner.
struct Way {
  double size = 1;          // of the first r^ and u^, in units of q
  double law = 1;           // the factor of |u^_T|: 1 is Coulomb's law, 0 its convex relaxation. It grows to 1
  double law_per_step = 0;  // by this much
  double long_step = 0;     // after each Newton step of at least this length
  int most = iteration_limit;
};
constexpr Way ways[] = {{}, {.law = 0, .law_per_step = 0.03, .long_step = 0.3}, {.size = 10}};
// Before the others where there are many cells.
constexpr Way first_for_many{.size = 3, .law = 0, .law_per_step = 0.1, .long_step = 0.6};
constexpr std::size_t many = 400;
// Before all others where there is a guess: from its r and the u they make, moved inside by `size`.
constexpr Way from_guess[] = {{.size = 0.1, .most = 40},
                              {.size = 1, .law = 0, .law_per_step = 0.2, .long_step = 0.3, .most = 60}};

// law |u^_T| and its derivative: s of cone_system.h.
struct Slip {
  Double8 x, y;
  LINCHPIN_INLINE Slip(double law, const Cones& u) {
    const Double8 speed = tangential(u), factor = select(speed > 0.0, law / speed, Double8(0.0));
    x = factor * u.x;
    y = factor * u.y;
  }
  LINCHPIN_INLINE Double8 taken_from(const Cones& t) const { return t.n - x * t.x - y * t.y; }
};
struct SlipLaw {
  double law;
  LINCHPIN_INLINE Slip operator()(const Cones& u) const { return {law, u}; }
};

// The right-hand sides of (1) and (2) at a point, for a target of the products, less the products of the step
// `corrected` where there is one.
struct StepTo {
  const ScaledProblem& p;
  const ConePoint& from;
  double law, target;
  const ConeStep* corrected;

  LINCHPIN_INLINE ConeChange cones(std::size_t g) const {
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    const Cones u = linchpin::cones(p, g, from.u), w = linchpin::cones(p, g, from.w);
    Cones b = Cones{Double8(target), Double8(0.0), Double8(0.0)} - product(hat(p, g, from.r), u);
    if (corrected) b = b - product(hat(p, g, corrected->r), linchpin::cones(p, g, corrected->u));
    return {{-(w.n / mu - u.n + law * tangential(u)), u.x - w.x, u.y - w.y}, b};
  }
  LINCHPIN_INLINE RowChange row(int c, const Bounds& b) const {
    const std::size_t at = p.cells[c].start;
    const double r = from.r[at], u = from.u[at], v = from.v[at], w = from.w[at];
    RowChange change{-(w - u + v), 0, 0};
    if (b.has_lower)
      change.lower = target - (corrected ? corrected->r[at] * corrected->u[at] : 0) - b.above_lower(r) * u;
    if (b.has_upper)
      change.upper = target - (corrected ? -corrected->r[at] * corrected->v[at] : 0) - b.below_upper(r) * v;
    return change;
  }
};

// x + a d, in place.
void move(const ScaledProblem& p, double a, const ConeStep& d, ConePoint& x) {
  for (int i = 0; i < p.n; ++i) {
    x.r[i] += a * d.r[i];
    x.u[i] += a * d.u[i];
    x.v[i] += a * d.v[i];
  }
}

// The iterate ws.at, and the steps from it.
struct Iterate {
  InteriorPointWorkspace& ws;
  const ScaledProblem& p;
  double law;  // 1: Coulomb's; 0: its convex relaxation

  // r^ and u^ of length `size` on the axes of their cones.
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

  // From a guess, moved inside by `size`.
  void start_near(std::span<const double> guess, double size) const {
    p.scale(guess, ws.at.r.data());
    p.multiply(ws.at.r.data(), ws.at.w.data());
    for (const Cell& c : p.cells) {
      double *r = &ws.at.r[c.start], *u = &ws.at.u[c.start];
      for (int k = 0; k < c.size; ++k) u[k] = ws.at.w[c.start + k] + p.q[c.start + k];
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

  // The mean of the products that are to vanish, after a step of length a.
  double mean_product(double a, const ConeStep& step) const {
    const auto& [dr, du, dv] = step;
    double total = 0;
    int pairs = 0;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Cones r = hat(p, g, ws.at.r) + Double8(a) * hat(p, g, dr);
      const Cones u = cones(p, g, ws.at.u) + Double8(a) * cones(p, g, du);
      total += sum(dot(r, u), p.cones[g].count);
      pairs += p.cones[g].count;
    }
    for (const int c : p.others) {
      const std::size_t at = p.cells[c].start;
      const double r = ws.at.r[at] + a * dr[at], u = ws.at.u[at] + a * du[at];
      const Bounds b = bounds(p, p.cells[c]);
      if (b.fixed) continue;
      if (b.has_lower) total += b.above_lower(r) * u, ++pairs;
      if (b.has_upper) total += b.below_upper(r) * (ws.at.v[at] + a * dv[at]), ++pairs;
    }
    return pairs > 0 ? total / pairs : 0;
  }

  // The factors of (3) of cone_system.h. False where the matrix is singular.
  bool factor() const {
    set_cone_system(p, ws.at, SlipLaw{law}, ws.system, ws.T);
    return ws.system.factor(p, true);
  }

  // The step from a point for a target of the products, less the products of the step `corrected` where there is one.
  // By the factors and derivatives at ws.at, which may be another point, but near.
  void direction(const ConePoint& from, double target, const ConeStep* corrected, ConeStep& step) const {
    solve_cone_system(p, ws.at, SlipLaw{law}, StepTo{p, from, law, target, corrected}, ws.T, ws.system, step);
  }

  double longest(const ConeStep& step) const { return longest_step(p, ws.at, step, 1); }

  // ws.step becomes the step to take from a point whose mean product is `product`. Returns how far it may be taken.
  // Predictor and corrector [Mehrotra]; where that is too short, a step towards the centre.
  double find_step(double product) const {
    direction(ws.at, 0, nullptr, ws.predictor);
    const double after = mean_product(longest(ws.predictor), ws.predictor);
    const double ratio = product > 0 ? std::max(after, 0.0) / product : 0;
    direction(ws.at, std::clamp(ratio * ratio * ratio, smallest_target, 1.0) * product, &ws.predictor, ws.step);
    const double a = longest(ws.step);
    if (!(a < short_step)) return a;
    direction(ws.at, centring_target * product, nullptr, ws.step);
    return longest(ws.step);
  }

  // Measures the end of the full step, inside the cones or not, and of a few more steps by the same factors. Those are
  // taken while three more, each gaining as much as the one before, would reach the tolerance. ws.beyond becomes the
  // last point; returns its figure.
  double look_beyond(double tolerance) const {
    ConePoint& x = ws.beyond;
    x.r = ws.at.r;
    x.u = ws.at.u;
    x.v = ws.at.v;
    move(p, 1, ws.step, x);
    double before = 0, gain = usual_gain;
    for (int left = steps_beyond;; --left) {
      const double figure = measure(p, x.r.data(), x.w.data());
      if (left < steps_beyond) gain = figure / before;
      if (figure <= tolerance || left == 0 || !(figure * gain * gain * gain <= tolerance)) return figure;
      before = figure;
      direction(x, 0, nullptr, ws.step_beyond);
      move(p, 1, ws.step_beyond, x);
    }
  }

  // Moves r^ and u^ by d along the cones' axes.
  void back_off(double d) const {
    for (const Cell& c : p.cells) {
      const std::size_t at = c.start;
      if (c.kind == BlockKind::cone && !frictionless(c)) {
        ws.at.r[at] += d / c.mu;
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
};

void size_for(InteriorPointWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  const auto make_room = [&](auto&... x) { (x.assign(p.stride, 0.0), ...); };
  for (ConePoint* x : {&ws.at, &ws.beyond}) make_room(x->r, x->u, x->v, x->w);
  for (ConeStep* x : {&ws.predictor, &ws.step, &ws.step_beyond}) make_room(x->r, x->u, x->v);
  make_room(ws.best);
  ws.T.resize(72 * p.cones.size());
  ws.system.prepare(p, true);
}

// The iterates of one way.
struct Walk {
  InteriorPointWorkspace& ws;
  ConeSearch& search;
  const Way& way;
  Iterate iterate;
  int end;                 // iterations at which the way ends
  double now = 0;          // measure() of ws.at
  double best = HUGE_VAL;  // of this way
  int since_best = 0;

  Walk(InteriorPointWorkspace& ws_, ConeSearch& search_, const Way& way_)
      : ws(ws_),
        search(search_),
        way(way_),
        iterate{ws, ws.p, way.law},
        end(std::min(search.limit, search.outcome.iterations + way.most)) {
    ws.worth_a_try.begin(ws.p);
  }

  // True where the search is over: it is near a solution, or out of iterations.
  bool run() {
    for (;; ++search.outcome.iterations) {
      look();
      if (stops()) {
        search.stop();
        return search.best < near || search.out_of_steps();
      }
      if (step()) return true;
    }
  }

  // Measures the iterate, and tries full steps of Newton's method where they may converge.
  void look() {
    now = measure(ws.p, ws.at.r.data(), ws.at.w.data());
    since_best = now < best ? 0 : since_best + 1;
    best = std::min(best, now);
    search.keep(now, ws.at.r);
    const int left = end - search.outcome.iterations;
    if (!search.solved() && left > 0 && ws.worth_a_try(ws.p, ws.at.r, ws.at.w, now))
      search.try_whole_steps(ws.at, now, left, ws.beyond, ws.step_beyond);
  }

  bool stops() const {
    return search.solved() || search.outcome.iterations >= end ||
           since_best > (best < near ? patience_near : patience) || !std::isfinite(now) || !iterate.factor();
  }

  // One iteration. True where it found a solution outside of the cones.
  bool step() {
    const double product = iterate.mean_product(0, ws.step);
    double a = iterate.find_step(product);
    if (iterate.law == 1 && a > nearly_whole && now < not_far) {
      const double there = iterate.look_beyond(search.tolerance);
      search.keep(there, ws.beyond.r);
      if (there <= search.tolerance) {
        search.outcome = {Stop::finished, search.outcome.iterations + 1};
        return true;
      }
    }
    if (a < no_step) {  // Newton's direction points out of the cones
      iterate.back_off(backing_off * std::sqrt(std::max(product, 0.0)));
      return false;
    }
    if (a > way.long_step) iterate.law = std::min(1.0, iterate.law + way.law_per_step);
    if (a < 1) a *= to_boundary;
    move(ws.p, a, ws.step, ws.at);
    return false;
  }
};

bool follow(const Way& way, InteriorPointWorkspace& ws, ConeSearch& search) {
  Walk walk(ws, search, way);
  walk.iterate.start(way.size * typical_size(ws.p));
  return walk.run();
}
bool follow_from(std::span<const double> guess, const Way& way, InteriorPointWorkspace& ws, ConeSearch& search) {
  Walk walk(ws, search, way);
  walk.iterate.start_near(guess, way.size * typical_size(ws.p));
  return walk.run();
}

}  // namespace

Outcome interior_point(const Problem& problem, const SolverOptions& options, InteriorPointWorkspace& ws,
                       std::span<double> z) {
  ws.p.assign(problem);
  size_for(ws);
  ConeSearch search{ws, options.tolerance, options.max_iterations > 0 ? options.max_iterations : iteration_limit, {}};
  bool over = false;
  for (const Way& way : from_guess) over = over || (options.warm_start && follow_from(z, way, ws, search));
  over = over || (ws.p.cells.size() > many && follow(first_for_many, ws, search));
  const bool has_cones =
      std::any_of(ws.p.cells.begin(), ws.p.cells.end(), [](const Cell& c) { return c.kind == BlockKind::cone; });
  for (const Way& way : ways) over = over || follow(way, ws, search) || !has_cones;
  ws.p.unscale(ws.best.data(), z);
  return search.outcome;
}

}  // namespace linchpin

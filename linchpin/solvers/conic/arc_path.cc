#include "linchpin/solvers/conic/arc_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/solvers/conic/measure.h"

namespace linchpin {
namespace {

// docs/arc_path.md has the measurements.
//
// Iterations. The tail is long: with 2000, one of 40 piles of 1000 contacts at rest stayed open, with 10000 none did.
constexpr int iteration_limit = 10000;
constexpr double k = 0.09;         // of (1): any value between 0 and a half does about as well
constexpr double near_path = 0.8;  // of (4): 0.3 takes a fifth more iterations
constexpr double first_size = 3;   // of the first r^ and u^, in units of q
constexpr double size_at_guess = 0.3;
constexpr int most_from_guess = 200;  // iterations; then from nothing, since a guess may be nonsense
// The length h of a step: at most `longer` times the last one and beyond_boundary times the way to the boundary along t
// (the path bends), then shortened by `shorter` until (4) holds. most_lengths times is a factor of 3e-8.
constexpr double longer = 4, shorter = 0.75, beyond_boundary = 3;
constexpr int most_lengths = 60;
// A step back to the path alone is tried this many times, from this share of the way to the boundary.
constexpr int most_parts = most_lengths / 3;
constexpr double to_boundary = 0.9;
// A path is lost where steps back to it had to be taken this often in succession. The next one begins with products
// larger by further_in; after `patience` iterations without smaller products by much_further_in. Products are smaller
// where they have come down by a tenth.
constexpr int most_shortened = 3;
constexpr double further_in = 4, much_further_in = 30;
constexpr int patience = 100;
constexpr double smaller = 0.9;
// Beginnings with larger and larger products until det J > 0: further_in^20 is a factor of 1e12.
constexpr int most_beginnings = 20;
// Near a solution: iterations without a better point.
constexpr double near = 1e-6;
constexpr int patience_near = 8;
constexpr double unbounded = 1e30;  // a step length that nothing limits

using Point = ArcPathWorkspace::Point;
using Step = ArcPathWorkspace::Step;

// y = x + a d + b e, all of p.stride numbers.
void add_multiples(const std::vector<double>& x, double a, const std::vector<double>& d, double b,
                   const std::vector<double>& e, std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); i += 8)
    fma(Double8(b), Double8::load(&e[i]), fma(Double8(a), Double8::load(&d[i]), Double8::load(&x[i]))).store(&y[i]);
}

// (x + sqrt(x^2 + 4 m)) / 2, without cancellation.
double larger_root(double x, double m) {
  const double root = std::sqrt(x * x + 4 * m);
  return x > 0 ? 0.5 * (x + root) : 2 * m / (root - x);
}

// s of (1) and its first and second derivative along a direction.
struct Speed {
  Cones x;
  Double8 s, per_s;
  explicit LINCHPIN_INLINE Speed(const Cones& x_) : x(x_) {
    s = sqrt(form(x, x));
    per_s = select(s > 0.0, 1.0 / s, Double8(0.0));
  }
  static LINCHPIN_INLINE Double8 form(const Cones& a, const Cones& b) {
    return fma(Double8(k), a.n * b.n, (1 - k) * fma(a.x, b.x, a.y * b.y));
  }
  LINCHPIN_INLINE Double8 along(const Cones& d) const { return form(x, d) * per_s; }
  LINCHPIN_INLINE Double8 taken_from(const Cones& d) const { return d.n - along(d); }
  LINCHPIN_INLINE Double8 twice_along(const Cones& d) const {
    const Double8 first = along(d);
    return (form(d, d) - first * first) * per_s;
  }
};
struct SpeedLaw {
  LINCHPIN_INLINE Speed operator()(const Cones& u) const { return Speed(u); }
};

// ---- the equations --------------------------------------------------------------------------------------------------

struct Equations {
  const ScaledProblem& p;
  const std::vector<double>& defect;  // d of (1)
  double m = 1;                       // of (2)

  LINCHPIN_INLINE Cones cones(std::size_t g, const std::vector<double>& x) const { return linchpin::cones(p, g, x); }
  LINCHPIN_INLINE Cones hat(std::size_t g, const std::vector<double>& r) const { return linchpin::hat(p, g, r); }

  // G_1 without sigma^2 d.
  LINCHPIN_INLINE Cones G1_without_defect(std::size_t g, const Point& x) const {
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    const Cones u = cones(g, x.u), w = cones(g, x.w);
    return {w.n / mu - u.n + Speed(u).s, w.x - u.x, w.y - u.y};
  }
  LINCHPIN_INLINE Cones G1(std::size_t g, const Point& x) const {
    return G1_without_defect(g, x) - Double8(x.sigma * x.sigma) * cones(g, defect);
  }
  LINCHPIN_INLINE Cones G2(std::size_t g, const Point& x) const {
    Cones y = product(hat(g, x.r), cones(g, x.u));
    y.n = y.n - x.sigma * x.sigma * m;
    return y;
  }
  double row_G1(std::size_t at, const Point& x) const {
    return x.w[at] - x.u[at] + x.v[at] - x.sigma * x.sigma * defect[at];
  }

  // The least `near` with which (4) holds; HUGE_VAL outside of the cones, and once it is known to be above `enough`.
  double distance(const Point& x, double enough) const {
    if (!(x.sigma > 0)) return HUGE_VAL;
    const double per_product = 1 / (x.sigma * x.sigma * m), per_size = std::sqrt(per_product);
    double most = 0;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Cones r = hat(g, x.r), u = cones(g, x.u), one = G1(g, x), two = G2(g, x);
      const Double8 far = max(sqrt(dot(two, two)) * Double8(per_product), sqrt(dot(one, one)) * Double8(per_size));
      const Double8 inside = min(r.n - tangential(r), u.n - tangential(u));
      for (int i = 0; i < p.cones[g].count; ++i) {
        if (!(inside[i] > 0) || !(far[i] <= enough)) return HUGE_VAL;
        most = std::max(most, far[i]);
      }
    }
    for (const int c : p.others) {
      const Bounds b = bounds(p, p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (b.fixed) continue;
      double far = std::abs(row_G1(at, x)) * per_size;
      if (b.has_lower) far = std::max(far, product_error(b.above_lower(x.r[at]), x.u[at], per_product));
      if (b.has_upper) far = std::max(far, product_error(b.below_upper(x.r[at]), x.v[at], per_product));
      if (!(far <= enough)) return HUGE_VAL;
      most = std::max(most, far);
    }
    return most;
  }
  // How far the product of a row's gap and force is from sigma^2 m, relative to that.
  static double product_error(double gap, double force, double per_product) {
    return gap > 0 && force > 0 ? std::abs(gap * force * per_product - 1) : HUGE_VAL;
  }

  // The scalar product of steps at x, in which a step is long where it changes a contact by much of its r^ and u^:
  // (u_0 / r_0) |dr^|^2 + (r_0 / u_0) |du^|^2, and m times the square of the change of sigma^2 over sigma.
  double inner(const Point& x, const Step& a, const Step& b) const {
    double total = 4 * m * a.sigma * b.sigma;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Double8 ratio = cones(g, x.u).n / hat(g, x.r).n;
      total += sum(ratio * dot(hat(g, a.r), hat(g, b.r)) + dot(cones(g, a.u), cones(g, b.u)) / ratio, p.cones[g].count);
    }
    for (const int c : p.others) {
      const Bounds bound = bounds(p, p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (bound.fixed) continue;
      if (bound.has_lower) {
        const double ratio = x.u[at] / bound.above_lower(x.r[at]);
        total += ratio * a.r[at] * b.r[at] + a.u[at] * b.u[at] / ratio;
      }
      if (bound.has_upper) {
        const double ratio = x.v[at] / bound.below_upper(x.r[at]);
        total += ratio * a.r[at] * b.r[at] + a.v[at] * b.v[at] / ratio;
      }
    }
    return total;
  }
};

// The changes of G_1 and G_2 that the three steps of (3) make (solve_cone_system()).
//
// The path's tangent, for a unit change of sigma: sigma^2 d and sigma^2 m change by 2 sigma d and 2 sigma m.
struct TangentChange {
  const Equations& eq;
  double twice_sigma;

  LINCHPIN_INLINE ConeChange cones(std::size_t g) const {
    const Double8 zero(0.0);
    return {Double8(twice_sigma) * eq.cones(g, eq.defect), {Double8(twice_sigma * eq.m), zero, zero}};
  }
  LINCHPIN_INLINE RowChange row(int c, const Bounds&) const {
    return {twice_sigma * eq.defect[eq.p.cells[c].start], twice_sigma * eq.m, twice_sigma * eq.m};
  }
};
// Newton's step back to the path: G_1 and G_2 vanish.
struct CorrectionChange {
  const Equations& eq;
  const Point& x;

  LINCHPIN_INLINE ConeChange cones(std::size_t g) const {
    return {Double8(-1.0) * eq.G1(g, x), Double8(-1.0) * eq.G2(g, x)};
  }
  LINCHPIN_INLINE RowChange row(int c, const Bounds& b) const {
    const std::size_t at = eq.p.cells[c].start;
    const double target = x.sigma * x.sigma * eq.m;
    return {-eq.row_G1(at, x), target - b.above_lower(x.r[at]) * x.u[at], target - b.below_upper(x.r[at]) * x.v[at]};
  }
};
// The path's second derivative: the second-order terms of G_1 and G_2 along the tangent t vanish.
struct BendChange {
  const Equations& eq;
  const Point& x;
  const Step& t;
  double twice_square;  // 2 t.sigma^2

  LINCHPIN_INLINE ConeChange cones(std::size_t g) const {
    const Cones du = eq.cones(g, t.u);
    Cones one = Double8(twice_square) * eq.cones(g, eq.defect), two = Double8(-2.0) * product(eq.hat(g, t.r), du);
    one.n = one.n - Speed(eq.cones(g, x.u)).twice_along(du);
    two.n = two.n + twice_square * eq.m;
    return {one, two};
  }
  LINCHPIN_INLINE RowChange row(int c, const Bounds&) const {
    const std::size_t at = eq.p.cells[c].start;
    return {twice_square * eq.defect[at], twice_square * eq.m - 2 * t.r[at] * t.u[at],
            twice_square * eq.m + 2 * t.r[at] * t.v[at]};
  }
};

// ---- a path ---------------------------------------------------------------------------------------------------------

struct Path {
  ArcPathWorkspace& ws;
  const ScaledProblem& p;
  Equations eq;
  double last_length = 0;  // of the last step along the path; 0: there is none
  int shortened = 0;       // steps back to the path in succession that had to be taken

  explicit Path(ArcPathWorkspace& ws_) : ws(ws_), p(ws.p), eq{p, ws.defect} {}

  double products() const { return ws.at.sigma * ws.at.sigma * eq.m; }

  // x = 0 of (5), and x of a guess.
  void start() const {
    for (std::vector<double>* x : {&ws.at.r, &ws.at.u, &ws.at.v}) std::ranges::fill(*x, 0.0);
  }
  void start_near(std::span<const double> guess) const {
    p.scale(guess, ws.at.r.data());
    velocity(ws.at);
    for (const Cell& c : p.cells) {
      const std::size_t at = c.start;
      double *u = &ws.at.u[at], *v = &ws.at.v[at];
      const double* w = &ws.at.w[at];
      if (c.kind == BlockKind::cone && !frictionless(c)) {
        u[0] = std::max(w[0], 0.0) / c.mu + tangential(w);
        u[1] = w[1];
        u[2] = w[2];
        continue;
      }
      u[0] = std::max(w[0], 0.0);
      v[0] = std::max(-w[0], 0.0);
      for (int i = 1; i < c.size; ++i) ws.at.r[at + i] = u[i] = 0;
    }
  }

  // Begins a path at (5) with these products: sigma = 1, and d so that (1) holds.
  void begin(double products) {
    const double m = eq.m = products;
    Point& x = ws.at;
    x.sigma = 1;
    for (const Cell& c : p.cells) {
      double *r = &x.r[c.start], *u = &x.u[c.start], *v = &x.v[c.start];
      if (c.kind == BlockKind::cone && !frictionless(c)) {
        const double d[3] = {c.mu * r[0] - u[0], r[1] - u[1], r[2] - u[2]};
        const double t = tangential(d), per_t = t > 0 ? 1 / t : 0;
        const double one = larger_root(d[0] + t, m), other = larger_root(d[0] - t, m);
        r[0] = 0.5 * (one + other) / c.mu;
        u[0] = 0.5 * (m / one + m / other);
        for (int i = 1; i < 3; ++i) {
          r[i] = 0.5 * (one - other) * per_t * d[i];
          u[i] = 0.5 * (m / one - m / other) * per_t * d[i];
        }
        continue;
      }
      const Bounds b = bounds(p, c);
      if (b.fixed) {
        r[0] = b.lower;
        continue;
      }
      if (b.has_lower && b.has_upper) {
        const double gap = std::min(std::sqrt(m), 0.5 * (b.upper - b.lower));
        r[0] = std::clamp(r[0], b.lower + gap, b.upper - gap);
      } else if (b.has_lower) {
        r[0] = b.lower + larger_root(r[0] - b.lower - u[0], m);
      } else if (b.has_upper) {
        r[0] = b.upper - larger_root(b.upper - r[0] - v[0], m);
      }
      u[0] = b.has_lower ? m / b.above_lower(r[0]) : 0;
      v[0] = b.has_upper ? m / b.below_upper(r[0]) : 0;
    }
    velocity(x);
    std::ranges::fill(ws.defect, 0.0);
    for (std::size_t g = 0; g < p.cones.size(); ++g)
      eq.G1_without_defect(g, x).store(&ws.defect[p.cones[g].start], p.cones[g].count);
    for (const int i : p.others) {
      const std::size_t at = p.cells[i].start;
      ws.defect[at] = x.w[at] - x.u[at] + x.v[at];
    }
  }

  bool factor() const {
    set_cone_system(p, ws.at, SpeedLaw(), ws.system, ws.T);
    return ws.system.factor(p);
  }

  // From ws.at, whose system is factored, to ws.next. False: the path is lost.
  bool advance() {
    find_steps();
    return step_along() || step_back();
  }

 private:
  void velocity(Point& x) const {
    p.multiply(x.r.data(), x.w.data());
    for (int i = 0; i < p.n; ++i) x.w[i] += p.q[i];
  }

  // The step that changes G_1 and G_2 at ws.at as told, sigma fixed.
  template <class Change>
  void solve(const Change& change, Step& step) const {
    step.sigma = 0;
    solve_cone_system(p, ws.at, SpeedLaw(), change, ws.T, ws.system, step);
    p.multiply(step.r.data(), step.w.data());
  }

  static void add(Step& to, double a, const Step& d) {
    add_multiples(to.r, a, d.r, 0, d.r, to.r);
    add_multiples(to.u, a, d.u, 0, d.u, to.u);
    add_multiples(to.v, a, d.v, 0, d.v, to.v);
    add_multiples(to.w, a, d.w, 0, d.w, to.w);
    to.sigma += a * d.sigma;
  }
  void make_perpendicular(Step& step) const { add(step, -eq.inner(ws.at, step, ws.tangent), ws.tangent); }

  // t, c and z of (3), by the factors at ws.at.
  void find_steps() const {
    Step& t = ws.tangent;
    solve(TangentChange{eq, 2 * ws.at.sigma}, t);
    t.sigma = 1;
    const double length = std::sqrt(eq.inner(ws.at, t, t));
    const double way = ws.system.determinant_is_positive(p) ? -1 / length : 1 / length;
    add(t, way - 1, t);
    solve(CorrectionChange{eq, ws.at}, ws.correction);
    make_perpendicular(ws.correction);
    solve(BendChange{eq, ws.at, t, 2 * t.sigma * t.sigma}, ws.bend);
    make_perpendicular(ws.bend);
  }

  // ws.next = (3), with only `part` of c.
  void go(double part, double h) const {
    const Point& x = ws.at;
    Point& y = ws.next;
    const Step &c = ws.correction, &t = ws.tangent, &z = ws.bend;
    const auto move = [&](auto from, auto along) {
      add_multiples(x.*from, part, c.*along, 0, c.*along, y.*from);
      if (h > 0) add_multiples(y.*from, h, t.*along, 0.5 * h * h, z.*along, y.*from);
    };
    move(&Point::r, &Step::r);
    move(&Point::u, &Step::u);
    move(&Point::v, &Step::v);
    move(&Point::w, &Step::w);
    y.sigma = x.sigma + part * c.sigma + h * t.sigma + 0.5 * h * h * z.sigma;
  }

  // How far `step` may be taken until a cone's boundary, or sigma = 0, is reached.
  double way_to_boundary(const Step& step) const {
    const double of_sigma = step.sigma < 0 ? -ws.at.sigma / step.sigma : unbounded;
    return std::min(of_sigma, longest_step(p, ws.at, step, unbounded));
  }

  // The longest step (3) that stays near the path.
  bool step_along() {
    double h = beyond_boundary * way_to_boundary(ws.tangent);
    if (last_length > 0) h = std::min(h, longer * last_length);
    for (int i = 0; i < most_lengths; ++i, h *= shorter) {
      go(1, h);
      if (!(eq.distance(ws.next, near_path) < HUGE_VAL)) continue;
      last_length = h;
      shortened = 0;
      return true;
    }
    return false;
  }

  // Back to the path alone, as far as that gets nearer to it.
  bool step_back() {
    if (++shortened > most_shortened) return false;
    const double now = eq.distance(ws.at, HUGE_VAL);
    double part = std::min(1.0, to_boundary * way_to_boundary(ws.correction));
    for (int i = 0; i < most_parts; ++i, part *= shorter) {
      go(part, 0);
      if (!(eq.distance(ws.next, now) < now)) continue;
      last_length *= 0.5;
      return true;
    }
    return false;
  }
};

// ---- one path after the other ---------------------------------------------------------------------------------------

void size_for(ArcPathWorkspace& ws) {
  const ScaledProblem& p = ws.p;
  const auto make_room = [&](auto&... x) { (x.assign(p.stride, 0.0), ...); };
  for (Point* x : {&ws.at, &ws.next}) make_room(x->r, x->u, x->v, x->w);
  for (Step* x : {&ws.correction, &ws.tangent, &ws.bend}) make_room(x->r, x->u, x->v, x->w);
  make_room(ws.defect, ws.best);
  ws.T.resize(72 * p.cones.size());
  ws.system.prepare(p);
}

struct PathSearch : ConeSearch {
  ArcPathWorkspace& ws;
  Path path;
  double typical;              // size of r^ and u^
  bool on = true;              // there is a path to go on with
  bool from_guess = false;     // it began at the guess
  double smallest = HUGE_VAL;  // product of this path, and the
  int smallest_at = 0;         // iterations at which it was reached
  int since_best = 0;

  PathSearch(ArcPathWorkspace& ws_, double tolerance_, int limit_)
      : ConeSearch{ws_, tolerance_, limit_, {}}, ws(ws_), path(ws), typical(typical_size(ws.p)) {
    ws.worth_a_try.begin(ws.p);
  }

  void start_at_guess(std::span<const double> guess) {
    from_guess = true;
    path.start_near(guess);
    begin(size_at_guess * typical * size_at_guess * typical);
  }
  void start() {
    from_guess = false;
    path.start();
    begin(first_size * typical * first_size * typical);
  }

  void run() {
    for (;;) {
      look();
      if (solved() || out_of_steps() || stalled()) return stop();
      step();
    }
  }

 private:
  // Another path from ws.at, by (5), with products as large as these or larger: so large that det J > 0.
  void begin(double products) {
    on = begin_with_positive_determinant(products);
    smallest = HUGE_VAL;
    smallest_at = outcome.iterations;
    path.last_length = 0;
    path.shortened = 0;
  }
  bool begin_with_positive_determinant(double products) {
    for (int i = 0; i < most_beginnings && !out_of_steps(); ++i, products *= further_in) {
      path.begin(products);
      ++outcome.iterations;
      if (path.factor() && ws.system.determinant_is_positive(ws.p)) return true;
    }
    return false;
  }

  // Measures ws.at, and tries full steps of Newton's method where they may converge.
  void look() {
    const double now = measure(ws.p, ws.at.r.data(), ws.at.w.data());
    since_best = now < best ? 0 : since_best + 1;
    keep(now, ws.at.r);
    if (!solved() && !out_of_steps() && ws.worth_a_try(ws.p, ws.at.r, ws.at.w, now))
      try_whole_steps(ws.at, now, limit - outcome.iterations, ws.next, ws.tangent);
  }

  bool stalled() const { return (!on && !from_guess) || (best < near && since_best > patience_near); }

  void step() {
    const double products = path.products();
    if (products < smaller * smallest) {
      smallest = products;
      smallest_at = outcome.iterations;
    }
    if (from_guess && (!on || outcome.iterations > most_from_guess)) return start();
    if (outcome.iterations - smallest_at > patience) return begin(much_further_in * smallest);
    ++outcome.iterations;
    if (path.factor() && path.advance())
      std::swap(ws.at, ws.next);
    else
      begin(further_in * products);
  }
};

}  // namespace

Outcome arc_path(const Problem& problem, const SolverOptions& options, ArcPathWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  size_for(ws);
  PathSearch search(ws, options.tolerance, options.max_iterations > 0 ? options.max_iterations : iteration_limit);
  if (options.warm_start)
    search.start_at_guess(z);
  else
    search.start();
  search.run();
  ws.p.unscale(ws.best.data(), z);
  return search.outcome;
}

}  // namespace linchpin

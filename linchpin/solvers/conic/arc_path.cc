#include "linchpin/solvers/conic/arc_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/solvers/conic/cone_algebra.h"
#include "linchpin/solvers/conic/measure.h"
#include "linchpin/solvers/conic/whole_steps.h"

namespace linchpin {
namespace {

constexpr int iteration_limit = 10000;
constexpr double k = 0.09;         // of (1): anything between 0 and a half does about as well
constexpr double near_path = 0.8;  // of (4)
constexpr double first_size = 3;   // of the first r^ and u^, in units of q
constexpr double size_at_guess = 0.3;
constexpr int most_from_guess = 200;  // iterations; then from nothing, since a guess may be nonsense
// How a step's length is found: from this multiple of the last one down by this factor.
constexpr double longer = 4, shorter = 0.75, beyond_boundary = 3;
constexpr int most_lengths = 60;
// A lost path: Newton's steps back to it have to be shortened this often. The next one begins with products larger by
// `further_in`; after `patience` iterations without smaller ones by `much_further_in`.
constexpr int most_shortened = 3;
constexpr double further_in = 4, much_further_in = 30;
constexpr int patience = 100, most_beginnings = 20;
constexpr double smaller = 0.9;
// Near a solution: iterations without a better point.
constexpr double near = 1e-6;
constexpr int patience_near = 8;
constexpr int most_whole_steps = 8;  // whole_steps.h

using Point = ArcPathWorkspace::Point;
using Step = ArcPathWorkspace::Step;

// y = x + a d + b e, all of p.stride numbers.
void add_multiples(const std::vector<double>& x, double a, const std::vector<double>& d, double b,
                   const std::vector<double>& e, std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); i += 8)
    fma(Double8(b), Double8::load(&e[i]), fma(Double8(a), Double8::load(&d[i]), Double8::load(&x[i]))).store(&y[i]);
}

// s of (1), and its derivatives along a direction.
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

// What a step is to do to G_1 and G_2, of eight cones and of one row.
struct ConeAim {
  Cones G1, G2;
};
struct RowAim {
  double G1, lower, upper;  // the products with the force of the lower and of the upper bound
};

struct Path {
  ArcPathWorkspace& ws;
  const ScaledProblem& p;
  double m = 1;  // of (2)

  LINCHPIN_INLINE Cones cones(std::size_t g, const std::vector<double>& x) const {
    return Cones::load(&x[p.cones[g].start], p.cones[g].count);
  }
  LINCHPIN_INLINE Cones hat(std::size_t g, const std::vector<double>& r) const { return linchpin::hat(p, g, r.data()); }
  // The two numbers whose product is (2) for a frictionless contact or a row with a lower bound; upper: alike.
  static double above_lower(const Bounds& b, double r) { return r - b.lower; }
  static double below_upper(const Bounds& b, double r) { return b.upper - r; }
  // A frictionless contact is a row that has a lower bound; its tangential rows are zero.
  Bounds row_bounds(const Cell& c) const {
    return c.kind == BlockKind::cone ? Bounds{0, HUGE_VAL, true, false, false} : bounds(p, c);
  }

  // ---- where paths begin -------------------------------------------------------------------------------------------

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
  void velocity(Point& x) const {
    p.multiply(x.r.data(), x.w.data());
    for (int i = 0; i < p.n; ++i) x.w[i] += p.q[i];
  }

  // (5), and sigma = 1, d so that (1) holds.
  void begin(double products) {
    m = products;
    Point& x = ws.at;
    x.sigma = 1;
    const auto larger = [&](double v) {  // (v + sqrt(v^2 + 4 m)) / 2, with all its digits
      const double root = std::sqrt(v * v + 4 * m);
      return v > 0 ? 0.5 * (v + root) : 2 * m / (root - v);
    };
    for (const Cell& c : p.cells) {
      double *r = &x.r[c.start], *u = &x.u[c.start], *v = &x.v[c.start];
      if (c.kind == BlockKind::cone && !frictionless(c)) {
        const double d[3] = {c.mu * r[0] - u[0], r[1] - u[1], r[2] - u[2]};
        const double t = tangential(d), per_t = t > 0 ? 1 / t : 0;
        const double one = larger(d[0] + t), other = larger(d[0] - t);
        r[0] = 0.5 * (one + other) / c.mu;
        u[0] = 0.5 * (m / one + m / other);
        for (int i = 1; i < 3; ++i) {
          r[i] = 0.5 * (one - other) * per_t * d[i];
          u[i] = 0.5 * (m / one - m / other) * per_t * d[i];
        }
        continue;
      }
      const Bounds b = row_bounds(c);
      if (b.fixed) {
        r[0] = b.lower;
        continue;
      }
      if (b.has_lower && b.has_upper) {
        const double gap = std::min(std::sqrt(m), 0.5 * (b.upper - b.lower));
        r[0] = std::clamp(r[0], b.lower + gap, b.upper - gap);
      } else if (b.has_lower) {
        r[0] = b.lower + larger(r[0] - b.lower - u[0]);
      } else if (b.has_upper) {
        r[0] = b.upper - larger(b.upper - r[0] - v[0]);
      }
      u[0] = b.has_lower ? m / above_lower(b, r[0]) : 0;
      v[0] = b.has_upper ? m / below_upper(b, r[0]) : 0;
    }
    velocity(x);
    std::ranges::fill(ws.defect, 0.0);
    for (std::size_t g = 0; g < p.cones.size(); ++g) G1(g, x).store(&ws.defect[p.cones[g].start], p.cones[g].count);
    for (const int i : p.others) {
      const std::size_t at = p.cells[i].start;
      ws.defect[at] = x.w[at] - x.u[at] + x.v[at];
    }
  }

  // ---- the equations -----------------------------------------------------------------------------------------------

  // Without sigma^2 d.
  LINCHPIN_INLINE Cones G1(std::size_t g, const Point& x) const {
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    const Cones u = cones(g, x.u), w = cones(g, x.w);
    return {w.n / mu - u.n + Speed(u).s, w.x - u.x, w.y - u.y};
  }
  LINCHPIN_INLINE Cones G1_now(std::size_t g, const Point& x) const {
    return G1(g, x) - Double8(x.sigma * x.sigma) * cones(g, ws.defect);
  }
  LINCHPIN_INLINE Cones G2(std::size_t g, const Point& x) const {
    Cones y = product(hat(g, x.r), cones(g, x.u));
    y.n = y.n - x.sigma * x.sigma * m;
    return y;
  }
  double row_G1(std::size_t at, const Point& x) const {
    return x.w[at] - x.u[at] + x.v[at] - x.sigma * x.sigma * ws.defect[at];
  }

  // The largest figure of (4); infinite outside of cones, and once it is known to be above `enough`.
  double distance(const Point& x, double enough) const {
    if (!(x.sigma > 0)) return HUGE_VAL;
    const double per_product = 1 / (x.sigma * x.sigma * m), per_size = std::sqrt(per_product);
    double most = 0;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Cones r = hat(g, x.r), u = cones(g, x.u), one = G1_now(g, x), two = G2(g, x);
      const Double8 far = max(sqrt(dot(two, two)) * Double8(per_product), sqrt(dot(one, one)) * Double8(per_size));
      const Double8 inside = min(r.n - tangential(r), u.n - tangential(u));
      for (int i = 0; i < p.cones[g].count; ++i) {
        if (!(inside[i] > 0) || !(far[i] <= enough)) return HUGE_VAL;
        most = std::max(most, far[i]);
      }
    }
    for (const int c : p.others) {
      const Bounds b = row_bounds(p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (b.fixed) continue;
      double far = std::abs(row_G1(at, x)) * per_size;
      const auto add = [&](double one, double other) {
        far = one > 0 && other > 0 ? std::max(far, std::abs(one * other * per_product - 1)) : HUGE_VAL;
      };
      if (b.has_lower) add(above_lower(b, x.r[at]), x.u[at]);
      if (b.has_upper) add(below_upper(b, x.r[at]), x.v[at]);
      if (!(far <= enough)) return HUGE_VAL;
      most = std::max(most, far);
    }
    return most;
  }

  // ---- linear systems ----------------------------------------------------------------------------------------------

  // W dr + R dr = ...: R = P B A(r^)^-1 A(u^) P, B = 1 - e s', as in interior_point.cc.
  bool factor() const {
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const auto [cell, start, count] = p.cones[g];
      const Cones u = cones(g, ws.at.u);
      const Double8 mu = Double8::load(&p.mu[8 * g]);
      const Speed speed(u);
      Double8 R[9];
      find_squares(hat(g, ws.at.r), u, mu, speed, &ws.T[72 * g], R);
      store_squares(R, count, ws.system.R(cell));
      for (int i = 0; i < count; ++i) ws.system.active(cell + i) = ws.system.unit_L(cell + i) = true;
    }
    for (const int c : p.others) {
      const Cell& cell = p.cells[c];
      const std::size_t at = cell.start;
      const Bounds b = row_bounds(cell);
      double *L = ws.system.L(c), *R = ws.system.R(c);
      std::fill_n(R, 9, 0.0);
      R[0] = row_R(b, ws.at.r[at], ws.at.u[at], ws.at.v[at]);
      ws.system.active(c) = !b.fixed;
      ws.system.unit_L(c) = cell.size == 1;
      if (cell.size == 1) continue;
      std::fill_n(L, 9, 0.0);  // tangential rows: x = b
      L[0] = R[4] = R[8] = 1;
    }
    return ws.system.factor(p);
  }

  // The step that changes G_1 and G_2 at ws.at as told.
  template <class ConeAims, class RowAims>
  void solve(const ConeAims& cone_aim, const RowAims& row_aim, Step& step) const {
    auto& [r, u, v, w, sigma] = step;
    sigma = 0;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const auto [cell, start, count] = p.cones[g];
      const Double8 mu = Double8::load(&p.mu[8 * g]);
      const ConeAim aim = cone_aim(g);
      const Cones t = Quotient(hat(g, ws.at.r))(aim.G2);
      t.store(&u[start], count);
      const Cones rhs{mu * (Speed(cones(g, ws.at.u)).taken_from(t) + aim.G1.n), t.x + aim.G1.x, t.y + aim.G1.y};
      rhs.store(&r[start], count);
    }
    for (const int c : p.others) {
      const Cell& cell = p.cells[c];
      const std::size_t at = cell.start;
      const Bounds b = row_bounds(cell);
      const RowAim aim = row_aim(c);
      for (int i = 0; i < cell.size; ++i) r[at + i] = u[at + i] = v[at + i] = 0;
      if (b.fixed) continue;
      if (b.has_lower) u[at] = aim.lower / above_lower(b, ws.at.r[at]);
      if (b.has_upper) v[at] = aim.upper / below_upper(b, ws.at.r[at]);
      r[at] = aim.G1 + u[at] - v[at];
    }
    ws.system.solve(p, r.data());
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Cones x = hat(g, r);
      const Cones y = less_product(cones(g, u), &ws.T[72 * g], x);
      y.store(&u[p.cones[g].start], p.cones[g].count);
    }
    for (const int c : p.others) {
      const Bounds b = row_bounds(p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (b.fixed) continue;
      if (b.has_lower) u[at] -= ws.at.u[at] / above_lower(b, ws.at.r[at]) * r[at];
      if (b.has_upper) v[at] += ws.at.v[at] / below_upper(b, ws.at.r[at]) * r[at];
    }
    p.multiply(r.data(), w.data());
  }

  // Steps are alike where each changes its contact by as much of what there is: (u_0 / r_0) |dr^|^2 +
  // (r_0 / u_0) |du^|^2, and m times the square of what sigma^2 changes by over sigma.
  double inner(const Step& a, const Step& b) const {
    double total = 4 * m * a.sigma * b.sigma;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Double8 ratio = cones(g, ws.at.u).n / hat(g, ws.at.r).n;
      total += sum(ratio * dot(hat(g, a.r), hat(g, b.r)) + dot(cones(g, a.u), cones(g, b.u)) / ratio, p.cones[g].count);
    }
    for (const int c : p.others) {
      const Bounds bound = row_bounds(p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (bound.fixed) continue;
      const auto add = [&](double gap, double force, double da, double db) {
        const double ratio = force / gap;
        total += ratio * a.r[at] * b.r[at] + da * db / ratio;
      };
      if (bound.has_lower) add(above_lower(bound, ws.at.r[at]), ws.at.u[at], a.u[at], b.u[at]);
      if (bound.has_upper) add(below_upper(bound, ws.at.r[at]), ws.at.v[at], a.v[at], b.v[at]);
    }
    return total;
  }
  void add(Step& to, double a, const Step& d) const {
    for (auto x : {&Step::r, &Step::u, &Step::v, &Step::w}) add_multiples(to.*x, a, d.*x, 0, d.*x, to.*x);
    to.sigma += a * d.sigma;
  }
  void make_perpendicular(Step& step) const { add(step, -inner(step, ws.tangent), ws.tangent); }

  // ---- one step ----------------------------------------------------------------------------------------------------

  // t, c and z of (3), by the factors at ws.at.
  void find_steps() const {
    Step& t = ws.tangent;
    const Double8 zero(0.0);
    const double twice = 2 * ws.at.sigma;
    solve(
        [&](std::size_t g) {
          return ConeAim{Double8(twice) * cones(g, ws.defect), {Double8(twice * m), zero, zero}};
        },
        [&](int c) {
          return RowAim{twice * ws.defect[p.cells[c].start], twice * m, twice * m};
        },
        t);
    t.sigma = 1;
    const double length = std::sqrt(inner(t, t)), way = ws.system.determinant_is_positive(p) ? -1 / length : 1 / length;
    add(t, way - 1, t);
    solve(
        [&](std::size_t g) {
          return ConeAim{Double8(-1.0) * G1_now(g, ws.at), Double8(-1.0) * G2(g, ws.at)};
        },
        [&](int c) {
          const Bounds b = row_bounds(p.cells[c]);
          const std::size_t at = p.cells[c].start;
          const double target = ws.at.sigma * ws.at.sigma * m;
          return RowAim{-row_G1(at, ws.at), target - above_lower(b, ws.at.r[at]) * ws.at.u[at],
                        target - below_upper(b, ws.at.r[at]) * ws.at.v[at]};
        },
        ws.correction);
    make_perpendicular(ws.correction);
    const double square = 2 * t.sigma * t.sigma;
    solve(
        [&](std::size_t g) {
          const Cones du = cones(g, t.u);
          Cones one = Double8(square) * cones(g, ws.defect), two = Double8(-2.0) * product(hat(g, t.r), du);
          one.n = one.n - Speed(cones(g, ws.at.u)).twice_along(du);
          two.n = two.n + square * m;
          return ConeAim{one, two};
        },
        [&](int c) {
          const std::size_t at = p.cells[c].start;
          return RowAim{square * ws.defect[at], square * m - 2 * t.r[at] * t.u[at], square * m + 2 * t.r[at] * t.v[at]};
        },
        ws.bend);
    make_perpendicular(ws.bend);
  }

  // ws.next = (3), with a part only of c.
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

  // How far `step` may be taken until a cone, or sigma = 0, is reached.
  double to_boundary(const Step& step) const {
    constexpr double far = 1e30;
    double a = step.sigma < 0 ? -ws.at.sigma / step.sigma : far;
    for (std::size_t g = 0; g < p.cones.size(); ++g) {
      const Double8 longest =
          min(step_within(hat(g, ws.at.r), hat(g, step.r), far), step_within(cones(g, ws.at.u), cones(g, step.u), far));
      for (int i = 0; i < p.cones[g].count; ++i) a = std::min(a, longest[i]);
    }
    for (const int c : p.others) {
      const Bounds b = row_bounds(p.cells[c]);
      const std::size_t at = p.cells[c].start;
      if (b.fixed) continue;
      if (b.has_lower)
        a = std::min(
            {a, step_above(above_lower(b, ws.at.r[at]), step.r[at], far), step_above(ws.at.u[at], step.u[at], far)});
      if (b.has_upper)
        a = std::min(
            {a, step_above(below_upper(b, ws.at.r[at]), -step.r[at], far), step_above(ws.at.v[at], step.v[at], far)});
    }
    return a;
  }
};

// How steps along a path have gone.
struct Pace {
  double last = 0;    // length of the last one; 0: there is none
  int shortened = 0;  // steps back to the path, one after the other, that had to be
};

// From ws.at to ws.next. False: the path is lost.
bool advance(const Path& path, Pace& pace) {
  ArcPathWorkspace& ws = path.ws;
  path.find_steps();
  double h = beyond_boundary * path.to_boundary(ws.tangent);
  if (pace.last > 0) h = std::min(h, longer * pace.last);
  for (int i = 0; i < most_lengths; ++i, h *= shorter) {
    path.go(1, h);
    if (!(path.distance(ws.next, near_path) < HUGE_VAL)) continue;
    pace = {.last = h};
    return true;
  }
  // Back to the path alone, as far as that goes.
  if (++pace.shortened > most_shortened) return false;
  const double now = path.distance(ws.at, HUGE_VAL);
  double part = std::min(1.0, 0.9 * path.to_boundary(ws.correction));
  for (int i = 0; i < most_lengths / 3; ++i, part *= shorter) {
    path.go(part, 0);
    if (!(path.distance(ws.next, now) < now)) continue;
    pace.last *= 0.5;
    return true;
  }
  return false;
}

}  // namespace

Outcome arc_path(const Problem& problem, const SolverOptions& options, ArcPathWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  const ScaledProblem& p = ws.p;
  const auto make_room = [&](auto&... x) { (x.assign(p.stride, 0.0), ...); };
  for (Point* x : {&ws.at, &ws.next}) make_room(x->r, x->u, x->v, x->w);
  for (Step* x : {&ws.correction, &ws.tangent, &ws.bend}) make_room(x->r, x->u, x->v, x->w);
  make_room(ws.defect, ws.best);
  ws.T.resize(72 * p.cones.size());
  ws.system.prepare(p);
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  Outcome outcome;
  double best = HUGE_VAL;
  const auto keep = [&](double figure, const std::vector<double>& r) {
    if (!(figure < best)) return;
    best = figure;
    ws.best = r;
  };
  // Begins with products as large as `products` or larger: so large that det J > 0.
  Path path{ws, p};
  const auto begin = [&](double products, double grow) {
    for (int i = 0; i < most_beginnings && outcome.iterations < limit; ++i, products *= grow) {
      path.begin(products);
      ++outcome.iterations;
      if (path.factor() && ws.system.determinant_is_positive(p)) return true;
    }
    return false;
  };
  Pace pace;
  double smallest = HUGE_VAL;  // product of this path
  int smallest_at = 0;         // and when
  ws.worth_a_try.begin(p);
  bool on = true;
  const auto leave_for = [&](double products) {
    on = begin(products, further_in);
    smallest = HUGE_VAL;
    smallest_at = outcome.iterations;
    pace = {};
  };
  const double typical = typical_size(p);
  const auto start_at = [&](double size) { leave_for(size * typical * size * typical); };
  bool from_guess = options.warm_start;
  if (from_guess) {
    path.start_near(z);
    start_at(size_at_guess);
  } else {
    path.start();
    start_at(first_size);
  }
  for (int since_best = 0;;) {
    const double now = measure(p, ws.at.r.data(), ws.at.w.data());
    since_best = now < best ? 0 : since_best + 1;
    keep(now, ws.at.r);
    bool done = best <= options.tolerance;
    if (!done && outcome.iterations < limit && ws.worth_a_try(p, ws.at.r, ws.at.w, now)) {
      ws.next.r = ws.at.r;
      ws.next.w = ws.at.w;
      const WholeStepsResult result =
          whole_steps(p, now, options.tolerance, std::min(limit - outcome.iterations, most_whole_steps),
                      {ws.next.r, ws.next.w, ws.next.u, ws.tangent.r, ws.tangent.u, ws.system});
      outcome.iterations += result.steps;
      keep(result.figure, ws.next.r);
      done = best <= options.tolerance;
    }
    const bool out_of_steps = outcome.iterations >= limit;
    const bool stalled = (!on && !from_guess) || (best < near && since_best > patience_near);
    if (done || out_of_steps || stalled) {
      outcome.stop = done ? Stop::finished : out_of_steps ? Stop::iteration_limit : Stop::stalled;
      break;
    }
    const double products = ws.at.sigma * ws.at.sigma * path.m;
    if (products < smaller * smallest) {
      smallest = products;
      smallest_at = outcome.iterations;
    }
    if (from_guess && (!on || outcome.iterations > most_from_guess)) {
      from_guess = false;
      path.start();
      start_at(first_size);
    } else if (outcome.iterations - smallest_at > patience) {
      leave_for(much_further_in * smallest);
    } else {
      ++outcome.iterations;
      if (path.factor() && advance(path, pace))
        std::swap(ws.at, ws.next);
      else
        leave_for(further_in * products);
    }
  }
  p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

// Points inside the cones and the linear system of a step between them: the part that interior_point and arc_path
// share. For this room's own kernel files.
//
// With the cone's algebra of cone_algebra.h both solvers take Newton steps on
//     G_1 = P^-1 (W r + q) - u^ + s(u^) e + ...,      G_2 = r^ o u^ - ...                                        (1)
// where s stands for |u^_T|, each in its own way (a `Law`). A step that changes G_1 and G_2 by given amounts solves
//     P^-1 W dr - B du^ = dG_1,      A(u^) P dr + A(r^) du^ = dG_2,      B = 1 - e s'                            (2)
// and without du^, with T = A(r^)^-1 A(u^),
//     W dr + P B T P dr = P (dG_1 + B A(r^)^-1 dG_2),      du^ = A(r^)^-1 dG_2 - T P dr                          (3)
// Rows with bounds are the same with numbers for cones: u is the force of the lower bound, v that of the upper one, and
// their products with the distance to the bound take the place of G_2. A frictionless contact is a row with a lower
// bound whose tangential impulses are zero.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "linchpin/solvers/conic/cell_system.h"
#include "linchpin/solvers/conic/cone_algebra.h"
#include "linchpin/solvers/conic/whole_steps.h"
#include "linchpin/solvers/problem/solver_options.h"

namespace linchpin {

// All vectors have room for p.stride numbers.
struct ConePoint {
  std::vector<double> r, u, v;  // impulses, u^ (u of rows), forces of upper bounds
  std::vector<double> w;        // W r + q
};
struct ConeStep {
  std::vector<double> r, u, v;
};

struct ConeWorkspace : CellWorkspace {
  using CellWorkspace::CellWorkspace;
  std::vector<double> best;  // r of the best point so far
  WorthATry worth_a_try;
  std::vector<double> T;  // the columns of T of (3), for each eight cones
};

// A search for a solution: the figure of its best point, and the iterations it took.
struct ConeSearch {
  ConeWorkspace& ws;
  double tolerance;
  int limit;  // of iterations
  Outcome outcome;
  double best = HUGE_VAL;  // measure() of ws.best

  bool solved() const { return best <= tolerance; }
  bool out_of_steps() const { return outcome.iterations >= limit; }
  // Takes r for the best point if its figure is smaller.
  void keep(double figure, const std::vector<double>& r);
  // Whole steps of Newton's method (whole_steps.h) from `from`, whose figure is `figure`; `most` iterations at most.
  // They work in `room` and `step`.
  void try_whole_steps(const ConePoint& from, double figure, int most, ConePoint& room, ConeStep& step);
  void stop() { outcome.stop = solved() ? Stop::finished : out_of_steps() ? Stop::iteration_limit : Stop::stalled; }
};

// ---- the linear system ----------------------------------------------------------------------------------------------

// How much G_1 and G_2 are to change, of eight cones and of one row.
struct ConeChange {
  Cones G1, G2;
};
struct RowChange {
  double G1, lower, upper;  // lower, upper: the products with the force of the lower and of the upper bound
};

// The matrix of (3) at `at`. law(u) is s at u: its taken_from(x) is x_0 - s'(x).
template <class Law>
inline void set_cone_system(const ScaledProblem& p, const ConePoint& at, const Law& law, CellSystem& system,
                            std::vector<double>& T) {
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const auto [cell, start, count] = p.cones[g];
    const Cones u = cones(p, g, at.u);
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    Double8 R[9];
    find_squares(hat(p, g, at.r), u, mu, law(u), &T[72 * g], R);
    store_squares(R, count, system.R(cell));
    for (int i = 0; i < count; ++i) system.active(cell + i) = system.unit_L(cell + i) = true;
  }
  for (const int c : p.others) {
    const Cell& cell = p.cells[c];
    const std::size_t i = cell.start;
    const Bounds b = bounds(p, cell);
    double *L = system.L(c), *R = system.R(c);
    R[0] = row_R(b, at.r[i], at.u[i], at.v[i]);
    system.active(c) = !b.fixed;
    system.unit_L(c) = cell.size == 1;
    if (cell.size == 1) continue;
    std::fill_n(R + 1, 8, 0.0);
    std::fill_n(L, 9, 0.0);  // tangential rows: x = b
    L[0] = R[4] = R[8] = 1;
  }
}

// The step by (3), with the system factored at `at`. change.cones(g) and change.row(c, b) say how much G_1 and G_2 are
// to change in the g-th group of cones and in cell c, a row with the bounds b.
template <class Law, class Change>
inline void solve_cone_system(const ScaledProblem& p, const ConePoint& at, const Law& law, const Change& change,
                              const std::vector<double>& T, CellSystem& system, ConeStep& step) {
  auto& [r, u, v] = step;
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const auto [cell, start, count] = p.cones[g];
    const Double8 mu = Double8::load(&p.mu[8 * g]);
    const ConeChange wanted = change.cones(g);
    const Cones t = Quotient(hat(p, g, at.r))(wanted.G2);
    t.store(&u[start], count);
    const Cones rhs{mu * (law(cones(p, g, at.u)).taken_from(t) + wanted.G1.n), t.x + wanted.G1.x, t.y + wanted.G1.y};
    rhs.store(&r[start], count);
  }
  for (const int c : p.others) {
    const Cell& cell = p.cells[c];
    const std::size_t i = cell.start;
    const Bounds b = bounds(p, cell);
    r[i] = u[i] = v[i] = 0;
    if (cell.size > 1)  // a frictionless contact
      for (int k = 1; k < 3; ++k) r[i + k] = u[i + k] = v[i + k] = 0;
    if (b.fixed) continue;
    const RowChange wanted = change.row(c, b);
    if (b.has_lower) u[i] = wanted.lower / b.above_lower(at.r[i]);
    if (b.has_upper) v[i] = wanted.upper / b.below_upper(at.r[i]);
    r[i] = wanted.G1 + u[i] - v[i];
  }
  system.solve(p, r.data());
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const Cones y = less_product(cones(p, g, u), &T[72 * g], hat(p, g, r));
    y.store(&u[p.cones[g].start], p.cones[g].count);
  }
  for (const int c : p.others) {
    const Bounds b = bounds(p, p.cells[c]);
    const std::size_t i = p.cells[c].start;
    if (b.fixed) continue;
    if (b.has_lower) u[i] -= at.u[i] / b.above_lower(at.r[i]) * r[i];
    if (b.has_upper) v[i] += at.v[i] / b.below_upper(at.r[i]) * r[i];
  }
}

// The largest a <= most such that at + a step stays in all cones and within all bounds.
double longest_step(const ScaledProblem& p, const ConePoint& at, const ConeStep& step, double most);

}  // namespace linchpin

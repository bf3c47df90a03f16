#include "linchpin/solvers/conic/whole_steps.h"

#include "linchpin/solvers/conic/measure.h"

namespace linchpin {
namespace {

// Relative to the unit diagonal of W: keeps pivots of redundant contacts from zero.
constexpr double eps = 1e-10;
// Steps without a better point: they converge or are far off after the first one.
constexpr int patience = 2;
// Tried from points within near_enough, and again from the same pieces if the figure is much_nearer of the last try's.
// From 5e-3 they converge in two steps (docs/interior_point.md).
constexpr double near_enough = 1e-2, much_nearer = 0.1;

bool whole_step(const ScaledProblem& p, const WholeStepsRoom& room) {
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    const double *r = &room.r[cell.start], *u = &room.u[cell.start];
    const Piece piece = alart_curnier_map(cell, p, r, u, &room.F[cell.start]);
    room.system.active(c) = piece != Piece::inactive;
    room.system.unit_L(c) = piece == Piece::linear;  // dF = du
    double *L = room.system.L(c), *R = room.system.R(c);
    if (piece == Piece::linear) {
      for (int i = 0; i < cell.size; ++i)
        for (int j = 0; j < cell.size; ++j) R[cell.size * i + j] = i == j ? eps : 0;
    } else if (piece == Piece::surface) {
      alart_curnier_derivative(cell.mu, r, u, L, R);
      for (int k = 0; k < 9; ++k) R[k] += eps * L[k];
    }
  }
  if (!room.system.factor(p)) return false;
  for (int i = 0; i < p.n; ++i) room.dr[i] = -room.F[i];
  room.system.solve(p, room.dr.data());
  for (int i = 0; i < p.n; ++i) room.r[i] += room.dr[i];
  return true;
}

}  // namespace

WholeStepsResult whole_steps(const ScaledProblem& p, double first, double enough, int limit,
                             const WholeStepsRoom& room) {
  WholeStepsResult result{0, first};
  room.best = room.r;
  for (int since_best = 0; result.steps < limit && since_best < patience && result.figure > enough;) {
    if (!whole_step(p, room)) break;
    ++result.steps;
    const double now = measure(p, room.r.data(), room.u.data());
    if (!(now < first)) break;
    ++since_best;
    if (now < result.figure) {
      result.figure = now;
      room.best = room.r;
      since_best = 0;
    }
  }
  room.r = room.best;
  return result;
}

void WorthATry::begin(const ScaledProblem& p) {
  piece_.assign(p.cells.size(), Piece::inactive);
  tried_.clear();
}

bool WorthATry::operator()(const ScaledProblem& p, const std::vector<double>& r, const std::vector<double>& w,
                           double figure) {
  bool settled = true;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const std::size_t at = p.cells[c].start;
    double F[3];
    const Piece now = alart_curnier_map(p.cells[c], p, &r[at], &w[at], F);
    settled = settled && now == piece_[c];
    piece_[c] = now;
  }
  if (!settled || !(figure < near_enough) || (piece_ == tried_ && !(figure < much_nearer * tried_at_))) return false;
  tried_ = piece_;
  tried_at_ = figure;
  return true;
}

}  // namespace linchpin

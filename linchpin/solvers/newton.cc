#include "linchpin/solvers/newton.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }

// Numbers found on real contact problems (stacks, towers, rovers, capsules): what they share is that none is delicate.
constexpr double first_eps = 1e-2;      // W has a unit diagonal
constexpr double largest_eps = 10, smallest_eps = 1e-13;
constexpr double grow = 4, shrink = 10;
constexpr int quick = 4;                // Newton steps after which an outer step counts as easy
constexpr int inner_limit = 12;
constexpr double inner_accuracy = 0.1;  // of |F| at the outer step's start: more is wasted while eps is large
constexpr int trials = 3, memory = 6;   // of the line search
constexpr int iteration_limit = 500;
constexpr int patience = 12;            // outer steps without a better point, once below `near`
constexpr double near = 1e-6;

double norm(const std::vector<double>& x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[index(i)] * x[index(i)];
  return std::sqrt(sum);
}

void size_for(NewtonWorkspace& ws) {
  for (std::vector<double>* x : {&ws.r, &ws.u, &ws.F, &ws.dr, &ws.du, &ws.trial, &ws.trial_u, &ws.trial_F, &ws.centre, &ws.best, &ws.rhs})
    x->assign(index(ws.p.stride), 0.0);
  const std::size_t cells = ws.p.cells.size();
  ws.L.resize(9 * cells);
  ws.R.resize(9 * cells);
  ws.piece.resize(cells);
  ws.trial_piece.resize(cells);
  ws.active.reserve(index(ws.p.n));
}

// F_eps at r, where u = W r + q + eps (r - centre).
double evaluate(const ScaledProblem& p, double eps, const std::vector<double>& r, const std::vector<double>& u,
                std::vector<double>& F, std::vector<Piece>& piece) {
  const double rho = 1 / (1 + eps);
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const std::size_t at = index(p.cells[c].start);
    piece[c] = natural_map(p.cells[c], p, rho, &r[at], &u[at], &F[at]);
  }
  return norm(F, p.n);
}

// dF = R dr + L du of every cell that is not inactive (there dF = dr).
void derivatives(NewtonWorkspace& ws, double eps) {
  const double rho = 1 / (1 + eps);
  for (std::size_t c = 0; c < ws.p.cells.size(); ++c) {
    const Cell& cell = ws.p.cells[c];
    if (ws.piece[c] == Piece::inactive) continue;
    if (cell.size == 1) {
      ws.L[9 * c] = rho;
      ws.R[9 * c] = 0;
    } else {
      cone_derivative(cell.mu, rho, &ws.r[index(cell.start)], &ws.u[index(cell.start)], ws.piece[c], &ws.L[9 * c], &ws.R[9 * c]);
    }
  }
}

// out = L w, or out = L w of a 3 x m block with rows `stride` apart.
void times_L(const double* L, int size, const double* w, int stride, int m, double* out, int out_stride) {
  if (size == 1) {
    for (int j = 0; j < m; ++j) out[j] = L[0] * w[j];
    return;
  }
  const double *w0 = w, *w1 = w + stride, *w2 = w1 + stride;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < m; ++j) out[i * out_stride + j] = L[3 * i] * w0[j] + L[3 * i + 1] * w1[j] + L[3 * i + 2] * w2[j];
}

// (2) with the rows of inactive cells, which say dr = -F, taken out.
bool solve_dense(NewtonWorkspace& ws, double eps) {
  const ScaledProblem& p = ws.p;
  bool moves = false;  // does an inactive cell move at all?
  ws.active.clear();
  for (std::size_t c = 0; c < p.cells.size(); ++c)
    for (int k = 0; k < p.cells[c].size; ++k) {
      const int row = p.cells[c].start + k;
      if (ws.piece[c] == Piece::inactive) {
        ws.dr[index(row)] = -ws.F[index(row)];
        moves = moves || ws.F[index(row)] != 0;
      } else {
        ws.dr[index(row)] = 0;
        ws.active.push_back(row);
      }
    }
  if (moves) p.multiply(ws.dr.data(), ws.du.data());
  const int m = int(ws.active.size());
  double* K = ws.dense.matrix(m);
  const int stride = ws.dense.stride();
  const bool all = m == p.n;
  double gathered[3 * 8];
  int at = 0;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    if (ws.piece[c] == Piece::inactive) continue;
    const Cell& cell = p.cells[c];
    const double *L = &ws.L[9 * c], *R = &ws.R[9 * c];
    const double* W = &p.W[index(cell.start) * index(p.stride)];
    double* row = K + index(at) * index(stride);
    if (all) {
      times_L(L, cell.size, W, p.stride, stride, row, stride);
    } else {
      for (int j = 0; j < m; j += 8) {
        const int width = std::min(8, m - j);
        for (int k = 0; k < cell.size; ++k)
          for (int i = 0; i < width; ++i) gathered[8 * k + i] = W[index(k) * index(p.stride) + index(ws.active[index(j + i)])];
        times_L(L, cell.size, gathered, 8, width, row + j, stride);
      }
      for (int k = 0; k < cell.size; ++k)
        for (int j = m; j < stride; ++j) row[k * stride + j] = 0;
    }
    for (int i = 0; i < cell.size; ++i) {
      double b = -ws.F[index(cell.start + i)];
      for (int j = 0; j < cell.size; ++j) {
        row[i * stride + at + j] += R[cell.size * i + j] + eps * L[cell.size * i + j];
        if (moves) b -= L[cell.size * i + j] * ws.du[index(cell.start + j)];
      }
      ws.rhs[index(at + i)] = b;
    }
    at += cell.size;
  }
  if (m > 0) {
    if (!ws.dense.factor()) return false;
    ws.dense.solve(ws.rhs.data());
    for (int i = 0; i < m; ++i) ws.dr[index(ws.active[index(i)])] = ws.rhs[index(i)];
  }
  return true;
}

// (2) whole, rows of inactive cells being those of the identity.
bool solve_sparse(NewtonWorkspace& ws, double eps) {
  const ScaledProblem& p = ws.p;
  ws.sparse.clear();
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const Cell& cell = p.cells[c];
    const auto diagonal = ws.sparse.diagonal(int(c));
    if (ws.piece[c] == Piece::inactive) {
      for (int i = 0; i < cell.size; ++i) diagonal.at[i * diagonal.stride + i] = 1;
    } else {
      const double *L = &ws.L[9 * c], *R = &ws.R[9 * c];
      for (int e = p.blocks.first[c]; e < p.blocks.first[c + 1]; ++e) {
        const auto place = ws.sparse.block(e);
        const int width = p.cells[index(p.blocks.column[index(e)])].size;
        times_L(L, cell.size, &p.blocks.values[p.blocks.value_start[index(e)]], width, width, place.at, place.stride);
      }
      for (int i = 0; i < cell.size; ++i)
        for (int j = 0; j < cell.size; ++j)
          diagonal.at[i * diagonal.stride + j] += R[cell.size * i + j] + eps * L[cell.size * i + j];
    }
    for (int i = 0; i < cell.size; ++i) ws.dr[index(cell.start + i)] = -ws.F[index(cell.start + i)];
  }
  if (!ws.sparse.factor()) return false;
  ws.sparse.solve(ws.dr.data());
  return true;
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
  for (int i = 0; i < p.n; ++i) ws.u[index(i)] += p.q[index(i)];
  double f = evaluate(p, eps, ws.r, ws.u, ws.F, ws.piece);
  std::array<double, memory> recent;
  recent.fill(f);
  while (result.steps < limit && std::isfinite(f)) {
    if (f <= accuracy) {
      result.done = true;
      return result;
    }
    derivatives(ws, eps);
    if (!(p.sparse ? solve_sparse(ws, eps) : solve_dense(ws, eps))) return result;
    p.multiply(ws.dr.data(), ws.du.data());
    for (int i = 0; i < p.n; ++i) ws.du[index(i)] += eps * ws.dr[index(i)];
    const double ceiling = *std::max_element(recent.begin(), recent.end());
    double best_f = HUGE_VAL, best_a = 0, a = 1;
    for (int t = 0; t < trials; ++t, a /= 2) {
      for (int i = 0; i < p.n; ++i) {
        ws.trial[index(i)] = ws.r[index(i)] + a * ws.dr[index(i)];
        ws.trial_u[index(i)] = ws.u[index(i)] + a * ws.du[index(i)];
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
        ws.trial[index(i)] = ws.r[index(i)] + best_a * ws.dr[index(i)];
        ws.trial_u[index(i)] = ws.u[index(i)] + best_a * ws.du[index(i)];
      }
      evaluate(p, eps, ws.trial, ws.trial_u, ws.trial_F, ws.trial_piece);
    }
    std::swap(ws.r, ws.trial);
    std::swap(ws.u, ws.trial_u);
    std::swap(ws.F, ws.trial_F);
    std::swap(ws.piece, ws.trial_piece);
    f = best_f;
    recent[index(result.steps % memory)] = f;
    ++result.steps;
  }
  result.done = f <= accuracy;
  return result;
}

// Both of the judge's relative figures at r: the larger.
double measure(NewtonWorkspace& ws, double& scaled) {
  const ScaledProblem& p = ws.p;
  p.multiply(ws.r.data(), ws.u.data());
  for (int i = 0; i < p.n; ++i) ws.u[index(i)] += p.q[index(i)];
  scaled = evaluate(p, 0, ws.r, ws.u, ws.F, ws.piece);
  double plain = 0, plain_q = 0;
  for (const Cell& c : p.cells) {  // (1) of residual.h, rho = 1 in the problem's own units: rho = 1 / s^2 in these
    const std::size_t at = index(c.start);
    const double s = p.s[at];
    double F[3];
    natural_map(c, p, s * s, &ws.r[at], &ws.u[at], F);
    for (int k = 0; k < c.size; ++k) {
      plain += (F[k] / s) * (F[k] / s);
      plain_q += (p.q[at + index(k)] * s) * (p.q[at + index(k)] * s);
    }
  }
  return std::max(p.q_norm > 0 ? scaled / p.q_norm : scaled, plain_q > 0 ? std::sqrt(plain / plain_q) : std::sqrt(plain));
}

}  // namespace

Outcome newton(const Problem& problem, const SolverOptions& options, NewtonWorkspace& ws, std::span<double> z) {
  ws.p.assign(problem);
  size_for(ws);
  if (ws.p.sparse) ws.sparse.analyse(ws.p.blocks);
  if (options.warm_start) ws.p.scale(z, ws.r.data());
  const int limit = options.max_iterations > 0 ? options.max_iterations : iteration_limit;
  Outcome outcome;
  double eps = first_eps, best = HUGE_VAL, best_scaled = HUGE_VAL;
  for (int since_best = 0;;) {
    double scaled;
    const double now = measure(ws, scaled);
    if (now < best) {
      best = now;
      ws.best = ws.r;
      since_best = 0;
    } else {
      ++since_best;
    }
    if (best <= options.tolerance) outcome.stop = Stop::finished;
    else if (outcome.iterations >= limit) outcome.stop = Stop::iteration_limit;
    else if (since_best > patience && best < near) outcome.stop = Stop::stalled;
    else if (!std::isfinite(now)) outcome.stop = Stop::stalled;
    if (best <= options.tolerance || outcome.iterations >= limit || (since_best > patience && best < near) || !std::isfinite(now)) break;
    const double accuracy = std::max(1e-15 * ws.p.q_norm, inner_accuracy * scaled);
    const Inner inner = newton_steps(ws, eps, accuracy, std::min(inner_limit, limit - outcome.iterations));
    outcome.iterations += std::max(inner.steps, 1);
    if (inner.done) {
      if (inner.steps <= quick) eps = std::max(eps / shrink, smallest_eps);
    } else {
      // the centre again, unless the steps got nearer to the problem's own solution
      ws.trial = ws.centre;
      double after;
      measure(ws, after);
      if (!(after < scaled)) ws.r = ws.trial;
      eps = std::min(eps * grow, largest_eps);
    }
    best_scaled = std::min(best_scaled, scaled);
  }
  ws.p.unscale(ws.best.data(), z);
  return outcome;
}

}  // namespace linchpin

#include "linchpin/solvers/pivoting/dantzig_inside.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linchpin::dantzig_detail {
namespace {

// Gathers the numbers of column (or row) j in the rows (columns) of A, with zeros up to the end of the last register.
void gather_column(const Run& run, int j, double* out) {
  const double* column = run.column(j);
  for (int k = 0; k < run.inside; ++k) out[k] = column[run.ws.active[k]];
  for (int k = run.inside; k < padded(run.inside); ++k) out[k] = 0;
}
void gather_row(const Run& run, int j, double* out) {
  for (int k = 0; k < run.inside; ++k) out[k] = run.column(run.ws.active[k])[j];
  for (int k = run.inside; k < padded(run.inside); ++k) out[k] = 0;
}

// Factors M_AA of the problem's own numbers. False if it is singular.
bool factor(const Run& run) {
  DantzigWorkspace& ws = run.ws;
  const int k = run.inside;
  double* A = ws.lu.matrix(k);
  for (int r = 0; r < k; ++r) {
    double* row = A + std::size_t(r) * ws.lu.stride();
    for (int c = 0; c < k; ++c) row[c] = run.column(ws.active[c])[ws.active[r]];
    for (int c = k; c < ws.lu.stride(); ++c) row[c] = 0;
  }
  return ws.lu.factor();
}

// w = M z + q
void all_w(const Run& run) {
  DantzigWorkspace& ws = run.ws;
  std::copy_n(ws.q.data(), run.stride, ws.w.data());
  for (int j = 0; j < run.n; ++j)
    if (ws.z[j] != 0) add_multiple(ws.z[j], run.column(j), run.stride, ws.w.data());
}

}  // namespace

void solve_for_column(const Run& run, int j, double* u) {
  gather_column(run, j, run.ws.gathered.data());
  for (int k = 0; k < run.inside; ++k) u[k] = dot(run.inverse_row(k), run.ws.gathered.data(), padded(run.inside));
}

bool enter(Run& run, int j) {
  DantzigWorkspace& ws = run.ws;
  const int k = run.inside, count = padded(k);
  double *u = ws.u.data(), *v = ws.v.data(), *row = ws.gathered.data();
  solve_for_column(run, j, u);
  gather_row(run, j, row);
  double s = run.column(j)[j];
  for (int i = 0; i < k; ++i) s -= row[i] * u[i];
  if (!(s > dependent)) return false;
  ++run.updates;
  std::fill_n(v, count + 8, 0.0);
  for (int i = 0; i < k; ++i) add_multiple(row[i], run.inverse_row(i), count, v);
  const double per_s = 1 / s;
  for (int i = 0; i < k; ++i) {
    double* of_i = run.inverse_row(i);
    if (k % 8 == 0) Double8(0.0).store(of_i + k);  // a new register begins
    add_multiple(u[i] * per_s, v, count, of_i);
    of_i[k] = -u[i] * per_s;
  }
  double* of_j = run.inverse_row(k);
  for (int i = 0; i < padded(k + 1); ++i) of_j[i] = i < k ? -v[i] * per_s : i == k ? per_s : 0;
  ws.active[k] = j;
  ws.position[j] = k;
  ++run.inside;
  return true;
}

bool enter_surely(Run& run, int j) {
  if (enter(run, j)) return true;
  if (run.updates == 0) return false;
  refresh(run);
  return enter(run, j);
}

void leave(Run& run, int j) {
  DantzigWorkspace& ws = run.ws;
  const int p = ws.position[j], last = run.inside - 1, count = padded(run.inside);
  for (int i = 0; i < run.inside; ++i) std::swap(run.inverse_row(i)[p], run.inverse_row(i)[last]);
  if (p != last) std::swap_ranges(run.inverse_row(p), run.inverse_row(p) + count, run.inverse_row(last));
  ws.active[p] = ws.active[last];
  ws.position[ws.active[p]] = p;
  ws.position[j] = -1;
  ++run.updates;
  const double* of_j = run.inverse_row(last);
  const double per_pivot = 1 / of_j[last];
  for (int i = 0; i < last; ++i) {
    double* of_i = run.inverse_row(i);
    add_multiple(-of_i[last] * per_pivot, of_j, count, of_i);
  }
  run.inside = last;
}

void refresh(Run& run) {
  const int k = run.inside;
  run.updates = 0;
  if (k == 0 || !factor(run)) return;
  for (int c = 0; c < k; ++c) {
    double* unit = run.ws.gathered.data();
    for (int r = 0; r < padded(k); ++r) unit[r] = r == c;
    run.ws.lu.solve(unit);
    for (int r = 0; r < k; ++r) run.inverse_row(r)[c] = unit[r];
  }
}

void solve_inside(Run& run, int times) {
  DantzigWorkspace& ws = run.ws;
  const int count = padded(run.inside);
  all_w(run);
  for (int k = 0; k < times; ++k) {
    for (int i = 0; i < count; ++i) ws.gathered[i] = i < run.inside ? -ws.w[ws.active[i]] : 0;
    for (int i = 0; i < run.inside; ++i) ws.z[ws.active[i]] += dot(run.inverse_row(i), ws.gathered.data(), count);
    all_w(run);
  }
}

void solve_set(Run& run) {
  DantzigWorkspace& ws = run.ws;
  for (int i = 0; i < run.n; ++i)
    ws.z[i] = run.is_inside(i) ? 0 : ws.at_upper[i] ? ws.upper[i] : ws.lower[i] > -infinity ? ws.lower[i] : 0;
  solve_inside(run, 2);
}

void solve_afresh(Run& run) {
  DantzigWorkspace& ws = run.ws;
  solve_set(run);
  const int k = run.inside;
  if (k == 0) return;
  if (!factor(run)) return;
  double last = infinity;
  for (int correction = 0; correction < 4; ++correction) {
    double worst = 0;
    for (int r = 0; r < padded(k); ++r) {
      ws.gathered[r] = r < k ? -ws.w[ws.active[r]] : 0;
      worst = std::max(worst, std::abs(ws.gathered[r]));
    }
    if (!(worst > 1e-15) || !(worst < 0.5 * last)) return;
    last = worst;
    ws.lu.solve(ws.gathered.data());
    for (int r = 0; r < k; ++r) ws.z[ws.active[r]] += ws.gathered[r];
    all_w(run);
  }
}

}  // namespace linchpin::dantzig_detail

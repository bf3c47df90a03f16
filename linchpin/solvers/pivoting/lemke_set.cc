#include "linchpin/solvers/pivoting/lemke_set.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "linchpin/algebra/tile.h"
#include "linchpin/solvers/pivoting/lemke_registers.h"
#include "linchpin/solvers/pivoting/lemke_units.h"

namespace linchpin::lemke_detail {
namespace {

constexpr double lawful = 2e-13;  // a law violated by less is rounding: far below any tolerance of residual.h

// The residual of (5) that needs no correction. For larger sets another correction costs little in comparison.
double good_enough(const Run& run) { return run.rows > 64 ? 0 : exact; }

double worst_active_w(const Run& run, int count) {
  double worst = 0;
  for (int k = 0; k < count; ++k) {
    const double w = std::abs(run.ws.w[run.ws.active_rows[k]]);
    worst = w > worst || std::isnan(w) ? w : worst;
  }
  return worst;
}

// Sets z outside of a to its bounds, and w accordingly.
void set_inactive(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < run.rows; i += lanes) {
    at(ws.x.data() + i) = Lanes{};
    at(ws.w.data() + i) = at(ws.q.data() + i);
  }
  if (!run.bounded) return;
  for (int p = 0; p < run.pairs; ++p)
    if (ws.flipped[p] && !ws.basic[p]) ws.x[p] = ws.height[p];
  all_w(run);
}

// Computes x and w of the set a by (5). False if M_aa is singular: it has no pivot above `smallest`.
bool solve_active(Run& run, double smallest) {
  LemkeWorkspace& ws = run.ws;
  const int count = gather_active(run);
  set_inactive(run);
  if (count == 0) return true;
  const Elimination e = gather_block(run, count);
  if (!eliminate(e, smallest)) return false;
  double *b = ws.solved.data(), last = infinity;
  for (int k = 0; k < e.stride; ++k) b[k] = k < count ? e.rows[std::size_t(k) * e.stride + count] : 0;
  for (int correction = 0; correction < 4; ++correction) {
    for (int k = 0; k < count; ++k) ws.x[ws.active[e.pivot[k]]] += b[k];
    all_w(run);
    const double worst = worst_active_w(run, count);
    if (!(worst > good_enough(run)) || !(worst < 0.25 * last)) break;  // or no better any more
    last = worst;
    for (int k = 0; k < count; ++k) b[k] = -ws.w[ws.active_rows[k]];
    repeat(e, b);
  }
  return true;
}

// The largest violation of a law by x and w, relative to the rounding error: up to 1 is lawful.
double broken_laws(const Run& run) {
  const LemkeWorkspace& ws = run.ws;
  const double *x = ws.x.data(), *w = ws.w.data(), *basic = ws.basic.data();
  Lanes worst = {}, most = {};
  for (int i = 0; i < run.rows; i += lanes) {
    const Lanes not_x = -at(x + i), not_w = -at(w + i), size = absolute(not_w);
    const Lanes of_basic = not_x > size ? not_x : size;
    keep_larger(most, absolute(not_x));
    if (!run.bounded && (run.frees == 0 || i + lanes <= run.pairs)) {
      keep_larger(worst, at(basic + i) != 0 ? of_basic : not_w);
      continue;
    }
    for (int k = i; k < std::min(i + lanes, run.rows); ++k) {  // not only plain pairs
      double broken = std::abs(w[k]);
      if (k < run.pairs)
        broken = basic[k] != 0 ? std::max({-x[k], x[k] - ws.height[k], broken}) : ws.flipped[k] ? w[k] : -w[k];
      worst[k - i] = worst[k - i] >= broken ? worst[k - i] : broken;
    }
  }
  return largest(worst) / (lawful + 2e-15 * largest(most));
}

// Corrects the set: every row that violates its law changes sides [Kostreva 1978 changes one]. False if there is none.
bool correct_set(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  bool changed = false;
  for (int p = 0; p < run.pairs; ++p) {
    const bool was = ws.basic[p] != 0,
               upper = run.bounded && (was ? ws.x[p] > ws.height[p] : ws.flipped[p] && ws.w[p] < 0);
    const bool is = was ? ws.x[p] >= 0 && !upper : run.bounded && ws.flipped[p] ? ws.w[p] > 0 : ws.w[p] < 0;
    changed |= is != was;
    ws.basic[p] = is;
    ws.flipped[p] = upper;
  }
  return changed;
}

}  // namespace

void all_w(const Run& run) {
  const double *x = run.ws.x.data(), *q = run.ws.q.data();
  for (int i = 0; i < run.rows; i += lanes) {
    Double8 a[lanes] = {};
    for (int j = 0; j < run.rows; j += lanes)
#pragma GCC unroll 8
      for (int k = 0; k < lanes; ++k) add_product(a[k].v, at(x + j), at(run.row(i + k) + j));
    at(run.ws.w.data() + i) = sums(a).v + at(q + i);
  }
}

int gather_active(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  int count = 0, rows = 0;
  for (int i = 0; i < run.rows; i += lanes)
    for (unsigned set = bits(at(ws.basic.data() + i) != 0); set != 0; set &= set - 1)
      ws.active[count++] = i + std::countr_zero(set);
  for (int k = 0; k < count && ws.active[k] < run.pairs; ++k) ws.active_rows[rows++] = ws.active[k];
  for (int k = 0; k < run.frees; ++k)
    if (ws.kept_row[k]) ws.active_rows[rows++] = run.pairs + k;
  return count;
}

Elimination gather_block(const Run& run, int count) {
  LemkeWorkspace& ws = run.ws;
  const int stride = padded(count + 1);
  const Elimination e{ws.factor.data(), ws.tableau.data(), ws.pivots.data(), count, stride};
  for (int k = 0; k < count; ++k) {
    const double* from = run.row(ws.active_rows[k]);
    double* to = e.rows + std::size_t(k) * stride;
    int done = 0;
    for (int j = 0; j < run.rows; j += lanes)
      done += compress(to + done, at(from + j), bits(at(ws.basic.data() + j) != 0));
    to[count] = -ws.w[ws.active_rows[k]];
    for (int j = count + 1; j < stride; ++j) to[j] = 0;
  }
  return e;
}

bool is_solution(Run& run) {
  const double broken = broken_laws(run);
  if (broken < run.least_broken) {
    run.least_broken = broken;
    write_solution(run, {run.ws.best.data(), std::size_t(run.n)});
  }
  return broken <= 1;
}

bool tableau_is_exact(Run& run) {
  if (run.frees > 0) return false;
  for (int i = run.rows; i < padded(run.rows); ++i) run.ws.x[i] = 0;
  all_w(run);
  const double limit = good_enough(run);
  unsigned broken = 0;
  for (int i = 0; i < run.rows; i += lanes)
    broken |= bits((at(run.ws.basic.data() + i) != 0) & ~(absolute(at(run.ws.w.data() + i)) <= limit));
  return broken == 0;
}

bool settle(Run& run, double smallest) {
  for (int corrections = 0; corrections < 4; ++corrections) {
    if (!solve_active(run, smallest)) return false;
    if (is_solution(run)) return true;
    if (!correct_set(run)) return false;
  }
  return false;
}

}  // namespace linchpin::lemke_detail

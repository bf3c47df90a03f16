#include "linchpin/solvers/pivoting/lemke_start.h"

#include <algorithm>
#include <cmath>

#include "linchpin/solvers/pivoting/lemke_ray.h"
#include "linchpin/solvers/pivoting/lemke_registers.h"
#include "linchpin/solvers/pivoting/lemke_tableau.h"

namespace linchpin::lemke_detail {
namespace {

// The largest pivot among free rows and columns not yet taken; diagonal ones are preferred, so that in a symmetric M
// the redundant rows and columns are the same. False if there is none.
bool find_free_pivot(const Run& run, int& r, int& c) {
  const LemkeWorkspace& ws = run.ws;
  double most = dependent;
  r = -1;
  for (int k = 0; k < run.frees; ++k) {
    if (ws.taken_column[k]) continue;
    const double* column = run.column(run.free_column(k)) + run.pairs;
    for (int i = 0; i < run.frees; ++i) {
      const double size = std::abs(column[i]) * (i == k ? 8 : 1);
      if (!ws.taken_row[i] && size > most) most = size, r = i, c = k;
    }
  }
  return r >= 0;
}

// For free row r without a free pivot: the free column c and the pair p through which both can be exchanged, p's z for
// r's w and c's z for p's w. `coupled`: row r is not zero.
bool find_pair_pivot(const Run& run, int r, int& c, int& p, bool& coupled) {
  const LemkeWorkspace& ws = run.ws;
  double most = dependent;
  p = -1;
  coupled = false;
  for (int k = 0; k < run.frees; ++k) {
    if (ws.taken_column[k]) continue;
    for (int j = 0; j < run.pairs; ++j) {
      const double here = std::abs(run.column(j)[run.pairs + r]), there = std::abs(run.column(run.free_column(k))[j]);
      coupled |= here > dependent;
      if (ws.place[2 * j] == j && ws.place[2 * j + 1] == ~j && std::min(here, there) > most)
        most = std::min(here, there), c = k, p = j;
    }
  }
  return p >= 0;
}

// Pivots all free z in and their w out, largest pivot first. A row without a pivot is exchanged together with a pair
// (whose z becomes basic too) or is redundant: it says 0 = 0, and a z stays 0. False if it says 0 = 1: see `ray`.
bool eliminate_free(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int frees = run.frees;
  std::fill_n(ws.taken_row.begin(), frees, 0);
  std::fill_n(ws.taken_column.begin(), frees, 0);
  std::fill_n(ws.kept_row.begin(), frees, 1);
  std::fill_n(ws.basic.begin() + run.pairs, frees, 1);
  int r, c, p;
  while (find_free_pivot(run, r, c)) {
    pivot_with_free_rows(run, run.pairs + r, run.free_column(c));
    ws.taken_row[r] = ws.taken_column[c] = 1;
  }
  for (r = 0; r < frees; ++r) {
    if (ws.taken_row[r]) continue;
    bool coupled;
    if (find_pair_pivot(run, r, c, p, coupled)) {
      pivot_with_free_rows(run, run.pairs + r, p);
      pivot_with_free_rows(run, p, run.free_column(c));
      swap_rows(run, run.pairs + r, p);  // the pair's z belongs among the pairs
      swap_columns(run, run.free_column(c), p);
    } else {
      if (coupled || std::abs(run.column(run.b())[run.pairs + r]) > dependent) {
        propose_row(run, run.pairs + r);
        return false;
      }
      c = r;
      for (int k = 0; k < frees && ws.taken_column[c]; ++k) c = k;
      ws.kept_row[r] = ws.basic[run.pairs + c] = 0;
    }
    ws.taken_row[r] = ws.taken_column[c] = 1;
  }
  // From here on only the pairs' rows are updated; free rows in the same register must not block.
  for (int i = run.pairs; i < padded(run.pairs); ++i)
    for (int j = 0; j < run.pairs + 2; ++j) run.column(j)[i] = 0;
  return true;
}

// The entry of the pair with w in row i and z in column j.
bool not_yet_basic(const Run& run, int p, int& i, int& j) {
  i = ~run.ws.place[2 * p + 1];
  j = run.ws.place[2 * p];
  return i >= 0 && j >= 0;
}

// One step of make_basic(): a pair with a good diagonal, or two with good couplings both ways (a sliding speed and its
// friction force have no diagonals). False if all remaining pairs depend on basic ones.
bool make_one_basic(Run& run) {
  LemkeWorkspace& ws = run.ws;
  constexpr double good = 1e-2;  // a diagonal this large is taken without looking for two at once
  double most = 0;
  int best = -1, r = 0, s = 0;
  for (int p = 0; p < run.pairs; ++p) {
    int i, j;
    if (!ws.basic[p] || !not_yet_basic(run, p, i, j)) continue;
    const double diagonal = std::abs(run.column(j)[i]);
    if (diagonal > most) most = diagonal, best = p, r = i, s = j;
  }
  if (most > good) return pivot(run, r, s), true;
  int r2 = 0, s2 = 0, first = -1;
  double most2 = std::max(10 * most, dependent);
  for (int p = 0; p < run.pairs; ++p) {
    int i, j, k, l;
    if (!ws.basic[p] || !not_yet_basic(run, p, i, j)) continue;
    for (int o = p + 1; o < run.pairs; ++o) {
      if (!ws.basic[o] || !not_yet_basic(run, o, k, l)) continue;
      const double both = std::min(std::abs(run.column(l)[i]), std::abs(run.column(j)[k]));
      if (both > most2) most2 = both, first = p, r = i, s = l, r2 = k, s2 = j;
    }
  }
  if (first >= 0) return pivot(run, r, s), pivot(run, r2, s2), true;
  if (best >= 0 && most > dependent) return pivot(run, r, s), true;
  return false;
}

// Makes the z of all pairs in `basic` basic; those that depend on the others are removed from it.
void make_basic(Run& run) {
  while (make_one_basic(run)) {
  }
  for (int p = 0; p < run.pairs; ++p) run.ws.basic[p] = run.ws.place[2 * p] < 0;
}

// A basic z outside its box goes back to the bound that it broke: z0 cannot hold a variable within two bounds. False if
// it cannot be exchanged.
bool return_to_boxes(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const double* b = run.column(run.b());
  for (int round = 0; round < run.pairs; ++round) {
    int r = -1;
    double worst = tie;
    for (int i = 0; i < run.pairs; ++i) {
      if (ws.row_height[i] == infinity) continue;
      const double broken = std::max(-b[i], b[i] - ws.row_height[i]);
      if (broken > worst) worst = broken, r = i;
    }
    if (r < 0) return true;
    const int p = ws.row_variable[r] / 2, s = ws.place[2 * p + 1];
    if (s < 0 || std::abs(run.column(s)[r]) < dependent) return false;
    const bool above = b[r] > 0;
    pivot(run, r, s);
    if (above) flip(run, p);
    ws.basic[p] = 0;
  }
  return false;
}

}  // namespace

bool make_tableau(Run& run, bool from_set) {
  LemkeWorkspace& ws = run.ws;
  load_tableau(run);
  if (run.frees > 0 && !eliminate_free(run)) return false;
  if (!from_set) return true;
  for (int p = 0; p < run.pairs; ++p) {
    const bool at_upper = ws.flipped[p] && !ws.basic[p];
    ws.flipped[p] = 0;
    if (at_upper) flip(run, p);
  }
  make_basic(run);
  if (run.bounded && !return_to_boxes(run)) {  // then from the empty set
    load_tableau(run);
    if (run.frees > 0) eliminate_free(run);
    std::fill_n(ws.flipped.begin(), run.pairs, 0);
  }
  return true;
}

void cover(Run& run, int attempt) {
  double* d = run.column(run.spare());
  if (attempt <= 0 && !run.bounded) {
    std::fill_n(d, run.pairs, 1.0);
    return;
  }
  for (int i = 0; i < run.pairs; ++i) {
    const double share = 0.6180339887498949 * std::max(attempt, 0) * (i + 1);
    d[i] = run.bounded && run.ws.row_height[i] < infinity ? 0 : 1 + (share - std::floor(share));
  }
}

}  // namespace linchpin::lemke_detail

// Shared by all parts of Lemke's method: the state of one run, and its tolerances. For lemke_*.cc only.
//
// M, q and z are scaled, in the order pairs, then free rows, unless a comment says that they are the problem's own. A
// pair is the z and w of a nonnegative or box row; a variable is one number of a pair:
//     z of pair p: 2p,   w of pair p: 2p + 1,   z0: 2 pairs,   then z and w of the free rows.
// Columns of the tableau: one per pair, then the spare one (z0 first, afterwards the variable that left last), then b,
// then one per free row. Everything is padded to whole registers with zeros, which never block.
//
// Numbers (1) to (5) are those of lemke.h. The parts, in the order in which a run comes to them:
//     lemke_units       the problem in the solver's order and units, and back
//     lemke_set         (5): the solution of a set
//     lemke_tableau     (3), (4): the tableau; lemke_pivot.h its arithmetic
//     lemke_start       the tableau of a set, from which a walk starts
//     lemke_leaving     (2): the leaving variable
//     lemke_walk        (2): from basis to basis
//     lemke_ray         proofs that there is no solution
// lemke.cc calls them.
#pragma once

#include "linchpin/base/infinity.h"
#include "linchpin/solvers/pivoting/lemke.h"

namespace linchpin::lemke_detail {

// In units in which the diagonal of M and the largest |q_i| are about 1:
inline constexpr double smallest_pivot = 1e-10;  // smaller pivots are rounding errors of 0 after some dozen pivots
inline constexpr double tie = 1e-12;       // b this near 0 is 0, and bounds may be passed by this much: rounding errors
inline constexpr double dependent = 1e-9;  // smaller pivots of a guessed set or of free rows: redundant rows
inline constexpr double singular = 1e-13;  // smaller pivots of the set at the end of a path: rounding only
inline constexpr double exact = 1e-14;     // a residual of (5) below this needs no refinement

struct Run {
  const Problem& problem;
  LemkeWorkspace& ws;
  const double* M = nullptr;  // the problem's own, dense
  int n = 0;                  // the number of its rows
  int pairs = 0, frees = 0;
  int rows = 0;          // pairs + frees
  int stride = 0;        // from row to row of `matrix`, and from column to column of the tableau
  double unit = 1;       // of q
  bool in_order = true;  // a plain LCP: no permutation, no reference, no sign
  bool bounded = false;  // some pair has an upper bound
  int pivots = 0, limit = 0;
  double least_broken = infinity;  // the violation of the solution in `best`

  int spare() const { return pairs; }
  int b() const { return pairs + 1; }
  int free_column(int k) const { return pairs + 2 + k; }
  int z0() const { return 2 * pairs; }
  double* column(int s) const { return ws.tableau.data() + std::size_t(s) * std::size_t(stride); }
  double* row(int i) const { return ws.matrix.data() + std::size_t(i) * std::size_t(stride); }
};

}  // namespace linchpin::lemke_detail

// What all parts of Lemke's method share: one run of it, and how small is nothing. For lemke_*.cc alone.
//
// M, q and z are scaled, in the order pairs, then free rows; what is the problem's own says so. A pair is the z and w
// of a nonnegative or box row, a variable is one number of a pair:
//     z of pair p: 2p,   w of pair p: 2p + 1,   z0: 2 pairs,   then z and w of the free rows.
// Columns of the tableau: one per pair, then the spare one (z0 first, afterwards whoever left last), then b, then one
// per free row. Everything is padded to whole registers with zeros, which neither block nor count.
//
// Numbers (1) to (5) are those of lemke.h. The parts, in the order in which a run comes to them:
//     lemke_units       the problem in the solver's order and units, and back
//     lemke_set         (5): the solution of a set
//     lemke_tableau     (3), (4): the tableau; lemke_pivot.h its numbers
//     lemke_start       the tableau of a set, from which a walk begins
//     lemke_leaving     (2): who leaves first
//     lemke_walk        (2): from basis to basis
//     lemke_ray         proofs that there is no solution
// and lemke.cc, which calls them.
#pragma once

#include <limits>

#include "linchpin/solvers/pivoting/lemke.h"

namespace linchpin::lemke_detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// In units in which the diagonal of M and the largest |q_i| are about 1:
inline constexpr double smallest_pivot = 1e-10;  // less is what rounding leaves of 0 after some dozen pivots
inline constexpr double tie = 1e-12;       // b this near 0 is 0, bounds may be passed by that much: rounding, as before
inline constexpr double dependent = 1e-9;  // a pivot of a guessed or free block below this: rows that repeat others
inline constexpr double singular = 1e-13;  // and for a set where a path ended: nothing but rounding
inline constexpr double exact = 1e-14;     // a residual of (5) below this needs no refinement

struct Run {
  const Problem& problem;
  LemkeWorkspace& ws;
  const double* M = nullptr;  // the problem's own, dense
  int n = 0;                  // its rows
  int pairs = 0, frees = 0;
  int rows = 0;          // pairs + frees
  int stride = 0;        // from row to row of `matrix`, and from column to column of the tableau
  double unit = 1;       // of q
  bool in_order = true;  // no permutation, no reference, no sign: the plain LCP
  bool bounded = false;  // some pair has an upper bound
  int pivots = 0, limit = 0;
  double least_broken = infinity;  // by the solution in `best`

  int spare() const { return pairs; }
  int b() const { return pairs + 1; }
  int free_column(int k) const { return pairs + 2 + k; }
  int z0() const { return 2 * pairs; }
  double* column(int s) const { return ws.tableau.data() + std::size_t(s) * std::size_t(stride); }
  double* row(int i) const { return ws.matrix.data() + std::size_t(i) * std::size_t(stride); }
};

}  // namespace linchpin::lemke_detail

// (3) and (4): the tableau x_B = b + T x_N and its exchanges. For lemke_*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// w basic everywhere.
void load_tableau(Run& run);

// Exchanges the variables of row r and column s by (4), among the pairs' rows and columns, z0 and b: all that a walk
// needs.
void pivot(Run& run, int r, int s);
// The same among all rows and columns, those of free rows too.
void pivot_with_free_rows(Run& run, int r, int s);

// Counts pair p from its other bound: z <- height - z, w <- -w.
void flip(Run& run, int p);

// They change places, with their variables.
void swap_rows(Run& run, int i, int k);
void swap_columns(Run& run, int s, int t);

// The set that the tableau is of, into `basic` and `flipped`, and x as it has it.
void read_tableau(Run& run);

}  // namespace linchpin::lemke_detail

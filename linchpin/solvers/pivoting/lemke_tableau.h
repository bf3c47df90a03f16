// (3) and (4): the tableau x_B = b + T x_N and its exchanges. For lemke_*.cc only.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// The tableau with all w basic.
void load_tableau(Run& run);

// Exchanges the variables of row r and column s by (4), among the pairs' rows and columns, z0 and b: all that a walk
// needs.
void pivot(Run& run, int r, int s);
// The same among all rows and columns, including those of free rows.
void pivot_with_free_rows(Run& run, int r, int s);

// Measures pair p from its other bound: z <- height - z, w <- -w.
void flip(Run& run, int p);

// Exchange rows or columns together with their variables.
void swap_rows(Run& run, int i, int k);
void swap_columns(Run& run, int s, int t);

// Reads the set of the tableau into `basic` and `flipped`, and its x.
void read_tableau(Run& run);

}  // namespace linchpin::lemke_detail

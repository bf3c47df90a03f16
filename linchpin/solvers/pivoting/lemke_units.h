// The problem in the solver's own order and units, and the solution back. For lemke_*.cc only.
//
// Order: pairs first, then free rows. Units: z_i in c_i and w_i in 1 / r_i, powers of two, so that nothing is rounded:
//     M_ij <- r_i M_ij c_j,    q_i <- r_i q_i / unit,    c = r where the diagonal will do (docs/lemke.md, Units)
// with q taken at the z from which each row is measured: 0, or a bound of its box.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// Enlarges the workspace to the size of the problem.
void make_room(Run& run);
// Order, signs, heights of boxes. A row whose guess is at the upper bound of its box is measured from there.
void sort_rows(Run& run, bool warm, std::span<const double> z);
// To be called after sort_rows(), in this order. False if a scaled number is outside the range of double.
bool load_matrix(Run& run);
bool load_vectors(Run& run);

// The set of a guess: z > 0, or strictly within its box, is basic.
void guess_set(Run& run, std::span<const double> z);
// Writes x and the set in the problem's own order and units.
void write_solution(const Run& run, std::span<double> z);

}  // namespace linchpin::lemke_detail

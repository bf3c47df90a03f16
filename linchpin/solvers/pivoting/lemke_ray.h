// Proofs that there is no solution, as candidates for certifies_unsolvable() (certificate.h). For lemke_*.cc alone.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// Leaves in `ray`, as a combination of rows, the direction of z along a ray on which `entering` grows without end.
void propose_ray(Run& run, int entering);
// Whether the ray just proposed (still in x) looks like a proof; then other covering vectors need not be tried.
bool ray_looks_like_proof(const Run& run);

// Leaves in `ray` the combination of rows that is row r of the tableau, in which a free row's w is basic:
// w_r - sum of T_rs w_s over the nonbasic w of free rows = b_r + (its z): if no z can make that 0, y proves it.
void propose_row(Run& run, int r);

}  // namespace linchpin::lemke_detail

// Candidates for proofs that there is no solution: certifies_unsolvable() checks them (unsolvable.h). For lemke_*.cc
// only.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// Sets `ray`, a combination of rows, to the direction of z along a ray on which `entering` grows without bound.
void propose_ray(Run& run, int entering);
// Whether the last proposed ray (still in x) looks like a proof, so that no other covering vector has to be tried.
bool ray_looks_like_proof(const Run& run);

// Sets `ray` to the combination of rows that is row r of the tableau, in which the w of a free row is basic:
// w_r - sum of T_rs w_s over the nonbasic w of free rows = b_r + (its z). If no z makes that 0, the combination proves
// that there is no solution.
void propose_row(Run& run, int r);

}  // namespace linchpin::lemke_detail

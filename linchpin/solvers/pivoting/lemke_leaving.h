// (2): who reaches a bound first while the entering variable grows, and of those who tie, who comes first for small
// perturbations of b (lemke.h). For lemke_*.cc alone.
//
// With a the entering column, row i reaches 0 at b_i / -a_i where a_i < 0, and the height h_i of its box, if it has
// one, at (h_i - b_i) / a_i where a_i > 0. All count as first who are at theirs when the first has passed its own by
// `tie` [Harris 1973]. Perturbation j adds e^j times a coefficient to each ratio: whose coefficients are
// lexicographically the smallest leaves.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// The last of those who are first; all stand in `candidates` if they are more than one.
inline constexpr int itself = -1;  // the entering variable, which may have another bound of its own
struct Candidates {
  int count = 0, last = itself;
};
// For column s. `own`: where its variable has another bound itself. Not Bounded: nobody has an upper bound.
template <bool Bounded>
Candidates find_candidates(const Run& run, int s, double own);
extern template Candidates find_candidates<false>(const Run& run, int s, double own);
extern template Candidates find_candidates<true>(const Run& run, int s, double own);

// Of several candidates z0 if it is among them, since that is the end of the path; else the lexicographically first of
// those with no weak pivot.
int first_of_ties(const Run& run, int entering, const Candidates& found);
inline int first_of_candidates(const Run& run, int entering, const Candidates& found) {
  return found.count == 1 ? found.last : first_of_ties(run, entering, found);
}

// The row in which z0 must become basic, that of the smallest b_i / d_i; of equals the last, as its perturbation is the
// smallest. -1: no b is negative.
int worst_row(const Run& run);

}  // namespace linchpin::lemke_detail

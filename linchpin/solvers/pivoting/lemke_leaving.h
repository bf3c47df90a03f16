// (2): the variable that reaches a bound first while the entering variable grows, and the lexicographic rule for ties
// (lemke.h). For lemke_*.cc only.
//
// With a the entering column, row i reaches 0 at b_i / -a_i if a_i < 0, and the height h_i of its box, if it has one,
// at (h_i - b_i) / a_i if a_i > 0. All rows that are at their bound when the first has passed its own by `tie` are
// candidates [Harris 1973]. Perturbation j adds e^j times a coefficient to each ratio: the candidate with the
// lexicographically smallest coefficients leaves.
#pragma once

#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// The number of candidates and the last of them; if there are several, all are listed in `candidates`.
inline constexpr int itself = -1;  // the entering variable, which may reach its own other bound
struct Candidates {
  int count = 0, last = itself;
};
// For column s. `own`: the other bound of its variable. Not Bounded: no variable has an upper bound.
template <bool Bounded>
Candidates find_candidates(const Run& run, int s, double own);
extern template Candidates find_candidates<false>(const Run& run, int s, double own);
extern template Candidates find_candidates<true>(const Run& run, int s, double own);

// Chooses among several candidates: z0 if it is one, since that ends the path; else the lexicographically first of
// those without a weak pivot.
int first_of_ties(const Run& run, int entering, const Candidates& found);
inline int first_of_candidates(const Run& run, int entering, const Candidates& found) {
  return found.count == 1 ? found.last : first_of_ties(run, entering, found);
}

// The row in which z0 must become basic: the smallest b_i / d_i, and of equals the last, whose perturbation is the
// smallest. -1 if no b is negative, `not_finite` if the smallest is -infinity.
inline constexpr int not_finite = -2;
int worst_row(const Run& run);

}  // namespace linchpin::lemke_detail

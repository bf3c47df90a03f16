// Solves A X = B for the small dense A of lemke_set.h by Gauss-Jordan elimination. For lemke_*.cc only.
//
// Step k divides row k by its largest number, in column c_k, and clears column c_k in all other rows; in the end row k
// of the right-hand side is number c_k of X. Rows are in registers, so clearing a whole column costs no more than half
// of it, and no back substitution is needed. The k-th row of `steps` stores the multiples that were subtracted from
// each row, and 1 / pivot in its own place.
#pragma once

namespace linchpin::lemke_detail {

struct Elimination {
  double *rows, *steps;
  int* pivot;  // c_k
  int size, stride;
};

// False if A is singular: a row has no number above `smallest` left. The right-hand side is the last column of `rows`.
bool eliminate(const Elimination& e, double smallest);
// Applies the same steps to another right-hand side, of e.stride numbers.
void repeat(const Elimination& e, double* b);

}  // namespace linchpin::lemke_detail

// A X = B for the small dense A of lemke_set.h, by Gauss and Jordan. For lemke_*.cc alone.
//
// In step k row k is divided by its largest number, in column c_k, and column c_k is cleared in all other rows; in the
// end row k of the right-hand side is X's number c_k. Rows lie in registers, so that clearing a whole column costs no
// more than clearing half of it would, and there is nothing to substitute back. What the steps did is kept: the k-th
// row of `steps` holds what was subtracted from each row, and 1 / pivot in its own place.
#pragma once

namespace linchpin::lemke_detail {

struct Elimination {
  double *rows, *steps;
  int* pivot;  // c_k
  int size, stride;
};

// False if A is singular: some row has no number above `smallest` left. The last column of `rows` is solved for.
bool eliminate(const Elimination& e, double smallest);
// The same steps for another right-hand side, of e.stride numbers.
void repeat(const Elimination& e, double* b);

}  // namespace linchpin::lemke_detail

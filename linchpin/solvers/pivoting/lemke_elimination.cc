#include "linchpin/solvers/pivoting/lemke_elimination.h"

#include <cmath>
#include <cstddef>

#include "linchpin/solvers/pivoting/lemke_registers.h"

namespace linchpin::lemke_detail {
namespace {

// The column of the largest of the first `size` numbers of a row.
LINCHPIN_INLINE int largest_in_row(const double* row, int size, double& most) {
  Lanes top = {};
  const int whole = size / lanes * lanes;
  for (int j = 0; j < whole; j += lanes) keep_larger(top, absolute(at(row + j)));
  if (whole < size) keep_larger(top, absolute(first_of(row + whole, size - whole)));
  most = largest(top);
  for (int j = 0; j < size; j += lanes)
    if (const unsigned set = bits(absolute(at(row + j)) == most)) return j + std::countr_zero(set);
  return 0;  // NaN
}

// False if A is singular. Registers: how many hold a row; 0: as given by e.
template <int Registers>
bool eliminate_rows(const Elimination& e, double smallest) {
  const int stride = Registers > 0 ? Registers * lanes : e.stride;
  int low = 0;  // the first column not yet cleared, as long as all pivots were diagonal
  for (int k = 0; k < e.size; ++k) {
    double *row = e.rows + std::size_t(k) * stride, *step = e.steps + std::size_t(k) * stride, most;
    // A diagonal number that is not small saves the search. Column k is then not yet cleared: row k would have 0 there
    // otherwise.
    int c = k;
    if (!(std::abs(row[k]) > 0.1)) {
      c = largest_in_row(row, e.size, most);
      if (!(most > smallest)) return false;
    }
    e.pivot[k] = c;
    if (c == low) ++low;
    const int begin = Registers > 0 ? 0 : (low - 1) / lanes * lanes;
    const double inverse = 1 / row[c];
    Lanes kept[Registers > 0 ? Registers : 1];
#pragma GCC unroll 8
    for (int j = begin; j < stride; j += lanes) {
      at(row + j) *= inverse;
      if constexpr (Registers > 0) kept[j / lanes] = at(row + j);
    }
    for (int i = 0; i < e.size; ++i) {
      double* other = e.rows + std::size_t(i) * stride;
      const double m = other[c];
      step[i] = m;
      if (i == k) continue;
#pragma GCC unroll 8
      for (int j = begin; j < stride; j += lanes)
        add_product(at(other + j), -m, Registers > 0 ? kept[Registers > 0 ? j / lanes : 0] : at(row + j));
    }
    step[k] = inverse;
  }
  return true;
}

}  // namespace

bool eliminate(const Elimination& e, double smallest) {
  switch (e.stride / lanes) {
    case 1:
      return eliminate_rows<1>(e, smallest);
    case 2:
      return eliminate_rows<2>(e, smallest);
    case 3:
      return eliminate_rows<3>(e, smallest);
    case 4:
      return eliminate_rows<4>(e, smallest);
    default:
      return eliminate_rows<0>(e, smallest);
  }
}

void repeat(const Elimination& e, double* b) {
  for (int k = 0; k < e.size; ++k) {
    const double* step = e.steps + std::size_t(k) * e.stride;
    const double bk = b[k] * step[k];
    for (int j = 0; j < e.stride; j += lanes) add_product(at(b + j), -bk, at(step + j));
    b[k] = bk;
  }
}

}  // namespace linchpin::lemke_detail

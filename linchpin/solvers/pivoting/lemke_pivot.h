// The arithmetic of a pivot, (4), for columns that fit into registers: up to 64 rows. For lemke_*.cc only.
//
// A template, because the walk starts its next ratio test in the middle of a pivot.
#pragma once

#include <algorithm>

#include "linchpin/solvers/pivoting/lemke_registers.h"
#include "linchpin/solvers/pivoting/lemke_run.h"

namespace linchpin::lemke_detail {

// Exchanges the variables of row r and column s by (4). With 1 in place r of column s, and 0 in place r of every other
// column, (4) is the same for all rows: T_ij - T_is / T_rs T_rj. Numbers are written as whole registers only: a single
// number written by itself would stall the next load of its register.
template <int Registers>
LINCHPIN_INLINE void pivot_column(double* column, const Lanes* minus_s, const unsigned* others, double in_row_r) {
  const Lanes t = in_row_r - Lanes{};
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) {
    Lanes a = only(column + k * lanes, others[k]);
    add_product(a, t, minus_s[k]);
    at(column + k * lanes) = a;
  }
}
template <int Registers, class Between>
void pivot_numbers(double* T, std::size_t stride, int columns, int r, int s, int first, Between between) {
  double* column_s = T + std::size_t(s) * stride;
  const double minus_inverse = -1 / column_s[r];
  Lanes minus_s[Registers];  // column s, 1 in place r, divided by -T_rs
  unsigned others[Registers];
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) {
    const unsigned me = r / lanes == k ? 1u << r % lanes : 0;
    others[k] = 0xff & ~me;
    minus_s[k] = chosen(me, 1 - Lanes{}, at(column_s + k * lanes)) * minus_inverse;
  }
  const auto update = [&](int begin, int end) __attribute__((always_inline)) {
    for (int j = begin; j < end; ++j) {
      double* column = T + std::size_t(j) * stride;
      if (Registers < 4 || column[r] != 0) pivot_column<Registers>(column, minus_s, others, column[r]);
    }
  };
  const int last = columns - 1, low = std::min(s, first), high = std::max(s, first);
  update(last, last + 1);
  if (first != s) update(first, first + 1);
  between();
  update(0, low);
  update(low + 1, high);
  update(high + 1, last);
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) at(column_s + k * lanes) = -minus_s[k];
}

// The same for columns that do not fit into the registers. Where column s is 0 nothing changes, so only its nonzero
// registers, listed in `filled`, are used: bodies that do not touch are coupled by zeros.
void pivot_numbers_long(double* T, std::size_t stride, int columns, int registers, int r, int s, int* filled);

// Updates the columns `first`, which is needed soon, and the last one, then calls `between`, then updates the others.
// The processor thus has work while it waits for the results of `between`.
template <class Between>
LINCHPIN_INLINE void pivot_among(Run& run, int rows, int columns, int r, int s, int first, Between between) {
  LemkeWorkspace& ws = run.ws;
  double* T = ws.tableau.data();
  const std::size_t stride = std::size_t(run.stride);
  const int registers = padded(rows) / lanes;
  switch (registers) {
    case 1:
      pivot_numbers<1>(T, stride, columns, r, s, first, between);
      break;
    case 2:
      pivot_numbers<2>(T, stride, columns, r, s, first, between);
      break;
    case 3:
      pivot_numbers<3>(T, stride, columns, r, s, first, between);
      break;
    case 4:
      pivot_numbers<4>(T, stride, columns, r, s, first, between);
      break;
    case 5:
      pivot_numbers<5>(T, stride, columns, r, s, first, between);
      break;
    case 6:
      pivot_numbers<6>(T, stride, columns, r, s, first, between);
      break;
    case 7:
      pivot_numbers<7>(T, stride, columns, r, s, first, between);
      break;
    case 8:
      pivot_numbers<8>(T, stride, columns, r, s, first, between);
      break;
    default:
      pivot_numbers_long(T, stride, columns, registers, r, s, ws.candidates.data());
      between();
  }
  std::swap(ws.row_variable[r], ws.column_variable[s]);
  ws.place[ws.row_variable[r]] = ~r;
  ws.place[ws.column_variable[s]] = s;
  ++run.pivots;
}

// A pivot among the pairs' rows and columns, z0 and b: all that the walk needs.
template <class Between>
void pivot(Run& run, int r, int s, int first, Between between) {
  pivot_among(run, run.pairs, run.pairs + 2, r, s, first, between);
  if (run.bounded) {
    const int v = run.ws.row_variable[r];
    run.ws.row_height[r] = v < run.z0() && v % 2 == 0 ? run.ws.height[v / 2] : infinity;
  }
}

}  // namespace linchpin::lemke_detail

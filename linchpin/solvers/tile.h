// C - A' B for a tile of C that stays in registers: what dense and sparse factors spend their time on. For this room's
// own kernel files.
#pragma once

#include <cstddef>

#include "linchpin/spatial/pack.h"

namespace linchpin {

// A matrix of which rows are `stride` numbers apart.
struct ConstRows {
  const double* at;
  std::size_t stride;
  const double* row(int i) const { return at + std::size_t(i) * stride; }
};
struct Rows {
  double* at;
  std::size_t stride;
  double* row(int i) const { return at + std::size_t(i) * stride; }
  operator ConstRows() const { return {at, stride}; }
};

// x = A' B for rows [r, r + rows) and columns [c, c + 8 registers): A and B have `depth` rows.
template <int rows, int registers>
LINCHPIN_INLINE void product_tile(ConstRows A, int r, ConstRows B, int c, int depth, Double8 (&x)[rows][registers]) {
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j] = Double8(0.0);
  const double *a = A.at + r, *b = B.at + c;
  for (int k = 0; k < depth; ++k, a += A.stride, b += B.stride) {
    Double8 y[registers];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) y[j] = Double8::load(b + 8 * j);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j) x[i][j] = fma(Double8(a[i]), y[j], x[i][j]);
  }
}

template <int rows, int registers>
LINCHPIN_INLINE void subtract_tile(ConstRows A, int r, ConstRows B, int c, int depth, ConstRows C, Rows out) {
  Double8 x[rows][registers];
  product_tile<rows, registers>(A, r, B, c, depth, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j)
      (Double8::load(C.row(r + i) + c + 8 * j) - x[i][j]).store(out.row(r + i) + c + 8 * j);
}

template <int rows>
inline void subtract_rows(ConstRows A, int r, ConstRows B, int columns, int depth, ConstRows C, Rows out) {
  int c = 0;
  for (; c + 24 <= columns; c += 24) subtract_tile<rows, 3>(A, r, B, c, depth, C, out);
  if (c + 16 <= columns) subtract_tile<rows, 2>(A, r, B, c, depth, C, out), c += 16;
  if (c < columns) subtract_tile<rows, 1>(A, r, B, c, depth, C, out);
}

// out = C - A' B; columns a multiple of 8, A and B of `depth` rows. C may be out.
inline void subtract_product(ConstRows A, ConstRows B, int rows, int columns, int depth, ConstRows C, Rows out) {
  int r = 0;
  for (; r + 8 <= rows; r += 8) subtract_rows<8>(A, r, B, columns, depth, C, out);
  if (r + 4 <= rows) subtract_rows<4>(A, r, B, columns, depth, C, out), r += 4;
  if (r + 2 <= rows) subtract_rows<2>(A, r, B, columns, depth, C, out), r += 2;
  if (r < rows) subtract_rows<1>(A, r, B, columns, depth, C, out);
}

}  // namespace linchpin

// C - A' B for a tile of C that stays in registers: what dense and sparse factors spend their time on. Transposes and
// sums of eight registers. For this room's own kernel files.
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
struct TileRows {
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
LINCHPIN_INLINE void subtract_tile(ConstRows A, int r, ConstRows B, int c, int depth, ConstRows C, TileRows out) {
  Double8 x[rows][registers];
  product_tile<rows, registers>(A, r, B, c, depth, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j)
      (Double8::load(C.row(r + i) + c + 8 * j) - x[i][j]).store(out.row(r + i) + c + 8 * j);
}

template <int rows>
inline void subtract_rows(ConstRows A, int r, ConstRows B, int columns, int depth, ConstRows C, TileRows out) {
  int c = 0;
  for (; c + 24 <= columns; c += 24) subtract_tile<rows, 3>(A, r, B, c, depth, C, out);
  if (c + 16 <= columns) subtract_tile<rows, 2>(A, r, B, c, depth, C, out), c += 16;
  if (c < columns) subtract_tile<rows, 1>(A, r, B, c, depth, C, out);
}

// out = C - A' B; columns a multiple of 8, A and B of `depth` rows. C may be out.
inline void subtract_product(ConstRows A, ConstRows B, int rows, int columns, int depth, ConstRows C, TileRows out) {
  int r = 0;
  for (; r + 8 <= rows; r += 8) subtract_rows<8>(A, r, B, columns, depth, C, out);
  if (r + 4 <= rows) subtract_rows<4>(A, r, B, columns, depth, C, out), r += 4;
  if (r + 2 <= rows) subtract_rows<2>(A, r, B, columns, depth, C, out), r += 2;
  if (r < rows) subtract_rows<1>(A, r, B, columns, depth, C, out);
}

// Neighbours among eight registers x: x[i] and x[i + 1], lane by lane in turn, even lanes and odd ones of each pair.
struct Interleaved {
  Double8 even, odd;
};
LINCHPIN_INLINE Interleaved interleave1(const Double8& a, const Double8& b) {
  return {__builtin_shufflevector(a.v, b.v, 0, 8, 2, 10, 4, 12, 6, 14),
          __builtin_shufflevector(a.v, b.v, 1, 9, 3, 11, 5, 13, 7, 15)};
}
LINCHPIN_INLINE Interleaved interleave2(const Double8& a, const Double8& b) {
  return {__builtin_shufflevector(a.v, b.v, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(a.v, b.v, 2, 3, 10, 11, 6, 7, 14, 15)};
}
LINCHPIN_INLINE Interleaved interleave4(const Double8& a, const Double8& b) {
  return {__builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 8, 9, 10, 11),
          __builtin_shufflevector(a.v, b.v, 4, 5, 6, 7, 12, 13, 14, 15)};
}

// Lane i: the sum of x[i]'s lanes.
LINCHPIN_INLINE Double8 sums(const Double8 (&x)[8]) {
  const auto add = [](const Interleaved& p) { return p.even + p.odd; };
  const Double8 x01 = add(interleave1(x[0], x[1])), x23 = add(interleave1(x[2], x[3]));
  const Double8 x45 = add(interleave1(x[4], x[5])), x67 = add(interleave1(x[6], x[7]));
  return add(interleave4(add(interleave2(x01, x23)), add(interleave2(x45, x67))));
}

// x[i] lane j becomes x[j] lane i.
LINCHPIN_INLINE void transpose(Double8 (&x)[8]) {
  const auto each_pair = [&x](int distance, auto interleave) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      if (i & distance) continue;
      const Interleaved pair = interleave(x[i], x[i + distance]);
      x[i] = pair.even;
      x[i + distance] = pair.odd;
    }
  };
  each_pair(1, [](const Double8& a, const Double8& b) { return interleave1(a, b); });
  each_pair(2, [](const Double8& a, const Double8& b) { return interleave2(a, b); });
  each_pair(4, [](const Double8& a, const Double8& b) { return interleave4(a, b); });
}

// `to` becomes the transpose of `rows` rows and `columns` columns: `columns` rows of padded(rows) numbers, zeros at the
// end. `from` has padded(columns) numbers in a row.
inline void transpose(ConstRows from, int rows, int columns, TileRows to) {
  for (int r = 0; r < rows; r += 8)
    for (int c = 0; c < columns; c += 8) {
      Double8 x[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) x[i] = r + i < rows ? Double8::load(from.row(r + i) + c) : Double8(0.0);
      transpose(x);
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i)
        if (c + i < columns) x[i].store(to.row(c + i) + r);
    }
}

}  // namespace linchpin

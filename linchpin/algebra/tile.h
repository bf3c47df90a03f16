// C - A' B for a tile of C that stays in registers: dense and sparse factorisations spend their time here. Also
// transposes and sums of registers. For kernel files only.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "linchpin/spatial/pack.h"

namespace linchpin {

// A whole register of numbers: eight double or sixteen float.
template <class S>
using Wide = Pack<S, int(64 / sizeof(S))>;
template <class S>
inline constexpr int lanes_of = int(64 / sizeof(S));

// A matrix whose rows are `stride` numbers apart.
template <class S>
struct ConstRowsOf {
  const S* at;
  std::size_t stride;
  const S* row(int i) const { return at + std::size_t(i) * stride; }
};
template <class S>
struct TileRowsOf {
  S* at;
  std::size_t stride;
  S* row(int i) const { return at + std::size_t(i) * stride; }
  operator ConstRowsOf<S>() const { return {at, stride}; }
};
using ConstRows = ConstRowsOf<double>;
using TileRows = TileRowsOf<double>;

// x = A' B for rows [r, r + rows) and columns [c, c + registers' width): A and B have `depth` rows.
template <class S, int rows, int registers>
LINCHPIN_INLINE void product_tile(ConstRowsOf<S> A, int r, ConstRowsOf<S> B, int c, int depth,
                                  Wide<S> (&x)[rows][registers]) {
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) x[i][j] = Wide<S>(S(0));
  const S *a = A.at + r, *b = B.at + c;
  for (int k = 0; k < depth; ++k, a += A.stride, b += B.stride) {
    Wide<S> y[registers];
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) y[j] = Wide<S>::load(b + lanes_of<S> * j);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < registers; ++j) x[i][j] = fma(Wide<S>(a[i]), y[j], x[i][j]);
  }
}

template <class S, int rows, int registers>
LINCHPIN_INLINE void subtract_tile(ConstRowsOf<S> A, int r, ConstRowsOf<S> B, int c, int depth, ConstRowsOf<S> C,
                                   TileRowsOf<S> out) {
  Wide<S> x[rows][registers];
  product_tile<S, rows, registers>(A, r, B, c, depth, x);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < registers; ++j) {
      const int at = c + lanes_of<S> * j;
      (Wide<S>::load(C.row(r + i) + at) - x[i][j]).store(out.row(r + i) + at);
    }
}

// Calls tile(c, Count<n>()) for the columns [0, columns): three registers at a time, then two or one for the rest.
template <int n>
struct Count {
  static constexpr int value = n;
};
template <class S, class Tile>
LINCHPIN_INLINE void for_tiles_of(int columns, const Tile& tile) {
  constexpr int width = lanes_of<S>;
  int c = 0;
  for (; c + 3 * width <= columns; c += 3 * width) tile(c, Count<3>());
  if (c + 2 * width <= columns) tile(c, Count<2>()), c += 2 * width;
  if (c < columns) tile(c, Count<1>());
}
// The same for rows: eight at a time, then four, two and one.
template <class Tile>
LINCHPIN_INLINE void for_rows_of(int rows, const Tile& tile) {
  int r = 0;
  for (; r + 8 <= rows; r += 8) tile(r, Count<8>());
  if (r + 4 <= rows) tile(r, Count<4>()), r += 4;
  if (r + 2 <= rows) tile(r, Count<2>()), r += 2;
  if (r < rows) tile(r, Count<1>());
}

template <class S, int rows>
inline void subtract_rows(ConstRowsOf<S> A, int r, ConstRowsOf<S> B, int columns, int depth, ConstRowsOf<S> C,
                          TileRowsOf<S> out) {
  for_tiles_of<S>(columns,
                  [&](int c, auto registers) { subtract_tile<S, rows, registers.value>(A, r, B, c, depth, C, out); });
}

// out = C - A' B; `columns` is a number of whole registers, A and B have `depth` rows. C may be `out`.
template <class S>
inline void subtract_product(ConstRowsOf<S> A, ConstRowsOf<S> B, int rows, int columns, int depth, ConstRowsOf<S> C,
                             TileRowsOf<S> out) {
  for_rows_of(rows, [&](int r, auto count) { subtract_rows<S, count.value>(A, r, B, columns, depth, C, out); });
}

// Two registers interleaved by groups of 1, 2 or 4 lanes: the even groups of both, and the odd groups of both.
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

// Lane i is the sum of all lanes of x[i].
LINCHPIN_INLINE Double8 sums(const Double8 (&x)[8]) {
  const auto add = [](const Interleaved& p) { return p.even + p.odd; };
  const Double8 x01 = add(interleave1(x[0], x[1])), x23 = add(interleave1(x[2], x[3]));
  const Double8 x45 = add(interleave1(x[4], x[5])), x67 = add(interleave1(x[6], x[7]));
  return add(interleave4(add(interleave2(x01, x23)), add(interleave2(x45, x67))));
}

// Transposes x, as many registers as each has lanes: lane j of x[i] becomes lane i of x[j]. In steps: registers at a
// distance of 1, 2, 4 ... exchange every other lane, pair, group of four ...
template <int distance, class S, int n, std::size_t... i>
LINCHPIN_INLINE void transpose_step(Pack<S, n> (&x)[n], std::index_sequence<i...> lanes) {
  typedef std::conditional_t<sizeof(S) == 8, long long, int> Index;
  typedef Index Lanes __attribute__((vector_size(64)));
  constexpr Lanes even{Index(i & distance ? n + i - distance : i)...};
  constexpr Lanes odd{Index(i & distance ? n + i : i + distance)...};
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) {
    if (k & distance) continue;
    const auto a = x[k].v, b = x[k + distance].v;
    x[k] = Pack<S, n>(__builtin_shuffle(a, b, even));
    x[k + distance] = Pack<S, n>(__builtin_shuffle(a, b, odd));
  }
  if constexpr (2 * distance < n) transpose_step<2 * distance>(x, lanes);
}
template <class S, int n>
LINCHPIN_INLINE void transpose(Pack<S, n> (&x)[n]) {
  transpose_step<1>(x, std::make_index_sequence<std::size_t(n)>());
}

// `to` becomes the transpose of `rows` rows and `columns` columns of `from`: `columns` rows of whole registers, with
// zeros at the end. The rows of `from` are whole registers.
template <class S>
inline void transpose(ConstRowsOf<S> from, int rows, int columns, TileRowsOf<S> to) {
  constexpr int n = lanes_of<S>;
  for (int r = 0; r < rows; r += n)
    for (int c = 0; c < columns; c += n) {
      Wide<S> x[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) x[i] = r + i < rows ? Wide<S>::load(from.row(r + i) + c) : Wide<S>(S(0));
      transpose(x);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i)
        if (c + i < columns) x[i].store(to.row(c + i) + r);
    }
}

}  // namespace linchpin

// The matrix of held_rows.h (4): its memory layout and its elimination. For kernel files only.
#pragma once

#include "linchpin/algebra/rank.h"
#include "linchpin/dynamics/compliance/held_rows.h"

namespace linchpin {

// A has `active` rows of `stride` registers. For one world a register holds row_lanes columns; for a pack of worlds it
// holds one column, and rows are padded to whole tiles. Entries below the diagonal are never read.
template <class T>
constexpr bool one_world = Lanes<T>::worlds == 1;
template <class T>
constexpr int row_lanes = Lanes<T>::joints;
template <class T>
constexpr int tile = one_world<T> ? 1 : 4;  // registers that are updated together
template <class T>
int row_stride(int active) {
  constexpr int step = row_lanes<T> * tile<T>;
  return (active + step - 1) / step * tile<T>;
}
template <class T>
LINCHPIN_INLINE T& element(typename Lanes<T>::Wide* row, int column) {
  return reinterpret_cast<T*>(row)[column];  // the registers of a row are contiguous
}

// LDL' from the first row to the last, and the solution. Each entry is summed in the same order for every T. A row
// counts if its pivot exceeds `least` and the error bound `noise`, which each pivot passes on to later rows
// (algebra/rank.h). S: registers per row, 0 for any number.
template <int S, class T>
__attribute__((noinline)) void eliminate_rows(const HeldPlan<T>& held, HeldWorkspace<T>& ws, T& rank) {
  using Wide = typename Lanes<T>::Wide;
  using Real = typename Plan<T>::Real;
  const int n = held.active, stride = S > 0 ? S : row_stride<T>(n);
  Wide *A = ws.A.data(), *b = ws.b.data(), *noise = ws.noise.data();
  [[maybe_unused]] Wide* l = ws.l.data();
  rank = T(0);
  for (int k = 0; k < n; ++k) {
    Wide* row = A + k * stride;
    const T pivot = element<T>(row, k), off = element<T>(noise, k), least = element<T>(ws.least.data(), k);
    const auto counts = pivot > T(select(off > least, off, least));
    const T D_inverse = select(counts, T(Real(1) / pivot), T(0));
    rank = rank + select(counts, T(1), T(0));
    ws.D_inverse[k] = D_inverse;
    const T b_k = element<T>(b, k);
    ws.x[k] = b_k;
    const Wide scale(D_inverse), from(-b_k), shaky(off);
    if constexpr (one_world<T>) {
#pragma GCC unroll 4
      for (int j = 0; j < stride; ++j) {  // also up to k, which is not read again
        const Wide L = row[j] * scale;
        noise[j] = fma(L * L, shaky, noise[j]);
        b[j] = fma(L, from, b[j]);
      }
      for (int i = k + 1; i < n; ++i) {
        const Wide minus(-(element<T>(row, i) * D_inverse));  // L computed again: cheaper than reading it from memory
        Wide* below = A + i * stride;
#pragma GCC unroll 4
        for (int j = 0; j < stride; ++j) below[j] = fma(minus, row[j], below[j]);  // whole rows: no branch
      }
    } else {
      for (int i = k + 1; i < n; ++i) {
        const T L = row[i] * D_inverse;
        l[i] = -L;
        noise[i] = fma(L * L, off, noise[i]);
        b[i] = fma(L, from, b[i]);
      }
      for (int first = (k + 1) / 4 * 4; first < n; first += 4) {
        const T r0 = row[first], r1 = row[first + 1], r2 = row[first + 2], r3 = row[first + 3];
        const int end = first + 4 < n ? first + 4 : n;
        for (int i = k + 1; i < end; ++i) {
          T* below = A + i * stride + first;
          const T minus = l[i];
          below[0] = fma(minus, r0, below[0]);
          below[1] = fma(minus, r1, below[1]);
          below[2] = fma(minus, r2, below[2]);
          below[3] = fma(minus, r3, below[3]);
        }
      }
    }
  }
  T* x = ws.x.data();
  for (int k = n - 1; k >= 0; --k) {
    x[k] = x[k] * ws.D_inverse[k];
    for (int i = 0; i < k; ++i) x[i] = fnma(element<T>(A + i * stride, k), x[k], x[i]);
  }
}

template <class T>
void eliminate(const HeldPlan<T>& held, HeldWorkspace<T>& ws, T& rank) {
  const int stride = row_stride<T>(held.active);
  if (one_world<T> && stride == 1)
    eliminate_rows<1, T>(held, ws, rank);
  else if (one_world<T> && stride == 2)
    eliminate_rows<2, T>(held, ws, rank);
  else
    eliminate_rows<0, T>(held, ws, rank);
}

}  // namespace linchpin

// Kernels that keep all numbers of one node in registers.
//
// A row is a Double8. In one pass over a node (sizes n of the body, m of the constraint, p of its parent)
//     rows of D   [ D_k0 .. D_k(n-1)  0 ..  f_k ]          rows of W   [ J_b'_k0 ..  0 ..  f_k ]
// Gauss-Jordan elimination turns D into its inverse and the other into [W, D^-1 f]; then
//     rows of S   [ E + J_b W   0 ..  J_b D^-1 f - r ]     rows of Z   [ J_p  0 ..  r - J_b D^-1 f ]
// become S^-1 and [Z, l0] in the same way, and J_p' [Z, l0] is added to the parent's rows of D, f. So the right-hand
// side costs nothing, and there is no triangular solve, in which each number waits for the one before.
//
// Common shapes have kernels of fixed size; all others take the same steps in loops.
#include "linchpin/dynamics/maximal/forest_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <type_traits>
#include <utility>

#include "linchpin/algebra/rank.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {
namespace {

using Node = ConstraintForest::Node;

// For lambdas: without it g++ keeps their captures in memory.
#define INLINED __attribute__((always_inline))

template <int lane>
LINCHPIN_INLINE Double8 with_lane(const Double8& a, const Double8& b) {
  static constexpr long long yes = -1;
  typedef long long Mask __attribute__((vector_size(64)));
  Mask mask = {};
  mask[lane] = yes;
  return mask ? b.v : a.v;
}
template <int lane>
LINCHPIN_INLINE Double8 spread(const Double8& a) {
  return Double8(a.v[lane]);
}

// A count, either an int or a compile-time constant. each() calls f(0), f(1), ... f(n - 1).
template <int k>
using Known = std::integral_constant<int, k>;
template <class F>
LINCHPIN_INLINE void each(int n, const F& f) {
  for (int k = 0; k < n; ++k) f(k);
}
template <int n, class F>
LINCHPIN_INLINE void each(Known<n>, const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) INLINED { (f(Known<k>{}), ...); }
  (std::make_integer_sequence<int, n>{});
}

constexpr unsigned first_lanes(int n) { return (1u << n) - 1; }

// [A B] -> [A^-1  A^-1 B] for a positive definite A, whose columns are the lanes of `set`; false if A is not positive
// definite. There may be no B or one.
//
// The latency of divisions bounds a chain of bodies. So rows are eliminated in pairs, and the second pivot is computed
// while the division by the first is under way: for rows a and b, with p = A_aa, q = A_ab, t = A_ba, s = A_bb,
//     b <- (p b - t a) / (p s - q t),    a <- (a - q b) / p
// Its rounding error is that of eliminating one row after the other, up to a factor. (Using q in place of t, which
// equals it up to rounding, or the inverse of [p q; t s], would lose the digits that p s and q t have in common.)
template <unsigned set, int n, class... Rows>
LINCHPIN_INLINE bool invert(Double8 (&A)[n], Rows&... B) {
  double least[n];
  bool good = true;
  each(Known<n>{}, [&](auto k) INLINED { least[k] = rank::dependent_rows * A[k][lane_of(set, k)]; });
  each(Known<n / 2>{}, [&](auto pair) INLINED {
    constexpr int a = 2 * pair, b = a + 1, lane_a = lane_of(set, a), lane_b = lane_of(set, b);
    const double p = A[a][lane_a], q = A[a][lane_b], t = A[b][lane_a], s = A[b][lane_b], second = fma(p, s, -(q * t));
    good &= p > least[a] && second > p * least[b];
    const Double8 over_p(1 / p), over_b(1 / second), p8(p), q8(q), t8(t);
    Double8 part_a[n], part_b[n];
    each(Known<n>{}, [&](auto i) INLINED {
      part_a[i] = over_p * spread<lane_a>(A[i]);
      part_b[i] = fma(-part_a[i], q8, spread<lane_b>(A[i]));
      A[i] = with_lane<lane_b>(with_lane<lane_a>(A[i], Double8(i == a ? 1.0 : 0.0)), Double8(i == b ? 1.0 : 0.0));
    });
    const auto eliminate = [&](auto& rows) INLINED {
      const Double8 row_a = rows[a], row_b = over_b * fma(p8, rows[b], -(t8 * row_a));
      each(Known<n>{}, [&](auto i) INLINED {
        if constexpr (i != a && i != b) rows[i] = fma(-part_b[i], row_b, fma(-part_a[i], row_a, rows[i]));
      });
      rows[a] = over_p * fma(-q8, row_b, row_a);
      rows[b] = row_b;
    };
    eliminate(A);
    (eliminate(B), ...);
  });
  if constexpr (n % 2 == 1) {
    constexpr int k = n - 1, lane = lane_of(set, k);
    const double pivot = A[k][lane];
    good &= pivot > least[k];
    const Double8 inverse(1 / pivot);
    each(Known<k>{}, [&](auto i) INLINED {
      const Double8 part = spread<lane>(A[i]);
      A[i] = fma(inverse, -(part * with_lane<lane>(A[k], Double8(1.0))), with_lane<lane>(A[i], Double8(0.0)));
      ((B[i] = fma(inverse, -(part * B[k]), B[i])), ...);
    });
    A[k] = inverse * with_lane<lane>(A[k], Double8(1.0));
    ((B[k] = inverse * B[k]), ...);
  }
  return good;
}

template <int n>
LINCHPIN_INLINE void store(const Double8 (&rows)[n], double* to) {
  each(Known<n>{}, [&](auto k) INLINED { rows[k].store(to + 8 * k); });
}

// The sizes of the body, of the constraint, of the parent and of a row, each a Known or an int; and the held components
// of the body, if any.
template <class N, class M, class P, class Stride, unsigned held = 0>
struct Shape {
  N n;
  M m;
  P p;
  Stride stride;

  // The lane of constraint row i in rows of W and of S^-1; W is D^-1 if rows are held.
  static LINCHPIN_INLINE constexpr int lane(int i) { return held == 0 ? i : lane_of(held, i); }
  static LINCHPIN_INLINE double* W(const ForestWork& work, const Node& node) {
    return work.numbers + (held == 0 ? node.W : node.D);
  }
};
// D and f of a node: the mass with F in the last lane, plus the contributions of its children.
template <int n>
LINCHPIN_INLINE void load_D(const ForestWork& work, const Node& node, const double* F, Double8 (&D)[n]) {
  each(Known<n>{}, [&](auto k) INLINED {
    D[k] = with_lane<7>(Double8::load(work.numbers + node.M + 8 * k), Double8(F[node.y + k]));
  });
  if (node.leaf) return;
  each(Known<n>{}, [&](auto k) INLINED { D[k] += Double8::load(work.pending + node.pending + 8 * k); });
}

// Whether some row is soft.
LINCHPIN_INLINE bool is_soft(const ForestWork& work, const Node& node) {
  for (int i = 0; i < node.rows; ++i)
    if (work.softness[node.l + i] != 0) return true;
  return false;
}

template <int n, unsigned held, int m, int p>
LINCHPIN_INLINE bool factor_node(const ForestWork& work, const Node& node, const double* F, const double* r,
                                 bool keep) {
  double* numbers = work.numbers;
  Double8 D[n], S[m > 0 ? m : 1], Z[m > 0 ? m : 1];
  load_D<n>(work, node, F, D);
  bool good;
  if constexpr (m == 0) {
    good = invert<first_lanes(n)>(D);
  } else if constexpr (held != 0) {
    good = invert<first_lanes(n)>(D);
    each(Known<m>{}, [&](auto i) INLINED {
      constexpr int lane = lane_of(held, i);
      S[i] = D[lane] +
             with_lane<7>(with_lane<lane>(Double8(0.0), Double8(work.softness[node.l + i])), Double8(-r[node.l + i]));
    });
  } else {
    Double8 W[n];
    const double* Jb = numbers + node.Jb;
    each(Known<n>{}, [&](auto k) INLINED { W[k] = with_lane<7>(Double8::load(Jb + 8 * k), D[k]); });
    good = invert<first_lanes(n)>(D, W);
    store<n>(W, numbers + node.W);
    each(Known<m>{}, [&](auto i) INLINED {
      Double8 even =
          with_lane<7>(with_lane<i>(Double8(0.0), Double8(work.softness[node.l + i])), Double8(-r[node.l + i]));
      Double8 odd = Double8(Jb[i]) * W[0];
      each(Known<n>{}, [&](auto k) INLINED {
        if constexpr (k % 2 == 1)
          even = fma(Double8(Jb[8 * k + i]), W[k], even);
        else if constexpr (k > 0)
          odd = fma(Double8(Jb[8 * k + i]), W[k], odd);
      });
      S[i] = even + odd;
    });
  }
  if (keep || m == 0 || (held != 0 && is_soft(work, node)))
    store<n>(D, numbers + node.D);
  else if constexpr (held != 0)
    each(Known<n>{}, [&](auto k) INLINED {
      if constexpr (!(held >> k & 1)) D[k].store(numbers + node.D + 8 * k);
    });
  if constexpr (m > 0) {
    const double* Jp = numbers + node.Jp;
    each(Known<m>{},
         [&](auto i) INLINED { Z[i] = with_lane<7>(p > 0 ? Double8::load(Jp + 8 * i) : Double8(0.0), -S[i]); });
    good &= invert<(held != 0 ? held : first_lanes(m))>(S, Z);
    if (keep) store<m>(S, numbers + node.S);
    store<m>(Z, numbers + node.Z);
    if constexpr (p > 0) {
      double* pending = work.pending + node.parent_pending;
      Double8 rows[p];
      each(Known<p>{}, [&](auto k) INLINED { rows[k] = node.first ? Double8(0.0) : Double8::load(pending + 8 * k); });
      each(Known<p>{}, [&](auto k) INLINED {
        each(Known<m>{}, [&](auto i) INLINED { rows[k] = fma(Double8(Jp[8 * i + k]), Z[i], rows[k]); });
      });
      store<p>(rows, pending);
    }
  }
  return good;
}

// invert() for any size, rows `stride` apart.
bool invert_any(int n, int stride, double* A, double* B, double* least) {
  bool good = true;
  for (int k = 0; k < n; ++k) least[k] = rank::dependent_rows * A[k * stride + k];
  for (int k = 0; k < n; ++k) {
    double *Ak = A + k * stride, *Bk = B + k * stride;
    good &= Ak[k] > least[k];
    const double inverse = 1 / Ak[k];
    Ak[k] = 1;
    for (int j = 0; j < stride; ++j) Ak[j] *= inverse;
    for (int j = 0; j < stride; ++j) Bk[j] *= inverse;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      double *Ai = A + i * stride, *Bi = B + i * stride;
      const double part = -Ai[k];
      Ai[k] = 0;
      for (int j = 0; j < stride; ++j) Ai[j] = fma(part, Ak[j], Ai[j]);
      for (int j = 0; j < stride; ++j) Bi[j] = fma(part, Bk[j], Bi[j]);
    }
  }
  return good;
}

bool factor_node_any(const ForestWork& work, const Node& node, const double* F, const double* r) {
  const int n = node.size, m = node.rows, p = node.parent_size, stride = work.stride, last = stride - 1;
  double* numbers = work.numbers;
  double* D = numbers + node.D;
  std::copy_n(numbers + node.M, n * stride, D);
  for (int k = 0; k < n; ++k) D[k * stride + last] = F[node.y + k];
  for (int k = 0; k < n * stride && !node.leaf; ++k) D[k] += work.pending[node.pending + std::size_t(k)];
  if (m == 0) {
    std::fill_n(work.scratch, n * stride, 0.0);  // there is no W
    return invert_any(n, stride, D, work.scratch, work.scratch + n * stride);
  }
  double *W = numbers + node.W, *S = numbers + node.S, *Z = numbers + node.Z;
  const double *Jb = numbers + node.Jb, *Jp = numbers + node.Jp;
  std::copy_n(Jb, n * stride, W);
  for (int k = 0; k < n; ++k) W[k * stride + last] = D[k * stride + last];
  bool good = invert_any(n, stride, D, W, work.scratch);
  for (int i = 0; i < m; ++i) {
    double* row = S + i * stride;
    std::fill_n(row, stride, 0.0);
    row[i] = work.softness[node.l + i];
    row[last] = -r[node.l + i];
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < stride; ++j) row[j] = fma(Jb[k * stride + i], W[k * stride + j], row[j]);
    if (p > 0)
      std::copy_n(Jp + i * stride, stride, Z + i * stride);
    else
      std::fill_n(Z + i * stride, stride, 0.0);
    Z[i * stride + last] = -row[last];
  }
  good &= invert_any(m, stride, S, Z, work.scratch);
  if (p > 0) {
    double* parent = work.pending + node.parent_pending;
    if (node.first) std::fill_n(parent, p * stride, 0.0);
    for (int k = 0; k < p; ++k)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < stride; ++j)
          parent[k * stride + j] = fma(Jp[i * stride + k], Z[i * stride + j], parent[k * stride + j]);
  }
  return good;
}

// (4), with D^-1 f and l0 from the last lanes, where factor() left them. Components held by rows without softness are
// set to r - J_p y_p, the constraint itself.
template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void outward_node(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                  const double* r, double* y, double* l) {
  const auto [n, m, p, stride] = shape;
  const int last = stride - 1;
  const double* start = m > 0 ? shape.W(work, node) : work.numbers + node.D;
  const double* Z = work.numbers + node.Z;
  const double* y_p = p > 0 ? y + node.parent_y : nullptr;
  each(m, [&](auto i) INLINED {
    double sum = Z[i * stride + last];
    each(p, [&](auto j) INLINED { sum = fma(-Z[i * stride + j], y_p[j], sum); });
    l[node.l + i] = sum;
  });
  const auto from_force = [&](auto k) INLINED {
    double sum = start[k * stride + last];
    each(m, [&](auto i) INLINED { sum = fma(start[k * stride + shape.lane(i)], l[node.l + i], sum); });
    y[node.y + k] = sum;
  };
  if (held == 0 || is_soft(work, node)) {
    each(n, from_force);
    return;
  }
  if constexpr (held != 0) {
    const double* Jp = work.numbers + node.Jp;
    each(m, [&](auto i) INLINED {
      double sum = r[node.l + i];
      each(p, [&](auto j) INLINED { sum = fma(-Jp[i * stride + j], y_p[j], sum); });
      y[node.y + shape.lane(i)] = sum;
    });
    each(n, [&](auto k) INLINED {
      if constexpr (!(held >> k & 1)) from_force(k);
    });
  }
}

// (2), (3) for one more right-hand side; f of the node is complete and is overwritten by D^-1 f.
template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void solve_in_node(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                   const double* r, double* l) {
  const auto [n, m, p, stride] = shape;
  double* f = work.f + std::size_t(&node - work.nodes.data()) * std::size_t(stride);
  const double *D = work.numbers + node.D, *Jb = work.numbers + node.Jb, *S = work.numbers + node.S,
               *Jp = work.numbers + node.Jp;
  double* t = work.scratch;
  for (int j = 0; j < n; j += 8) {  // D^-1 is symmetric: its rows are columns
    Double8 sum(0.0);
    each(n, [&](auto k) INLINED { sum = fma(Double8(f[k]), Double8::load(D + k * stride + j), sum); });
    sum.store(t + j);
  }
  for (int j = 0; j < n; j += 8) Double8::load(t + j).store(f + j);
  each(m, [&](auto i) INLINED {
    double sum = r[node.l + i];
    if constexpr (held != 0)
      sum -= f[shape.lane(i)];
    else
      each(n, [&](auto k) INLINED { sum = fma(-Jb[k * stride + i], f[k], sum); });
    t[i] = sum;
  });
  each(m, [&](auto i) INLINED {
    double sum = 0;
    each(m, [&](auto j) INLINED { sum = fma(t[j], S[i * stride + shape.lane(j)], sum); });
    l[node.l + i] = sum;
  });
  if (p == 0) return;
  double* f_p = work.f + std::size_t(node.parent) * std::size_t(stride);
  for (int j = 0; j < p; j += 8) {
    Double8 sum = Double8::load(f_p + j);
    each(m, [&](auto i) INLINED { sum = fma(Double8(l[node.l + i]), Double8::load(Jp + i * stride + j), sum); });
    sum.store(f_p + j);
  }
}

template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void solve_out_node(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                    double* y, double* l) {
  const auto [n, m, p, stride] = shape;
  const double* f = work.f + std::size_t(&node - work.nodes.data()) * std::size_t(stride);
  const double *W = shape.W(work, node), *Z = work.numbers + node.Z;
  const double* y_p = p > 0 ? y + node.parent_y : nullptr;
  each(m, [&](auto i) INLINED {
    double sum = l[node.l + i];
    each(p, [&](auto j) INLINED { sum = fma(-Z[i * stride + j], y_p[j], sum); });
    l[node.l + i] = sum;
  });
  each(n, [&](auto k) INLINED {
    double sum = f[k];
    each(m, [&](auto i) INLINED { sum = fma(W[k * stride + shape.lane(i)], l[node.l + i], sum); });
    y[node.y + k] = sum;
  });
}

// The same for eight right-hand sides side by side; y holds f in the inward pass.
template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void solve8_in_node(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                    const double* r, double* y, double* l) {
  const auto [n, m, p, stride] = shape;
  const double *W = shape.W(work, node), *S = work.numbers + node.S, *Jp = work.numbers + node.Jp;
  double *t = work.scratch, *f = y + 8 * node.y, *l0 = l + 8 * node.l;
  each(m, [&](auto i) INLINED {
    Double8 sum = r ? Double8::load(r + 8 * (node.l + i)) : Double8(0.0);
    each(n, [&](auto k) INLINED { sum = fma(Double8(-W[k * stride + shape.lane(i)]), Double8::load(f + 8 * k), sum); });
    sum.store(t + 8 * i);
  });
  each(m, [&](auto i) INLINED {
    Double8 sum(0.0);
    each(m, [&](auto j) INLINED { sum = fma(Double8(S[i * stride + shape.lane(j)]), Double8::load(t + 8 * j), sum); });
    sum.store(l0 + 8 * i);
  });
  double* f_p = p > 0 ? y + 8 * node.parent_y : nullptr;
  each(p, [&](auto k) INLINED {
    Double8 sum = Double8::load(f_p + 8 * k);
    each(m, [&](auto i) INLINED { sum = fma(Double8(Jp[i * stride + k]), Double8::load(l0 + 8 * i), sum); });
    sum.store(f_p + 8 * k);
  });
}

template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void solve8_out_node(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                     double* y, double* l) {
  const auto [n, m, p, stride] = shape;
  const double *D = work.numbers + node.D, *W = shape.W(work, node), *Z = work.numbers + node.Z;
  double *t = work.scratch, *own = y + 8 * node.y;
  const double* y_p = p > 0 ? y + 8 * node.parent_y : nullptr;
  each(m, [&](auto i) INLINED {
    Double8 sum = Double8::load(l + 8 * (node.l + i));
    each(p, [&](auto j) INLINED { sum = fma(Double8(-Z[i * stride + j]), Double8::load(y_p + 8 * j), sum); });
    sum.store(l + 8 * (node.l + i));
  });
  each(n, [&](auto k) INLINED {
    Double8 sum(0.0);
    each(n, [&](auto j) INLINED { sum = fma(Double8(D[k * stride + j]), Double8::load(own + 8 * j), sum); });
    each(m, [&](auto i) INLINED {
      sum = fma(Double8(W[k * stride + shape.lane(i)]), Double8::load(l + 8 * (node.l + i)), sum);
    });
    sum.store(t + 8 * k);
  });
  each(n, [&](auto k) INLINED { Double8::load(t + 8 * k).store(own + 8 * k); });
}

// Shapes for kernels: known at compile time, or read from each node.
template <int n, unsigned held, int m, int p>
struct Fixed {
  static LINCHPIN_INLINE bool factor(const ForestWork& work, const Node& node, const double* F, const double* r,
                                     bool keep) {
    return factor_node<n, held, m, p>(work, node, F, r, keep);
  }
  static LINCHPIN_INLINE auto shape(const ForestWork&, const Node&) {
    return Shape<Known<n>, Known<m>, Known<p>, Known<8>, held>{};
  }
};
struct Any {
  static bool factor(const ForestWork& work, const Node& node, const double* F, const double* r, bool) {
    return factor_node_any(work, node, F, r);
  }
  static auto shape(const ForestWork& work, const Node& node) {
    return Shape<int, int, int, int>{node.size, node.rows, node.parent_size, work.stride};
  }
};

// Prefetches the data of a node some nodes ahead: its rows [from, to), which are contiguous, and its numbers in vectors
// over bodies and rows, which have a different order. This costs nothing measurable if the data are in the cache, and
// saves a third of the time if they are in memory (100000 bodies).
constexpr int ahead = 6;
LINCHPIN_INLINE void fetch(const double* from, const double* to, const Node& node, const double* over_bodies,
                           const double* over_rows) {
  for (; from < to; from += 8) __builtin_prefetch(from, 0, 1);
  __builtin_prefetch(over_bodies + node.y);
  __builtin_prefetch(over_bodies + node.y + node.size - 1);
  __builtin_prefetch(over_bodies + node.parent_y);
  __builtin_prefetch(over_rows + node.l);
  __builtin_prefetch(over_rows + node.l + node.rows - 1);
}
template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void fetch_inward(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                  const double* F, const double* r) {
  const double* from = work.numbers + node.M;
  fetch(from, from + (shape.n * (held == 0 && shape.m > 0 ? 3 : 1) + 2 * shape.m) * shape.stride, node, F, r);
}
template <class N, class M, class P, class Stride, unsigned held>
LINCHPIN_INLINE void fetch_outward(Shape<N, M, P, Stride, held> shape, const ForestWork& work, const Node& node,
                                   const double* y, const double* l) {
  const double* from = work.numbers + (held == 0 ? node.Z : node.Jp);
  fetch(from, from + (shape.m + (held == 0 ? shape.n : shape.m)) * shape.stride, node, y, l);
}

template <class Of>
constexpr ForestKernels loops() {
  return {[](const ForestWork& work, int first, int end, const double* F, const double* r, bool keep) {
            for (int i = first; i < end; ++i) {
              const Node& next = work.nodes[std::min(i + ahead, end - 1)];
              fetch_inward(Of::shape(work, next), work, next, F, r);
              if (!Of::factor(work, work.nodes[i], F, r, keep)) return i;
            }
            return -1;
          },
          [](const ForestWork& work, int first, int end, const double* r, double* y, double* l) {
            for (int i = end; i-- > first;) {
              const Node& node = work.nodes[i];
              const Node& next = work.nodes[std::max(i - ahead, first)];
              fetch_outward(Of::shape(work, next), work, next, y, l);
              outward_node(Of::shape(work, node), work, node, r, y, l);
            }
          },
          [](const ForestWork& work, int first, int end, const double* r, double* l) {
            for (int i = first; i < end; ++i) {
              const Node& node = work.nodes[i];
              solve_in_node(Of::shape(work, node), work, node, r, l);
            }
          },
          [](const ForestWork& work, int first, int end, double* y, double* l) {
            for (int i = end; i-- > first;) {
              const Node& node = work.nodes[i];
              solve_out_node(Of::shape(work, node), work, node, y, l);
            }
          },
          [](const ForestWork& work, int first, int end, const double* r, double* y, double* l) {
            for (int i = first; i < end; ++i) {
              const Node& node = work.nodes[i];
              solve8_in_node(Of::shape(work, node), work, node, r, y, l);
            }
          },
          [](const ForestWork& work, int first, int end, double* y, double* l) {
            for (int i = end; i-- > first;) {
              const Node& node = work.nodes[i];
              solve8_out_node(Of::shape(work, node), work, node, y, l);
            }
          }};
}

constexpr ForestKernels of_any_shape = loops<Any>();

// Compiled with sanitizers (cmake/room.cmake), all shapes take g++ two minutes. A few of them have the same templates.
#ifdef LINCHPIN_FEW_SHAPES
constexpr bool has_kernel(int n, int m, int p) { return p == n && m == n - 1; }
#else
constexpr bool has_kernel(int, int, int) { return true; }
#endif

template <int n, int m, int p>
constexpr ForestKernels of_shape() {
  if constexpr (has_kernel(n, m, p))
    return loops<Fixed<n, 0, m, p>>();
  else
    return of_any_shape;
}

// Bodies of dimension n on constraints of 0 to n rows, whose parents have the same dimension or do not exist.
template <int n, int p, int... m>
constexpr std::array<ForestKernels, n + 1> by_rows(std::integer_sequence<int, m...>) {
  return {of_shape<n, m, m == 0 ? 0 : p>()...};
}
template <int n>
constexpr auto on_body = by_rows<n, n>(std::make_integer_sequence<int, n + 1>{});
template <int n>
constexpr auto on_nothing = by_rows<n, 0>(std::make_integer_sequence<int, n + 1>{});

// The same for rigid bodies with held rows of held_sets.
template <int p, std::size_t... set>
constexpr std::array<ForestKernels, sizeof...(set)> by_set(std::index_sequence<set...>) {
  return {loops<Fixed<6, held_sets[set], std::popcount(held_sets[set]), p>>()...};
}
constexpr auto held_on_body = by_set<6>(std::make_index_sequence<std::size(held_sets)>{});
constexpr auto held_on_nothing = by_set<0>(std::make_index_sequence<std::size(held_sets)>{});

}  // namespace

// Kernels of fixed size for rigid bodies in space (6) and in the plane (3; particles too).
const ForestKernels& kernels_for(const ConstraintForest::Node& node, int stride) {
  const bool alike = node.parent_size == node.size;
  if (stride != 8 || (!alike && node.parent_size > 0)) return of_any_shape;
  const std::size_t rows = std::size_t(node.rows);
  if (node.held != 0) {
    const std::size_t set = std::size_t(std::ranges::find(held_sets, node.held) - held_sets);
    return alike ? held_on_body[set] : held_on_nothing[set];
  }
  if (node.size == 6) return alike ? on_body<6>[rows] : on_nothing<6>[rows];
  if (node.size == 3) return alike ? on_body<3>[rows] : on_nothing<3>[rows];
  return of_any_shape;
}

}  // namespace linchpin

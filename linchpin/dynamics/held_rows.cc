#include "linchpin/dynamics/held_rows.h"

#include "linchpin/dynamics/joint_motion.h"
#include "linchpin/dynamics/unit_forces.h"

namespace linchpin {
namespace {

// Unit forces are columns. For double three or six of them lie in one register, all carried at once; of packs of
// worlds, and of floats, three at a time stay in registers. Either way by the same source: X is what is carried at a
// time.
template <class T>
constexpr bool side_by_side = std::is_same_v<T, double>;
template <class T>
using Carried = std::conditional_t<side_by_side<T>, Double8, T>;
template <class T>
constexpr int group = side_by_side<T> ? 1 : 3;

LINCHPIN_INLINE double entry(const Matrix6<double>& M, int i, int j) { return M.row[i].numbers()[j]; }
template <class T>
LINCHPIN_INLINE const T& entry(const Matrix6<T>& M, int i, int j) {
  return M.at[i][j];
}
LINCHPIN_INLINE double number(const Columns<double>& c, int j) { return c.row.numbers()[j]; }
template <class T>
LINCHPIN_INLINE const T& number(const Columns<T>& c, int j) {
  return c.at[j];
}
template <class T>
LINCHPIN_INLINE void put(const Carried<T>& x, int column, Columns<T>& out) {
  if constexpr (side_by_side<T>)
    out.row = x;
  else
    out.at[column] = x;
}
template <class T>
LINCHPIN_INLINE void put(const Carried<T>& x, int row, int column, Matrix6<T>& out) {
  if constexpr (side_by_side<T>)
    out.row[row] = x;
  else
    out.at[row][column] = x;
}

// ---- what a path does: Phi, Psi, psi, s -----------------------------------------------------------------------------

// Columns on their way inward, and what they have met of the free motion: (2).
template <class X, int N>
struct Group {
  Force<X> P[N];
  X psi[N];
};

template <bool axial, class T, int N>
LINCHPIN_INLINE void through_axes(const Plan<T>& plan, int from, int to, int first_column, HeldWorkspace<T>& ws,
                                  Group<Carried<T>, N>& carried) {
  using X = Carried<T>;
  constexpr int joints = Lanes<T>::joints;
  Force<X> P[N];
  X psi[N];
#pragma GCC unroll 3
  for (int k = 0; k < N; ++k) P[k] = carried.P[k], psi[k] = carried.psi[k];
  for (int slot = from; slot >= to; --slot) {
    const auto& b = ws.aba.block[std::size_t(slot / joints)];
    const int lane = slot % joints;
    const T u = ws.aba.pivot[std::size_t(slot)].u;
    const T cx = at<T>(b.c_x, lane), cy = at<T>(b.c_y, lane), clx = at<T>(b.cl_x, lane), cly = at<T>(b.cl_y, lane),
            clz = at<T>(b.cl_z, lane);
#pragma GCC unroll 3
    for (int k = 0; k < N; ++k) {
      X s;
      const Force<X> F = past_pivot<axial>(plan, ws.aba, slot, P[k], s);
      put<T>(s, first_column + k, ws.s[std::size_t(slot)]);
      // two chains: the next joint's terms wait for this sum
      const X angular = fma(cy, F.n.y, fma(cx, F.n.x, u * s));
      const X linear = fma(clz, F.f.z, fma(cly, F.f.y, fma(clx, F.f.x, psi[k])));
      psi[k] = linear + angular;
      P[k] = to_previous_link<axial>(plan, ws.aba, slot, F);
    }
  }
#pragma GCC unroll 3
  for (int k = 0; k < N; ++k) carried.P[k] = P[k], carried.psi[k] = psi[k];
}

template <class X, class T>
LINCHPIN_INLINE X power(const Force<X>& F, const Motion<T>& a, const X& sum) {
  return fma(a.v.z, F.f.z,
             fma(a.v.y, F.f.y, fma(a.v.x, F.f.x, fma(a.w.z, F.n.z, fma(a.w.y, F.n.y, fma(a.w.x, F.n.x, sum))))));
}

template <class T, int N>
void through_ball(const RunPlan<typename Plan<T>::Real>& run, int first_column, HeldWorkspace<T>& ws,
                  Group<Carried<T>, N>& carried) {
  using X = Carried<T>;
  const AbaWidePivot<T>& w = ws.aba.wide[std::size_t(run.slot)];
  Columns<T>* s = &ws.wide_s[6 * std::size_t(run.slot)];
  for (int k = 0; k < N; ++k) {
    Force<X> F = carried.P[k];
    put<T>(F.n.x, first_column + k, s[0]);
    put<T>(F.n.y, first_column + k, s[1]);
    put<T>(F.n.z, first_column + k, s[2]);
    Vec3<X> y;
    F = past_ball(w, F, y);
    carried.psi[k] = power(F, w.c, plus_dot(carried.psi[k], w.u, y));
    F = force_to_parent(Transform<T>{w.R, w.rF}, F);
    carried.P[k] = {run.E * F.n, run.E * F.f};
  }
}

// The link's acceleration is known, whatever carries it.
template <class T, int N>
void through_free(const RunPlan<typename Plan<T>::Real>& run, int first_column, HeldWorkspace<T>& ws,
                  Group<Carried<T>, N>& carried) {
  using X = Carried<T>;
  const AbaWidePivot<T>& w = ws.aba.wide[std::size_t(run.slot)];
  const InertiaFactors<T> factors = inertia_factors(w.IA);
  for (int k = 0; k < N; ++k) {
    X s[6];
    solve_forward(factors, carried.P[k], s);
    for (int i = 0; i < 6; ++i) put<T>(s[i], first_column + k, ws.wide_s[6 * std::size_t(run.slot) + std::size_t(i)]);
    carried.psi[k] = power(carried.P[k], w.a, carried.psi[k]);
    carried.P[k] = Force<X>::zero();
  }
  ws.factors[std::size_t(run.slot)] = factors;
}

// One group of columns of vertex v all the way to the vertex before.
template <class T>
void carry(const Plan<T>& plan, const HeldPlan<T>& held, std::size_t v, int first_column, HeldWorkspace<T>& ws) {
  using X = Carried<T>;
  constexpr int N = group<T>;
  const auto& vertex = held.tree.vertices()[v];
  Group<X, N> carried;
  for (int k = 0; k < N; ++k) {
    const auto unit = [&](int row) {
      if constexpr (side_by_side<T>)
        return Double8::load(held.vertex[v].unit[row]);
      else
        return T(held.vertex[v].unit[row][first_column + k]);
    };
    carried.P[k] = {{unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)}};
    carried.psi[k] = X(0);
  }
  for (int at = vertex.first; at < vertex.last; ++at) {
    const auto& stretch = held.tree.stretches()[std::size_t(at)];
    const auto& run = plan.runs[std::size_t(stretch.run)];
    if (run.kind == LinkKind::free) {
      through_free<T, N>(run, first_column, ws, carried);
    } else if (run.kind == LinkKind::ball) {
      through_ball<T, N>(run, first_column, ws, carried);
    } else {
      if (run.kind == LinkKind::revolute)
        through_axes<false, T, N>(plan, stretch.from, stretch.to, first_column, ws, carried);
      else
        through_axes<true, T, N>(plan, stretch.from, stretch.to, first_column, ws, carried);
      if (stretch.head)
        for (int k = 0; k < N; ++k) carried.P[k] = force_through_head(run, carried.P[k]);
    }
  }
  if (vertex.parent < 0) {  // the world, which aba has accelerate upwards
    for (int k = 0; k < N; ++k) carried.psi[k] = plus_dot(carried.psi[k], plan.upward, carried.P[k].f);
  } else {
    const auto& parent = held.tree.vertices()[std::size_t(vertex.parent)];
    for (int k = 0; k < N; ++k) {
      Force<X> F = carried.P[k];
      if (parent.is_node) F = force_to_child(parent.X_LV, F);
      const X rows[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
      for (int i = 0; i < 6; ++i) put<T>(rows[i], i, first_column + k, ws.Phi[v]);
    }
  }
  for (int k = 0; k < N; ++k) put<T>(carried.psi[k], first_column + k, ws.psi[v]);
}

// Psi += s' w s, of the upper half what counts; N columns.
template <class T, int N>
struct Square {
  static constexpr int across = side_by_side<T> ? 1 : N;
  Carried<T> at[N][across];
};
template <int N, class T>
LINCHPIN_INLINE void add_outer(const Columns<T>& s, const Columns<T>& y, Square<T, N>& Psi) {
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
    if constexpr (side_by_side<T>) {
      Psi.at[i][0] = fma(Double8(number(s, i)), y.row, Psi.at[i][0]);
    } else {
#pragma GCC unroll 6
      for (int j = i; j < N; ++j) Psi.at[i][j] = fma(s.at[i], y.at[j], Psi.at[i][j]);
    }
}
template <int N, class T>
LINCHPIN_INLINE Columns<T> scaled(const T& w, const Columns<T>& s) {
  Columns<T> y;
  if constexpr (side_by_side<T>) {
    y.row = w * s.row;
  } else {
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) y.at[j] = w * s.at[j];
  }
  return y;
}
template <int N, class T>
LINCHPIN_INLINE Columns<T> combined(const T& a, const Columns<T>& x, const T& b, const Columns<T>& y, const T& c,
                                    const Columns<T>& z) {
  Columns<T> out;
  if constexpr (side_by_side<T>) {
    out.row = fma(c, z.row, fma(b, y.row, a * x.row));
  } else {
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) out.at[j] = fma(c, z.at[j], fma(b, y.at[j], a * x.at[j]));
  }
  return out;
}

template <bool axial, int N, class T>
LINCHPIN_INLINE void add_axes(const HeldPlan<T>& held, int from, int to, const HeldWorkspace<T>& ws, Square<T, N>& Psi,
                              T (&size)[2]) {
  Square<T, N> sum = Psi;  // registers
  T angular = size[0], linear = size[1];
  for (int slot = from; slot >= to; --slot) {
    const std::size_t at = std::size_t(slot);
    const T D_inverse = axial ? ws.aba.D_inverse[at] : ws.aba.pivot[at].g_z;
    const auto& lever = held.lever[at];
    angular = fma(lever.angular, D_inverse, angular);
    linear = fma(lever.linear, D_inverse, linear);
    add_outer<N, T>(ws.s[at], scaled<N, T>(D_inverse, ws.s[at]), sum);
  }
  Psi = sum;
  size[0] = angular, size[1] = linear;
}

template <class T>
void mirror(Matrix6<T>& M) {
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i)
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j)
      if constexpr (side_by_side<T>)
        M.row[i].numbers()[j] = M.row[j].numbers()[i];
      else
        M.at[i][j] = M.at[j][i];
}

// Psi from the s that carry() left, and the sums of levers: what its diagonal would be if every axis had the worst
// direction.
template <int N, class T>
void sum_up(const Plan<T>& plan, const HeldPlan<T>& held, std::size_t v, HeldWorkspace<T>& ws) {
  const auto& vertex = held.tree.vertices()[v];
  Square<T, N> Psi;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
#pragma GCC unroll 6
    for (int j = 0; j < Square<T, N>::across; ++j) Psi.at[i][j] = Carried<T>(0);
  T size[2] = {T(0), T(0)};
  for (int k = vertex.first; k < vertex.last; ++k) {
    const auto& stretch = held.tree.stretches()[std::size_t(k)];
    const auto& run = plan.runs[std::size_t(stretch.run)];
    const std::size_t slot = std::size_t(run.slot);
    if (run.kind == LinkKind::revolute) {
      add_axes<false, N, T>(held, stretch.from, stretch.to, ws, Psi, size);
    } else if (run.kind == LinkKind::axial) {
      add_axes<true, N, T>(held, stretch.from, stretch.to, ws, Psi, size);
    } else if (run.kind == LinkKind::ball) {
      const Sym3<T>& D = ws.aba.wide[slot].D_inverse;
      const Columns<T>* s = &ws.wide_s[6 * slot];
      add_outer<N, T>(s[0], combined<N, T>(D.xx, s[0], D.xy, s[1], D.xz, s[2]), Psi);
      add_outer<N, T>(s[1], combined<N, T>(D.xy, s[0], D.yy, s[1], D.yz, s[2]), Psi);
      add_outer<N, T>(s[2], combined<N, T>(D.xz, s[0], D.yz, s[1], D.zz, s[2]), Psi);
      const T trace = D.xx + D.yy + D.zz;
      const auto& lever = held.wide_lever[slot];
      size[0] = fma(lever.angular, trace, size[0]);
      size[1] = fma(lever.linear, trace, size[1]);
    } else {
      const Columns<T>* s = &ws.wide_s[6 * slot];
      for (int i = 0; i < 6; ++i) add_outer<N, T>(s[i], scaled<N, T>(ws.factors[slot].D_inverse[i], s[i]), Psi);
    }
  }
  ws.lever[2 * v] = size[0];
  ws.lever[2 * v + 1] = size[1];
  Matrix6<T>& out = vertex.parent < 0 ? ws.V[v + v * (v + 1) / 2] : ws.Psi[v];
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
    if constexpr (side_by_side<T>) {
      out.row[i] = Psi.at[i][0];
    } else {
#pragma GCC unroll 6
      for (int j = i; j < N; ++j) out.at[i][j] = Psi.at[i][j];
    }
  if (N == 6) mirror(out);
}

// ---- Lambda ---------------------------------------------------------------------------------------------------------

// out = sum + A B, or sum + A' B, with `rows` rows and `columns` columns, each three or six, summed over six.
template <bool transposed, bool add, class T>
LINCHPIN_INLINE void multiply(const Matrix6<T>& A, const Matrix6<T>& B, const Matrix6<T>& sum, int rows, int columns,
                              Matrix6<T>& out) {
  if constexpr (side_by_side<T>) {
    Double8 b[6];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) b[k] = B.row[k];
    for (int first = 0; first < rows; first += 3) {
      Double8 x[3];
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        x[i] = add ? sum.row[first + i] : Double8(0.0);
#pragma GCC unroll 6
        for (int k = 0; k < 6; ++k)
          x[i] = fma(Double8(transposed ? entry(A, k, first + i) : entry(A, first + i, k)), b[k], x[i]);
      }
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) out.row[first + i] = x[i];
    }
  } else {
    for (int half = 0; half < columns; half += 3) {  // three columns of B at a time stay in registers
      T b[6][3];
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k)
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) b[k][j] = B.at[k][half + j];
      for (int i = 0; i < rows; ++i) {
        T x[3];
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) x[j] = add ? sum.at[i][half + j] : T(0);
#pragma GCC unroll 6
        for (int k = 0; k < 6; ++k) {
          const T a = transposed ? A.at[k][i] : A.at[i][k];
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j) x[j] = fma(a, b[k][j], x[j]);
        }
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) out.at[i][half + j] = x[j];
      }
    }
  }
}

std::size_t pair(int u, int v) { return std::size_t(u) + std::size_t(v) * std::size_t(v + 1) / 2; }

// What rounding can make of V's diagonal. A path's s is a difference of levers, and enters by its square; but Phi' V_pp
// Phi is itself a difference where V_pp gives way in other directions only.
template <class Real>
constexpr Real path_noise = std::is_same_v<Real, float> ? Real(1e-11) : Real(1e-20);
template <class Real>
constexpr Real product_noise = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-12);

template <class T>
LINCHPIN_INLINE void find_bounds(const HeldPlan<T>& held, std::size_t v, HeldWorkspace<T>& ws) {
  using Real = typename Plan<T>::Real;
  const auto& vertex = held.vertex[v];
  const T angular = path_noise<Real> * ws.lever[2 * v], linear = path_noise<Real> * ws.lever[2 * v + 1];
  Columns<T>& bound = ws.bound[v];
  if constexpr (side_by_side<T>) {
    bound.row = fma(Double8::load(vertex.angular), angular, Double8::load(vertex.linear) * linear);
  } else {
    for (int j = 0; j < vertex.columns; ++j) bound.at[j] = fma(vertex.angular[j], angular, vertex.linear[j] * linear);
  }
  const int p = held.tree.vertices()[v].parent;
  if (p < 0) return;
  const Matrix6<T>& V = ws.V[pair(p, p)];
  const Columns<T>& before = ws.bound[std::size_t(p)];
  for (int k = 0; k < 6; ++k) {
    const T size = fma(product_noise<Real>, T(entry(V, k, k)), number(before, k));
    if constexpr (side_by_side<T>) {
      const Double8 phi = ws.Phi[v].row[k];
      bound.row = fma(phi * phi, Double8(size), bound.row);
    } else {
      for (int j = 0; j < vertex.columns; ++j) {
        const T phi = ws.Phi[v].at[k][j];
        bound.at[j] = fma(phi * phi, size, bound.at[j]);
      }
    }
  }
}

// A has `active` rows of `stride` registers: of one world that many columns lie side by side, of a pack each has its
// own and rows are filled up to whole tiles. What is below the diagonal is never read.
template <class T>
constexpr bool one_world = Lanes<T>::worlds == 1;
template <class T>
constexpr int row_lanes = Lanes<T>::joints;
template <class T>
constexpr int tile = one_world<T> ? 1 : 4;  // registers that are worked on at a time
template <class T>
int row_stride(int active) {
  constexpr int step = row_lanes<T> * tile<T>;
  return (active + step - 1) / step * tile<T>;
}
template <class T>
LINCHPIN_INLINE T& element(typename Lanes<T>::Wide* row, int column) {
  return reinterpret_cast<T*>(row)[column];  // registers of a row follow one another
}

// V's block of Lambda. `rows` are those of `from`.
template <class T>
LINCHPIN_INLINE void fill_block(const Matrix6<T>& V, const typename HeldPlan<T>::Vertex& from,
                                const typename HeldPlan<T>::Vertex& to, int stride, typename Lanes<T>::Wide* rows) {
  if constexpr (side_by_side<T>)
    if (to.columns == 3) {  // whose columns are its rows
      for (int i = 0; i < from.held; ++i)
        V.row[from.column[i]].store_first(&element<T>(rows + i * stride, to.first), to.held);
      return;
    }
  for (int i = 0; i < from.held; ++i)
    for (int j = 0; j < to.held; ++j)
      element<T>(rows + i * stride, to.first + j) = entry(V, from.column[i], to.column[j]);
}

template <class T>
void make_products(const HeldPlan<T>& held, HeldWorkspace<T>& ws) {
  using Wide = typename Lanes<T>::Wide;
  const int stride = row_stride<T>(held.active);
  if constexpr (one_world<T>)  // no rubbish beside what counts
    for (Wide& x : ws.A) x = Wide(typename Plan<T>::Real(0));
  for (std::size_t v = 0; v < held.vertex.size(); ++v)
    if (held.tree.vertices()[v].parent < 0) find_bounds(held, v, ws);
  Matrix6<T> block;
  for (const auto& product : held.products) {
    const int u = product.u, v = product.v, p = product.p;
    const Matrix6<T>& Phi = ws.Phi[std::size_t(v)];
    const auto& from = held.vertex[std::size_t(product.own ? v : u)];
    const auto& to = held.vertex[std::size_t(v)];
    Wide* rows = ws.A.data() + from.first * stride;
    if (product.own) {
      Matrix6<T>& Z = ws.V[pair(p, v)];  // V_pp Phi_v
      multiply<false, false, T>(ws.V[pair(p, p)], Phi, Phi, 6, to.columns, Z);
      find_bounds(held, std::size_t(v), ws);
      if (product.direct) {
        multiply<true, true, T>(Phi, Z, ws.Psi[std::size_t(v)], 3, 3, block);
        fill_block<T>(block, from, to, stride, rows);
      } else {
        Matrix6<T>& own = ws.V[pair(v, v)];
        multiply<true, true, T>(Phi, Z, ws.Psi[std::size_t(v)], to.columns, to.columns, own);
        if (to.columns == 6) mirror(own);
      }
    } else if (product.direct) {
      if (u < p)
        multiply<false, false, T>(ws.V[pair(u, p)], Phi, Phi, 3, 3, block);
      else
        multiply<true, false, T>(ws.V[pair(p, u)], Phi, Phi, 3, 3, block);
      fill_block<T>(block, from, to, stride, rows);
    } else if (u < p) {
      multiply<false, false, T>(ws.V[pair(u, p)], Phi, Phi, from.columns, to.columns, ws.V[pair(u, v)]);
    } else {
      multiply<true, false, T>(ws.V[pair(p, u)], Phi, Phi, from.columns, to.columns, ws.V[pair(u, v)]);
    }
  }
}

// ---- the free motion at the nodes -----------------------------------------------------------------------------------

template <class T>
__attribute__((noinline)) void free_accelerations(const HeldPlan<T>& held, HeldWorkspace<T>& ws) {
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const int p = held.tree.vertices()[v].parent;
    if (p < 0) {
      ws.a[v] = ws.psi[v];
      continue;
    }
    const Columns<T>& a = ws.a[std::size_t(p)];
    if constexpr (side_by_side<T>) {
      Double8 sum = ws.psi[v].row;
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k) sum = fma(Double8(number(a, k)), ws.Phi[v].row[k], sum);
      ws.a[v].row = sum;
    } else {
      for (int j = 0; j < held.vertex[v].columns; ++j) {
        T sum = ws.psi[v].at[j];
#pragma GCC unroll 6
        for (int k = 0; k < 6; ++k) sum = fma(a.at[k], ws.Phi[v].at[k][j], sum);
        ws.a[v].at[j] = sum;
      }
    }
  }
}

// The world's upward and the angular velocity in the axes of links that have nodes.
template <class T, class Real>
__attribute__((noinline)) void turn_outward(const Plan<T>& plan, const HeldPlan<T>& held, const Real* v,
                                            HeldWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  ws.up[0] = {T(plan.upward.x), T(plan.upward.y), T(plan.upward.z)};
  ws.w[0] = Vec3<T>::zero();
  for (const auto& walk : held.walks) {
    const auto& run = plan.runs[std::size_t(walk.run)];
    Vec3<T> up = ws.up[std::size_t(walk.from)], w = Vec3<T>::zero();
    const bool at_head = walk.slot == run.slot;
    if (at_head) up = transpose_times(run.E, up);
    if (run.kind == LinkKind::ball || run.kind == LinkKind::free) {
      up = transpose_times(ws.aba.wide[std::size_t(run.slot)].R, up);
    } else {
      if (walk.spin) {
        if (!at_head)
          w = ws.w[std::size_t(walk.from)];
        else if (run.parent != 0)
          w = transpose_times(run.E, ws.aba.w[std::size_t(run.parent)]);
      }
      for (int slot = walk.slot; slot < walk.end; ++slot) {
        const auto& k = plan.blocks[std::size_t(slot / joints)];
        const auto& b = ws.aba.block[std::size_t(slot / joints)];
        const int lane = slot % joints;
        const T c = at<T>(b.c, lane), s = at<T>(b.s, lane);
        const Real ca = at<Real>(k.cos_alpha, lane), sa = at<Real>(k.sin_alpha, lane);
        if (slot != run.slot) up = along_normal(ca, sa, up);
        up = into_link(c, s, up);
        if (!walk.spin) continue;
        if (slot != run.slot) w = along_normal(ca, sa, w);
        w = into_link(c, s, w);
        w.z = fma(at<Real>(k.turn, lane), load<T>(v + plan.v_of_slot[std::size_t(slot)] * worlds), w.z);
      }
    }
    ws.up[std::size_t(walk.to)] = up;
    ws.w[std::size_t(walk.to)] = walk.spin ? w : ws.aba.w[std::size_t(walk.run)];
  }
}

// ---- (4): rows, eliminated ------------------------------------------------------------------------------------------

// A pivot counts above a share of its row's own diagonal; rounding leaves a few units of the last place of it.
template <class Real>
constexpr Real least_share = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-10);
template <class Real>
constexpr Real row_noise = std::is_same_v<Real, float> ? Real(2e-6) : Real(4e-15);

template <class T>
__attribute__((noinline)) void fill_rows(const HeldPlan<T>& held, HeldWorkspace<T>& ws) {
  using Wide = typename Lanes<T>::Wide;
  using Real = typename Plan<T>::Real;
  const int stride = row_stride<T>(held.active);
  for (const auto& block : held.blocks) {
    const auto& from = held.vertex[std::size_t(block.u)];
    const auto& to = held.vertex[std::size_t(block.v)];
    Wide* rows = &ws.A[std::size_t(from.first * stride)];
    if (!block.zero)
      fill_block<T>(ws.V[pair(block.u, block.v)], from, to, stride, rows);
    else if constexpr (!one_world<T>)
      for (int i = 0; i < from.held; ++i)
        for (int j = 0; j < to.held; ++j) rows[i * stride + to.first + j] = T(0);
  }
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.vertex[v];
    for (int i = 0; i < vertex.held; ++i) {
      const int row = vertex.first + i, column = vertex.column[i];
      const T diagonal = element<T>(&ws.A[std::size_t(row * stride)], row), bound = number(ws.bound[v], column);
      const T share = least_share<Real> * diagonal;
      element<T>(ws.noise.data(), row) = row_noise<Real> * diagonal;
      element<T>(ws.least.data(), row) = select(share > bound, share, bound);
    }
  }
}

// What is missing to the target, with the velocity products of the point and without aba's upward world.
template <class T, class Real>
__attribute__((noinline)) void fill_right_side(const HeldPlan<T>& held, const Real* target, HeldWorkspace<T>& ws) {
  constexpr int worlds = Lanes<T>::worlds;
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.vertex[v];
    if (vertex.held == 0) continue;
    const auto& node = held.tree.vertices()[v];
    const Vec3<T>& w = ws.w[std::size_t(vertex.mark)];
    const Vec3<T> centripetal = cross(w, cross(w, node.X_LV.p));
    const Vec3<T> drift = transpose_times(node.X_LV.R, centripetal - ws.up[std::size_t(vertex.mark)]);
    const T drifts[6] = {T(0), T(0), T(0), drift.x, drift.y, drift.z};
    for (int i = 0; i < vertex.held; ++i) {
      const T rest = target ? load<T>(target + vertex.given[i] * worlds) : T(0);
      element<T>(ws.b.data(), vertex.first + i) =
          rest - (number(ws.a[v], vertex.column[i]) + drifts[vertex.component[i]]);
    }
  }
}

// LDL' from the first row to the last, and the solution. Every number has its own sum, in the same order for every T.
// What is off a pivot d by rounding is off a later one by l^2 of it, much more than a last place where d was small: a
// row counts only above that, too. S registers to a row; 0: as many as there are.
template <int S, class T>
__attribute__((noinline)) void eliminate(const HeldPlan<T>& held, HeldWorkspace<T>& ws, T& rank) {
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
    ws.D_inverse[std::size_t(k)] = D_inverse;
    const T b_k = element<T>(b, k);
    ws.x[std::size_t(k)] = b_k;
    const Wide scale(D_inverse), from(-b_k), shaky(off);
    if constexpr (one_world<T>) {
#pragma GCC unroll 4
      for (int j = 0; j < stride; ++j) {  // also up to k, where nobody looks any more
        const Wide L = row[j] * scale;
        noise[j] = fma(L * L, shaky, noise[j]);
        b[j] = fma(L, from, b[j]);
      }
      for (int i = k + 1; i < n; ++i) {
        const Wide minus(-(element<T>(row, i) * D_inverse));  // L again: it would have to go through memory
        Wide* below = A + i * stride;
#pragma GCC unroll 4
        for (int j = 0; j < stride; ++j) below[j] = fma(minus, row[j], below[j]);  // below the diagonal too: no branch
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
    x[k] = x[k] * ws.D_inverse[std::size_t(k)];
    for (int i = 0; i < k; ++i) x[i] = fnma(element<T>(A + i * stride, k), x[k], x[i]);
  }
}

// ---- (5): reactions -------------------------------------------------------------------------------------------------

template <int N, class T>
LINCHPIN_INLINE T product(const Columns<T>& s, const T (&F)[6]) {
  T sum = number(s, 0) * F[0];
#pragma GCC unroll 6
  for (int j = 1; j < N; ++j) sum = fma(number(s, j), F[j], sum);
  return sum;
}

template <int N, class T>
void add_along_path(const Plan<T>& plan, const HeldPlan<T>& held, std::size_t v, const T (&F)[6],
                    HeldWorkspace<T>& ws) {
  const auto& vertex = held.tree.vertices()[v];
  for (int k = vertex.first; k < vertex.last; ++k) {
    const auto& stretch = held.tree.stretches()[std::size_t(k)];
    const auto& run = plan.runs[std::size_t(stretch.run)];
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      const bool axial = run.kind == LinkKind::axial;
      for (int slot = stretch.from; slot >= stretch.to; --slot) {
        const std::size_t at = std::size_t(slot);
        AbaPivot<T>& pivot = ws.aba.pivot[at];
        const T D_inverse = axial ? ws.aba.D_inverse[at] : pivot.g_z;
        pivot.u = fma(D_inverse, product<N, T>(ws.s[at], F), pivot.u);
      }
      continue;
    }
    AbaWidePivot<T>& w = ws.aba.wide[std::size_t(run.slot)];
    const Columns<T>* s = &ws.wide_s[6 * std::size_t(run.slot)];
    if (run.kind == LinkKind::ball) {
      w.u += Vec3<T>{product<N, T>(s[0], F), product<N, T>(s[1], F), product<N, T>(s[2], F)};
    } else {
      const InertiaFactors<T>& factors = ws.factors[std::size_t(run.slot)];
      T x[6];
      for (int i = 0; i < 6; ++i) x[i] = factors.D_inverse[i] * product<N, T>(s[i], F);
      solve_backward(factors, x);
      w.a = w.a + Motion<T>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    }
  }
}

template <class T>
__attribute__((noinline)) void add_reactions(const Plan<T>& plan, const HeldPlan<T>& held, HeldWorkspace<T>& ws) {
  for (T& x : ws.force) x = T(0);
  for (std::size_t v = held.vertex.size(); v-- > 0;) {
    const auto& vertex = held.vertex[v];
    T F[6];
    for (std::size_t j = 0; j < 6; ++j) F[j] = ws.force[6 * v + j];
    for (int i = 0; i < vertex.held; ++i)
      F[vertex.column[i]] = F[vertex.column[i]] + ws.x[std::size_t(vertex.first + i)];
    if (vertex.columns == 3)
      add_along_path<3, T>(plan, held, v, F, ws);
    else
      add_along_path<6, T>(plan, held, v, F, ws);
    const int p = held.tree.vertices()[v].parent;
    if (p < 0) continue;
    T* before = &ws.force[6 * std::size_t(p)];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      T sum = fma(T(entry(ws.Phi[v], i, 2)), F[2],
                  fma(T(entry(ws.Phi[v], i, 1)), F[1], fma(T(entry(ws.Phi[v], i, 0)), F[0], before[i])));
      if (vertex.columns == 6)
        sum = fma(T(entry(ws.Phi[v], i, 5)), F[5],
                  fma(T(entry(ws.Phi[v], i, 4)), F[4], fma(T(entry(ws.Phi[v], i, 3)), F[3], sum)));
      before[i] = sum;
    }
  }
}

}  // namespace

template <class T>
HeldWorkspace<T>::HeldWorkspace(const Plan<T>& plan, const HeldPlan<T>& held)
    : aba(plan),
      Phi(held.vertex.size()),
      Psi(held.vertex.size()),
      V(held.vertex.size() * (held.vertex.size() + 1) / 2),
      psi(held.vertex.size()),
      a(held.vertex.size()),
      s(std::size_t(plan.slots)),
      wide_s(6 * plan.wide_links.size()),
      factors(plan.wide_links.size()),
      lever(2 * held.vertex.size()),
      bound(held.vertex.size()),
      up(std::size_t(held.marks)),
      w(std::size_t(held.marks)),
      A(std::size_t(held.active * row_stride<T>(held.active))),
      b(std::size_t(row_stride<T>(held.active))),
      l(b.size()),
      noise(b.size()),
      least(b.size()),
      D_inverse(std::size_t(held.active)),
      x(std::size_t(held.active)),
      force(6 * held.vertex.size()) {}

template <class T>
void held_dynamics(const Plan<T>& plan, const HeldPlan<T>& held, std::span<const typename Plan<T>::Real> q,
                   std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                   std::span<const typename Plan<T>::Real> f_ext, std::span<const typename Plan<T>::Real> target,
                   HeldWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot,
                   std::span<typename Plan<T>::Real> lambda, std::span<int> rank) {
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  const std::size_t rows = std::size_t(held.rows) * worlds;
  check(held.lever.size() == std::size_t(plan.slots) && held.wide_lever.size() == plan.wide_links.size(),
        "rows of another model: it has ", held.lever.size(), " joints of one axis, this one ", plan.slots);
  check(ws.Phi.size() == held.vertex.size() && ws.D_inverse.size() == std::size_t(held.active),
        "workspace of other rows: ", ws.D_inverse.size(), " instead of ", held.active);
  check(target.empty() || target.size() == rows, "target has ", target.size(), " numbers, ", held.rows,
        " rows need none or ", rows);
  check(lambda.size() == rows, "lambda has ", lambda.size(), " numbers, ", held.rows, " rows need ", rows);
  check(rank.size() == worlds, "rank has ", rank.size(), " numbers for ", worlds, " worlds");
  check(vdot.size() == v.size(), "vdot has ", vdot.size(), " numbers, the model needs ", v.size());
  aba_inward<T>(plan, q, v, tau, f_ext, ws.aba);
  for (std::size_t i = 0; i < held.vertex.size(); ++i) {
    carry<T>(plan, held, i, 0, ws);
    const bool three = held.vertex[i].columns == 3;
    if (!side_by_side<T> && !three) carry<T>(plan, held, i, 3, ws);
    if (three)
      sum_up<3, T>(plan, held, i, ws);
    else
      sum_up<6, T>(plan, held, i, ws);
  }
  make_products(held, ws);
  fill_rows(held, ws);  // well before they are read again as whole registers
  free_accelerations(held, ws);
  turn_outward(plan, held, v.data(), ws);
  fill_right_side(held, target.empty() ? nullptr : target.data(), ws);
  T count;
  const int stride = row_stride<T>(held.active);
  if (one_world<T> && stride == 1)
    eliminate<1, T>(held, ws, count);
  else if (one_world<T> && stride == 2)
    eliminate<2, T>(held, ws, count);
  else
    eliminate<0, T>(held, ws, count);
  for (std::size_t w = 0; w < worlds; ++w) rank[w] = int(at<typename Plan<T>::Real>(count, int(w)));
  for (const auto& vertex : held.vertex)
    for (int i = 0; i < vertex.held; ++i)
      store(ws.x[std::size_t(vertex.first + i)], &lambda[std::size_t(vertex.given[i]) * worlds]);
  for (const int row : held.silent) store(T(0), &lambda[std::size_t(row) * worlds]);
  add_reactions(plan, held, ws);
  aba_outward<T>(plan, ws.aba, vdot);
}

#define LINCHPIN_INSTANTIATE(T)                                                                                     \
  template struct HeldWorkspace<T>;                                                                                 \
  template void held_dynamics<T>(const Plan<T>&, const HeldPlan<T>&, std::span<const Plan<T>::Real>,                \
                                 std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,                    \
                                 std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, HeldWorkspace<T>&, \
                                 std::span<Plan<T>::Real>, std::span<Plan<T>::Real>, std::span<int>);
LINCHPIN_INSTANTIATE(double)
LINCHPIN_INSTANTIATE(float)
LINCHPIN_INSTANTIATE(Double4)
LINCHPIN_INSTANTIATE(Double8)
LINCHPIN_INSTANTIATE(Float16)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin

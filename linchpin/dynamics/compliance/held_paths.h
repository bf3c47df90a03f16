// Unit forces along a path of held_rows.h: Phi, Psi, psi and the s of its joints, by (2). For kernel files only.
#pragma once

#include "linchpin/dynamics/compliance/held_limbs.h"
#include "linchpin/spatial/matrix6.h"

namespace linchpin {

// Unit forces are columns. For double, three or six of them lie in one register and are carried together; for packs of
// worlds and for float, three at a time stay in registers. Both use the same source, with X for the columns carried
// together.
template <class T>
constexpr int group = side_by_side<T> ? 1 : 3;

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

// ---- Phi, Psi, psi and s of a path ----------------------------------------------------------------------------------

// Columns carried inward, and psi of (2) so far.
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
    const auto& b = ws.aba.block[slot / joints];
    const int lane = slot % joints;
    const T u_over_D = ws.aba.pivot[slot].u_over_D;
    const T cx = at<T>(b.c_x, lane), cy = at<T>(b.c_y, lane), clx = at<T>(b.cl_x, lane), cly = at<T>(b.cl_y, lane),
            clz = at<T>(b.cl_z, lane);
#pragma GCC unroll 3
    for (int k = 0; k < N; ++k) {
      X s;
      const Force<X> F = past_pivot<axial>(plan, ws.aba, slot, P[k], s);
      put<T>(s, first_column + k, ws.s[slot]);
      // two short chains of additions, since the next joint waits for this sum
      const X angular = fma(cy, F.n.y, fma(cx, F.n.x, u_over_D * s));
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
  const AbaWidePivot<T>& w = ws.aba.wide[run.slot];
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

// The acceleration of a free link does not depend on its parent.
template <class T, int N>
void through_free(const RunPlan<typename Plan<T>::Real>& run, int first_column, HeldWorkspace<T>& ws,
                  Group<Carried<T>, N>& carried) {
  using X = Carried<T>;
  const AbaWidePivot<T>& w = ws.aba.wide[run.slot];
  InertiaFactors<T>& factors = ws.factors[run.slot];
  if (first_column == 0) factor_inertia(w.IA, factors);
  for (int k = 0; k < N; ++k) {
    X s[6];
    solve_forward(factors, carried.P[k], s);
    for (int i = 0; i < 6; ++i) put<T>(s[i], first_column + k, ws.wide_s[6 * std::size_t(run.slot) + std::size_t(i)]);
    carried.psi[k] = power(carried.P[k], w.a, carried.psi[k]);
    carried.P[k] = Force<X>::zero();
  }
}

// Carries one group of columns of vertex v to its parent vertex.
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
  int first = vertex.first;
  if constexpr (has_limbs<T>)
    if (const int limbs = held.vertex[v].limbs; limbs >= 0) {
      const LimbPaths& from = ws.limb_paths[limbs];
      const int lane = held.vertex[v].lane;
      const auto columns = [&](const auto& of) { return columns_of(of(0), of(1), of(2), lane); };
      Force<X>& P = carried.P[0];
      P.n.x = columns([&](int j) -> const Limbs::V& { return from.P[j].n.x; });
      P.n.y = columns([&](int j) -> const Limbs::V& { return from.P[j].n.y; });
      P.n.z = columns([&](int j) -> const Limbs::V& { return from.P[j].n.z; });
      P.f.x = columns([&](int j) -> const Limbs::V& { return from.P[j].f.x; });
      P.f.y = columns([&](int j) -> const Limbs::V& { return from.P[j].f.y; });
      P.f.z = columns([&](int j) -> const Limbs::V& { return from.P[j].f.z; });
      carried.psi[0] = columns([&](int j) -> const Limbs::V& { return from.psi[j]; });
      const auto& run = plan.runs[held.tree.stretches()[first].run];
      if (!plan.limbs[limbs].same_head) P = force_through_head(run, P);
      ++first;
    }
  for (int at = first; at < vertex.last; ++at) {
    const auto& stretch = held.tree.stretches()[at];
    const auto& run = plan.runs[stretch.run];
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
  if (vertex.parent < 0) {  // the world, which accelerates upwards in aba()
    for (int k = 0; k < N; ++k) carried.psi[k] = plus_dot(carried.psi[k], plan.upward, carried.P[k].f);
  } else {
    const auto& parent = held.tree.vertices()[vertex.parent];
    for (int k = 0; k < N; ++k) {
      Force<X> F = carried.P[k];
      if (parent.is_node) F = force_to_child(parent.X_LV, F);
      const X rows[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
      for (int i = 0; i < 6; ++i) put<T>(rows[i], i, first_column + k, ws.Phi[v]);
    }
  }
  for (int k = 0; k < N; ++k) put<T>(carried.psi[k], first_column + k, ws.psi[v]);
}

// Psi of N columns; the upper half is computed. add_outer() adds s y'.
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
  Square<T, N> sum = Psi;  // stays in registers
  T angular = size[0], linear = size[1];
  for (int slot = from; slot >= to; --slot) {
    const std::size_t at = std::size_t(slot);
    const T per_D = D_inverse<axial>(ws.aba, slot);
    const auto& lever = held.lever[at];
    angular = fma(lever.angular, per_D, angular);
    linear = fma(lever.linear, per_D, linear);
    add_outer<N, T>(ws.s[at], scaled<N, T>(per_D, ws.s[at]), sum);
  }
  Psi = sum;
  size[0] = angular, size[1] = linear;
}

// Psi from the s that carry() left, and the sums of levers over D: the diagonal of Psi if every axis had the worst
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
  int first = vertex.first;
  if constexpr (has_limbs<T> && N == 3)
    if (const int limbs = held.vertex[v].limbs; limbs >= 0) {
      const LimbPaths& from = ws.limb_paths[limbs];
      const int lane = held.vertex[v].lane;
      const Limbs::V zero(0.0);
      Psi.at[0][0] = columns_of(from.Psi[0][0], from.Psi[0][1], from.Psi[0][2], lane);
      Psi.at[1][0] = columns_of(zero, from.Psi[1][1], from.Psi[1][2], lane);
      Psi.at[2][0] = columns_of(zero, zero, from.Psi[2][2], lane);
      size[0] = from.lever[0].numbers()[lane], size[1] = from.lever[1].numbers()[lane];
      ++first;
    }
  for (int k = first; k < vertex.last; ++k) {
    const auto& stretch = held.tree.stretches()[k];
    const auto& run = plan.runs[stretch.run];
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
  Matrix6<T>& out = vertex.parent < 0 ? ws.V[vertex_pair(int(v), int(v))] : ws.Psi[v];
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

}  // namespace linchpin

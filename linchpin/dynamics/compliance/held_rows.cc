#include "linchpin/dynamics/compliance/held_rows.h"

#include "linchpin/base/index.h"
#include "linchpin/dynamics/compliance/held_elimination.h"
#include "linchpin/dynamics/compliance/held_paths.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

// ---- W --------------------------------------------------------------------------------------------------------------

// A bound on the rounding error of V's diagonal (algebra/rank.h).
template <class T>
LINCHPIN_INLINE void find_bounds(const HeldPlan<T>& held, std::size_t v, HeldWorkspace<T>& ws) {
  using Real = typename Plan<T>::Real;
  const auto& vertex = held.vertex[v];
  const T angular = rank::path_rounding<Real> * ws.lever[2 * v],
          linear = rank::path_rounding<Real> * ws.lever[2 * v + 1];
  Columns<T> bound;
  if constexpr (side_by_side<T>) {
    bound.row = fma(Double8::load(vertex.angular), angular, Double8::load(vertex.linear) * linear);
  } else {
    for (int j = 0; j < vertex.columns; ++j) bound.at[j] = fma(vertex.angular[j], angular, vertex.linear[j] * linear);
  }
  const int p = held.tree.vertices()[v].parent;
  if (p < 0) {
    ws.bound[v] = bound;
    return;
  }
  const Matrix6<T>& V = ws.V[vertex_pair(p, p)];
  const Columns<T>& before = ws.bound[p];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const T size = fma(rank::product_rounding<Real>, T(entry(V, k, k)), number(before, k));
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
  ws.bound[v] = bound;
}

// Copies a block of V into W. `rows` are those of `from`.
template <class T>
LINCHPIN_INLINE void fill_block(const Matrix6<T>& V, const typename HeldPlan<T>::Vertex& from,
                                const typename HeldPlan<T>::Vertex& to, int stride, typename Lanes<T>::Wide* rows) {
  if constexpr (side_by_side<T>)
    if (to.columns == 3) {  // its columns are its held rows
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
  constexpr Matrix6<T>* null = nullptr;
  const int stride = row_stride<T>(held.active);
  if constexpr (one_world<T>)  // unused lanes must not hold NaN
    for (Wide& x : ws.A) x = Wide(typename Plan<T>::Real(0));
  for (std::size_t v = 0; v < held.vertex.size(); ++v)
    if (held.tree.vertices()[v].parent < 0) find_bounds(held, v, ws);
  Matrix6<T> block;
  for (const auto& product : held.products) {
    const int u = product.u, v = product.v, p = product.p;
    const Matrix6<T>& Phi = ws.Phi[v];
    const auto& from = held.vertex[product.own ? v : u];
    const auto& to = held.vertex[v];
    Wide* rows = ws.A.data() + index(from.first) * stride;
    if (product.own) {
      Matrix6<T>& Z = ws.V[vertex_pair(p, v)];  // V_pp Phi_v
      multiply<false, false, 3>(ws.V[vertex_pair(p, p)], Phi, null, 6, to.columns, Z);
      find_bounds(held, std::size_t(v), ws);
      if (product.direct) {
        multiply<true, false, 3>(Phi, Z, &ws.Psi[v], 3, 3, block);
        fill_block<T>(block, from, to, stride, rows);
      } else {
        Matrix6<T>& own = ws.V[vertex_pair(v, v)];
        multiply<true, false, 3>(Phi, Z, &ws.Psi[v], to.columns, to.columns, own);
        if (to.columns == 6) mirror(own);
      }
    } else if (product.direct) {
      if (u < p)
        multiply<false, false, 3>(ws.V[vertex_pair(u, p)], Phi, null, 3, 3, block);
      else
        multiply<true, false, 3>(ws.V[vertex_pair(p, u)], Phi, null, 3, 3, block);
      fill_block<T>(block, from, to, stride, rows);
    } else if (u < p) {
      multiply<false, false, 3>(ws.V[vertex_pair(u, p)], Phi, null, from.columns, to.columns, ws.V[vertex_pair(u, v)]);
    } else {
      multiply<true, false, 3>(ws.V[vertex_pair(p, u)], Phi, null, from.columns, to.columns, ws.V[vertex_pair(u, v)]);
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
    const Columns<T>& a = ws.a[p];
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

// The world's upward acceleration and the angular velocity, in the axes of links with nodes.
template <class T, class Real>
__attribute__((noinline)) void turn_outward(const Plan<T>& plan, const HeldPlan<T>& held, const Real* v,
                                            HeldWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  ws.up[0] = {T(plan.upward.x), T(plan.upward.y), T(plan.upward.z)};
  ws.w[0] = Vec3<T>::zero();
  for (const auto& walk : held.walks) {
    const auto& run = plan.runs[walk.run];
    Vec3<T> up = ws.up[walk.from], w = Vec3<T>::zero();
    const bool at_head = walk.slot == run.slot;
    if (at_head) up = transpose_times(run.E, up);
    if (run.kind == LinkKind::ball || run.kind == LinkKind::free) {
      up = transpose_times(ws.aba.wide[run.slot].R, up);
    } else {
      if (walk.spin) {
        if (!at_head)
          w = ws.w[walk.from];
        else if (run.parent != 0)
          w = transpose_times(run.E, ws.aba.w[run.parent]);
      }
      for (int slot = walk.slot; slot < walk.end; ++slot) {
        const auto& k = plan.blocks[slot / joints];
        const auto& b = ws.aba.block[slot / joints];
        const int lane = slot % joints;
        const T c = at<T>(b.c, lane), s = at<T>(b.s, lane);
        const Real ca = at<Real>(k.cos_alpha, lane), sa = at<Real>(k.sin_alpha, lane);
        if (slot != run.slot) up = along_normal(ca, sa, up);
        up = into_link(c, s, up);
        if (!walk.spin) continue;
        if (slot != run.slot) w = along_normal(ca, sa, w);
        w = into_link(c, s, w);
        w.z = fma(at<Real>(k.turn, lane), load<T>(v + plan.v_of_slot[slot] * worlds), w.z);
      }
    }
    ws.up[walk.to] = up;
    ws.w[walk.to] = walk.spin ? w : ws.aba.w[walk.run];
  }
}

// ---- (4): rows, eliminated ------------------------------------------------------------------------------------------

template <class T>
__attribute__((noinline)) void fill_rows(const HeldPlan<T>& held, HeldWorkspace<T>& ws) {
  using Wide = typename Lanes<T>::Wide;
  using Real = typename Plan<T>::Real;
  const int stride = row_stride<T>(held.active);
  for (const auto& block : held.blocks) {
    const auto& from = held.vertex[block.u];
    const auto& to = held.vertex[block.v];
    Wide* rows = &ws.A[index(from.first) * stride];
    if (!block.zero)
      fill_block<T>(ws.V[vertex_pair(block.u, block.v)], from, to, stride, rows);
    else if constexpr (!one_world<T>)
      for (int i = 0; i < from.held; ++i)
        for (int j = 0; j < to.held; ++j) rows[i * stride + to.first + j] = T(0);
  }
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.vertex[v];
    for (int i = 0; i < vertex.held; ++i) {
      const int row = vertex.first + i, column = vertex.column[i];
      const T diagonal = element<T>(&ws.A[index(row) * stride], row), bound = number(ws.bound[v], column);
      const T share = rank_tolerance<Real> * diagonal;
      element<T>(ws.noise.data(), row) = rank::pivot_rounding<Real> * diagonal;
      element<T>(ws.least.data(), row) = select(share > bound, share, bound);
    }
  }
}

// The right-hand side target - a, where a includes the velocity products of the point and not the world's upward
// acceleration of aba().
template <class T, class Real>
__attribute__((noinline)) void fill_right_side(const HeldPlan<T>& held, const Real* target, HeldWorkspace<T>& ws) {
  constexpr int worlds = Lanes<T>::worlds;
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.vertex[v];
    if (vertex.held == 0) continue;
    const auto& node = held.tree.vertices()[v];
    Vec3<T> drift;
    if (has_limbs<T> && vertex.limbs >= 0) {
      if constexpr (has_limbs<T>) drift = lane_of<Vec3<T>>(ws.limb_paths[vertex.limbs].drift, vertex.lane);
    } else {
      const Vec3<T>& w = ws.w[vertex.mark];
      const Vec3<T> centripetal = cross(w, cross(w, node.X_LV.p));
      drift = transpose_times(node.X_LV.R, centripetal - ws.up[vertex.mark]);
    }
    const T drifts[6] = {T(0), T(0), T(0), drift.x, drift.y, drift.z};
    for (int i = 0; i < vertex.held; ++i) {
      const T rest = target ? load<T>(target + vertex.given[i] * worlds) : T(0);
      element<T>(ws.b.data(), vertex.first + i) =
          rest - (number(ws.a[v], vertex.column[i]) + drifts[vertex.component[i]]);
    }
  }
}

// ---- (5): reactions -------------------------------------------------------------------------------------------------

template <int N, class T>
LINCHPIN_INLINE T product(const Columns<T>& s, const T* F) {
  T sum = number(s, 0) * F[0];
#pragma GCC unroll 6
  for (int j = 1; j < N; ++j) sum = fma(number(s, j), F[j], sum);
  return sum;
}

template <int N, class T>
void add_along_path(const Plan<T>& plan, const HeldPlan<T>& held, std::size_t v, const T* F, HeldWorkspace<T>& ws) {
  const auto& vertex = held.tree.vertices()[v];
  int first = vertex.first;
  if constexpr (has_limbs<T>)
    if (const int limbs = held.vertex[v].limbs; limbs >= 0) {
      for (int j = 0; j < 3; ++j) ws.limb_paths[limbs].F[j].numbers()[held.vertex[v].lane] = F[j];
      ++first;
    }
  for (int k = first; k < vertex.last; ++k) {
    const auto& stretch = held.tree.stretches()[k];
    const auto& run = plan.runs[stretch.run];
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      const bool axial = run.kind == LinkKind::axial;
      for (int slot = stretch.from; slot >= stretch.to; --slot) {
        const std::size_t at = std::size_t(slot);
        AbaPivot<T>& pivot = ws.aba.pivot[at];
        const T per_D = axial ? ws.aba.axial_D_inverse[at] : pivot.hinge_D_inverse;
        pivot.u_over_D = fma(per_D, product<N, T>(ws.s[at], F), pivot.u_over_D);
      }
      continue;
    }
    AbaWidePivot<T>& w = ws.aba.wide[run.slot];
    const Columns<T>* s = &ws.wide_s[6 * std::size_t(run.slot)];
    if (run.kind == LinkKind::ball) {
      w.u += Vec3<T>{product<N, T>(s[0], F), product<N, T>(s[1], F), product<N, T>(s[2], F)};
    } else {
      const InertiaFactors<T>& factors = ws.factors[run.slot];
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
    T* F = &ws.force[6 * v];
    for (int i = 0; i < vertex.held; ++i) F[vertex.column[i]] = F[vertex.column[i]] + ws.x[vertex.first + i];
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
      s(plan.slots),
      wide_s(6 * plan.wide_links.size()),
      factors(plan.wide_links.size()),
      lever(2 * held.vertex.size()),
      bound(held.vertex.size()),
      up(held.marks),
      w(held.marks),
      A(index(held.active) * row_stride<T>(held.active)),
      b(row_stride<T>(held.active)),
      l(b.size()),
      noise(b.size()),
      least(b.size()),
      D_inverse(held.active),
      x(held.active),
      force(6 * held.vertex.size()),
      limb_paths(plan.limbs.size()),
      limb_s(plan.limb_positions) {}

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
  aba_inward<T>(plan, q, v, tau, f_ext, ws.aba, held.limb_order);
  if constexpr (has_limbs<T>)
    for (std::size_t i = 0; i < held.limb_nodes.size(); ++i)
      if (held.limb_nodes[i].any) {
        carry_limbs(plan.limbs[i], held.limb_nodes[i], ws, ws.limb_paths[i]);
        sum_up_limbs(plan.limbs[i], held.limb_nodes[i], ws, ws.limb_paths[i]);
      }
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
  fill_rows(held, ws);  // early: numbers stored one by one are read later as whole registers
  free_accelerations(held, ws);
  turn_outward(plan, held, v.data(), ws);
  if constexpr (has_limbs<T>)
    for (std::size_t i = 0; i < held.limb_nodes.size(); ++i)
      if (held.limb_nodes[i].any) turn_limbs(plan.limbs[i], held.limb_nodes[i], ws, ws.limb_paths[i]);
  fill_right_side(held, target.empty() ? nullptr : target.data(), ws);
  T count;
  eliminate(held, ws, count);
  for (std::size_t w = 0; w < worlds; ++w) rank[w] = int(at<typename Plan<T>::Real>(count, int(w)));
  for (const auto& vertex : held.vertex)
    for (int i = 0; i < vertex.held; ++i) store(ws.x[vertex.first + i], &lambda[std::size_t(vertex.given[i]) * worlds]);
  for (const int row : held.silent) store(T(0), &lambda[std::size_t(row) * worlds]);
  if constexpr (has_limbs<T>)  // for limbs without held rows
    for (LimbPaths& paths : ws.limb_paths)
      for (Limbs::V& F : paths.F) F = Limbs::V(0.0);
  add_reactions(plan, held, ws);
  if constexpr (has_limbs<T>)
    for (std::size_t i = 0; i < held.limb_nodes.size(); ++i)
      if (held.limb_nodes[i].any) add_limb_reactions(plan.limbs[i], ws.limb_paths[i], ws);
  aba_outward<T>(plan, ws.aba, vdot, held.limb_order);
}

#define LINCHPIN_INSTANTIATE(T)                                                                                     \
  template struct HeldWorkspace<T>;                                                                                 \
  template void held_dynamics<T>(const Plan<T>&, const HeldPlan<T>&, std::span<const Plan<T>::Real>,                \
                                 std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,                    \
                                 std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, HeldWorkspace<T>&, \
                                 std::span<Plan<T>::Real>, std::span<Plan<T>::Real>, std::span<int>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin

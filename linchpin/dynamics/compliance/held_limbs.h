// Held rows of limbs side by side (Limbs in plan.h), each with at most one node that holds at most three rows. The same
// as held_paths.h along a path, with the joints of several limbs in the lanes of one register. Each lane performs the
// operations of a single path in the same order, so it has the same bits. For kernel files only.
#pragma once

#include "linchpin/dynamics/compliance/held_rows.h"
#include "linchpin/dynamics/tree/aba_limbs.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {

using LimbNodes = HeldPlan<double>::LimbNodes;

// Carries the unit forces of the nodes inward to the parents of the limbs, with psi of (2). Forces are zero at joints
// further out than the node.
inline void carry_limbs(const Limbs& limbs, const LimbNodes& nodes, HeldWorkspace<double>& ws, LimbPaths& out) {
  using V = Limbs::V;
  const V zero(0.0);
  Force<V> P[3];
  V psi[3];
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) P[j] = {{zero, zero, zero}, {zero, zero, zero}}, psi[j] = zero;
  for (int k = limbs.length - 1; k >= 0; --k) {
    const LinkBlock<V>& link = limbs.link[k];
    const std::size_t at_k = std::size_t(limbs.first + k);
    const AbaPivot<V>& g = ws.aba.limb_pivot[at_k];
    const AbaBlock<V>& b = ws.aba.limb_block[at_k];
    const auto& position = nodes.position[k];
    if (position.node) {
      const auto here = position.here > 0.5;
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        V* rows[6] = {&P[j].n.x, &P[j].n.y, &P[j].n.z, &P[j].f.x, &P[j].f.y, &P[j].f.z};
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) *rows[i] = select(here, nodes.unit[i][j], *rows[i]);
      }
    }
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      V s;
      const Force<V> F = past_pivot<false, V>(link, 0, g, P[j], s);
      ws.limb_s[at_k].at[j] = s;
      const V angular = fma(b.c_y, F.n.y, fma(b.c_x, F.n.x, g.u_over_D * s));
      const V linear = fma(b.cl_z, F.f.z, fma(b.cl_y, F.f.y, fma(b.cl_x, F.f.x, psi[j])));
      psi[j] = linear + angular;
      P[j] = to_previous_link<false, V>(link, 0, b, F);
    }
  }
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
    out.P[j] = limbs.same_head ? force_through_head(limbs, P[j]) : P[j];
    out.psi[j] = psi[j];
  }
}

// Psi, and the sums of the levers over D.
inline void sum_up_limbs(const Limbs& limbs, const LimbNodes& nodes, const HeldWorkspace<double>& ws, LimbPaths& out) {
  using V = Limbs::V;
  const V zero(0.0);
  V Psi[3][3], angular = zero, linear = zero;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = i; j < 3; ++j) Psi[i][j] = zero;
  for (int k = limbs.length - 1; k >= 0; --k) {
    const std::size_t at_k = std::size_t(limbs.first + k);
    const V D_inverse = ws.aba.limb_pivot[at_k].hinge_D_inverse;
    const auto& position = nodes.position[k];
    angular = fma(position.lever_angular, D_inverse, angular);
    linear = fma(position.lever_linear, D_inverse, linear);
    const LimbColumns& s = ws.limb_s[at_k];
    V y[3];
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) y[j] = D_inverse * s.at[j];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
      for (int j = i; j < 3; ++j) Psi[i][j] = fma(s.at[i], y[j], Psi[i][j]);
  }
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = i; j < 3; ++j) out.Psi[i][j] = Psi[i][j];
  out.lever[0] = angular;
  out.lever[1] = linear;
}

// Three columns of one limb in one register, for the rest of its path.
LINCHPIN_INLINE Double8 columns_of(const Limbs::V& x, const Limbs::V& y, const Limbs::V& z, int lane) {
  return Double8(Double8::Vector{x.numbers()[lane], y.numbers()[lane], z.numbers()[lane]});
}

// The accelerations of the nodes due to velocities, without the upward acceleration of the world in aba(), in their
// axes.
inline void turn_limbs(const Limbs& limbs, const LimbNodes& nodes, const HeldWorkspace<double>& ws, LimbPaths& out) {
  using V = Limbs::V;
  Vec3<V> up =
      transpose_times(limbs.E, gather3(nodes.mark, [&](int mark) -> const Vec3<double>& { return ws.up[mark]; }));
  for (int k = 0; k < limbs.length; ++k) {
    const LinkBlock<V>& link = limbs.link[k];
    const std::size_t at_k = std::size_t(limbs.first + k);
    const AbaBlock<V>& b = ws.aba.limb_block[at_k];
    if (k > 0) up = along_normal(link.cos_alpha, link.sin_alpha, up);
    up = into_link(b.c, b.s, up);
    const auto& position = nodes.position[k];
    if (!position.node) continue;
    const Vec3<V>& w = ws.aba.limb_w[at_k];
    const Vec3<V> centripetal = cross(w, cross(w, nodes.p_LV));
    const Vec3<V> drift = transpose_times(nodes.R_LV, centripetal - up);
    const auto here = position.here > 0.5;
    out.drift = {select(here, drift.x, out.drift.x), select(here, drift.y, out.drift.y),
                 select(here, drift.z, out.drift.z)};
  }
}

// Adds the reactions of (5) along the limbs.
inline void add_limb_reactions(const Limbs& limbs, const LimbPaths& paths, HeldWorkspace<double>& ws) {
  using V = Limbs::V;
  for (int k = 0; k < limbs.length; ++k) {
    const std::size_t at_k = std::size_t(limbs.first + k);
    const LimbColumns& s = ws.limb_s[at_k];
    AbaPivot<V>& g = ws.aba.limb_pivot[at_k];
    const V work = fma(s.at[2], paths.F[2], fma(s.at[1], paths.F[1], s.at[0] * paths.F[0]));
    g.u_over_D = fma(g.hinge_D_inverse, work, g.u_over_D);
  }
}

}  // namespace linchpin

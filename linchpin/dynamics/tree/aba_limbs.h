// Passes of aba.h over limbs side by side: several runs of hinges in the lanes of one register (Limbs in plan.h). Each
// lane performs the operations of a single run in the same order, so it has the same bits. For kernel files only.
#pragma once

#include "linchpin/dynamics/tree/aba_joint.h"
#include "linchpin/dynamics/tree/limb_lanes.h"

namespace linchpin {

template <class Real>
LINCHPIN_INLINE bool in_lanes(const RunPlan<Real>& run, LimbOrder order) {
  return run.limbs >= 0 && order == LimbOrder::side_by_side;
}

// ---- the passes -----------------------------------------------------------------------------------------------------

// Pass 1, and the velocity terms of pass 2.
inline void outward_limb_velocities(const Limbs& limbs, const double* v, AbaWorkspace<double>& ws) {
  using V = Limbs::V;
  constexpr int joints = Lanes<double>::joints;
  const auto parents = gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return ws.w[r]; });
  Vec3<V> w = transpose_times(limbs.E, parents);
  for (int k = 0; k < limbs.length; ++k) {
    const LinkBlock<V>& link = limbs.link[k];
    const Limbs::Position& position = limbs.position[k];
    const std::size_t at_k = std::size_t(limbs.first + k);
    AbaBlock<V>& b = ws.limb_block[at_k];
    const auto block = [&](int slot) -> const auto& { return ws.block[slot / joints]; };
    b.c = gather(position.slot, [&](int slot) { return at<double>(block(slot).c, slot % joints); });
    b.s = gather(position.slot, [&](int slot) { return at<double>(block(slot).s, slot % joints); });
    const V qdot = gather(position.v, v);
    if (k > 0) w = along_normal(link.cos_alpha, link.sin_alpha, w);
    w = into_link(b.c, b.s, w);
    w.z = fma(link.turn, qdot, w.z);
    ws.limb_w[at_k] = w;
    b.w_x = w.x, b.w_y = w.y, b.w_z = w.z;
    if (k == 0)
      velocity_terms<false, true>(link, &limbs.before_normal, qdot, b, ws.limb_local[at_k]);
    else
      velocity_terms<false, false>(link, &limbs.before_normal, qdot, b, ws.limb_local[at_k]);
  }
}

// Pass 2. Returns the inertias passed on to the parents; without through_head() if the heads differ.
inline ArticulatedInertia<Limbs::V> inward_limb_inertias(const Limbs& limbs, const double* tau, bool external,
                                                         AbaWorkspace<double>& ws) {
  using V = Limbs::V;
  ArticulatedInertia<V> x;
  for (int k = limbs.length - 1; k >= 0; --k) {
    const LinkBlock<V>& link = limbs.link[k];
    const Limbs::Position& position = limbs.position[k];
    const std::size_t at_k = std::size_t(limbs.first + k);
    const Force<V> bias = own_bias<V>(ws.limb_local[at_k], 0);
    if (position.tip) {
      ArticulatedInertia<V> tip = own_inertia<V>(link, 0);
      tip.p = bias;
      if (k < limbs.length - 1) {
        add_own_inertia(link, 0, x);
        x.p += bias;
        tip = chosen(limbs.sizes > V(double(k + 1)), x, tip);
      }
      x = tip;
    } else {
      add_own_inertia(link, 0, x);
      x.p += bias;
    }
    if (external) {
      const auto force = [&](int slot) -> const Force<double>& { return ws.external[slot]; };
      x.p = x.p - Force<V>{gather3(position.slot, [&](int slot) -> const Vec3<double>& { return force(slot).n; }),
                           gather3(position.slot, [&](int slot) -> const Vec3<double>& { return force(slot).f; })};
    }
    const V force = gather(position.v, tau);
    const HingePivot<V> G = hinge_pivot(x, force, ws.limb_pivot[at_k]);
    x = past_hinge(link, ws.limb_block[at_k], 0, G, force, x);
  }
  if (!limbs.same_head) return x;
  if (!limbs.some_aligned) {
    through_head(limbs, x);
    return x;
  }
  ArticulatedInertia<V> screwed = x;
  through_head(limbs, screwed);
  return chosen(limbs.screwed > 0.5, screwed, x);  // a rotation by zero would round
}
inline void hand_over_limb(const Plan<double>& plan, const RunPlan<double>& run, AbaWorkspace<double>& ws) {
  const ArticulatedInertia<Limbs::V>& limbs = ws.limb_inertia[run.limbs];
  ArticulatedInertia<double>& sum = ws.sum[run.parent];
  if (plan.limbs[run.limbs].same_head) {
    const auto* from = reinterpret_cast<const double*>(&limbs) + run.lane;
    auto* to = reinterpret_cast<double*>(&sum);
    constexpr std::size_t numbers = sizeof(sum) / sizeof(double);
    if (run.opens_sum) {
#pragma GCC unroll 32
      for (std::size_t i = 0; i < numbers; ++i) to[i] = from[Limbs::most * i];
    } else {
#pragma GCC unroll 32
      for (std::size_t i = 0; i < numbers; ++i) to[i] = to[i] + from[Limbs::most * i];
    }
  } else {
    auto x = lane_of<ArticulatedInertia<double>>(limbs, run.lane);
    through_head(run, x);
    hand_over(run, x, sum);
  }
}

// Pass 3.
inline void outward_limb_accelerations(const Limbs& limbs, const AbaWorkspace<double>& ws, double* vdot) {
  using V = Limbs::V;
  const auto parent = [&](int r) -> const Motion<double>& { return ws.a[r]; };
  Motion<V> a{gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return parent(r).w; }),
              gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return parent(r).v; })};
  a = motion_to_head(limbs, a);
  for (int k = 0; k < limbs.length; ++k) {
    const std::size_t at_k = std::size_t(limbs.first + k);
    const V qdd = accelerate(limbs.link[k], ws.limb_block[at_k], ws.limb_pivot[at_k], 0, k == 0, false, a);
    const Limbs::Position& position = limbs.position[k];
    for (int lane = 0; lane < limbs.count; ++lane)
      if (k < limbs.size[lane]) vdot[position.v[lane]] = qdd[lane];
  }
}

}  // namespace linchpin

#include "linchpin/dynamics/tree/aba.h"

#include "linchpin/dynamics/tree/aba_limbs.h"
#include "linchpin/dynamics/tree/aba_wide.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

// ---- pass 1: angular velocities, from the base to the tips ----------------------------------------------------------

template <class T, class Real>
void outward_velocities(const Plan<T>& plan, const Real* q, const Real* v, LimbOrder order, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  all_joint_trigonometry(plan, q, ws.block.data());
  ws.w[0] = Vec3<T>::zero();
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    if (in_lanes(run, order)) continue;
    Vec3<T> w = Vec3<T>::zero();
    if (run.parent != 0) w = transpose_times(run.E, ws.w[run.parent]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      for (int slot = run.slot; slot < run.end; ++slot) {
        const auto& k = plan.blocks[slot / joints];
        auto& b = ws.block[slot / joints];
        const int lane = slot % joints;
        one_joint_trigonometry(plan, q, slot, b);
        if (slot != run.slot) w = along_normal(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), w);
        w = into_link(at<T>(b.c, lane), at<T>(b.s, lane), w);
        w.z = fma(at<Real>(k.turn, lane), load<T>(v + plan.v_of_slot[slot] * worlds), w.z);
        at<T>(b.w_x, lane) = w.x;
        at<T>(b.w_y, lane) = w.y;
        at<T>(b.w_z, lane) = w.z;
      }
    } else {
      w = wide_velocity(plan, run, w, q, v, ws.wide[run.slot]);
    }
    ws.w[r] = w;
  }
  if constexpr (has_limbs<T>)
    if (order == LimbOrder::side_by_side)
      for (const Limbs& limbs : plan.limbs) outward_limb_velocities(limbs, v, ws);
}

// ---- pass 2: articulated inertias, from the tips to the base --------------------------------------------------------

// The velocity terms of the block of a slot, kept while slots are in the same block. They are computed just before use,
// so that they stay in the nearest cache. Joints of limbs side by side may be in the block too; their results here are
// meaningless and never read.
template <class T>
struct Neighbourhood {
  using V = typename Lanes<T>::Wide;
  using Real = typename Lanes<T>::Real;
  Local<V> local;
  int block = -1;

  LINCHPIN_INLINE void enter(const Plan<T>& plan, int slot, const Real* v, AbaWorkspace<T>& ws) {
    const int b = slot / Lanes<T>::joints;
    if (Lanes<T>::joints > 1 && b == block) return;
    block = b;
    V qdot;
    if constexpr (Lanes<T>::joints > 1)
      qdot = load_joints(plan, std::size_t(b), v, false);
    else
      qdot = load<T>(v + plan.v_of_slot[slot] * Lanes<T>::worlds);
    const BlockLayout& layout = plan.layout[b];
    const auto& k = plan.blocks[b];
    auto& out = ws.block[b];
    const auto* head = layout.heads < 0 ? nullptr : &plan.heads[layout.heads];
    if (layout.axial)
      head ? velocity_terms<true, true>(k, head, qdot, out, local)
           : velocity_terms<true, false>(k, head, qdot, out, local);
    else
      head ? velocity_terms<false, true>(k, head, qdot, out, local)
           : velocity_terms<false, false>(k, head, qdot, out, local);
  }
};

// (1) for one link: adds its own inertia and bias force to the sum x over its children.
template <class T, class Real>
LINCHPIN_INLINE void add_link(const Plan<T>& plan, int slot, const Real* v, bool external, Neighbourhood<T>& near,
                              AbaWorkspace<T>& ws, ArticulatedInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints;
  near.enter(plan, slot, v, ws);
  add_own_inertia(plan.blocks[slot / joints], slot % joints, x);
  x.p += own_bias<T>(near.local, slot % joints);
  if (external) x.p = x.p - ws.external[slot];
}
// The same for a link without children, without adding to zero: robots have many tips.
template <class T, class Real>
LINCHPIN_INLINE ArticulatedInertia<T> tip_link(const Plan<T>& plan, int slot, const Real* v, bool external,
                                               Neighbourhood<T>& near, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints;
  near.enter(plan, slot, v, ws);
  ArticulatedInertia<T> x = own_inertia<T>(plan.blocks[slot / joints], slot % joints);
  x.p = own_bias<T>(near.local, slot % joints);
  if (external) x.p = x.p - ws.external[slot];
  return x;
}

// (2), (3), in the frame of the previous link. Returns false if that is the world, which needs no inertia.
template <class T, class Real>
LINCHPIN_INLINE bool pass_hinge(const Plan<T>& plan, int slot, bool on_world, const Real* tau, AbaWorkspace<T>& ws,
                                ArticulatedInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  const auto& k = plan.blocks[slot / joints];
  const auto& b = ws.block[slot / joints];
  const int lane = slot % joints;
  const T force = load<T>(tau + plan.v_of_slot[slot] * worlds);
  const HingePivot<T> G = hinge_pivot(x, force, ws.pivot[slot]);
  if (on_world) return false;
  x = past_hinge(k, b, lane, G, force, x);
  return true;
}

// Inline: a call would pass 27 numbers through memory, in and out, and most runs are short.
template <class T, class Real>
LINCHPIN_INLINE ArticulatedInertia<T> inward_revolute(const Plan<T>& plan, const RunPlan<Real>& run, const Real* v,
                                                      const Real* tau, bool external, ArticulatedInertia<T> x,
                                                      Neighbourhood<T>& near, AbaWorkspace<T>& ws) {
  const int last = run.end - 1, tip = run.has_children ? -1 : last, on_world = run.parent == 0 ? run.slot : -1;
  // The same loop in two forms: scalars are 5 % faster with the first and packs with the second, due to the compiler's
  // register allocation.
  if constexpr (Lanes<T>::joints > 1) {
    if (tip < 0)
      add_link(plan, last, v, external, near, ws, x);
    else
      x = tip_link(plan, last, v, external, near, ws);
    for (int slot = last; pass_hinge(plan, slot, slot == on_world, tau, ws, x) && slot > run.slot; --slot)
      add_link(plan, slot - 1, v, external, near, ws, x);
  } else {
    for (int slot = last; slot >= run.slot; --slot) {
      if (slot == tip)
        x = tip_link(plan, slot, v, external, near, ws);
      else
        add_link(plan, slot, v, external, near, ws, x);
      if (!pass_hinge(plan, slot, slot == on_world, tau, ws, x)) break;
    }
  }
  return x;
}

template <class T, class Real>
ArticulatedInertia<T> inward_axial(const Plan<T>& plan, const RunPlan<Real>& run, const Real* v, const Real* tau,
                                   bool external, ArticulatedInertia<T> x, Neighbourhood<T>& near,
                                   AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  const int on_world = run.parent == 0 ? run.slot : -1;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const int lane = slot % joints;
    add_link(plan, slot, v, external, near, ws, x);
    const auto& b = ws.block[slot / joints];
    const T force = load<T>(tau + plan.v_of_slot[slot] * worlds);
    through_axis(k, force, b, lane, x, ws.pivot[slot], ws.axial_D_inverse[slot]);
    if (slot == on_world) break;
    turn_z(joint_turn<T>(b, lane), x);
    shift_z(at<T>(b.d, lane), x);
    turn_x(tilt_turn<T>(k, lane), x);
    shift_x(at<Real>(k.a, lane), x);
  }
  return x;
}

// A copy by whole registers would wait for numbers that were just stored one by one (no store forwarding).
template <class T>
LINCHPIN_INLINE ArticulatedInertia<T> number_by_number(const ArticulatedInertia<T>& x) {
  return {{x.A.xx, x.A.yy, x.A.zz, x.A.xy, x.A.xz, x.A.yz},
          {x.Bx.x, x.Bx.y, x.Bx.z},
          {x.By.x, x.By.y, x.By.z},
          {x.Bz.x, x.Bz.y, x.Bz.z},
          {x.C.xx, x.C.yy, x.C.zz, x.C.xy, x.C.xz, x.C.yz},
          {{x.p.n.x, x.p.n.y, x.p.n.z}, {x.p.f.x, x.p.f.y, x.p.f.z}}};
}

template <class T, class Real>
void inward_inertias(const Plan<T>& plan, const Real* v, const Real* tau, bool external, LimbOrder order,
                     AbaWorkspace<T>& ws) {
  if constexpr (has_limbs<T>)
    if (order == LimbOrder::side_by_side)
      for (std::size_t i = 0; i < plan.limbs.size(); ++i)
        ws.limb_inertia[i] = inward_limb_inertias(plan.limbs[i], tau, external, ws);
  Neighbourhood<T> near;
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    if constexpr (has_limbs<T>)
      if (in_lanes(run, order)) {
        hand_over_limb(plan, run, ws);
        continue;
      }
    if (run.kind == LinkKind::revolute) {
      const bool tip = !run.has_children;
      ArticulatedInertia<T> x = tip ? ArticulatedInertia<T>::zero() : number_by_number(ws.sum[r]);
      x = inward_revolute(plan, run, v, tau, external, x, near, ws);
      if (run.parent == 0) continue;
      through_head(run, x);
      hand_over(run, x, ws.sum[run.parent]);
      continue;
    }
    ArticulatedInertia<T> x = run.has_children ? ws.sum[r] : ArticulatedInertia<T>::zero();
    if (run.kind == LinkKind::axial)
      x = inward_axial(plan, run, v, tau, external, x, near, ws);
    else if (run.kind == LinkKind::ball)
      x = inward_ball(plan.wide_links[run.slot], run, tau, x, ws.wide[run.slot]);
    else
      x = inward_free(plan.wide_links[run.slot], run, tau, x, ws.wide[run.slot]);
    if (run.parent == 0) continue;
    if (run.kind == LinkKind::axial) through_head(run, x);
    hand_over(run, x, ws.sum[run.parent]);
  }
}

// ---- pass 3: accelerations, from the base to the tips ---------------------------------------------------------------

template <class T, class Real>
void outward_axes(const Plan<T>& plan, const RunPlan<Real>& run, bool axial, Motion<T> a, AbaWorkspace<T>& ws,
                  Real* vdot, Motion<T>& last) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (int slot = run.slot; slot < run.end; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = ws.block[slot / joints];
    const int lane = slot % joints;
    const T qdd = accelerate(k, b, ws.pivot[slot], lane, slot == run.slot, axial, a);
    store(qdd, vdot + plan.v_of_slot[slot] * worlds);
  }
  last = a;
}

template <class T, class Real>
void outward_accelerations(const Plan<T>& plan, LimbOrder order, AbaWorkspace<T>& ws, Real* vdot) {
  ws.a[0] = {Vec3<T>::zero(), {T(plan.upward.x), T(plan.upward.y), T(plan.upward.z)}};
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    if (in_lanes(run, order)) continue;
    const Motion<T> a = motion_to_head(run, ws.a[run.parent]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      outward_axes(plan, run, run.kind == LinkKind::axial, a, ws, vdot, ws.a[r]);
      continue;
    }
    ws.a[r] = outward_wide(plan.wide_links[run.slot], run, ws.wide[run.slot], a, vdot);
  }
  if constexpr (has_limbs<T>)
    if (order == LimbOrder::side_by_side)
      for (const Limbs& limbs : plan.limbs) outward_limb_accelerations(limbs, ws, vdot);
}

}  // namespace

template <class T>
AbaWorkspace<T>::AbaWorkspace(const Plan<T>& plan)
    : block(plan.blocks.size()),
      pivot(plan.slots),
      axial_D_inverse(plan.slots),
      wide(plan.wide_links.size()),
      external(plan.slots),
      sum(plan.runs.size()),
      w(plan.runs.size()),
      a(plan.runs.size()),
      limb_block(plan.limb_positions),
      limb_local(limb_block.size()),
      limb_w(limb_block.size()),
      limb_pivot(limb_block.size()),
      limb_inertia(plan.limbs.size()) {}

template <class T>
void aba_inward(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q,
                std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                std::span<const typename Plan<T>::Real> f_ext, AbaWorkspace<T>& ws, LimbOrder order) {
  check_sizes(plan, q, v, tau, f_ext);
  check(ws.block.size() == plan.blocks.size() && ws.sum.size() == plan.runs.size(), "workspace of another model");
  outward_velocities(plan, q.data(), v.data(), order, ws);
  if (!f_ext.empty()) gather_external_forces(plan, f_ext.data(), ws);
  inward_inertias(plan, v.data(), tau.data(), !f_ext.empty(), order, ws);
}

template <class T>
void aba_outward(const Plan<T>& plan, AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot, LimbOrder order) {
  const std::size_t n = std::size_t(plan.nv) * std::size_t(Lanes<T>::worlds);
  check(vdot.size() == n, "vdot has ", vdot.size(), " numbers, the model needs ", n);
  outward_accelerations(plan, order, ws, vdot.data());
}

template <class T>
void spread_limb_factors(const Plan<T>& plan, AbaWorkspace<T>& ws) {
  if constexpr (has_limbs<T>)
    for (const Limbs& limbs : plan.limbs)
      for (int lane = 0; lane < limbs.count; ++lane)
        for (int k = 0; k < limbs.size[lane]; ++k)
          ws.pivot[limbs.position[k].slot[lane]] = lane_of<AbaPivot<T>>(ws.limb_pivot[limbs.first + k], lane);
}

template <class T>
void aba(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
         std::span<const typename Plan<T>::Real> tau, std::span<const typename Plan<T>::Real> f_ext,
         AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot) {
  aba_inward(plan, q, v, tau, f_ext, ws);
  aba_outward(plan, ws, vdot);
}

#define LINCHPIN_INSTANTIATE(T)                                                                                 \
  template struct AbaWorkspace<T>;                                                                              \
  template void aba_inward<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,   \
                              std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, AbaWorkspace<T>&, \
                              LimbOrder);                                                                       \
  template void aba_outward<T>(const Plan<T>&, AbaWorkspace<T>&, std::span<Plan<T>::Real>, LimbOrder);          \
  template void spread_limb_factors<T>(const Plan<T>&, AbaWorkspace<T>&);                                       \
  template void aba<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,          \
                       std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, AbaWorkspace<T>&,        \
                       std::span<Plan<T>::Real>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin

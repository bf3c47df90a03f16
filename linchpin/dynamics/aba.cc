#include "linchpin/dynamics/aba.h"

#include "linchpin/dynamics/joint_motion.h"

namespace linchpin {
namespace {

// ---- pass 1: angular velocities, from the base to the tips ------------------------------------------------------------

template <class T, class Real>
void outward_velocities(const Plan<T>& plan, const Real* q, const Real* v, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  all_joint_trigonometry(plan, q, ws.block.data());
  ws.w[0] = Vec3<T>::zero();
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    Vec3<T> w = Vec3<T>::zero();
    if (run.parent != 0) w = transpose_times(run.E, ws.w[std::size_t(run.parent)]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      for (int slot = run.slot; slot < run.end; ++slot) {
        const auto& k = plan.blocks[std::size_t(slot / joints)];
        auto& b = ws.block[std::size_t(slot / joints)];
        const int lane = slot % joints;
        one_joint_trigonometry(plan, q, slot, b);
        if (slot != run.slot) w = along_normal(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), w);
        w = into_link(at<T>(b.c, lane), at<T>(b.s, lane), w);
        w.z = fma(at<Real>(k.turn, lane), load<T>(v + plan.v_of_slot[std::size_t(slot)] * worlds), w.z);
        at<T>(b.w_x, lane) = w.x;
        at<T>(b.w_y, lane) = w.y;
        at<T>(b.w_z, lane) = w.z;
      }
    } else {
      w = wide_velocity(plan, run, w, q, v, ws.wide[std::size_t(run.slot)]);
    }
    ws.w[r] = w;
  }
}

// ---- pass 2: articulated inertias, from the tips to the base ----------------------------------------------------------

// p of one-axis links alone, which needs no neighbour, lane by lane: joints of one world, or worlds of one joint. Made
// just before it is used, so that it never leaves the nearest cache.
template <class V>
struct Local {
  V n_x, n_y, n_z, f_x, f_y, f_z;
};

//     c = (wp x z qdot, wp x (wp x r) + 2 wp x z ddot),  p = (w x I w, w x (w x h))
// wp is the parent's angular velocity and r the way from its origin, both in the link's axes: (a, 0, d) in F's within a
// run, and `head` in front of it. 'axial' joints slide.
template <bool axial, bool headed, class C, class V>
LINCHPIN_INLINE void velocity_terms(const LinkBlock<C>& k, const HeadBlock<C>* head, const V& qdot, AbaBlock<V>& b,
                                    Local<V>& local) {
  const Vec3<V> w{b.w_x, b.w_y, b.w_z};
  V turning = qdot;
  if constexpr (axial) turning = k.turn * qdot;
  const Vec3<V> wp{w.x, w.y, w.z - turning};
  b.c_x = w.y * turning;
  b.c_y = -(w.x * turning);
  V d = V(k.slide0);
  if constexpr (axial) d = b.d;
  Vec3<V> r{b.c * k.a, -(b.s * k.a), d};
  if constexpr (headed) r = into_link(b.c, b.s, Vec3<V>{V(k.a + head->x), V(head->y), d + head->z});
  Vec3<V> cl = cross(wp, cross(wp, r));
  if constexpr (axial) {
    const V sliding = k.slide * qdot, twice = sliding + sliding;
    cl.x = fma(w.y, twice, cl.x);
    cl.y = fma(-w.x, twice, cl.y);
  }
  b.cl_x = cl.x;
  b.cl_y = cl.y;
  b.cl_z = cl.z;
  const Vec3<V> n = cross(w, Sym3<C>{k.I_xx, k.I_yy, k.I_zz, k.I_xy, k.I_xz, k.I_yz} * w);
  const Vec3<V> f = cross(w, cross(w, Vec3<C>{k.h_x, k.h_y, k.h_z}));
  local.n_x = n.x;
  local.n_y = n.y;
  local.n_z = n.z;
  local.f_x = f.x;
  local.f_y = f.y;
  local.f_z = f.z;
}

// The local terms of the block that a slot belongs to, kept while slots come from the same block.
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
      qdot = load<T>(v + plan.v_of_slot[std::size_t(slot)] * Lanes<T>::worlds);
    const BlockLayout& layout = plan.layout[std::size_t(b)];
    const auto& k = plan.blocks[std::size_t(b)];
    auto& out = ws.block[std::size_t(b)];
    const auto* head = layout.heads < 0 ? nullptr : &plan.heads[std::size_t(layout.heads)];
    if (layout.axial)
      head ? velocity_terms<true, true>(k, head, qdot, out, local)
           : velocity_terms<true, false>(k, head, qdot, out, local);
    else
      head ? velocity_terms<false, true>(k, head, qdot, out, local)
           : velocity_terms<false, false>(k, head, qdot, out, local);
  }
};

template <class T, class V>
LINCHPIN_INLINE Turn<T> joint_turn(const AbaBlock<V>& b, int lane) {
  return {at<T>(b.c, lane), at<T>(b.s, lane)};
}
template <class T, class C>
LINCHPIN_INLINE Turn<T> tilt_turn(const LinkBlock<C>& k, int lane) {
  using S = typename Scalar<T>::Real;
  return {T(at<S>(k.cos_alpha, lane)), T(at<S>(k.sin_alpha, lane))};
}

// (1) for one link: its own inertia and bias join what its children left in x.
template <class T>
LINCHPIN_INLINE Force<T> own_bias(const Local<typename Lanes<T>::Wide>& local, int lane) {
  return {{at<T>(local.n_x, lane), at<T>(local.n_y, lane), at<T>(local.n_z, lane)},
          {at<T>(local.f_x, lane), at<T>(local.f_y, lane), at<T>(local.f_z, lane)}};
}
template <class T, class Real>
LINCHPIN_INLINE void add_link(const Plan<T>& plan, int slot, const Real* v, bool external, Neighbourhood<T>& near,
                              AbaWorkspace<T>& ws, ArticulatedInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints;
  near.enter(plan, slot, v, ws);
  add_own_inertia(plan.blocks[std::size_t(slot / joints)], slot % joints, x);
  x.p += own_bias<T>(near.local, slot % joints);
  if (external) x.p = x.p - ws.external[std::size_t(slot)];
}
// The same where there are no children, without adding to zero: robots have many tips.
template <class T, class Real>
LINCHPIN_INLINE ArticulatedInertia<T> tip_link(const Plan<T>& plan, int slot, const Real* v, bool external,
                                               Neighbourhood<T>& near, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints;
  near.enter(plan, slot, v, ws);
  ArticulatedInertia<T> x = own_inertia<T>(plan.blocks[std::size_t(slot / joints)], slot % joints);
  x.p = own_bias<T>(near.local, slot % joints);
  if (external) x.p = x.p - ws.external[std::size_t(slot)];
  return x;
}

// (2) for a hinge about z: U is the third row. What pass 3 needs goes to `out`.
template <class T>
struct HingePivot {
  T gx, gy;
  Vec3<T> l;
  T u;
};
template <class T>
LINCHPIN_INLINE HingePivot<T> hinge_pivot(const ArticulatedInertia<T>& x, const T& tau, AbaPivot<T>& out) {
  using S = typename Scalar<T>::Real;
  const T D_inverse = S(1) / x.A.zz;
  const HingePivot<T> G{x.A.xz * D_inverse, x.A.yz * D_inverse, D_inverse * x.Bz, tau - x.p.n.z};
  out.g_x = G.gx;
  out.g_y = G.gy;
  out.l_x = G.l.x;
  out.l_y = G.l.y;
  out.l_z = G.l.z;
  out.u = G.u * D_inverse;
  out.g_z = D_inverse;
  return G;
}

// (3) for a hinge about z: Ia has no moment about z.
template <class T, class V>
LINCHPIN_INLINE FlatInertia<T> through_hinge(const ArticulatedInertia<T>& x, const HingePivot<T>& G, const T& tau,
                                             const AbaBlock<V>& b, int lane) {
  FlatInertia<T> y;
  y.C = {fnma(G.l.x, x.Bz.x, x.C.xx), fnma(G.l.y, x.Bz.y, x.C.yy), fnma(G.l.z, x.Bz.z, x.C.zz),
         fnma(G.l.x, x.Bz.y, x.C.xy), fnma(G.l.x, x.Bz.z, x.C.xz), fnma(G.l.y, x.Bz.z, x.C.yz)};
  y.Bx = fma(-G.gx, x.Bz, x.Bx);
  y.By = fma(-G.gy, x.Bz, x.By);
  y.Axx = fnma(G.gx, x.A.xz, x.A.xx);
  y.Axy = fnma(G.gx, x.A.yz, x.A.xy);
  y.Ayy = fnma(G.gy, x.A.yz, x.A.yy);
  const T cx = at<T>(b.c_x, lane), cy = at<T>(b.c_y, lane);
  const Vec3<T> cl{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
  // Ia c apart from p + U D^-1 u: neither has to wait for the other
  const T nx = fma(y.Axy, cy, y.Axx * cx), ny = fma(y.Ayy, cy, y.Axy * cx);
  y.p.n = {fma(G.gx, G.u, x.p.n.x) + plus_dot(nx, y.Bx, cl), fma(G.gy, G.u, x.p.n.y) + plus_dot(ny, y.By, cl), tau};
  y.p.f = fma(G.u, G.l, x.p.f) + plus_product(fma(cy, y.By, cx * y.Bx), y.C, cl);
  return y;
}

// (2) and (3) for S = (0 0 turn, 0 0 slide) with armature: nothing vanishes.
template <class T, class C, class V>
LINCHPIN_INLINE void through_axis(const LinkBlock<C>& k, const T& tau, const AbaBlock<V>& b, int lane,
                                  ArticulatedInertia<T>& x, AbaPivot<T>& out, T& D_inverse) {
  using S = typename Scalar<T>::Real;
  const S turn = at<S>(k.turn, lane), slide = at<S>(k.slide, lane);
  const AxisPivot<T> G = project_axis(turn, slide, at<S>(k.armature, lane), x);
  const T u = tau - fma(slide, x.p.f.z, turn * x.p.n.z);
  out = {G.g.x, G.g.y, G.g.z, G.l.x, G.l.y, G.l.z, u * G.D_inverse};
  D_inverse = G.D_inverse;
  const Vec3<T> ca{at<T>(b.c_x, lane), at<T>(b.c_y, lane), T(0)};
  const Vec3<T> cl{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
  x.p.n = fma(u, G.g, x.p.n) + x.A * ca + times_B(x, cl);
  x.p.f = fma(u, G.l, x.p.f) + transpose_B(x, ca) + x.C * cl;
}

// (2), (3) and on to the previous link. False at the world: nobody asks what it feels.
template <class T, class Real>
LINCHPIN_INLINE bool pass_hinge(const Plan<T>& plan, int slot, bool on_world, const Real* tau, AbaWorkspace<T>& ws,
                                ArticulatedInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  const auto& k = plan.blocks[std::size_t(slot / joints)];
  const auto& b = ws.block[std::size_t(slot / joints)];
  const int lane = slot % joints;
  const T force = load<T>(tau + plan.v_of_slot[std::size_t(slot)] * worlds);
  const HingePivot<T> G = hinge_pivot(x, force, ws.pivot[std::size_t(slot)]);
  if (on_world) return false;
  FlatInertia<T> y = through_hinge(x, G, force, b, lane);
  turn_z(joint_turn<T>(b, lane), y);
  shift_z(at<Real>(k.slide0, lane), y);
  x = turned_x(tilt_turn<T>(k, lane), y);
  shift_x(at<Real>(k.a, lane), x);
  return true;
}

// Inline: a call would hand 27 numbers over by memory, in and out, and most runs are short.
template <class T, class Real>
LINCHPIN_INLINE ArticulatedInertia<T> inward_revolute(const Plan<T>& plan, const RunPlan<Real>& run, const Real* v,
                                                      const Real* tau, bool external, ArticulatedInertia<T> x,
                                                      Neighbourhood<T>& near, AbaWorkspace<T>& ws) {
  const int last = run.end - 1, tip = run.has_children ? -1 : last, on_world = run.parent == 0 ? run.slot : -1;
  // The same loop twice, where its links join: the scalar one is 5 % faster the first way and packs are the second, by
  // how compilers lay out their registers.
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
    const auto& k = plan.blocks[std::size_t(slot / joints)];
    const int lane = slot % joints;
    add_link(plan, slot, v, external, near, ws, x);
    const auto& b = ws.block[std::size_t(slot / joints)];
    const T force = load<T>(tau + plan.v_of_slot[std::size_t(slot)] * worlds);
    through_axis(k, force, b, lane, x, ws.pivot[std::size_t(slot)], ws.D_inverse[std::size_t(slot)]);
    if (slot == on_world) break;
    turn_z(joint_turn<T>(b, lane), x);
    shift_z(at<T>(b.d, lane), x);
    turn_x(tilt_turn<T>(k, lane), x);
    shift_x(at<Real>(k.a, lane), x);
  }
  return x;
}

template <class T, class Real>
ArticulatedInertia<T> inward_ball(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* tau,
                                  ArticulatedInertia<T> x, AbaWidePivot<T>& w) {
  constexpr int worlds = Lanes<T>::worlds;
  const T armature(link.armature);
  add_rigid(link.inertia.mass, link.inertia.h, link.inertia.I, x);
  x.p += w.p;
  w.IA = x;
  w.D_inverse = inverse(x.A + Sym3<T>::diagonal(armature, armature, armature));
  w.u = load3<T>(tau + link.v * worlds) - x.p.n;
  ArticulatedInertia<T> y = project_ball(armature, w.D_inverse, x);
  const Vec3<T> Du = w.D_inverse * w.u;
  y.p.n = x.p.n + x.A * Du + y.A * w.c.w + times_B(y, w.c.v);
  y.p.f = x.p.f + transpose_B(x, Du) + transpose_B(y, w.c.w) + y.C * w.c.v;
  if (run.parent == 0) return y;
  return placed(run.E * w.R, run.E * w.rF, y);
}

// Free: S is invertible, so the parent feels the joint's own force and nothing else, and the link's acceleration is
// known at once: a = IA^-1 (tau - p).
template <class T, class Real>
ArticulatedInertia<T> inward_free(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* tau,
                                  ArticulatedInertia<T> x, AbaWidePivot<T>& w) {
  constexpr int worlds = Lanes<T>::worlds;
  add_rigid(link.inertia.mass, link.inertia.h, link.inertia.I, x);
  x.p += w.p;
  w.IA = x;
  const Vec3<T> moment = load3<T>(tau + link.v * worlds), force_F = load3<T>(tau + (link.v + 3) * worlds);
  w.a = solve(x, Force<T>{moment - x.p.n, transpose_times(w.R, force_F) - x.p.f});
  ArticulatedInertia<T> y = ArticulatedInertia<T>::zero();
  if (run.parent == 0) return y;
  const Vec3<T> n = w.R * moment + cross(w.rF, force_F);
  y.p = {run.E * n, run.E * force_F};
  return y;
}

template <class T, class Real>
void inward_inertias(const Plan<T>& plan, const Real* v, const Real* tau, bool external, AbaWorkspace<T>& ws) {
  Neighbourhood<T> near;
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    ArticulatedInertia<T> x = run.has_children ? ws.sum[r] : ArticulatedInertia<T>::zero();
    switch (run.kind) {
      case LinkKind::revolute:
        x = inward_revolute(plan, run, v, tau, external, x, near, ws);
        break;
      case LinkKind::axial:
        x = inward_axial(plan, run, v, tau, external, x, near, ws);
        break;
      case LinkKind::ball:
        x = inward_ball(plan.wide_links[std::size_t(run.slot)], run, tau, x, ws.wide[std::size_t(run.slot)]);
        break;
      default:
        x = inward_free(plan.wide_links[std::size_t(run.slot)], run, tau, x, ws.wide[std::size_t(run.slot)]);
    }
    if (run.parent == 0) continue;
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) through_head(run, x);
    hand_over(run, x, ws.sum[std::size_t(run.parent)]);
  }
}

// ---- pass 3: accelerations, from the base to the tips -----------------------------------------------------------------

template <class T, class V>
LINCHPIN_INLINE void add_c(const AbaBlock<V>& b, int lane, Motion<T>& a) {
  a.w.x += at<T>(b.c_x, lane);
  a.w.y += at<T>(b.c_y, lane);
  a.v += Vec3<T>{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
}

template <class T, class Real>
void outward_axes(const Plan<T>& plan, const RunPlan<Real>& run, bool axial, Motion<T> a, AbaWorkspace<T>& ws,
                  Real* vdot, Motion<T>& last) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (int slot = run.slot; slot < run.end; ++slot) {
    const auto& k = plan.blocks[std::size_t(slot / joints)];
    const auto& b = ws.block[std::size_t(slot / joints)];
    const int lane = slot % joints;
    T d(at<Real>(k.slide0, lane));
    if (axial) d = at<T>(b.d, lane);
    a = motion_along_normal(k, lane, slot == run.slot, at<T>(b.c, lane), at<T>(b.s, lane), d, a);
    add_c(b, lane, a);
    const AbaPivot<T>& g = ws.pivot[std::size_t(slot)];
    // (4) as two short chains rather than a long one: the wait for a result is what this pass spends its time on
    const T left = fnma(g.l_y, a.v.y, fnma(g.l_x, a.v.x, fnma(g.g_x, a.w.x, g.u)));
    T qdd;
    if (axial) {
      qdd = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, g.g_z * a.w.z));
      a.w.z = fma(at<Real>(k.turn, lane), qdd, a.w.z);
      a.v.z = fma(at<Real>(k.slide, lane), qdd, a.v.z);
    } else {
      qdd = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, a.w.z));
      a.w.z = a.w.z + qdd;
    }
    store(qdd, vdot + plan.v_of_slot[std::size_t(slot)] * worlds);
  }
  last = a;
}

template <class T, class Real>
void outward_accelerations(const Plan<T>& plan, AbaWorkspace<T>& ws, Real* vdot) {
  constexpr int worlds = Lanes<T>::worlds;
  ws.a[0] = {Vec3<T>::zero(), {T(plan.upward.x), T(plan.upward.y), T(plan.upward.z)}};
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    const Motion<T> a = motion_to_head(run, ws.a[std::size_t(run.parent)]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      outward_axes(plan, run, run.kind == LinkKind::axial, a, ws, vdot, ws.a[r]);
      continue;
    }
    const WideLink<Real>& link = plan.wide_links[std::size_t(run.slot)];
    const AbaWidePivot<T>& w = ws.wide[std::size_t(run.slot)];
    const Vec3<T> joint_offset = w.rF - run.rF;
    const Motion<T> carried{transpose_times(w.R, a.w) + w.c.w,
                            transpose_times(w.R, a.v + cross(a.w, joint_offset)) + w.c.v};
    if (link.kind == LinkKind::ball) {
      const Vec3<T> rhs = w.u - w.IA.A * carried.w - times_B(w.IA, carried.v);
      const Vec3<T> turning = w.D_inverse * rhs;
      store3(turning, vdot + link.v * worlds);
      ws.a[r] = {carried.w + turning, carried.v};
    } else {
      store3(w.a.w - carried.w, vdot + link.v * worlds);
      store3(w.R * (w.a.v - carried.v), vdot + (link.v + 3) * worlds);
      ws.a[r] = w.a;
    }
  }
}

}  // namespace

template <class T>
AbaWorkspace<T>::AbaWorkspace(const Plan<T>& plan)
    : block(plan.blocks.size()),
      pivot(std::size_t(plan.slots)),
      D_inverse(std::size_t(plan.slots)),
      wide(plan.wide_links.size()),
      external(std::size_t(plan.slots)),
      sum(plan.runs.size()),
      w(plan.runs.size()),
      a(plan.runs.size()) {}

template <class T>
void aba_inward(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q,
                std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                std::span<const typename Plan<T>::Real> f_ext, AbaWorkspace<T>& ws) {
  check_sizes(plan, q, v, tau, f_ext);
  check(ws.block.size() == plan.blocks.size() && ws.sum.size() == plan.runs.size(), "workspace of another model");
  outward_velocities(plan, q.data(), v.data(), ws);
  if (!f_ext.empty()) gather_external_forces(plan, f_ext.data(), ws);
  inward_inertias(plan, v.data(), tau.data(), !f_ext.empty(), ws);
}

template <class T>
void aba_outward(const Plan<T>& plan, AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot) {
  const std::size_t n = std::size_t(plan.nv) * std::size_t(Lanes<T>::worlds);
  check(vdot.size() == n, "vdot has ", vdot.size(), " numbers, the model needs ", n);
  outward_accelerations(plan, ws, vdot.data());
}

template <class T>
void aba(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
         std::span<const typename Plan<T>::Real> tau, std::span<const typename Plan<T>::Real> f_ext,
         AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot) {
  aba_inward(plan, q, v, tau, f_ext, ws);
  aba_outward(plan, ws, vdot);
}

#define LINCHPIN_INSTANTIATE(T)                                                                                  \
  template struct AbaWorkspace<T>;                                                                               \
  template void aba_inward<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,    \
                              std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, AbaWorkspace<T>&); \
  template void aba_outward<T>(const Plan<T>&, AbaWorkspace<T>&, std::span<Plan<T>::Real>);                      \
  template void aba<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,           \
                       std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, AbaWorkspace<T>&,         \
                       std::span<Plan<T>::Real>);
LINCHPIN_INSTANTIATE(double)
LINCHPIN_INSTANTIATE(float)
LINCHPIN_INSTANTIATE(Double4)
LINCHPIN_INSTANTIATE(Double8)
LINCHPIN_INSTANTIATE(Float16)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin

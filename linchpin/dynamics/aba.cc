#include "linchpin/dynamics/aba.h"

#include "linchpin/dynamics/joint_motion.h"

namespace linchpin {
namespace {

// ---- pass 1: velocities, and what they and nothing else cause -------------------------------------------------------

// c and p of one-axis links, lane by lane: joints of one world, or worlds of one joint.
//     c = (wp x z qdot, wp x (wp x r) + 2 wp x z ddot),  p = (w x I w, w x (w x h))
// wp is the parent's angular velocity and r the way from its origin, both in the link's axes; 'axial' joints slide.
template <bool axial, class C, class V>
LINCHPIN_INLINE void velocity_terms(const LinkBlock<C>& k, const V& qdot, const Vec3<V>& w, AbaBlock<V>& b) {
  V turning = qdot;
  if constexpr (axial) turning = k.turn * qdot;
  const Vec3<V> wp{w.x, w.y, w.z - turning};
  b.c_x = w.y * turning;
  b.c_y = -(w.x * turning);
  V rz = V(k.r_z + k.slide0);
  if constexpr (axial) rz = k.r_z + b.d;
  const Vec3<V> r{fma(b.s, k.r_y, b.c * k.r_x), fma(b.c, k.r_y, -(b.s * k.r_x)), rz};
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
  b.n_x = n.x;
  b.n_y = n.y;
  b.n_z = n.z;
  b.f_x = f.x;
  b.f_y = f.y;
  b.f_z = f.z;
}

// Where lanes are joints: all sines first, then the velocities one after the other, then all velocity terms.
template <class T>
void outward_velocities_by_joints(const Plan<T>& plan, const T* q, const T* v, AbaWorkspace<T>& ws) {
  using V = typename Lanes<T>::Wide;
  constexpr int joints = Lanes<T>::joints;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    AbaBlock<V>& w = ws.block[b];
    joint_trigonometry(plan.blocks[b], plan.layout[b].axial, load_joints(plan, b, q, true), w.c, w.s, w.d);
    const Turn<V> turn = make_turn(w.c, w.s);
    w.cc = turn.cc;
    w.sc = turn.sc;
  }
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<T>& run = plan.runs[r];
    Vec3<T> w = transpose_times(run.head.E, ws.w[std::size_t(run.parent)]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      for (int slot = run.slot; slot < run.end; ++slot) {
        const LinkBlock<V>& k = plan.blocks[std::size_t(slot / joints)];
        AbaBlock<V>& b = ws.block[std::size_t(slot / joints)];
        const int lane = slot % joints;
        if (slot != run.slot) w = along_normal(at<T>(k.cos_alpha, lane), at<T>(k.sin_alpha, lane), w);
        w = into_link(at<T>(b.c, lane), at<T>(b.s, lane), w);
        w.z = fma(at<T>(k.turn, lane), v[plan.v_of_slot[std::size_t(slot)]], w.z);
        at<T>(b.w_x, lane) = w.x;
        at<T>(b.w_y, lane) = w.y;
        at<T>(b.w_z, lane) = w.z;
      }
    } else {
      w = wide_velocity(plan, run, w, q, v, ws.wide[std::size_t(run.slot)]);
    }
    ws.w[r] = w;
  }
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    AbaBlock<V>& w = ws.block[b];
    const V qdot = load_joints(plan, b, v, false);
    const Vec3<V> omega{w.w_x, w.w_y, w.w_z};
    if (plan.layout[b].axial)
      velocity_terms<true>(plan.blocks[b], qdot, omega, w);
    else
      velocity_terms<false>(plan.blocks[b], qdot, omega, w);
  }
}

// Where lanes are worlds: joint after joint, everything at once while it is in registers.
template <class T, class Real>
void outward_velocities_by_worlds(const Plan<T>& plan, const Real* q, const Real* v, AbaWorkspace<T>& ws) {
  constexpr int worlds = Lanes<T>::worlds;
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    Vec3<T> w = transpose_times(run.head.E, ws.w[std::size_t(run.parent)]);
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      for (int slot = run.slot; slot < run.end; ++slot) {
        const LinkBlock<Real>& k = plan.blocks[std::size_t(slot)];
        AbaBlock<T>& b = ws.block[std::size_t(slot)];
        const bool axial = plan.layout[std::size_t(slot)].axial;
        const T qdot = load<T>(v + plan.v_of_slot[std::size_t(slot)] * worlds);
        joint_trigonometry(k, axial, load<T>(q + plan.q_of_slot[std::size_t(slot)] * worlds), b.c, b.s, b.d);
        if (slot != run.slot) w = along_normal(k.cos_alpha, k.sin_alpha, w);
        w = into_link(b.c, b.s, w);
        w.z = fma(k.turn, qdot, w.z);
        if (axial)
          velocity_terms<true>(k, qdot, w, b);
        else
          velocity_terms<false>(k, qdot, w, b);
      }
    } else {
      w = wide_velocity(plan, run, w, q, v, ws.wide[std::size_t(run.slot)]);
    }
    ws.w[r] = w;
  }
}

// Forces from outside act on bodies; p of the link that carries the body takes them with the opposite sign.
template <class T, class Real>
void subtract_external_forces(const Plan<T>& plan, const Real* f_ext, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (std::size_t i = 1; i < plan.body.size(); ++i) {
    const BodyPlan<Real>& body = plan.body[i];
    const Real* from = f_ext + 6 * worlds * i;
    const Force<T> F =
        force_to_parent(Transform<Real>{body.R_LB, body.p_LB}, Force<T>{load3<T>(from), load3<T>(from + 3 * worlds)});
    if (body.slot >= 0) {
      auto& b = ws.block[std::size_t(body.slot / joints)];
      const int lane = body.slot % joints;
      at<T>(b.n_x, lane) -= F.n.x;
      at<T>(b.n_y, lane) -= F.n.y;
      at<T>(b.n_z, lane) -= F.n.z;
      at<T>(b.f_x, lane) -= F.f.x;
      at<T>(b.f_y, lane) -= F.f.y;
      at<T>(b.f_z, lane) -= F.f.z;
    } else if (body.wide_link >= 0) {
      Force<T>& p = ws.wide[std::size_t(body.wide_link)].p;
      p = p - F;
    }
  }
}

// ---- pass 2: articulated inertias, from the tips to the base ----------------------------------------------------------

// (1) for one link: its own inertia and bias join what its children left in x.
template <class T, class C, class V>
LINCHPIN_INLINE void add_link(const LinkBlock<C>& k, const AbaBlock<V>& b, int lane, ArticulatedInertia<T>& x) {
  using S = typename Scalar<T>::Real;
  add_rigid(at<S>(k.mass, lane), Vec3<S>{at<S>(k.h_x, lane), at<S>(k.h_y, lane), at<S>(k.h_z, lane)},
            Sym3<S>{at<S>(k.I_xx, lane), at<S>(k.I_yy, lane), at<S>(k.I_zz, lane), at<S>(k.I_xy, lane),
                    at<S>(k.I_xz, lane), at<S>(k.I_yz, lane)},
            x);
  x.p += Force<T>{{at<T>(b.n_x, lane), at<T>(b.n_y, lane), at<T>(b.n_z, lane)},
                  {at<T>(b.f_x, lane), at<T>(b.f_y, lane), at<T>(b.f_z, lane)}};
}

template <class T, class V>
LINCHPIN_INLINE Turn<T> turn_of(const AbaBlock<V>& b, int lane) {
  if constexpr (Lanes<T>::joints > 1)
    return {at<T>(b.c, lane), at<T>(b.s, lane), at<T>(b.cc, lane), at<T>(b.sc, lane)};
  else
    return make_turn(b.c, b.s);
}

// (2) and (3) for a hinge about z: U is the third row, and Ia has no moment about z.
template <class T, class V>
LINCHPIN_INLINE FlatInertia<T> through_hinge(const ArticulatedInertia<T>& x, const T& tau, const AbaBlock<V>& b,
                                             int lane, AbaPivot<T>& out) {
  using S = typename Scalar<T>::Real;
  const T D_inverse = S(1) / x.A.zz;
  const T u = tau - x.p.n.z;
  const T gx = x.A.xz * D_inverse, gy = x.A.yz * D_inverse;
  const Vec3<T> l = D_inverse * x.Bz;
  out.g_x = gx;
  out.g_y = gy;
  out.l_x = l.x;
  out.l_y = l.y;
  out.l_z = l.z;
  out.u = u * D_inverse;
  FlatInertia<T> y;
  y.Axx = fnma(gx, x.A.xz, x.A.xx);
  y.Axy = fnma(gx, x.A.yz, x.A.xy);
  y.Ayy = fnma(gy, x.A.yz, x.A.yy);
  y.Bx = fma(-gx, x.Bz, x.Bx);
  y.By = fma(-gy, x.Bz, x.By);
  y.C = {fnma(l.x, x.Bz.x, x.C.xx), fnma(l.y, x.Bz.y, x.C.yy), fnma(l.z, x.Bz.z, x.C.zz),
         fnma(l.x, x.Bz.y, x.C.xy), fnma(l.x, x.Bz.z, x.C.xz), fnma(l.y, x.Bz.z, x.C.yz)};
  const T cx = at<T>(b.c_x, lane), cy = at<T>(b.c_y, lane);
  const Vec3<T> cl{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
  y.p.n = {fma(y.Axy, cy, fma(y.Axx, cx, fma(gx, u, x.p.n.x))) + dot(y.Bx, cl),
           fma(y.Ayy, cy, fma(y.Axy, cx, fma(gy, u, x.p.n.y))) + dot(y.By, cl), tau};
  y.p.f = fma(cy, y.By, fma(cx, y.Bx, fma(u, l, x.p.f))) + y.C * cl;
  return y;
}

// (2) and (3) for S = (0 0 turn, 0 0 slide) with armature: nothing vanishes.
template <class T, class C, class V>
LINCHPIN_INLINE ArticulatedInertia<T> through_axis(const LinkBlock<C>& k, const ArticulatedInertia<T>& x, const T& tau,
                                                   const AbaBlock<V>& b, int lane, AbaPivot<T>& out) {
  using S = typename Scalar<T>::Real;
  const S turn = at<S>(k.turn, lane), slide = at<S>(k.slide, lane), armature = at<S>(k.armature, lane);
  const Vec3<T> Ua = fma(slide, Vec3<T>{x.Bx.z, x.By.z, x.Bz.z}, turn * Vec3<T>{x.A.xz, x.A.yz, x.A.zz});
  const Vec3<T> Ul = fma(slide, Vec3<T>{x.C.xz, x.C.yz, x.C.zz}, turn * x.Bz);
  const T D_inverse = S(1) / (fma(slide, Ul.z, turn * Ua.z) + armature);
  const T u = tau - fma(slide, x.p.f.z, turn * x.p.n.z);
  const Vec3<T> g = D_inverse * Ua, l = D_inverse * Ul;
  out = {g.x, g.y, g.z, l.x, l.y, l.z, u * D_inverse};
  ArticulatedInertia<T> y;
  y.A = {fnma(g.x, Ua.x, x.A.xx), fnma(g.y, Ua.y, x.A.yy), fnma(g.z, Ua.z, x.A.zz),
         fnma(g.x, Ua.y, x.A.xy), fnma(g.x, Ua.z, x.A.xz), fnma(g.y, Ua.z, x.A.yz)};
  y.Bx = fma(-g.x, Ul, x.Bx);
  y.By = fma(-g.y, Ul, x.By);
  y.Bz = fma(-g.z, Ul, x.Bz);
  y.C = {fnma(l.x, Ul.x, x.C.xx), fnma(l.y, Ul.y, x.C.yy), fnma(l.z, Ul.z, x.C.zz),
         fnma(l.x, Ul.y, x.C.xy), fnma(l.x, Ul.z, x.C.xz), fnma(l.y, Ul.z, x.C.yz)};
  const Vec3<T> ca{at<T>(b.c_x, lane), at<T>(b.c_y, lane), T(0)};
  const Vec3<T> cl{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
  y.p.n = fma(u, g, x.p.n) + y.A * ca + times_B(y, cl);
  y.p.f = fma(u, l, x.p.f) + transpose_B(y, ca) + y.C * cl;
  return y;
}

template <class T, class Real>
ArticulatedInertia<T> inward_revolute(const Plan<T>& plan, const RunPlan<Real>& run, const Real* tau,
                                      ArticulatedInertia<T> x, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (int slot = run.end - 1;; --slot) {
    const auto& k = plan.blocks[std::size_t(slot / joints)];
    const auto& b = ws.block[std::size_t(slot / joints)];
    const int lane = slot % joints;
    add_link(k, b, lane, x);
    const T force = load<T>(tau + plan.v_of_slot[std::size_t(slot)] * worlds);
    FlatInertia<T> y = through_hinge(x, force, b, lane, ws.pivot[std::size_t(slot)]);
    if (slot == run.slot && run.parent == 0) return x;
    turn_z(turn_of<T>(b, lane), y);
    shift_z(at<Real>(k.slide0, lane), y);
    if (slot == run.slot) return placed(run.head.E, run.head.r, full(y));
    const Real c2 = at<Real>(k.cos_2alpha, lane), s2 = at<Real>(k.sin_2alpha, lane);
    x = turned_x(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), Real(0.5) * c2, Real(0.5) * s2, y);
    shift_x(at<Real>(k.a, lane), x);
  }
}

template <class T, class Real>
ArticulatedInertia<T> inward_axial(const Plan<T>& plan, const RunPlan<Real>& run, const Real* tau,
                                   ArticulatedInertia<T> x, AbaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (int slot = run.end - 1;; --slot) {
    const auto& k = plan.blocks[std::size_t(slot / joints)];
    const auto& b = ws.block[std::size_t(slot / joints)];
    const int lane = slot % joints;
    add_link(k, b, lane, x);
    const T force = load<T>(tau + plan.v_of_slot[std::size_t(slot)] * worlds);
    x = through_axis(k, x, force, b, lane, ws.pivot[std::size_t(slot)]);
    if (slot == run.slot && run.parent == 0) return x;
    turn_z(turn_of<T>(b, lane), x);
    shift_z(at<T>(b.d, lane), x);
    if (slot == run.slot) return placed(run.head.E, run.head.r, x);
    const Real c2 = at<Real>(k.cos_2alpha, lane), s2 = at<Real>(k.sin_2alpha, lane);
    turn_x(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), Real(0.5) * c2, Real(0.5) * s2, x);
    shift_x(at<Real>(k.a, lane), x);
  }
}

// Ball: S = (1, 0), so U = (A, B') and with D = A + armature 1:  Ia = (A - A D^-1 A, ...), written without differences
// that vanish when armature does: A - A D^-1 A = armature (1 - armature D^-1), B - A D^-1 B = armature D^-1 B.
template <class T, class Real>
ArticulatedInertia<T> inward_ball(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* tau,
                                  ArticulatedInertia<T> x, AbaWidePivot<T>& w) {
  constexpr int worlds = Lanes<T>::worlds;
  const T armature(link.armature);
  add_rigid(link.inertia.mass, link.inertia.h, link.inertia.I, x);
  x.p += w.p;
  w.A = x.A;
  w.Bx = x.Bx;
  w.By = x.By;
  w.Bz = x.Bz;
  w.D_inverse = inverse(x.A + Sym3<T>::diagonal(armature, armature, armature));
  w.u = load3<T>(tau + link.v * worlds) - x.p.n;
  const Sym3<T>& Di = w.D_inverse;
  // columns of D^-1 B
  const Vec3<T> Gx = Di * Vec3<T>{x.Bx.x, x.By.x, x.Bz.x}, Gy = Di * Vec3<T>{x.Bx.y, x.By.y, x.Bz.y},
                Gz = Di * Vec3<T>{x.Bx.z, x.By.z, x.Bz.z};
  ArticulatedInertia<T> y;
  const T squared = -(armature * armature);
  y.A = Sym3<T>::diagonal(armature, armature, armature) + squared * Di;
  y.Bx = armature * Vec3<T>{Gx.x, Gy.x, Gz.x};
  y.By = armature * Vec3<T>{Gx.y, Gy.y, Gz.y};
  y.Bz = armature * Vec3<T>{Gx.z, Gy.z, Gz.z};
  const Vec3<T> Bcx{x.Bx.x, x.By.x, x.Bz.x}, Bcy{x.Bx.y, x.By.y, x.Bz.y}, Bcz{x.Bx.z, x.By.z, x.Bz.z};
  y.C = x.C - Sym3<T>{dot(Bcx, Gx), dot(Bcy, Gy), dot(Bcz, Gz), dot(Bcx, Gy), dot(Bcx, Gz), dot(Bcy, Gz)};
  const Vec3<T> Du = Di * w.u;
  y.p.n = x.p.n + x.A * Du + y.A * w.c.w + times_B(y, w.c.v);
  y.p.f = x.p.f + transpose_B(x, Du) + transpose_B(y, w.c.w) + y.C * w.c.v;
  if (run.parent == 0) return y;
  const Mat3<T> ER = run.head.E * w.R;
  return placed(ER, run.head.E * w.rF, y);
}

// Free: S is invertible, so the parent feels the joint's own force and nothing else, and the link's acceleration is
// known at once: a = IA^-1 (tau - p).
template <class T, class Real>
ArticulatedInertia<T> inward_free(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* tau,
                                  ArticulatedInertia<T> x, AbaWidePivot<T>& w) {
  constexpr int worlds = Lanes<T>::worlds;
  add_rigid(link.inertia.mass, link.inertia.h, link.inertia.I, x);
  x.p += w.p;
  const Vec3<T> moment = load3<T>(tau + link.v * worlds), force_F = load3<T>(tau + (link.v + 3) * worlds);
  w.a = solve(x, Force<T>{moment - x.p.n, transpose_times(w.R, force_F) - x.p.f});
  ArticulatedInertia<T> y = ArticulatedInertia<T>::zero();
  if (run.parent == 0) return y;
  const Vec3<T> n = w.R * moment + cross(w.rF, force_F);
  y.p = {run.head.E * n, run.head.E * force_F};
  return y;
}

template <class T, class Real>
void inward_inertias(const Plan<T>& plan, const Real* tau, AbaWorkspace<T>& ws) {
  for (std::size_t r = 1; r < plan.runs.size(); ++r)
    if (plan.runs[r].has_children) ws.sum[r] = ArticulatedInertia<T>::zero();
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    ArticulatedInertia<T> x = run.has_children ? ws.sum[r] : ArticulatedInertia<T>::zero();
    switch (run.kind) {
      case LinkKind::revolute:
        x = inward_revolute(plan, run, tau, x, ws);
        break;
      case LinkKind::axial:
        x = inward_axial(plan, run, tau, x, ws);
        break;
      case LinkKind::ball:
        x = inward_ball(plan.wide_links[std::size_t(run.slot)], run, tau, x, ws.wide[std::size_t(run.slot)]);
        break;
      default:
        x = inward_free(plan.wide_links[std::size_t(run.slot)], run, tau, x, ws.wide[std::size_t(run.slot)]);
    }
    if (run.parent != 0) ws.sum[std::size_t(run.parent)] += x;
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
    if (slot != run.slot) {
      a = {along_normal(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), a.w),
           along_normal(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), a.v)};
      const Real length = at<Real>(k.a, lane);  // a.v += alpha x (length, 0, 0)
      a.v.y = fma(length, a.w.z, a.v.y);
      a.v.z = fma(-length, a.w.y, a.v.z);
    }
    T d(at<Real>(k.slide0, lane));  // a.v += alpha x (0, 0, d)
    if (axial) d = at<T>(b.d, lane);
    a.v.x = fma(d, a.w.y, a.v.x);
    a.v.y = fma(-d, a.w.x, a.v.y);
    const T c = at<T>(b.c, lane), s = at<T>(b.s, lane);
    a = {into_link(c, s, a.w), into_link(c, s, a.v)};
    add_c(b, lane, a);
    const AbaPivot<T>& g = ws.pivot[std::size_t(slot)];
    T qdd = fnma(g.l_z, a.v.z, fnma(g.l_y, a.v.y, fnma(g.l_x, a.v.x, fnma(g.g_y, a.w.y, fnma(g.g_x, a.w.x, g.u)))));
    if (axial) {
      qdd = fnma(g.g_z, a.w.z, qdd);
      a.w.z = fma(at<Real>(k.turn, lane), qdd, a.w.z);
      a.v.z = fma(at<Real>(k.slide, lane), qdd, a.v.z);
    } else {
      qdd = qdd - a.w.z;
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
    const Motion<T>& parent = ws.a[std::size_t(run.parent)];
    const Motion<T> a{transpose_times(run.head.E, parent.w),
                      transpose_times(run.head.E, parent.v + cross(parent.w, run.head.r))};  // at F, in F's axes
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
      outward_axes(plan, run, run.kind == LinkKind::axial, a, ws, vdot, ws.a[r]);
      continue;
    }
    const WideLink<Real>& link = plan.wide_links[std::size_t(run.slot)];
    const AbaWidePivot<T>& w = ws.wide[std::size_t(run.slot)];
    const Vec3<T> joint_offset = w.rF - run.head.rF;
    const Motion<T> carried{transpose_times(w.R, a.w) + w.c.w,
                            transpose_times(w.R, a.v + cross(a.w, joint_offset)) + w.c.v};
    if (link.kind == LinkKind::ball) {
      const Vec3<T> rhs = w.u - w.A * carried.w - Vec3<T>{dot(w.Bx, carried.v), dot(w.By, carried.v), dot(w.Bz, carried.v)};
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
      wide(plan.wide_links.size()),
      sum(plan.runs.size()),
      w(plan.runs.size()),
      a(plan.runs.size()) {}

template <class T>
void aba(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
         std::span<const typename Plan<T>::Real> tau, std::span<const typename Plan<T>::Real> f_ext,
         AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot) {
  check_sizes(plan, q, v, tau, f_ext);
  check(vdot.size() == v.size(), "vdot has ", vdot.size(), " numbers, the model needs ", v.size());
  check(ws.block.size() == plan.blocks.size() && ws.sum.size() == plan.runs.size(), "workspace of another model");
  ws.w[0] = Vec3<T>::zero();
  if constexpr (Lanes<T>::joints > 1)
    outward_velocities_by_joints(plan, q.data(), v.data(), ws);
  else
    outward_velocities_by_worlds(plan, q.data(), v.data(), ws);
  if (!f_ext.empty()) subtract_external_forces(plan, f_ext.data(), ws);
  inward_inertias(plan, tau.data(), ws);
  outward_accelerations(plan, ws, vdot.data());
}

#define LINCHPIN_INSTANTIATE(T)                                                                                       \
  template struct AbaWorkspace<T>;                                                                                    \
  template void aba<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,                \
                       std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, AbaWorkspace<T>&,              \
                       std::span<Plan<T>::Real>);
LINCHPIN_INSTANTIATE(double)
LINCHPIN_INSTANTIATE(float)
LINCHPIN_INSTANTIATE(Double4)
LINCHPIN_INSTANTIATE(Double8)
LINCHPIN_INSTANTIATE(Float16)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin

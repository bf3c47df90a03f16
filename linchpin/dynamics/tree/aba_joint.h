// The passes of aba at one joint: (1) to (4) of aba.h for one link. k are the joint's constants, b and g the numbers
// that one pass leaves for the next; `lane` selects the joint where several share a field. For kernel files only.
#pragma once

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/joint_motion.h"

namespace linchpin {

// ---- pass 2 ---------------------------------------------------------------------------------------------------------

// Velocity terms, which depend on no other link; lanes are joints of one world, or worlds of one joint.
//     c = (wp x z qdot, wp x (wp x r) + 2 wp x z ddot),  p = (w x I w, w x (w x h))
// wp is the parent's angular velocity and r the vector from the parent's origin, both in the link's axes. In F's axes r
// is (a, 0, d) within a run, plus `head` for the first joint of a run. Axial joints slide.
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

template <class T, class V>
LINCHPIN_INLINE Turn<T> joint_turn(const AbaBlock<V>& b, int lane) {
  return {at<T>(b.c, lane), at<T>(b.s, lane)};
}
template <class T, class C>
LINCHPIN_INLINE Turn<T> tilt_turn(const LinkBlock<C>& k, int lane) {
  return {T(constant<T>(k.cos_alpha, lane)), T(constant<T>(k.sin_alpha, lane))};
}

template <class T>
LINCHPIN_INLINE Force<T> own_bias(const Local<typename Lanes<T>::Wide>& local, int lane) {
  return {{at<T>(local.n_x, lane), at<T>(local.n_y, lane), at<T>(local.n_z, lane)},
          {at<T>(local.f_x, lane), at<T>(local.f_y, lane), at<T>(local.f_z, lane)}};
}
// (2) for a hinge about z: U is the third row of IA. Fills `out` for pass 3.
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
  out.u_over_D = G.u * D_inverse;
  out.hinge_D_inverse = D_inverse;
  return G;
}

// (3) for a hinge about z: the row of Ia for the moment about z is zero.
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
  // Ia c and p + U D^-1 u as separate sums: neither waits for the other
  const T nx = fma(y.Axy, cy, y.Axx * cx), ny = fma(y.Ayy, cy, y.Axy * cx);
  y.p.n = {fma(G.gx, G.u, x.p.n.x) + plus_dot(nx, y.Bx, cl), fma(G.gy, G.u, x.p.n.y) + plus_dot(ny, y.By, cl), tau};
  y.p.f = fma(G.u, G.l, x.p.f) + plus_product(fma(cy, y.By, cx * y.Bx), y.C, cl);
  return y;
}

// (3) of a hinge, in the frame of the previous link (for the first joint of a run, before through_head()).
template <class T, class C, class V>
LINCHPIN_INLINE ArticulatedInertia<T> past_hinge(const LinkBlock<C>& k, const AbaBlock<V>& b, int lane,
                                                 const HingePivot<T>& G, const T& tau, const ArticulatedInertia<T>& x) {
  FlatInertia<T> y = through_hinge(x, G, tau, b, lane);
  turn_z(joint_turn<T>(b, lane), y);
  shift_z(constant<T>(k.slide0, lane), y);
  ArticulatedInertia<T> out = turned_x(tilt_turn<T>(k, lane), y);
  shift_x(constant<T>(k.a, lane), out);
  return out;
}

// (2) and (3) for S = (0 0 turn, 0 0 slide) with armature.
template <class T, class C, class V>
LINCHPIN_INLINE void through_axis(const LinkBlock<C>& k, const T& tau, const AbaBlock<V>& b, int lane,
                                  ArticulatedInertia<T>& x, AbaPivot<T>& out, T& D_inverse) {
  using S = typename Scalar<T>::Real;
  const S turn = at<S>(k.turn, lane), slide = at<S>(k.slide, lane);
  const AxisPivot<T> G = project_axis(turn, slide, at<S>(k.armature, lane), x);
  const T u = tau - fma(slide, x.p.f.z, turn * x.p.n.z);
  out = {G.g.x, G.g.y, {G.g.z}, G.l.x, G.l.y, G.l.z, u * G.D_inverse};
  D_inverse = G.D_inverse;
  const Vec3<T> ca{at<T>(b.c_x, lane), at<T>(b.c_y, lane), T(0)};
  const Vec3<T> cl{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
  x.p.n = fma(u, G.g, x.p.n) + x.A * ca + times_B(x, cl);
  x.p.f = fma(u, G.l, x.p.f) + transpose_B(x, ca) + x.C * cl;
}

// ---- pass 3 ---------------------------------------------------------------------------------------------------------

template <class T, class V>
LINCHPIN_INLINE void add_c(const AbaBlock<V>& b, int lane, Motion<T>& a) {
  a.w.x += at<T>(b.c_x, lane);
  a.w.y += at<T>(b.c_y, lane);
  a.v += Vec3<T>{at<T>(b.cl_x, lane), at<T>(b.cl_y, lane), at<T>(b.cl_z, lane)};
}

// (4): returns the joint's acceleration. `a` is the acceleration of the previous link (for the first joint of a run: at
// F) and becomes that of the link.
template <class T, class C, class V>
LINCHPIN_INLINE T accelerate(const LinkBlock<C>& k, const AbaBlock<V>& b, const AbaPivot<T>& g, int lane, bool head,
                             bool axial, Motion<T>& a) {
  T d(constant<T>(k.slide0, lane));
  if (axial) d = at<T>(b.d, lane);
  a = motion_along_normal(k, lane, head, at<T>(b.c, lane), at<T>(b.s, lane), d, a);
  add_c(b, lane, a);
  // two short chains of operations instead of one long one: latency bounds this pass
  const T left = fnma(g.l_y, a.v.y, fnma(g.l_x, a.v.x, fnma(g.g_x, a.w.x, g.u_over_D)));
  T qdd;
  if (axial) {
    qdd = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, g.g_z * a.w.z));
    a.w.z = fma(constant<T>(k.turn, lane), qdd, a.w.z);
    a.v.z = fma(constant<T>(k.slide, lane), qdd, a.v.z);
  } else {
    qdd = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, a.w.z));
    a.w.z = a.w.z + qdd;
  }
  return qdd;
}

}  // namespace linchpin

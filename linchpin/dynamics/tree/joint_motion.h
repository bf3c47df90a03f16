// Joint kinematics shared by the recursions of aba, rnea, crba and kinematics. For kernel files only.
#pragma once

#include <span>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/plan.h"
#include "linchpin/spatial/quaternion.h"
#include "linchpin/spatial/sincos.h"

namespace linchpin {

template <class T, class Numbers>
void check_sizes(const Plan<T>& plan, const Numbers& q, const Numbers& v, const Numbers& tau, const Numbers& f_ext) {
  const std::size_t worlds = std::size_t(Lanes<T>::worlds);
  check(q.size() == worlds * std::size_t(plan.nq), "q has ", q.size(), " numbers, the model needs ",
        worlds * std::size_t(plan.nq));
  check(v.size() == worlds * std::size_t(plan.nv), "v has ", v.size(), " numbers, the model needs ",
        worlds * std::size_t(plan.nv));
  check(tau.size() == v.size(), "tau (or vdot) has ", tau.size(), " numbers, the model needs ", v.size());
  check(f_ext.empty() || f_ext.size() == 6 * worlds * std::size_t(plan.bodies), "f_ext has ", f_ext.size(),
        " numbers, the model needs none or ", 6 * worlds * std::size_t(plan.bodies));
}

// A joint's constant in arithmetic on T: one number, selected by lane in a field shared by several joints; or, if the
// lanes of T are limbs, the whole field.
template <class T, class Field>
LINCHPIN_INLINE auto constant(const Field& field, int lane) {
  using Real = typename Scalar<T>::Real;
  if constexpr (std::is_same_v<Field, Limbs::V>)
    return field;
  else
    return Real(at<Real>(field, lane));
}

// The positions or velocities of block b's joints in one register; for scalar T.
template <class T>
LINCHPIN_INLINE typename Lanes<T>::Wide load_joints(const Plan<T>& plan, std::size_t b, const T* x, bool positions) {
  using V = typename Lanes<T>::Wide;
  const BlockLayout& where = plan.layout[b];
  if (where.contiguous) {
    const T* from = x + (positions ? where.q : where.v);
    return where.count == Lanes<T>::joints ? V::load(from) : V::load_first(from, where.count);
  }
  V r(T(0));
  const std::vector<int>& index = positions ? plan.q_of_slot : plan.v_of_slot;
  for (int lane = 0; lane < where.count; ++lane)
    r.v[lane] = x[index[b * std::size_t(Lanes<T>::joints) + std::size_t(lane)]];
  return r;
}

// cos and sin of the joint angle, and for blocks with sliding joints the distance d.
template <class C, class V>
LINCHPIN_INLINE void joint_trigonometry(const LinkBlock<C>& k, bool axial, const V& q, V& c, V& s, V& d) {
  if (axial) {
    d = fma(k.slide, q, V(k.slide0));
    sincos(V(fma(k.turn, q, V(k.angle0))), s, c);
  } else {
    sincos(V(q + k.angle0), s, c);
  }
}

// Sine and cosine of every joint: all blocks before the recursion if lanes are joints, ...
template <class T, class Real, class Block>
LINCHPIN_INLINE void all_joint_trigonometry(const Plan<T>& plan, const Real* q, Block* out) {
  if constexpr (Lanes<T>::joints > 1)
    for (std::size_t b = 0; b < plan.blocks.size(); ++b)
      joint_trigonometry(plan.blocks[b], plan.layout[b].axial, load_joints(plan, b, q, true), out[b].c, out[b].s,
                         out[b].d);
}
// ... and joint by joint within the recursion, where they are in registers, if lanes are worlds.
template <class T, class Real, class Block>
LINCHPIN_INLINE void one_joint_trigonometry(const Plan<T>& plan, const Real* q, int slot, Block& out) {
  if constexpr (Lanes<T>::joints == 1)
    joint_trigonometry(plan.blocks[slot], plan.layout[slot].axial, load<T>(q + plan.q_of_slot[slot] * Lanes<T>::worlds),
                       out.c, out.s, out.d);
}

// Rx(alpha)' x: from the previous link's axes to F's.
template <class S, class T>
LINCHPIN_INLINE Vec3<T> along_normal(const S& c, const S& s, const Vec3<T>& x) {
  return {x.x, fma(s, x.z, c * x.y), fma(c, x.z, -(s * x.y))};
}
// Rz(angle)' x: from F's axes to the link's.
template <class T>
LINCHPIN_INLINE Vec3<T> into_link(const T& c, const T& s, const Vec3<T>& x) {
  return {fma(s, x.y, c * x.x), fma(c, x.y, -(s * x.x)), x.z};
}
// The inverses of these two.
template <class S, class T>
LINCHPIN_INLINE Vec3<T> off_normal(const S& c, const S& s, const Vec3<T>& x) {
  return {x.x, fma(c, x.y, -(s * x.z)), fma(s, x.y, c * x.z)};
}
template <class T>
LINCHPIN_INLINE Vec3<T> out_of_link(const T& c, const T& s, const Vec3<T>& x) {
  return {fma(c, x.x, -(s * x.y)), fma(s, x.x, c * x.y), x.z};
}

// A force on a link, from the link's frame to that of the previous link (for the first joint of a run, before
// force_through_head()).
template <class T, class C>
LINCHPIN_INLINE Force<T> force_along_normal(const LinkBlock<C>& k, int lane, const T& c, const T& s, const T& d,
                                            const Force<T>& F) {
  Vec3<T> n = out_of_link(c, s, F.n), f = out_of_link(c, s, F.f);
  n.x = fma(-d, f.y, n.x);
  n.y = fma(d, f.x, n.y);
  const auto ca = constant<T>(k.cos_alpha, lane), sa = constant<T>(k.sin_alpha, lane), a = constant<T>(k.a, lane);
  n = off_normal(ca, sa, n);
  f = off_normal(ca, sa, f);
  n.y = fma(-a, f.z, n.y);
  n.z = fma(a, f.y, n.z);
  return {n, f};
}
// The rest of the transformation for the first joint of a run.
template <class T, class Run>
LINCHPIN_INLINE Force<T> force_through_head(const Run& run, Force<T> F) {
  if (run.head == Head::screwed) {
    turn_pair(run.phi.c, run.phi.s, F.n.x, F.n.y);
    turn_pair(run.phi.c, run.phi.s, F.f.x, F.f.y);
    F.n.x = fma(-run.t, F.f.y, F.n.x);
    F.n.y = fma(run.t, F.f.x, F.n.y);
  } else if (run.head == Head::general) {
    const Vec3<T> f = run.E * F.f;
    F = {run.E * F.n + cross(run.r, f), f};
  }
  return F;
}
// An acceleration (without velocity products) from the previous link's frame to the link's own; for the first joint of
// a run `a` is already at F.
template <class T, class C>
LINCHPIN_INLINE Motion<T> motion_along_normal(const LinkBlock<C>& k, int lane, bool head, const T& c, const T& s,
                                              const T& d, Motion<T> a) {
  if (!head) {
    const auto ca = constant<T>(k.cos_alpha, lane), sa = constant<T>(k.sin_alpha, lane),
               length = constant<T>(k.a, lane);
    a = {along_normal(ca, sa, a.w), along_normal(ca, sa, a.v)};
    a.v.y = fma(length, a.w.z, a.v.y);  // alpha x (length, 0, 0)
    a.v.z = fma(-length, a.w.y, a.v.z);
  }
  a.v.x = fma(d, a.w.y, a.v.x);  // alpha x (0, 0, d)
  a.v.y = fma(-d, a.w.x, a.v.y);
  return {into_link(c, s, a.w), into_link(c, s, a.v)};
}
// (x, y) <- (c x + s y, c y - s x), number by number: the compiler would copy whole vectors of packs through memory.
template <class S, class T>
LINCHPIN_INLINE void turn_axes(const S& c, const S& s, T& x, T& y) {
  const T old = x;
  x = fma(s, y, c * old);
  y = fma(-s, old, c * y);
}
template <class S, class T>
LINCHPIN_INLINE void turn_axes(const S& c, const S& s, Vec3<T>& x, Vec3<T>& y) {
  turn_axes(c, s, x.x, y.x);
  turn_axes(c, s, x.y, y.y);
  turn_axes(c, s, x.z, y.z);
}
template <class S, class T>
LINCHPIN_INLINE void advance(const S& distance, const Vec3<T>& axis, Vec3<T>& p) {
  p.x = fma(distance, axis.x, p.x);
  p.y = fma(distance, axis.y, p.y);
  p.z = fma(distance, axis.z, p.z);
}
// X, the pose of the previous link (for the first joint of a run: of F), becomes that of the link.
template <class T, class C>
LINCHPIN_INLINE void along_axis(const LinkBlock<C>& k, int lane, bool head, bool axial, const T& c, const T& s,
                                const T& d, Transform<T>& X) {
  if (!head) {
    advance(constant<T>(k.a, lane), X.R.x, X.p);
    turn_axes(constant<T>(k.cos_alpha, lane), constant<T>(k.sin_alpha, lane), X.R.y, X.R.z);
  }
  if (axial)
    advance(d, X.R.z, X.p);
  else
    advance(constant<T>(k.slide0, lane), X.R.z, X.p);
  turn_axes(c, s, X.R.x, X.R.y);
}
// An acceleration from the frame of the parent run's last link to F.
template <class T, class Run>
LINCHPIN_INLINE Motion<T> motion_to_head(const Run& run, const Motion<T>& parent) {
  return {transpose_times(run.E, parent.w), transpose_times(run.E, parent.v + cross(parent.w, run.r))};
}

// The pose of a ball or free link in F.
template <class T, class Real>
LINCHPIN_INLINE void wide_pose(const WideLink<Real>& link, const Real* q, Mat3<T>& R, Vec3<T>& p) {
  constexpr int n = Scalar<T>::lanes;
  const Real* x = q + link.q * n;
  R = to_rotation(Quaternion<T>{load<T>(x), load<T>(x + n), load<T>(x + 2 * n), load<T>(x + 3 * n)});
  p = link.kind == LinkKind::free ? load3<T>(x + 4 * n) : Vec3<T>::zero();
}

// Velocity terms of a ball or free link with the parent's angular velocity wp given in F's axes. Returns the link's.
//     c = (R' wp x omega, R' (wp x (wp x r) + 2 wp x pdot))
template <class T, class Real, class Pivot>
LINCHPIN_INLINE Vec3<T> wide_velocity(const Plan<T>& plan, const RunPlan<Real>& run, const Vec3<T>& wp, const Real* q,
                                      const Real* v, Pivot& out) {
  constexpr int n = Scalar<T>::lanes;
  const WideLink<Real>& link = plan.wide_links[run.slot];
  Vec3<T> p;
  wide_pose(link, q, out.R, p);
  out.rF = p + run.rF;
  const Vec3<T> omega = load3<T>(v + link.v * n), carried = transpose_times(out.R, wp);
  Vec3<T> c = cross(wp, cross(wp, out.rF));
  if (link.kind == LinkKind::free) {
    const Vec3<T> coriolis = cross(wp, load3<T>(v + (link.v + 3) * n));
    c = c + coriolis + coriolis;
  }
  out.c = {cross(carried, omega), transpose_times(out.R, c)};
  const Vec3<T> w = carried + omega;
  out.w = w;
  out.p = {cross(w, link.inertia.I * w), cross(w, cross(w, link.inertia.h))};
  return w;
}

// Adds a one-axis link's own inertia to x.
template <class T, class C>
LINCHPIN_INLINE void add_own_inertia(const LinkBlock<C>& k, int lane, ArticulatedInertia<T>& x) {
  const auto mass = constant<T>(k.mass, lane);
  using S = std::remove_const_t<decltype(mass)>;
  add_rigid(mass, Vec3<S>{constant<T>(k.h_x, lane), constant<T>(k.h_y, lane), constant<T>(k.h_z, lane)},
            Sym3<S>{constant<T>(k.I_xx, lane), constant<T>(k.I_yy, lane), constant<T>(k.I_zz, lane),
                    constant<T>(k.I_xy, lane), constant<T>(k.I_xz, lane), constant<T>(k.I_yz, lane)},
            x);
}
// The own inertia of a link without children; zero bias force.
template <class T, class C>
LINCHPIN_INLINE ArticulatedInertia<T> own_inertia(const LinkBlock<C>& k, int lane) {
  using S = typename Scalar<T>::Real;
  const T hx(constant<T>(k.h_x, lane)), hy(constant<T>(k.h_y, lane)), hz(constant<T>(k.h_z, lane)),
      mass(constant<T>(k.mass, lane)), zero(S(0));
  return {{T(constant<T>(k.I_xx, lane)), T(constant<T>(k.I_yy, lane)), T(constant<T>(k.I_zz, lane)),
           T(constant<T>(k.I_xy, lane)), T(constant<T>(k.I_xz, lane)), T(constant<T>(k.I_yz, lane))},
          {zero, -hz, hy},
          {hz, zero, -hx},
          {-hy, hx, zero},
          {mass, mass, mass, zero, zero, zero},
          Force<T>::zero()};
}
// From the start of the common normal of a run's first joint to the parent's frame.
template <class T, class Run>
LINCHPIN_INLINE void through_head(const Run& run, ArticulatedInertia<T>& x) {
  if (run.head == Head::screwed) {
    turn_z(run.phi, x);
    shift_z(run.t, x);
  } else if (run.head == Head::general) {
    x = placed(run.E, run.r, x);
  }
}
// Adds a run's inertia to its parent's sum; the first of the siblings sets it.
template <class T, class Real>
LINCHPIN_INLINE void hand_over(const RunPlan<Real>& run, const ArticulatedInertia<T>& x, ArticulatedInertia<T>& sum) {
  if (run.opens_sum)
    sum = x;
  else
    sum += x;
}

// External forces are given by body; this hands them to the links that carry the bodies: on_axis(slot, F) for one-axis
// links, on_wide(index, F) for ball and free ones.
template <class T, class Real, class OnAxis, class OnWide>
void each_external_force(const Plan<T>& plan, const Real* f_ext, const OnAxis& on_axis, const OnWide& on_wide) {
  constexpr int worlds = Lanes<T>::worlds;
  for (std::size_t i = 1; i < plan.body.size(); ++i) {
    const BodyPlan<Real>& body = plan.body[i];
    const Real* from = f_ext + 6 * worlds * i;
    const Force<T> F =
        force_to_parent(Transform<Real>{body.R_LB, body.p_LB}, Force<T>{load3<T>(from), load3<T>(from + 3 * worlds)});
    if (body.slot >= 0)
      on_axis(body.slot, F);
    else if (body.wide_link >= 0)
      on_wide(body.wide_link, F);
  }
}
// p of the links will take them with the opposite sign.
template <class T, class Real, class Workspace>
void gather_external_forces(const Plan<T>& plan, const Real* f_ext, Workspace& ws) {
  for (Force<T>& F : ws.external) F = Force<T>::zero();
  each_external_force(
      plan, f_ext, [&](std::size_t slot, const Force<T>& F) { ws.external[slot] += F; },
      [&](std::size_t wide, const Force<T>& F) { ws.wide[wide].p = ws.wide[wide].p - F; });
}

// The inverse of a positive definite 3x3 matrix by its Cholesky factors: no difference of large products.
template <class T>
LINCHPIN_INLINE Sym3<T> inverse(const Sym3<T>& A) {
  using S = typename Scalar<T>::Real;
  const T d1 = S(1) / A.xx;
  const T l21 = A.xy * d1, l31 = A.xz * d1;
  const T d2 = S(1) / fnma(l21, A.xy, A.yy);
  const T e32 = fnma(l21, A.xz, A.yz);
  const T l32 = e32 * d2;
  const T d3 = S(1) / fnma(l32, e32, fnma(l31, A.xz, A.zz));
  const T m31 = fma(l21, l32, -l31);  // L^-1 = [1; -l21 1; m31 -l32 1]
  return {fma(m31 * m31, d3, fma(l21 * l21, d2, d1)),
          fma(l32 * l32, d3, d2),
          d3,
          fma(-(m31 * l32), d3, -(l21 * d2)),
          m31 * d3,
          -(l32 * d3)};
}

// Solves IA a = f, 6x6 positive definite, by LDL' unrolled; X is T or several right-hand sides at once.
template <class T, class X>
LINCHPIN_INLINE Motion<X> solve(const ArticulatedInertia<T>& x, const Force<X>& f) {
  using S = typename Scalar<T>::Real;
  T M[6][6] = {{x.A.xx, T(0), T(0), T(0), T(0), T(0)},         {x.A.xy, x.A.yy, T(0), T(0), T(0), T(0)},
               {x.A.xz, x.A.yz, x.A.zz, T(0), T(0), T(0)},     {x.Bx.x, x.By.x, x.Bz.x, x.C.xx, T(0), T(0)},
               {x.Bx.y, x.By.y, x.Bz.y, x.C.xy, x.C.yy, T(0)}, {x.Bx.z, x.By.z, x.Bz.z, x.C.xz, x.C.yz, x.C.zz}};
  X b[6] = {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z};
  T d[6];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    d[k] = S(1) / M[k][k];
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const T l = M[i][k] * d[k];
      b[i] = fnma(l, b[k], b[i]);
#pragma GCC unroll 6
      for (int j = i; j < 6; ++j) M[j][i] = fnma(l, M[j][k], M[j][i]);
      M[i][k] = l;
    }
  }
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) {
    X s = b[k] * d[k];
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) s = fnma(M[j][k], b[j], s);
    b[k] = s;
  }
  return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

}  // namespace linchpin

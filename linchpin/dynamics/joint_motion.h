// What the recursions of aba, rnea, crba and kinematics share: how a joint's coordinates become motion.
// For kernel files only.
#pragma once

#include <span>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/articulated.h"
#include "linchpin/dynamics/plan.h"
#include "linchpin/spatial/quaternion.h"
#include "linchpin/spatial/sincos.h"

namespace linchpin {

template <class T, class Numbers>
void check_sizes(const Plan<T>& plan, const Numbers& q, const Numbers& v, const Numbers& tau, const Numbers& f_ext) {
  const std::size_t worlds = std::size_t(Lanes<T>::worlds);
  check(q.size() == worlds * std::size_t(plan.nq), "q has ", q.size(), " numbers, the model needs ", worlds * std::size_t(plan.nq));
  check(v.size() == worlds * std::size_t(plan.nv), "v has ", v.size(), " numbers, the model needs ", worlds * std::size_t(plan.nv));
  check(tau.size() == v.size(), "tau (or vdot) has ", tau.size(), " numbers, the model needs ", v.size());
  check(f_ext.empty() || f_ext.size() == 6 * worlds * std::size_t(plan.bodies), "f_ext has ", f_ext.size(),
        " numbers, the model needs none or ", 6 * worlds * std::size_t(plan.bodies));
}

// The coordinates of block b's joints side by side (positions, or velocities), for the scalar types.
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
  for (int lane = 0; lane < where.count; ++lane) r.v[lane] = x[index[b * std::size_t(Lanes<T>::joints) + std::size_t(lane)]];
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

// A vector of the previous link's axes in F's: Rx(alpha)' x.
template <class S, class T>
LINCHPIN_INLINE Vec3<T> along_normal(const S& c, const S& s, const Vec3<T>& x) {
  return {x.x, fma(s, x.z, c * x.y), fma(c, x.z, -(s * x.y))};
}
// A vector of F's axes in the link's: Rz(angle)' x.
template <class T>
LINCHPIN_INLINE Vec3<T> into_link(const T& c, const T& s, const Vec3<T>& x) {
  return {fma(s, x.y, c * x.x), fma(c, x.y, -(s * x.x)), x.z};
}
// And back.
template <class T>
LINCHPIN_INLINE Vec3<T> out_of_link(const T& c, const T& s, const Vec3<T>& x) {
  return {fma(c, x.x, -(s * x.y)), fma(s, x.x, c * x.y), x.z};
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
  const WideLink<Real>& link = plan.wide_links[std::size_t(run.slot)];
  Vec3<T> p;
  wide_pose(link, q, out.R, p);
  out.rF = p + run.head.rF;
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
  return {fma(m31 * m31, d3, fma(l21 * l21, d2, d1)), fma(l32 * l32, d3, d2), d3,
          fma(-(m31 * l32), d3, -(l21 * d2)), m31 * d3, -(l32 * d3)};
}

// Solves IA a = f, 6x6 positive definite, by LDL' unrolled.
template <class T>
LINCHPIN_INLINE Motion<T> solve(const ArticulatedInertia<T>& x, const Force<T>& f) {
  using S = typename Scalar<T>::Real;
  T M[6][6] = {{x.A.xx, T(0), T(0), T(0), T(0), T(0)},
               {x.A.xy, x.A.yy, T(0), T(0), T(0), T(0)},
               {x.A.xz, x.A.yz, x.A.zz, T(0), T(0), T(0)},
               {x.Bx.x, x.By.x, x.Bz.x, x.C.xx, T(0), T(0)},
               {x.Bx.y, x.By.y, x.Bz.y, x.C.xy, x.C.yy, T(0)},
               {x.Bx.z, x.By.z, x.Bz.z, x.C.xz, x.C.yz, x.C.zz}};
  T b[6] = {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z};
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
    T s = b[k] * d[k];
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) s = fnma(M[j][k], b[j], s);
    b[k] = s;
  }
  return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

}  // namespace linchpin

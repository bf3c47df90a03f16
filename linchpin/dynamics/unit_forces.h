// How forces pass a joint of articulated factors on their way inward, for those who carry several of them at once: X is
// T, or a register of columns of one world. (1) of compliance.h. For kernel files only.
#pragma once

#include "linchpin/dynamics/joint_motion.h"

namespace linchpin {

// P (1 - U D^-1 S') at a one-axis joint, leaving s = S' P there; still at the link's origin in its axes. A hinge lets
// no moment about its axis pass: n.z is not set then, and to_previous_link() takes it as zero.
template <bool axial, class T, class Factors, class X>
LINCHPIN_INLINE Force<X> past_pivot(const Plan<T>& plan, const Factors& factors, int slot, const Force<X>& P, X& s) {
  using Real = typename Plan<T>::Real;
  constexpr int joints = Lanes<T>::joints;
  const auto& g = factors.pivot[std::size_t(slot)];
  s = P.n.z;
  if constexpr (axial) {
    const auto& k = plan.blocks[std::size_t(slot / joints)];
    const int lane = slot % joints;
    s = fma(at<Real>(k.slide, lane), P.f.z, at<Real>(k.turn, lane) * P.n.z);
  }
  Force<X> F;
  F.n.x = fma(-g.g_x, s, P.n.x);
  F.n.y = fma(-g.g_y, s, P.n.y);
  if constexpr (axial) F.n.z = fma(-g.g_z, s, P.n.z);
  F.f = {fma(-g.l_x, s, P.f.x), fma(-g.l_y, s, P.f.y), fma(-g.l_z, s, P.f.z)};
  return F;
}

// From there along the common normal to the previous link (up to the head's screw).
template <bool axial, class T, class Factors, class X>
LINCHPIN_INLINE Force<X> to_previous_link(const Plan<T>& plan, const Factors& factors, int slot, const Force<X>& F) {
  using Real = typename Plan<T>::Real;
  constexpr int joints = Lanes<T>::joints;
  const auto& k = plan.blocks[std::size_t(slot / joints)];
  const auto& b = factors.block[std::size_t(slot / joints)];
  const int lane = slot % joints;
  T d(at<Real>(k.slide0, lane));
  if constexpr (axial) d = at<T>(b.d, lane);
  X nx = F.n.x, ny = F.n.y, nz, fx = F.f.x, fy = F.f.y, fz = F.f.z;
  if constexpr (axial) nz = F.n.z;
  const T c = at<T>(b.c, lane), sn = at<T>(b.s, lane);
  turn_pair(c, sn, nx, ny);
  turn_pair(c, sn, fx, fy);
  nx = fma(-d, fy, nx);
  ny = fma(d, fx, ny);
  const Real ca = at<Real>(k.cos_alpha, lane), sa = at<Real>(k.sin_alpha, lane), a = at<Real>(k.a, lane);
  if constexpr (axial) {
    turn_pair(ca, sa, ny, nz);
  } else {  // a hinge's axis feels no moment
    nz = sa * ny;
    ny = ca * ny;
  }
  turn_pair(ca, sa, fy, fz);
  ny = fma(-a, fz, ny);
  nz = fma(a, fy, nz);
  return {{nx, ny, nz}, {fx, fy, fz}};
}

// Ball: S = (1, 0), so s is the moment. y = D^-1 s.
template <class Wide, class X>
LINCHPIN_INLINE Force<X> past_ball(const Wide& w, Force<X> F, Vec3<X>& y) {
  y = w.D_inverse * F.n;
  F.n = F.n - w.IA.A * y;
  F.f = F.f - fma(y.z, w.IA.Bz, fma(y.y, w.IA.By, y.x * w.IA.Bx));
  return F;
}

// Free: S is invertible. With IA = L D L' six rows s = L^-1 P instead of S' P do as well, and nothing passes.
template <class T>
LINCHPIN_INLINE InertiaFactors<T> inertia_factors(const ArticulatedInertia<T>& x) {
  using Real = typename Scalar<T>::Real;
  InertiaFactors<T> out{{{x.A.xx, T(0), T(0), T(0), T(0), T(0)},
                         {x.A.xy, x.A.yy, T(0), T(0), T(0), T(0)},
                         {x.A.xz, x.A.yz, x.A.zz, T(0), T(0), T(0)},
                         {x.Bx.x, x.By.x, x.Bz.x, x.C.xx, T(0), T(0)},
                         {x.Bx.y, x.By.y, x.Bz.y, x.C.xy, x.C.yy, T(0)},
                         {x.Bx.z, x.By.z, x.Bz.z, x.C.xz, x.C.yz, x.C.zz}},
                        {}};
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    out.D_inverse[k] = Real(1) / out.L[k][k];
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const T l = out.L[i][k] * out.D_inverse[k];
#pragma GCC unroll 6
      for (int j = i; j < 6; ++j) out.L[j][i] = fnma(l, out.L[j][k], out.L[j][i]);
      out.L[i][k] = l;
    }
  }
  return out;
}
// s = L^-1 F
template <class T, class X>
LINCHPIN_INLINE void solve_forward(const InertiaFactors<T>& factors, const Force<X>& F, X (&s)[6]) {
  s[0] = F.n.x, s[1] = F.n.y, s[2] = F.n.z, s[3] = F.f.x, s[4] = F.f.y, s[5] = F.f.z;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k)
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) s[i] = fnma(factors.L[i][k], s[k], s[i]);
}
// x <- L'^-1 x
template <class T>
LINCHPIN_INLINE void solve_backward(const InertiaFactors<T>& factors, T (&x)[6]) {
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k)
#pragma GCC unroll 6
    for (int i = 0; i < k; ++i) x[i] = fnma(factors.L[k][i], x[k], x[i]);
}

}  // namespace linchpin

// Carrying forces inward through a joint, (1) of compliance.h, several at a time: X is T, or a register of columns of
// one world. For kernel files only.
#pragma once

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/joint_motion.h"

namespace linchpin {

// 1 / D of a slot, from either kind of factors.
template <bool axial, class T>
LINCHPIN_INLINE const T& D_inverse(const ArticulatedFactor<T>& factors, int slot) {
  return factors.pivot[slot].D_inverse;
}
template <bool axial, class T>
LINCHPIN_INLINE const T& D_inverse(const AbaWorkspace<T>& ws, int slot) {
  return axial ? ws.axial_D_inverse[slot] : ws.pivot[slot].hinge_D_inverse;
}

// P (1 - U D^-1 S') at a one-axis joint, and s = S' P, both in the link's frame. A hinge transmits no moment about its
// axis: n.z is then not set, and to_previous_link() takes it as zero.
template <bool axial, class T, class C, class Pivot, class X>
LINCHPIN_INLINE Force<X> past_pivot(const LinkBlock<C>& k, int lane, const Pivot& g, const Force<X>& P, X& s) {
  s = P.n.z;
  if constexpr (axial) s = fma(constant<T>(k.slide, lane), P.f.z, constant<T>(k.turn, lane) * P.n.z);
  Force<X> F;
  F.n.x = fma(-g.g_x, s, P.n.x);
  F.n.y = fma(-g.g_y, s, P.n.y);
  if constexpr (axial) F.n.z = fma(-g.g_z, s, P.n.z);
  F.f = {fma(-g.l_x, s, P.f.x), fma(-g.l_y, s, P.f.y), fma(-g.l_z, s, P.f.z)};
  return F;
}

// From there to the frame of the previous link (for the first joint of a run, before force_through_head()). b has the
// joint's angle.
template <bool axial, class T, class C, class Block, class X>
LINCHPIN_INLINE Force<X> to_previous_link(const LinkBlock<C>& k, int lane, const Block& b, const Force<X>& F) {
  T d(constant<T>(k.slide0, lane));
  if constexpr (axial) d = at<T>(b.d, lane);
  X nx = F.n.x, ny = F.n.y, nz, fx = F.f.x, fy = F.f.y, fz = F.f.z;
  if constexpr (axial) nz = F.n.z;
  const T c = at<T>(b.c, lane), sn = at<T>(b.s, lane);
  turn_pair(c, sn, nx, ny);
  turn_pair(c, sn, fx, fy);
  nx = fma(-d, fy, nx);
  ny = fma(d, fx, ny);
  const auto ca = constant<T>(k.cos_alpha, lane), sa = constant<T>(k.sin_alpha, lane), a = constant<T>(k.a, lane);
  if constexpr (axial) {
    turn_pair(ca, sa, ny, nz);
  } else {  // a hinge transmits no moment about its axis
    nz = sa * ny;
    ny = ca * ny;
  }
  turn_pair(ca, sa, fy, fz);
  ny = fma(-a, fz, ny);
  nz = fma(a, fy, nz);
  return {{nx, ny, nz}, {fx, fy, fz}};
}

// Both at a slot of a plan.
template <bool axial, class T, class Factors, class X>
LINCHPIN_INLINE Force<X> past_pivot(const Plan<T>& plan, const Factors& factors, int slot, const Force<X>& P, X& s) {
  constexpr int joints = Lanes<T>::joints;
  return past_pivot<axial, T>(plan.blocks[slot / joints], slot % joints, factors.pivot[slot], P, s);
}
template <bool axial, class T, class Factors, class X>
LINCHPIN_INLINE Force<X> to_previous_link(const Plan<T>& plan, const Factors& factors, int slot, const Force<X>& F) {
  constexpr int joints = Lanes<T>::joints;
  return to_previous_link<axial, T>(plan.blocks[slot / joints], slot % joints, factors.block[slot / joints], F);
}

// Ball: S = (1, 0), so s is the moment. y = D^-1 s.
template <class Wide, class X>
LINCHPIN_INLINE Force<X> past_ball(const Wide& w, Force<X> F, Vec3<X>& y) {
  y = w.D_inverse * F.n;
  F.n = F.n - w.IA.A * y;
  F.f = F.f - fma(y.z, w.IA.Bz, fma(y.y, w.IA.By, y.x * w.IA.Bx));
  return F;
}

// Free: S is invertible, and no force is transmitted. With IA = L D L' the six rows s = L^-1 P serve in place of S' P.
// Only entries of L below the diagonal are set.
template <class T>
LINCHPIN_INLINE void factor_inertia(const ArticulatedInertia<T>& x, InertiaFactors<T>& out) {
  using Real = typename Scalar<T>::Real;
  T L[6][6];
  L[0][0] = x.A.xx;
  L[1][0] = x.A.xy, L[1][1] = x.A.yy;
  L[2][0] = x.A.xz, L[2][1] = x.A.yz, L[2][2] = x.A.zz;
  L[3][0] = x.Bx.x, L[3][1] = x.By.x, L[3][2] = x.Bz.x, L[3][3] = x.C.xx;
  L[4][0] = x.Bx.y, L[4][1] = x.By.y, L[4][2] = x.Bz.y, L[4][3] = x.C.xy, L[4][4] = x.C.yy;
  L[5][0] = x.Bx.z, L[5][1] = x.By.z, L[5][2] = x.Bz.z, L[5][3] = x.C.xz, L[5][4] = x.C.yz, L[5][5] = x.C.zz;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const T D_inverse = Real(1) / L[k][k];
    out.D_inverse[k] = D_inverse;
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const T l = L[i][k] * D_inverse;
#pragma GCC unroll 6
      for (int j = i; j < 6; ++j) L[j][i] = fnma(l, L[j][k], L[j][i]);
      out.L[i][k] = l;
    }
  }
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

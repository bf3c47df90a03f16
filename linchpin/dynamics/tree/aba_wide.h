// The passes of aba at a ball or free joint: (1) to (4) of aba.h for one link. For kernel files only.
#pragma once

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/joint_motion.h"

namespace linchpin {

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

// Free: S is invertible, so only the joint's own force acts on the parent, and the link's acceleration does not depend
// on the parent: a = IA^-1 (tau - p).
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

// (4), from the parent's acceleration at F. Writes the joint's accelerations and returns that of the link.
template <class T, class Real>
Motion<T> outward_wide(const WideLink<Real>& link, const RunPlan<Real>& run, const AbaWidePivot<T>& w,
                       const Motion<T>& a, Real* vdot) {
  constexpr int worlds = Lanes<T>::worlds;
  const Vec3<T> joint_offset = w.rF - run.rF;
  const Motion<T> carried{transpose_times(w.R, a.w) + w.c.w,
                          transpose_times(w.R, a.v + cross(a.w, joint_offset)) + w.c.v};
  if (link.kind == LinkKind::ball) {
    const Vec3<T> rhs = w.u - w.IA.A * carried.w - times_B(w.IA, carried.v);
    const Vec3<T> turning = w.D_inverse * rhs;
    store3(turning, vdot + link.v * worlds);
    return {carried.w + turning, carried.v};
  }
  store3(w.a.w - carried.w, vdot + link.v * worlds);
  store3(w.R * (w.a.v - carried.v), vdot + (link.v + 3) * worlds);
  return w.a;
}

}  // namespace linchpin

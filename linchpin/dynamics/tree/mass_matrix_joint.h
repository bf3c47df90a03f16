// The passes of crba at one joint, in link frames and in the tree's frame. T is a number, a pack of worlds, or a pack
// of limbs; `lane` selects the joint where several share a field. For kernel files only.
#pragma once

#include <cstring>

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/mass_matrix.h"

namespace linchpin {

// ---- copies number by number ----------------------------------------------------------------------------------------

// The compiler copies structures by whole registers. Numbers or packs that were just stored one by one would have to
// reach the cache first.
template <class T>
LINCHPIN_INLINE void copy(const Vec3<T>& from, Vec3<T>& to) {
  to.x = from.x;
  to.y = from.y;
  to.z = from.z;
}
template <class T>
LINCHPIN_INLINE void copy(const Motion<T>& from, Motion<T>& to) {
  copy(from.w, to.w);
  copy(from.v, to.v);
}
template <class T>
LINCHPIN_INLINE void copy(const Force<T>& from, Force<T>& to) {
  copy(from.n, to.n);
  copy(from.f, to.f);
}
template <class T>
LINCHPIN_INLINE void copy(const Transform<T>& from, Transform<T>& to) {
  copy(from.R.x, to.R.x);
  copy(from.R.y, to.R.y);
  copy(from.R.z, to.R.z);
  copy(from.p, to.p);
}
template <class T>
LINCHPIN_INLINE void copy(const CompositeInertia<T>& from, CompositeInertia<T>& to) {
  to.mass = from.mass;
  copy(from.h, to.h);
  to.I.xx = from.I.xx;
  to.I.yy = from.I.yy;
  to.I.zz = from.I.zz;
  to.I.xy = from.I.xy;
  to.I.xz = from.I.xz;
  to.I.yz = from.I.yz;
}

// ---- inward ---------------------------------------------------------------------------------------------------------

// The number of joint `slot` in an array of registers.
template <class T>
LINCHPIN_INLINE const T& number(const AlignedArray<typename Lanes<T>::Wide>& array, int slot) {
  return reinterpret_cast<const T*>(array.data())[slot];
}

// Moves the origin back by r = (0, 0, d): I += 2 (r.h) 1 - r h' - h r' + mass (r.r 1 - r r').
template <class T, class D, class X>
LINCHPIN_INLINE void composite_shift_z(const D& d, X& x) {
  const T both = d * fma(x.mass, d, x.h.z + x.h.z);
  x.I.xx += both;
  x.I.yy += both;
  x.I.xz = fma(-d, x.h.x, x.I.xz);
  x.I.yz = fma(-d, x.h.y, x.I.yz);
  x.h.z = fma(x.mass, d, x.h.z);
}
template <class T, class D, class X>
LINCHPIN_INLINE void composite_shift_x(const D& a, X& x) {
  const T both = a * fma(x.mass, a, x.h.x + x.h.x);
  x.I.yy += both;
  x.I.zz += both;
  x.I.xy = fma(-a, x.h.y, x.I.xy);
  x.I.xz = fma(-a, x.h.z, x.I.xz);
  x.h.x = fma(x.mass, a, x.h.x);
}
template <class T, class R, class X>
LINCHPIN_INLINE void composite_turn_z(const R& c, const R& s, X& x) {
  turn_symmetric(Turn<R>{c, s}, x.I.xx, x.I.xy, x.I.yy);
  turn_pair(c, s, x.I.xz, x.I.yz);
  turn_pair(c, s, x.h.x, x.h.y);
}
template <class T, class R, class X>
LINCHPIN_INLINE void composite_turn_x(const R& c, const R& s, X& x) {
  turn_symmetric(Turn<R>{c, s}, x.I.yy, x.I.yz, x.I.zz);
  turn_pair(c, s, x.I.xy, x.I.xz);
  turn_pair(c, s, x.h.y, x.h.z);
}
template <class T, class S, class X>
LINCHPIN_INLINE void composite_place(const Mat3<S>& R, const Vec3<T>& r, X& x) {
  x.h = R * x.h;
  x.I = rotate(R, x.I);
  const T d = dot(r, x.h) + dot(r, x.h);
  const Sym3<T> mixed{d - (r.x * x.h.x + r.x * x.h.x), d - (r.y * x.h.y + r.y * x.h.y), d - (r.z * x.h.z + r.z * x.h.z),
                      -fma(r.x, x.h.y, r.y * x.h.x),   -fma(r.x, x.h.z, r.z * x.h.x),   -fma(r.y, x.h.z, r.z * x.h.y)};
  x.I = x.I + mixed + x.mass * cross_square(r);
  x.h = fma(x.mass, r, x.h);
}

template <class T>
LINCHPIN_INLINE CompositeInertia<T> nothing() {
  using S = typename Scalar<T>::Real;
  const T zero(S(0));
  return {zero, {zero, zero, zero}, {zero, zero, zero, zero, zero, zero}};
}
template <class T, class X>
LINCHPIN_INLINE CompositeInertia<T> sum(const CompositeInertia<T>& x, const X& y) {
  return {x.mass + y.mass, x.h + y.h, x.I + y.I};
}
template <class T, class C>
LINCHPIN_INLINE void add_own_inertia(const LinkBlock<C>& k, int lane, CompositeInertia<T>& x) {
  const auto mass = constant<T>(k.mass, lane);
  using S = std::remove_const_t<decltype(mass)>;
  x = sum(x, CompositeInertia<S>{mass,
                                 {constant<T>(k.h_x, lane), constant<T>(k.h_y, lane), constant<T>(k.h_z, lane)},
                                 {constant<T>(k.I_xx, lane), constant<T>(k.I_yy, lane), constant<T>(k.I_zz, lane),
                                  constant<T>(k.I_xy, lane), constant<T>(k.I_xz, lane), constant<T>(k.I_yz, lane)}});
}
// Ic s of a hinge, which turns about z.
template <class T>
LINCHPIN_INLINE Force<T> hinge_momentum(const CompositeInertia<T>& x) {
  using S = typename Scalar<T>::Real;
  return {{x.I.xz, x.I.yz, x.I.zz}, {-x.h.y, x.h.x, T(S(0))}};
}
// To the frame of the previous link (for the first joint of a run, before through_head()).
template <class T, class C>
LINCHPIN_INLINE void to_previous_link(const LinkBlock<C>& k, int lane, const T& c, const T& s, const T& d,
                                      CompositeInertia<T>& x) {
  composite_turn_z<T>(c, s, x);
  composite_shift_z<T>(d, x);
  composite_turn_x<T>(constant<T>(k.cos_alpha, lane), constant<T>(k.sin_alpha, lane), x);
  composite_shift_x<T>(constant<T>(k.a, lane), x);
}
template <class T, class Run>
LINCHPIN_INLINE void through_screwed_head(const Run& run, CompositeInertia<T>& x) {
  composite_turn_z<T>(run.phi.c, run.phi.s, x);
  composite_shift_z<T>(run.t, x);
}
template <class T, class Run>
LINCHPIN_INLINE void through_general_head(const Run& run, CompositeInertia<T>& x) {
  composite_place<T>(run.E, Vec3<T>{T(run.r.x), T(run.r.y), T(run.r.z)}, x);
}

// ---- outward: in the tree's frame -----------------------------------------------------------------------------------

// The pose of a run's F from that of the last link of its parent.
template <class T, class Run>
LINCHPIN_INLINE Transform<T> pose_of_head(const Run& run, const Transform<T>& parent) {
  return {parent.R * run.E, parent.p + parent.R * run.r};
}
// An axis at the reference point, given at `origin`.
template <class T>
LINCHPIN_INLINE Motion<T> at_reference_point(const Vec3<T>& origin, const Motion<T>& axis) {
  return {axis.w, axis.v + cross(origin, axis.w)};
}
template <class T>
LINCHPIN_INLINE Force<T> at_reference_point(const Vec3<T>& origin, const Force<T>& momentum) {
  return {momentum.n + cross(origin, momentum.f), momentum.f};
}
template <class T>
LINCHPIN_INLINE Motion<T> hinge_axis(const Transform<T>& X) {
  return {{X.R.z.x, X.R.z.y, X.R.z.z}, cross(X.p, X.R.z)};
}
// The momentum of a hinge, whose linear part has no z.
template <class T>
LINCHPIN_INLINE Force<T> turned_hinge_momentum(const Transform<T>& X, const Force<T>& momentum) {
  return at_reference_point(X.p, Force<T>{X.R * momentum.n, fma(momentum.f.y, X.R.y, momentum.f.x * X.R.x)});
}

// (1): the power of a momentum on an axis.
template <class T>
LINCHPIN_INLINE T entry(const Motion<T>& axis, const Force<T>& F) {
  return dot(axis.w, F.n) + dot(axis.v, F.f);
}

// ---- paths and rows -------------------------------------------------------------------------------------------------

template <class T>
using Axes = Motion<typename Lanes<T>::Wide>;  // as many as a register holds

template <class T>
LINCHPIN_INLINE Axes<T>* path_of(const Plan<T>& plan, int r, CrbaWorkspace<T>& ws) {
  return ws.path.data() + plan.crba_order.path[r].start;
}
// The axes of a run's ancestors, if its path is not its parent's.
template <class T>
LINCHPIN_INLINE void copy_path(const Plan<T>& plan, int r, CrbaWorkspace<T>& ws) {
  const CrbaOrder::Path& place = plan.crba_order.path[r];
  if (!place.copied) return;
  const Axes<T>* from = path_of(plan, plan.runs[r].parent, ws);
  Axes<T>* to = path_of(plan, r, ws);
  for (int j = 0; j < place.before; j += Lanes<T>::joints) copy(*from++, *to++);
}
// Entry `depth` of a path.
template <class T>
LINCHPIN_INLINE void put_axis(const Motion<T>& axis, unsigned depth, Axes<T>* path) {
  constexpr unsigned width = Lanes<T>::joints;
  T* to = reinterpret_cast<T*>(path + depth / width) + depth % width;
  to[0] = axis.w.x;
  to[width] = axis.w.y;
  to[2 * width] = axis.w.z;
  to[3 * width] = axis.v.x;
  to[4 * width] = axis.v.y;
  to[5 * width] = axis.v.z;
}
template <class V, class T>
LINCHPIN_INLINE void store_whole(const V& x, T* row) {
  if constexpr (sizeof(V) == sizeof(T))
    *row = x;
  else
    x.store(row);
}
// Stores the first `count` entries of a row, or the whole register if it ends before the rows of the run do: those are
// written from the first to the last.
template <class V, class T>
LINCHPIN_INLINE void store_within(const V& x, T* row, int count, const T* end) {
  constexpr int width = int(sizeof(V) / sizeof(T));
  if constexpr (width == 1)
    *row = x;
  else if (end - row >= width)
    x.store(row);
  else
    x.store_first(row, count);
}

}  // namespace linchpin

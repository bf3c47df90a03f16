// Spatial algebra: six-vectors (angular part first), poses and rigid-body inertias.
//
// A Motion is (w, v): angular velocity and the velocity of the frame's origin. A Force is (n, f): moment about the
// origin and force. X_AB, a Transform, is the pose of frame B in frame A: p_A = R p_B + p.
#pragma once

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class T>
struct Motion {
  Vec3<T> w, v;
  static LINCHPIN_INLINE Motion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
};
template <class T>
struct Force {
  Vec3<T> n, f;
  static LINCHPIN_INLINE Force zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
};
template <class A, class B>
LINCHPIN_INLINE auto operator+(const Motion<A>& a, const Motion<B>& b) -> Motion<decltype(a.w.x + b.w.x)> {
  return {a.w + b.w, a.v + b.v};
}
template <class A, class B>
LINCHPIN_INLINE auto operator-(const Motion<A>& a, const Motion<B>& b) -> Motion<decltype(a.w.x - b.w.x)> {
  return {a.w - b.w, a.v - b.v};
}
template <class S, class T>
LINCHPIN_INLINE auto operator*(const S& s, const Motion<T>& m) -> Motion<decltype(s * m.w.x)> {
  return {s * m.w, s * m.v};
}
template <class A, class B>
LINCHPIN_INLINE auto operator+(const Force<A>& a, const Force<B>& b) -> Force<decltype(a.n.x + b.n.x)> {
  return {a.n + b.n, a.f + b.f};
}
template <class A, class B>
LINCHPIN_INLINE auto operator-(const Force<A>& a, const Force<B>& b) -> Force<decltype(a.n.x - b.n.x)> {
  return {a.n - b.n, a.f - b.f};
}
template <class A, class B>
LINCHPIN_INLINE Force<A>& operator+=(Force<A>& a, const Force<B>& b) {
  return a = a + b;
}
// Power of a force on a motion.
template <class A, class B>
LINCHPIN_INLINE auto dot(const Force<A>& f, const Motion<B>& m) {
  return dot(f.n, m.w) + dot(f.f, m.v);
}

template <class T>
struct Transform {
  Mat3<T> R;
  Vec3<T> p;
  static LINCHPIN_INLINE Transform identity() { return {Mat3<T>::identity(), Vec3<T>::zero()}; }
};
// X_AC = X_AB X_BC
template <class A, class B>
LINCHPIN_INLINE auto operator*(const Transform<A>& X, const Transform<B>& Y) -> Transform<decltype(X.p.x * Y.p.x)> {
  return {X.R * Y.R, X.p + X.R * Y.p};
}
template <class A, class B>
LINCHPIN_INLINE auto operator*(const Transform<A>& X, const Vec3<B>& point) {
  return X.p + X.R * point;
}
template <class T>
LINCHPIN_INLINE Transform<T> inverse(const Transform<T>& X) {
  return {transpose(X.R), -transpose_times(X.R, X.p)};
}
// A force given about B's origin in B's axes, expressed about A's origin in A's axes (X = X_AB).
template <class A, class B>
LINCHPIN_INLINE auto force_to_parent(const Transform<A>& X, const Force<B>& f) -> Force<decltype(X.p.x * f.n.x)> {
  const auto ff = X.R * f.f;
  return {X.R * f.n + cross(X.p, ff), ff};
}
// The inverse of force_to_parent().
template <class A, class B>
LINCHPIN_INLINE auto force_to_child(const Transform<A>& X, const Force<B>& f) -> Force<decltype(X.p.x * f.n.x)> {
  return {transpose_times(X.R, f.n - cross(X.p, f.f)), transpose_times(X.R, f.f)};
}
// A motion given at A's origin in A's axes, expressed at B's origin in B's axes (X = X_AB).
template <class A, class B>
LINCHPIN_INLINE auto motion_to_child(const Transform<A>& X, const Motion<B>& m) -> Motion<decltype(X.p.x * m.w.x)> {
  return {transpose_times(X.R, m.w), transpose_times(X.R, m.v + cross(m.w, X.p))};
}

// Mass, first moment h = mass * centre, and the moments of inertia about the frame's origin.
template <class T>
struct RigidInertia {
  T mass;
  Vec3<T> h;
  Sym3<T> I;
  static LINCHPIN_INLINE RigidInertia zero() { return {T(0), Vec3<T>::zero(), Sym3<T>::zero()}; }
  // From the centre of mass and the moments about it.
  static LINCHPIN_INLINE RigidInertia about_centre(const T& mass, const Vec3<T>& centre, const Sym3<T>& I_centre) {
    return {mass, mass * centre, I_centre + mass * cross_square(centre)};
  }
};
template <class T>
LINCHPIN_INLINE RigidInertia<T> operator+(const RigidInertia<T>& a, const RigidInertia<T>& b) {
  return {a.mass + b.mass, a.h + b.h, a.I + b.I};
}
// I m: the momentum of a body with inertia I and motion m.
template <class A, class B>
LINCHPIN_INLINE auto operator*(const RigidInertia<A>& I, const Motion<B>& m) -> Force<decltype(I.mass * m.w.x)> {
  return {I.I * m.w + cross(I.h, m.v), I.mass * m.v - cross(I.h, m.w)};
}
// An inertia given in frame B, expressed in frame A (X = X_AB).
template <class T>
LINCHPIN_INLINE RigidInertia<T> inertia_to_parent(const Transform<T>& X, const RigidInertia<T>& I) {
  const Vec3<T> h = X.R * I.h;
  // about A: R I R' + (p.2h) 1 - p h' - h p' + mass ((p.p) 1 - p p')
  const T d = T(2) * dot(X.p, h);
  const Sym3<T> cross_terms{d - T(2) * (X.p.x * h.x),     d - T(2) * (X.p.y * h.y),     d - T(2) * (X.p.z * h.z),
                            -(X.p.x * h.y + X.p.y * h.x), -(X.p.x * h.z + X.p.z * h.x), -(X.p.y * h.z + X.p.z * h.y)};
  return {I.mass, h + I.mass * X.p, rotate(X.R, I.I) + cross_terms + I.mass * cross_square(X.p)};
}

}  // namespace linchpin

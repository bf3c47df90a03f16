// The articulated-body inertia and its transformation from a link to its parent.
//
// To accelerate one body of a mechanism by (alpha, a) takes
//     n = A alpha + B a + p.n        (moment about the origin)
//     f = B' alpha + C a + p.f       (force)
// with A and C symmetric: 21 numbers, and the bias force p, which keeps alpha = a = 0. Accelerations are classical (the
// second derivative of the origin's position), so that linear velocities do not enter.
//
// A hinge about z projects to an inertia whose row and column for the moment about z are zero; FlatInertia keeps the
// rest.
#pragma once

#include "linchpin/spatial/spatial.h"

namespace linchpin {

template <class T>
struct ArticulatedInertia {
  Sym3<T> A;
  Vec3<T> Bx, By, Bz;  // rows of B
  Sym3<T> C;
  Force<T> p;
  static LINCHPIN_INLINE ArticulatedInertia zero() {
    return {Sym3<T>::zero(), Vec3<T>::zero(), Vec3<T>::zero(), Vec3<T>::zero(), Sym3<T>::zero(), Force<T>::zero()};
  }
};

// Factors IA = L D L' of a free link; computed and used by unit_forces.h.
template <class T>
struct InertiaFactors {
  T L[6][6];  // below the diagonal
  T D_inverse[6];
};

template <class T>
LINCHPIN_INLINE void operator+=(ArticulatedInertia<T>& x, const ArticulatedInertia<T>& y) {
  x.A += y.A;
  x.Bx += y.Bx;
  x.By += y.By;
  x.Bz += y.Bz;
  x.C += y.C;
  x.p += y.p;
}

// A rigid body has A = I, B = [h], C = mass 1.
template <class T, class S>
LINCHPIN_INLINE void add_rigid(const S& mass, const Vec3<S>& h, const Sym3<S>& I, ArticulatedInertia<T>& x) {
  x.A += I;
  x.Bx.y -= h.z;
  x.Bx.z += h.y;
  x.By.x += h.z;
  x.By.z -= h.x;
  x.Bz.x -= h.y;
  x.Bz.y += h.x;
  x.C.xx += mass;
  x.C.yy += mass;
  x.C.zz += mass;
}

// B' alpha
template <class T>
LINCHPIN_INLINE Vec3<T> transpose_B(const ArticulatedInertia<T>& x, const Vec3<T>& alpha) {
  return fma(alpha.z, x.Bz, fma(alpha.y, x.By, alpha.x * x.Bx));
}
// B a
template <class T>
LINCHPIN_INLINE Vec3<T> times_B(const ArticulatedInertia<T>& x, const Vec3<T>& a) {
  return {dot(x.Bx, a), dot(x.By, a), dot(x.Bz, a)};
}

// ---- rotation by R --------------------------------------------------------------------------------------------------

template <class T, class S>
LINCHPIN_INLINE ArticulatedInertia<T> turned(const Mat3<S>& R, const ArticulatedInertia<T>& x) {
  ArticulatedInertia<T> y;
  y.A = rotate(R, x.A);
  y.C = rotate(R, x.C);
  const Vec3<T> u = R * x.Bx, v = R * x.By, w = R * x.Bz;  // rows of B R'
  y.Bx = fma(R.z.x, w, fma(R.y.x, v, R.x.x * u));
  y.By = fma(R.z.y, w, fma(R.y.y, v, R.x.y * u));
  y.Bz = fma(R.z.z, w, fma(R.y.z, v, R.x.z * u));
  y.p = {R * x.p.n, R * x.p.f};
  return y;
}

// ---- moving the origin back by r: B += r x C, A += ..., n += r x f --------------------------------------------------

template <class T, class S>
LINCHPIN_INLINE void shift(const Vec3<S>& r, ArticulatedInertia<T>& x) {
  const Vec3<T> Bx = x.Bx, By = x.By, Bz = x.Bz;
  const Vec3<T> Cx{x.C.xx, x.C.xy, x.C.xz}, Cy{x.C.xy, x.C.yy, x.C.yz}, Cz{x.C.xz, x.C.yz, x.C.zz};
  x.Bx = fma(r.y, Cz, fma(-r.z, Cy, Bx));
  x.By = fma(r.z, Cx, fma(-r.x, Cz, By));
  x.Bz = fma(r.x, Cy, fma(-r.y, Cx, Bz));
  // A += r x B' + (r x B_new')'
  x.A.xx = fma(r.y, Bx.z + x.Bx.z, fma(-r.z, Bx.y + x.Bx.y, x.A.xx));
  x.A.yy = fma(r.z, By.x + x.By.x, fma(-r.x, By.z + x.By.z, x.A.yy));
  x.A.zz = fma(r.x, Bz.y + x.Bz.y, fma(-r.y, Bz.x + x.Bz.x, x.A.zz));
  x.A.xy = fma(r.y, By.z, fma(-r.z, By.y, fma(r.z, x.Bx.x, fma(-r.x, x.Bx.z, x.A.xy))));
  x.A.xz = fma(r.y, Bz.z, fma(-r.z, Bz.y, fma(r.x, x.Bx.y, fma(-r.y, x.Bx.x, x.A.xz))));
  x.A.yz = fma(r.z, Bz.x, fma(-r.x, Bz.z, fma(r.x, x.By.y, fma(-r.y, x.By.x, x.A.yz))));
  x.p.n = x.p.n + cross(r, x.p.f);
}

// The same for r = (a, 0, 0).
template <class T, class S>
LINCHPIN_INLINE void shift_x(const S& a, ArticulatedInertia<T>& x) {
  const Vec3<T> By = x.By, Bz = x.Bz;
  x.Bz = fma(a, Vec3<T>{x.C.xy, x.C.yy, x.C.yz}, Bz);
  x.A.zz = fma(a, Bz.y + x.Bz.y, x.A.zz);
  x.By = fma(-a, Vec3<T>{x.C.xz, x.C.yz, x.C.zz}, By);
  x.A.yz = fma(a, x.By.y - Bz.z, x.A.yz);
  x.A.xz = fma(a, x.Bx.y, x.A.xz);
  x.A.yy = fma(-a, By.z + x.By.z, x.A.yy);
  x.A.xy = fma(-a, x.Bx.z, x.A.xy);
  x.p.n.y = fma(-a, x.p.f.z, x.p.n.y);
  x.p.n.z = fma(a, x.p.f.y, x.p.n.z);
}
// The same for r = (0, 0, d).
template <class T, class S>
LINCHPIN_INLINE void shift_z(const S& d, ArticulatedInertia<T>& x) {
  const Vec3<T> Bx = x.Bx, By = x.By;
  x.Bx = fma(-d, Vec3<T>{x.C.xy, x.C.yy, x.C.yz}, Bx);
  x.By = fma(d, Vec3<T>{x.C.xx, x.C.xy, x.C.xz}, By);
  x.A.xx = fma(-d, Bx.y + x.Bx.y, x.A.xx);
  x.A.yy = fma(d, By.x + x.By.x, x.A.yy);
  x.A.xy = fma(d, x.Bx.x - By.y, x.A.xy);
  x.A.xz = fma(-d, x.Bz.y, x.A.xz);
  x.A.yz = fma(d, x.Bz.x, x.A.yz);
  x.p.n.x = fma(-d, x.p.f.y, x.p.n.x);
  x.p.n.y = fma(d, x.p.f.x, x.p.n.y);
}

// ---- turning about z and x ------------------------------------------------------------------------------------------

// Cosine and sine of an angle.
template <class T>
struct Turn {
  T c, s;
};

// (x, y) <- (c x - s y, s x + c y)
template <class R, class T>
LINCHPIN_INLINE void turn_pair(const R& c, const R& s, T& x, T& y) {
  const T old = x;
  x = fma(c, old, -(s * y));
  y = fma(s, old, c * y);
}
// [xx xy; yx yy] <- R [xx xy; yx yy] R', by one number: with w = s (xx - yy) + c (xy + yx)
//     xx - s w,  c w - yx;  c w - xy,  yy + s w
template <class R, class T>
LINCHPIN_INLINE void turn_symmetric(const Turn<R>& t, T& xx, T& xy, T& yy) {
  const T w = fma(t.s, xx - yy, t.c * (xy + xy));
  xy = fma(t.c, w, -xy);
  xx = fma(-t.s, w, xx);
  yy = fma(t.s, w, yy);
}
template <class R, class T>
LINCHPIN_INLINE void turn_square(const Turn<R>& t, T& xx, T& xy, T& yx, T& yy) {
  const T w = fma(t.s, xx - yy, t.c * (xy + yx)), old = xy;
  xx = fma(-t.s, w, xx);
  yy = fma(t.s, w, yy);
  xy = fma(t.c, w, -yx);
  yx = fma(t.c, w, -old);
}

template <class T, class R>
LINCHPIN_INLINE void turn_z(const Turn<R>& t, ArticulatedInertia<T>& x) {
  turn_symmetric(t, x.A.xx, x.A.xy, x.A.yy);
  turn_pair(t.c, t.s, x.A.xz, x.A.yz);
  turn_square(t, x.Bx.x, x.Bx.y, x.By.x, x.By.y);
  turn_pair(t.c, t.s, x.Bx.z, x.By.z);
  turn_pair(t.c, t.s, x.Bz.x, x.Bz.y);
  turn_symmetric(t, x.C.xx, x.C.xy, x.C.yy);
  turn_pair(t.c, t.s, x.C.xz, x.C.yz);
  turn_pair(t.c, t.s, x.p.n.x, x.p.n.y);
  turn_pair(t.c, t.s, x.p.f.x, x.p.f.y);
}

template <class T, class R>
LINCHPIN_INLINE void turn_x(const Turn<R>& t, ArticulatedInertia<T>& x) {
  turn_symmetric(t, x.A.yy, x.A.yz, x.A.zz);
  turn_pair(t.c, t.s, x.A.xy, x.A.xz);
  turn_square(t, x.By.y, x.By.z, x.Bz.y, x.Bz.z);
  turn_pair(t.c, t.s, x.Bx.y, x.Bx.z);
  turn_pair(t.c, t.s, x.By.x, x.Bz.x);
  turn_symmetric(t, x.C.yy, x.C.yz, x.C.zz);
  turn_pair(t.c, t.s, x.C.xy, x.C.xz);
  turn_pair(t.c, t.s, x.p.n.y, x.p.n.z);
  turn_pair(t.c, t.s, x.p.f.y, x.p.f.z);
}

// ---- flat: the last row and column of A and the last row of B are zero ----------------------------------------------

template <class T>
struct FlatInertia {
  T Axx, Axy, Ayy;
  Vec3<T> Bx, By;
  Sym3<T> C;
  Force<T> p;
};

template <class T>
LINCHPIN_INLINE void turn_z(const Turn<T>& t, FlatInertia<T>& x) {
  turn_symmetric(t, x.C.xx, x.C.xy, x.C.yy);
  turn_pair(t.c, t.s, x.C.xz, x.C.yz);
  turn_square(t, x.Bx.x, x.Bx.y, x.By.x, x.By.y);
  turn_pair(t.c, t.s, x.Bx.z, x.By.z);
  turn_symmetric(t, x.Axx, x.Axy, x.Ayy);
  turn_pair(t.c, t.s, x.p.n.x, x.p.n.y);
  turn_pair(t.c, t.s, x.p.f.x, x.p.f.y);
}
template <class T, class S>
LINCHPIN_INLINE void shift_z(const S& d, FlatInertia<T>& x) {
  const Vec3<T> Bx = x.Bx, By = x.By;
  x.Bx = fma(-d, Vec3<T>{x.C.xy, x.C.yy, x.C.yz}, Bx);
  x.By = fma(d, Vec3<T>{x.C.xx, x.C.xy, x.C.xz}, By);
  x.Axx = fma(-d, Bx.y + x.Bx.y, x.Axx);
  x.Ayy = fma(d, By.x + x.By.x, x.Ayy);
  x.Axy = fma(d, x.Bx.x - By.y, x.Axy);
  x.p.n.x = fma(-d, x.p.f.y, x.p.n.x);
  x.p.n.y = fma(d, x.p.f.x, x.p.n.y);
}
// Rotated about x it is no longer flat.
template <class T, class R>
LINCHPIN_INLINE ArticulatedInertia<T> turned_x(const Turn<R>& t, const FlatInertia<T>& x) {
  ArticulatedInertia<T> y;
  y.C = x.C;
  turn_symmetric(t, y.C.yy, y.C.yz, y.C.zz);
  turn_pair(t.c, t.s, y.C.xy, y.C.xz);
  Vec3<T> By = x.By;
  turn_pair(t.c, t.s, By.y, By.z);
  y.Bz = t.s * By;
  y.By = t.c * By;
  y.Bx = x.Bx;
  turn_pair(t.c, t.s, y.Bx.y, y.Bx.z);
  const T cA = t.c * x.Ayy, sA = t.s * x.Ayy;
  y.A = {x.Axx, t.c * cA, t.s * sA, t.c * x.Axy, t.s * x.Axy, t.s * cA};
  y.p = x.p;
  turn_pair(t.c, t.s, y.p.n.y, y.p.n.z);
  turn_pair(t.c, t.s, y.p.f.y, y.p.f.z);
  return y;
}

// ---- through a joint: Ia = IA - U D^-1 U' ---------------------------------------------------------------------------

// U / D, angular over linear, and 1 / D.
template <class T>
struct AxisPivot {
  Vec3<T> g, l;
  T D_inverse;
};

// S = (0 0 turn, 0 0 slide) with armature. The bias force is not changed.
template <class T, class S>
LINCHPIN_INLINE AxisPivot<T> project_axis(const S& turn, const S& slide, const S& armature, ArticulatedInertia<T>& x) {
  const Vec3<T> Ua = fma(slide, Vec3<T>{x.Bx.z, x.By.z, x.Bz.z}, turn * Vec3<T>{x.A.xz, x.A.yz, x.A.zz});
  const Vec3<T> Ul = fma(slide, Vec3<T>{x.C.xz, x.C.yz, x.C.zz}, turn * x.Bz);
  const T D_inverse = S(1) / (fma(slide, Ul.z, turn * Ua.z) + armature);
  const Vec3<T> g = D_inverse * Ua, l = D_inverse * Ul;
  x.A = {fnma(g.x, Ua.x, x.A.xx), fnma(g.y, Ua.y, x.A.yy), fnma(g.z, Ua.z, x.A.zz),
         fnma(g.x, Ua.y, x.A.xy), fnma(g.x, Ua.z, x.A.xz), fnma(g.y, Ua.z, x.A.yz)};
  x.Bx = fma(-g.x, Ul, x.Bx);
  x.By = fma(-g.y, Ul, x.By);
  x.Bz = fma(-g.z, Ul, x.Bz);
  x.C = {fnma(l.x, Ul.x, x.C.xx), fnma(l.y, Ul.y, x.C.yy), fnma(l.z, Ul.z, x.C.zz),
         fnma(l.x, Ul.y, x.C.xy), fnma(l.x, Ul.z, x.C.xz), fnma(l.y, Ul.z, x.C.yz)};
  return {g, l, D_inverse};
}

// Ball: S = (1, 0), so U = (A, B') and D = A + armature 1. Written without differences that cancel at zero armature:
// A - A D^-1 A = armature (1 - armature D^-1), B - A D^-1 B = armature D^-1 B. The bias force of the result is zero.
template <class T>
LINCHPIN_INLINE ArticulatedInertia<T> project_ball(const T& armature, const Sym3<T>& D_inverse,
                                                   const ArticulatedInertia<T>& x) {
  const Vec3<T> Bcx{x.Bx.x, x.By.x, x.Bz.x}, Bcy{x.Bx.y, x.By.y, x.Bz.y}, Bcz{x.Bx.z, x.By.z, x.Bz.z};  // columns of B
  const Vec3<T> Gx = D_inverse * Bcx, Gy = D_inverse * Bcy, Gz = D_inverse * Bcz;                       // and of D^-1 B
  ArticulatedInertia<T> y = ArticulatedInertia<T>::zero();
  const T squared = -(armature * armature);
  y.A = Sym3<T>::diagonal(armature, armature, armature) + squared * D_inverse;
  y.Bx = armature * Vec3<T>{Gx.x, Gy.x, Gz.x};
  y.By = armature * Vec3<T>{Gx.y, Gy.y, Gz.y};
  y.Bz = armature * Vec3<T>{Gx.z, Gy.z, Gz.z};
  y.C = x.C - Sym3<T>{dot(Bcx, Gx), dot(Bcy, Gy), dot(Bcz, Gz), dot(Bcx, Gy), dot(Bcx, Gz), dot(Bcy, Gz)};
  return y;
}

// In the parent's frame, for a run whose first joint is placed by (E, r).
template <class T, class S>
LINCHPIN_INLINE ArticulatedInertia<T> placed(const Mat3<S>& E, const Vec3<S>& r, const ArticulatedInertia<T>& x) {
  ArticulatedInertia<T> y = turned(E, x);
  shift(r, y);
  return y;
}

}  // namespace linchpin

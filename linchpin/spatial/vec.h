// Vectors and 3x3 matrices, templated on the scalar type. They are small enough for registers, and their products are
// written with fma() so that packs and scalars agree to the bit (scalar.h). The two operands may have different scalar
// types: a constant Vec3<double> times a state Vec3<Double8>.
#pragma once

#include "linchpin/spatial/pack.h"

namespace linchpin {

template <class T>
struct Vec3 {
  T x, y, z;
  static LINCHPIN_INLINE Vec3 zero() { return {T(0), T(0), T(0)}; }
};

template <class A, class B>
LINCHPIN_INLINE auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
// sum + a.b
template <class T, class A, class B>
LINCHPIN_INLINE T plus_dot(const T& sum, const Vec3<A>& a, const Vec3<B>& b) {
  return fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum)));
}
template <class A, class B>
LINCHPIN_INLINE auto cross(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x * b.x)> {
  return {fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))};
}
template <class A, class B>
LINCHPIN_INLINE auto operator+(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x + b.x)> {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
LINCHPIN_INLINE auto operator-(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x - b.x)> {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
LINCHPIN_INLINE Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, class B>
LINCHPIN_INLINE auto operator*(const A& a, const Vec3<B>& b) -> Vec3<decltype(a * b.x)> {
  return {a * b.x, a * b.y, a * b.z};
}
template <class A, class B>
LINCHPIN_INLINE Vec3<A>& operator+=(Vec3<A>& a, const Vec3<B>& b) {
  return a = a + b;
}
template <class A, class B>
LINCHPIN_INLINE Vec3<A>& operator-=(Vec3<A>& a, const Vec3<B>& b) {
  return a = a - b;
}
// s a + b
template <class S, class A, class B>
LINCHPIN_INLINE auto fma(const S& s, const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(s * a.x)> {
  return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)};
}
LINCHPIN_INLINE double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

// Stored by columns: R.x is the image of the x axis.
template <class T>
struct Mat3 {
  Vec3<T> x, y, z;
  static LINCHPIN_INLINE Mat3 identity() { return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}; }
};

template <class A, class B>
LINCHPIN_INLINE auto operator*(const Mat3<A>& R, const Vec3<B>& v) -> Vec3<decltype(R.x.x * v.x)> {
  return fma(v.z, R.z, fma(v.y, R.y, v.x * R.x));
}
// R' v
template <class A, class B>
LINCHPIN_INLINE auto transpose_times(const Mat3<A>& R, const Vec3<B>& v) -> Vec3<decltype(R.x.x * v.x)> {
  return {dot(R.x, v), dot(R.y, v), dot(R.z, v)};
}
template <class A, class B>
LINCHPIN_INLINE auto operator*(const Mat3<A>& P, const Mat3<B>& Q) -> Mat3<decltype(P.x.x * Q.x.x)> {
  return {P * Q.x, P * Q.y, P * Q.z};
}
template <class T>
LINCHPIN_INLINE Mat3<T> transpose(const Mat3<T>& R) {
  return {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
}
template <class A, class B>
LINCHPIN_INLINE auto operator+(const Mat3<A>& P, const Mat3<B>& Q) -> Mat3<decltype(P.x.x + Q.x.x)> {
  return {P.x + Q.x, P.y + Q.y, P.z + Q.z};
}

// A symmetric 3x3 matrix.
template <class T>
struct Sym3 {
  T xx, yy, zz, xy, xz, yz;
  static LINCHPIN_INLINE Sym3 zero() { return {T(0), T(0), T(0), T(0), T(0), T(0)}; }
  static LINCHPIN_INLINE Sym3 diagonal(const T& x, const T& y, const T& z) { return {x, y, z, T(0), T(0), T(0)}; }
};

template <class A, class B>
LINCHPIN_INLINE auto operator*(const Sym3<A>& I, const Vec3<B>& v) -> Vec3<decltype(I.xx * v.x)> {
  return {fma(I.xz, v.z, fma(I.xy, v.y, I.xx * v.x)), fma(I.yz, v.z, fma(I.yy, v.y, I.xy * v.x)),
          fma(I.zz, v.z, fma(I.yz, v.y, I.xz * v.x))};
}
// sum + I v
template <class T, class A, class B>
LINCHPIN_INLINE Vec3<T> plus_product(const Vec3<T>& sum, const Sym3<A>& I, const Vec3<B>& v) {
  return {fma(I.xz, v.z, fma(I.xy, v.y, fma(I.xx, v.x, sum.x))), fma(I.yz, v.z, fma(I.yy, v.y, fma(I.xy, v.x, sum.y))),
          fma(I.zz, v.z, fma(I.yz, v.y, fma(I.xz, v.x, sum.z)))};
}
template <class A, class B>
LINCHPIN_INLINE auto operator+(const Sym3<A>& a, const Sym3<B>& b) -> Sym3<decltype(a.xx + b.xx)> {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class A, class B>
LINCHPIN_INLINE Sym3<A>& operator+=(Sym3<A>& a, const Sym3<B>& b) {
  return a = a + b;
}
template <class A, class B>
LINCHPIN_INLINE auto operator-(const Sym3<A>& a, const Sym3<B>& b) -> Sym3<decltype(a.xx - b.xx)> {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class A, class B>
LINCHPIN_INLINE auto operator*(const A& s, const Sym3<B>& b) -> Sym3<decltype(s * b.xx)> {
  return {s * b.xx, s * b.yy, s * b.zz, s * b.xy, s * b.xz, s * b.yz};
}
// R S R'
template <class A, class B>
LINCHPIN_INLINE auto rotate(const Mat3<A>& R, const Sym3<B>& S) -> Sym3<decltype(R.x.x * S.xx)> {
  using T = decltype(R.x.x * S.xx);
  const Vec3<T> a = R * Vec3<B>{S.xx, S.xy, S.xz}, b = R * Vec3<B>{S.xy, S.yy, S.yz},
                c = R * Vec3<B>{S.xz, S.yz, S.zz};  // columns of R S
  const auto entry = [&](const T& p, const T& q, const T& r, const A& u, const A& v, const A& w) {
    return T(fma(r, w, fma(q, v, p * u)));
  };
  return {entry(a.x, b.x, c.x, R.x.x, R.y.x, R.z.x), entry(a.y, b.y, c.y, R.x.y, R.y.y, R.z.y),
          entry(a.z, b.z, c.z, R.x.z, R.y.z, R.z.z), entry(a.x, b.x, c.x, R.x.y, R.y.y, R.z.y),
          entry(a.x, b.x, c.x, R.x.z, R.y.z, R.z.z), entry(a.y, b.y, c.y, R.x.z, R.y.z, R.z.z)};
}
// (v.v) 1 - v v'
template <class T>
LINCHPIN_INLINE Sym3<T> cross_square(const Vec3<T>& v) {
  const T xx = v.x * v.x, yy = v.y * v.y, zz = v.z * v.z;
  return {yy + zz, xx + zz, xx + yy, -(v.x * v.y), -(v.x * v.z), -(v.y * v.z)};
}

}  // namespace linchpin

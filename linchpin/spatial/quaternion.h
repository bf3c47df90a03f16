// Unit quaternions, w-x-y-z, for ball and free joints.
#pragma once

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class T>
struct Quaternion {
  T w, x, y, z;
  static Quaternion identity() { return {T(1), T(0), T(0), T(0)}; }
};

template <class T>
LINCHPIN_INLINE Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// The rotation matrix of q. q need not be of length 1: steppers keep it there up to rounding, and rounding must not
// scale the matrix.
template <class T>
LINCHPIN_INLINE Mat3<T> to_rotation(const Quaternion<T>& q) {
  using S = typename Scalar<T>::Real;
  const T s = S(2) / fma(q.z, q.z, fma(q.y, q.y, fma(q.x, q.x, q.w * q.w)));
  const T sx = s * q.x, sy = s * q.y, sz = s * q.z;
  const T wx = q.w * sx, wy = q.w * sy, wz = q.w * sz, xx = q.x * sx, xy = q.x * sy, xz = q.x * sz, yy = q.y * sy,
          yz = q.y * sz, zz = q.z * sz;
  return {
      {S(1) - (yy + zz), xy + wz, xz - wy}, {xy - wz, S(1) - (xx + zz), yz + wx}, {xz + wy, yz - wx, S(1) - (xx + yy)}};
}

template <class T>
LINCHPIN_INLINE Quaternion<T> normalized(const Quaternion<T>& q) {
  using std::sqrt;
  const T s = T(1) / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// The rotation by the angle a = |v| about v. For a < 1e-4, sin(a/2)/a and cos(a/2) are computed by their series, which
// are exact to the last digit there.
template <class T>
LINCHPIN_INLINE Quaternion<T> exp_rotation(const Vec3<T>& v) {
  using std::cos, std::sin, std::sqrt;
  const T a2 = dot(v, v);
  if (a2 < T(1e-8)) {
    const T s = T(0.5) - a2 * (T(1) / T(48) - a2 / T(3840));
    return {T(1) - a2 * (T(0.125) - a2 / T(384)), s * v.x, s * v.y, s * v.z};
  }
  const T a = sqrt(a2), s = sin(a / T(2)) / a;
  return {cos(a / T(2)), s * v.x, s * v.y, s * v.z};
}

Quaternion<double> from_rotation(const Mat3<double>& R);

// The rotation vector of q: exp_rotation(v) = q or -q, |v| <= pi.
Vec3<double> log_rotation(const Quaternion<double>& q);

}  // namespace linchpin

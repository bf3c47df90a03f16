// What the lanes of a register hold: worlds, or joints of one world.
//
// A pack of worlds computes one joint at a time, N worlds side by side; the joint's constants are scalars. For one
// world the lanes are joints in those parts that depend on no other joint (sine and cosine, gyroscopic terms), and
// constants differ from lane to lane. Both share one source, written for a type Wide with constants of type Constant,
// `joints` joints at a time.
#pragma once

#include "linchpin/spatial/vec.h"

namespace linchpin {

template <class T>
struct Lanes {  // a pack of worlds
  using Real = typename Scalar<T>::Real;
  using Wide = T;
  using Constant = Real;
  static constexpr int joints = 1;
  static constexpr int worlds = Scalar<T>::lanes;
};

template <class Real_>
requires(Scalar<Real_>::lanes == 1) struct Lanes<Real_> {  // one world
  using Real = Real_;
  static constexpr int joints = 64 / sizeof(Real);
  using Wide = Pack<Real, joints>;
  using Constant = Wide;
  static constexpr int worlds = 1;
};

// The number of one joint in a field shared by Lanes<T>::joints joints.
template <class T, class Field>
LINCHPIN_INLINE T& at(Field& field, int lane) {
  if constexpr (sizeof(Field) == sizeof(T))
    return reinterpret_cast<T&>(field);
  else
    return reinterpret_cast<T*>(&field)[lane];
}
template <class T, class Field>
LINCHPIN_INLINE const T& at(const Field& field, int lane) {
  if constexpr (sizeof(Field) == sizeof(T))
    return reinterpret_cast<const T&>(field);
  else
    return reinterpret_cast<const T*>(&field)[lane];
}

// One value of T from or to the caller's memory; the worlds of a pack lie side by side.
template <class T>
LINCHPIN_INLINE T load(const typename Scalar<T>::Real* from) {
  if constexpr (Scalar<T>::lanes == 1)
    return *from;
  else
    return T::load(from);
}
template <class T>
LINCHPIN_INLINE void store(const T& value, typename Scalar<T>::Real* to) {
  if constexpr (Scalar<T>::lanes == 1)
    *to = value;
  else
    value.store(to);
}
template <class T>
LINCHPIN_INLINE Vec3<T> load3(const typename Scalar<T>::Real* from) {
  constexpr int n = Scalar<T>::lanes;
  return {load<T>(from), load<T>(from + n), load<T>(from + 2 * n)};
}
template <class T>
LINCHPIN_INLINE void store3(const Vec3<T>& value, typename Scalar<T>::Real* to) {
  constexpr int n = Scalar<T>::lanes;
  store(value.x, to);
  store(value.y, to + n);
  store(value.z, to + 2 * n);
}

}  // namespace linchpin

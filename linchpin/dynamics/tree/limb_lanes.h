// Limbs side by side (Limbs in plan.h): between the lanes of a register and memory. For kernel files only.
#pragma once

#include <cstring>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

template <class T>
constexpr bool has_limbs = std::is_same_v<T, double>;

static_assert(Limbs::most == 4);
// The four values of(index[lane]).
template <class Of>
LINCHPIN_INLINE Limbs::V gather(const int (&index)[Limbs::most], const Of& of) {
  return Limbs::V(Limbs::V::Vector{of(index[0]), of(index[1]), of(index[2]), of(index[3])});
}
LINCHPIN_INLINE Limbs::V gather(const int (&index)[Limbs::most], const double* from) {
  return gather(index, [&](int i) { return from[i]; });
}
template <class Of>
LINCHPIN_INLINE Vec3<Limbs::V> gather3(const int (&index)[Limbs::most], const Of& of) {
  const Vec3<double>&a = of(index[0]), &b = of(index[1]), &c = of(index[2]), &d = of(index[3]);
  using Vector = Limbs::V::Vector;
  return {Limbs::V(Vector{a.x, b.x, c.x, d.x}), Limbs::V(Vector{a.y, b.y, c.y, d.y}),
          Limbs::V(Vector{a.z, b.z, c.z, d.z})};
}

// One limb's lane of a structure of packs.
template <class Out, class In>
LINCHPIN_INLINE Out lane_of(const In& in, int lane) {
  static_assert(sizeof(In) == Limbs::most * sizeof(Out));
  Out out;
  const auto* from = reinterpret_cast<const double*>(&in) + lane;
  auto* to = reinterpret_cast<double*>(&out);
#pragma GCC unroll 32
  for (std::size_t i = 0; i < sizeof(Out) / sizeof(double); ++i) to[i] = from[Limbs::most * i];
  return out;
}

// Structures of packs, lane by lane.
template <class Mask, class X>
LINCHPIN_INLINE X chosen(const Mask& mask, const X& yes, const X& no) {
  using V = Limbs::V;
  X out;
  const V *y = reinterpret_cast<const V*>(&yes), *n = reinterpret_cast<const V*>(&no);
#pragma GCC unroll 32
  for (std::size_t i = 0; i < sizeof(out) / sizeof(V); ++i) reinterpret_cast<V*>(&out)[i] = select(mask, y[i], n[i]);
  return out;
}

// Lane i of x[k] becomes lane k of x[i].
LINCHPIN_INLINE void transpose(Limbs::V (&x)[Limbs::most]) {
  const auto even01 = __builtin_shufflevector(x[0].v, x[1].v, 0, 4, 2, 6);
  const auto odd01 = __builtin_shufflevector(x[0].v, x[1].v, 1, 5, 3, 7);
  const auto even23 = __builtin_shufflevector(x[2].v, x[3].v, 0, 4, 2, 6);
  const auto odd23 = __builtin_shufflevector(x[2].v, x[3].v, 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

}  // namespace linchpin

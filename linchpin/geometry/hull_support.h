// The support function of a hull, for inlining into kernels. Private to the room.
//
//     argmax over i of d.v_i, the first of equals                                (1)
// Eight vertices at a time, each lane with the best of its own and its number; two such races side by side, since each
// comparison waits for the one before it.
#pragma once

#include <limits>

#include "linchpin/geometry/hull.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {

namespace hull_support_detail {

// Numbers as doubles: exact, and selected by the same mask as the values.
struct Race {
  Double8 value, number;
};
LINCHPIN_INLINE Double8 values_at(const Hull& hull, const Vec3<double>& d, std::size_t i) {
  return fma(Double8::load(&hull.z[i]), d.z, fma(Double8::load(&hull.y[i]), d.y, Double8::load(&hull.x[i]) * d.x));
}
LINCHPIN_INLINE void enter(Race& race, const Double8& value, const Double8& number) {
  const auto better = value > race.value;
  race.value = select(better, value, race.value);
  race.number = select(better, number, race.number);
}
// Lane by lane the better one, of equals the first.
template <class Vector>
LINCHPIN_INLINE void meet(Vector& value, Vector& number, const Vector& other_value, const Vector& other_number) {
  const auto better = (other_value > value) | ((other_value == value) & (other_number < number));
  value = better ? other_value : value;
  number = better ? other_number : number;
}
LINCHPIN_INLINE int winner(const Race& race) {
  const auto &v = race.value.v, &n = race.number.v;
  auto v4 = __builtin_shufflevector(v, v, 0, 1, 2, 3), n4 = __builtin_shufflevector(n, n, 0, 1, 2, 3);
  meet(v4, n4, __builtin_shufflevector(v, v, 4, 5, 6, 7), __builtin_shufflevector(n, n, 4, 5, 6, 7));
  auto v2 = __builtin_shufflevector(v4, v4, 0, 1), n2 = __builtin_shufflevector(n4, n4, 0, 1);
  meet(v2, n2, __builtin_shufflevector(v4, v4, 2, 3), __builtin_shufflevector(n4, n4, 2, 3));
  meet(v2, n2, __builtin_shufflevector(v2, v2, 1, 1), __builtin_shufflevector(n2, n2, 1, 1));
  return int(n2[0]);
}

}  // namespace hull_support_detail

LINCHPIN_INLINE int support_inlined(const Hull& hull, const Vec3<double>& d) {
  using namespace hull_support_detail;
  const Double8 lanes(Double8::Vector{0, 1, 2, 3, 4, 5, 6, 7});
  const std::size_t size = hull.x.size();
  // NaN never enters a race, so that the repeated last vertex never wins but by its first number.
  Race even{Double8(-std::numeric_limits<double>::infinity()), Double8(0.0)}, odd = even;
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    enter(even, values_at(hull, d, i), lanes + double(i));
    enter(odd, values_at(hull, d, i + 8), lanes + double(i + 8));
  }
  if (i < size) enter(even, values_at(hull, d, i), lanes + double(i));
  meet(even.value.v, even.number.v, odd.value.v, odd.number.v);
  return winner(even);
}

}  // namespace linchpin

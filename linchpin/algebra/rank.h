// The rule for ranks: when a pivot counts, and when it is zero.
//
// A pivot is the part of a row's diagonal that earlier rows do not explain. It counts if it is more than rank_tolerance
// of the terms that it is a difference of:
//     pivot > rank_tolerance size                                                                             (1)
//
// Rounding leaves some 1e-14 of the terms, but the tolerance has to be larger. Near a position in which a row says
// nothing, at a distance d, the row's diagonal is d^2 of its size, and rounding errors of the row make reactions that
// grow as 1 / d^2. With a tolerance of 1e-14 the coupler of @four_bar folded over on its way through such a position;
// with 1e-10 it does not. With 1e-8 the row would be dropped so early that projected velocities miss it by more than
// their tolerance.
#pragma once

#include <type_traits>

namespace linchpin {

template <class Real>
inline constexpr Real rank_tolerance = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-10);

// (1); false for NaN.
template <class Real>
constexpr bool pivot_counts(Real pivot, Real size) {
  return pivot > rank_tolerance<Real> * size;
}

}  // namespace linchpin

// Running maxima and minima that keep NaN: worst = larger(worst, x).
//
// std::max(a, b) is a < b ? b : a, so a NaN in b is dropped. Where the maximum decides whether a result is good, the
// NaN must reach the one who decides.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace linchpin {

// The larger one; NaN if one of them is NaN.
template <class A, class B>
auto larger(A a, B b) {
  using T = std::common_type_t<A, B>;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  return T(a) < T(b) ? T(b) : T(a);
}
// The smaller one; NaN if one of them is NaN.
template <class A, class B>
auto smaller(A a, B b) {
  return -larger(-a, -b);
}

}  // namespace linchpin

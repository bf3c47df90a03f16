// Comparisons of numbers for tests. NaN is never lost in them.
//
// std::max, `if (d > worst) worst = d`, `if (!(d <= worst)) worst = d` and Eigen's maxCoeff drop a NaN or overwrite it
// with the next number, so that a test that expects a small difference passes on results that are NaN. These functions
// return NaN instead, and every EXPECT_LE, EXPECT_LT or EXPECT_NEAR on NaN fails.
//
// "Numbers" are anything with size() and [i] (vectors, spans, arrays), a braced list, or anything with rows(), cols()
// and (i, j) (Eigen's matrices and coefficient-wise expressions).
#pragma once

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>

#include "linchpin/base/check.h"
#include "linchpin/base/larger.h"

namespace linchpin {

namespace compare {

template <class Numbers>
concept two_indices = requires(const Numbers& x) {
  x(x.rows() - x.rows(), x.cols() - x.cols());
};

template <class Numbers>
std::size_t size(const Numbers& x) {
  if constexpr (two_indices<Numbers>)
    return std::size_t(x.rows()) * std::size_t(x.cols());
  else
    return x.size();
}
// By rows if there are two indices.
template <class Numbers>
auto number(const Numbers& x, std::size_t i) {
  if constexpr (two_indices<Numbers>) {
    using Index = std::remove_cvref_t<decltype(x.rows())>;
    return x(Index(i) / x.cols(), Index(i) % x.cols());
  } else {
    return x[i];
  }
}
template <class Numbers>
using Real = std::common_type_t<double, decltype(number(std::declval<const Numbers&>(), 0))>;

}  // namespace compare

// The largest magnitude; 0 if there is no number. NaN if a number is not finite: an infinite size would make the
// tolerance of a test infinite.
template <class Numbers>
auto largest(const Numbers& x) {
  using T = compare::Real<Numbers>;
  T most = 0;
  for (std::size_t i = 0; i < compare::size(x); ++i) {
    const T size = std::abs(T(compare::number(x, i)));
    most = larger(most, std::isfinite(size) ? size : std::numeric_limits<T>::quiet_NaN());
  }
  return most;
}
inline double largest(std::initializer_list<double> x) { return largest(std::span(x.begin(), x.size())); }

// The largest |a_i - b_i|; NaN if a number of a or b is not finite. Throws if the sizes differ.
template <class A, class B>
auto largest_difference(const A& a, const B& b) {
  using T = std::common_type_t<compare::Real<A>, compare::Real<B>>;
  if constexpr (compare::two_indices<A> && compare::two_indices<B>)
    check(a.rows() == b.rows() && a.cols() == b.cols(), "largest_difference: ", a.rows(), " x ", a.cols(),
          " numbers against ", b.rows(), " x ", b.cols());
  check(compare::size(a) == compare::size(b), "largest_difference: ", compare::size(a), " numbers against ",
        compare::size(b));
  T worst = 0;
  for (std::size_t i = 0; i < compare::size(a); ++i) {
    const T d = std::abs(T(compare::number(a, i)) - T(compare::number(b, i)));
    const bool finite = std::isfinite(compare::number(a, i)) && std::isfinite(compare::number(b, i));
    worst = larger(worst, finite ? d : std::numeric_limits<T>::quiet_NaN());
  }
  return worst;
}

// Whether a and b have the same size and the same bits (-0 differs from 0), and no number is NaN: two computations that
// both fail do not agree. For float and double; a long double has unused bits.
template <class A, class B>
bool same_finite_bits(const A& a, const B& b) {
  if (compare::size(a) != compare::size(b)) return false;
  for (std::size_t i = 0; i < compare::size(a); ++i) {
    const auto x = compare::number(a, i);
    const auto y = compare::number(b, i);
    static_assert(std::is_same_v<decltype(x), decltype(y)> && !std::is_same_v<decltype(x), const long double>);
    if (!std::isfinite(x) || std::memcmp(&x, &y, sizeof x) != 0) return false;
  }
  return true;
}

}  // namespace linchpin

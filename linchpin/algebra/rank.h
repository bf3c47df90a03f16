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

#include <cmath>
#include <type_traits>

namespace linchpin {

template <class Real>
inline constexpr Real rank_tolerance = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-10);

// (1); false for NaN.
template <class Real>
constexpr bool pivot_counts(Real pivot, Real size) {
  return pivot > rank_tolerance<Real> * size;
}

// Further thresholds, each for one algorithm.
namespace rank {

template <class Real>
constexpr Real by_precision(double for_double, double for_float) {
  return Real(std::is_same_v<Real, float> ? for_float : for_double);
}

// Elimination without pivoting (dynamics/compliance/held_elimination.h): a pivot must also exceed the error that
// rounding may have left in it. At first that is a few units of the diagonal's last place. Each pivot d passes its own
// error on to later rows times l^2, which is large where d is small: a pivot of 1e-7 makes it 1e-9 there, more than
// rank_tolerance.
template <class Real>
constexpr Real pivot_rounding = by_precision<Real>(4e-15, 2e-6);
// The diagonal itself may be rounding only, where no joint can move a row. A path's s is a difference of lever arms
// with an error of about a last place, which enters squared; Phi' V_pp Phi is a difference if V_pp yields in other
// directions only, and has an error of some last places of its terms.
template <class Real>
constexpr Real path_rounding = by_precision<Real>(1e-20, 1e-11);
template <class Real>
constexpr Real product_rounding = by_precision<Real>(1e-12, 1e-5);

// Elimination by constraints (dynamics/maximal/forest_kernels.cc): a pivot below this share of its first value is
// rounding, so the rows of the constraint depend on each other.
constexpr double dependent_rows = 1e-14;
// Articulated-body inertias (dynamics/divide_conquer/six.h): a hinge transmits no moment about its axis, so that one
// pivot is rounding only. It would be taken for an inertia of 1e-16 of the others, which does no harm either.
constexpr double flat_inertia = 1e-14;
// Inverse of a rigid body's inertia (dynamics/maximal/body_inverse.cc), as a share of a diagonal entry. Moments that
// are zero in the body's axes are zero only up to rounding in the link's.
constexpr double inertia_rounding = 1e-12;

// Loop recursion (dynamics/loops/loop_recursion.cc): a moment that joints further out have resisted counts no longer,
// except for its rounding, which a thousandth of it covers by far.
constexpr double resisted_share = 1e-3;

// Pseudo-inverse of a matrix with unit diagonal: eigenvalues above `tolerance` count. The pivots of Cholesky's method
// show that all do, but the smallest pivot may be larger than the smallest eigenvalue: hence the margin of 100.
constexpr double least_regular_pivot(double tolerance) { return 100 * tolerance; }
inline double least_regular_diagonal(double tolerance) { return 10 * std::sqrt(tolerance); }  // of Cholesky's factor

}  // namespace rank
}  // namespace linchpin

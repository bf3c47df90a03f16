// Sine and cosine together, without branches. A lane of a pack gets the same bits as a scalar.
//
// The argument is reduced to r in [-pi/4, pi/4] by x = k pi/2 + r. pi/2 is represented by three doubles, so that with
// fused products the reduction keeps the last digit up to |x| = 1e9 (a test bounds the error by 2 units in the last
// place of 1). Sine and cosine of r follow from minimax polynomials (the coefficients of fdlibm), and the quadrant
// decides which of them is returned with which sign. Infinity and NaN give NaN. Beyond 1e15 (6e6 in float) an angle
// has no significant digits left and gives NaN too. Without fused products the error grows as |x| eps, like the effect
// of the angle's own rounding on the sine.
#pragma once

#include "linchpin/spatial/pack.h"

namespace linchpin {

// The nearest integer, ties to even, for |x| below half the magic number.
template <class T>
LINCHPIN_INLINE T round_to_even(const T& x) {
  using S = typename Scalar<T>::Real;
  constexpr S magic = sizeof(S) == 8 ? S(6755399441055744.0) : S(12582912.0);  // 1.5 * 2^(mantissa bits)
  return (x + magic) - magic;
}

template <class T>
LINCHPIN_INLINE void sincos(const T& x, T& sine, T& cosine) {
  using S = typename Scalar<T>::Real;
  static_assert(std::is_same_v<S, double> || std::is_same_v<S, float>, "the constants below are for these two");
  constexpr bool is_double = sizeof(S) == 8;
  const T k = round_to_even(T(x * S(0.63661977236758134308)));
  T r, z, s, c;
  if constexpr (is_double) {
    r = fma(k, T(S(-1.5707963267948966)), x);
    r = fma(k, T(S(-6.123233995736766e-17)), r);
    r = fma(k, T(S(1.4973849048591698e-33)), r);
    z = r * r;
    T p = fma(z, S(1.58962301576546568060e-10), S(-2.50507477628578072866e-8));
    p = fma(p, z, S(2.75573136213857245213e-6));
    p = fma(p, z, S(-1.98412698295895385996e-4));
    p = fma(p, z, S(8.33333333332211858878e-3));
    p = fma(p, z, S(-1.66666666666666307295e-1));
    s = fma(T(r * z), p, r);
    p = fma(z, S(-1.13585365213876817300e-11), S(2.08757008419747316778e-9));
    p = fma(p, z, S(-2.75573141792967388112e-7));
    p = fma(p, z, S(2.48015872888517045348e-5));
    p = fma(p, z, S(-1.38888888888730564116e-3));
    p = fma(p, z, S(4.16666666666665929218e-2));
    c = fma(T(z * z), p, fma(z, S(-0.5), S(1)));
  } else {
    r = fma(k, T(S(-1.5707963705062866)), x);
    r = fma(k, T(S(4.371138828673793e-8)), r);
    r = fma(k, T(S(1.7151245100058819e-15)), r);
    z = r * r;
    T p = fma(z, S(-1.9515295891e-4), S(8.3321608736e-3));
    p = fma(p, z, S(-1.6666654611e-1));
    s = fma(T(r * z), p, r);
    p = fma(z, S(2.443315711809948e-5), S(-1.388731625493765e-3));
    p = fma(p, z, S(4.166664568298827e-2));
    c = fma(T(z * z), p, fma(z, S(-0.5), S(1)));
  }
  // k = 2 f + odd, f = 2 g + negative: sine and cosine are swapped for odd k, and negated where f is odd.
  const T f = round_to_even(T(fma(k, S(0.5), S(-0.25))));
  const auto odd = fma(f, S(-2), k) > S(0.5);
  const T g = round_to_even(T(fma(f, S(0.5), S(-0.25))));
  const T sign = fma(fma(g, S(-2), f), S(-2), S(1));
  // For larger angles round_to_even() no longer determines the parity of k.
  constexpr S largest = is_double ? S(1e15) : S(6e6);
  const T lost = select(T(x * x) > largest * largest, T(std::numeric_limits<S>::quiet_NaN()), sign);
  sine = lost * select(odd, c, s);
  cosine = lost * select(odd, T(-s), c);
}

}  // namespace linchpin

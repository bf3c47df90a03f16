// Pack<S, N>: N numbers (lanes) in one vector register, for N worlds or N joints of one world.
//
// A thin wrapper over the compilers' vector extension. Every operation acts lane by lane and rounds as its scalar
// counterpart does. Packs are for kernel files. They are never passed by value across an interface, since the calling
// convention of vector registers depends on the machine flags; they are passed as aligned memory only.
#pragma once

#if defined(__AVX512F__) || defined(__AVX__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "linchpin/spatial/scalar.h"

namespace linchpin {

template <class S, int N>
struct Register {
  typedef S Type __attribute__((vector_size(sizeof(S) * N)));
};

template <class S, int N>
struct alignas(sizeof(S) * N) Pack {
  using Vector = typename Register<S, N>::Type;
  Vector v;

  Pack() = default;
  LINCHPIN_INLINE Pack(Vector x) : v(x) {}        // NOLINT: implicit by design
  LINCHPIN_INLINE Pack(S x) : v(x - Vector{}) {}  // NOLINT: broadcast to all lanes; x + 0 would turn -0 into 0

  LINCHPIN_INLINE S operator[](int lane) const { return v[lane]; }
  LINCHPIN_INLINE S* numbers() { return reinterpret_cast<S*>(&v); }
  LINCHPIN_INLINE const S* numbers() const { return reinterpret_cast<const S*>(&v); }

  // Loads from memory of any alignment.
  static LINCHPIN_INLINE Pack load(const S* from) {
    Pack r;
    __builtin_memcpy(&r.v, from, sizeof(Vector));
    return r;
  }
  LINCHPIN_INLINE void store(S* to) const { __builtin_memcpy(to, &v, sizeof(Vector)); }
  // Loads the first `count` numbers; the other lanes are zero and the memory beyond is not accessed.
  static LINCHPIN_INLINE Pack load_first(const S* from, int count) {
#ifdef __AVX512F__
    if constexpr (std::is_same_v<S, double> && N == 8)
      return Pack((Vector)_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), from));
    else if constexpr (std::is_same_v<S, float> && N == 16)
      return Pack((Vector)_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), from));
#endif
    Pack r(S(0));
    for (int i = 0; i < count; ++i) r.v[i] = from[i];
    return r;
  }
  LINCHPIN_INLINE void store_first(S* to, int count) const {
#ifdef __AVX512F__
    if constexpr (std::is_same_v<S, double> && N == 8)
      return _mm512_mask_storeu_pd(to, __mmask8((1u << count) - 1), (__m512d)v);
    else if constexpr (std::is_same_v<S, float> && N == 16)
      return _mm512_mask_storeu_ps(to, __mmask16((1u << count) - 1), (__m512)v);
#endif
    for (int i = 0; i < count; ++i) to[i] = v[i];
  }
};

template <class S, int N>
struct Scalar<Pack<S, N>> {
  using Real = S;
  static constexpr int lanes = N;
};

// std::type_identity makes template arguments be deduced from the pack only, so that constants convert: 2.0 * pack.
template <class T>
using Same = std::type_identity_t<T>;
#define LINCHPIN_PACK_OPERATOR(op)                                                   \
  template <class S, int N>                                                          \
  LINCHPIN_INLINE Pack<S, N> operator op(const Pack<S, N>& a, const Pack<S, N>& b) { \
    return a.v op b.v;                                                               \
  }                                                                                  \
  template <class S, int N>                                                          \
  LINCHPIN_INLINE Pack<S, N> operator op(const Pack<S, N>& a, const Same<S>& b) {    \
    return a.v op b;                                                                 \
  }                                                                                  \
  template <class S, int N>                                                          \
  LINCHPIN_INLINE Pack<S, N> operator op(const Same<S>& a, const Pack<S, N>& b) {    \
    return a op b.v;                                                                 \
  }                                                                                  \
  template <class S, int N, class B>                                                 \
  LINCHPIN_INLINE Pack<S, N>& operator op##=(Pack<S, N>& a, const B& b) {            \
    return a = a op b;                                                               \
  }
LINCHPIN_PACK_OPERATOR(+)
LINCHPIN_PACK_OPERATOR(-)
LINCHPIN_PACK_OPERATOR(*)
LINCHPIN_PACK_OPERATOR(/)
#undef LINCHPIN_PACK_OPERATOR

template <class S, int N>
LINCHPIN_INLINE Pack<S, N> operator-(const Pack<S, N>& a) {
  return -a.v;
}

// A comparison returns a mask, the first argument of select().
template <class S, int N>
LINCHPIN_INLINE auto operator>(const Pack<S, N>& a, const Pack<S, N>& b) {
  return a.v > b.v;
}
template <class S, int N>
LINCHPIN_INLINE auto operator>(const Pack<S, N>& a, const Same<S>& b) {
  return a.v > b;
}
template <class Mask, class S, int N>
LINCHPIN_INLINE Pack<S, N> select(const Mask& mask, const Pack<S, N>& yes, const Pack<S, N>& no) {
  return mask ? yes.v : no.v;
}

template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Pack<S, N>& a, const Pack<S, N>& b, const Pack<S, N>& c) {
  using Vector = typename Pack<S, N>::Vector;
#ifdef __AVX512F__
  if constexpr (std::is_same_v<S, double> && N == 8)
    return Vector(_mm512_fmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v));
  else if constexpr (std::is_same_v<S, float> && N == 16)
    return Vector(_mm512_fmadd_ps((__m512)a.v, (__m512)b.v, (__m512)c.v));
#endif
#ifdef __FMA__
  if constexpr (std::is_same_v<S, double> && N == 4)
    return Vector(_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v));
  else if constexpr (std::is_same_v<S, float> && N == 8)
    return Vector(_mm256_fmadd_ps((__m256)a.v, (__m256)b.v, (__m256)c.v));
  Pack<S, N> r;  // wider than the machine's registers: lane by lane, with the same result
  for (int i = 0; i < N; ++i) r.v[i] = fma(a.v[i], b.v[i], c.v[i]);
  return r;
#else
  return Vector(a.v * b.v + c.v);
#endif
}
// Any operand may be a constant: fma(pack, 2.0, pack), fma(s, pack, pack).
template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Pack<S, N>& a, const Same<S>& b, const Pack<S, N>& c) {
  return fma(a, Pack<S, N>(b), c);
}
template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Same<S>& a, const Pack<S, N>& b, const Pack<S, N>& c) {
  return fma(Pack<S, N>(a), b, c);
}
template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Pack<S, N>& a, const Pack<S, N>& b, const Same<S>& c) {
  return fma(a, b, Pack<S, N>(c));
}
template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Pack<S, N>& a, const Same<S>& b, const Same<S>& c) {
  return fma(a, Pack<S, N>(b), Pack<S, N>(c));
}
template <class S, int N>
LINCHPIN_INLINE Pack<S, N> fma(const Same<S>& a, const Pack<S, N>& b, const Same<S>& c) {
  return fma(Pack<S, N>(a), b, Pack<S, N>(c));
}

using Double4 = Pack<double, 4>;
using Double8 = Pack<double, 8>;
using Float16 = Pack<float, 16>;

}  // namespace linchpin

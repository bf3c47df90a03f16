// Every operation, lane by lane, compared with scalars. pack_kernel_test.cc has the same tests compiled for the
// machine, as kernels are; here there are neither fused products nor registers wider than two doubles.
#include "linchpin/spatial/pack.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "linchpin/spatial/fused_testing.h"

#ifndef LINCHPIN_PACK_SUITE
#define LINCHPIN_PACK_SUITE Pack
#endif

namespace linchpin {
namespace {

template <class P>
using RealOf = typename Scalar<P>::Real;
template <class P>
constexpr int lanes_of = Scalar<P>::lanes;

// Lanes that fill a register of some machine, and some that do not.
template <class F>
void for_each_pack(const F& test) {
  test.template operator()<Pack<double, 2>>();
  test.template operator()<Double4>();
  test.template operator()<Double8>();
  test.template operator()<Pack<float, 4>>();
  test.template operator()<Pack<float, 8>>();
  test.template operator()<Float16>();
}

// -0 differs from 0. All NaNs are equal: which operand's payload survives depends on the compiler's order of operands.
template <class S>
bool same(S a, S b) {
  using Bits = std::conditional_t<sizeof(S) == 8, std::uint64_t, std::uint32_t>;
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

// Zeros of both signs, denormals, the ends of the range, infinities, NaN; then random bits, which are of all
// magnitudes; then ordinary numbers.
template <class S>
std::vector<S> numbers(std::uint64_t seed) {
  using Limits = std::numeric_limits<S>;
  std::vector<S> out;
  for (const S x : {S(0), Limits::denorm_min(), S(7) * Limits::denorm_min(), Limits::min() / S(3), Limits::min(),
                    Limits::max(), Limits::infinity(), Limits::quiet_NaN(), S(1), S(1) + Limits::epsilon(), S(3)}) {
    out.push_back(x);
    out.push_back(-x);
  }
  std::uint64_t z = seed;
  const auto random = [&] {
    z = z * 6364136223846793005u + 1442695040888963407u;
    return z ^ (z >> 29);
  };
  for (int i = 0; i < 150; ++i) {
    if constexpr (sizeof(S) == 8)
      out.push_back(std::bit_cast<double>(random()));
    else
      out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random() >> 20)));
    if (std::isnan(out.back())) out.back() = Limits::quiet_NaN();  // no signalling ones
    out.push_back(S(static_cast<double>(random() >> 11) * 0x1p-51 - 2));
  }
  return out;
}

// A pack of numbers from[at], from[at + step], ... in a circle.
template <class P>
P pick(const std::vector<RealOf<P>>& from, std::size_t at, std::size_t step) {
  P pack;
  for (int i = 0; i < lanes_of<P>; ++i) pack.numbers()[i] = from[(at + std::size_t(i) * step) % from.size()];
  return pack;
}

template <class P, class Operation>
void expect_lanes(const char* name, const Operation& operation) {
  using S = RealOf<P>;
  const std::vector<S> from = numbers<S>(1);
  for (std::size_t at = 0; at < 4 * from.size(); ++at) {
    // Steps without a common divisor: every kind of number meets every other.
    const P a = pick<P>(from, at, 7), b = pick<P>(from, 13 * at, 11), c = pick<P>(from, 17 * at, 5);
    const S s = from[(29 * at) % from.size()], t = from[(31 * at + 3) % from.size()];
    const P together = operation(a, b, c, s, t);
    for (int i = 0; i < lanes_of<P>; ++i) {
      const S alone = operation(a[i], b[i], c[i], s, t);
      ASSERT_TRUE(same(together[i], alone))
          << name << " lane " << i << " of " << lanes_of<P> << ": a " << a[i] << " b " << b[i] << " c " << c[i] << " s "
          << s << " t " << t << " gives " << together[i] << ", alone " << alone;
    }
  }
}
#define EXPECT_LANES(expression)                                                   \
  for_each_pack([]<class P>() {                                                    \
    expect_lanes<P>(#expression,                                                   \
                    [](const auto& a, const auto& b, const auto& c, const auto& s, \
                       const auto& t) -> std::remove_cvref_t<decltype(a)> {        \
                      (void)a, (void)b, (void)c, (void)s, (void)t;                 \
                      return expression;                                           \
                    });                                                            \
  })

TEST(LINCHPIN_PACK_SUITE, AddsAndSubtractsAsNumbersDo) {
  EXPECT_LANES(a + b);
  EXPECT_LANES(a - b);
  EXPECT_LANES(a + s);
  EXPECT_LANES(a - s);
  EXPECT_LANES(s + a);
  EXPECT_LANES(s - a);
}

TEST(LINCHPIN_PACK_SUITE, MultipliesAndDividesAsNumbersDo) {
  EXPECT_LANES(a * b);
  EXPECT_LANES(a / b);
  EXPECT_LANES(a * s);
  EXPECT_LANES(a / s);
  EXPECT_LANES(s * a);
  EXPECT_LANES(s / a);
}

TEST(LINCHPIN_PACK_SUITE, NegatesAsNumbersDo) { EXPECT_LANES(-a); }

TEST(LINCHPIN_PACK_SUITE, FmaRoundsAsThatOfNumbers) {
  EXPECT_LANES(fma(a, b, c));
  EXPECT_LANES(fnma(a, b, c));
}

TEST(LINCHPIN_PACK_SUITE, FmaTakesConstantsAnywhere) {
  EXPECT_LANES(fma(a, s, c));
  EXPECT_LANES(fma(s, b, c));
  EXPECT_LANES(fma(a, b, s));
  EXPECT_LANES(fma(a, s, t));
  EXPECT_LANES(fma(s, b, t));
}

TEST(LINCHPIN_PACK_SUITE, ComparisonsSelectAsNumbersDo) {
  EXPECT_LANES(select(a > b, c, a));
  EXPECT_LANES(select(a > s, c, b));
}

TEST(LINCHPIN_PACK_SUITE, AssigningOperatorsChangeTheirLeftSide) {
  for_each_pack([]<class P>() {
    using S = RealOf<P>;
    const std::vector<S> from = numbers<S>(2);
    const P a = pick<P>(from, 40, 1), b = pick<P>(from, 90, 3);
    P sum = a, difference = a, product = a, quotient = a, doubled = a;
    sum += b;
    difference -= b;
    product *= b;
    quotient /= b;
    doubled *= S(2);
    for (int i = 0; i < lanes_of<P>; ++i) {
      EXPECT_TRUE(same(sum[i], S(a[i] + b[i])));
      EXPECT_TRUE(same(difference[i], S(a[i] - b[i])));
      EXPECT_TRUE(same(product[i], S(a[i] * b[i])));
      EXPECT_TRUE(same(quotient[i], S(a[i] / b[i])));
      EXPECT_TRUE(same(doubled[i], S(a[i] * S(2))));
    }
  });
}

// (1 + e)(1 - e) - 1 is -e^2 when rounded once, and 0 when the product is rounded first.
TEST(LINCHPIN_PACK_SUITE, FmaIsFusedWhereTheMachineCan) {
  for_each_pack([]<class P>() {
    using S = RealOf<P>;
    // From memory that is opaque to the compiler; otherwise it would evaluate the arithmetic at compile time.
    volatile S e_memory = sizeof(S) == 8 ? S(0x1p-30) : S(0x1p-13);
    const S e = e_memory;
    const P together = fma(P(S(1) + e), P(S(1) - e), P(S(-1)));
    const S expected = fused ? -e * e : S(0);
    EXPECT_EQ(fma(S(1) + e, S(1) - e, S(-1)), expected);
    for (int i = 0; i < lanes_of<P>; ++i) EXPECT_EQ(together[i], expected) << lanes_of<P> << " lanes";
  });
}

TEST(LINCHPIN_PACK_SUITE, AConstantIsTheSameInEveryLane) {
  for_each_pack([]<class P>() {
    for (const RealOf<P> x : numbers<RealOf<P>>(3))
      for (int i = 0; i < lanes_of<P>; ++i) EXPECT_TRUE(same(P(x)[i], x)) << x << " becomes " << P(x)[i];
  });
}

// Interfaces between files with different flags rely on this.
TEST(LINCHPIN_PACK_SUITE, SizeAndAlignmentAreThoseOfItsLanes) {
  for_each_pack([]<class P>() {
    EXPECT_EQ(sizeof(P), sizeof(RealOf<P>) * std::size_t(lanes_of<P>));
    EXPECT_EQ(alignof(P), sizeof(P));
  });
}

// Memory with an inaccessible page before and after it.
class Fenced {
 public:
  Fenced() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* memory = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<char*>(memory);
    mprotect(start_ + page_, page_, PROT_READ | PROT_WRITE);
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(start_, 3 * page_); }
  template <class S>
  S* first() {
    return reinterpret_cast<S*>(start_ + page_);
  }
  // Room for count numbers and not one more.
  template <class S>
  S* last(int count) {
    return reinterpret_cast<S*>(start_ + 2 * page_) - count;
  }

 private:
  std::size_t page_;
  char* start_;
};

TEST(LINCHPIN_PACK_SUITE, LoadsAndStoresAtAnyAlignmentAndNoFurther) {
  Fenced memory;
  for_each_pack([&]<class P>() {
    using S = RealOf<P>;
    constexpr int n = lanes_of<P>;
    for (S* at : {memory.first<S>(), memory.first<S>() + 1, memory.last<S>(n)}) {
      for (int i = 0; i < n; ++i) at[i] = S(i + 1);
      const P pack = P::load(at);
      for (int i = 0; i < n; ++i) EXPECT_EQ(pack[i], S(i + 1));
      P(pack + pack).store(at);
      for (int i = 0; i < n; ++i) EXPECT_EQ(at[i], S(2 * i + 2));
    }
  });
}

TEST(LINCHPIN_PACK_SUITE, LoadsTheFirstFewAndTouchesNothingBeyond) {
  Fenced memory;
  for_each_pack([&]<class P>() {
    using S = RealOf<P>;
    for (int count = 0; count <= lanes_of<P>; ++count) {
      S* at = memory.last<S>(count);
      for (int i = 0; i < count; ++i) at[i] = S(i + 1);
      const P pack = P::load_first(at, count);
      for (int i = 0; i < lanes_of<P>; ++i)
        EXPECT_TRUE(same(pack[i], i < count ? S(i + 1) : S(0))) << count << " of " << lanes_of<P> << ", lane " << i;
    }
  });
}

TEST(LINCHPIN_PACK_SUITE, StoresTheFirstFewAndTouchesNothingBeyond) {
  Fenced memory;
  for_each_pack([&]<class P>() {
    using S = RealOf<P>;
    constexpr int n = lanes_of<P>;
    const P pack = pick<P>(numbers<S>(4), 30, 1);
    for (int count = 0; count <= n; ++count) {
      pack.store_first(memory.last<S>(count), count);  // the fence behind
      S* at = memory.first<S>() + 1;                   // and neighbours that would change
      for (int i = -1; i <= n; ++i) at[i] = S(-77);
      pack.store_first(at, count);
      EXPECT_EQ(at[-1], S(-77));
      for (int i = 0; i <= n; ++i)
        EXPECT_TRUE(same(at[i], i < count && i < n ? pack[i % n] : S(-77))) << count << " of " << n << ", number " << i;
    }
  });
}

}  // namespace
}  // namespace linchpin

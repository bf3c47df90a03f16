#include "linchpin/solvers/lemke.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LINCHPIN_LEMKE_AVX512 1
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "linchpin/base/check.h"

// In this file: M, q and z are scaled, in the order pairs, then free rows; what is the problem's own says so. A pair is
// the z and w of a nonnegative or box row, a variable is one number of a pair:
//     z of pair p: 2p,   w of pair p: 2p + 1,   z0: 2 pairs,   then z and w of the free rows.
// Columns of the tableau: one per pair, then the spare one (z0 first, afterwards whoever left last), then b, then one
// per free row. Everything is padded to whole registers with zeros, which neither block nor count.

namespace linchpin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// In units in which the diagonal of M and the largest |q_i| are about 1:
constexpr double smallest_pivot = 1e-10;  // less is what rounding leaves of 0 after some dozen pivots
constexpr double tie = 1e-12;             // b this near 0 is 0, bounds may be passed by that much: rounding, as before
constexpr double weak_pivot =
    1e-4;                           // of those who block at once, who has less than this of the largest pivot is spared
constexpr double dependent = 1e-9;  // a pivot of a guessed or free block below this: rows that repeat others
constexpr double singular = 1e-13;  // and for a set where a path ended: nothing but rounding
constexpr double exact = 1e-14;     // a residual of (5) below this needs no refinement
constexpr double lawful = 2e-13;    // a law broken by less is rounding: far below any tolerance of the judge
constexpr double nearly = 100;      // times that, when there is no better: not worse than some tolerances
// What is returned for a basic z that is 0 (or rounded below): not 0, so that a warm start sees that it was basic, and
// so small that no law notices; its square is still a normal number.
constexpr double trace = 1e-150;

// ---- registers -----------------------------------------------------------------------------------------------------

constexpr int lanes = 8;
typedef double Lanes __attribute__((vector_size(64)));
typedef long long LaneMask __attribute__((vector_size(64)));
#define LINCHPIN_LEMKE_INLINE inline __attribute__((always_inline))

LINCHPIN_LEMKE_INLINE Lanes& at(double* p) { return *reinterpret_cast<Lanes*>(p); }
LINCHPIN_LEMKE_INLINE const Lanes& at(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
constexpr int padded(int n) { return (n + lanes - 1) / lanes * lanes; }

// sum += c a, in one rounding where the machine can
LINCHPIN_LEMKE_INLINE void add_product(Lanes& sum, double c, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  sum = (Lanes)_mm512_fmadd_pd(_mm512_set1_pd(c), (__m512d)a, (__m512d)sum);
#else
  sum += c * a;
#endif
}
LINCHPIN_LEMKE_INLINE void add_product(Lanes& sum, const Lanes& c, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  sum = (Lanes)_mm512_fmadd_pd((__m512d)c, (__m512d)a, (__m512d)sum);
#else
  sum += c * a;
#endif
}
LINCHPIN_LEMKE_INLINE void keep_larger(Lanes& a, const Lanes& b) { a = a > b ? a : b; }
LINCHPIN_LEMKE_INLINE void keep_smaller(Lanes& a, const Lanes& b) { a = a < b ? a : b; }
LINCHPIN_LEMKE_INLINE Lanes absolute(const Lanes& a) {
  return (Lanes)((LaneMask)a & std::numeric_limits<long long>::max());
}
LINCHPIN_LEMKE_INLINE void spread_smallest(Lanes& a) {  // into every lane
  keep_smaller(a, __builtin_shuffle(a, LaneMask{4, 5, 6, 7, 0, 1, 2, 3}));
  keep_smaller(a, __builtin_shuffle(a, LaneMask{2, 3, 0, 1, 6, 7, 4, 5}));
  keep_smaller(a, __builtin_shuffle(a, LaneMask{1, 0, 3, 2, 5, 4, 7, 6}));
}
LINCHPIN_LEMKE_INLINE double smallest(Lanes a) {
  spread_smallest(a);
  return a[0];
}
LINCHPIN_LEMKE_INLINE double largest(const Lanes& a) { return -smallest(-a); }
LINCHPIN_LEMKE_INLINE unsigned bits(const LaneMask& mask) {
#ifdef LINCHPIN_LEMKE_AVX512
  return _mm512_movepi64_mask((__m512i)mask);
#else
  unsigned result = 0;
  for (int i = 0; i < lanes; ++i) result |= unsigned(mask[i] & 1) << i;
  return result;
#endif
}
// The lanes of a that are at most `limit`.
LINCHPIN_LEMKE_INLINE unsigned at_most(const Lanes& a, const Lanes& limit) {
#ifdef LINCHPIN_LEMKE_AVX512
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)limit, _CMP_LE_OQ);
#else
  return bits(a <= limit);
#endif
}

// 1 / a to the last bit or two; anything where a is 0
LINCHPIN_LEMKE_INLINE Lanes reciprocal(const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  // From r, good to 14 bits, with e = 1 - a r: r (1 + e) (1 + e^2). A third of the time of a division.
  const __m512d x = (__m512d)a, r = _mm512_maskz_rcp14_pd(0xff, x), e = _mm512_fnmadd_pd(x, r, _mm512_set1_pd(1));
  const __m512d once = _mm512_fmadd_pd(r, e, r);
  return (Lanes)_mm512_fmadd_pd(once, _mm512_mul_pd(e, e), once);
#else
  return 1 / a;
#endif
}

// The first `count` of eight numbers, at any address; the other lanes are 0 and their memory is not touched.
LINCHPIN_LEMKE_INLINE Lanes first_of(const double* p, int count) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_maskz_loadu_pd(__mmask8(count >= lanes ? 0xff : (1u << count) - 1), p);
#else
  Lanes a = {};
  for (int i = 0; i < lanes && i < count; ++i) a[i] = p[i];
  return a;
#endif
}
LINCHPIN_LEMKE_INLINE void put_first(double* p, int count, const Lanes& a) {
#ifdef LINCHPIN_LEMKE_AVX512
  _mm512_mask_storeu_pd(p, __mmask8(count >= lanes ? 0xff : (1u << count) - 1), (__m512d)a);
#else
  for (int i = 0; i < lanes && i < count; ++i) p[i] = a[i];
#endif
}
// The lanes in `set`, 0 in the others; and a choice between two by the bits of a set.
LINCHPIN_LEMKE_INLINE Lanes only(const double* p, unsigned set) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_maskz_load_pd(__mmask8(set), p);
#else
  Lanes a = at(p);
  for (int i = 0; i < lanes; ++i) a[i] = set >> i & 1 ? a[i] : 0;
  return a;
#endif
}
LINCHPIN_LEMKE_INLINE Lanes chosen(unsigned set, const Lanes& yes, const Lanes& no) {
#ifdef LINCHPIN_LEMKE_AVX512
  return (Lanes)_mm512_mask_mov_pd((__m512d)no, __mmask8(set), (__m512d)yes);
#else
  Lanes a = no;
  for (int i = 0; i < lanes; ++i) a[i] = set >> i & 1 ? yes[i] : no[i];
  return a;
#endif
}
// Writes the lanes in `set` one after the other to p, and as many more as complete a register; returns how many are in
// set.
LINCHPIN_LEMKE_INLINE int compress(double* p, const Lanes& a, unsigned set) {
#ifdef LINCHPIN_LEMKE_AVX512
  _mm512_storeu_pd(p, _mm512_maskz_compress_pd(__mmask8(set), (__m512d)a));
  return std::popcount(set);
#else
  int count = 0;
  for (; set != 0; set &= set - 1) p[count++] = a[std::countr_zero(set)];
  return count;
#endif
}

// Rows and columns of eight registers change places.
LINCHPIN_LEMKE_INLINE void transpose(Lanes (&a)[lanes]) {
  const LaneMask even{0, 8, 2, 10, 4, 12, 6, 14}, odd{1, 9, 3, 11, 5, 13, 7, 15};
  const LaneMask even2{0, 1, 8, 9, 4, 5, 12, 13}, odd2{2, 3, 10, 11, 6, 7, 14, 15};
  const LaneMask low{0, 1, 2, 3, 8, 9, 10, 11}, high{4, 5, 6, 7, 12, 13, 14, 15};
  Lanes b[lanes];
#pragma GCC unroll 8
  for (int i = 0; i < lanes; i += 2) {
    b[i] = __builtin_shuffle(a[i], a[i + 1], even);
    b[i + 1] = __builtin_shuffle(a[i], a[i + 1], odd);
  }
#pragma GCC unroll 8
  for (int i = 0; i < lanes; i += 4)
#pragma GCC unroll 8
    for (int k = 0; k < 2; ++k) {
      a[i + k] = __builtin_shuffle(b[i + k], b[i + k + 2], even2);
      a[i + k + 2] = __builtin_shuffle(b[i + k], b[i + k + 2], odd2);
    }
#pragma GCC unroll 8
  for (int k = 0; k < 4; ++k) {
    b[k] = __builtin_shuffle(a[k], a[k + 4], low);
    b[k + 4] = __builtin_shuffle(a[k], a[k + 4], high);
  }
#pragma GCC unroll 8
  for (int i = 0; i < lanes; ++i) a[i] = b[i];
}

// Lane i of the result is the sum of the lanes of a[i].
LINCHPIN_LEMKE_INLINE void sums(const Lanes (&a)[lanes], Lanes& result) {
  const LaneMask even{0, 8, 2, 10, 4, 12, 6, 14}, odd{1, 9, 3, 11, 5, 13, 7, 15};
  const LaneMask even2{0, 1, 8, 9, 4, 5, 12, 13}, odd2{2, 3, 10, 11, 6, 7, 14, 15};
  const LaneMask low{0, 1, 2, 3, 8, 9, 10, 11}, high{4, 5, 6, 7, 12, 13, 14, 15};
  Lanes b[4], c[2];
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i)
    b[i] = __builtin_shuffle(a[2 * i], a[2 * i + 1], even) + __builtin_shuffle(a[2 * i], a[2 * i + 1], odd);
#pragma GCC unroll 8
  for (int i = 0; i < 2; ++i)
    c[i] = __builtin_shuffle(b[2 * i], b[2 * i + 1], even2) + __builtin_shuffle(b[2 * i], b[2 * i + 1], odd2);
  result = __builtin_shuffle(c[0], c[1], low) + __builtin_shuffle(c[0], c[1], high);
}

// ---- the problem in its own units and order ------------------------------------------------------------------------

struct Run {
  const Problem& problem;
  LemkeWorkspace& ws;
  const double* M = nullptr;  // the problem's own, dense
  int n = 0;                  // its rows
  int pairs = 0, frees = 0;
  int rows = 0;          // pairs + frees
  int stride = 0;        // from row to row of `matrix`, and from column to column of the tableau
  double unit = 1;       // of q
  bool in_order = true;  // no permutation, no reference, no sign: the plain LCP
  bool bounded = false;  // some pair has an upper bound
  int pivots = 0, limit = 0;
  double least_broken = infinity;  // by the solution in `best`

  int spare() const { return pairs; }
  int b() const { return pairs + 1; }
  int free_column(int k) const { return pairs + 2 + k; }
  int z0() const { return 2 * pairs; }
  double* column(int s) const { return ws.tableau.data() + std::size_t(s) * std::size_t(stride); }
  double* row(int i) const { return ws.matrix.data() + std::size_t(i) * std::size_t(stride); }
};

template <class T>
void reserve(AlignedArray<T>& array, std::size_t size) {
  if (array.size() < size) array = AlignedArray<T>(size);
}

template <class T>
void reserve(std::vector<T>& array, std::size_t size) {
  if (array.size() < size) array.resize(size);
}

// Columns a multiple of 4096 bytes apart would fall upon the same few lines of the cache.
int stride_of(int rows) { return padded(rows) % 64 == 0 ? padded(rows) + lanes : padded(rows); }

void make_room(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const std::size_t n = std::size_t(padded(run.n) + lanes), stride = std::size_t(stride_of(run.n));
  if (ws.scale.size() >= n && ws.matrix.size() >= n * stride) return;
  reserve(ws.matrix, n * stride);
  reserve(ws.tableau, (n + 2) * stride);
  reserve(ws.factor, n * stride + lanes);
  for (AlignedArray<double>* a : {&ws.basic, &ws.sign, &ws.scale, &ws.row_scale, &ws.reference, &ws.q, &ws.height,
                                  &ws.row_height, &ws.x, &ws.w, &ws.ratio, &ws.solved, &ws.best, &ws.saved})
    reserve(*a, n);
  reserve(ws.order, n);
  reserve(ws.row_variable, n);
  reserve(ws.column_variable, n + 2);
  reserve(ws.place, 2 * n + 1);
  reserve(ws.start_variable, n);
  reserve(ws.active, n);
  reserve(ws.active_rows, n);
  reserve(ws.candidates, n + 1);
  reserve(ws.pivots, n);
  for (std::vector<char>* a :
       {&ws.flipped, &ws.start_flipped, &ws.saved_flipped, &ws.kept_row, &ws.taken_row, &ws.taken_column})
    reserve(*a, n);
  ws.ray.reserve(n);
}

const double* dense_matrix(const Run& run) {
  if (run.problem.M.kind() == Matrix::Kind::dense) return run.problem.M.dense().data();
  reserve(run.ws.unpacked, std::size_t(run.n) * std::size_t(run.n));
  run.problem.M.to_dense(run.ws.unpacked.data(), run.n);
  return run.ws.unpacked.data();
}

// Pairs first, then free rows. `reference` (by row of the problem) is the value of z where its pair is 0, `sign` -1
// where z counts down from its upper bound, `height` the width of the box. A box without bounds is free, one without
// width is no unknown at all.
void sort_rows(Run& run, bool warm, std::span<const double> z) {
  const Problem& problem = run.problem;
  LemkeWorkspace& ws = run.ws;
  for (const Block& block : problem.blocks) run.in_order &= block.kind == BlockKind::nonnegative;
  if (run.in_order) {
    run.pairs = run.rows = run.n;
    run.stride = stride_of(run.rows);
    for (int i = 0; i < run.n; ++i) ws.order[i] = i;
    return;
  }
  int pairs = 0, frees = 0;
  const auto add_pair = [&](int i, double sign, double reference, double height) {
    ws.order[pairs] = i;
    ws.sign[pairs] = sign;
    ws.reference[i] = reference;
    ws.height[pairs++] = height;
    run.bounded |= height < infinity;
  };
  const auto add_free = [&](int i) {
    ws.reference[i] = 0;
    ws.active[frees++] = i;
  };
  for (const Block& block : problem.blocks) {
    check(block.kind != BlockKind::cone, "lemke: a cone at row ", block.start, "; it takes free, nonnegative and box");
    for (int i = block.start; i < block.start + block.size; ++i) {
      if (block.kind == BlockKind::nonnegative) add_pair(i, 1, 0, infinity);
      if (block.kind == BlockKind::free) add_free(i);
      if (block.kind != BlockKind::box) continue;
      const double l = problem.lower[i], u = problem.upper[i];
      if (l == u)
        ws.reference[i] = l;
      else if (l == -infinity && u == infinity)
        add_free(i);
      else if (l == -infinity || (warm && z[i] >= u))
        add_pair(i, -1, u, u - l);
      else
        add_pair(i, 1, l, u - l);
    }
  }
  for (int k = 0; k < frees; ++k) {
    ws.order[pairs + k] = ws.active[k];
    ws.sign[pairs + k] = 1;
  }
  run.pairs = pairs;
  run.frees = frees;
  run.rows = pairs + frees;
  run.stride = stride_of(run.rows);
}

int exponent(double x) { return int((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023; }
double power_of_two(int e) { return std::bit_cast<double>(std::uint64_t(std::clamp(e, -400, 400) + 1023) << 52); }

// The largest |M_ij| s_j and |M_ji| s_j over all j: how strongly row i is coupled to the others in their units.
double coupling(const Run& run, int i) {
  const int *order = run.ws.order.data(), n = run.n;
  double result = 0;
  for (int j = 0; j < run.rows; ++j) {
    const double in_row = run.M[std::size_t(order[i]) * n + order[j]],
                 in_column = run.M[std::size_t(order[j]) * n + order[i]];
    result = std::max(result, run.ws.scale[j] * std::max(std::abs(in_row), std::abs(in_column)));
  }
  return result;
}

// The same by the row alone where there is one, which is faster and as good for matrices that are not very unsymmetric.
double row_coupling(const Run& run, int i) {
  const double *row = run.M + std::size_t(i) * run.n, *s = run.ws.scale.data();
  Lanes most = {};
  for (int j = 0; j < run.rows; j += lanes) keep_larger(most, absolute(first_of(row + j, run.rows - j)) * at(s + j));
  const double result = largest(most);
  return result > 0 ? result : coupling(run, i);
}

// Units: z_i in s_i and w_i in 1 / s_i, with s_i^2 |M_ii| about 1. For semidefinite M no number is then above 1. Powers
// of two, so that nothing is rounded. A row without a diagonal, like the sliding speed of a polyhedral contact, is
// measured by its coupling to the others.
void scale_by_diagonal(Run& run) {
  const int *order = run.ws.order.data(), n = run.n;
  int* without = run.ws.active.data();
  double* s = run.ws.scale.data();
  int count = 0;
  for (int i = 0; i < run.rows; ++i) s[i] = run.M[std::size_t(order[i]) * n + order[i]];
  for (int i = run.rows; i < padded(run.rows); ++i) s[i] = 0;
  for (int i = 0; i < run.rows; i += lanes) {
    const Lanes d = at(s + i);
    const LaneMask e = (((LaneMask)d >> 52) & 0x7ff) - 1023;
    const LaneMask power = (1023 - (e >> 1)) << 52;
    at(s + i) = d == 0 ? Lanes{} : (Lanes)power;
    for (unsigned zeros = bits(d == 0); zeros != 0; zeros &= zeros - 1) {
      const int k = i + std::countr_zero(zeros);
      if (k < run.rows) without[count++] = k;
    }
  }
  for (int k = 0; k < count; ++k)
    run.ws.w[k] = run.in_order ? row_coupling(run, without[k]) : coupling(run, without[k]);
  for (int k = 0; k < count; ++k) s[without[k]] = run.ws.w[k] > 0 ? power_of_two(-exponent(run.ws.w[k])) : 1;
}

// Both fill `matrix` with r_i M_ij c_j, r and c the units of w and z, and say whether these are good: the largest
// number of each column (of each row too, in the second) is neither far above 1 nor far below.
constexpr double far_above = 256, far_below = 1.0 / 256;
bool load_rows_in_order(Run& run) {
  const double *r = run.ws.row_scale.data(), *c = run.ws.scale.data();
  Lanes most = {}, least = infinity - Lanes{};
  for (int j = 0; j < run.rows; j += lanes) {
    const Lanes column_scale = at(c + j);
    Lanes column_most = {};
    for (int i = 0; i < run.rows; ++i) {
      const Lanes a = first_of(run.M + std::size_t(i) * run.n + j, run.rows - j) * (r[i] * column_scale);
      at(run.row(i) + j) = a;
      keep_larger(column_most, absolute(a));
    }
    keep_larger(most, column_most);
    keep_smaller(least, column_most == 0 ? 1 - Lanes{} : column_most);
  }
  return largest(most) <= far_above && smallest(least) >= far_below;
}
bool load_rows_sorted(Run& run) {
  const int* order = run.ws.order.data();
  const double *r = run.ws.row_scale.data(), *c = run.ws.scale.data();
  double* column_most = run.ws.x.data();
  bool good = true;
  const auto judge = [&](double most) { good &= most == 0 || (most <= far_above && most >= far_below); };
  std::fill_n(column_most, run.rows, 0.0);
  for (int i = 0; i < run.rows; ++i) {
    const double* from = run.M + std::size_t(order[i]) * run.n;
    double *to = run.row(i), row_most = 0;
    for (int j = 0; j < run.rows; ++j) {
      to[j] = from[order[j]] * (r[i] * c[j]);
      row_most = std::max(row_most, std::abs(to[j]));
      column_most[j] = std::max(column_most[j], std::abs(to[j]));
    }
    judge(row_most);
    for (int j = run.rows; j < padded(run.rows); ++j) to[j] = 0;
  }
  for (int j = 0; j < run.rows; ++j) judge(column_most[j]);
  return good;
}

// For matrices whose diagonal says little (circuits): z and w get units of their own, by which the largest number of
// each row and of each column of `matrix` comes near 1 [Ruiz 2001].
void rescale_by_rows(Run& run) {
  LemkeWorkspace& ws = run.ws;
  double *r = ws.x.data(), *c = ws.w.data(), *column_most = ws.solved.data();  // by how much units change
  for (int i = 0; i < padded(run.rows); ++i) r[i] = c[i] = 1;
  bool changed = true;
  for (int pass = 0; pass < 8 && changed; ++pass) {
    changed = false;
    const auto improve = [&](double most, double& unit) {
      const int half = most > 0 ? exponent(most) >> 1 : 0;
      unit *= power_of_two(-half);
      changed |= half != 0;
    };
    std::fill_n(column_most, padded(run.rows), 0.0);
    for (int i = 0; i < run.rows; ++i) {
      Lanes row_most = {};
      for (int j = 0; j < run.rows; j += lanes) {
        const Lanes a = absolute(at(run.row(i) + j)) * (r[i] * at(c + j));
        keep_larger(row_most, a);
        keep_larger(at(column_most + j), a);
      }
      improve(largest(row_most), r[i]);  // known to columns in the next pass
    }
    for (int j = 0; j < run.rows; ++j) improve(column_most[j], c[j]);
  }
  for (int i = 0; i < run.rows; ++i) {
    ws.row_scale[i] *= r[i];
    ws.scale[i] *= c[i];
  }
}

void load_matrix(Run& run) {
  LemkeWorkspace& ws = run.ws;
  run.M = dense_matrix(run);
  const auto load = [&] { return run.in_order ? load_rows_in_order(run) : load_rows_sorted(run); };
  scale_by_diagonal(run);
  if (!run.in_order)
    for (int i = 0; i < run.rows; ++i) ws.scale[i] *= ws.sign[i];
  for (int i = 0; i < run.rows; i += lanes) at(ws.row_scale.data() + i) = at(ws.scale.data() + i);
  if (!load()) {
    rescale_by_rows(run);
    load();
  }
  for (int i = run.rows; i < padded(run.rows); ++i) std::fill_n(run.row(i), padded(run.rows), 0.0);
}

// q with every z at its reference, into `q`; the problem's own units.
void shift_q(Run& run) {
  LemkeWorkspace& ws = run.ws;
  int moved = 0;
  for (int j = 0; j < run.n; ++j)
    if (ws.reference[j] != 0) ws.active[moved++] = j;
  for (int i = 0; i < run.rows; ++i) {
    const double* row = run.M + std::size_t(ws.order[i]) * run.n;
    double q = run.problem.q[ws.order[i]];
    for (int k = 0; k < moved; ++k) q += row[ws.active[k]] * ws.reference[ws.active[k]];
    ws.q[i] = q;
  }
}

void load_vectors(Run& run) {
  LemkeWorkspace& ws = run.ws;
  double* q = ws.q.data();
  if (!run.in_order) shift_q(run);
  const double* from = run.in_order ? run.problem.q.data() : q;
  Lanes most = {};
  for (int i = 0; i < run.rows; i += lanes) {
    at(q + i) = first_of(from + i, run.rows - i) * at(ws.row_scale.data() + i);
    keep_larger(most, absolute(at(q + i)));
  }
  run.unit = largest(most) > 0 ? power_of_two(exponent(largest(most))) : 1;
  const double shrink = 1 / run.unit;
  for (int i = 0; i < run.rows; i += lanes) at(q + i) *= shrink;
  if (run.bounded)
    for (int p = 0; p < run.pairs; ++p) ws.height[p] *= shrink / std::abs(ws.scale[p]);
}

// ---- (5): the solution of a set ------------------------------------------------------------------------------------

// w = M x + q
void all_w(const Run& run) {
  const double *x = run.ws.x.data(), *q = run.ws.q.data();
  for (int i = 0; i < run.rows; i += lanes) {
    Lanes a[lanes] = {};
    for (int j = 0; j < run.rows; j += lanes)
#pragma GCC unroll 8
      for (int k = 0; k < lanes; ++k) add_product(a[k], at(x + j), at(run.row(i + k) + j));
    Lanes sum;
    sums(a, sum);
    at(run.ws.w.data() + i) = sum + at(q + i);
  }
}

// The set a. Of redundant free rows (eliminate_free) the row is left out, and as many z: in an unsymmetric M these need
// not be the same, so that rows and columns of M_aa are listed apart.
int gather_active(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  int count = 0, rows = 0;
  for (int i = 0; i < run.rows; i += lanes)
    for (unsigned set = bits(at(ws.basic.data() + i) != 0); set != 0; set &= set - 1)
      ws.active[count++] = i + std::countr_zero(set);
  for (int k = 0; k < count && ws.active[k] < run.pairs; ++k) ws.active_rows[rows++] = ws.active[k];
  for (int k = 0; k < run.frees; ++k)
    if (ws.kept_row[k]) ws.active_rows[rows++] = run.pairs + k;
  return count;
}

// M_aa X = B by Gauss and Jordan: in step k row k is divided by its largest number, in column c_k, and column c_k is
// cleared in all other rows; in the end row k of the right-hand side is X's number c_k. Rows lie in registers, so that
// clearing a whole column costs no more than clearing half of it would, and there is nothing to substitute back. What
// the steps did is kept: the k-th row of `steps` holds what was subtracted from each row, and 1 / pivot in its own
// place.
struct Elimination {
  double *rows, *steps;
  int* pivot;  // c_k
  int size, stride;
};

// M_aa with -w_a as the last column.
Elimination gather_block(const Run& run, int count) {
  LemkeWorkspace& ws = run.ws;
  const int stride = padded(count + 1);
  const Elimination e{ws.factor.data(), ws.tableau.data(), ws.pivots.data(), count, stride};
  for (int k = 0; k < count; ++k) {
    const double* from = run.row(ws.active_rows[k]);
    double* to = e.rows + std::size_t(k) * stride;
    int done = 0;
    for (int j = 0; j < run.rows; j += lanes)
      done += compress(to + done, at(from + j), bits(at(ws.basic.data() + j) != 0));
    to[count] = -ws.w[ws.active_rows[k]];
    for (int j = count + 1; j < stride; ++j) to[j] = 0;
  }
  return e;
}

// The column of the largest of the first `size` numbers of a row.
LINCHPIN_LEMKE_INLINE int largest_in_row(const double* row, int size, double& most) {
  Lanes top = {};
  const int whole = size / lanes * lanes;
  for (int j = 0; j < whole; j += lanes) keep_larger(top, absolute(at(row + j)));
  if (whole < size) keep_larger(top, absolute(first_of(row + whole, size - whole)));
  most = largest(top);
  for (int j = 0; j < size; j += lanes)
    if (const unsigned set = bits(absolute(at(row + j)) == most)) return j + std::countr_zero(set);
  return 0;  // NaN
}

// False if M_aa is singular. Registers: how many hold a row; 0: told by e.
template <int Registers>
bool eliminate_rows(const Elimination& e, double smallest) {
  const int stride = Registers > 0 ? Registers * lanes : e.stride;
  int low = 0;  // where columns not yet cleared begin, if diagonal numbers served so far
  for (int k = 0; k < e.size; ++k) {
    double *row = e.rows + std::size_t(k) * stride, *step = e.steps + std::size_t(k) * stride, most;
    // The diagonal number, if it is not small, saves the search. Column k is then still to be cleared: row k would have
    // 0 there otherwise.
    int c = k;
    if (!(std::abs(row[k]) > 0.1)) {
      c = largest_in_row(row, e.size, most);
      if (!(most > smallest)) return false;
    }
    e.pivot[k] = c;
    if (c == low) ++low;
    const int begin = Registers > 0 ? 0 : (low - 1) / lanes * lanes;
    const double inverse = 1 / row[c];
    Lanes kept[Registers > 0 ? Registers : 1];
#pragma GCC unroll 8
    for (int j = begin; j < stride; j += lanes) {
      at(row + j) *= inverse;
      if constexpr (Registers > 0) kept[j / lanes] = at(row + j);
    }
    for (int i = 0; i < e.size; ++i) {
      double* other = e.rows + std::size_t(i) * stride;
      const double m = other[c];
      step[i] = m;
      if (i == k) continue;
#pragma GCC unroll 8
      for (int j = begin; j < stride; j += lanes)
        add_product(at(other + j), -m, Registers > 0 ? kept[Registers > 0 ? j / lanes : 0] : at(row + j));
    }
    step[k] = inverse;
  }
  return true;
}
bool eliminate(const Elimination& e, double smallest) {
  switch (e.stride / lanes) {
    case 1:
      return eliminate_rows<1>(e, smallest);
    case 2:
      return eliminate_rows<2>(e, smallest);
    case 3:
      return eliminate_rows<3>(e, smallest);
    case 4:
      return eliminate_rows<4>(e, smallest);
    default:
      return eliminate_rows<0>(e, smallest);
  }
}

// The same steps for another right-hand side.
void repeat(const Elimination& e, double* b) {
  for (int k = 0; k < e.size; ++k) {
    const double* step = e.steps + std::size_t(k) * e.stride;
    const double bk = b[k] * step[k];
    for (int j = 0; j < e.stride; j += lanes) add_product(at(b + j), -bk, at(step + j));
    b[k] = bk;
  }
}

// Beyond some size another correction costs next to nothing.
double good_enough(const Run& run) { return run.rows > 64 ? 0 : exact; }

double worst_active_w(const Run& run, int count) {
  double worst = 0;
  for (int k = 0; k < count; ++k) {
    const double w = std::abs(run.ws.w[run.ws.active_rows[k]]);
    worst = w > worst || std::isnan(w) ? w : worst;
  }
  return worst;
}

// z at its bounds outside a, and w for that.
void set_inactive(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < run.rows; i += lanes) {
    at(ws.x.data() + i) = Lanes{};
    at(ws.w.data() + i) = at(ws.q.data() + i);
  }
  if (!run.bounded) return;
  for (int p = 0; p < run.pairs; ++p)
    if (ws.flipped[p] && !ws.basic[p]) ws.x[p] = ws.height[p];
  all_w(run);
}

// x and w of set a by (5). False if M_aa is singular: has no pivot above `smallest`.
bool solve_active(Run& run, double smallest) {
  LemkeWorkspace& ws = run.ws;
  const int count = gather_active(run);
  set_inactive(run);
  if (count == 0) return true;
  const Elimination e = gather_block(run, count);
  if (!eliminate(e, smallest)) return false;
  double *b = ws.solved.data(), last = infinity;
  for (int k = 0; k < e.stride; ++k) b[k] = k < count ? e.rows[std::size_t(k) * e.stride + count] : 0;
  for (int correction = 0; correction < 4; ++correction) {
    for (int k = 0; k < count; ++k) ws.x[ws.active[e.pivot[k]]] += b[k];
    all_w(run);
    const double worst = worst_active_w(run, count);
    if (!(worst > good_enough(run)) || !(worst < 0.25 * last)) break;  // or as good as it will get
    last = worst;
    for (int k = 0; k < count; ++k) b[k] = -ws.w[ws.active_rows[k]];
    repeat(e, b);
  }
  return true;
}

// By how much x and w break the worst law, over what rounding explains: up to 1 is lawful.
double broken_laws(const Run& run) {
  const LemkeWorkspace& ws = run.ws;
  const double *x = ws.x.data(), *w = ws.w.data(), *basic = ws.basic.data();
  Lanes worst = {}, most = {};
  for (int i = 0; i < run.rows; i += lanes) {
    const Lanes not_x = -at(x + i), not_w = -at(w + i), size = absolute(not_w);
    const Lanes of_basic = not_x > size ? not_x : size;
    keep_larger(most, absolute(not_x));
    if (!run.bounded && (run.frees == 0 || i + lanes <= run.pairs)) {
      keep_larger(worst, at(basic + i) != 0 ? of_basic : not_w);
      continue;
    }
    for (int k = i; k < std::min(i + lanes, run.rows); ++k) {  // not only plain pairs
      double broken = std::abs(w[k]);
      if (k < run.pairs)
        broken = basic[k] != 0 ? std::max({-x[k], x[k] - ws.height[k], broken}) : ws.flipped[k] ? w[k] : -w[k];
      worst[k - i] = worst[k - i] >= broken ? worst[k - i] : broken;
    }
  }
  return largest(worst) / (lawful + 2e-15 * largest(most));
}

void write_solution(const Run& run, std::span<double> z) {
  const LemkeWorkspace& ws = run.ws;
  if (run.in_order) {
    for (int i = 0; i < run.n; i += lanes) {
      Lanes step = at(ws.x.data() + i) * (run.unit * at(ws.scale.data() + i));
      step = step > trace ? step : trace - Lanes{};
      put_first(z.data() + i, run.n - i, at(ws.basic.data() + i) != 0 ? step : Lanes{});
    }
    return;
  }
  for (int i = 0; i < run.n; ++i) z[i] = ws.reference[i];
  for (int p = 0; p < run.pairs; ++p) {
    const int i = ws.order[p];
    const double step = run.unit * ws.scale[p] * ws.x[p];
    if (ws.height[p] < infinity)
      z[i] = std::clamp(z[i] + step, run.problem.lower[i], run.problem.upper[i]);
    else if (ws.basic[p])
      z[i] += ws.sign[p] * std::max(ws.sign[p] * step, trace);
  }
  for (int i = run.pairs; i < run.rows; ++i) z[ws.order[i]] = run.unit * ws.scale[i] * ws.x[i];
}

// The set that x and w speak for: whoever breaks its law changes sides [Kostreva 1978 changes one, here all do]. False
// if nobody does.
bool correct_set(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  bool changed = false;
  for (int p = 0; p < run.pairs; ++p) {
    const bool was = ws.basic[p] != 0,
               upper = run.bounded && (was ? ws.x[p] > ws.height[p] : ws.flipped[p] && ws.w[p] < 0);
    const bool is = was ? ws.x[p] >= 0 && !upper : run.bounded && ws.flipped[p] ? ws.w[p] > 0 : ws.w[p] < 0;
    changed |= is != was;
    ws.basic[p] = is;
    ws.flipped[p] = upper;
  }
  return changed;
}

// Whether x and w are a solution. If not, but the best so far, keeps them for the worst case.
bool is_solution(Run& run) {
  const double broken = broken_laws(run);
  if (broken < run.least_broken) {
    run.least_broken = broken;
    write_solution(run, {run.ws.best.data(), std::size_t(run.n)});
  }
  return broken <= 1;
}

// Solves (5) and looks whether that is a solution. Near one, at the end of a path or from a good guess, some
// corrections of the set by itself are much cheaper than a walk, and they are right even where M_aa is so near to
// singular that a walk cannot tell small steps from none; but they may go in circles.
bool settle(Run& run, double smallest) {
  for (int corrections = 0; corrections < 4; ++corrections) {
    if (!solve_active(run, smallest)) return false;
    if (is_solution(run)) return true;
    if (!correct_set(run)) return false;
  }
  return false;
}

// ---- (3), (4): the tableau -----------------------------------------------------------------------------------------

// Exchanges the variables of row r and column s by (4). With column s changed to hold 1 in place r, and place r of
// every other column to hold 0, (4) is the same for all rows: T_ij - T_is / T_rs T_rj. Columns are long: one number of a column
// written by itself would, moments later, keep the register around it from being read before all writes have reached
// the cache.
template <int Registers>
LINCHPIN_LEMKE_INLINE void pivot_column(double* column, const Lanes* minus_s, const unsigned* others, double in_row_r) {
  const Lanes t = in_row_r - Lanes{};
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) {
    Lanes a = only(column + k * lanes, others[k]);
    add_product(a, t, minus_s[k]);
    at(column + k * lanes) = a;
  }
}
template <int Registers, class Between>
void pivot_numbers(double* T, std::size_t stride, int columns, int r, int s, int first, Between between) {
  double* column_s = T + std::size_t(s) * stride;
  const double minus_inverse = -1 / column_s[r];
  Lanes minus_s[Registers];  // column s, 1 in place r, divided by -T_rs
  unsigned others[Registers];
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) {
    const unsigned me = r / lanes == k ? 1u << r % lanes : 0;
    others[k] = 0xff & ~me;
    minus_s[k] = chosen(me, 1 - Lanes{}, at(column_s + k * lanes)) * minus_inverse;
  }
  const auto update = [&](int begin, int end) __attribute__((always_inline)) {
    for (int j = begin; j < end; ++j) {
      double* column = T + std::size_t(j) * stride;
      if (Registers < 4 || column[r] != 0) pivot_column<Registers>(column, minus_s, others, column[r]);
    }
  };
  const int last = columns - 1, low = std::min(s, first), high = std::max(s, first);
  update(last, last + 1);
  if (first != s) update(first, first + 1);
  between();
  update(0, low);
  update(low + 1, high);
  update(high + 1, last);
#pragma GCC unroll 8
  for (int k = 0; k < Registers; ++k) at(column_s + k * lanes) = -minus_s[k];
}

// The same for columns that do not fit into the registers. Where column s is 0 nothing changes; `filled` gets the
// places of its registers that are not. Bodies that do not touch have nothing but zeros in common.
void pivot_numbers_long(double* T, std::size_t stride, int columns, int registers, int r, int s, int* filled) {
  double* entering = T + std::size_t(s) * stride;
  const double inverse = 1 / entering[r];
  int count = 0;
  for (int k = 0; k < registers; ++k)
    if (bits(at(entering + k * lanes) != 0)) filled[count++] = k * lanes;
  for (int j = 0; j < columns; ++j) {
    double* column = T + std::size_t(j) * stride;
    if (j == s || column[r] == 0) continue;
    const double t = -column[r] * inverse;
    for (int k = 0; k < count; ++k) add_product(at(column + filled[k]), t, at(entering + filled[k]));
    column[r] = t;
  }
  for (int k = 0; k < count; ++k) at(entering + filled[k]) *= inverse;
  entering[r] = inverse;
}

// `first` is a column that is wanted soon: with the last one it is updated first, then comes `between`, then the
// others. The processor thus has work while it waits for what `between` finds out.
template <class Between>
LINCHPIN_LEMKE_INLINE void pivot_among(Run& run, int rows, int columns, int r, int s, int first, Between between) {
  LemkeWorkspace& ws = run.ws;
  double* T = ws.tableau.data();
  const std::size_t stride = std::size_t(run.stride);
  const int registers = padded(rows) / lanes;
  switch (registers) {
    case 1:
      pivot_numbers<1>(T, stride, columns, r, s, first, between);
      break;
    case 2:
      pivot_numbers<2>(T, stride, columns, r, s, first, between);
      break;
    case 3:
      pivot_numbers<3>(T, stride, columns, r, s, first, between);
      break;
    case 4:
      pivot_numbers<4>(T, stride, columns, r, s, first, between);
      break;
    case 5:
      pivot_numbers<5>(T, stride, columns, r, s, first, between);
      break;
    case 6:
      pivot_numbers<6>(T, stride, columns, r, s, first, between);
      break;
    case 7:
      pivot_numbers<7>(T, stride, columns, r, s, first, between);
      break;
    case 8:
      pivot_numbers<8>(T, stride, columns, r, s, first, between);
      break;
    default:
      pivot_numbers_long(T, stride, columns, registers, r, s, ws.candidates.data());
      between();
  }
  std::swap(ws.row_variable[r], ws.column_variable[s]);
  ws.place[ws.row_variable[r]] = ~r;
  ws.place[ws.column_variable[s]] = s;
  ++run.pivots;
}
void nothing() {}

// Of the pairs' rows and columns, z0 and b: all that the walk needs.
template <class Between>
void pivot(Run& run, int r, int s, int first, Between between) {
  pivot_among(run, run.pairs, run.pairs + 2, r, s, first, between);
  if (run.bounded) {
    const int v = run.ws.row_variable[r];
    run.ws.row_height[r] = v < run.z0() && v % 2 == 0 ? run.ws.height[v / 2] : infinity;
  }
}

void pivot(Run& run, int r, int s) { pivot(run, r, s, s, nothing); }

// w basic everywhere.
void load_tableau(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int height = padded(run.rows);
  for (int j = 0; j < run.rows; j += lanes)
    for (int i = 0; i < run.rows; i += lanes) {
      Lanes a[lanes];
#pragma GCC unroll 8
      for (int k = 0; k < lanes; ++k) a[k] = at(run.row(i + k) + j);
      transpose(a);
      if (run.frees == 0)  // beyond the last pair are the columns filled below, and room
#pragma GCC unroll 8
        for (int k = 0; k < lanes; ++k) at(run.column(j + k) + i) = a[k];
      else
        for (int k = 0; k < lanes && j + k < run.rows; ++k)
          at(run.column(j + k < run.pairs ? j + k : j + k + 2) + i) = a[k];
    }
  for (int i = 0; i < height; i += lanes) {
    at(run.column(run.spare()) + i) = Lanes{};
    at(run.column(run.b()) + i) = at(ws.q.data() + i);
  }
  const auto settle = [&](int i, int column, int z) {
    ws.column_variable[column] = z;
    ws.place[z] = column;
    ws.row_variable[i] = z + 1;
    ws.place[z + 1] = ~i;
  };
  for (int p = 0; p < run.pairs; ++p) settle(p, p, 2 * p);
  for (int k = 0; k < run.frees; ++k) settle(run.pairs + k, run.free_column(k), run.z0() + 1 + 2 * k);
  ws.column_variable[run.spare()] = run.z0();
  ws.place[run.z0()] = run.spare();
  if (run.bounded)
    for (int p = 0; p < height; ++p) ws.row_height[p] = infinity;
}

// Counts pair p from its other bound: z <- height - z, w <- -w.
void flip(Run& run, int p) {
  LemkeWorkspace& ws = run.ws;
  const int height = padded(run.pairs), columns = run.pairs + 2;
  double* b = run.column(run.b());
  for (const int v : {2 * p, 2 * p + 1}) {
    const double shift = v % 2 == 0 ? ws.height[p] : 0;
    const int place = ws.place[v];
    if (place >= 0) {
      double* column = run.column(place);
      if (shift != 0)
        for (int i = 0; i < height; i += lanes) add_product(at(b + i), shift, at(column + i));
      for (int i = 0; i < height; i += lanes) at(column + i) = -at(column + i);
    } else {
      for (int j = 0; j < columns; ++j) run.column(j)[~place] *= -1;
      b[~place] += shift;
    }
  }
  ws.flipped[p] ^= 1;
}

// ---- where the walk begins -----------------------------------------------------------------------------------------

// Leaves in `ray` the combination of rows that is row r of the tableau, in which a free row's w is basic:
// w_r - sum of T_rs w_s over the nonbasic w of free rows = b_r + (its z): if no z can make that 0, y proves it.
void propose_row(Run& run, int r) {
  LemkeWorkspace& ws = run.ws;
  ws.ray.assign(std::size_t(run.n), 0.0);
  const double sign = run.column(run.b())[r] > 0 ? -1 : 1;
  const auto put = [&](int v, double y) {
    if (std::abs(y) < smallest_pivot) return;  // rounding, and a proof with less in it is easier to check
    if (v > run.z0() && (v - run.z0()) % 2 == 0) {
      const int i = run.pairs + (v - run.z0()) / 2 - 1;
      ws.ray[ws.order[i]] = sign * y * ws.row_scale[i];
    } else if (v < run.z0() && v % 2 == 1) {
      ws.ray[ws.order[v / 2]] = sign * y * ws.row_scale[v / 2];
    }
  };
  put(ws.row_variable[r], 1);
  for (int j = 0; j < run.pairs + 2 + run.frees; ++j)
    if (j != run.spare() && j != run.b()) put(ws.column_variable[j], -run.column(j)[r]);
}

void swap_rows(Run& run, int i, int k) {
  LemkeWorkspace& ws = run.ws;
  for (int j = 0; j < run.pairs + 2 + run.frees; ++j) std::swap(run.column(j)[i], run.column(j)[k]);
  std::swap(ws.row_variable[i], ws.row_variable[k]);
  ws.place[ws.row_variable[i]] = ~i;
  ws.place[ws.row_variable[k]] = ~k;
}
void swap_columns(Run& run, int s, int t) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < padded(run.rows); ++i) std::swap(run.column(s)[i], run.column(t)[i]);
  std::swap(ws.column_variable[s], ws.column_variable[t]);
  ws.place[ws.column_variable[s]] = s;
  ws.place[ws.column_variable[t]] = t;
}

// The largest pivot among free rows and columns not yet taken; diagonal ones are preferred, so that what is redundant
// in a symmetric M has the same row and column. False if there is none.
bool find_free_pivot(const Run& run, int& r, int& c) {
  const LemkeWorkspace& ws = run.ws;
  double most = dependent;
  r = -1;
  for (int k = 0; k < run.frees; ++k) {
    if (ws.taken_column[k]) continue;
    const double* column = run.column(run.free_column(k)) + run.pairs;
    for (int i = 0; i < run.frees; ++i) {
      const double size = std::abs(column[i]) * (i == k ? 8 : 1);
      if (!ws.taken_row[i] && size > most) most = size, r = i, c = k;
    }
  }
  return r >= 0;
}

// For free row r without a free pivot: the free column c and the pair p through which both can be exchanged, p's z for
// r's w and c's z for p's w. `coupled`: r's row has numbers at all.
bool find_pair_pivot(const Run& run, int r, int& c, int& p, bool& coupled) {
  const LemkeWorkspace& ws = run.ws;
  double most = dependent;
  p = -1;
  coupled = false;
  for (int k = 0; k < run.frees; ++k) {
    if (ws.taken_column[k]) continue;
    for (int j = 0; j < run.pairs; ++j) {
      const double here = std::abs(run.column(j)[run.pairs + r]), there = std::abs(run.column(run.free_column(k))[j]);
      coupled |= here > dependent;
      if (ws.place[2 * j] == j && ws.place[2 * j + 1] == ~j && std::min(here, there) > most)
        most = std::min(here, there), c = k, p = j;
    }
  }
  return p >= 0;
}

// Pivots all free z in and their w out, largest pivot first. What is left without a pivot is exchanged together with a
// pair (whose z becomes basic too) or is redundant: the row says 0 = 0, and a z stays 0. False: it says 0 = 1, see
// `ray`.
bool eliminate_free(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int frees = run.frees, columns = run.pairs + 2 + frees;
  std::fill_n(ws.taken_row.begin(), frees, 0);
  std::fill_n(ws.taken_column.begin(), frees, 0);
  std::fill_n(ws.kept_row.begin(), frees, 1);
  std::fill_n(ws.basic.begin() + run.pairs, frees, 1);
  int r, c, p;
  while (find_free_pivot(run, r, c)) {
    pivot_among(run, run.rows, columns, run.pairs + r, run.free_column(c), run.b(), nothing);
    ws.taken_row[r] = ws.taken_column[c] = 1;
  }
  for (r = 0; r < frees; ++r) {
    if (ws.taken_row[r]) continue;
    bool coupled;
    if (find_pair_pivot(run, r, c, p, coupled)) {
      pivot_among(run, run.rows, columns, run.pairs + r, p, run.b(), nothing);
      pivot_among(run, run.rows, columns, p, run.free_column(c), run.b(), nothing);
      swap_rows(run, run.pairs + r, p);  // the pair's z belongs among the pairs
      swap_columns(run, run.free_column(c), p);
    } else {
      if (coupled || std::abs(run.column(run.b())[run.pairs + r]) > dependent) {
        propose_row(run, run.pairs + r);
        return false;
      }
      c = r;
      for (int k = 0; k < frees && ws.taken_column[c]; ++k) c = k;
      ws.kept_row[r] = ws.basic[run.pairs + c] = 0;
    }
    ws.taken_row[r] = ws.taken_column[c] = 1;
  }
  // From here on the pairs' rows alone are carried; those that share a register with them must not block.
  for (int i = run.pairs; i < padded(run.pairs); ++i)
    for (int j = 0; j < run.pairs + 2; ++j) run.column(j)[i] = 0;
  return true;
}

// Of a pair with w in row i and z in column j.
bool not_yet_basic(const Run& run, int p, int& i, int& j) {
  i = ~run.ws.place[2 * p + 1];
  j = run.ws.place[2 * p];
  return i >= 0 && j >= 0;
}

// One step of make_basic(): a pair with a good diagonal, or two with good couplings both ways (a sliding speed and its
// friction force have no diagonals). False when all that is left depends on what is basic already.
bool make_one_basic(Run& run) {
  LemkeWorkspace& ws = run.ws;
  constexpr double good = 1e-2;  // from where on two at once are not even tried
  double most = 0;
  int best = -1, r = 0, s = 0;
  for (int p = 0; p < run.pairs; ++p) {
    int i, j;
    if (!ws.basic[p] || !not_yet_basic(run, p, i, j)) continue;
    const double diagonal = std::abs(run.column(j)[i]);
    if (diagonal > most) most = diagonal, best = p, r = i, s = j;
  }
  if (most > good) return pivot(run, r, s), true;
  int r2 = 0, s2 = 0, first = -1;
  double most2 = std::max(10 * most, dependent);
  for (int p = 0; p < run.pairs; ++p) {
    int i, j, k, l;
    if (!ws.basic[p] || !not_yet_basic(run, p, i, j)) continue;
    for (int o = p + 1; o < run.pairs; ++o) {
      if (!ws.basic[o] || !not_yet_basic(run, o, k, l)) continue;
      const double both = std::min(std::abs(run.column(l)[i]), std::abs(run.column(j)[k]));
      if (both > most2) most2 = both, first = p, r = i, s = l, r2 = k, s2 = j;
    }
  }
  if (first >= 0) return pivot(run, r, s), pivot(run, r2, s2), true;
  if (best >= 0 && most > dependent) return pivot(run, r, s), true;
  return false;
}

// Makes the z of all pairs in `basic` basic; those that depend on the others are struck from it.
void make_basic(Run& run) {
  while (make_one_basic(run)) {
  }
  for (int p = 0; p < run.pairs; ++p) run.ws.basic[p] = run.ws.place[2 * p] < 0;
}

// A basic z outside its box goes back to the bound that it broke: z0 cannot hold a variable within two bounds. False if
// it cannot be exchanged.
bool return_to_boxes(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const double* b = run.column(run.b());
  for (int round = 0; round < run.pairs; ++round) {
    int r = -1;
    double worst = tie;
    for (int i = 0; i < run.pairs; ++i) {
      if (ws.row_height[i] == infinity) continue;
      const double broken = std::max(-b[i], b[i] - ws.row_height[i]);
      if (broken > worst) worst = broken, r = i;
    }
    if (r < 0) return true;
    const int p = ws.row_variable[r] / 2, s = ws.place[2 * p + 1];
    if (s < 0 || std::abs(run.column(s)[r]) < dependent) return false;
    const bool above = b[r] > 0;
    pivot(run, r, s);
    if (above) flip(run, p);
    ws.basic[p] = 0;
  }
  return false;
}

// The tableau of the set `basic`, with nonbasic z at the bounds told by `flipped`. False: a free row has no solution.
bool make_tableau(Run& run, bool from_set) {
  LemkeWorkspace& ws = run.ws;
  load_tableau(run);
  if (run.frees > 0 && !eliminate_free(run)) return false;
  if (!from_set) return true;
  for (int p = 0; p < run.pairs; ++p) {
    const bool at_upper = ws.flipped[p] && !ws.basic[p];
    ws.flipped[p] = 0;
    if (at_upper) flip(run, p);
  }
  make_basic(run);
  if (run.bounded && !return_to_boxes(run)) {  // then from the beginning
    load_tableau(run);
    if (run.frees > 0) eliminate_free(run);
    std::fill_n(ws.flipped.begin(), run.pairs, 0);
  }
  return true;
}

// The covering vector: 1 in our units, or, on later tries, other numbers between 1 and 2. A basic z with two bounds is
// within them already and must not be moved by z0.
void cover(Run& run, int attempt) {
  double* d = run.column(run.spare());
  if (attempt <= 0 && !run.bounded) {
    std::fill_n(d, run.pairs, 1.0);
    return;
  }
  for (int i = 0; i < run.pairs; ++i) {
    const double share = 0.6180339887498949 * std::max(attempt, 0) * (i + 1);
    d[i] = run.bounded && run.ws.row_height[i] < infinity ? 0 : 1 + (share - std::floor(share));
  }
}

// ---- (2): the walk -------------------------------------------------------------------------------------------------

// Coefficient of the j-th perturbation in candidate i of the ratio test for column s, before division by |a_i|. The
// first `pairs` perturbations are of the variables that were basic at the start, v = v^ + e^j where v^ obeys (3)
// unperturbed; the next are those of the upper bounds. Candidate -1 is the entering variable's own other bound.
double perturbation(const Run& run, int i, bool upper, int entering, int j) {
  const LemkeWorkspace& ws = run.ws;
  const auto turned = [&](int p) { return ws.flipped[p] != ws.start_flipped[p]; };
  if (i < 0) return j == run.pairs + entering / 2 ? 1 : 0;
  const double side = upper ? -1 : 1;
  if (j < run.pairs) {
    const int v = ws.start_variable[j], place = ws.place[v];
    const double sign = turned(v / 2) ? -side : side;
    return place >= 0 ? -sign * run.column(place)[i] : ~place == i ? sign : 0;
  }
  const int p = j - run.pairs, place = ws.place[2 * p];
  if (place >= 0) return turned(p) ? -side * run.column(place)[i] : 0;
  return ~place == i && upper != turned(p) ? 1 : 0;
}

// Whether candidate i reaches its bound before candidate k in the perturbed problem.
bool lexicographically_before(const Run& run, int entering, const double* a, int i, int k) {
  const auto differ = [](double x, double y) { return std::abs(x - y) > tie * (1 + std::abs(x) + std::abs(y)); };
  const double by_i = i < 0 ? 1 : 1 / std::abs(a[i]), by_k = k < 0 ? 1 : 1 / std::abs(a[k]);
  if (!run.bounded) {  // the same as below, without asking for what is not there
    for (int j = 0; j < run.pairs; ++j) {
      const int place = run.ws.place[run.ws.start_variable[j]];
      if (place < 0) {
        if (~place == i || ~place == k) return ~place == k;
        continue;
      }
      const double of_i = -by_i * run.column(place)[i], of_k = -by_k * run.column(place)[k];
      if (differ(of_i, of_k)) return of_i < of_k;
    }
    return false;
  }
  for (int j = 0; j < 2 * run.pairs; ++j) {
    const double of_i = by_i * perturbation(run, i, i >= 0 && a[i] > 0, entering, j);
    const double of_k = by_k * perturbation(run, k, k >= 0 && a[k] > 0, entering, j);
    if (differ(of_i, of_k)) return of_i < of_k;
  }
  return false;
}

// Who reaches a bound first while the variable of column s grows from 0: all who are at theirs when the first has passed
// its own by `tie` [Harris 1973]. The last of them is told here, all stand in `candidates` if they are more than one.
// `own`: where the variable of column s has another bound itself; then itself may be a candidate.
constexpr int itself = -1;
struct Candidates {
  int count = 0, last = itself;
};
template <bool Bounded>
__attribute__((noinline)) Candidates find_candidates(const Run& run, int s, double own) {
  LemkeWorkspace& ws = run.ws;
  const double *a = run.column(s), *b = run.column(run.b()), *height = ws.row_height.data();
  double* ratio = ws.ratio.data();
  const int end = padded(run.pairs);
  Lanes limit = infinity - Lanes{};
  for (int i = 0; i < end; i += lanes) {
    Lanes room = at(b + i), speed = -at(a + i);
    LaneMask blocks = speed > smallest_pivot;
    if constexpr (Bounded) {
      const LaneMask above = (speed < -smallest_pivot) & (at(height + i) < infinity);
      room = above ? at(height + i) - room : room;
      speed = above ? -speed : speed;
      blocks |= above;
    }
    room = room > 0 ? room : Lanes{};
    const Lanes per_speed = reciprocal(speed);
    at(ratio + i) = blocks ? room * per_speed : infinity - Lanes{};
    keep_smaller(limit, blocks ? (room + tie) * per_speed : infinity - Lanes{});
  }
  spread_smallest(limit);
  if constexpr (Bounded) keep_smaller(limit, own - Lanes{});
  if (limit[0] == infinity) return {};

  Candidates found;
  for (int start = 0; start < end; start += 64) {
    std::uint64_t set = 0;
    for (int i = start; i < std::min(start + 64, end); i += lanes)
      set |= std::uint64_t(at_most(at(ratio + i), limit)) << (i - start);
    if (set == 0) continue;
    found.last = start + 63 - std::countl_zero(set);
    if (end <= 64 && std::has_single_bit(set) && !Bounded) return {1, found.last};  // nearly always
    for (; set != 0; set &= set - 1) ws.candidates[found.count++] = start + std::countr_zero(set);
  }
  if (Bounded && own <= limit[0]) {
    ws.candidates[found.count++] = itself;
    found.last = itself;
  }
  return found;
}

// Of the candidates z0 if it is among them, since that is the end of the path; else the lexicographically first of
// those with no weak pivot.
int first_of_candidates(const Run& run, int entering, const Candidates& found) {
  if (found.count == 1) return found.last;
  const int *candidates = run.ws.candidates.data(), count = found.count, z0 = ~run.ws.place[run.z0()];
  const double* a = run.column(run.ws.place[entering]);
  const auto pivot_of = [&](int i) { return i == itself ? 1 : std::abs(a[i]); };
  double most = 0;
  for (int c = 0; c < count; ++c) {
    if (candidates[c] == z0) return z0;
    most = std::max(most, pivot_of(candidates[c]));
  }
  int first = itself;
  for (int c = 0, any = 0; c < count; ++c) {
    if (pivot_of(candidates[c]) < weak_pivot * most) continue;
    if (!any++ || lexicographically_before(run, entering, a, candidates[c], first)) first = candidates[c];
  }
  return first;
}

// The row in which z0 must become basic, that of the smallest b_i / d_i; of equals the last, as its perturbation is the
// smallest. -1: no b is negative.
int worst_row(const Run& run) {
  const double *b = run.column(run.b()), *d = run.column(run.spare());
  double* ratio = run.ws.ratio.data();
  const int end = padded(run.pairs);
  Lanes least = infinity - Lanes{};
  for (int i = 0; i < end; i += lanes) {  // beyond the last pair b is 0
    const Lanes t = at(b + i) / at(d + i);
    at(ratio + i) = (at(b + i) < -exact) & (at(d + i) > 0) ? t : infinity - Lanes{};
    keep_smaller(least, at(ratio + i));
  }
  spread_smallest(least);
  if (least[0] == infinity) return -1;
  least -= tie * least;
  for (int i = end - lanes;; i -= lanes)
    if (const unsigned set = at_most(at(ratio + i), least)) return i + std::bit_width(set) - 1;
}

enum class End { solution, ray, limit };

// Lowers z0 to where the first law would break, then follows (2). On a ray, `entering` is who grows without end.
End walk(Run& run, int& entering) {
  LemkeWorkspace& ws = run.ws;
  for (int i = 0; i < run.pairs; ++i) ws.start_variable[i] = ws.row_variable[i];
  std::copy_n(ws.flipped.begin(), run.pairs, ws.start_flipped.begin());
  int r = worst_row(run), s = run.spare();
  if (r < 0) return End::solution;
  // A path can be exponentially long, but is not: some 2 pivots per pair are usual. One that is much longer has lost
  // its way in rounding.
  const int limit = std::min(run.limit, run.pivots + 100 + 10 * run.pairs);
  for (;;) {
    // Exchanges r and s. Without bounds the next candidates are known as soon as two columns are.
    int left = ws.row_variable[r];
    Candidates found;
    const bool upper = run.bounded && ws.row_height[r] < infinity && run.column(s)[r] > 0;
    const int next = left == run.z0() ? s : ws.place[left ^ 1];
    pivot(run, r, s, next, [&] {
      if (!run.bounded && left != run.z0()) found = find_candidates<false>(run, next, infinity);
    });
    if (left == run.z0()) return End::solution;
    if (upper) flip(run, left / 2);
    if (run.pivots >= limit) return End::limit;

    // Finds who leaves next. One who comes to its own other bound enters and leaves at once: its partner follows.
    do {
      entering = left ^ 1;
      s = ws.place[entering];
      if (run.bounded) found = find_candidates<true>(run, s, entering % 2 == 0 ? ws.height[entering / 2] : infinity);
      if (found.count == 0) return End::ray;
      r = first_of_candidates(run, entering, found);
      if (r == itself) flip(run, entering / 2);
      left = entering;
    } while (r == itself);
  }
}

// Makes x, the direction of z along a ray, exact in the problem's numbers. On a ray of a semidefinite problem M x = 0
// where x > 0 and on free rows; with the largest x as 1, that gives the others. x stays if it does not.
void refine_ray(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const int top = int(std::max_element(ws.x.data(), ws.x.data() + run.pairs) - ws.x.data());
  std::copy_n(ws.x.data(), run.rows, ws.solved.data());
  for (int p = 0; p < run.pairs; ++p) ws.basic[p] = p != top && ws.x[p] > 0;
  std::fill_n(ws.x.data(), padded(run.rows), 0.0);
  ws.x[top] = 1;
  all_w(run);
  for (int i = 0; i < run.rows; ++i) ws.w[i] -= ws.q[i];
  const int count = gather_active(run);
  const Elimination e = gather_block(run, count);
  if (eliminate(e, dependent)) {
    for (int k = 0; k < count; ++k) ws.x[ws.active[e.pivot[k]]] = e.rows[std::size_t(k) * e.stride + count];
    if (std::all_of(ws.x.data(), ws.x.data() + run.pairs, [](double x) { return x >= 0; })) return;
  }
  std::copy_n(ws.solved.data(), run.rows, ws.x.data());
}

// The direction of z along the ray, as a combination of rows.
void propose_ray(Run& run, int entering) {
  LemkeWorkspace& ws = run.ws;
  const double* a = run.column(ws.place[entering]);
  for (int i = 0; i < padded(run.rows); ++i) ws.x[i] = 0;
  for (int p = 0; p < run.pairs; ++p) {
    const int place = ws.place[2 * p];
    ws.x[p] = 2 * p == entering ? 1 : place < 0 ? a[~place] : 0;
    if (ws.x[p] < smallest_pivot) ws.x[p] = 0;
  }
  refine_ray(run);
  for (int i = 0; i < run.rows; ++i)
    if (std::abs(ws.x[i]) < singular) ws.x[i] = 0;
  ws.ray.assign(std::size_t(run.n), 0.0);
  for (int i = 0; i < run.rows; ++i) ws.ray[ws.order[i]] = ws.scale[i] * ws.x[i];
}

// Whether the ray just proposed (still in x) looks like a proof; then other covering vectors need not be tried.
bool ray_looks_like_proof(const Run& run) {
  LemkeWorkspace& ws = run.ws;
  double qy = 0, most = 0;
  for (int i = 0; i < run.rows; ++i) qy += ws.q[i] * ws.x[i], most = std::max(most, std::abs(ws.x[i]));
  if (!(qy < -1e-9 * most)) return false;
  for (int j = 0; j < run.rows; ++j) {
    double sum = 0;
    for (int i = 0; i < run.rows; ++i) sum += run.row(i)[j] * ws.x[i];
    if (sum > 1e-9 * most || (j >= run.pairs && sum < -1e-9 * most)) return false;
  }
  return true;
}

// The set the walk ended with, and its x as the tableau has it.
void read_tableau(Run& run) {
  LemkeWorkspace& ws = run.ws;
  const double* b = run.column(run.b());
  if (!run.bounded) {
    for (int p = 0; p < run.pairs; ++p) {  // no branches: nobody can foretell them
      const int place = ws.place[2 * p];
      const double basic = double(place < 0);
      ws.basic[p] = basic;
      ws.x[p] = basic * b[~place & (place >> 31)];  // row ~place, or row 0, which does not count
    }
    return;
  }
  for (int p = 0; p < run.pairs; ++p) {
    const int place = ws.place[2 * p];
    ws.basic[p] = place < 0;
    ws.x[p] = place >= 0 ? (ws.flipped[p] ? ws.height[p] : 0) : ws.flipped[p] ? ws.height[p] - b[~place] : b[~place];
    if (place < 0) ws.flipped[p] = 0;
  }
}

// A path that is at its end but for rounding may miss it, since nothing tells z0 from 0 there, and run into a ray.
bool z0_is_negligible(const Run& run) {
  const int place = run.ws.place[run.z0()];
  return place >= 0 || std::abs(run.column(run.b())[~place]) < 1e-8;
}

// Whether the tableau's own x needs no factorisation of (5): without free rows, and exact in the problem's numbers.
bool tableau_is_exact(Run& run) {
  if (run.frees > 0) return false;
  for (int i = run.rows; i < padded(run.rows); ++i) run.ws.x[i] = 0;
  all_w(run);
  const double limit = good_enough(run);
  unsigned broken = 0;
  for (int i = 0; i < run.rows; i += lanes)
    broken |= bits((at(run.ws.basic.data() + i) != 0) & ~(absolute(at(run.ws.w.data() + i)) <= limit));
  return broken == 0;
}

void guess_set(Run& run, std::span<const double> z) {
  LemkeWorkspace& ws = run.ws;
  if (run.in_order) {
    for (int i = 0; i < run.n; i += lanes)
      at(ws.basic.data() + i) = first_of(z.data() + i, run.n - i) > 0 ? 1 - Lanes{} : Lanes{};
    return;
  }
  for (int p = 0; p < run.pairs; ++p) {
    const int i = ws.order[p];
    ws.basic[p] = ws.height[p] == infinity ? ws.sign[p] * (z[i] - ws.reference[i]) > 0
                                           : z[i] > run.problem.lower[i] && z[i] < run.problem.upper[i];
  }
}

}  // namespace

Outcome lemke(const Problem& problem, const SolverOptions& options, LemkeWorkspace& ws, std::span<double> z) {
  Run run{problem, ws};
  run.n = problem.size();
  check(z.size() == problem.q.size(), "lemke: z has ", z.size(), " numbers, the problem ", problem.q.size());
  ws.ray.clear();
  make_room(run);
  sort_rows(run, options.warm_start, z);
  load_matrix(run);
  load_vectors(run);
  run.limit = options.max_iterations > 0 ? options.max_iterations : 1000 + 100 * run.rows;  // of all paths

  std::fill_n(ws.flipped.begin(), run.pairs, 0);
  std::fill_n(ws.kept_row.begin(), run.frees, 1);
  for (int i = 0; i < padded(run.rows); ++i) ws.basic[i] = i >= run.pairs && i < run.rows;
  bool from_set = options.warm_start;
  if (options.warm_start) guess_set(run, z);
  if ((from_set || run.pairs == 0) && settle(run, dependent)) {
    write_solution(run, z);
    return {Stop::finished, run.pivots};
  }

  int rounds = 0, covers = options.warm_start ? -1 : 0;
  for (;;) {
    if (!make_tableau(run, from_set)) break;
    cover(run, covers);
    int entering = 0;
    const End end = walk(run, entering);
    if (end == End::solution || (end == End::ray && z0_is_negligible(run))) {
      read_tableau(run);
      std::copy_n(ws.basic.data(), run.rows, ws.saved.data());
      std::copy_n(ws.flipped.begin(), run.pairs, ws.saved_flipped.begin());
      if ((tableau_is_exact(run) && is_solution(run)) || settle(run, singular)) {
        write_solution(run, z);
        return {Stop::finished, run.pivots};
      }
      std::copy_n(ws.saved.data(), run.rows, ws.basic.data());
      std::copy_n(ws.saved_flipped.begin(), run.pairs, ws.flipped.begin());
    } else if (end == End::ray && !from_set) {
      propose_ray(run, entering);
      if (ray_looks_like_proof(run)) break;
    }
    if (run.pivots >= run.limit) break;
    // Again from a fresh tableau of the set, or from the beginning: after a failed warm start as if there had been
    // none, else with another covering vector. For matrices that are not semidefinite the path of one may lead to a ray
    // and that of another to a solution.
    from_set = end == End::solution && ++rounds < 3;
    if (from_set) continue;
    rounds = 0;
    if (++covers == 8) break;
    std::fill_n(ws.basic.begin(), run.pairs, 0);
    std::fill_n(ws.flipped.begin(), run.pairs, 0);
  }
  if (run.least_broken < infinity)
    std::copy_n(ws.best.data(), run.n, z.data());
  else
    for (int i = 0; i < run.n; ++i) z[i] = run.in_order ? 0 : ws.reference[i];
  if (run.least_broken < nearly) return {Stop::finished, run.pivots};
  if (!ws.ray.empty()) return {Stop::ray, run.pivots};
  return {run.pivots >= run.limit ? Stop::iteration_limit : Stop::stalled, run.pivots};
}

}  // namespace linchpin

#include "linchpin/solvers/pivoting/lemke_units.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "linchpin/algebra/powers_of_two.h"
#include "linchpin/base/check.h"
#include "linchpin/solvers/pivoting/lemke_registers.h"

namespace linchpin::lemke_detail {
namespace {

// Returned for a basic z that is 0 (or negative by rounding): not 0, so that a warm start recognises it as basic, and
// too small to matter to any law; its square is still a normal number. In tiny units it is a small part of the unit.
constexpr double trace = 1e-150, tiny_unit = 1e-50, part_of_unit = 1e-100;

template <class T>
void reserve(AlignedArray<T>& array, std::size_t size) {
  if (array.size() < size) array = AlignedArray<T>(size);
}

template <class T>
void reserve(std::vector<T>& array, std::size_t size) {
  if (array.size() < size) array.resize(size);
}

// Avoids columns a multiple of 4096 bytes apart, which would share a few lines of the cache.
int stride_of(int rows) { return padded(rows) % 64 == 0 ? padded(rows) + lanes : padded(rows); }

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

// The same by the row alone if it is not zero: faster, and as good for matrices that are nearly symmetric.
double row_coupling(const Run& run, int i) {
  const double *row = run.M + std::size_t(i) * run.n, *s = run.ws.scale.data();
  Lanes most = {};
  for (int j = 0; j < run.rows; j += lanes) keep_larger(most, absolute(first_of(row + j, run.rows - j)) * at(s + j));
  const double result = largest(most);
  return result > 0 ? result : coupling(run, i);
}

// Units are limited to 2^+-400, as those of power_of_two(): a product of two is then neither infinite nor zero.
constexpr long long most_half = 400;

// Units: z_i in s_i and w_i in 1 / s_i, with s_i^2 |M_ii| about 1. For semidefinite M no number is then above 1. Powers
// of two, so that nothing is rounded. A row with a zero diagonal, such as the sliding speed of a polyhedral contact,
// takes its unit from its coupling to the others.
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
    LaneMask half = e >> 1;
    half = half > most_half ? most_half - LaneMask{} : half < -most_half ? -most_half - LaneMask{} : half;
    const LaneMask power = (1023 - half) << 52;
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

// Both functions below fill `matrix` with r_i M_ij c_j, r and c the units of w and z, and return whether these are
// good: the largest number of each column (in the second, also of each row) is within these bounds. They only have to
// detect matrices whose diagonal is no measure of their size, such as those of circuits.
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

// For matrices whose diagonal is no measure of their size (circuits): separate units for z and w, by which the largest
// number of each row and of each column of `matrix` comes near 1 [Ruiz 2001].
void rescale_by_rows(Run& run) {
  LemkeWorkspace& ws = run.ws;
  double *r = ws.x.data(), *c = ws.w.data(), *column_most = ws.solved.data();  // the factors by which units change
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
      improve(largest(row_most), r[i]);  // used for columns in the next pass
    }
    for (int j = 0; j < run.rows; ++j) improve(column_most[j], c[j]);
  }
  for (int i = 0; i < run.rows; ++i) {
    ws.row_scale[i] *= r[i];
    ws.scale[i] *= c[i];
  }
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

}  // namespace

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

// Pairs first, then free rows. `reference` (by row of the problem) is the value of z where its pair is 0, `sign` -1
// where z is measured down from its upper bound, `height` the width of the box. A box without bounds is free; one of
// zero width is not an unknown.
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

bool load_matrix(Run& run) {
  LemkeWorkspace& ws = run.ws;
  run.M = run.problem.M.dense_view(ws.unpacked);
  const auto load = [&] { return run.in_order ? load_rows_in_order(run) : load_rows_sorted(run); };
  const auto finite = [&] {
    for (int i = 0; i < run.rows; ++i)
      if (!std::all_of(run.row(i), run.row(i) + run.rows, [](double x) { return std::isfinite(x); })) return false;
    return true;
  };
  const auto copy_units = [&] {  // of z to those of w
    if (!run.in_order)
      for (int i = 0; i < run.rows; ++i) ws.scale[i] *= ws.sign[i];
    for (int i = 0; i < run.rows; i += lanes) at(ws.row_scale.data() + i) = at(ws.scale.data() + i);
  };
  scale_by_diagonal(run);
  copy_units();
  bool good = load();
  if (!good) {
    if (!finite()) {  // numbers far above a tiny diagonal: begin with the problem's own units
      for (int i = 0; i < padded(run.rows); ++i) ws.scale[i] = i < run.rows;
      copy_units();
      load();
    }
    rescale_by_rows(run);
    load();
    good = finite();
  }
  for (int i = run.rows; i < padded(run.rows); ++i) std::fill_n(run.row(i), padded(run.rows), 0.0);
  return good;
}

bool load_vectors(Run& run) {
  LemkeWorkspace& ws = run.ws;
  double* q = ws.q.data();
  if (!run.in_order) shift_q(run);
  const double* from = run.in_order ? run.problem.q.data() : q;
  Lanes most = {}, fault = {};
  for (int i = 0; i < run.rows; i += lanes) {
    at(q + i) = first_of(from + i, run.rows - i) * at(ws.row_scale.data() + i);
    keep_larger(most, absolute(at(q + i)));
    fault += at(q + i) - at(q + i);  // NaN if it is not finite
  }
  // One power of two, not a product of two; a denormal number has too few digits to be a unit.
  constexpr int most_exponent = 1000;
  const double size = largest(most);
  if (bits(fault != 0) || (size > 0 && exponent(size) < -most_exponent)) return false;
  run.unit = size > 0 ? std::ldexp(1.0, std::min(exponent(size), most_exponent)) : 1;
  const double shrink = 1 / run.unit;
  for (int i = 0; i < run.rows; i += lanes) at(q + i) *= shrink;
  if (run.bounded)
    for (int p = 0; p < run.pairs; ++p) ws.height[p] *= shrink / std::abs(ws.scale[p]);
  return true;
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

void write_solution(const Run& run, std::span<double> z) {
  const LemkeWorkspace& ws = run.ws;
  if (run.in_order) {
    for (int i = 0; i < run.n; i += lanes) {
      const Lanes unit = run.unit * at(ws.scale.data() + i);
      const Lanes least = unit < tiny_unit ? part_of_unit * unit : trace - Lanes{};
      Lanes step = at(ws.x.data() + i) * unit;
      step = step > least ? step : least;
      put_first(z.data() + i, run.n - i, at(ws.basic.data() + i) != 0 ? step : Lanes{});
    }
    return;
  }
  for (int i = 0; i < run.n; ++i) z[i] = ws.reference[i];
  for (int p = 0; p < run.pairs; ++p) {
    const int i = ws.order[p];
    const double unit = run.unit * std::abs(ws.scale[p]), step = run.unit * ws.scale[p] * ws.x[p];
    const double least = unit < tiny_unit ? part_of_unit * unit : trace;
    if (ws.height[p] < infinity)
      z[i] = std::clamp(z[i] + step, run.problem.lower[i], run.problem.upper[i]);
    else if (ws.basic[p])
      z[i] += ws.sign[p] * std::max(ws.sign[p] * step, least);
  }
  for (int i = run.pairs; i < run.rows; ++i) z[ws.order[i]] = run.unit * ws.scale[i] * ws.x[i];
}

}  // namespace linchpin::lemke_detail

#include "linchpin/solvers/problem/unsolvable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linchpin/base/check.h"
#include "linchpin/base/index.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/exact_sum.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// The last line of (3) must be negative by this many times its error: the one strict inequality must not be rounding.
constexpr double margin = 1000;

// Whether y has the signs of (2), and is not all 0.
bool allowed(const Problem& problem, std::span<const double> y) {
  bool any = false;
  for (const Block& block : problem.blocks)
    for (int i = block.start; i < block.start + block.size; ++i) {
      if (!std::isfinite(y[i])) return false;
      any |= y[i] != 0;
      if (block.kind == BlockKind::nonnegative && y[i] < 0) return false;
      if (block.kind == BlockKind::box && y[i] != 0) return false;
      if (block.kind == BlockKind::cone && (i == block.start ? y[i] < 0 : y[i] != 0)) return false;
    }
  return any;
}

// The left-hand sides of (3): a sum that must be negative, a bound on its rounding error, and the sum of e in (4).
struct Balance {
  double sum = 0, error = 0, excess = 0;

  void add(double term) {
    sum += term;
    error += std::abs(term);
  }
  // (M'y)_i z over l <= z <= u. Without a bound on the side where it grows, a counts as e.
  void add_box(double a, double l, double u) {
    if (a == 0) return;
    const double bound = a > 0 ? u : l;
    if (std::isinf(bound))
      excess += std::abs(a);
    else
      add(a * bound);
  }
};

}  // namespace

double radius_without_solution(const Problem& problem, std::span<const double> y) {
  check(y.size() == problem.q.size(), "radius_without_solution: y has ", y.size(), " numbers, the problem ",
        problem.q.size());
  if (problem.M.kind() == Matrix::Kind::factored || !allowed(problem, y)) return 0;
  const int n = problem.size();
  std::vector<double> room, a(index(n));
  const double* M = problem.M.dense_view(room);
  for (int j = 0; j < n; ++j) {
    ExactSum sum;
    for (int i = 0; i < n; ++i) sum.add_product(M[index(i) * n + j], y[i]);
    if (!sum.exact()) return 0;
    a[j] = sum.value();  // of the right sign, and 0 only if the sum is
  }
  Balance balance;
  for (int i = 0; i < n; ++i) balance.add(problem.q[i] * y[i]);
  for (const Block& block : problem.blocks) {
    if (block.kind == BlockKind::cone) {
      // Upper bound: the sums and the length are rounded, the length by the square root of a sum.
      const double *at = &a[block.start], length = block.mu * std::hypot(at[1], at[2]);
      balance.excess += std::max(at[0] + length + 8 * epsilon * (std::abs(at[0]) + length) * (length > 0), 0.0);
      continue;
    }
    for (int i = block.start; i < block.start + block.size; ++i) {
      if (block.kind == BlockKind::free) balance.excess += std::abs(a[i]);
      if (block.kind == BlockKind::nonnegative) balance.excess += std::max(a[i], 0.0);
      if (block.kind == BlockKind::box) balance.add_box(a[i], problem.lower[i], problem.upper[i]);
    }
  }
  const double error = (2 * double(n) + 4) * epsilon * balance.error;
  constexpr double ordinary = 1e-270;  // smaller products are rounded to a multiple of the smallest double
  if (!(balance.sum < -margin * error) || !(balance.sum < -ordinary) || !std::isfinite(balance.sum)) return 0;
  if (balance.excess == 0) return infinity;
  const double radius = -balance.sum * (1 - 2 / margin) / balance.excess;  // less than its own rounding error
  return std::min(radius, std::numeric_limits<double>::max());
}

bool certifies_unsolvable(const Problem& problem, std::span<const double> y) {
  return radius_without_solution(problem, y) == infinity;
}

namespace {

// The smallest d for which d x is an integer up to rounding, by the continued fraction of x in [0, 1]; 0 if there is
// none up to `most`. y is a solution of linear equations with an error of some 1e-15.
double denominator(double x, double most) {
  constexpr double rounding = 1e-12;
  double before = 0, d = 1, rest = x;  // denominators of the last two convergents
  while (std::abs(x * d - std::round(x * d)) > rounding * d) {
    if (!(rest > rounding)) return 0;
    rest = 1 / rest;
    const double whole = std::floor(rest), next = whole * d + before;
    rest -= whole;
    before = std::exchange(d, next);
    if (!(d <= most)) return 0;
  }
  return d;
}

}  // namespace

bool round_to_integers(std::span<double> y) {
  // Every number is within 1 / d^2 of a fraction of denominator d: larger ones than 1e5 would be coincidences.
  constexpr double most = 1e5, most_common = 1e12;
  double largest = 0, common = 1;
  for (const double x : y) largest = std::max(largest, std::abs(x));
  if (!(largest > 0 && std::isfinite(largest))) return false;
  for (const double x : y) {
    if (std::isnan(x)) return false;
    const double d = denominator(std::abs(x) / largest, most);
    if (d == 0) return false;
    common = double(std::lcm(std::int64_t(common), std::int64_t(d)));
    if (!(common <= most_common)) return false;
  }
  for (double& x : y) x = std::round(x / largest * common);
  return true;
}

}  // namespace linchpin

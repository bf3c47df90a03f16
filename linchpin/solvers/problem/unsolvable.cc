#include "linchpin/solvers/problem/unsolvable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
// The last line of (3) must be negative by this many times its error: the one strict inequality must not be rounding.
constexpr double margin = 1000;

// A computed number and a bound on its error.
struct Bounded {
  double value = 0, error = 0;
};

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

// M'y with error bounds: a sum of n products has an error of at most n + 1 half units in the last place of the sum of
// their magnitudes. M itself is hardly more exact: it was computed as a product of matrices, and is semidefinite only
// up to such an error. Sixteen times that bound is allowed for both, and more if M is computed here.
std::vector<Bounded> transposed_product(const Problem& problem, std::span<const double> y) {
  const int n = problem.size();
  std::vector<double> M(std::size_t(n) * std::size_t(n));
  problem.M.to_dense(M.data(), n);
  std::vector<Bounded> product(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (y[i] == 0) continue;
    for (int j = 0; j < n; ++j) {
      const double term = M[std::size_t(i) * n + j] * y[i];
      product[j].value += term;
      product[j].error += std::abs(term);
    }
  }
  const double share = (problem.M.kind() == Matrix::Kind::factored ? 64 : 16) * (n + 2) * epsilon;
  for (Bounded& number : product) number.error *= share;
  return product;
}

Bounded dot(std::span<const double> a, std::span<const double> b) {
  Bounded sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum.value += a[i] * b[i];
    sum.error += std::abs(a[i] * b[i]);
  }
  sum.error *= (double(a.size()) + 2) * epsilon;
  return sum;
}

// Adds the largest value of a z over z in [l, u] to `sum`.
void add_most(const Bounded& a, double l, double u, Bounded& sum) {
  const double bound = a.value > 0 ? u : l;
  const bool sure = std::abs(a.value) > a.error;          // the sign of a is certain
  if (!sure && (std::isinf(l) || std::isinf(u))) return;  // a counts as 0, as on free rows
  sum.value += a.value * bound;
  sum.error +=
      a.error * (sure ? std::abs(bound) : std::max(std::abs(l), std::abs(u))) + epsilon * std::abs(a.value * bound);
}

}  // namespace

bool certifies_unsolvable(const Problem& problem, std::span<const double> y) {
  check(y.size() == problem.q.size(), "certifies_unsolvable: y has ", y.size(), " numbers, the problem ",
        problem.q.size());
  if (!allowed(problem, y)) return false;
  const std::vector<Bounded> My = transposed_product(problem, y);
  Bounded most = dot(problem.q, y);
  for (const Block& block : problem.blocks) {
    if (block.kind == BlockKind::cone) {
      const Bounded &N = My[block.start], &T1 = My[block.start + 1], &T2 = My[block.start + 2];
      const double error = N.error + block.mu * (T1.error + T2.error);
      if (!(N.value + block.mu * std::hypot(T1.value, T2.value) <= error)) return false;
      continue;
    }
    for (int i = block.start; i < block.start + block.size; ++i) {
      if (block.kind == BlockKind::free && !(std::abs(My[i].value) <= My[i].error)) return false;
      if (block.kind == BlockKind::nonnegative && !(My[i].value <= My[i].error)) return false;
      if (block.kind == BlockKind::box) add_most(My[i], problem.lower[i], problem.upper[i], most);
    }
  }
  return most.value < -margin * most.error && std::abs(most.value) < infinity;
}

}  // namespace linchpin

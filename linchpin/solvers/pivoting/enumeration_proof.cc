#include "linchpin/solvers/pivoting/enumeration_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/algebra/powers_of_two.h"
#include "linchpin/base/index.h"
#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting/simplex.h"
#include "linchpin/solvers/problem/exact_sum.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {
namespace {

constexpr int most_rows = 32;  // free ones included: each choice takes the cube of them, in long double
constexpr long double epsilon = std::numeric_limits<long double>::epsilon();

// Of a row: z = 0, w = 0, or not chosen yet: z >= 0 and w >= 0.
enum RowState { row_at_bound, row_inside, row_open };

struct Refutation {
  const Problem& problem;
  EnumerationProofWorkspace& ws;
  int n;
  std::vector<int>& state;  // by row
  bool is_free(int row) const {
    for (const Block& b : problem.blocks)
      if (row < b.start + b.size) return b.kind == BlockKind::free;
    return false;
  }
};

// M and q in units by powers of two, exactly. False if a number would be rounded.
bool load(Refutation& proof) {
  EnumerationProofWorkspace& ws = proof.ws;
  const std::size_t n = index(proof.n);
  for (auto* numbers : {&ws.M, &ws.inverse}) numbers->resize(n * n);
  for (auto* numbers : {&ws.q, &ws.scale, &ws.z, &ws.y}) numbers->resize(n);
  for (auto* numbers : {&ws.state, &ws.rows}) numbers->resize(n);
  ws.block.resize(2 * n * n);
  ws.tableau.resize(n * (3 * n + 1));
  ws.basis.resize(n);
  proof.problem.M.to_dense(ws.M.data(), proof.n);
  for (std::size_t i = 0; i < n; ++i) {
    double most = 0;
    for (std::size_t j = 0; j < n; ++j) most = std::max({most, std::abs(ws.M[i * n + j]), std::abs(ws.M[j * n + i])});
    ws.scale[i] = most > 0 ? power_of_two(-(exponent(most) / 2)) : 1;
  }
  const auto times = [](double& x, double factor) {
    const double before = x;
    x *= factor;
    return before == 0 || (std::isnormal(x) && x / factor == before);
  };
  bool exact = true;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) exact &= times(ws.M[i * n + j], ws.scale[i] * ws.scale[j]);
    ws.q[i] = proof.problem.q[i];
    exact &= times(ws.q[i], ws.scale[i]);
  }
  return exact;
}

// The approximate inverse of M_aa, k x k, by elimination with the largest pivot of each column. False if singular.
bool invert(EnumerationProofWorkspace& ws, int n, int k) {
  long double* A = ws.block.data();  // [M_aa 1]
  const int width = 2 * k;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      A[i * width + j] = ws.M[ws.rows[i] * n + ws.rows[j]];
      A[i * width + k + j] = i == j;
    }
  for (int p = 0; p < k; ++p) {
    int best = p;
    for (int i = p + 1; i < k; ++i)
      if (std::abs(A[i * width + p]) > std::abs(A[best * width + p])) best = i;
    if (!(std::abs(A[best * width + p]) > 0)) return false;
    for (int j = 0; j < width; ++j) std::swap(A[p * width + j], A[best * width + j]);
    const long double pivot = A[p * width + p];
    for (int j = 0; j < width; ++j) A[p * width + j] /= pivot;
    for (int i = 0; i < k; ++i) {
      const long double m = A[i * width + p];
      if (i == p || m == 0) continue;
      for (int j = 0; j < width; ++j) A[i * width + j] -= m * A[p * width + j];
    }
  }
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) ws.inverse[i * k + j] = double(A[i * width + k + j]);
  return true;
}

// A sum and a bound on its rounding error: each of `terms` operations rounds by half an epsilon of at most the sum of
// magnitudes.
struct Bounded {
  long double value = 0, size = 0;
  void add(long double x) {
    value += x;
    size += std::abs(x);
  }
  long double error(int terms) const { return (terms + 4) * epsilon * size; }
};

// (1): whether the choice has exactly one solution of its equations, which violates a law.
bool refuted_by_bounds(const Refutation& proof, int k) {
  EnumerationProofWorkspace& ws = proof.ws;
  const int n = proof.n;
  if (!invert(ws, n, k)) return false;
  const auto M = [&](int i, int j) { return (long double)(ws.M[ws.rows[i] * n + ws.rows[j]]); };
  long double alpha = 0;
  for (int i = 0; i < k; ++i) {
    long double row = 0;
    for (int j = 0; j < k; ++j) {
      Bounded sum;
      sum.add(i == j);
      for (int l = 0; l < k; ++l) sum.add(-ws.inverse[i * k + l] * M(l, j));
      row += std::abs(sum.value) + sum.error(k);
    }
    if (!(row < 0.25L)) return false;
    alpha = std::max(alpha, row);
  }
  for (int i = 0; i < k; ++i) {
    long double z = 0;
    for (int j = 0; j < k; ++j) z -= (long double)(ws.inverse[i * k + j]) * ws.q[ws.rows[j]];
    ws.z[i] = double(z);
  }
  long double* const residual = ws.block.data();  // upper bounds on |q + M z~|, then on |z - z~|
  long double* const bound = residual + k;
  long double most = 0;
  for (int i = 0; i < k; ++i) {
    Bounded sum;
    sum.add(ws.q[ws.rows[i]]);
    for (int j = 0; j < k; ++j) sum.add(M(i, j) * ws.z[j]);
    residual[i] = std::abs(sum.value) + sum.error(k);
  }
  for (int i = 0; i < k; ++i) {
    bound[i] = 0;
    for (int j = 0; j < k; ++j) bound[i] += std::abs(ws.inverse[i * k + j]) * residual[j];
    most = std::max(most, bound[i]);
  }
  constexpr long double rounding = 1 + 1e-10L;  // of the bounds themselves
  for (int i = 0; i < k; ++i) bound[i] = (bound[i] + 2 * alpha * most) * rounding;
  for (int i = 0; i < k; ++i)
    if (!proof.is_free(ws.rows[i]) && ws.z[i] + bound[i] < 0) return true;
  for (int b = 0; b < n; ++b) {
    if (proof.state[b] != row_at_bound) continue;
    Bounded w;
    w.add(ws.q[b]);
    long double off = 0;
    for (int j = 0; j < k; ++j) {
      const long double m = ws.M[b * n + ws.rows[j]];
      w.add(m * ws.z[j]);
      off += std::abs(m) * bound[j];
    }
    if (w.value + (off + w.error(k)) * rounding < 0) return true;
  }
  return false;
}

// The choice as a programme: M_aa z_a = -q_a and M_ba z_a - w_b = -q_b, with z = y - y' on free rows; rows not chosen
// yet have both z and w. Row i of the programme is row i of the problem, with the sign of its right-hand side.
Programme programme_of(const Refutation& proof, int k) {
  EnumerationProofWorkspace& ws = proof.ws;
  const int n = proof.n, columns = 2 * n;
  std::fill(ws.tableau.begin(), ws.tableau.end(), 0.0);
  const Programme lp{ws.tableau.data(), ws.basis.data(), n, columns};
  const int last = lp.width() - 1;
  for (int i = 0; i < n; ++i) {
    const double sign = ws.q[i] > 0 ? -1 : 1;
    for (int j = 0; j < k; ++j) {
      lp.at(i, j) = sign * ws.M[i * n + ws.rows[j]];
      if (proof.is_free(ws.rows[j])) lp.at(i, n + ws.rows[j]) = -lp.at(i, j);
    }
    if (proof.state[i] != row_inside) lp.at(i, n + i) = -sign;
    lp.at(i, last) = sign * -ws.q[i];
    lp.at(i, columns + i) = 1;
    ws.basis[i] = columns + i;
  }
  return lp;
}

// (2), exactly, in the numbers of the problem.
bool contradicts(const Refutation& proof, int k) {
  EnumerationProofWorkspace& ws = proof.ws;
  const int n = proof.n;
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(ws.y[i]) || (proof.state[i] != row_inside && ws.y[i] < 0)) return false;
  ExactSum qy;
  for (int i = 0; i < n; ++i) qy.add_product(ws.q[i], ws.y[i]);
  if (!qy.exact() || qy.sign() >= 0) return false;
  for (int j = 0; j < k; ++j) {
    ExactSum sum;
    for (int i = 0; i < n; ++i) sum.add_product(ws.M[i * n + ws.rows[j]], ws.y[i]);
    if (!sum.exact() || (proof.is_free(ws.rows[j]) ? sum.sign() != 0 : sum.sign() > 0)) return false;
  }
  return true;
}

bool refuted_by_combination(const Refutation& proof, int k) {
  EnumerationProofWorkspace& ws = proof.ws;
  const Programme lp = programme_of(proof, k);
  simplex_phase_one(lp);
  // The multipliers of the sum of artificial variables.
  for (int i = 0; i < proof.n; ++i) {
    double sum = 0;
    for (int r = 0; r < proof.n; ++r)
      if (lp.basis[r] >= lp.columns) sum += lp.at(r, lp.columns + i);
    ws.y[i] = ws.q[i] > 0 ? -sum : sum;
    if (std::abs(ws.y[i]) < 1e-12) ws.y[i] = 0;
  }
  if (contradicts(proof, k)) return true;
  // Integers in the problem's own units.
  for (int i = 0; i < proof.n; ++i) ws.y[i] *= ws.scale[i];
  if (!round_to_integers(ws.y)) return false;
  for (int i = 0; i < proof.n; ++i) ws.y[i] /= ws.scale[i];
  return contradicts(proof, k);
}

// The next choice of rows inside; false after the last.
bool next_choice(const Refutation& proof) {
  for (int i = 0; i < proof.n; ++i) {
    if (proof.is_free(i)) continue;
    if (proof.state[i] == row_at_bound) return proof.state[i] = row_inside, true;
    proof.state[i] = row_at_bound;
  }
  return false;
}

}  // namespace

bool enumeration_proves_unsolvable(const Problem& problem, EnumerationProofWorkspace& ws) {
  int choices = 0;
  for (const Block& b : problem.blocks) {
    if (b.kind != BlockKind::free && b.kind != BlockKind::nonnegative) return false;
    if (b.kind == BlockKind::nonnegative) choices += b.size;
  }
  if (problem.M.kind() == Matrix::Kind::factored || choices > largest_enumeration || problem.size() > most_rows)
    return false;
  Refutation proof{problem, ws, problem.size(), ws.state};
  if (!load(proof)) return false;
  const auto choose = [&](RowState other) {
    for (int i = 0; i < proof.n; ++i) ws.state[i] = proof.is_free(i) ? row_inside : other;
  };
  // The rows whose z need not be 0.
  const auto list_rows = [&] {
    int k = 0;
    for (int i = 0; i < proof.n; ++i)
      if (ws.state[i] != row_at_bound) ws.rows[k++] = i;
    return k;
  };
  choose(row_open);  // all choices at once
  if (refuted_by_combination(proof, list_rows())) return true;
  choose(row_at_bound);
  do {
    const int k = list_rows();
    if (!refuted_by_bounds(proof, k) && !refuted_by_combination(proof, k)) return false;
  } while (next_choice(proof));
  return true;
}

}  // namespace linchpin

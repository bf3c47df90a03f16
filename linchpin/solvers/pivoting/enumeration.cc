#include "linchpin/solvers/pivoting/enumeration.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/base/infinity.h"
#include "linchpin/solvers/pivoting/simplex.h"

namespace linchpin {
namespace {

// In units in which M and q are about 1:
constexpr double lawful = 1e-11;     // a law violated by less is rounding
constexpr double dependent = 1e-11;  // pivots below this share of the largest are 0
constexpr double same = 1e-8;        // solutions nearer than this count as one: several choices may give it

enum State { at_lower, inside, at_upper };

struct Search {
  const Problem& problem;
  EnumerationWorkspace& ws;
  int n;
  double unit = 1;  // of q
};

// Units: z_i in s_i and w_i in 1 / s_i, such that no number of M is above 1; the largest |q_i| becomes 1.
void scale(Search& search) {
  EnumerationWorkspace& ws = search.ws;
  const int n = search.n;
  const std::size_t size = std::size_t(n) * std::size_t(n);
  for (auto* numbers : {&ws.M, &ws.block}) numbers->resize(size);
  for (auto* numbers : {&ws.q, &ws.scale, &ws.lower, &ws.upper, &ws.rhs, &ws.z, &ws.w}) numbers->resize(n);
  for (auto* numbers : {&ws.state, &ws.rows, &ws.columns}) numbers->resize(n);
  ws.tableau.reserve(2 * std::size_t(n) * (4 * std::size_t(n) + 1));
  ws.basis.reserve(2 * std::size_t(n));
  search.problem.M.to_dense(ws.M.data(), n);
  for (int i = 0; i < n; ++i) {
    double most = 0;
    for (int j = 0; j < n; ++j) most = std::max({most, std::abs(ws.M[i * n + j]), std::abs(ws.M[j * n + i])});
    ws.scale[i] = most > 0 ? 1 / std::sqrt(most) : 1;
  }
  double most = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) ws.M[i * n + j] *= ws.scale[i] * ws.scale[j];
    ws.q[i] = search.problem.q[i] * ws.scale[i];
    most = std::max(most, std::abs(ws.q[i]));
  }
  search.unit = most > 0 ? most : 1;
  for (double& q : ws.q) q /= search.unit;
}

// The bounds of every row, and its first state: at a bound if it has one; free rows are always inside.
void read_laws(Search& search) {
  EnumerationWorkspace& ws = search.ws;
  int bounded = 0;
  for (const Block& block : search.problem.blocks) {
    check(block.kind != BlockKind::cone, "enumeration: a cone at row ", block.start,
          "; it takes free, nonnegative and box");
    for (int i = block.start; i < block.start + block.size; ++i) {
      ws.lower[i] = block.kind == BlockKind::free  ? -infinity
                    : block.kind == BlockKind::box ? search.problem.lower[i]
                                                   : 0;
      ws.upper[i] = block.kind == BlockKind::box ? search.problem.upper[i] : infinity;
      ws.lower[i] /= ws.scale[i] * search.unit;
      ws.upper[i] /= ws.scale[i] * search.unit;
      ws.state[i] = ws.lower[i] > -infinity ? at_lower : inside;
      bounded += ws.lower[i] > -infinity || ws.upper[i] < infinity;
    }
  }
  check(bounded <= largest_enumeration, "enumeration: ", bounded, " rows that are not free; at most ",
        largest_enumeration, " are tried");
}

// The next choice, counting with the first row as the lowest digit. False after the last.
bool next_choice(EnumerationWorkspace& ws, int n) {
  for (int i = 0; i < n; ++i) {
    const int last = ws.lower[i] == ws.upper[i] ? at_lower : ws.upper[i] < infinity ? at_upper : inside;
    if (ws.state[i] < last) return ++ws.state[i], true;
    ws.state[i] = ws.lower[i] > -infinity ? at_lower : inside;
  }
  return false;
}

// Brings the k x k matrix A, with right-hand side b, to the form [1 B; 0 0] by exchanging rows and columns; columns[j]
// says which column came to place j. Returns the rank.
int eliminate(double* A, double* b, int* columns, int k) {
  for (int j = 0; j < k; ++j) columns[j] = j;
  double first = 0;
  for (int p = 0; p < k; ++p) {
    int row = p, column = p;
    for (int i = p; i < k; ++i)
      for (int j = p; j < k; ++j)
        if (std::abs(A[i * k + j]) > std::abs(A[row * k + column])) row = i, column = j;
    const double pivot = A[row * k + column];
    if (p == 0) first = std::abs(pivot);
    if (!(std::abs(pivot) > dependent * first) || pivot == 0) return p;
    for (int j = 0; j < k; ++j) std::swap(A[p * k + j], A[row * k + j]);
    for (int i = 0; i < k; ++i) std::swap(A[i * k + p], A[i * k + column]);
    std::swap(b[p], b[row]);
    std::swap(columns[p], columns[column]);
    for (int j = p; j < k; ++j) A[p * k + j] /= pivot;
    b[p] /= pivot;
    for (int i = 0; i < k; ++i) {
      const double m = A[i * k + p];
      if (i == p || m == 0) continue;
      for (int j = p; j < k; ++j) A[i * k + j] -= m * A[p * k + j];
      b[i] -= m * b[p];
    }
  }
  return k;
}

void find_w(EnumerationWorkspace& ws, int n) {
  for (int i = 0; i < n; ++i) {
    ws.w[i] = ws.q[i];
    for (int j = 0; j < n; ++j) ws.w[i] += ws.M[i * n + j] * ws.z[j];
  }
}

// z and w of the current choice by (1). Returns whether M_aa is singular: z is then one of many, with zeros for the
// missing rank, or not a solution of (1), if that has none, which shows in w.
bool solve_choice(EnumerationWorkspace& ws, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    ws.z[i] = ws.state[i] == at_lower ? ws.lower[i] : ws.state[i] == at_upper ? ws.upper[i] : 0;
    if (ws.state[i] == inside) ws.rows[k++] = i;
  }
  for (int s = 0; s < k; ++s) {
    const double* row = &ws.M[ws.rows[s] * n];
    ws.rhs[s] = -ws.q[ws.rows[s]];
    for (int j = 0; j < n; ++j) ws.rhs[s] -= row[j] * ws.z[j];
    for (int t = 0; t < k; ++t) ws.block[s * k + t] = row[ws.rows[t]];
  }
  const int rank = eliminate(ws.block.data(), ws.rhs.data(), ws.columns.data(), k);
  for (int t = 0; t < k; ++t) ws.z[ws.rows[ws.columns[t]]] = t < rank ? ws.rhs[t] : 0;
  find_w(ws, n);
  return rank < k;
}

// The largest violation of a law by z and w.
double broken(const EnumerationWorkspace& ws, int n) {
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double by = ws.lower[i] == ws.upper[i] ? 0
                      : ws.state[i] == at_lower  ? -ws.w[i]
                      : ws.state[i] == at_upper
                          ? ws.w[i]
                          : std::max({std::abs(ws.w[i]), ws.lower[i] - ws.z[i], ws.z[i] - ws.upper[i]});
    if (std::isnan(by)) return infinity;
    worst = std::max(worst, by);
  }
  return worst;
}

// The current choice as a programme: M z - w = -q, with two unknowns y for each row of the problem. Inside: z - l and
// u - z, whose sum is u - l, if there are both bounds; z = y - y' if there is none. At a bound: |w|, or w = y - y' if
// it may have any sign.
Programme programme_of_choice(EnumerationWorkspace& ws, int n) {
  const int rows = 2 * n, columns = 2 * n;
  const Programme lp{nullptr, nullptr, rows, columns};
  ws.tableau.assign(std::size_t(rows) * std::size_t(lp.width()), 0.0);
  ws.basis.resize(rows);
  const Programme result{ws.tableau.data(), ws.basis.data(), rows, columns};
  const int last = result.width() - 1;
  for (int i = 0; i < n; ++i) result.at(i, last) = -ws.q[i];
  for (int j = 0; j < n; ++j) {
    const double l = ws.lower[j], u = ws.upper[j];
    const bool from_l = l > -infinity, from_u = u < infinity;
    if (ws.state[j] == inside) {
      const double start = from_l ? l : from_u ? u : 0, sign = from_l || !from_u ? 1 : -1;
      for (int i = 0; i < n; ++i) {
        result.at(i, last) -= ws.M[i * n + j] * start;
        result.at(i, 2 * j) = sign * ws.M[i * n + j];
        if (!from_l && !from_u) result.at(i, 2 * j + 1) = -ws.M[i * n + j];
      }
      if (from_l && from_u) {
        result.at(n + j, 2 * j) = result.at(n + j, 2 * j + 1) = 1;
        result.at(n + j, last) = u - l;
      }
    } else {
      const double z = ws.state[j] == at_lower ? l : u;
      for (int i = 0; i < n; ++i) result.at(i, last) -= ws.M[i * n + j] * z;
      result.at(j, 2 * j) = ws.state[j] == at_lower ? -1 : 1;
      if (l == u) result.at(j, 2 * j + 1) = -result.at(j, 2 * j);
    }
  }
  for (int i = 0; i < rows; ++i) {
    if (result.at(i, last) < 0)
      for (int j = 0; j <= last; ++j) result.at(i, j) = -result.at(i, j);
    result.at(i, columns + i) = 1;
    result.basis[i] = columns + i;
  }
  return result;
}

// For a choice with singular M_aa: finds a z that obeys the laws, if there is one.
void search_choice(EnumerationWorkspace& ws, int n) {
  const Programme lp = programme_of_choice(ws, n);
  simplex_phase_one(lp);
  for (int j = 0; j < n; ++j)
    if (ws.state[j] == inside)
      ws.z[j] = ws.lower[j] > -infinity ? ws.lower[j] : ws.upper[j] < infinity ? ws.upper[j] : 0;
  for (int i = 0; i < lp.rows; ++i) {
    const int j = lp.basis[i] / 2;
    if (lp.basis[i] >= lp.columns || ws.state[j] != inside) continue;
    const bool from_u = ws.lower[j] == -infinity && ws.upper[j] < infinity, second = lp.basis[i] % 2 == 1;
    const bool bounded = ws.lower[j] > -infinity;
    if (second && bounded) continue;  // u - z follows from z - l
    ws.z[j] += (from_u || second ? -1 : 1) * lp.at(i, lp.width() - 1);
  }
  find_w(ws, n);
}

// Computes z and w of the current choice. Returns their largest violation of a law.
double try_choice(EnumerationWorkspace& ws, int n) {
  const bool singular = solve_choice(ws, n);
  double by = broken(ws, n);
  if (!singular || by <= lawful) return by;
  for (int i = 0; i < n; ++i)
    if (ws.state[i] == inside && std::abs(ws.w[i]) > 1e-8) return by;  // (1) has no solution
  search_choice(ws, n);
  return broken(ws, n);
}

void write(const Search& search, std::span<double> z) {
  const EnumerationWorkspace& ws = search.ws;
  for (int i = 0; i < search.n; ++i) z[i] = std::clamp(ws.z[i], ws.lower[i], ws.upper[i]) * ws.scale[i] * search.unit;
  for (const Block& block : search.problem.blocks)  // the exact bounds, without the rounding of scaling there and back
    for (int i = block.start; i < block.start + block.size && block.kind == BlockKind::box; ++i)
      z[i] = ws.state[i] == at_lower || z[i] < search.problem.lower[i]   ? search.problem.lower[i]
             : ws.state[i] == at_upper || z[i] > search.problem.upper[i] ? search.problem.upper[i]
                                                                         : z[i];
}

Search begin(const Problem& problem, EnumerationWorkspace& ws) {
  Search search{problem, ws, problem.size()};
  scale(search);
  read_laws(search);
  return search;
}

}  // namespace

Outcome enumeration(const Problem& problem, const SolverOptions& options, EnumerationWorkspace& ws,
                    std::span<double> z) {
  check(z.size() == problem.q.size(), "enumeration: z has ", z.size(), " numbers, the problem ", problem.q.size());
  const Search search = begin(problem, ws);
  double least = infinity;
  int tried = 0;
  do {
    if (options.max_iterations > 0 && tried == options.max_iterations) return {Stop::iteration_limit, tried};
    ++tried;
    const double now = try_choice(ws, search.n);
    if (now < least || tried == 1) {
      least = now;
      write(search, z);
    }
    if (now <= lawful) return {Stop::finished, tried};
  } while (next_choice(ws, search.n));
  return {Stop::exhausted, tried};
}

int count_solutions(const Problem& problem, EnumerationWorkspace& ws) {
  const Search search = begin(problem, ws);
  const std::size_t n = std::size_t(search.n);
  ws.found.clear();
  int count = 0;
  do {
    if (try_choice(ws, search.n) > lawful) continue;
    bool known = false;
    for (int s = 0; s < count && !known; ++s) {
      double distance = 0, size = 1;
      for (std::size_t i = 0; i < n; ++i) {
        distance = std::max(distance, std::abs(ws.found[std::size_t(s) * n + i] - ws.z[i]));
        size = std::max(size, std::abs(ws.z[i]));
      }
      known = distance <= same * size;
    }
    if (known) continue;
    ws.found.insert(ws.found.end(), ws.z.begin(), ws.z.end());
    ++count;
  } while (next_choice(ws, search.n));
  return count;
}

}  // namespace linchpin

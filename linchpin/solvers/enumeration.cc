#include "linchpin/solvers/enumeration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double lawful = 1e-11;     // laws broken by less, in units where M and q are about 1, are rounding
constexpr double dependent = 1e-11;  // pivots below this part of the largest are 0
constexpr double same = 1e-8;        // solutions nearer than this are one, told from several choices

enum State { at_lower, inside, at_upper };

struct Search {
  const Problem& problem;
  EnumerationWorkspace& ws;
  int n;
  double unit = 1;  // of q
};

// z_i in s_i and w_i in 1 / s_i, such that no number of M is above 1; the largest |q_i| becomes 1.
void scale(Search& search) {
  EnumerationWorkspace& ws = search.ws;
  const int n = search.n;
  const std::size_t size = std::size_t(n) * std::size_t(n);
  for (auto* numbers : {&ws.M, &ws.block, &ws.gram}) numbers->resize(size);
  for (auto* numbers : {&ws.q, &ws.scale, &ws.lower, &ws.upper, &ws.rhs, &ws.z, &ws.w})
    numbers->resize(std::size_t(n));
  for (auto* numbers : {&ws.state, &ws.rows, &ws.columns}) numbers->resize(std::size_t(n));
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

// Bounds of every row, and the state in which it begins: at a bound it has, free rows inside for good.
void read_laws(Search& search) {
  EnumerationWorkspace& ws = search.ws;
  int bounded = 0;
  for (const Block& block : search.problem.blocks) {
    check(block.kind != BlockKind::cone, "enumeration: a cone at row ", block.start,
          "; it takes free, nonnegative and box");
    for (int i = block.start; i < block.start + block.size; ++i) {
      ws.lower[i] = block.kind == BlockKind::free ? -infinity : block.kind == BlockKind::box ? search.problem.lower[i] : 0;
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
    const int last = ws.upper[i] < infinity ? at_upper : inside;
    if (ws.state[i] < last) return ++ws.state[i], true;
    ws.state[i] = ws.lower[i] > -infinity ? at_lower : inside;
  }
  return false;
}

// Brings the k x k matrix A, with right-hand side b, to the form [1 B; 0 0] by exchanging rows and columns; columns[j] says
// which column came to place j. Returns the rank.
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

// The shortest x with x_1 + B x_2 = b, into b: (1 + B'B) x_2 = B'b. B has r rows and k - r columns.
void shorten(const double* A, double* gram, double* b, int r, int k) {
  const int m = k - r;
  for (int i = 0; i < m; ++i) {
    b[r + i] = 0;
    for (int t = 0; t < r; ++t) b[r + i] += A[t * k + r + i] * b[t];
    for (int j = 0; j < m; ++j) {
      double sum = i == j ? 1 : 0;
      for (int t = 0; t < r; ++t) sum += A[t * k + r + i] * A[t * k + r + j];
      gram[i * m + j] = sum;
    }
  }
  for (int p = 0; p < m; ++p)  // positive definite: no exchanges needed
    for (int i = 0; i < m; ++i) {
      if (i == p) continue;
      const double l = gram[i * m + p] / gram[p * m + p];
      for (int j = p; j < m; ++j) gram[i * m + j] -= l * gram[p * m + j];
      b[r + i] -= l * b[r + p];
    }
  for (int i = 0; i < m; ++i) b[r + i] /= gram[i * m + i];
  for (int t = 0; t < r; ++t)
    for (int i = 0; i < m; ++i) b[t] -= A[t * k + r + i] * b[r + i];
}

// z and w of the present choice by (1). In singular cases z is the shortest, whether (1) is then met is seen in w.
void solve_choice(EnumerationWorkspace& ws, int n) {
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
  if (rank < k) shorten(ws.block.data(), ws.gram.data(), ws.rhs.data(), rank, k);
  for (int t = 0; t < k; ++t) ws.z[ws.rows[ws.columns[t]]] = ws.rhs[t];
  for (int i = 0; i < n; ++i) {
    ws.w[i] = ws.q[i];
    for (int j = 0; j < n; ++j) ws.w[i] += ws.M[i * n + j] * ws.z[j];
  }
}

// By how much z and w break the worst law.
double broken(const EnumerationWorkspace& ws, int n) {
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double by = ws.lower[i] == ws.upper[i]   ? 0
                      : ws.state[i] == at_lower    ? -ws.w[i]
                      : ws.state[i] == at_upper    ? ws.w[i]
                                                   : std::max({std::abs(ws.w[i]), ws.lower[i] - ws.z[i], ws.z[i] - ws.upper[i]});
    if (std::isnan(by)) return infinity;
    worst = std::max(worst, by);
  }
  return worst;
}

void write(const Search& search, std::span<double> z) {
  const EnumerationWorkspace& ws = search.ws;
  for (int i = 0; i < search.n; ++i)
    z[i] = std::clamp(ws.z[i], ws.lower[i], ws.upper[i]) * ws.scale[i] * search.unit;
  for (const Block& block : search.problem.blocks)  // the bounds themselves, not what scaling there and back made of them
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

Outcome enumeration(const Problem& problem, const SolverOptions& options, EnumerationWorkspace& ws, std::span<double> z) {
  check(z.size() == problem.q.size(), "enumeration: z has ", z.size(), " numbers, the problem ", problem.q.size());
  const Search search = begin(problem, ws);
  double least = infinity;
  int tried = 0;
  do {
    if (options.max_iterations > 0 && tried == options.max_iterations) return {Stop::iteration_limit, tried};
    ++tried;
    solve_choice(ws, search.n);
    const double now = broken(ws, search.n);
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
    solve_choice(ws, search.n);
    if (broken(ws, search.n) > lawful) continue;
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

#include "linchpin/solvers/problem.h"

#include <cmath>
#include <numbers>
#include <sstream>

namespace linchpin {
namespace {

template <class... Parts>
Error error(const Parts&... parts) {
  std::ostringstream message;
  message.precision(17);
  (message << ... << parts);
  return {message.str()};
}

std::size_t index(int i) { return std::size_t(i); }

// The directions of friction, evenly spread: opposite ones come in pairs since their number is even.
double direction(int k, int directions, bool second) {
  const double angle = 2 * std::numbers::pi * k / directions;
  return second ? std::sin(angle) : std::cos(angle);
}

// Where the rows of a block begin once each cone has become directions + 2 rows.
std::vector<int> polyhedral_starts(const Problem& conic, int directions) {
  std::vector<int> start{0};
  for (const Block& b : conic.blocks)
    start.push_back(start.back() + (b.kind == BlockKind::cone ? directions + 2 : b.size));
  return start;
}

}  // namespace

std::string_view name(BlockKind kind) {
  switch (kind) {
    case BlockKind::free:
      return "free";
    case BlockKind::nonnegative:
      return "nonnegative";
    case BlockKind::box:
      return "box";
    case BlockKind::cone:
      return "cone";
  }
  return "unknown";
}

std::optional<Error> find_fault(const Problem& problem) {
  const int n = problem.size();
  if (problem.M.size() != n) return error("M has ", problem.M.size(), " rows, q has ", n);
  if (!problem.M.finite()) return error("M has entries that are not finite");
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(problem.q[index(i)])) return error("q of row ", i, " is ", problem.q[index(i)]);
  int row = 0;
  bool boxes = false;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    if (block.start != row || block.size < 1)
      return error("block ", b, " has ", block.size, " rows from row ", block.start, "; the rows so far end at ", row);
    if (block.kind == BlockKind::cone && block.size != 3)
      return error("block ", b, " is a cone of ", block.size, " rows instead of 3");
    if (block.kind == BlockKind::cone && !(block.mu >= 0 && std::isfinite(block.mu)))
      return error("block ", b, " is a cone with mu = ", block.mu);
    row += block.size;
    if (row > n) return error("block ", b, " ends at row ", row, " of ", n);
    if (block.kind != BlockKind::box) continue;
    boxes = true;
    if (problem.lower.size() != index(n) || problem.upper.size() != index(n))
      return error("block ", b, " is a box, and there are ", problem.lower.size(), " lower and ", problem.upper.size(),
                   " upper bounds for ", n, " rows");
    for (int i = block.start; i < row; ++i)
      if (!(problem.lower[index(i)] <= problem.upper[index(i)]) || problem.lower[index(i)] == HUGE_VAL ||
          problem.upper[index(i)] == -HUGE_VAL)
        return error("bounds of row ", i, " are ", problem.lower[index(i)], " and ", problem.upper[index(i)]);
  }
  if (row != n) return error("the blocks end at row ", row, " of ", n);
  if (!boxes && (!problem.lower.empty() || !problem.upper.empty())) return error("there are bounds but no box");
  return {};
}

Problem linear_complementarity(Matrix M, std::vector<double> q) {
  Problem p;
  if (!q.empty()) p.blocks = {{BlockKind::nonnegative, 0, int(q.size()), 0}};
  p.M = std::move(M);
  p.q = std::move(q);
  return p;
}

//     normal  beta    sigma
//     W_nn    W_nT D   0        n
//     D'W_Tn  D'W_TT D e        beta     D the directions, e ones                                    [000 eq. (14)-(16)]
//     mu     -e'       0        sigma
Polyhedral polyhedral(const Problem& conic, int directions) {
  check(directions >= 4 && directions % 2 == 0, "friction directions must be even and at least 4, not ", directions);
  const std::vector<int> start = polyhedral_starts(conic, directions);
  const int n = conic.size(), N = start.back();
  // P: conic impulse = P z. Rows of M P, then of P' (M P).
  std::vector<double> M(index(n) * index(n)), MP(index(n) * index(N), 0.0), out(index(N) * index(N), 0.0);
  conic.M.to_dense(M.data(), n);
  Polyhedral p;
  p.directions = directions;
  p.problem.q.assign(index(N), 0.0);
  const auto columns_of = [&](std::size_t b, auto&& f) {  // f(row of z, row of the conic problem, factor)
    const Block& block = conic.blocks[b];
    const int to = start[b];
    if (block.kind != BlockKind::cone) {
      for (int k = 0; k < block.size; ++k) f(to + k, block.start + k, 1.0);
      return;
    }
    f(to, block.start, 1.0);
    for (int k = 0; k < directions; ++k) {
      f(to + 1 + k, block.start + 1, direction(k, directions, false));
      f(to + 1 + k, block.start + 2, direction(k, directions, true));
    }
  };
  for (std::size_t b = 0; b < conic.blocks.size(); ++b)
    columns_of(b, [&](int column, int from, double factor) {
      for (int r = 0; r < n; ++r)
        MP[index(r) * index(N) + index(column)] += factor * M[index(r) * index(n) + index(from)];
    });
  for (std::size_t b = 0; b < conic.blocks.size(); ++b)
    columns_of(b, [&](int row, int from, double factor) {
      for (int c = 0; c < N; ++c)
        out[index(row) * index(N) + index(c)] += factor * MP[index(from) * index(N) + index(c)];
      p.problem.q[index(row)] += factor * conic.q[index(from)];
    });
  for (std::size_t b = 0; b < conic.blocks.size(); ++b) {
    const Block& block = conic.blocks[b];
    if (block.kind != BlockKind::cone) {
      p.problem.blocks.push_back({block.kind, start[b], block.size, 0});
      if (block.kind == BlockKind::box) {
        p.problem.lower.resize(index(N), 0.0);
        p.problem.upper.resize(index(N), 0.0);
        for (int k = 0; k < block.size; ++k) {
          p.problem.lower[index(start[b] + k)] = conic.lower[index(block.start + k)];
          p.problem.upper[index(start[b] + k)] = conic.upper[index(block.start + k)];
        }
      }
      continue;
    }
    p.problem.blocks.push_back({BlockKind::nonnegative, start[b], directions + 2, 0});
    const int sigma = start[b] + directions + 1;
    out[index(sigma) * index(N) + index(start[b])] = block.mu;
    for (int k = 0; k < directions; ++k) {
      out[index(sigma) * index(N) + index(start[b] + 1 + k)] = -1;
      out[index(start[b] + 1 + k) * index(N) + index(sigma)] = 1;
    }
  }
  p.problem.M = Matrix::dense(N, std::move(out));
  return p;
}

void to_conic(const Problem& conic, const Polyhedral& p, std::span<const double> z, std::span<double> conic_z) {
  check(z.size() == p.problem.q.size() && conic_z.size() == conic.q.size(), "z has ", z.size(), " numbers for ",
        p.problem.q.size(), " rows, to become ", conic_z.size(), " for ", conic.q.size());
  std::size_t at = 0;
  for (const Block& block : conic.blocks) {
    const std::size_t to = index(block.start);
    if (block.kind != BlockKind::cone) {
      for (int k = 0; k < block.size; ++k) conic_z[to + index(k)] = z[at++];
      continue;
    }
    conic_z[to] = z[at++];
    conic_z[to + 1] = conic_z[to + 2] = 0;
    for (int k = 0; k < p.directions; ++k, ++at) {
      conic_z[to + 1] += direction(k, p.directions, false) * z[at];
      conic_z[to + 2] += direction(k, p.directions, true) * z[at];
    }
    ++at;  // sigma
  }
}

}  // namespace linchpin

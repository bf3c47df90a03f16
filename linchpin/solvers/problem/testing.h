// Shared by the tests of this room: random matrices of the relevant classes, random mixes of blocks, and problems with
// a known (planted) solution.
//
// Everything is drawn from a Dice, so a test that prints its seed can be repeated.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "linchpin/base/compare_testing.h"
#include "linchpin/solvers/problem/generate.h"
#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

// ---- matrices, n x n row by row ----

using Square = std::vector<double>;

inline double& entry(Square& M, int n, int row, int column) {
  return M[std::size_t(row) * std::size_t(n) + std::size_t(column)];
}
inline Square zero_square(int n) { return Square(std::size_t(n) * std::size_t(n)); }

// Symmetric, positive semidefinite, of this rank: G G' with G n x rank.
inline Square random_psd(int n, int rank, Dice& dice) {
  std::vector<double> G(std::size_t(n) * std::size_t(rank));
  for (double& g : G) g = dice.near_zero(1);
  Square M = zero_square(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < rank; ++k) sum += G[i * rank + k] * G[j * rank + k];
      entry(M, n, i, j) = entry(M, n, j, i) = sum;
    }
  return M;
}
inline Square random_full_psd(int n, Dice& dice) { return random_psd(n, n, dice); }

inline void add_skew(Square& M, int n, double size, Dice& dice) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const double s = dice.near_zero(size);
      entry(M, n, i, j) += s;
      entry(M, n, j, i) -= s;
    }
}

// A P-matrix: all principal minors positive, so an LCP with it has exactly one solution for every q. Half are positive
// definite with a skew part, half are diagonally dominant by rows and far from positive definite.
inline Square random_p(int n, Dice& dice) {
  if (dice.chance(0.5)) {
    Square M = random_psd(n, n, dice);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.1;
    add_skew(M, n, 1, dice);
    return M;
  }
  Square M = zero_square(n);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    const double size = dice.chance(0.2) ? 20 : 1;  // rows of very different size
    for (int j = 0; j < n; ++j)
      if (j != i) sum += std::abs(entry(M, n, i, j) = dice.near_zero(size));
    entry(M, n, i, i) = sum + dice.between(0.05, 1);
  }
  return M;
}

// z' M z >= 0 for z >= 0: semidefinite plus nonnegative, with a skew part. `strictly`: > 0 for z != 0, so that Lemke's
// method ends in a solution for every q.
inline Square random_copositive(int n, bool strictly, Dice& dice) {
  Square M = random_psd(n, std::max(1, n / 2), dice);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (dice.chance(0.3)) entry(M, n, i, j) += dice.between(0, 2);
  add_skew(M, n, 1, dice);
  if (strictly)
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.1;
  return M;
}

// Small integers, many rows and columns equal, so that pivots tie. Symmetric positive semidefinite, exactly.
inline Square random_integer_psd(int n, Dice& dice) {
  const int rank = 1 + dice.below(std::max(1, n));
  std::vector<int> G(n * rank);
  for (int& g : G) g = dice.below(3) - 1;
  for (int i = 1; i < n; ++i)
    if (dice.chance(0.3)) std::copy_n(G.begin() + (dice.below(i)) * rank, rank, G.begin() + i * rank);
  Square M = zero_square(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int k = 0; k < rank; ++k) sum += G[i * rank + k] * G[j * rank + k];
      entry(M, n, i, j) = sum;
    }
  return M;
}

// ---- q ----

inline std::vector<double> random_q(int n, Dice& dice) {
  std::vector<double> q(static_cast<std::size_t>(n));
  for (double& x : q) x = dice.near_zero(1);
  return q;
}
// Numbers -1, 0 and 1, so that ratios tie.
inline std::vector<double> tied_q(int n, Dice& dice) {
  std::vector<double> q(static_cast<std::size_t>(n));
  for (double& x : q) x = dice.below(3) - 1;
  return q;
}

// ---- blocks ----

struct BlockMix {
  bool free = true, nonnegative = true, box = true, cone = true;
};
struct ProblemLayout {
  std::vector<Block> blocks;
  std::vector<double> lower, upper;
  int size = 0;
};

// Blocks of the kinds in the mix until there are `rows` rows, or up to two more (a cone has three). Boxes may be
// unbounded on a side, or have no width.
inline ProblemLayout random_layout(int rows, const BlockMix& mix, Dice& dice) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<BlockKind> kinds;
  if (mix.free) kinds.push_back(BlockKind::free);
  if (mix.nonnegative) kinds.push_back(BlockKind::nonnegative);
  if (mix.box) kinds.push_back(BlockKind::box);
  if (mix.cone) kinds.push_back(BlockKind::cone);
  check(!kinds.empty(), "a mix of no kinds");
  ProblemLayout layout;
  while (layout.size < rows) {
    Block block;
    block.kind = kinds[dice.below(int(kinds.size()))];
    block.start = layout.size;
    block.size = block.kind == BlockKind::cone ? 3 : 1 + dice.below(std::min(3, rows - layout.size));
    if (block.kind == BlockKind::cone) block.mu = dice.chance(0.1) ? 0 : dice.between(0.05, 1.2);
    layout.size += block.size;
    layout.blocks.push_back(block);
  }
  const bool boxed = std::any_of(layout.blocks.begin(), layout.blocks.end(),
                                 [](const Block& block) { return block.kind == BlockKind::box; });
  if (!boxed) return layout;
  layout.lower.assign(layout.size, 0);
  layout.upper.assign(layout.size, 0);
  for (const Block& block : layout.blocks) {
    if (block.kind != BlockKind::box) continue;
    for (int row = block.start; row < block.start + block.size; ++row) {
      double& l = layout.lower[row];
      double& u = layout.upper[row];
      l = dice.near_zero(2);
      u = dice.chance(0.1) ? l : l + dice.between(0, 2);
      if (dice.chance(0.1)) l = -infinity;
      if (dice.chance(0.1)) u = infinity;
    }
  }
  return layout;
}

inline Problem problem_of(const ProblemLayout& layout, Matrix M, std::vector<double> q) {
  return {.M = std::move(M), .q = std::move(q), .blocks = layout.blocks, .lower = layout.lower, .upper = layout.upper};
}

// ---- problems with a known solution ----

struct Planted {
  Problem problem;
  std::vector<double> z, w;  // a solution; there may be others
};

// Draws z and w that obey the laws of the blocks and sets q = w - M z. A block is degenerate with this probability: z
// and w are both at their limits.
inline Planted plant(const ProblemLayout& layout, Matrix M, double degenerate, Dice& dice) {
  const std::size_t n = std::size_t(layout.size);
  Planted planted{{}, std::vector<double>(n), std::vector<double>(n)};
  const auto positive = [&] { return dice.between(0.1, 1); };
  for (const Block& block : layout.blocks) {
    const bool tie = dice.chance(degenerate);
    if (block.kind == BlockKind::cone) {
      double* const z = &planted.z[block.start];
      double* const w = &planted.w[block.start];
      double x = 1, y = 0;  // the direction of sliding
      for (double squared = 2; squared > 1 || squared < 0.01; squared = x * x + y * y) {
        x = dice.near_zero(1);
        y = dice.near_zero(1);
      }
      const double length = std::sqrt(x * x + y * y), speed = positive(), mu = block.mu;
      x /= length;
      y /= length;
      switch (dice.below(3)) {
        case 0:  // sticking; tie: at the limit of friction
          z[0] = positive();
          for (int k = 0; k < 2; ++k) z[1 + k] = mu * z[0] * (tie ? 1 : dice.between(0, 0.9)) * (k == 0 ? x : y);
          break;
        case 1:  // sliding; tie: without force
          z[0] = tie ? 0 : positive();
          z[1] = -mu * z[0] * x;
          z[2] = -mu * z[0] * y;
          w[1] = speed * x;
          w[2] = speed * y;
          break;
        default:  // apart; tie: touching, at rest
          if (tie) break;
          w[0] = positive();
          w[1] = dice.near_zero(1);
          w[2] = dice.near_zero(1);
      }
      continue;
    }
    for (int row = block.start; row < block.start + block.size; ++row) {
      double& z = planted.z[row];
      double& w = planted.w[row];
      if (block.kind == BlockKind::free) {
        z = dice.near_zero(1);
      } else if (block.kind == BlockKind::nonnegative) {
        if (!tie) (dice.chance(0.5) ? z : w) = positive();
      } else {
        const double l = layout.lower[row], u = layout.upper[row];
        const int where = dice.below(3);
        if (where == 0 && std::isfinite(l)) {
          z = l;
          w = tie ? 0 : positive();
        } else if (where == 1 && std::isfinite(u)) {
          z = u;
          w = tie ? 0 : -positive();
        } else {
          const double low = std::isfinite(l) ? l : std::min(u, 0.0) - 1,
                       high = std::isfinite(u) ? u : std::max(l, 0.0) + 1;
          z = dice.between(low, high);
        }
      }
    }
  }
  std::vector<double> Mz(n), work(M.work_size());
  M.multiply(planted.z, Mz, work);
  for (std::size_t i = 0; i < n; ++i) Mz[i] = planted.w[i] - Mz[i];
  planted.problem = problem_of(layout, std::move(M), std::move(Mz));
  return planted;
}

// With blocks of the mix, of `rows` rows or up to two more, and the dense matrix random_matrix(n, dice).
template <class RandomMatrix>
Planted plant_random(int rows, const BlockMix& mix, const RandomMatrix& random_matrix, double degenerate, Dice& dice) {
  const ProblemLayout layout = random_layout(rows, mix, dice);
  return plant(layout, Matrix::dense(layout.size, random_matrix(layout.size, dice)), degenerate, dice);
}

// One block of each kind: free 0-1, nonnegative 2, box 3-4, cone 5-7.
inline Problem one_of_each() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Problem p;
  Square M = zero_square(8);
  for (int i = 0; i < 8; ++i) entry(M, 8, i, i) = 1;
  p.M = Matrix::dense(8, std::move(M));
  p.q.assign(8, -1.0);
  p.blocks = {{BlockKind::free, 0, 2, 0},
              {BlockKind::nonnegative, 2, 1, 0},
              {BlockKind::box, 3, 2, 0},
              {BlockKind::cone, 5, 3, 0.5}};
  p.lower = {0, 0, 0, -infinity, -1, 0, 0, 0};
  p.upper = {0, 0, 0, 1, infinity, 0, 0, 0};
  return p;
}

// ---- contact ----

// A small scene of any kind, with friction, masses and ties of any kind.
inline ContactScene random_scene(Dice& dice) {
  SceneOptions options;
  options.mu = dice.chance(0.1) ? 0 : dice.between(0.05, 1.2);
  options.mass_ratio = dice.chance(0.2) ? 1000 : 1;
  options.degenerate = dice.chance(0.3);
  options.speed = dice.chance(0.5) ? 0.1 : 1;
  const std::uint64_t seed = dice.next();
  switch (dice.below(4)) {
    case 0:
      return separate_boxes_scene(1 + dice.below(2), seed, options);
    case 1:
      return stack_of_boxes_scene(1 + dice.below(3), seed, options);
    case 2:
      return wall_of_bricks_scene(2, 2, seed, options);
    default:
      return pile_of_spheres_scene(1 + dice.below(12), seed, options);
  }
}

// ---- equivalent problems ----

// The blocks in another order: block order[i] of the problem is the i-th of the result. M becomes dense.
inline Problem permuted(const Problem& problem, const std::vector<int>& order) {
  const std::size_t n = std::size_t(problem.size());
  ProblemLayout layout;
  std::vector<std::size_t> from;  // row of the problem for each row of the result
  for (const int i : order) {
    Block block = problem.blocks[i];
    for (int k = 0; k < block.size; ++k) from.push_back(std::size_t(block.start + k));
    block.start = layout.size;
    layout.size += block.size;
    layout.blocks.push_back(block);
  }
  Square M(n * n), permuted_M(n * n);
  problem.M.to_dense(M.data(), int(n));
  std::vector<double> q(n);
  for (std::size_t i = 0; i < n; ++i) {
    q[i] = problem.q[from[i]];
    if (!problem.lower.empty()) {
      layout.lower.push_back(problem.lower[from[i]]);
      layout.upper.push_back(problem.upper[from[i]]);
    }
    for (std::size_t j = 0; j < n; ++j) permuted_M[i * n + j] = M[from[i] * n + from[j]];
  }
  return problem_of(layout, Matrix::dense(int(n), std::move(permuted_M)), std::move(q));
}
inline std::vector<int> random_order(int count, Dice& dice) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[dice.below(i + 1)]);
  return order;
}

// Each block in its own units: with S = diag(scale of the row's block), M -> S M S, q -> S q, bounds -> bounds / S;
// solutions z -> z / S. M becomes dense. scale: one positive number per block.
inline Problem rescaled(const Problem& problem, const std::vector<double>& scale) {
  const std::size_t n = std::size_t(problem.size());
  std::vector<double> s(n);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    for (int k = 0; k < problem.blocks[i].size; ++k) s[problem.blocks[i].start + k] = scale[i];
  Problem other = problem;
  Square M(n * n);
  problem.M.to_dense(M.data(), int(n));
  for (std::size_t i = 0; i < n; ++i) {
    other.q[i] *= s[i];
    if (!problem.lower.empty()) {
      other.lower[i] /= s[i];
      other.upper[i] /= s[i];
    }
    for (std::size_t j = 0; j < n; ++j) M[i * n + j] *= s[i] * s[j];
  }
  other.M = Matrix::dense(int(n), std::move(M));
  return other;
}

// |A x - b| / (|A| |x| + |b|) in the maximum norm; NaN if a number is not finite.
inline double backward_error(const Square& A, const std::vector<double>& x, const std::vector<double>& b) {
  const std::size_t n = x.size();
  double error = 0, size_A = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double left = -b[i];
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) {
      left += (long double)(A[i * n + j]) * x[j];
      row += std::abs(A[i * n + j]);
    }
    error = larger(error, double(std::abs(left)));
    size_A = larger(size_A, row);
  }
  return error / (size_A * largest(x) + largest(b));
}

}  // namespace linchpin

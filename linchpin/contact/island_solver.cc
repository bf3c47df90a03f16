#include "linchpin/contact/island_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linchpin/base/index.h"
#include "linchpin/solvers/conic/local_contact.h"

namespace linchpin {
namespace {

// Islands of up to so many rows get a dense matrix: sparse factors gain nothing there (cell_matrix.cc).
constexpr int largest_dense = 36;

int root_of(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// The larger of the two that decide. NaN counts as infinite, so that no island hides it from the report.
double largest_residual(const Residual& r) {
  const bool nan = std::isnan(r.relative) || std::isnan(r.plain_relative);
  return nan ? HUGE_VAL : std::max(r.relative, r.plain_relative);
}

}  // namespace

void add_to(SolveReport& all, const SolveReport& one) {
  const int iterations = all.iterations + one.iterations;
  const auto rank = [](Status s) {  // from best to worst
    return s == Status::solved ? 0 : s == Status::not_solved ? 1 : s == Status::unsolvable ? 2 : 3;
  };
  const bool worse = rank(one.status) != rank(all.status)
                         ? rank(one.status) > rank(all.status)
                         : largest_residual(one.residual) > largest_residual(all.residual);
  const int tries = std::max(all.tries, one.tries);
  if (worse) all = one;
  all.iterations = iterations;
  all.tries = tries;
}

// Union-find over the blocks of M. The root of a set is its lowest block.
void IslandSolver::find_islands(const Problem& problem) {
  const BlockSparse& M = problem.M.blocks();
  const int n = M.row_blocks();
  parent_.resize(n);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (int i = 0; i < n; ++i)
    for (int e = M.first[i]; e < M.first[i + 1]; ++e) {
      const int a = root_of(parent_, i), b = root_of(parent_, M.column[e]);
      parent_[std::max(a, b)] = std::min(a, b);
    }
  islands_ = 0;
  island_of_.resize(n);
  for (int i = 0; i < n; ++i) {
    const int root = root_of(parent_, i);
    island_of_[i] = root == i ? islands_++ : island_of_[root];
  }
  first_.assign(index(islands_) + 1, 0);
  for (const int island : island_of_) ++first_[island + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  order_.resize(n);
  place_.resize(n);
  for (int i = 0; i < n; ++i) order_[first_[island_of_[i]]++] = i;
  for (std::size_t k = first_.size() - 1; k > 0; --k) first_[k] = first_[k - 1];
  first_[0] = 0;
}

// Copies the problem of one island to part_.
void IslandSolver::take_out(const Problem& problem, int island) {
  const BlockSparse& M = problem.M.blocks();
  const std::span<const int> blocks(order_.data() + first_[island], index(first_[island + 1] - first_[island]));
  part_.blocks.clear();
  part_.q.clear();
  part_.lower.clear();
  part_.upper.clear();
  int rows = 0;
  for (const int b : blocks) {
    const Block& block = cells_[b];
    place_[b] = int(part_.blocks.size());
    part_.blocks.push_back({block.kind, rows, block.size, block.mu});
    for (int k = block.start; k < block.start + block.size; ++k) {
      part_.q.push_back(problem.q[k]);
      if (problem.lower.empty()) continue;
      part_.lower.push_back(problem.lower[k]);
      part_.upper.push_back(problem.upper[k]);
    }
    rows += block.size;
  }
  const bool dense = rows <= largest_dense;
  if (dense) {
    part_.M.make_dense(rows);
    std::ranges::fill(part_.M.dense(), 0.0);
  }
  BlockSparse* S = dense ? nullptr : &part_.M.make_sparse(rows);
  if (S) S->row_start.clear();
  for (const int b : blocks) {
    const Block& row = part_.blocks[place_[b]];
    if (S) S->row_start.push_back(row.start);
    for (int e = M.first[b]; e < M.first[b + 1]; ++e) {
      const Block& column = part_.blocks[place_[M.column[e]]];
      const double* from = M.values.data() + M.value_start[e];
      if (dense) {
        for (int i = 0; i < row.size; ++i)
          std::copy_n(from + i * column.size, column.size,
                      part_.M.dense().data() + index(row.start + i) * rows + column.start);
      } else {
        S->column.push_back(place_[M.column[e]]);
        S->value_start.push_back(S->values.size());
        S->values.insert(S->values.end(), from, from + row.size * column.size);
      }
    }
    if (S) S->first.push_back(int(S->column.size()));
  }
  if (S) {
    S->row_start.push_back(rows);
    S->column_start = S->row_start;
  }
}

SolveReport IslandSolver::solve_part(const Problem& problem, SolverId id, const SolverOptions& options,
                                     std::span<double> z) {
  const bool alone = problem.blocks.size() == 1 && problem.blocks[0].kind == BlockKind::cone && problem.size() == 3;
  if (id != SolverId::automatic || !alone || problem.M.kind() != Matrix::Kind::dense)
    return solver_.solve(problem, id, options, z);
  double r[3];
  if (!solve_contact(problem.M.dense().data(), problem.q.data(), problem.blocks[0].mu, r))
    return solver_.solve(problem, id, options, z);
  SolveReport report;
  report.residual = residual(problem, r, judge_);
  if (!report.residual.within(options.tolerance)) return solver_.solve(problem, id, options, z);
  std::ranges::copy(r, z.begin());
  report.status = Status::solved;
  report.solver = report.tried[0] = SolverId::closed_form;
  report.stop = Stop::finished;
  report.iterations = report.tries = 1;
  return report;
}

SolveReport IslandSolver::solve(const Problem& problem, SolverId id, const SolverOptions& options,
                                std::span<double> z) {
  islands_ = 1;
  if (problem.M.kind() != Matrix::Kind::block_sparse) return solve_part(problem, id, options, z);
  cells_.clear();
  for (const Block& block : problem.blocks) {
    const int size = block.kind == BlockKind::cone ? 3 : 1;
    for (int k = 0; k < block.size; k += size) cells_.push_back({block.kind, block.start + k, size, block.mu});
  }
  // The islands follow from the pattern only if the blocks of M are the cells.
  const bool sparse = problem.M.blocks().row_blocks() == int(cells_.size()) &&
                      std::ranges::equal(cells_, std::span(problem.M.blocks().row_start).first(cells_.size()),
                                         [](const Block& cell, int start) { return cell.start == start; });
  if (sparse) find_islands(problem);
  if (!sparse || (islands_ == 1 && problem.size() > largest_dense)) return solve_part(problem, id, options, z);
  SolveReport all;
  for (int island = 0; island < islands_; ++island) {
    take_out(problem, island);
    part_z_.resize(part_.q.size());
    const auto each_block = [&](const auto& move) {
      for (int k = first_[island]; k < first_[island + 1]; ++k) {
        const Block& block = cells_[order_[k]];
        move(z.data() + block.start, part_z_.data() + part_.blocks[k - first_[island]].start, block.size);
      }
    };
    each_block([](double* whole, double* part, int size) { std::copy_n(whole, size, part); });
    const SolveReport one = solve_part(part_, id, options, part_z_);
    each_block([](double* whole, double* part, int size) { std::copy_n(part, size, whole); });
    if (island == 0)
      all = one;
    else
      add_to(all, one);
  }
  return all;
}

}  // namespace linchpin

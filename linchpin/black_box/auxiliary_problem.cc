#include "linchpin/black_box/auxiliary_problem.h"

#include <algorithm>

namespace linchpin {
namespace {

BlockKind kind_of(RowLaw::Kind kind) {
  switch (kind) {
    case RowLaw::Kind::equality:
      return BlockKind::free;
    case RowLaw::Kind::nonnegative:
      return BlockKind::nonnegative;
    case RowLaw::Kind::box:
      return BlockKind::box;
    case RowLaw::Kind::cone:
      return BlockKind::cone;
  }
  return BlockKind::free;
}

}  // namespace

AuxiliaryProblem::AuxiliaryProblem(SolverId solver, const SolverOptions& options) : id_(solver), options_(options) {}

bool AuxiliaryProblem::prepare(std::span<const double> A, std::span<const double> sizes, bool,
                               std::span<const AuxiliaryBlock> blocks) {
  const std::size_t k = sizes.size();
  problem_.M.make_dense(int(k));
  std::ranges::copy(A, problem_.M.dense().begin());
  problem_.q.assign(k, 0.0);
  problem_.blocks.clear();
  bool boxes = false;
  for (const AuxiliaryBlock& block : blocks) {
    problem_.blocks.push_back({kind_of(block.law.kind), block.first, block.rows, block.law.mu});
    boxes |= block.law.kind == RowLaw::Kind::box;
  }
  problem_.lower.clear();
  problem_.upper.clear();
  if (boxes) {
    problem_.lower.assign(k, 0.0);
    problem_.upper.assign(k, 0.0);
    for (const AuxiliaryBlock& block : blocks)
      for (int row = block.first; row < block.first + block.rows; ++row) {
        problem_.lower[row] = block.law.lower;
        problem_.upper[row] = block.law.upper;
      }
  }
  return true;
}

bool AuxiliaryProblem::solve(std::span<const double> b, std::span<double> mu) {
  std::ranges::copy(b, problem_.q.begin());
  report_ = solver_.solve(problem_, id_, options_, mu);
  return report_.status == Status::solved;
}

}  // namespace linchpin

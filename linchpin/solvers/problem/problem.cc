#include "linchpin/solvers/problem/problem.h"

#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/base/make_error.h"
#include "linchpin/base/names.h"

namespace linchpin {

std::string_view to_string(BlockKind kind) {
  static constexpr EnumNames<BlockKind::cone> names{"block kind", {"free", "nonnegative", "box", "cone"}};
  return names.of(kind);
}

std::optional<Error> find_fault(const Problem& problem) {
  const int n = problem.size();
  if (problem.M.size() != n) return make_error("M has ", problem.M.size(), " rows, q has ", n);
  if (!problem.M.finite()) return make_error("M has entries that are not finite");
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(problem.q[i])) return make_error("q of row ", i, " is ", problem.q[i]);
  int row = 0;
  bool boxes = false;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    if (block.start != row || block.size < 1)
      return make_error("block ", b, " has ", block.size, " rows from row ", block.start, "; the rows so far end at ",
                        row);
    if (block.kind == BlockKind::cone && block.size != 3)
      return make_error("block ", b, " is a cone of ", block.size, " rows instead of 3");
    if (block.kind == BlockKind::cone && !(block.mu >= 0 && std::isfinite(block.mu)))
      return make_error("block ", b, " is a cone with mu = ", block.mu);
    row += block.size;
    if (row > n) return make_error("block ", b, " ends at row ", row, " of ", n);
    if (block.kind != BlockKind::box) continue;
    boxes = true;
    if (problem.lower.size() != index(n) || problem.upper.size() != index(n))
      return make_error("block ", b, " is a box, and there are ", problem.lower.size(), " lower and ",
                        problem.upper.size(), " upper bounds for ", n, " rows");
    for (int i = block.start; i < row; ++i)
      if (!(problem.lower[i] <= problem.upper[i]) || problem.lower[i] == HUGE_VAL || problem.upper[i] == -HUGE_VAL)
        return make_error("bounds of row ", i, " are ", problem.lower[i], " and ", problem.upper[i]);
  }
  if (row != n) return make_error("the blocks end at row ", row, " of ", n);
  if (!boxes && (!problem.lower.empty() || !problem.upper.empty())) return make_error("there are bounds but no box");
  return {};
}

Problem linear_complementarity(Matrix M, std::vector<double> q) {
  Problem p;
  if (!q.empty()) p.blocks = {{BlockKind::nonnegative, 0, int(q.size()), 0}};
  p.M = std::move(M);
  p.q = std::move(q);
  return p;
}

}  // namespace linchpin

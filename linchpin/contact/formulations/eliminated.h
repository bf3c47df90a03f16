// A problem whose velocities are eliminated, from the compliance of the links that rows touch, whoever knows it: os.cc,
// nmc_os.cc.
//
//     w = (sum over sides a, b of F_a' C F_b + softness) z + J v_free + offset                                 (1)
// A row that nothing can move (of a planar linkage, across its plane) has a diagonal of rounding alone. It is measured by
// what its sides would meet if their links gave way alike in all directions, or better if they were loose where whoever
// knows C has found it by taking away from that. If it is nothing the row gets none: w = offset there.
//
// M is dense, or where there are many rows of which few meet (a pile) block-sparse, as solvers like it (cell_matrix.h).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "linchpin/contact/formulations/cell_matrix.h"
#include "linchpin/contact/formulations/row_problem.h"
#include "linchpin/contact/formulations/side_products.h"
#include "linchpin/dynamics/maximal/body_inverse.h"

namespace linchpin {

class EliminatedProblem {
 public:
  SideTable sides;  // the rows', in the axes in which the compliance is given

  // Fills the problem, rows in their order. motion: of links without impulses, in the axes of the rows' forces. Groups as
  // CellMatrix::place() takes them. each_compliance(f) calls f(slot, slot, C, stride) for all pairs of slots of one group
  // once, and for a slot with itself before any other of its pairs. alone: by slot, the compliance of its link by itself, if
  // C comes from that; else empty.
  template <class EachCompliance>
  void assemble(const Rows& rows, std::span<const Motion<double>> motion, std::span<const int> group_of_link,
                int groups, const EachCompliance& each_compliance, Problem& problem,
                std::span<const Matrix36> alone = {}) {
    find_order(rows, FreeRows::in_place, order_);
    begin_problem(rows, order_, 0, problem);
    size_.assign(rows.size(), 0.0);
    const bool sparse = cells_.place(rows, group_of_link, groups);
    const std::size_t n = std::size_t(rows.size());
    if (!sparse) {
      problem.M.make_dense(rows.size());
      std::ranges::fill(problem.M.dense(), 0);
    }
    std::span<double> M = problem.M.dense();
    each_compliance([&](int a, int b, const double* C, std::size_t stride) {
      if (a == b && alone.empty())
        sides.add_sizes(a, C, stride, size_);
      else if (a == b)
        sides.add_sizes(a, alone[a].data(), 6, size_);
      if (sparse)
        sides.add_products(a, b, C, stride, cells_);
      else
        sides.add_products(a, b, C, stride, M, n);
    });
    least_share_ = 1;
    for (std::size_t r = 0; r < n; ++r) {
      double& diagonal = sparse ? cells_.diagonal(int(r)) : M[r * n + r];
      problem.q[r] = rows.offset[r];
      if (diagonal > rounding * size_[r]) {
        problem.q[r] += row_velocity(rows, int(r), motion);
        if (diagonal < least_share_ * size_[r]) least_share_ = diagonal / size_[r];
      } else if (sparse)
        cells_.clear_row(int(r));
      else
        for (std::size_t k = 0; k < n; ++k) M[r * n + k] = M[k * n + r] = 0;
      diagonal += rows.softness[r];
    }
    if (sparse) problem.M.assign(cells_.blocks());
  }

  // What is least left of such a size among rows that move: so many digits were lost in it.
  double least_share() const { return least_share_; }

 private:
  // What is left of terms that cancel: 1e-16 for each of the joints on the way, with room for long ways. (3000 random
  // mechanisms by multipliers: up to 5e-16 of what the links would give alone; rows that move from 4e-9.)
  static constexpr double rounding = 1e-12;

  RowOrder order_;
  CellMatrix cells_;
  std::vector<double> size_;
  double least_share_ = 1;
};

}  // namespace linchpin

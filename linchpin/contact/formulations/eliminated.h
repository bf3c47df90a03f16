// The problem with velocities eliminated, assembled from the compliance C of the links that rows act on. For hybrid.cc,
// whose engines differ in how they compute C, and nmc_os.cc.
//
//     w = (W + softness) z + J v_free + offset,    W = J M^-1 J' = sum over sides a, b of F_a' C F_b            (1)
// A row that no motion changes (of a planar linkage, across its plane) has a diagonal of rounding errors only. The
// diagonal is therefore compared with the size that it would have if the links were equally compliant in all
// directions. If C is a difference, small against the compliance of the links without joints (multipliers.cc), the size
// comes from the latter (`alone`). A row whose diagonal is rounding gets zeros in W: w = offset there.
//
// The problem's matrix is dense, or block-sparse if there are many rows and few are coupled (cell_matrix.h).
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
  SideTable sides;  // the sides of the rows, in the axes of the compliance; filled before assemble()

  // Fills the problem, with the rows in their order.
  // motion: by link, its velocity v_free without impulses, in the axes of the rows' forces.
  // group_of_link, groups: as in CellMatrix::place().
  // each_compliance(f): calls f(slot, slot, C, stride) once for each pair of slots of one group. A slot's pair with
  //   itself comes before its other pairs.
  // alone: by slot, the compliance of its link without joints, if C is a difference from that; else empty.
  template <class EachCompliance>
  void assemble(const Rows& rows, std::span<const Motion<double>> motion, std::span<const int> group_of_link,
                int groups, const EachCompliance& each_compliance, Problem& problem,
                std::span<const Matrix36> alone = {}) {
    find_order(rows, FreeRows::in_place, order_);
    begin_problem(rows, order_, 0, problem);
    size_.assign(rows.size(), 0.0);
    moves_.assign(rows.size(), 0);
    const bool sparse = cells_.place(rows, group_of_link, groups, problem.M);
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
        moves_[r] = 1;
        problem.q[r] += row_velocity(rows, int(r), motion);
        if (diagonal < least_share_ * size_[r]) least_share_ = diagonal / size_[r];
      } else if (sparse)
        cells_.clear_row(int(r));
      else
        for (std::size_t k = 0; k < n; ++k) M[r * n + k] = M[k * n + r] = 0;
      diagonal += rows.softness[r];
    }
  }

  // q of the problem for other velocities v_free; the matrix is that of the last assemble().
  void set_velocities(const Rows& rows, std::span<const Motion<double>> motion, Problem& problem) const {
    for (int r = 0; r < rows.size(); ++r)
      problem.q[r] = rows.offset[r] + (moves_[r] ? row_velocity(rows, r, motion) : 0.0);
  }

  // The smallest diagonal relative to its size, among the rows that can move: its logarithm is the digits lost to
  // cancellation.
  // Where the blocks of the rows of the last assemble() are in its problem.
  std::span<const int> blocks(const Problem& problem) { return blocks_in(problem, order_); }
  double least_share() const { return least_share_; }

 private:
  // A diagonal below this part of its size is rounding: 1e-16 for each joint on the path to the base, with room for
  // long paths. (3000 random mechanisms by multipliers: such rows have up to 5e-16 of the size, rows that move at least
  // 4e-9.)
  static constexpr double rounding = 1e-12;

  RowOrder order_;
  CellMatrix cells_;
  std::vector<double> size_;  // by row
  std::vector<char> moves_;   // by row: 0 if its diagonal is rounding
  double least_share_ = 1;
};

}  // namespace linchpin

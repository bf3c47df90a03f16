// The linear system of Newton and interior-point steps: in each cell either
//     x = b                              (an inactive cell)                                                     (1)
// or
//     L (W x)_cell + R x_cell = b        L, R small matrices of the cell                                        (2)
// Dense or sparse like the problem; dense factors leave out the rows of (1).
//
// With many cells, and L = 1 in all of them, the factors may be float, which takes some 0.6 of the time. Solutions are
// then refined until
//     |b - W x - R x| <= 1e-4 |b|                                                                               (3)
// which takes one refinement step or none. If refinement converges slowly, near a singular matrix, the factors are
// computed again in double. For this room's own files.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/algebra/sparse_lu.h"
#include "linchpin/solvers/conic/scaled_problem.h"

namespace linchpin {

class CellSystem {
 public:
  // Allocates, for float factors too if with_float; marks all cells active and no L as 1.
  void prepare(const ScaledProblem& p, bool with_float = false);

  bool& active(std::size_t cell) { return flags_[cell].active; }
  bool& unit_L(std::size_t cell) { return flags_[cell].unit_L; }  // L = 1, and L(cell) is not read
  double* L(std::size_t cell) { return &L_[9 * cell]; }           // row by row
  double* R(std::size_t cell) { return &R_[9 * cell]; }

  // False if the matrix is singular or not finite. `rough`: solutions only need (3), so factors may be float.
  bool factor(const ScaledProblem& p, bool rough = false);
  // b, with room for p.stride numbers, becomes x; NaN if (3) is out of reach and the matrix is singular.
  void solve(const ScaledProblem& p, double* b);
  // The sign of the determinant of the last matrix factored without `rough`.
  bool determinant_is_positive(const ScaledProblem& p) const {
    return p.sparse ? sparse_.determinant_is_positive() : dense_.determinant_is_positive();
  }

 private:
  struct Flags {
    bool active = true, unit_L = false;
  };
  bool factor_dense(const ScaledProblem& p);
  bool factor_sparse(const ScaledProblem& p, bool rough);
  bool solve_float(const ScaledProblem& p, double* b);

  std::vector<Flags> flags_;
  std::vector<double> L_, R_, rhs_, x_, Wx_;
  std::vector<int> rows_;  // of active cells
  DenseLu dense_;
  SparseLu sparse_;
  bool with_float_ = false, is_float_ = false;  // is_float_: the current factors are float
  int failures_ = 0, wait_ = 0;  // failures of float since prepare(); factorisations until it is tried again
};

// A problem and its system.
struct CellProblem {
  ScaledProblem p;
  CellSystem system;
};

// The part of a workspace that solvers may share: `auto` goes from one solver to the next, and the pattern is then
// analysed once.
struct CellWorkspace {
  explicit CellWorkspace(std::shared_ptr<CellProblem> cells = std::make_shared<CellProblem>())
      : cells_(std::move(cells)), p(cells_->p), system(cells_->system) {}

 private:
  std::shared_ptr<CellProblem> cells_;

 public:
  ScaledProblem& p;
  CellSystem& system;
};

}  // namespace linchpin

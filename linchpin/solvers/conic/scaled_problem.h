// A problem in the units of residual.h: every row divided and every unknown multiplied by its s_i. M then has a unit
// diagonal, impulses and velocities are of one kind, and step lengths near 1 are natural. The iterative solvers work on
// it. For this room's own files.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {

// The unit of projection: a cone of three rows, or a single row.
struct Cell {
  BlockKind kind;
  int start, size;
  double mu;
};

// Below this mu a contact counts as frictionless, with zero tangential impulses: the interior solvers divide by mu.
constexpr double no_friction = 1e-12;
inline bool frictionless(const Cell& c) { return c.mu < no_friction; }

// Up to eight consecutive cones with friction, which kernels load together (cones.h).
struct ConeGroup {
  int cell, start, count;
};

class ScaledProblem {
 public:
  // Copies and scales `problem`, as dense or sparse as is cheaper to work with. Allocates nothing if the problem has
  // the size and pattern of the last one.
  void assign(const Problem& problem);

  int n = 0;
  int stride = 0;  // of dense rows, and the length of vectors: n rounded up to 8, zeros at the end
  bool sparse = false;
  std::vector<Cell> cells;
  std::vector<ConeGroup> cones;
  std::vector<double> mu;                  // eight for each of `cones`; 1 beyond its count
  std::vector<int> others;                 // cells that are not in `cones`
  std::vector<double> s, q, lower, upper;  // lower, upper: bounds of box rows, indexed by row
  std::vector<double> W;                   // dense
  BlockSparse blocks;                      // sparse; cells are its blocks
  double q_norm = 0, plain_q_norm = 0;     // |q| scaled, and of the original problem

  // w = W x; both have `stride` numbers, and x has zeros at its end.
  void multiply(const double* x, double* w) const;
  // Converts the problem's unknowns to scaled ones, and back.
  void scale(std::span<const double> z, double* x) const;
  void unscale(const double* x, std::span<double> z) const;

 private:
  void group_cones();
  void scale_cones();

  ResidualWorkspace scales_;
  FormedFrom formed_from_;
  std::vector<int> starts_;
  std::vector<double> inverse_;  // 1 / s
  // If all cells have three rows: the columns of the blocks, four numbers each, the last one zero.
  std::vector<double> columns_;
};

}  // namespace linchpin

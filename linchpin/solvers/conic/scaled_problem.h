// A problem in the judge's units (residual.h): every row divided, every unknown multiplied by its s_i, so that M has a
// unit diagonal, impulses and velocities are alike, and step lengths of 1 mean something. What the iterative solvers
// work on. For this room's own files.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {

// What is projected at once: a cone of three rows, or a single row.
struct Cell {
  BlockKind kind;
  int start, size;
  double mu;
};

// Below this mu a contact has no friction: tangential impulses are zero.
constexpr double no_friction = 1e-12;
inline bool frictionless(const Cell& c) { return c.mu < no_friction; }

// Cones with friction that stand one after the other, up to eight: what kernels take at once (cones.h).
struct ConeGroup {
  int cell, start, count;
};

class ScaledProblem {
 public:
  // Copies and scales. Dense while that is cheaper to work with. Allocates nothing for a problem of the size and
  // pattern of the last one.
  void assign(const Problem& problem);

  int n = 0;
  int stride = 0;  // of dense rows, and the room that vectors need: n rounded up to 8, zeros at the end
  bool sparse = false;
  std::vector<Cell> cells;
  std::vector<ConeGroup> cones;
  std::vector<double> mu;                  // eight for each of `cones`, 1 beyond its count
  std::vector<int> others;                 // cells that are in none of `cones`
  std::vector<double> s, q, lower, upper;  // bounds: of box rows, all rows long
  std::vector<double> W;                   // dense
  BlockSparse blocks;                      // sparse, cells being its blocks
  double q_norm = 0, plain_q_norm = 0;     // |q|, and that of the problem's own

  // w = W x; both have room for `stride` numbers, x zeros at its end.
  void multiply(const double* x, double* w) const;
  // Scaled unknowns from those of the problem, and back.
  void scale(std::span<const double> z, double* x) const;
  void unscale(const double* x, std::span<double> z) const;

 private:
  void group_cones();
  void scale_cones();

  ResidualWorkspace scales_;
  FormedFrom formed_from_;
  std::vector<int> starts_;
  std::vector<double> inverse_;  // 1 / s
  // Where all cells have three rows: columns of the blocks, four numbers to each of which the last is zero.
  std::vector<double> columns_;
};

}  // namespace linchpin

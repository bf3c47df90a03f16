// Friction of contacts, posed in two ways besides the cone: by directions, and with a preload.
//
// By directions: PolyhedralFriction of solvers/problem/polyhedral.h [000 (10)-(16)].
//
// With a preload p >= 0: a normal impulse that acts whatever the problem's own do, and carries friction with them,
//     |z_T| <= mu (z_N + p),   equal to it and against the motion where the contact slides                        (1)
// By directions that is q = mu p in the row of the bound. Of cones it is two at one point: friction of both opposes the
// same motion, so that their bounds add up. The second one's normal impulse is p by a row that touches nothing else:
//     w' = K (z' - p) >= 0 perp z' >= 0,   any K > 0                                                              (2)
// and its tangents are the first one's.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {

// A conic problem with (1), as a larger conic problem.
class PreloadedFriction {
 public:
  // preload: by row; looked at where a cone's normal is. Rows of out are those of the problem, then three for each
  // preloaded cone with friction. out's matrix is dense. Allocates nothing at a size that it, and out, had before.
  void pose(const Problem& conic, std::span<const double> preload, Problem& out);

  // All below are about the problem posed last.
  // Its q for another q of the conic problem, the matrix and the preload being the same.
  void set_q(std::span<const double> conic_q, Problem& out) const;
  // A solution as impulses of the conic problem, without the preload: tangents added up.
  void to_conic(std::span<const double> z, std::span<double> conic_z) const;

  int size() const { return conic_size_ + 3 * int(second_.size()); }

 private:
  struct Second {
    int start;          // of its first cone, in the conic problem
    double K, preload;  // (2)
  };
  int conic_size_ = 0;
  std::vector<Second> second_;
  std::vector<int> from_;  // by row: whose velocity it is in the conic problem; -1: (2)
  std::vector<double> M_;
  ResidualWorkspace scales_;
};

int cone_count(std::span<const Block> blocks);

// The largest |z_T| - mu z_N of all cones, and -z_N of theirs and of nonnegative rows; 0 where there is none above 0.
double cone_violation(std::span<const Block> blocks, std::span<const double> z);

}  // namespace linchpin

// Two ways to pose the friction of contacts besides the plain cone: polyhedral friction, and friction with a preload.
//
// Polyhedral friction: PolyhedralFriction of solvers/problem/polyhedral.h [000 (10)-(16)].
//
// Preload p >= 0: a given normal impulse that acts beside the unknown one z_N. Both carry friction,
//     |z_T| <= mu (z_N + p),   with equality and against the sliding velocity if the contact slides               (1)
// With polyhedral friction this is q = mu p in the row of the bound. With cones it is a second cone at the same point:
// the friction of both opposes the same velocity, so their bounds add up. The normal impulse z' of the second cone is p
// because of a row that is coupled to no other,
//     w' = K (z' - p) >= 0 perp z' >= 0,   any K > 0                                                              (2)
// Its tangent rows are copies of those of the first cone.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/residual.h"

namespace linchpin {

// A conic problem with (1), as a larger conic problem.
class PreloadedFriction {
 public:
  // preload: by row, read at the normal rows of cones, N s. The rows of out are those of the problem, then three for
  // each preloaded cone with friction. The matrix of out is dense. No allocation if *this and out had this size before.
  void pose(const Problem& conic, std::span<const double> preload, Problem& out);

  // The functions below refer to the problem posed last.
  // Replaces q of the conic problem; the matrix and the preload stay.
  void set_q(std::span<const double> conic_q, Problem& out) const;
  // The impulses of the conic problem, without the preload: the tangent impulses of both cones are added.
  void to_conic(std::span<const double> z, std::span<double> conic_z) const;

  int size() const { return conic_size_ + 3 * int(second_.size()); }

 private:
  struct Second {
    int start;          // first row of its first cone, in the conic problem
    double K, preload;  // (2)
  };
  int conic_size_ = 0;
  std::vector<Second> second_;
  std::vector<int> from_;  // by row: the row of the conic problem with the same velocity; -1: a row (2)
  std::vector<double> M_;
  ResidualWorkspace scales_;
};

int cone_count(std::span<const Block> blocks);

// How far z violates its cones: the largest of |z_T| - mu z_N and -z_N of all cones and -z of nonnegative rows; at
// least 0. NaN if one of these is NaN.
double cone_violation(std::span<const Block> blocks, std::span<const double> z);

}  // namespace linchpin

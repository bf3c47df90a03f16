// Friction by nf directions in the tangent plane instead of the cone, evenly spread [000 (6)-(16)].
//
// Each cone of a problem, z = (normal, tangent 1, tangent 2), becomes nf + 2 nonnegative rows: the normal n, magnitudes
// beta along the directions, and the sliding speed sigma. With D the 2 x nf directions and e ones,
//     (z_N, z_T) = (n, D beta)                                                                                    (1)
//     w_n     = W_nn n + W_nT D beta + q_n               >= 0, perp n           separation                        (2)
//     w_beta  = D'(W_Tn n + W_TT D beta + q_T) + e sigma >= 0, perp beta        friction's direction              (3)
//     w_sigma = mu n - e'beta                            >= 0, perp sigma       friction's magnitude              (4)
// Other blocks stay as they are. Solutions obey friction's bound |z_T| <= mu z_N, as the polygon lies within the
// circle; sliding friction acts along the direction nearest to opposing the motion, or between two. It opposes the
// motion exactly where that goes along a direction: the first one of each contact can be turned so that it does. [000
// (8) gives beta = 0 at sigma = 0, which is wrong: at rest, beta is anything within (4).]
//
// Directions come in opposite pairs: nf is even, and at least 4. nf = 2 is for planar problems, one tangent along the
// first direction and its opposite: motion across it meets no friction.
#pragma once

#include <span>
#include <vector>

#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

class PolyhedralFriction {
 public:
  // turn: for each cone, the angle in the tangent plane, from tangent 1 towards tangent 2, of its first direction;
  // empty for zeros. out's matrix is dense. Allocates nothing at a size that it, and out, had before.
  void pose(const Problem& conic, int directions, std::span<const double> turn, Problem& out);

  // All below are about the problem posed last.
  // Its q for another q of the conic problem, the matrix being the same.
  void set_q(std::span<const double> conic_q, Problem& out) const;
  // A solution as impulses of the conic problem, by (1).
  void to_conic(std::span<const double> z, std::span<double> conic_z) const;
  // A guess from impulses of the conic problem: beta on the two directions around z_T, within (4). With the velocities
  // w there, sigma is the sliding speed, the least that obeys (3); without (empty), 0.
  void from_conic(std::span<const double> conic_z, std::span<const double> conic_w, std::span<double> z) const;

  int size() const { return size_; }
  int directions() const { return directions_; }
  int first_row(int block) const { return first_row_[block]; }                 // of a cone: that of its normal
  int bound_row(int cone) const { return first_row(cone) + directions_ + 1; }  // of a cone block: (4)

 private:
  struct Direction {
    double x, y;
  };
  void set_directions(std::span<const double> turn);
  const Direction* directions_of(int cone) const { return &direction_[cone * directions_]; }

  int directions_ = 0, conic_size_ = 0, size_ = 0, cones_ = 0;
  std::vector<Block> blocks_;         // the conic problem's
  std::vector<int> first_row_;        // by block
  std::vector<Direction> direction_;  // by cone and direction
  std::vector<double> M_, MP_;        // the conic matrix, and times (1) row by row
};

// The same in one call, with directions as they are.
struct Polyhedral {
  Problem problem;
  int directions = 0;
  PolyhedralFriction friction;
};
Polyhedral polyhedral(const Problem& conic, int directions);
void to_conic(const Problem& conic, const Polyhedral& p, std::span<const double> z, std::span<double> conic_z);

}  // namespace linchpin

// Friction along nf directions in the tangent plane instead of the cone, evenly spaced [000 (6)-(16)].
//
// Each cone of a problem, z = (normal, tangent 1, tangent 2), becomes nf + 2 nonnegative rows: the normal n, magnitudes
// beta along the directions, and the sliding speed sigma. With D the 2 x nf directions and e ones,
//     (z_N, z_T) = (n, D beta)                                                                                    (1)
//     w_n     = W_nn n + W_nT D beta + q_n               >= 0, perp n           separation                        (2)
//     w_beta  = D'(W_Tn n + W_TT D beta + q_T) + e sigma >= 0, perp beta        friction's direction              (3)
//     w_sigma = mu n - e'beta                            >= 0, perp sigma       friction's magnitude              (4)
// Other blocks are unchanged. Solutions obey the friction bound |z_T| <= mu z_N, since the polygon lies within the
// circle. Sliding friction acts along the direction nearest to opposing the motion, or between two. It opposes the
// motion exactly if the motion is along a direction: the first direction of each contact can be turned to achieve that.
// [000 (8) gives beta = 0 at sigma = 0, which is wrong: at rest, beta is anything within (4).]
//
// Directions come in opposite pairs: nf is even, and at least 4. nf = 2 is for planar problems, with one tangent along
// the first direction and its opposite: there is no friction perpendicular to it.
#pragma once

#include <span>
#include <vector>

#include "linchpin/base/index.h"
#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

class PolyhedralFriction {
 public:
  // Makes `out` from a conic problem. turn: for each cone the angle of its first direction in the tangent plane, from
  // tangent 1 towards tangent 2; empty for zeros. The matrix of `out` is dense. Allocates nothing at a size that this
  // object and `out` had before.
  void pose(const Problem& conic, int directions, std::span<const double> turn, Problem& out);

  // The functions below refer to the last problem posed.
  // Replaces its q for another q of the conic problem; the matrix stays.
  void set_q(std::span<const double> conic_q, Problem& out) const;
  // Converts a solution to impulses of the conic problem, by (1).
  void to_conic(std::span<const double> z, std::span<double> conic_z) const;
  // A guess from impulses of the conic problem: beta on the two directions around z_T, within (4). Given the velocities
  // w there, sigma is the smallest sliding speed that obeys (3); if w is empty, 0.
  void from_conic(std::span<const double> conic_z, std::span<const double> conic_w, std::span<double> z) const;

  int size() const { return size_; }
  int directions() const { return directions_; }
  int first_row(int block) const { return first_row_[block]; }                 // of a cone: the row of its normal
  int bound_row(int cone) const { return first_row(cone) + directions_ + 1; }  // of a cone block: the row (4)

 private:
  struct Direction {
    double x, y;
  };
  void set_directions(std::span<const double> turn);
  const Direction* directions_of(int cone) const { return &direction_[index(cone) * directions_]; }

  int directions_ = 0, conic_size_ = 0, size_ = 0, cones_ = 0;
  std::vector<Block> blocks_;         // the conic problem's
  std::vector<int> first_row_;        // by block
  std::vector<Direction> direction_;  // by cone and direction
  std::vector<double> M_, MP_;        // the conic matrix M, and M times the map (1), row by row
};

// The same in one call, without turned directions.
struct Polyhedral {
  Problem problem;
  int directions = 0;
  PolyhedralFriction friction;
};
Polyhedral polyhedral(const Problem& conic, int directions);
void to_conic(const Problem& conic, const Polyhedral& p, std::span<const double> z, std::span<double> conic_z);

}  // namespace linchpin

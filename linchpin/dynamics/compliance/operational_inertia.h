// The operational-space inertia: what it takes to accelerate nodes, the inverse of how they give way [001 (17)].
//
//     f = Lambda a,   Lambda = (J M^-1 J')^-1                                                                   (1)
// where every acceleration of the nodes is possible. Where it is not (two nodes on one body, an arm stretched out, more
// rows than the mechanism has freedom) J M^-1 J' is singular, and Lambda its pseudo-inverse: f is the least of the forces
// that cause a, or come nearest to it. Least and nearest in units of each row's own, in which the compliance has a unit
// diagonal: moments and forces, radians and metres do not compare otherwise.
#pragma once

#include <memory>
#include <span>

namespace linchpin {

class OperationalInertia {
 public:
  explicit OperationalInertia(int rows);
  ~OperationalInertia();
  OperationalInertia(OperationalInertia&&) noexcept;
  OperationalInertia& operator=(OperationalInertia&&) noexcept;

  // Directions that give way by less than this, as a part of those that give way most, count as held.
  double tolerance = 1e-10;

  // Both rows x rows, row by row. Returns the rank: `rows` where (1) holds as it stands. Numbers that are not finite
  // give a rank of -1 and an inertia full of NaN.
  int invert(std::span<const double> compliance, std::span<double> inertia);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

}  // namespace linchpin

// The operational-space inertia Lambda, the inverse of the compliance W = J M^-1 J' [001 (17)].
//
//     f = Lambda a,   Lambda = W^-1                                                                             (1)
// if the nodes can have any acceleration. If not (two nodes on one body, a stretched arm, more rows than degrees of
// freedom), W is singular and Lambda is its pseudo-inverse: f is the least force that causes a, or the acceleration
// nearest to it. Both are measured in units of each row in which W has a unit diagonal, since moments and forces, or
// radians and metres, do not compare.
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

  // Directions whose compliance is less than this share of the largest one count as rigid. The same value as
  // rank_tolerance of algebra/rank.h.
  double tolerance = 1e-10;

  // Both matrices are rows x rows, row by row. Returns the rank, `rows` if W is regular. If a number is not finite the
  // rank is -1 and the inertia all NaN.
  int invert(std::span<const double> compliance, std::span<double> inertia);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

}  // namespace linchpin

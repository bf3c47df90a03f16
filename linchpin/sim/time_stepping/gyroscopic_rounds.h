// The rounds of (1) in forces.h for bodies that turn by more than a part of a radian within an interval, by Newton's
// method. Internal to sim/.
//
// A round finds F(x), the velocities at the end, from assumed ones x: M (F(x) - v) = h (forces - c((v + x) / 2)), with
// the velocity products c. To put F(x) in the place of x shrinks the error by about h |w| / 2, so that it does not
// settle where w is large. Newton's method does:
//     (M + h/2 dc/dv) (x' - x) = M (F(x) - x)                                                                     (1)
// Of M and dc/dv this keeps the block of each ball and free joint, with the links beyond it as one rigid body of
// inertia I about its centre (a ball joint: about the joint), c = w x I w:
//     (I + h/2 G) (x' - x) = I (F(x) - x),   G = [w] I - [I w]                                                    (2)
// For a free rigid body this is Newton's method itself. Where a rotation about the middle axis makes I + h/2 G singular
// or nearly so, G without its symmetric part takes its place, which leaves I + h/2 G regular at any speed.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class GyroscopicRounds {
 public:
  explicit GyroscopicRounds(const StepPlan& plan);
  void begin() { has_inertia_ = false; }
  // Sets the angular velocities of ball and free joints in `next` to x'. q: where M is evaluated; v: at the start of
  // the interval; assumed: x; found: F(x).
  void improve(std::span<const double> q, double h, std::span<const double> v, std::span<const double> assumed,
               std::span<const double> found, std::span<double> next);

 private:
  Mat3<double> inertia_of(const WideLink<double>& link) const;

  const StepPlan& plan_;
  const MassMatrixLayout layout_;
  CrbaWorkspace<double> crba_;
  MassMatrix<double> M_;
  bool has_inertia_ = false;
};

}  // namespace linchpin

// Lengths of springs that an interval does not resolve. Internal to sim/.
//
// The row of a stiff spring (joint_rows.h) sets velocities, and so its force z / h. Positions follow with an error of
// higher order in the spring's elongation e. Times a stiffness of 1e12 N/m that is a large force and energy, which the
// spring does not have. So the trapezoidal stepper brings the elongation at the end of the interval to that of the
// force,
//     e <- e + w (e* - e),   e* = (damping e_0 - theta z) / (theta h stiffness + damping),   w = 2 theta - 1      (1)
// with e_0 at the start, by the shortest displacement in the metric of the mass matrix, as penetration is corrected
// (penetration.h). With theta of (5) in joint_rows.h, w is of the second order where h resolves the motion, and near 1
// where it does not. The energy balance does not count this as a projection: there is no state before it.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class SpringCorrection {
 public:
  explicit SpringCorrection(const StepPlan& plan);
  bool any() const { return !springs_.empty(); }
  // e* of (1) from the solution over an interval of length h that begins at these poses.
  void find_targets(const Solved& solved, const Kinematics<double>& start, double h);
  // Finds e and the step of (1) at these poses. Returns whether any is more than rounding.
  bool is_needed(const Placed& end);
  // Whether the linear step of (1) leaves more than rounding, because springs turn by it.
  bool needs_another() const { return is_coarse_; }
  // The rows of (1): J d - w (e* - e) = 0 for a displacement d.
  void add_rows(const Placed& end, StepRows& rows) const;

 private:
  struct Stiff {
    int spring;
    double target = 0, change = 0;  // m: e*, w (e* - e)
  };
  const StepPlan& plan_;
  std::vector<Stiff> springs_;
  bool is_coarse_ = false;
};

}  // namespace linchpin

// Removes penetration: (6) of contact_stepper.h. Internal to sim/.
#pragma once

#include <memory>
#include <vector>

#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/spring_correction.h"

namespace linchpin {

class PenetrationCorrection {
 public:
  explicit PenetrationCorrection(const StepPlan& plan);

  // Whether a contact or a limit is deeper than options.position_tolerance at the start of the interval.
  bool is_needed(const Interval& interval) const;
  // Whether the angle of a ball joint is farther beyond its limit than by rounding. It may be after any motion: a body
  // that turns across the axis of its rotation moves along the limit's tangent, and the limit is curved.
  bool passes_angle(std::span<const double> q) const;

  // The correction d of positions (per velocity coordinate) that follows the motion `solved`; nothing if none was
  // found. That is no loss: the next step sees what is left. plain: the mechanism as it is. springs: corrected together
  // with penetration, or null.
  std::optional<std::span<const double>> find(const Interval& interval, const Solved& solved, Variant& plain,
                                              ProblemWorkspace& ws, SolveEffort& effort,
                                              const SpringCorrection* springs = nullptr);
  // Whether the last correction was scaled down, because a body would have turned far.
  bool is_scaled() const { return is_scaled_; }

 private:
  void keep_linear();
  void find_end_gaps(const Interval& interval, const Solved& solved);

  const StepPlan& plan_;
  // With limits on the angles of ball joints: those joints have armature, so that they are about equally hard to turn
  // about any axis. A thin body would be turned far about its own axis to correct little, and back in the next step.
  std::unique_ptr<Variant> isotropic_;
  std::vector<double> end_gap_;  // per contact, m
  StepRows rows_;
  Velocities rest_;
  std::vector<double> zero_, shift_, impulses_;
  bool is_scaled_ = false;
};

}  // namespace linchpin

// Removes penetration: (6) of contact_stepper.h. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/spring_correction.h"

namespace linchpin {

class PenetrationCorrection {
 public:
  explicit PenetrationCorrection(const StepPlan& plan);

  // Whether a contact or a limit is deeper than options.position_tolerance at the start of the interval.
  bool is_needed(const Interval& interval) const;

  // The correction d of positions (per velocity coordinate) that follows the motion `solved`; nothing if none was
  // found. That is no loss: the next step sees what is left. springs: corrected together with penetration, or null.
  std::optional<std::span<const double>> find(const Interval& interval, const Solved& solved, Variant& mechanism,
                                              ProblemWorkspace& ws, SolveEffort& effort,
                                              const SpringCorrection* springs = nullptr);

 private:
  void keep_linear();
  void find_end_gaps(const Interval& interval, const Solved& solved);

  const StepPlan& plan_;
  std::vector<double> end_gap_;  // per contact, m
  StepRows rows_;
  Velocities rest_;
  std::vector<double> zero_, shift_, impulses_;
};

}  // namespace linchpin

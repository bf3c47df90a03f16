// One substep of Dormand and Prince's method in a contact mode. Internal to sim/.
//
// The stages are those of runge_kutta.h with the accelerations of mode_dynamics.h, so rows hold at the level of
// accelerations. The dense output of order 4 [Hairer, Norsett and Wanner 1993, II.6] is in the Lie algebra too:
//     y(theta) = y0 + theta (d + (1 - theta) (s + theta (e + (1 - theta) h sum d_i k_i)))                       (1)
//     d = y1 - y0,   s = h k1 - d,   e = d - h k7 - s
// It looks for contacts within the substep. Where an event is located, the substep is taken again with a length that
// ends there, so that events have the accuracy of the method, not that of (1).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linchpin/sim/event_driven/mode_dynamics.h"
#include "linchpin/sim/runge_kutta.h"
#include "linchpin/sim/time_stepping/account.h"

namespace linchpin {

// What substeps start from and act under.
struct SubstepStart {
  double time;
  const Arrival& at;
  const Inputs& inputs;
  const Mode& mode;
  const ContactSet& set;  // with all shapes that may touch within the substep
};

class ModeSubstep {
 public:
  ModeSubstep(Dynamics& dynamics, const StepPlan& plan, ModeDynamics& mode_dynamics);

  // The first stage.
  void begin(const SubstepStart& start);
  // The other stages of a substep of length h, the last of them at its end.
  void take(const SubstepStart& start, double h);

  std::span<const double> q() const { return stages_.q; }  // at the end
  std::span<const double> v() const { return stages_.v; }
  const Stages& stages() const { return stages_; }
  const ModeForces& first() const { return forces_[0]; }
  const ModeForces& end() const { return forces_.back(); }
  ModeForces& end() { return forces_.back(); }

  // (1) at theta in [0, 1], after take().
  void place_within(const SubstepStart& start, double h, double theta, std::span<double> q, std::span<double> v);
  // Moves `at` to the end of the substep, and adds its integrals to the report, the sums of contacts and the reactions.
  void apply(double h, Arrival& at, StepReport& report, ContactSums& sums);

 private:
  void evaluate(const SubstepStart& start, std::size_t i);
  void count_impulses(double h, Arrival& at, StepReport& report, ContactSums& sums);

  Dynamics& dynamics_;
  const StepPlan& plan_;
  ModeDynamics& mode_dynamics_;
  Stages stages_;
  std::vector<ModeForces> forces_;  // by stage
  std::vector<double> impulses_;
  std::vector<Contact> contacts_;
  RowVelocities rates_;
  std::vector<char> asleep_;  // none is
  std::vector<double> step_;
};

}  // namespace linchpin

// Projection onto a contact mode. Internal to sim/.
//
// Gaps of closed contacts and limits are brought to zero by the shortest correction in the metric of the mass matrix,
// then their normal velocities, and the sliding velocities of contacts that stick. It removes what landing leaves,
// penetration of the initial state, and the drift of equations at the level of accelerations.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/event_driven/mode_dynamics.h"

namespace linchpin {

class ModeProjection {
 public:
  ModeProjection(Dynamics& dynamics, const StepPlan& plan, ModeDynamics& mode_dynamics)
      : dynamics_(dynamics), plan_(plan), mode_dynamics_(mode_dynamics), change_(plan.model.nv()) {}
  // all: down to rounding, otherwise only what matters. `forces` is a workspace.
  void project(double time, const Inputs& inputs, const ContactSet& set, bool all, Mode& mode, ModeForces& forces,
               Arrival& at, StepReport& report);

 private:
  Dynamics& dynamics_;
  const StepPlan& plan_;
  ModeDynamics& mode_dynamics_;
  std::vector<int> rows_;
  std::vector<double> errors_, change_;
};

}  // namespace linchpin

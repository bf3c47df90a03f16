// An impulse without collision, where no contact mode is consistent (Painleve). Internal to sim/.
//
// The rows are solved for velocities over a very short time tau,
//     M (v+ - v) = tau forces + J' z,   w = J v+ + tau c,   cones with the friction of rest or of sliding        (1)
// If v+ - v stays finite as tau gets small, it is an impulse without collision, and v+ is applied.
#pragma once

#include <vector>

#include "linchpin/sim/event_driven/mode_dynamics.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/interval_solver.h"

namespace linchpin {

class PainleveImpulse {
 public:
  // plain, problem and solved: workspaces that impacts share.
  PainleveImpulse(Dynamics& dynamics, const StepPlan& plan, Variant& plain, ProblemWorkspace& problem, Solved& solved)
      : dynamics_(dynamics),
        plan_(plan),
        plain_(plain),
        problem_(problem),
        solved_(solved),
        change_(plan.model.nv()),
        asleep_(plan.trees.count, 0) {}
  // For the mode that is not consistent, with the forces of all its rows, at the velocities of `placed`. Contacts that
  // slide have their friction of sliding. Returns whether v+ was applied.
  bool solve(double time, const Inputs& inputs, const Placed& placed, const Mode& mode, const ModeForces& forces,
             Arrival& at, ContactSums& sums, StepReport& report);

 private:
  Dynamics& dynamics_;
  const StepPlan& plan_;
  Variant& plain_;
  ProblemWorkspace& problem_;
  Solved& solved_;
  std::vector<Contact> contacts_;
  std::vector<double> change_, tau_, zero_;
  std::vector<char> asleep_;
};

}  // namespace linchpin
